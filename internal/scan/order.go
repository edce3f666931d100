package scan

import (
	"maps"
	"slices"
	"time"

	"example.com/idemctl/internal/reconcile"
)

// mostMoments is how many slices of time are told apart; where rows tell more, slices become twice as wide.
const mostMoments = 4096

// moments keeps something for each slice of time that has rows. Which slices there are does not depend on the order of the rows.
type moments[T any] struct {
	wide  int64 // seconds
	at    map[int64]T
	merge func(a, b T) T
}

// add merges what a row tells into the slice of its time.
func (m *moments[T]) add(t reconcile.Instant, v T) {
	if m.at == nil {
		m.wide, m.at = 1, make(map[int64]T)
	}
	m.put(floor(t.Time().Unix(), m.wide), v)
	for len(m.at) > mostMoments {
		finer := m.at
		m.wide, m.at = 2*m.wide, make(map[int64]T, len(finer)/2)
		for at, v := range finer {
			m.put(floor(at, m.wide), v)
		}
	}
}

func (m *moments[T]) put(at int64, v T) {
	if have, met := m.at[at]; met {
		v = m.merge(have, v)
	}
	m.at[at] = v
}

// floor is the beginning of the slice of a time before or after the epoch.
func floor(at, wide int64) int64 { return at - (at%wide+wide)%wide }

func (m *moments[T]) sorted() []int64 { return slices.Sorted(maps.Keys(m.at)) }

// begins is when a slice begins, and ends when it is over.
func (m *moments[T]) begins(at int64) reconcile.Instant { return reconcile.At(time.Unix(at, 0)) }
func (m *moments[T]) ends(at int64) reconcile.Instant   { return m.begins(at + m.wide) }

// order is what the rows of one source tell of the order in which a store of effects handed out ids, and of what is still to be sent or done.
type order struct {
	ids   moments[idSlice]
	tasks moments[taskSlice]
}

// idSlice is the least id of actions that began in a slice, and the greatest of those that were done in it.
type idSlice struct{ least, greatest reconcile.Number }

// taskSlice is how many messages or jobs of a slice are done, and how many are not.
type taskSlice struct{ done, open int64 }

func newOrder() order {
	return order{
		ids: moments[idSlice]{merge: func(a, b idSlice) idSlice {
			if b.least.Valid && (!a.least.Valid || b.least.N < a.least.N) {
				a.least = b.least
			}
			if b.greatest.Valid {
				a.greatest = greater(a.greatest, b.greatest.N)
			}
			return a
		}},
		tasks: moments[taskSlice]{merge: func(a, b taskSlice) taskSlice { return taskSlice{a.done + b.done, a.open + b.open} }},
	}
}

// see takes in a row.
func (o *order) see(c *reconcile.Contract, r *reconcile.Record, skew time.Duration, now reconcile.Instant) {
	switch r.Role {
	case reconcile.RoleReceipt:
		o.seeReceipt(c, r)
	case reconcile.RoleOutbox, reconcile.RoleIntent:
		if at, done, ok := c.Task(r, skew, now); ok && done {
			o.tasks.add(at, taskSlice{done: 1})
		} else if ok {
			o.tasks.add(at, taskSlice{open: 1})
		}
	case reconcile.RoleEffect, reconcile.RoleProvider:
	}
}

// seeReceipt notes when the action began, before it had an id, and when it was done and had one. A receipt that does not tell the latter may be of an action
// that took hours.
func (o *order) seeReceipt(c *reconcile.Contract, r *reconcile.Record) {
	began, done := r.Time(), reconcile.Latest(r.CompletedAt, r.UpdatedAt)
	if c.SharedEffects || !r.EffectID.Known() || !began.Known() || !done.Known() || c.StateOf(r) != reconcile.StateCompleted {
		return
	}
	if id, ok := wholeNumber(r.EffectID.Bytes()); ok {
		o.ids.add(began, idSlice{least: reconcile.Num(id)})
		o.ids.add(done, idSlice{greatest: reconcile.Num(id)})
	}
}

// The least by which a run backwards is told from a row that was linked by hand, and from ids that follow no order.
const (
	steadyBefore = 8
	leastCrossed = 3 // slices before it that end above where it falls to, and after it that begin below where it falls from
)

// fall finds where the ids run backwards: an action that began after another was done has a lower id, and so have those after it. Where that happens again
// and again the ids follow no order, or several; where it falls below all ids before, it is another store's.
func (o *order) fall() reconcile.Fall {
	var f reconcile.Fall
	var high, first reconcile.Number
	steady, falls, lately := 0, 0, 0
	sorted := o.ids.sorted()
	for _, at := range sorted {
		s := o.ids.at[at]
		switch {
		case !s.least.Valid:
		case high.Valid && s.least.N < high.N:
			if lately++; lately != 2 { // in the slice of the fall itself there may be ids of both
				falls++
			}
			if falls == 1 && lately == 1 {
				f = reconcile.Fall{At: o.ids.begins(at), From: high.N, To: s.least.N}
			}
			high = reconcile.Number{}
		case falls == 0:
			steady++
			fallthrough
		default:
			lately = 0
		}
		if falls == 0 && s.least.Valid && (!first.Valid || s.least.N < first.N) {
			first = s.least
		}
		if s.greatest.Valid {
			high = greater(high, s.greatest.N)
		}
	}
	if falls != 1 || steady < steadyBefore || f.To <= first.N || !o.crosses(sorted, &f) {
		return reconcile.Fall{}
	}
	return f
}

// crosses reports whether several were done above where the ids fall to, and several began below where they fall from.
func (o *order) crosses(sorted []int64, f *reconcile.Fall) bool {
	above, below := 0, 0
	for _, at := range sorted {
		switch s := o.ids.at[at]; {
		case o.ids.begins(at).Before(f.At) && s.greatest.Valid && s.greatest.N > f.To:
			above++
		case !o.ids.begins(at).Before(f.At) && s.least.Valid && s.least.N < f.From:
			below++
		}
	}
	return min(above, below) >= leastCrossed
}

// leastTail is how many messages or jobs stand open side by side where it is no accident.
const leastTail = 3

// tail finds the longest stretch in which nothing was done that is due, behind some that was.
func (o *order) tail() reconcile.Tail {
	var best, run reconcile.Tail
	done := int64(0)
	for _, at := range o.tasks.sorted() {
		s := o.tasks.at[at]
		if done += s.done; s.done > 0 {
			run = reconcile.Tail{}
			continue
		}
		if run.Open == 0 {
			run.From = o.tasks.begins(at)
		}
		run.Open += s.open
		run.To = o.tasks.ends(at)
		if run.Open > best.Open && done >= leastTail {
			best = run
		}
	}
	if best.Open < leastTail {
		return reconcile.Tail{}
	}
	return best
}
