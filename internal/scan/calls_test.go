package scan_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/idemctl/internal/reconcile"
)

// TestOneCallOfACrowd: one call without a key made what many actions asked for, more than are judged at once. Where all are, each has its member; where they are
// divided, the call stands in one part, and what the others lack proves nothing.
func TestOneCallOfACrowd(t *testing.T) {
	t.Parallel()
	const actions = 300
	cfg := shop(true)
	ms := []*memory{{facts: factsOf("receipts", reconcile.RoleReceipt)}, {facts: factsOf("orders", reconcile.RoleEffect)}, {facts: factsOf("charges", reconcile.RoleProvider)}}
	ms[2].facts.Components = []string{"tenant", "operation"}
	var members []string
	for i := range actions {
		key := fmt.Sprintf("K%03d", i)
		for _, m := range ms[:2] {
			r := good(&m.facts, key)
			r.Locator = fmt.Sprintf("%s/%d", m.facts.Name, i)
			m.recs = append(m.recs, r)
		}
		members = append(members, "o-"+key)
	}
	call := good(&ms[2].facts, "")
	keyless(call)
	call.ObjectID, call.Locator = reconcile.Set([]byte(strings.Join(members, ","))), "charges/0"
	ms[2].recs = append(ms[2].recs, call)
	for _, budget := range []int64{1, 1 << 20} {
		got, err := pipeline(context.Background(), cfg, ms, t.TempDir(), budget)
		if err != nil {
			t.Fatal(err)
		}
		if c := got.counts; c.Cases > 0 || c.Subjects != actions || budget > 1 && c.Matched != actions {
			t.Errorf("budget %d: %v", budget, got)
		}
		for _, j := range got.judged {
			if slices.ContainsFunc(j.Legs, func(l reconcile.Leg) bool { return l.State == reconcile.LegNo }) {
				t.Errorf("budget %d: %v", budget, j.Legs)
			}
		}
	}
}
