package scan_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"time"

	"example.com/idemctl/internal/reconcile"
)

// ties are contracts and rows by which actions that no reference joins are found out together.
var ties = map[string]struct {
	contract func(*reconcile.Contract)
	change   func(r *reconcile.Record, i int)
	kind     reconcile.Kind
	cases    int64
}{
	"one invoice in every row": {
		func(c *reconcile.Contract) { c.Unique = []reconcile.UniqueRule{{Columns: []string{"invoice"}}} },
		func(r *reconcile.Record, _ int) {
			r.Extra = []reconcile.Component{{Name: "invoice", Value: reconcile.Text("1")}}
		},
		reconcile.DuplicateEffect, 200,
	},
	"a pair for every fiftieth invoice": {
		func(c *reconcile.Contract) {
			c.Unique = []reconcile.UniqueRule{{Columns: []string{"tenant", "invoice"}}}
		},
		func(r *reconcile.Record, i int) {
			if i%50 == 1 {
				i--
			}
			r.Extra = []reconcile.Component{{Name: "invoice", Value: reconcile.Text(strconv.Itoa(i))}}
		},
		reconcile.DuplicateEffect, 8,
	},
	"one key of every tenant at a provider that knows none": {
		func(c *reconcile.Contract) {
			c.Effect, c.Provider = reconcile.LegsBoth, &reconcile.Profile{Dedup: true, Retention: reconcile.RetentionMinimum, For: 24 * time.Hour}
		},
		func(r *reconcile.Record, i int) {
			r.Components[0].Value, r.Components[2].Value = reconcile.Text("t"+strconv.Itoa(i)), reconcile.Text("K")
		},
		reconcile.ProviderKeyCollision, 200,
	},
	"one key and request in many regions": {
		func(c *reconcile.Contract) {
			c.Scope, c.Params = []string{"tenant", "operation", "region", "key"}, &reconcile.ParamSpec{}
		},
		func(r *reconcile.Record, i int) {
			r.Components[2].Value = reconcile.Text("K" + strconv.Itoa(i/2))
			r.Components = append(r.Components, reconcile.Component{Name: "region", Value: reconcile.Text("r" + strconv.Itoa(i))})
			r.Params = reconcile.Text(`{"q":1}`)
		},
		reconcile.ScopeMoved, 200,
	},
}

// TestTiesAreFound holds what the sieve finds of actions beside each other against judging all at once, for few and for more than are judged together.
func TestTiesAreFound(t *testing.T) {
	t.Parallel()
	for name, of := range ties {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg, ms := crowd(200, func(r *reconcile.Record, i int) {
				r.EffectID = reconcile.Text(strconv.Itoa(i))
				of.change(r, i)
			})
			of.contract(cfg.Contracts[0])
			want := oracle(cfg, ms)
			if got := want.counts.Findings[of.kind]; got != of.cases {
				t.Fatalf("judging all finds %d of %s, want %d", got, of.kind, of.cases)
			}
			for _, budget := range []int64{1, 1 << 20} {
				got, err := pipeline(context.Background(), cfg, ms, t.TempDir(), budget)
				if err != nil {
					t.Fatal(err)
				}
				g, w := unworded(named.ReplaceAllString(got.String(), "")), unworded(named.ReplaceAllString(want.String(), ""))
				if g != w {
					t.Fatalf("budget %d: the sieve says\n%.3000s\njudging all says\n%.3000s", budget, fmt.Sprint(g), w)
				}
			}
		})
	}
}
