package scan_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
)

// throng draws a cluster of more identities than are judged together: tenants that number their rows alike, keys that several tenants use, rows
// without a key, rows that tell their key and not their tenant, rows that tell neither. Of the last two kinds it says that the throng is torn.
func throng(rng *rand.Rand) (cfg *config.Config, ms []*memory, torn bool) {
	cfg = shop(rng.IntN(3) == 0)
	c := cfg.Contracts[0]
	ms = []*memory{{facts: factsOf("receipts", reconcile.RoleReceipt)}, {facts: factsOf("orders", reconcile.RoleEffect)}, {facts: factsOf("charges", reconcile.RoleProvider)}}
	tenants, numbers, keys := 16+rng.IntN(40), 1+rng.IntN(3), 8+rng.IntN(60)
	keylessRows, keyOnly, twins := rng.IntN(2) == 0, rng.IntN(2) == 0, rng.IntN(3) == 0
	strangers := rng.IntN(4) == 0
	if twins {
		c.Params = &reconcile.ParamSpec{}
	}
	invoices := 0
	if rng.IntN(2) == 0 {
		invoices = 20 + rng.IntN(400)
		c.Unique = []reconcile.UniqueRule{{Columns: []string{"tenant", "invoice"}}}
	}
	if rng.IntN(4) == 0 {
		c.Provider = &reconcile.Profile{Name: "drawn", Dedup: true, Retention: reconcile.RetentionMinimum, For: 24 * time.Hour}
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
		if invoices > 0 {
			r.Extra = []reconcile.Component{{Name: "invoice", Value: reconcile.Text(strconv.Itoa(rng.IntN(invoices)))}}
		}
		if rng.IntN(8) == 0 {
			r.Amount = reconcile.Amount{Minor: int64(rng.IntN(2)), Exponent: 2, Currency: "EUR", Valid: true}
		}
		switch {
		case m.facts.Role == reconcile.RoleEffect && keylessRows:
			if keyless(r); strangers && rng.IntN(4) == 0 {
				r.Components[0].Value = reconcile.Value{}
			}
		case keyOnly && rng.IntN(6) == 0:
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
	return cfg, ms, keyOnly || (keylessRows && strangers)
}

// named are the twins that a case names, and what the guard says where none of them is told to be distinct: of many twins, which are named is of no account.
var named = regexp.MustCompile(`twin\[[^]]+\]`)

// unworded leaves out which others the reasons name: in a part of a crowd they are some of many.
func unworded(s string) string { return worded.ReplaceAllString(s, "$1") }

var worded = regexp.MustCompile(`( [a-z-]+): "(?:[^"\\]|\\.)*"`)

// eachThrong draws crowds, and judges each by the sieve and all at once. The smallest budget divides it; cut, if not 0, is the size above which blocks are cut.
func eachThrong(t *testing.T, from, to uint64, cut int, check func(t *testing.T, seed uint64, torn bool, got, want outcome)) {
	const hands = 2
	for hand := range uint64(hands) {
		t.Run(fmt.Sprint(hand), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for seed := from + hand; seed < to; seed += hands {
				cfg, ms, torn := throng(rand.New(rand.NewPCG(seed, 1))) // a crowd that repeats, not a secret
				got, err := pipelineOf(t.Context(), cfg, ms, scan.Options{TempDir: dir, MemBudget: 1}.CutAbove(cut))
				if err != nil {
					t.Fatal(err)
				}
				check(t, seed, torn, got, oracle(cfg, ms))
			}
		})
	}
}

func same(t *testing.T, seed uint64, got, want outcome) {
	if g, w := unworded(named.ReplaceAllString(got.String(), "twin[some]")), unworded(named.ReplaceAllString(want.String(), "twin[some]")); g != w {
		t.Fatalf("seed %d: the sieve says\n%.4000s\njudging all says\n%.4000s", seed, g, w)
	}
}

// TestThrongsAreJudgedAsOne holds the parts of crowds of all kinds against judging each at once.
func TestThrongsAreJudgedAsOne(t *testing.T) {
	t.Parallel()
	eachThrong(t, 0, 24, 0, func(t *testing.T, seed uint64, _ bool, got, want outcome) { same(t, seed, got, want) })
}

// TestCutThrongs cuts crowds whose rows all refer to each other. Where every row tells whose it is, the pieces say what judging all at once says; where some do
// not, they may leave open what it would conclude, and conclude nothing that it would not.
func TestCutThrongs(t *testing.T) {
	t.Parallel()
	eachThrong(t, 320, 344, 64, func(t *testing.T, seed uint64, torn bool, got, want outcome) {
		if !torn {
			same(t, seed, got, want)
			return
		}
		all := make(map[string]*reconcile.Judgement)
		for _, v := range want.judged {
			all[v.CaseID] = v
		}
		for _, v := range got.judged {
			w := all[v.CaseID]
			for _, wrong := range bolder(v, w) {
				t.Errorf("seed %d: case %s: %s\nthe sieve says\n%v %v %v\njudging all says\n%+v", seed, v.CaseID, wrong, v.Kinds, v.Legs, v.Executed, w)
			}
		}
	})
}

// bolder names what one judgement concludes and the other does not: a leg that is no more open, and what is allowed on the strength of it. A row that joined
// another in the other is a subject of its own in this: that it stands is true of both.
func bolder(v, than *reconcile.Judgement) []string {
	var out []string
	legs := make(map[string]reconcile.LegState)
	allowed := make(map[string]bool)
	if than != nil {
		for _, l := range than.Legs {
			legs[string(l.Name)] = l.State
		}
		for _, o := range than.Options {
			allowed[o.Decision.String()+"/"+o.As.String()] = o.Allowed
		}
	}
	for _, l := range v.Legs {
		if had := legs[string(l.Name)]; had == reconcile.LegUndetermined && (l.State == reconcile.LegNo || (l.State != had && than != nil)) {
			out = append(out, fmt.Sprintf("leg %v is called %v, was %v", l.Name, l.State, had))
		}
	}
	for _, o := range v.Options {
		if name := o.Decision.String() + "/" + o.As.String(); o.Allowed && !allowed[name] && risky(o) {
			out = append(out, name+" is allowed")
		}
	}
	return out
}

// risky are the decisions that let something be done, and not only be looked at.
func risky(o reconcile.Option) bool {
	return o.Decision == reconcile.DecideReplay || (o.Decision == reconcile.DecideResolve && slices.Contains([]reconcile.Resolution{reconcile.BackfillReceipt, reconcile.Release, reconcile.Complete}, o.As))
}
