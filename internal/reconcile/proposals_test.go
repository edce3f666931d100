package reconcile_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"example.com/idemctl/internal/reconcile"
)

// past is an invented day of one service: when its actions were done, in which partition, and which stores keep their record.
type past struct {
	rnd     *rand.Rand
	acts    []act
	tenants int
	now     time.Time
}

type act struct {
	at      time.Time
	tenant  int
	receipt bool
	effect  bool
	charge  bool
	later   time.Duration // the receipt was made anew so long after
}

var pastNow = time.Date(2026, 11, 29, 18, 0, 0, 0, time.UTC)

// newPast makes a day of traffic, with or without a quiet night.
func newPast(seed uint64, quiet bool) *past {
	p := &past{rnd: rand.New(rand.NewPCG(seed, 7)), now: pastNow}
	p.tenants = 1 + p.rnd.IntN(6)
	pace := time.Duration(30+p.rnd.IntN(250)) * time.Second
	for at := p.now.Add(-20 * time.Hour); at.Before(p.now.Add(-10 * time.Minute)); {
		wait := time.Duration(float64(pace) * p.rnd.ExpFloat64())
		if h := at.Hour(); quiet && h >= 1 && h < 6 {
			wait *= 40
		}
		at = at.Add(wait)
		p.acts = append(p.acts, act{at: at, tenant: p.rnd.IntN(p.tenants), receipt: true, effect: true, charge: true})
	}
	return p
}

func (p *past) gaps() []reconcile.Gap { return p.gapsWith(nil) }

func (p *past) gapsWith(events []reconcile.Event) []reconcile.Gap {
	covers := reconcile.Coverage{Complete: true, Proves: true, To: reconcile.At(p.now)}
	facts := func(name string, role reconcile.Role) reconcile.SourceFacts {
		return reconcile.SourceFacts{Name: name, Role: role, Serves: role != reconcile.RoleProvider, Components: []string{"tenant", "operation", "key"}, MapsTime: true, Coverage: covers}
	}
	w := &reconcile.World{Now: reconcile.At(p.now), Events: events, Sources: []reconcile.SourceFacts{
		facts("receipts", reconcile.RoleReceipt), facts("orders", reconcile.RoleEffect), facts("charges", reconcile.RoleProvider),
	}}
	c := &reconcile.Contract{Name: "orders", Scope: []string{"tenant", "operation", "key"}, Effect: reconcile.LegsBoth, Settle: 2 * time.Minute, Retention: reconcile.For(24 * time.Hour)}
	var first, last [3]reconcile.Instant
	rows := make([][]reconcile.Witness, len(p.acts))
	for i, a := range p.acts {
		for source, has := range []bool{a.receipt, a.effect, a.charge} {
			if !has {
				continue
			}
			at := a.at.Add(time.Duration(source) * time.Second)
			if source == 0 {
				at = at.Add(a.later)
			}
			t := reconcile.At(at)
			rows[i] = append(rows[i], reconcile.Witness{Source: source, At: t, Done: true})
			first[source], last[source] = reconcile.Earliest(first[source], t), reconcile.Latest(last[source], t)
		}
	}
	var parts [][]reconcile.Component
	for n := range p.tenants {
		parts = append(parts, []reconcile.Component{{Name: "tenant", Value: reconcile.Text(fmt.Sprintf("t%02d", n))}})
	}
	out := reconcile.NewWitnesses(w, reconcile.Book{c}, first[:], last[:], parts)
	for i, a := range p.acts {
		out.Add(0, a.tenant, c, rows[i])
	}
	return out.Gaps()
}

// between chooses actions by when they were done.
func (p *past) between(from, to time.Time, change func(*act)) (n int64) {
	for i := range p.acts {
		if a := &p.acts[i]; a.at.After(from) && !a.at.After(to) {
			change(a)
			n++
		}
	}
	return n
}

// sound says that a proposed gap has the edges that the truth allows: nothing that was kept lies inside, nothing that was lost outside.
func sound(t *testing.T, seed uint64, g reconcile.Gap, store string, backup, resumed time.Time) {
	t.Helper()
	const slice = 21 * time.Second
	if g.Store != store || g.Declared {
		t.Fatalf("seed %d: %s, declared %t", seed, g.Store, g.Declared)
	}
	if from := g.From.Time(); from.After(backup.Add(slice)) {
		t.Fatalf("seed %d: the gap begins at %s, the backup was of %s", seed, from, backup)
	}
	if to := g.To.Time(); g.To.Known() && to.Before(resumed.Add(-slice)) {
		t.Fatalf("seed %d: the gap ends at %s, writing began again at %s", seed, to, resumed)
	}
}

func TestGapsAreInferred(t *testing.T) {
	t.Parallel()
	missed := 0
	for seed := range uint64(2000) {
		p := newPast(seed, seed%2 == 0)
		backup := p.now.Add(-time.Duration(2+p.rnd.IntN(12)) * time.Hour)
		crash := backup.Add(time.Duration(20+p.rnd.IntN(90)) * time.Minute)
		resumed := crash.Add(time.Duration(p.rnd.IntN(30)) * time.Minute)
		p.acts = slices.DeleteFunc(p.acts, func(a act) bool { return a.at.After(crash) && a.at.Before(resumed) })
		store := "receipts"
		lost := p.between(backup, crash, func(a *act) {
			if seed%3 == 0 {
				a.effect = false
			} else {
				a.receipt = false
			}
		})
		if seed%3 == 0 {
			store = "orders"
		}
		if lost < 12 {
			continue
		}
		gaps := p.gaps()
		if len(gaps) == 0 {
			missed++
			continue
		}
		if len(gaps) > 1 || gaps[0].Missing > lost || gaps[0].Missing < lost-lost/10 {
			t.Fatalf("seed %d: %d lost, %v", seed, lost, gaps)
		}
		sound(t, seed, gaps[0], store, backup, resumed)
	}
	if missed > 40 {
		t.Errorf("%d of 2000 gaps were not found", missed)
	}
}

func TestGapsOfATenant(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		p := newPast(seed, false)
		if p.tenants < 3 {
			continue
		}
		backup := p.now.Add(-time.Duration(3+p.rnd.IntN(8)) * time.Hour)
		crash := backup.Add(90 * time.Minute)
		lost := p.between(backup, crash, func(a *act) {
			if a.tenant == 1 {
				a.receipt = false
			}
		})
		n := p.between(backup, crash, func(*act) {})
		gaps := p.gaps()
		if lost == 0 || n/int64(p.tenants) < 20 {
			continue
		}
		if len(gaps) != 1 || len(gaps[0].Only["tenant"]) != 1 || gaps[0].Only["tenant"][0] != "t01" || gaps[0].Kind != reconcile.EventPartial {
			t.Fatalf("seed %d: %v", seed, gaps)
		}
		sound(t, seed, gaps[0], "receipts", backup, crash)
	}
}

// TestGapsOfATenantAmongFew: one of two tenants lost its receipts, and has most of the traffic. From the one action of the other on, all lack theirs: what was lost
// is the tenant's, from end to end, and not that stretch of the whole store.
func TestGapsOfATenantAmongFew(t *testing.T) {
	t.Parallel()
	p := &past{tenants: 2, now: pastNow}
	backup, resumed := pastNow.Add(-9*time.Hour), pastNow.Add(-7*time.Hour)
	for i := range 600 {
		a := act{at: pastNow.Add(time.Duration(i-620) * 2 * time.Minute), receipt: true, effect: true, charge: true}
		lost := a.at.After(backup) && !a.at.After(resumed)
		if !lost && i%12 == 0 || a.at.Equal(backup.Add(10*time.Minute)) {
			a.tenant = 1
		}
		p.acts = append(p.acts, a)
	}
	n := p.between(backup, resumed, func(a *act) { a.receipt = a.tenant == 1 })
	got := p.gaps()
	if len(got) != 1 || !slices.Equal(got[0].Only["tenant"], []string{"t00"}) || got[0].Missing != n-1 {
		t.Fatalf("of %d actions of both tenants: %+v", n, got)
	}
	near := func(is reconcile.Instant, want time.Time) bool { return is.Time().Sub(want).Abs() <= 5*time.Minute }
	if g := got[0]; !near(g.From, backup) || !near(g.To, resumed) {
		t.Errorf("from %s to %s, was lost from %s to %s", g.From.Time(), g.To.Time(), backup, resumed)
	}
}

// Before traffic is let in again nothing has been written since: the gap has no end yet.
func TestGapsWithoutAnEnd(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		p := newPast(seed, false)
		backup := p.now.Add(-3 * time.Hour)
		p.between(backup, p.now, func(a *act) { a.receipt = false })
		lost := p.between(backup, p.now.Add(-2*time.Minute-time.Second), func(*act) {})
		gaps := p.gaps()
		if len(gaps) != 1 || gaps[0].To.Known() || gaps[0].Missing < lost-1 || gaps[0].Missing > lost+1 {
			t.Fatalf("seed %d: %d lost, %v", seed, lost, gaps)
		}
	}
}

func TestDeclaredGapsAreNotProposed(t *testing.T) {
	t.Parallel()
	p := newPast(4, false)
	backup, crash := p.now.Add(-5*time.Hour), p.now.Add(-3*time.Hour)
	lost := p.between(backup, crash, func(a *act) { a.receipt = false })
	gaps := p.gapsWith([]reconcile.Event{{Store: "receipts", From: reconcile.At(backup), To: reconcile.At(crash)}})
	if len(gaps) != 1 || !gaps[0].Declared {
		t.Fatalf("%v", gaps)
	}
	var shown int64
	for _, s := range gaps[0].Slices {
		shown += s.Without
	}
	if shown != lost {
		t.Errorf("%d lost, the slices show %d", lost, shown)
	}
}

// Nothing is proposed of what only looks like a loss.
func TestGapsOfHealthyHistories(t *testing.T) {
	t.Parallel()
	for seed := range uint64(5000) {
		p := newPast(seed, seed%2 == 0)
		what := p.disturb(int(seed % 7))
		if gaps := p.gaps(); len(gaps) > 0 {
			t.Errorf("seed %d, %s: %v", seed, what, gaps)
		}
	}
}

func (p *past) disturb(how int) string {
	day := func() time.Time { return p.now.Add(-time.Duration(p.rnd.IntN(18*60)) * time.Minute) }
	switch how {
	case 1: // keyed rows are put in at once, at night or by day
		at, n := day(), 20+p.rnd.IntN(500)
		for i := range n {
			p.acts = append(p.acts, act{at: at.Add(time.Duration(i) * time.Second), tenant: p.rnd.IntN(p.tenants), effect: true})
		}
		return "import"
	case 2: // receipts began on some day
		p.between(time.Time{}, day(), func(a *act) { a.receipt = false })
		return "launch"
	case 3: // the store evicts
		share := 2 + p.rnd.IntN(40)
		p.between(time.Time{}, p.now, func(a *act) { a.receipt = p.rnd.IntN(share) > 0 })
		return "eviction"
	case 4: // an eager reaper takes what is older than some age
		p.between(time.Time{}, day(), func(a *act) { a.receipt = false })
		return "early loss"
	case 5: // one tenant's writer has no middleware since some hour
		p.tenants++
		p.between(time.Time{}, p.now, func(a *act) { a.tenant = p.rnd.IntN(p.tenants) })
		p.between(day(), p.now, func(a *act) { a.receipt = a.receipt && a.tenant > 0 })
		return "a writer without receipts"
	case 6: // nothing happens for some hours
		from := day()
		p.acts = slices.DeleteFunc(p.acts, func(a act) bool { return a.at.After(from) && a.at.Before(from.Add(3*time.Hour)) })
		return "silence"
	}
	return "health"
}
