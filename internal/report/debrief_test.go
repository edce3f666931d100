package report_test

import (
	"strings"
	"testing"
	"time"

	"example.com/idemctl/fixtures"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/report"
	"example.com/idemctl/internal/scenario"
)

// played is a play of a fixture in which each case, by its key, was opened where it is told so and decided as is told.
func played(t *testing.T, name string, opened []string, decided map[string][2]string) (*scenario.Scenario, string) {
	t.Helper()
	all, err := scenario.List(fixtures.FS)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 29, 6, 0, 0, 0, time.UTC)
	for _, s := range all {
		if s.Name != name {
			continue
		}
		p := scenario.Begin(s.Scenario, now)
		identity := func(a *scenario.Answer) []reconcile.Component {
			var out []reconcile.Component
			for part, v := range a.Identity {
				c := reconcile.Component{Name: part}
				if v != nil {
					c.Value = reconcile.Text(*v)
				}
				out = append(out, c)
			}
			return out
		}
		for i := range s.Cases {
			a := &s.Cases[i]
			for _, key := range opened {
				if key == a.Name() {
					p.See(scenario.Event{At: now, Sight: scenario.Shown, Identity: identity(a)})
				}
			}
			if words, ok := decided[a.Name()]; ok {
				d, err := reconcile.ParseDecision(words[0])
				if err != nil {
					t.Fatal(err)
				}
				as, err := reconcile.ParseResolution(words[1])
				if err != nil {
					t.Fatal(err)
				}
				p.See(scenario.Event{At: now, Sight: scenario.Decided, Identity: identity(a), Decision: d, As: as, ID: a.Name()})
			}
		}
		var b strings.Builder
		d := p.Debrief(now.Add(90 * time.Second))
		if err := report.Debrief(&b, s.Scenario, &d, report.Options{}); err != nil {
			t.Fatal(err)
		}
		return s.Scenario, b.String()
	}
	t.Fatalf("no scenario %s", name)
	return nil, ""
}

// TestDebriefIsShort begins with what was worst, tells alike cases once and each rule once, says of a right decision whether there is a better one, and what
// took points away.
func TestDebriefIsShort(t *testing.T) {
	t.Parallel()
	_, said := played(t, "payments-restore", []string{"cart-e1c5-1"}, map[string][2]string{
		"cart-e1c5-1": {"resolve", "backfill-receipt"}, "cart-46d8-1": {"resolve", "backfill-receipt"}, "cart-f207-1": {"resolve", "backfill-receipt"},
		"cart-9c1d-1": {"hold", ""}, "cart-52a8-1": {"resolve", "accept"},
	})
	for _, want := range []string{
		"UNDECIDED  cart-3b90-1, cart-20b7-1,", "NOT BEST  cart-52a8-1  decided: resolve as accept", "RIGHT  cart-46d8-1, cart-f207-1  decided: resolve as backfill-receipt",
		"RIGHT  cart-9c1d-1  decided: hold", "Better still: resolve as backfill-receipt.", "half each for 3 decided unseen, half each for 1 safe, not settled, nothing for 8 handed over or undecided",
		"Rule receipt-missing-after-restore, as above.",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("the debrief does not say %q:\n%s", want, said)
		}
	}
	if at := []int{strings.Index(said, "UNDECIDED"), strings.Index(said, "NOT BEST"), strings.Index(said, "RIGHT")}; at[0] > at[1] || at[1] > at[2] {
		t.Errorf("the gravest does not come first: %v", at)
	}
	if n := strings.Count(said, "What a recovery must keep"); n != 1 {
		t.Errorf("a principle is spelled out %d times", n)
	}
	if n := strings.Count(said, "\n"); n > 60 {
		t.Errorf("%d lines for thirteen cases", n)
	}
}

// TestDebriefOfAStatement counts as harm what states as a fact what nothing shows, and tells a play without cases what it can be told.
func TestDebriefOfAStatement(t *testing.T) {
	t.Parallel()
	_, said := played(t, "provider-timeout", nil, map[string][2]string{"bk-0907": {"resolve", "confirm-not-executed"}})
	for _, want := range []string{"HARM: 1 decision would have done harm.", "Score 0 of 100: harm makes it 0", "HARMFUL  bk-0907", "It would put down as a fact what nothing here shows"} {
		if !strings.Contains(said, want) {
			t.Errorf("the debrief does not say %q:\n%s", want, said)
		}
	}
	_, said = played(t, "lost-response", nil, nil)
	if !strings.Contains(said, "Nothing had to be decided.") || !strings.Contains(said, "The 36 spokes of stellmacher were ordered") || strings.Contains(said, "0 cases") {
		t.Errorf("a play without cases is told so:\n%s", said)
	}
}
