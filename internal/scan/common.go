package scan

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"example.com/idemctl/internal/reconcile"
)

// common counts what sources have in common, before anything is concluded from what one of them lacks.
type common struct {
	now      reconcile.Instant
	events   []reconcile.Event
	joins    *reconcile.Joins
	lives    []*reconcile.Survival // of each source whose rows are effects of one contract
	counting bool
	shapes   map[shapeOf]*shaped
	examples map[shapeOf][]reconcile.Component // of shapes
	seen     []reconcile.Sighting
	book     reconcile.Book
	losses   *reconcile.Witnesses
	told     []reconcile.Witness
}

// gather makes the counters when every source has been read.
func (r *run) gather() *common {
	c := &common{now: r.now, events: r.events, joins: reconcile.NewJoins(r.world.Sources, r.first, r.last), lives: make([]*reconcile.Survival, len(r.readers)), shapes: make(map[shapeOf]*shaped), examples: r.shapes, book: r.cfg.Contracts}
	c.joins.ByStretches(len(r.cfg.Contracts), func(source, contract int) bool { return r.contracts[source][r.cfg.Contracts[contract]] })
	c.losses = reconcile.NewWitnesses(&r.world, r.cfg.Contracts, r.first, r.last, r.parts.values())
	for i := range r.world.Sources {
		if f := &r.world.Sources[i]; f.Role == reconcile.RoleReceipt && (!f.Coverage.Complete || !f.Coverage.Proves) {
			return c // who knows what it lacks
		}
	}
	for i, f := range r.world.Sources {
		if of := slices.Collect(maps.Keys(r.contracts[i])); f.Role == reconcile.RoleEffect && f.Serves && len(of) == 1 {
			c.lives[i] = reconcile.NewSurvival(of[0])
		}
	}
	return c
}

func instantOf(seconds uint32) reconcile.Instant {
	if seconds == 0 {
		return reconcile.Instant{}
	}
	return reconcile.AtUnix(int64(seconds) * 1e9)
}

func (c *common) sight(t *trace) {
	c.seen = append(c.seen, reconcile.Sighting{Source: int(t.src), At: instantOf(t.t), Idle: t.role() == reconcile.RoleReceipt && t.fl&done == 0})
}

// keys counts sorted traces, key by key, while it is asked to. A key whose rows do not fit at once is left out: it is one of many.
func (c *common) keys(ts []trace) {
	for i := 0; c.counting && i < len(ts); {
		end := i + 1
		for end < len(ts) && ts[end].k == ts[i].k && ts[i].k != 0 {
			end++
		}
		c.seen = c.seen[:0]
		receipt := false
		for n := i; n < end; n++ {
			c.sight(&ts[n])
			receipt = receipt || ts[n].role() == reconcile.RoleReceipt
		}
		if ts[i].k != 0 {
			c.joins.Key(int(ts[i].ci), c.seen)
			c.countShape(ts[i:end])
		}
		for n := i; n < end; n++ {
			if life := c.lives[ts[n].src]; life != nil && ts[n].fl&odd == 0 && !c.inGap(instantOf(ts[n].t)) {
				life.Add(instantOf(ts[n].t), c.now, receipt)
			}
		}
		i = end
	}
}

// refs counts the rows of one reference.
func (c *common) refs(d reconcile.RefDomain, rows []posting) {
	c.seen = c.seen[:0]
	for i := range rows {
		c.sight(&rows[i].trace)
	}
	c.joins.Ref(int(rows[0].ci), d, c.seen)
}

// inGap reports whether a declared restore of some store explains what is missing at a time.
func (c *common) inGap(at reconcile.Instant) bool {
	return slices.ContainsFunc(c.events, func(ev reconcile.Event) bool { return !at.Before(ev.From) && !at.After(ev.To.Or(ev.ResumedAt)) })
}

// firstPass calls what is healthy so and counts what sources have in common. Where some were never comparable it is made again: nothing is concluded from what
// either of them lacks.
func (s *sieve) firstPass(ctx context.Context) error {
	var rows int64
	for i := range s.traces.parts {
		rows += s.traces.parts[i].n
	}
	before := *s.counts
	before.Findings, before.NotJudged = maps.Clone(before.Findings), maps.Clone(before.NotJudged)
	pass := func() error {
		s.refs, s.asks, s.w = newRefBits(rows), &asks{of: s.asking}, s.out.writer()
		return s.each(ctx, s.first)
	}
	s.common.counting = true
	err := pass()
	s.common.counting = false
	broken := s.common.joins.Broken()
	if err != nil || len(broken) == 0 {
		return err
	}
	if err := cmp.Or(s.w.done(), s.out.close()); err != nil {
		return err
	}
	s.out = newPool(s.out.dir, suspectSize, partitions, s.out.budget)
	*s.counts, s.strays, s.found, s.guests = before, 0, 0, 0
	s.places.part(broken)
	return pass()
}

// part keeps sources apart that were never comparable.
func (p *places) part(broken []reconcile.BrokenJoin) {
	p.covers = false
	p.apart = make(map[uint16]uint8)
	for _, b := range broken {
		if b.Partly {
			continue // when an action was under way, the rules say
		}
		p.apart[uint16(b.A)] |= p.shows[b.B] // no more sources than all allows
		p.apart[uint16(b.B)] |= p.shows[b.A]
	}
}

// apartFrom reports whether some row's source is kept apart from one of a role.
func (p *places) apartFrom(rows []trace, role reconcile.Role) bool {
	return p.apart != nil && slices.ContainsFunc(rows, func(t trace) bool { return p.apart[t.src]&(1<<role) != 0 })
}

// findings are what the counters say of each contract.
func (c *common) findings(w *reconcile.World, of []map[*reconcile.Contract]bool, book reconcile.Book) []ContractFinding {
	var out []ContractFinding
	for ci, one := range book {
		out = append(out, c.shapeFindings(uint16(ci), one.Name)...) // as in read
		for _, b := range c.joins.Broken() {
			if of[b.A][one] && of[b.B][one] && (!b.Partly || b.Contract == ci) {
				out = append(out, ContractFinding{Kind: reconcile.JoinBroken, Contract: one.Name, Count: min(b.OfA, b.OfB), From: b.From, To: b.To, Text: b.Text(w)})
			}
		}
		for i, life := range c.lives {
			if life == nil || !of[i][one] || len(w.Broken) > 0 {
				continue
			}
			if d, ok := life.Early(); ok {
				out = append(out, ContractFinding{
					Kind: reconcile.EarlyLoss, Contract: one.Name, Count: life.Gone(), From: c.now.Add(-one.Retention.D), To: c.now.Add(-d), Text: life.Text(d),
				})
			}
		}
	}
	return out
}
