package reconcile_test

import (
	"testing"
	"time"

	"example.com/idemctl/internal/reconcile"
)

// TestOneRowIsNotTwo: a row that two actions name is no second row under a rule of which both fit, and does not hide one that is.
func TestOneRowIsNotTwo(t *testing.T) {
	t.Parallel()
	c := &reconcile.Contract{
		Name: "orders", Operations: []string{"create"}, Scope: []string{"tenant", "operation", "key"}, Effect: reconcile.LegsLocal,
		Unique: []reconcile.UniqueRule{{Columns: []string{"invoice"}}, {Columns: []string{"tenant", "invoice"}}},
	}
	w := &reconcile.World{Sources: []reconcile.SourceFacts{{Name: "orders", Role: reconcile.RoleEffect, Serves: true}}}
	row := func(locator, tenant string) *reconcile.Record {
		return &reconcile.Record{
			Role: reconcile.RoleEffect, Source: "orders", Locator: locator, Status: reconcile.StatusEffective, CreatedAt: reconcile.At(time.Unix(1e9, 0)),
			Components: []reconcile.Component{{Name: "tenant", Value: reconcile.Text(tenant)}, {Name: "operation", Value: reconcile.Text("create")}},
			Extra:      []reconcile.Component{{Name: "invoice", Value: reconcile.Text("7")}},
		}
	}
	shared, other := row("1", "south"), row("2", "north")
	for range 20 { // the order in which rules are looked at is no accident
		of := func(id string, rows ...*reconcile.Record) *reconcile.Subject {
			s := &reconcile.Subject{ID: id, Contract: c}
			for _, r := range rows {
				s.Evidence = append(s.Evidence, reconcile.Evidence{Record: r, Link: reconcile.LinkEffectID})
			}
			return s
		}
		a, b, only := of("a", shared), of("b", shared, other), of("c", shared)
		reconcile.RelateTies([]*reconcile.Subject{a, b, only}, w)
		for _, s := range []*reconcile.Subject{a, only} {
			if len(s.Ties) != 1 || s.Ties[0].Case != "b" || s.Ties[0].Row != other {
				t.Fatalf("%s is told of %+v, not of the other's own row alone", s.ID, s.Ties)
			}
		}
	}
}
