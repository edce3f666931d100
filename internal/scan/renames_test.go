package scan_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
)

// TestRenamedOperation lets an operation take another's place: the keys that come back under the new name are told once, and not where both names are in use,
// where the request is another, or where the window is over.
func TestRenamedOperation(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		old, young time.Duration // how long ago the last of the old name and the first of the new one were
		request    string
		want       int64
	}{
		"renamed":              {4 * time.Hour, 3 * time.Hour, `{"q":1}`, 3},
		"both are in use":      {time.Hour, 5 * time.Hour, `{"q":1}`, 0},
		"another request":      {4 * time.Hour, 3 * time.Hour, `{"q":2}`, 0},
		"the window was over":  {20 * time.Hour, 3 * time.Hour, `{"q":1}`, 0},
		"within the roll-out":  {3 * time.Hour, 3*time.Hour + 10*time.Minute, `{"q":1}`, 3},
		"nothing but the name": {4 * time.Hour, 3 * time.Hour, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := shop(false)
			cfg.Contracts[0].Operations, cfg.Contracts[0].Params = []string{"create", "create-v2"}, &reconcile.ParamSpec{}
			ms := []*memory{{facts: factsOf("receipts", reconcile.RoleReceipt)}, {facts: factsOf("orders", reconcile.RoleEffect)}}
			add := func(key, operation, request string, ago time.Duration) {
				for _, m := range ms {
					r := good(&m.facts, key)
					r.Components[1].Value, r.CreatedAt = reconcile.Text(operation), reconcile.At(noon.Add(-ago))
					r.EffectID, r.ProviderRef = reconcile.Text(operation+key), reconcile.Value{}
					if r.Params = reconcile.Text(request); request == "" {
						r.Params = reconcile.Value{}
					}
					if r.Role == reconcile.RoleEffect {
						r.Amount = reconcile.Amount{Minor: 500, Exponent: 2, Currency: "EUR", Valid: true}
					}
					m.recs = append(m.recs, r)
				}
			}
			first := `{"q":1}`
			if c.request == "" {
				first = ""
			}
			for i := range 10 {
				add(strconv.Itoa(i), "create", first, c.old)
			}
			for i := range 10 {
				add(strconv.Itoa(i+7), "create-v2", c.request, c.young)
			}
			add("first", "create", first, 21*time.Hour)
			add("last", "create-v2", c.request, 30*time.Minute)
			for _, budget := range []int64{1, 1 << 20} {
				got := tell(t, cfg, scan.Options{MemBudget: budget}, readersOf(ms)...)
				i := slices.IndexFunc(got.manifest.Contracts, func(f scan.ContractFinding) bool { return f.Kind == reconcile.ScopeChanged })
				if c.want == 0 {
					if i >= 0 {
						t.Errorf("budget %d: %+v", budget, got.manifest.Contracts[i])
					}
					continue
				}
				if i < 0 {
					t.Fatalf("budget %d: not told: %+v", budget, got.manifest.Contracts)
				}
				f := got.manifest.Contracts[i]
				if f.Count != c.want || f.Money[0].Minor != 500*c.want || f.Example[2].Value.String() != "7" || !strings.Contains(f.Text, "3 keys that were used under create came back under create-v2") {
					t.Errorf("budget %d: %+v", budget, f)
				}
				if got.manifest.Counts.Cases > 0 {
					t.Errorf("budget %d: %d cases", budget, got.manifest.Counts.Cases)
				}
			}
		})
	}
}
