package scan_test

import (
	"fmt"
	"maps"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/sources"
)

// heavyRows is one key, so often that its traces fit no partition; heavyMiB bounds the live and dead memory of a scan of them, which held as records would
// take more.
const (
	heavyRows = 40_000
	heavyMiB  = 40
)

// heavy is a key that is repeated in one source, and what is found of it.
type heavy struct {
	name   string
	source int // of receipts, orders, charges
	change func(r *reconcile.Record, i int)
	kinds  string

	budgets []int64
}

var heavies = []heavy{
	{"effects", 1, func(r *reconcile.Record, i int) { r.EffectID = reconcile.Text("e" + strconv.Itoa(i)) }, "[duplicate-effect×1]", []int64{1 << 20, 1 << 12}},
	{"receipt lines", 0, func(r *reconcile.Record, i int) {
		r.UpdatedAt = reconcile.At(noon.Add(-2*time.Hour + time.Duration(i)*time.Millisecond))
	}, "[]", []int64{1 << 20}},
	{"provider events", 2, func(r *reconcile.Record, i int) { r.EventID = reconcile.Text(strconv.Itoa(i)) }, "[]", []int64{1 << 20}},
}

// among mixes so many rows of one key evenly into a source.
func (h heavy) among(m *made, n int, see func()) {
	plain, rows := m.row, m.n
	step := (rows + n) / rows
	m.n, m.see = rows+n, see
	m.row = func(i int) *reconcile.Record {
		if i%step == 0 && i/step < rows {
			return plain(i / step)
		}
		r := good(&m.facts, "heavy")
		h.change(r, i)
		return r
	}
}

// stores are a thousand ordinary actions, of which some lack a receipt, a row or a charge, and the heavy key beside them, if any.
func stores(h *heavy, n int, see func()) []sources.Reader {
	const actions = 1000
	ms := []*made{ordinary("receipts", reconcile.RoleReceipt, actions, 50), ordinary("orders", reconcile.RoleEffect, actions, 70), ordinary("charges", reconcile.RoleProvider, actions, 90)}
	for i, m := range ms {
		switch {
		case h == nil:
		case i == h.source:
			h.among(m, n, see)
		default:
			one := heavy{change: func(*reconcile.Record, int) {}}
			one.among(m, 1, see)
		}
	}
	return []sources.Reader{ms[0], ms[1], ms[2]}
}

// TestHeavyKeyChangesNothingElse scans a thousand actions beside one key of very many rows: the key has its one verdict, and everything else is said as
// it is without the key. It runs alone, because it measures memory.
func TestHeavyKeyChangesNothingElse(t *testing.T) { // as said
	plain := tell(t, shop(true), scan.Options{}, stores(nil, 0, nil)...)
	if len(plain.cases) < 30 {
		t.Fatalf("only %d of the ordinary actions are cases", len(plain.cases))
	}
	for _, h := range heavies {
		for _, budget := range h.budgets { // all too small for the traces of the key
			t.Run(fmt.Sprintf("%s, budget %d", h.name, budget), func(t *testing.T) {
				var met, peak atomic.Int64
				runtime.GC()
				got := tell(t, shop(true), scan.Options{MemBudget: budget}, stores(&h, heavyRows, func() {
					if met.Add(1)%5000 == 0 {
						var m runtime.MemStats
						runtime.ReadMemStats(&m)
						peak.Store(max(peak.Load(), int64(m.HeapAlloc)))
					}
				})...)
				if mib := peak.Load() >> 20; mib > heavyMiB {
					t.Errorf("it took %d MiB", mib)
				}
				checkHeavy(t, &plain, &got, h.kinds)
			})
		}
	}
}

func checkHeavy(t *testing.T, plain, got *told, kinds string) {
	t.Helper()
	delete(got.cases, "heavy")
	same := func(a, b string) bool { return named.ReplaceAllString(a, "") == named.ReplaceAllString(b, "") }
	if !maps.EqualFunc(plain.cases, got.cases, same) {
		t.Errorf("%d ordinary cases became %d", len(plain.cases), len(got.cases))
		for key, says := range got.cases {
			if !same(plain.cases[key], says) {
				t.Fatalf("%s: without the heavy key\n%s\nbeside it\n%s", key, plain.cases[key], says)
			}
		}
	}
	a, b := plain.manifest.Counts, got.manifest.Counts
	more := maps.Clone(b.Findings)
	for k, n := range a.Findings {
		if more[k] -= n; more[k] == 0 {
			delete(more, k)
		}
	}
	if found := kindsOf(more); found != kinds || b.Subjects != a.Subjects+1 || b.Matched+b.Cases != a.Matched+a.Cases+1 {
		t.Errorf("the heavy key is %s, want %s; %+v became %+v", found, kinds, a, b)
	}
}
