package histories_test

import (
	"testing"

	"example.com/idemctl/internal/histories"
	"example.com/idemctl/internal/reconcile"
)

// TestHealthyPastsMakeNoCase judges services in which nothing fails: of whatever shape, none of their actions is a case, none is called executed when it was
// not, and nothing is wrong by the simulation's own account.
func TestHealthyPastsMakeNoCase(t *testing.T) {
	t.Parallel()
	everyOf(t, *amount/4, histories.GenerateHealthy, func(h *histories.History, wrong func(string, ...any)) {
		for _, v := range judge(h, h.Records, &h.World) {
			if v.j.Class == reconcile.ClassCase {
				wrong("a healthy action is a case: %v", v)
			}
		}
		for _, f := range h.Faults {
			if f.Hidden == "" {
				wrong("%v: %s", f.ID, f.Name)
			}
		}
	})
}
