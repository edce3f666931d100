package scan_test

import (
	"fmt"
	"strings"
	"testing"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
)

// TestSensitiveKeysAreOneFinding plants keys of each shape among healthy actions: one finding for each shape, no case, and no key is shown.
func TestSensitiveKeysAreOneFinding(t *testing.T) {
	t.Parallel()
	planted := map[string]int{"sk_live_51H8abcdefghijk%04d": 3, "jane%d@example.com": 5, "4111111111111111": 1}
	for _, budget := range []int64{1, 1 << 20} {
		cfg := shop(false)
		cfg.Contracts[0].Fingerprint = &reconcile.FingerprintSpec{Algorithm: "sha256"}
		ms := []*memory{{facts: factsOf("receipts", reconcile.RoleReceipt)}, {facts: factsOf("orders", reconcile.RoleEffect)}}
		add := func(key string) {
			for i, m := range ms {
				r := good(&m.facts, key)
				r.Fingerprint, r.Generation = reconcile.Text("print of "+key), reconcile.Num(1)
				if i > 0 { // it carries the key and nothing that could disagree
					r.Components[0].Value = reconcile.Value{}
				}
				m.recs = append(m.recs, r)
			}
		}
		for i := range 200 {
			add(fmt.Sprintf("order-%d", i))
		}
		for key, n := range planted {
			for i := range n {
				if strings.Contains(key, "%") {
					add(fmt.Sprintf(key, i))
				} else {
					add(key)
				}
			}
		}
		got := tell(t, cfg, scan.Options{MemBudget: budget}, readersOf(ms)...)
		if got.manifest.Counts.Cases > 0 || got.manifest.Counts.Matched != 209 {
			t.Errorf("budget %d: %+v", budget, got.manifest.Counts)
		}
		var counts []string
		for _, f := range got.manifest.Contracts {
			key := f.Example[2].Value.String()
			counts = append(counts, fmt.Sprintf("%s %d %s", f.Kind, f.Count, key))
			if strings.Contains(f.Text+key, "4111") || strings.Contains(f.Text+key, "jane") || strings.Contains(f.Text+key, "sk_") || !f.From.Known() {
				t.Errorf("budget %d: a key is shown, or no time: %+v", budget, f)
			}
		}
		want := "[sensitive-key 3 (a credential, 27 bytes) sensitive-key 5 (an e-mail address, 17 bytes) sensitive-key 1 (a card number, 16 bytes)]"
		if fmt.Sprint(counts) != want {
			t.Errorf("budget %d: found %v, want %s", budget, counts, want)
		}
	}
}
