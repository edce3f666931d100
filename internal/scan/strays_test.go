package scan_test

import (
	"context"
	"regexp"
	"strconv"
	"testing"
	"time"

	"example.com/idemctl/internal/reconcile"
)

// TestMoreStraysThanAreLookedAt sets rows without a key beside receipts that lack theirs, far more than can be compared. Whatever is named, of nobody it is
// concluded that nothing stands.
func TestMoreStraysThanAreLookedAt(t *testing.T) {
	t.Parallel()
	for name, apart := range map[string]time.Duration{"all fit": time.Millisecond, "most are too far": time.Second} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg, ms := crowd(1500, func(r *reconcile.Record, i int) {
				r.CreatedAt = reconcile.At(noon.Add(-3*time.Hour + time.Duration(i)*apart))
				if r.EffectID = (reconcile.Value{}); r.Role == reconcile.RoleEffect {
					r.EffectID = reconcile.Text(strconv.Itoa(i))
					keyless(r)
				}
				only(r, reconcile.RoleReceipt, i == 0 || i == 700)
			})
			ms[0].facts.MapsRef, ms[1].facts.Components = false, ms[1].facts.Components[:2]
			want := oracle(cfg, ms)
			got, err := pipeline(context.Background(), cfg, ms, t.TempDir(), 1)
			if err != nil {
				t.Fatal(err)
			}
			unnamed := regexp.MustCompile(`cand\[[^]]*\]|resolve/(distinct|duplicate-of)=\S+`) // who is not named cannot be told apart from
			if g, w := unnamed.ReplaceAllString(got.String(), ""), unnamed.ReplaceAllString(want.String(), ""); g != w {
				t.Fatalf("the sieve says\n%.3000s\njudging all says\n%.3000s", g, w)
			}
			if want.counts.Inconclusive < 70 {
				t.Errorf("only %d are inconclusive for want of telling candidates apart: nothing was tried", want.counts.Inconclusive)
			}
		})
	}
}

// TestStrayWithALineThatTellsMore: a line that does not tell its region may be of either action of its key. A later line of its object, which does tell one,
// makes it nobody else's only where nobody else is.
func TestStrayWithALineThatTellsMore(t *testing.T) {
	t.Parallel()
	cfg := shop(true)
	c := cfg.Contracts[0]
	c.Effect, c.Scope = reconcile.LegsExternal, []string{"tenant", "operation", "region", "key"}
	charges, clients := &memory{facts: factsOf("charges", reconcile.RoleProvider)}, &memory{facts: factsOf("clients", reconcile.RoleIntent)}
	ms := []*memory{{facts: factsOf("receipts", reconcile.RoleReceipt)}, charges, clients}
	for _, m := range ms {
		m.facts.Components = c.Scope
	}
	add := func(m *memory, region string, at time.Duration, outcome reconcile.Outcome) *reconcile.Record {
		r := good(&m.facts, "K")
		if r.CreatedAt = reconcile.At(noon.Add(at)); region != "" {
			r.Components = append(r.Components, reconcile.Component{Name: "region", Value: reconcile.Text(region)})
		}
		r.Outcome, r.Locator = outcome, m.facts.Name+"/"+strconv.Itoa(len(m.recs))
		m.recs = append(m.recs, r)
		return r
	}
	add(charges, "", -9*time.Hour, reconcile.OutcomeSucceeded)
	add(charges, "eu", -8*time.Hour, reconcile.OutcomeSucceeded)
	sent := add(clients, "us", -9*time.Hour-time.Minute, 0)
	sent.Attempts = []reconcile.Attempt{{At: sent.CreatedAt, Outcome: reconcile.AttemptUncertain}}

	want := oracle(cfg, ms)
	got, err := pipeline(context.Background(), cfg, ms, t.TempDir(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != want.String() {
		t.Errorf("the sieve says\n%s\njudging all says\n%s", got, want)
	}
	if want.counts.Findings[reconcile.NotExecuted] > 0 {
		t.Errorf("a charge that may be the action's own stands, and it is said that nothing does:\n%s", want)
	}
}
