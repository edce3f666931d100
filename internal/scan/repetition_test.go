package scan_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/reconcile"
)

// TestRepetitionChangesNothing reads pasts of simulated services once more in another order, of sources and of rows, and with rows that come several times:
// counts and cases are the same.
func TestRepetitionChangesNothing(t *testing.T) {
	t.Parallel()
	eachPast(t, 200, func(t *testing.T, dir string, seed uint64, cfg *config.Config, ms []*memory) {
		want, err := pipeline(context.Background(), cfg, ms, dir, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		again := anew(cfg, ms, rand.New(rand.NewPCG(seed, 17)))
		for _, budget := range []int64{1, 1 << 20} {
			got, err := pipeline(context.Background(), cfg, again, dir, budget)
			if err != nil {
				t.Fatal(err)
			}
			if plain(got) != plain(want) {
				t.Fatalf("seed %d, budget %d: read again in another order\n%s\nbefore\n%s", seed, budget, got, want)
			}
		}
	})
}

// TestRepetitionOfDrawsChangesNothing does the same to records in which keys, references, times and amounts collide on purpose.
func TestRepetitionOfDrawsChangesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		cfg, ms := draw(t)
		want, err := pipeline(context.Background(), cfg, ms, dir, 1) // TestSieveEqualsJudgingAll holds that against judging all
		if err != nil {
			t.Fatal(err)
		}
		again := anew(cfg, ms, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 19)))
		got, err := pipeline(context.Background(), cfg, again, dir, 1)
		if err != nil {
			t.Fatal(err)
		}
		if plain(got) != plain(want) {
			t.Fatalf("read again in another order\n%s\nonce\n%s", got, want)
		}
	})
}

// plain is an outcome that does not name which of several equal rows is shown, nor how often.
func plain(o outcome) string {
	return pendings.ReplaceAllStringFunc(o.String(), func(list string) string {
		whats := pendingWhat.FindAllString(list, -1)
		slices.Sort(whats)
		return fmt.Sprint("pending", slices.Compact(whats))
	})
}

var (
	pendings    = regexp.MustCompile(`pending\[[^\]]*\]`)
	pendingWhat = regexp.MustCompile(`\{[a-z-]+ `)
)

// anew shuffles sources and rows, of which some come up to three times more.
func anew(cfg *config.Config, ms []*memory, rng *rand.Rand) []*memory {
	out := make([]*memory, len(ms))
	for i, m := range ms {
		c := &memory{facts: m.facts, recs: slices.Clone(m.recs)}
		for _, r := range m.recs {
			if repeats(cfg, r) && rng.IntN(3) == 0 {
				for range 1 + rng.IntN(3) {
					c.recs = append(c.recs, r.Clone())
				}
			}
		}
		rng.Shuffle(len(c.recs), func(i, k int) { c.recs[i], c.recs[k] = c.recs[k], c.recs[i] })
		out[i] = c
	}
	rng.Shuffle(len(out), func(i, k int) { out[i], out[k] = out[k], out[i] })
	return out
}

// repeats reports whether a second row that says the same tells of the same thing: by effect id, event id, message id or the identity of a receipt or an intent.
// Without one of them two rows that say the same are two rows.
func repeats(cfg *config.Config, r *reconcile.Record) bool {
	c := reconcile.Book(cfg.Contracts).Claim(r)
	if c == nil {
		return false
	}
	switch r.Role {
	case reconcile.RoleEffect:
		return r.EffectID.Known()
	case reconcile.RoleProvider:
		return r.EventID.Known()
	case reconcile.RoleOutbox:
		return r.MessageID.Known()
	case reconcile.RoleReceipt, reconcile.RoleIntent:
		return reconcile.Whole(c.IdentityOf(r))
	}
	return false
}
