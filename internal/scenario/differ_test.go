package scenario

import (
	"strings"
	"testing"

	"example.com/idemctl/internal/reconcile"
)

// exactly is what a scan finds that agrees with the key of parsed.
func exactly() *Found {
	option := func(d reconcile.Decision, as reconcile.Resolution, allowed bool) reconcile.Option {
		return reconcile.Option{Decision: d, As: as, Allowed: allowed, Code: "some-code"}
	}
	return &Found{
		Counts: map[string]int{"matched": 0, "in_flight": 0, "explained": 0, "inconclusive": 0, "unclaimed": 0, "cases": 2},
		Cases: []FoundCase{
			{identity("a"), &reconcile.Judgement{Kinds: []reconcile.Kind{reconcile.NotExecuted}, Executed: reconcile.ExecutedNo, Options: []reconcile.Option{
				option(reconcile.DecideReplay, 0, true), option(reconcile.DecideResolve, reconcile.ConfirmExecuted, false),
			}}},
			{identity("b"), &reconcile.Judgement{Kinds: []reconcile.Kind{reconcile.UnknownOutcome}, Executed: reconcile.ExecutedUndetermined, Options: []reconcile.Option{
				option(reconcile.DecideReplay, 0, false), option(reconcile.DecideRecheck, 0, true), option(reconcile.DecideHold, 0, true),
			}}},
		},
	}
}

// TestDifferFindsEveryDifference changes what was found in one place after the other.
func TestDifferFindsEveryDifference(t *testing.T) {
	t.Parallel()
	if found := parsed(t).Differ(exactly()); len(found) > 0 {
		t.Fatalf("the key and what it says differ: %v", found)
	}
	for _, tt := range []struct {
		change func(*Found)
		want   string
	}{
		{func(f *Found) { f.Counts["matched"] = 1 }, "counts: matched: the key says 0, found 1"},
		{func(f *Found) { f.Contracts = []string{"retention-gap"} }, "contract_findings: the key says [], found [retention-gap]"},
		{func(f *Found) { f.Incomplete = []string{"charges"} }, "incomplete: the key says [], found [charges]"},
		{func(f *Found) { f.Cases = f.Cases[:1] }, "case b: was not found"},
		{func(f *Found) { f.Cases[1].Identity = identity("c") }, `the key has no case key="c" tenant="t"`},
		{func(f *Found) { f.Cases = append(f.Cases, f.Cases[1]) }, "case b: two cases were found of it"},
		{func(f *Found) {
			f.Cases[0].Judgement.Kinds = append(f.Cases[0].Judgement.Kinds, reconcile.SensitiveKey)
		}, "case a: the key says not-executed, found not-executed sensitive-key"},
		{func(f *Found) { f.Cases[0].Judgement.Executed = reconcile.ExecutedYes }, "case a: the key says executed no, found yes"},
		{func(f *Found) { f.Cases[0].Judgement.Options[0].Allowed = false }, "case a: replay is right, and the guard refuses it: some-code"},
		{func(f *Found) { f.Cases[0].Judgement.Options = f.Cases[0].Judgement.Options[1:] }, "case a: replay is right, and the guard refuses it: it has no answer"},
		{func(f *Found) { f.Cases[1].Judgement.Options[0].Allowed = true }, "case b: replay is harmful, and the guard allows it"},
		{func(f *Found) { f.Cases[1].Judgement.Options = f.Cases[1].Judgement.Options[1:] }, "case b: replay is harmful, and the guard has no answer"},
	} {
		f := exactly()
		tt.change(f)
		found := parsed(t).Differ(f)
		ok := false
		for _, p := range found {
			ok = ok || strings.Contains(p.String(), tt.want)
		}
		if !ok {
			t.Errorf("want %q in %v", tt.want, found)
		}
	}
}
