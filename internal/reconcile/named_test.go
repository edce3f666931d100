package reconcile_test

import (
	"testing"
	"time"

	"example.com/idemctl/internal/reconcile"
)

// TestOthersAreNamedAndProveNothing names on each subject which other action it is near to, by its identity and by when it began; the digest that decisions are
// held against is of the subject's own records, so that no word about others makes a decision stale.
func TestOthersAreNamedAndProveNothing(t *testing.T) {
	t.Parallel()
	night := time.Unix(1e9, 0)
	c := &reconcile.Contract{
		Name: "orders", Operations: []string{"create"}, Scope: []string{"tenant", "operation", "key"}, Effect: reconcile.LegsLocal,
		RetryWindow: reconcile.For(time.Hour), Params: &reconcile.ParamSpec{},
	}
	w := &reconcile.World{Now: reconcile.At(night.Add(time.Hour)), Sources: []reconcile.SourceFacts{{Name: "attempts", Role: reconcile.RoleIntent}, {Name: "orders", Role: reconcile.RoleEffect, Serves: true}}}
	record := func(role reconcile.Role, source, key string, after time.Duration) *reconcile.Record {
		at := reconcile.At(night.Add(after))
		r := &reconcile.Record{
			Role: role, Source: source, Locator: source + "/" + key, Claimed: true, CreatedAt: at, Params: reconcile.Text(`{"n":1}`),
			Components: []reconcile.Component{{Name: "tenant", Value: reconcile.Text("north")}, {Name: "operation", Value: reconcile.Text("create")}},
		}
		if key != "" {
			r.Components = append(r.Components, reconcile.Component{Name: "key", Value: reconcile.Text(key)})
		}
		if role == reconcile.RoleIntent {
			r.Attempts = []reconcile.Attempt{{At: at, Outcome: reconcile.AttemptUncertain}}
		}
		return r
	}
	records := []*reconcile.Record{record(reconcile.RoleIntent, "attempts", "k1", 0), record(reconcile.RoleIntent, "attempts", "k2", time.Minute), record(reconcile.RoleEffect, "orders", "", time.Second)}
	subjects := reconcile.Assemble(records, reconcile.Book{c}, w)
	alone := make(map[string]string)
	byID := make(map[string]*reconcile.Subject)
	for _, s := range subjects {
		alone[s.ID], byID[s.ID] = reconcile.Judge(s, w).Digest, s
	}
	reconcile.Relate(subjects, w)
	twins, candidates := 0, 0
	for _, s := range subjects {
		twins, candidates = twins+len(s.Twins), candidates+len(s.Candidates)
		for _, list := range [][]reconcile.Candidate{s.Twins, s.Candidates} {
			for _, o := range list {
				of := byID[o.Case]
				if reconcile.Named(o.Identity) != reconcile.Named(of.Identity) || o.Began != c.Began(of.Evidence[0].Record) {
					t.Errorf("%v is named %v, begun %v", of.Identity, o.Identity, o.Began)
				}
			}
		}
		if got := reconcile.Judge(s, w).Digest; got != alone[s.ID] {
			t.Errorf("%v: the digest is %s, and was %s before others were named", s.Identity, got, alone[s.ID])
		}
	}
	if twins != 2 || candidates != 2 {
		t.Fatalf("%d twins and %d candidates are named", twins, candidates)
	}
}
