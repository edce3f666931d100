package scan_test

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

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

// joinedStores are stores with a row that may be somebody's missing counterpart and that is joined with others in a way that it alone does not tell.
var joinedStores = map[string]func(s *store){
	"a line without a key shares a call with an action": func(s *store) {
		s.c.ProviderKey, s.c.Provider = reconcile.ProviderKey{Rule: reconcile.ProviderKeyColumn, Column: "provider_key"}, &reconcile.Profile{Name: "drawn", Dedup: true, Retention: reconcile.RetentionMinimum, For: 24 * time.Hour}
		sent := func(r *reconcile.Record) { r.ProviderKey = reconcile.Text("p3") }
		s.put(s.receipts, "A", 9*time.Hour, func(r *reconcile.Record) { r.ProviderRef = reconcile.Text("o1") })
		call := s.put(s.charges, "A", 8*time.Hour, func(r *reconcile.Record) {
			r.ObjectID, r.Outcome = reconcile.Set([]byte("o1,o2")), reconcile.OutcomeFailed
		})
		nowhere(call)
		nowhere(s.put(s.charges, "p3", 30*time.Hour, func(r *reconcile.Record) { r.ObjectID = reconcile.Text("o1") }))
		sent(s.put(s.clients, "A", 9*time.Hour, func(r *reconcile.Record) { r.Components[0].Value = reconcile.Text("south") }))
		s.put(s.clients, "B", 8*time.Hour, nil)
	},
	"a line of either of two actions has later lines and a row": func(s *store) {
		s.c.Effect = reconcile.LegsBoth
		s.c.ProviderKey, s.c.Provider = reconcile.ProviderKey{Rule: reconcile.ProviderKeyTemplate, Template: "{tenant}-{key}"}, &reconcile.Profile{Name: "drawn", Dedup: true, Retention: reconcile.RetentionMinimum, For: 24 * time.Hour}
		s.charges.facts.SentKeys = true
		line := func(key string, before time.Duration, object, sent string) {
			nowhere(s.put(s.charges, key, before, func(r *reconcile.Record) {
				if r.ObjectID = reconcile.Text(object); sent != "" {
					r.ProviderKey = reconcile.Text(sent)
				}
			}))
		}
		for _, tenant := range []string{"north", "south"} {
			for _, key := range []string{"A", "B"} {
				s.put(s.receipts, key, 8*time.Hour, func(r *reconcile.Record) { r.Components[0].Value = reconcile.Text(tenant) })
			}
		}
		line("B", 9*time.Hour, "o2", "")
		line("A", 8*time.Hour, "o2", "p2")
		line("A", 8*time.Hour, "o2", "p1")
		s.put(s.orders, "", 8*time.Hour, func(r *reconcile.Record) { r.EffectID, r.ProviderKey = reconcile.Text("5"), reconcile.Text("p1") })
	},
	"two without a key share a call": func(s *store) {
		s.put(s.receipts, "A", 8*time.Hour, nil)
		s.put(s.charges, "", 30*time.Hour, func(r *reconcile.Record) {
			r.ObjectID, r.Outcome = reconcile.Set([]byte("o2,o3")), reconcile.OutcomePending
		})
		s.charges.facts.MapsAlias = true
		s.put(s.charges, "", 7*time.Hour, func(r *reconcile.Record) { r.AliasID = reconcile.Text("o3") })
		s.put(s.clients, "C", 7*time.Hour, nil)
		s.put(s.receipts, "", 12*time.Hour, func(r *reconcile.Record) { r.ProviderRef, r.State = reconcile.Text("o2"), reconcile.StateInProgress })
	},
}

func nowhere(r *reconcile.Record) { r.Components[0].Value = reconcile.Value{} }

// TestStraysAreWhatTheyWereJoinedTo holds what is said of such rows, and of whom they may belong to, against judging all; no two of them bear one name.
func TestStraysAreWhatTheyWereJoinedTo(t *testing.T) {
	t.Parallel()
	for name, fill := range joinedStores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore(reconcile.LegsExternal)
			fill(s)
			subjects, _ := subjectsOf(s.cfg, s.all(), nil)
			if !slices.ContainsFunc(subjects, func(o *reconcile.Subject) bool { return o.Stray() && len(o.Evidence) > 1 }) {
				t.Error("no row that may be somebody's is joined with another")
			}
			if !slices.ContainsFunc(subjects, func(o *reconcile.Subject) bool { return len(o.Candidates) > 0 }) {
				t.Error("nobody may miss it")
			}
			noTwoAlike(t, subjects)
			sameInAnyOrder(t, s)
		})
	}
}

func noTwoAlike(t *testing.T, subjects []*reconcile.Subject) {
	t.Helper()
	names := make(map[string]bool)
	for _, s := range subjects {
		if s.Contract != nil && names[s.ID] {
			t.Errorf("two subjects are called %s", s.ID)
		}
		names[s.ID] = true
	}
}

// TestNoTwoSubjectsShareAName: what is decided of one would be decided of the other.
func TestNoTwoSubjectsShareAName(t *testing.T) {
	t.Parallel()
	for seed := range 3000 {
		cfg, ms := rapid.Custom(func(t *rapid.T) drawn { cfg, ms := draw(t); return drawn{cfg, ms} }).Example(seed).parts()
		subjects, _ := subjectsOf(cfg, ms, nil)
		noTwoAlike(t, subjects)
	}
}
