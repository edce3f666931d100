package scan_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"testing"
	"time"

	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/reconcile"
)

// throng draws a cluster of more identities than are judged together: tenants that number their rows alike, keys that several tenants use, and either rows
// that tell their key and not their tenant, or rows without a key.
func throng(rng *rand.Rand) (*config.Config, []*memory) {
	cfg := shop(rng.IntN(3) == 0)
	c := cfg.Contracts[0]
	ms := []*memory{{facts: factsOf("receipts", reconcile.RoleReceipt)}, {facts: factsOf("orders", reconcile.RoleEffect)}, {facts: factsOf("charges", reconcile.RoleProvider)}}
	tenants, numbers, keys := 16+rng.IntN(40), 1+rng.IntN(3), 8+rng.IntN(60)
	keylessRows, keyOnly, twins := rng.IntN(2) == 0, rng.IntN(2) == 0, rng.IntN(3) == 0
	keyOnly = keyOnly && !keylessRows
	if twins {
		c.Params = &reconcile.ParamSpec{}
	}
	if keylessRows {
		ms[1].facts.Components = []string{"tenant", "operation"}
	}
	one := func(m *memory, tenant, key, number string, at reconcile.Instant) {
		r := good(&m.facts, key)
		r.Components[0].Value, r.CreatedAt = reconcile.Text("t"+tenant), at
		r.EffectID, r.ProviderRef = reconcile.Text(number), reconcile.Value{}
		object := reconcile.Text("o" + number)
		switch m.facts.Role {
		case reconcile.RoleProvider:
			r.EffectID, r.ObjectID = reconcile.Value{}, object
		case reconcile.RoleReceipt:
			r.ProviderRef = object
		default:
		}
		if twins {
			r.Params = reconcile.Text(`{"q":` + strconv.Itoa(rng.IntN(30)) + `}`)
		}
		if rng.IntN(8) == 0 {
			r.Amount = reconcile.Amount{Minor: int64(rng.IntN(2)), Exponent: 2, Currency: "EUR", Valid: true}
		}
		switch {
		case m.facts.Role == reconcile.RoleEffect && keylessRows:
			keyless(r)
		case keyOnly && m.facts.Role != reconcile.RoleProvider && rng.IntN(6) == 0: // a line without tenant is anyone's who names its object
			r.Components[0].Value = reconcile.Value{}
		}
		r.Locator = fmt.Sprintf("%s/%d", m.facts.Name, len(m.recs))
		m.recs = append(m.recs, r)
	}
	for range 70 + rng.IntN(120) {
		tenant, key, number := strconv.Itoa(rng.IntN(tenants)), strconv.Itoa(rng.IntN(keys)), strconv.Itoa(rng.IntN(numbers))
		at := reconcile.At(noon.Add(-2*time.Hour - time.Duration(rng.IntN(3))*time.Hour))
		for i, m := range ms {
			if (i < 2 || c.Effect == reconcile.LegsBoth) && rng.IntN(12) > 0 {
				one(m, tenant, key, number, at)
			}
		}
	}
	return cfg, ms
}

// named are the twins that a case names, and what the guard says where none of them is told to be distinct: of many twins, which are named is of no account.
var named = regexp.MustCompile(`twin\[[^]]+\]`)

// TestThrongsAreJudgedAsOne holds the parts of crowds of all kinds against judging each at once.
func TestThrongsAreJudgedAsOne(t *testing.T) {
	t.Parallel()
	const hands, seeds = 2, 20
	for hand := range uint64(hands) {
		t.Run(fmt.Sprint(hand), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for seed := hand; seed < seeds; seed += hands {
				cfg, ms := throng(rand.New(rand.NewPCG(seed, 1))) // a crowd that repeats, not a secret
				want := oracle(cfg, ms)
				got, err := pipeline(context.Background(), cfg, ms, dir, 1)
				if err != nil {
					t.Fatal(err)
				}
				if g, w := named.ReplaceAllString(got.String(), "twin[some]"), named.ReplaceAllString(want.String(), "twin[some]"); g != w {
					t.Fatalf("seed %d: the sieve says\n%.4000s\njudging all says\n%.4000s", seed, g, w)
				}
			}
		})
	}
}
