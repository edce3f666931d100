package histories

import (
	"fmt"
	"math/bits"
	"strings"
	"time"

	"example.com/idemctl/internal/reconcile"
)

// plan is what one action left behind: the state word of its receipt ("" = none), how many rows, how its object stands in the log ("" = not there).
type plan struct {
	kinds   []reconcile.Kind
	receipt string
	rows    int
	line    string
	more    int64 // minor units by which the provider took more
}

var (
	healthy  = plan{receipt: "COMPLETED", rows: 1, line: "succeeded"}
	orphaned = plan{kinds: []reconcile.Kind{reconcile.OrphanedEffect}, rows: 1, line: "succeeded"}
)

// plans are the anomalies, planted in turn.
var plans = []plan{
	orphaned,
	{kinds: []reconcile.Kind{reconcile.DuplicateEffect}, receipt: "COMPLETED", rows: 2, line: "succeeded"},
	{kinds: []reconcile.Kind{reconcile.ReceiptWithoutEffect}, receipt: "COMPLETED", line: "succeeded"},
	{kinds: []reconcile.Kind{reconcile.ProviderOnlyEffect, reconcile.PartlyExecuted}, line: "succeeded"},
	{kinds: []reconcile.Kind{reconcile.ProviderMissing}, receipt: "COMPLETED", rows: 1},
	{kinds: []reconcile.Kind{reconcile.ProviderMismatch}, receipt: "COMPLETED", rows: 1, line: "succeeded", more: 1},
	{kinds: []reconcile.Kind{reconcile.UnknownOutcome}, receipt: "PROCESSING", line: "pending"},
	{kinds: []reconcile.Kind{reconcile.NotExecuted}, receipt: "PROCESSING"},
	{kinds: []reconcile.Kind{reconcile.FailureContradicted}, receipt: "FAILED", rows: 1, line: "succeeded"},
}

// action is one action of the bulk; all of it follows from its number.
type action struct {
	id    Identity
	order int64
	minor int64
	at    time.Time
	mix   uint64
	plan  plan
}

func (opt Bulk) action(i int) action {
	a := action{order: int64(i + 1), plan: healthy, mix: mix(uint64(i))}
	a.minor = 100 + int64(a.mix%90000)
	step := bulkSpan / time.Duration(opt.N)
	a.at = bulkStart.Add(time.Duration(i) * step).Truncate(time.Millisecond)
	a.id = Identity{Tenant: tenants[a.mix>>20%uint64(len(tenants))], Key: a.key(i)}
	switch {
	case i >= opt.N/2 && i < opt.N/2+opt.Lost:
		a.plan = orphaned
	case i%opt.Every == opt.Every/2:
		a.plan = plans[i/opt.Every%len(plans)]
	}
	return a
}

// mix spreads a number over 64 bits (splitmix64).
func mix(n uint64) uint64 {
	n += 0x9e3779b97f4a7c15
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	return n ^ n>>31
}

var tenants = []string{"north", "south", "east", "west", "Österreich"}

// hostile are keys that a careless reader merges, cuts, runs or prints raw; %d keeps them apart.
var hostile = []string{
	"k-%d\x00tail", "k-%d\x1b[31mred", "k-%d\u202egnp.exe", `k-%d"quoted\backslash`, "=HYPERLINK(%d)", "k-%d\nline two", " k-%d ", "K\u00e9-%d", "Ke\u0301-%d",
	"%d", "0%d", "k-%d/../../etc", "k-%d\t", "<b>%d</b>", "k-%d'; DROP TABLE receipts; --",
}

// key is mostly a UUID; every hundredth is hostile, and every fiftieth is used by two tenants.
func (a *action) key(i int) string {
	switch {
	case i%100 == 7:
		return fmt.Sprintf(hostile[i/100%len(hostile)], i)
	case i%50 == 11 && tenants[mix(uint64(i-1))>>20%uint64(len(tenants))] != tenants[a.mix>>20%uint64(len(tenants))]:
		return uuid(mix(uint64(i - 1)))
	}
	return uuid(a.mix)
}

func uuid(m uint64) string {
	n := bits.RotateLeft64(m, 29) * 0x9e3779b97f4a7c15
	return fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", m>>32, m>>16&0xffff, m&0xfff, 0x8000|n>>48&0x3fff, n&0xffffffffffff)
}

func (a *action) charge() string { return fmt.Sprintf("ch_%016x%08d", a.mix, a.order) }

func (a *action) hash() string {
	return strings.Repeat(fmt.Sprintf("%016x", a.mix), 4)
}

// order is the number of the action that stands at a place of a source: in the order of time but for a displacement within a block, or in none.
func (opt Bulk) order(at int, source uint64) int {
	if opt.Shuffled {
		stride := uint64(opt.N)*6/10 + source
		for gcd(stride, uint64(opt.N)) != 1 {
			stride++
		}
		return int((uint64(at)*stride + source) % uint64(opt.N))
	}
	const block = 64
	start := at / block * block
	if start+block > opt.N {
		return at
	}
	return start + ((at-start)*13%block ^ int(mix(uint64(start)^source)%block))
}

func gcd(a, b uint64) uint64 {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}
