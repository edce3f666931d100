package reconcile

import (
	"fmt"
	"testing"
)

// TestJoiningStops joins rows without keys, each of which fits every identity, and says stop after some: no more is asked, and no more is compared.
func TestJoiningStops(t *testing.T) {
	t.Parallel()
	c := &Contract{Name: "c", Scope: []string{"tenant", "key"}, Settle: DefaultSettle, Effect: LegsLocal}
	var rs []*Record
	for i := range 40 {
		tenant, key := Component{Name: "tenant", Value: Text(fmt.Sprint(i))}, Component{Name: "key", Value: Text("k")}
		rs = append(rs, &Record{Role: RoleReceipt, Source: "receipts", Claimed: true, EffectID: Text("7"), Components: []Component{tenant, key}},
			&Record{Role: RoleEffect, Source: "orders", Claimed: true, EffectID: Text("7"), Components: []Component{tenant, {Name: "key"}}})
	}
	for _, after := range []int{1, 7, 40} {
		asked := 0
		w := &World{Stop: func() bool { asked++; return asked == after }}
		Assemble(rs, Book{c}, w)
		if asked != after {
			t.Errorf("asked %d times, and stopped at the %d.", asked, after)
		}
	}
}
