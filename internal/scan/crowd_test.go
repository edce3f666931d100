package scan_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
)

// crowd is many actions that share a reference: of each its receipt and its row.
func crowd(n int, change func(r *reconcile.Record, i int)) (*config.Config, []*memory) {
	c := &reconcile.Contract{
		Name: "orders", Operations: []string{"create"}, Scope: []string{"tenant", "operation", "key"}, Settle: reconcile.DefaultSettle, Margin: time.Hour,
		Effect: reconcile.LegsLocal, Retention: reconcile.For(24 * time.Hour), RetryWindow: reconcile.For(12 * time.Hour), Lease: reconcile.For(5 * time.Minute),
	}
	cfg := &config.Config{Name: "crowd", Contracts: []*reconcile.Contract{c}, Now: reconcile.At(noon)}
	var ms []*memory
	for _, role := range []reconcile.Role{reconcile.RoleReceipt, reconcile.RoleEffect} {
		m := &memory{facts: reconcile.SourceFacts{
			Name: role.String(), Role: role, Serves: true, MapsRef: true, MapsTime: true, Components: c.Scope,
			Coverage: reconcile.Coverage{Complete: true, Proves: true, To: reconcile.At(noon)},
		}}
		for i := range n {
			r := &reconcile.Record{
				Role: role, Source: m.facts.Name, Claimed: true, CreatedAt: reconcile.At(noon.Add(-2 * time.Hour)), EffectID: reconcile.Text("7"),
				Components: []reconcile.Component{
					{Name: "tenant", Value: reconcile.Text("north")}, {Name: "operation", Value: reconcile.Text("create")}, {Name: "key", Value: reconcile.Text(strconv.Itoa(i))},
				},
			}
			if change(r, i); r.Source != "" {
				r.Locator = fmt.Sprintf("%s/%d", r.Source, i)
				m.recs = append(m.recs, r)
			}
		}
		ms = append(ms, m)
	}
	return cfg, ms
}

func only(r *reconcile.Record, role reconcile.Role, keep bool) {
	if r.Role == role && !keep {
		r.Source = ""
	}
}

func keyless(r *reconcile.Record) { r.Components[2].Value = reconcile.Value{} }

var crowds = map[string]func(r *reconcile.Record, i int){
	"receipts that all name one row": func(r *reconcile.Record, i int) {
		if only(r, reconcile.RoleEffect, i == 0); r.Role == reconcile.RoleEffect {
			keyless(r)
		}
	},
	"receipts that all name a row that is not there": func(r *reconcile.Record, _ int) { only(r, reconcile.RoleEffect, false) },
	"receipts that all name one row with a key of its own": func(r *reconcile.Record, i int) {
		only(r, reconcile.RoleEffect, i == 3)
	},
	"every tenant numbers its rows anew": func(r *reconcile.Record, i int) {
		r.Components[0].Value = reconcile.Text("t" + strconv.Itoa(i))
		if r.Role == reconcile.RoleEffect {
			keyless(r)
		}
	},
	"every tenant numbers its rows anew, and some lack theirs": func(r *reconcile.Record, i int) {
		r.Components[0].Value = reconcile.Text("t" + strconv.Itoa(i))
		if only(r, reconcile.RoleEffect, i%50 != 7); r.Role == reconcile.RoleEffect {
			keyless(r)
		}
		only(r, reconcile.RoleReceipt, i%50 != 9)
	},
	"one key of every tenant": func(r *reconcile.Record, i int) {
		r.Components[0].Value, r.Components[2].Value = reconcile.Text("t"+strconv.Itoa(i)), reconcile.Text("K")
		r.EffectID = reconcile.Text(strconv.Itoa(i))
		only(r, reconcile.RoleEffect, i%50 != 7)
	},
}

// TestCrowdsAreJudgedAsOne divides crowds, and cuts those that stay too large, and holds what is found against judging each at once.
func TestCrowdsAreJudgedAsOne(t *testing.T) {
	t.Parallel()
	for name, change := range crowds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg, ms := crowd(100, change)
			want := oracle(cfg, ms)
			if slices.ContainsFunc(ms, func(m *memory) bool { return len(m.recs) > 100 }) {
				t.Fatal("this is more than the oracle can judge at once")
			}
			for _, opt := range []scan.Options{{MemBudget: 1}, {MemBudget: 1 << 20}, scan.Options{MemBudget: 1}.CutAbove(64)} {
				opt.TempDir = t.TempDir()
				got, err := pipelineOf(t.Context(), cfg, ms, opt)
				if err != nil {
					t.Fatal(err)
				}
				if g, w := named.ReplaceAllString(got.String(), "some"), named.ReplaceAllString(want.String(), "some"); g != w {
					t.Fatalf("the sieve says\n%.3000s\njudging all says\n%.3000s", g, w)
				}
			}
		})
	}
}
