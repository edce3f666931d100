package report_test

import (
	"context"
	"iter"
	"slices"
	"time"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
)

// fake is a result made by hand.
type fake struct {
	manifest scan.Manifest
	cases    []*scan.Case
}

func (f *fake) Manifest() *scan.Manifest { return &f.manifest }

func (f *fake) Cases(_ context.Context, choice scan.Filter) iter.Seq2[*scan.Case, error] {
	return func(yield func(*scan.Case, error) bool) {
		for _, c := range f.cases {
			if len(choice.Kinds) > 0 && !slices.Contains(c.Kinds, choice.Kinds[0]) {
				continue
			}
			if !yield(c, nil) {
				return
			}
		}
	}
}

func at(text string) reconcile.Instant {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		panic(err)
	}
	return reconcile.At(t)
}

// night is a scan after a restore: two cases, one of them exposed without an end, and a source cut short.
func night() *fake {
	now := at("2026-11-29T06:00:00Z")
	return &fake{
		manifest: scan.Manifest{
			Tool: "idemctl v1.2.3", Name: "orders-prod", Now: now, Pinned: true, ConfigDigest: "sha256:00", Complete: false,
			Sources: []scan.Source{
				{Name: "receipts", Role: reconcile.RoleReceipt, Records: 6, Coverage: reconcile.Coverage{Complete: true, Proves: true, To: now}},
				{Name: "orders", Role: reconcile.RoleEffect, Records: 7, Unreadable: 1, Coverage: reconcile.Coverage{
					Complete: true, Proves: true, From: at("2026-11-01T00:00:00Z"), To: now, Lag: 15 * time.Minute,
				}},
				{Name: "charges", Role: reconcile.RoleProvider, Records: 3, Coverage: reconcile.Coverage{Reason: "charges.jsonl ends in the middle of line 4", Hint: "fetch the export again"}},
			},
			Gaps: []reconcile.Gap{{Store: "receipts", Kind: reconcile.EventRestored, From: at("2026-11-29T02:10:00Z"), To: at("2026-11-29T02:44:12Z"), Declared: true, Missing: 412, Present: 3}},
			Counts: scan.Counts{
				Subjects: 9, Matched: 5, Explained: 1, Inconclusive: 1, Cases: 2,
				Findings:  map[reconcile.Kind]int64{reconcile.OrphanedEffect: 1, reconcile.UnknownOutcome: 1},
				NotJudged: map[string]int64{"suspected-duplicate-intent": 9},
			},
			Contracts: []scan.ContractFinding{
				{
					Kind: "retention-gap", Contract: "orders", Count: 1200, Text: "A receipt lives 24h, a client retries for 72h.",
					From: at("2026-11-27T02:00:00Z"), To: at("2026-11-29T01:30:00Z"),
					Money:   []reconcile.Amount{{Minor: 123400, Exponent: 2, Currency: "EUR", Valid: true}, {Minor: 9800, Currency: "JPY", Valid: true}},
					Example: []reconcile.Component{{Name: "tenant", Value: reconcile.Text("north")}, {Name: "operation", Value: reconcile.Text("web-order")}, {Name: "key", Value: reconcile.Text("e\x1b[2J9")}},
				},
				{Kind: "join-broken", Contract: "orders", Count: 1, Text: "No key of orders is one of charges.", To: at("2026-11-29T01:30:00Z")},
			},
		},
		cases: []*scan.Case{orphan(), unknown()},
	}
}

func orphan() *scan.Case {
	return &scan.Case{
		Contract: "orders",
		Identity: []reconcile.Component{{Name: "tenant", Value: reconcile.Text("north")}, {Name: "operation", Value: reconcile.Text("web-order")}, {Name: "key"}},
		Judgement: reconcile.Judgement{
			Class: reconcile.ClassCase, Kinds: []reconcile.Kind{reconcile.OrphanedEffect}, Severity: reconcile.SeverityCritical,
			Executed: reconcile.ExecutedYes, Legs: []reconcile.Leg{{Name: reconcile.LegLocal, State: reconcile.LegYes}},
			RetryNow: reconcile.RetryUnknown, Exposure: reconcile.Exposure{State: reconcile.ExposureOpen},
			Amount: reconcile.Amount{Minor: 8990, Exponent: 2, Currency: "EUR", Valid: true},
			CaseID: "k7f3a9c2d4e5b6a7c8d9e0f1",
			Reasons: []reconcile.Reason{
				{Rule: "orphaned-effect", Text: "Order 1 stands; no receipt names it, and receipts are covered whole.", Refs: []string{"orders:effects/1"}},
			},
			Options: []reconcile.Option{
				{Decision: reconcile.DecideReplay, Code: "already-executed", Reason: "It would be executed a second time."},
				{Decision: reconcile.DecideHold, Allowed: true, Code: "exposed", Reason: "A retry can still run it."},
				{Decision: reconcile.DecideResolve, As: reconcile.BackfillReceipt, Code: "key-unknown", Reason: "No key is known."},
			},
		},
		Evidence: []scan.Evidence{{
			Role: reconcile.RoleEffect, Source: "orders", Locator: "effects/1", Link: reconcile.LinkNone,
			Facts: []reconcile.Fact{{Name: "quantity", Value: reconcile.Text("2")}, {Name: "params", Value: reconcile.Text(`{"card":"4111111111111111","quantity":2}`)}},
			Raw:   []reconcile.Column{{Name: "id", Kind: "integer", Text: []byte("1")}, {Name: "qty", Kind: "integer", Text: []byte("2")}, {Name: "note", Kind: "text", Text: []byte("for Aunt Marge")}, {Name: "void_at", Kind: "null"}},
		}},
		Candidates: []reconcile.Candidate{{Case: "p2", Locator: "intents:intents.jsonl:4", Why: "same scope, compatible parameters, fitting time", Identity: []reconcile.Component{{Name: "tenant", Value: reconcile.Text("north")}, {Name: "operation", Value: reconcile.Text("web-order")}, {Name: "key", Value: reconcile.Text("po-4711")}}, Began: at("2026-11-29T05:12:00Z")}},
		MoreCands:  3,
	}
}

func unknown() *scan.Case {
	return &scan.Case{
		Contract: "orders",
		Identity: []reconcile.Component{{Name: "tenant", Value: reconcile.Text("south")}, {Name: "operation", Value: reconcile.Text("web-order")}, {Name: "key", Value: reconcile.Text("a\xffb")}},
		Judgement: reconcile.Judgement{
			Class: reconcile.ClassCase, Kinds: []reconcile.Kind{reconcile.UnknownOutcome, reconcile.SensitiveKey}, Severity: reconcile.SeverityHigh,
			Executed: reconcile.ExecutedUndetermined,
			Legs:     []reconcile.Leg{{Name: reconcile.LegLocal, State: reconcile.LegNo, Code: "atomic"}, {Name: reconcile.LegProvider, State: reconcile.LegUndetermined}},
			Pending:  []reconcile.Pending{{What: "receipt-lease", Ref: "receipts:receipts/9", Till: at("2026-11-29T06:04:00Z")}},
			RetryNow: reconcile.RetryTakenOver, Exposure: reconcile.Exposure{State: reconcile.ExposureUntil, Until: at("2026-12-01T09:00:00Z")},
			CaseID: "b1c2d3e4f5a6b7c8d9e0f1a2", Since: at("2026-11-29T05:00:00Z"),
		},
		Evidence: []scan.Evidence{{
			Role: reconcile.RoleReceipt, Source: "receipts", Locator: "receipts/9", Link: reconcile.LinkKey,
			Facts: []reconcile.Fact{{Name: "key", Value: reconcile.Text("a\xffb")}, {Name: "state", Value: reconcile.Text("in-progress")}},
		}},
	}
}
