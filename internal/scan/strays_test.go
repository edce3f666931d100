package scan_test

import (
	"context"
	"regexp"
	"strconv"
	"testing"
	"time"

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
