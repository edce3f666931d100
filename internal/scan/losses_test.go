package scan_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/sources"
)

// tenants spreads a trade's actions over tenants, the same in every source.
func tenants(t *trade, names ...string) {
	for _, m := range t.all() {
		for _, r := range m.recs {
			n := 0
			for _, b := range r.Key().Bytes() {
				n += int(b)
			}
			r.Components[0].Value = reconcile.Text(names[n%len(names)])
		}
	}
}

// loseOf takes a tenant's rows of a stretch away.
func loseOf(m *memory, tenant string, from, to float64) {
	var others []*reconcile.Record
	m.recs = slices.DeleteFunc(m.recs, func(r *reconcile.Record) bool {
		if r.Components[0].Value.String() != tenant {
			others = append(others, r)
			return true
		}
		return false
	})
	lose(m, from, to)
	m.recs = append(m.recs, others...)
}

func share(of float64) time.Time {
	return noon.Add(-13*time.Hour + time.Duration(of*float64(12*time.Hour)))
}

var lossesOf = map[string]struct {
	change func(*trade)
	store  string // "" = nothing is proposed
	tenant string
	open   bool
}{
	"all is well":            {func(*trade) {}, "", "", false},
	"receipts":               {func(t *trade) { lose(t.receipts, 0.3, 0.5) }, "receipts", "", false},
	"orders":                 {func(t *trade) { lose(t.orders, 0.3, 0.5) }, "orders", "", false},
	"receipts, traffic off":  {func(t *trade) { lose(t.receipts, 0.3, 1) }, "receipts", "", true},
	"receipts of one tenant": {func(t *trade) { loseOf(t.receipts, "t02", 0.3, 0.5) }, "receipts", "t02", false},
	"receipts of one tenant, of rows with fingerprints": {func(t *trade) {
		for _, m := range t.all() {
			for _, r := range m.recs {
				r.Fingerprint = reconcile.Text("f")
			}
		}
		loseOf(t.receipts, "t02", 0.3, 0.5)
	}, "receipts", "t02", false},
	"charges are no store":  {func(t *trade) { lose(t.charges, 0.3, 0.5) }, "", "", false},
	"receipts were cleared": {func(t *trade) { lose(t.receipts, 0, 0.5) }, "", "", false},
	"nothing happened": {func(t *trade) {
		for _, m := range t.all() {
			lose(m, 0.3, 0.5)
		}
	}, "", "", false},
	"receipts are half read":    {func(t *trade) { lose(t.receipts, 0.3, 0.5); t.receipts.facts.Coverage.Complete = false }, "", "", false},
	"receipts are half covered": {func(t *trade) { lose(t.receipts, 0.3, 0.5); t.receipts.facts.Coverage.From = reconcile.At(share(0.6)) }, "", "", false},
	"hashed receipts":           {func(t *trade) { rekey(t.receipts, hashed); lose(t.receipts, 0.3, 0.5) }, "", "", false},
}

// TestGapsAreProposed holds the counters of the sieve to what was lost, whatever the memory that it may use.
func TestGapsAreProposed(t *testing.T) {
	t.Parallel()
	for name, test := range lossesOf {
		for _, budget := range []int64{1, scan.DefaultMemBudget} {
			trade := newTrade(rand.New(rand.NewPCG(3, 3)), 900)
			tenants(trade, "t00", "t01", "t02")
			test.change(trade)
			var gaps []reconcile.Gap
			res := tradeScan(t, trade, scan.Options{MemBudget: budget})
			gaps = res.Manifest().Gaps
			if err := res.Close(); err != nil {
				t.Fatal(err)
			}
			if test.store == "" {
				if len(gaps) > 0 {
					t.Errorf("%s, budget %d: %v", name, budget, gaps)
				}
				continue
			}
			if len(gaps) != 1 {
				t.Fatalf("%s, budget %d: %v", name, budget, gaps)
			}
			g := gaps[0]
			if g.Store != test.store || g.Declared || g.To.Known() == test.open || g.From.Time().After(share(0.31)) || g.From.Time().Before(share(0.27)) || (!test.open && g.To.Time().Before(share(0.5))) {
				t.Errorf("%s, budget %d: %+v", name, budget, g)
			}
			if one := g.Only["tenant"]; test.tenant == "" && one != nil || test.tenant != "" && (len(one) != 1 || one[0] != test.tenant) {
				t.Errorf("%s, budget %d: of %v", name, budget, one)
			}
		}
	}
}

func tradeScan(t *testing.T, of *trade, opt scan.Options) *scan.Result {
	t.Helper()
	var readers []sources.Reader
	for _, m := range of.all() {
		readers = append(readers, m)
	}
	opt.TempDir = t.TempDir()
	res, err := scan.RunReaders(t.Context(), of.cfg, readers, opt)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// TestAConfirmedGapNamesCasesAnew: they keep their ids, whatever was proposed keeps its name until then.
func TestAConfirmedGapNamesCasesAnew(t *testing.T) {
	t.Parallel()
	lost := func() *trade {
		of := newTrade(rand.New(rand.NewPCG(3, 3)), 900)
		lose(of.receipts, 0.3, 0.5)
		return of
	}
	proposed := tradeScan(t, lost(), scan.Options{})
	gap := proposed.Manifest().Gaps[0]
	confirmed := tradeScan(t, lost(), scan.Options{Restores: []reconcile.Event{gap.Event()}})
	if gaps := confirmed.Manifest().Gaps; len(gaps) != 1 || !gaps[0].Declared || gaps[0].Name() != gap.Name() || len(gaps[0].Slices) == 0 {
		t.Errorf("%+v", gaps)
	}
	plain, named := kindsIn(t, proposed, gap.Name()), kindsIn(t, confirmed, gap.Name())
	if len(plain) == 0 {
		t.Fatal("no case lies in the gap")
	}
	for id, kinds := range plain {
		if slices.Contains(kinds, reconcile.ReceiptMissingAfterRestore) {
			t.Errorf("%s: %v, and nobody has confirmed it", id, kinds)
		}
		if slices.Contains(kinds, reconcile.OrphanedEffect) && !slices.Contains(named[id], reconcile.ReceiptMissingAfterRestore) {
			t.Errorf("%s: %v is now %v", id, kinds, named[id])
		}
	}
}

func kindsIn(t *testing.T, res *scan.Result, gap string) map[string][]reconcile.Kind {
	t.Helper()
	out := make(map[string][]reconcile.Kind)
	for c, err := range res.Cases(t.Context(), scan.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if c.InGap == gap {
			out[c.CaseID] = c.Kinds
		}
	}
	if err := res.Close(); err != nil {
		t.Fatal(err)
	}
	return out
}
