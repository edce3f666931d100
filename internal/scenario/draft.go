package scenario

import (
	"fmt"
	"slices"

	"github.com/goccy/go-yaml"

	"example.com/idemctl/internal/reconcile"
)

// preferred are the decisions that settle a case, the best first, as far as the guard allows them. What only states a fact, or hands it over, comes last.
var preferred = []Choice{
	{Decision: "resolve", As: "backfill-receipt"},
	{Decision: "resolve", As: "complete"},
	{Decision: "replay"},
	{Decision: "resolve", As: "release"},
	{Decision: "recheck"},
	{Decision: "hold"},
	{Decision: "escalate"},
}

// tempting are the decisions that a tired person may take and must not where the guard refuses them, with the harm that they would do.
var tempting = []Choice{
	{Decision: "replay", Would: "send again what stands, or may stand, with nothing to recognise it"},
	{Decision: "resolve", As: "release", Would: "let the next retry run beside what is not ended"},
	{Decision: "resolve", As: "backfill-receipt", Would: "promise an answer that the records do not bear out"},
	{Decision: "resolve", As: "confirm-not-executed", Would: "say that nothing was done while the records say otherwise"},
	{Decision: "resolve", As: "confirm-executed", Would: "say that it was done while the records say otherwise"},
	{Decision: "resolve", As: "accept", Would: "close what a retry may still do again"},
}

// shows is the principle that a kind of case follows from.
var shows = map[reconcile.Kind]string{
	reconcile.DuplicateEffect: "one-intent-one-key", reconcile.ReexecutedAfterExpiry: "expired-key-executes-again", reconcile.ReferenceReused: "restore-forgets",
	reconcile.ProviderKeyCollision: "scope-is-identity", reconcile.ScopeMoved: "region-is-scope", reconcile.ResendPending: "outbox-repeats",
	reconcile.ProviderOnlyEffect: "transaction-ends-at-database", reconcile.PartlyExecuted: "transaction-ends-at-database", reconcile.ScopeBreach: "scope-is-identity",
	reconcile.FailureContradicted: "stored-errors-replay", reconcile.FingerprintConflict: "changed-parameters-conflict", reconcile.LostAfterRestore: "restore-forgets",
	reconcile.EffectMissingAfterRestore: "restore-forgets", reconcile.ReceiptWithoutEffect: "effect-with-receipt", reconcile.ProviderMissing: "timeout-is-unknown",
	reconcile.ProviderMismatch: "timeout-is-unknown", reconcile.UnknownOutcome: "timeout-is-unknown", reconcile.ReceiptMissingAfterRestore: "restore-forgets",
	reconcile.OrphanedEffect: "expiry-undoes-nothing", reconcile.SuspectedDuplicateEffect: "same-parameters-may-be-two",
	reconcile.SuspectedDuplicateIntent: "new-key-is-new-action", reconcile.StaleGeneration: "generation-fences", reconcile.NotExecuted: "timeout-is-unknown",
	reconcile.SensitiveKey: "no-secrets-in-keys",
}

// Draft makes a whole, solvable scenario.yaml out of what a scan of its data found: the answer key as the guard answers, and words that its author replaces.
func Draft(f *Found) ([]byte, error) {
	s := &Scenario{
		Title: "An incident of our own",
		Story: fmt.Sprintf("%d actions of a real night, with names, keys, amounts and times replaced. Say here what happened, as somebody would tell it.", len(f.Cases)),
		Level: Everyday, Goal: DefaultGoal, Teaches: []string{"Say here what somebody knows afterwards."}, Counts: f.Counts, ContractFindings: sorted(f.Contracts),
		Steps: []Step{{Do: "Look through the list. See how many actions somebody must decide.", Until: Until{Sight: Scanned}}},
	}
	if s.ContractFindings == nil {
		s.ContractFindings = []string{}
	}
	for i := range f.Cases {
		a := draftAnswer(&f.Cases[i])
		s.Cases = append(s.Cases, a)
		if !slices.Contains(s.Principles, a.By) {
			s.Principles = append(s.Principles, a.By)
		}
	}
	if len(s.Cases) > 0 {
		first := &s.Cases[0]
		of := make(map[string]string)
		for name, v := range first.Identity {
			if v != nil {
				of[name] = *v
			}
		}
		s.Steps = append(s.Steps, Step{Do: "Open " + first.Name() + " and find out whether it was executed.", Until: Until{Sight: Shown, Of: of}},
			Step{Do: "Decide " + first.Name() + ".", Until: Until{Sight: Decided, Of: of}})
	}
	if found := Lint(s); len(found) > 0 {
		return nil, fmt.Errorf("the scenario would not be whole: %s", found[0])
	}
	return yaml.Marshal(s)
}

func draftAnswer(c *FoundCase) Answer {
	a := Answer{Identity: make(map[string]*string), Executed: c.Judgement.Executed.String(), By: shows[c.Judgement.Headline()]}
	for _, comp := range c.Identity {
		a.Identity[comp.Name] = nil
		if v := comp.Value.String(); comp.Value.Known() {
			a.Identity[comp.Name] = &v
		}
	}
	for _, k := range c.Judgement.Kinds {
		a.Kinds = append(a.Kinds, k.String())
	}
	for _, p := range preferred {
		if o := optionOf(c.Judgement, p); o != nil && o.Allowed {
			a.Right = append(a.Right, p)
			if a.Because == "" {
				a.Because = o.Reason
			}
		}
	}
	for _, p := range tempting {
		if o := optionOf(c.Judgement, p); o != nil && !o.Allowed {
			a.Harmful = append(a.Harmful, p)
		}
	}
	return a
}

// MarshalYAML writes the shorter of the two forms that UnmarshalYAML reads.
func (u Until) MarshalYAML() (any, error) {
	if len(u.Of) == 0 {
		return u.Sight.String(), nil
	}
	return map[string]map[string]string{u.Sight.String(): u.Of}, nil
}
