package report_test

import (
	"strings"
	"testing"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/report"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/text/hostile"
)

// decidedNight is what was decided on the two cases of night: the first was sent again, withdrawn and then held; what the second rests on has changed.
func decidedNight(s string) func(c *scan.Case) []report.Decision {
	at := at("2026-11-29T05:00:00Z")
	return func(c *scan.Case) []report.Decision {
		if c.CaseID[0] == 'k' {
			return []report.Decision{
				{ID: "0193-a", Seq: 3, Decision: reconcile.DecideReplay, Operator: s, Recorded: at, Reason: s, HandedOut: at, State: reconcile.DecisionWithdrawn, StateAt: at},
				{ID: "0193-b", Seq: 9, Decision: reconcile.DecideHold, Operator: s, Recorded: at, Reason: s, State: reconcile.DecisionDecided, StateAt: at, Live: true},
			}
		}
		return []report.Decision{{
			ID: "0193-c", Seq: 12, Decision: reconcile.DecideResolve, As: reconcile.ConfirmExecuted, Operator: s, Recorded: at, Reason: s, Ref: s, To: s, At: at, ValidUntil: at,
			State: reconcile.DecisionDecided, StateAt: at, OutcomeRef: s, Live: true, Changed: true,
		}}
	}
}

func TestDecisionsAreShown(t *testing.T) {
	t.Parallel()
	opt := report.Options{Decisions: decidedNight("ina, of the night shift"), Config: "prod.yaml"}
	opt.Loose = []report.Decision{{ID: "0193-d", HandedOut: at("2026-11-29T04:00:00Z")}}
	for _, o := range outputs() {
		compare(t, "decided-"+o.name, render(t, o, night(), opt))
	}
	second := night()
	second.cases = second.cases[1:]
	compare(t, "decided-show-changed", render(t, outputs()[4], second, opt))
}

func TestHostileDecisionsAreShownAndNeverObeyed(t *testing.T) {
	t.Parallel()
	for _, bad := range hostile.Corpus() {
		for _, o := range outputs() {
			out := render(t, o, night(), report.Options{Decisions: decidedNight(string(bad.Bytes)), Loose: []report.Decision{{ID: string(bad.Bytes)}}})
			if err := hostile.Check(out); err != nil {
				t.Errorf("%s in %s: %v", bad.Name, o.name, err)
			}
		}
	}
}

// TestDecisionCell says in one cell what became of the last decision.
func TestDecisionCell(t *testing.T) {
	t.Parallel()
	now := at("2026-11-29T05:00:00Z")
	for want, d := range map[string]report.Decision{
		"hold":                   {Decision: reconcile.DecideHold, State: reconcile.DecisionDecided, Live: true},
		"replay (handed out)":    {State: reconcile.DecisionDecided, Live: true, HandedOut: now},
		"replay (expired)":       {State: reconcile.DecisionDecided},
		"replay (withdrawn)":     {State: reconcile.DecisionWithdrawn},
		"replay (done)":          {State: reconcile.DecisionDone},
		"replay (changed since)": {State: reconcile.DecisionDecided, Live: true, Changed: true},
		"replay (outcome unknown)": {
			State: reconcile.DecisionUnknown, Live: true, Outcome: reconcile.ReportedUnknown,
		},
		"resolve distinct": {Decision: reconcile.DecideResolve, As: reconcile.Distinct, State: reconcile.DecisionDecided, Live: true},
		"-":                {},
	} {
		opt := report.Options{Decisions: func(*scan.Case) []report.Decision {
			if want == "-" {
				return nil
			}
			return []report.Decision{d}
		}}
		var got schemaCase
		strictly(t, render(t, outputs()[5], night(), opt), &got)
		if (got.Decision == nil) != (want == "-") {
			t.Errorf("%s: JSON says %+v", want, got.Decision)
		}
		if table := string(render(t, outputs()[0], night(), opt)); !strings.Contains(table, "  "+want+"\n") {
			t.Errorf("no cell %q in\n%s", want, table)
		}
	}
}
