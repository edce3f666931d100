package scan

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"example.com/idemctl/internal/reconcile"
)

// partitionValues numbers the partitions that rows tell: the values of their scope without operation and key.
type partitionValues struct {
	mu     sync.Mutex
	number map[string]uint8
	tuples [][]reconcile.Component
	over   bool // there are more
}

func newPartitionValues() *partitionValues {
	return &partitionValues{number: make(map[string]uint8)}
}

// values lists the partitions by their number less one; none where there are too many.
func (p *partitionValues) values() [][]reconcile.Component {
	if p.over {
		return nil
	}
	return p.tuples
}

// names is one goroutine's view of the numbers.
func (p *partitionValues) names() *partitionNames {
	return &partitionNames{all: p, known: make(map[string]uint8)}
}

// partitionNames remembers the numbers that one source has met, so that the numbers of all are locked once a partition.
type partitionNames struct {
	all   *partitionValues
	known map[string]uint8
	buf   []byte
}

// number is that of a row's partition; 0 where it does not tell it whole, where its contract has none, or where there are too many.
func (p *partitionNames) number(cs []reconcile.Component) uint8 {
	if p == nil {
		return 0
	}
	p.buf = p.buf[:0]
	for i := range cs {
		if !divides(&cs[i]) {
			continue
		}
		if !cs[i].Value.Known() {
			return 0
		}
		p.buf = append(append(p.buf, cs[i].Name...), 0)
		p.buf = binary.AppendUvarint(p.buf, uint64(len(cs[i].Value.Bytes())))
		p.buf = append(p.buf, cs[i].Value.Bytes()...)
	}
	if len(p.buf) == 0 {
		return 0
	}
	if n, ok := p.known[string(p.buf)]; ok {
		return n
	}
	n := p.all.add(string(p.buf), cs)
	if n != 0 {
		p.known[string(p.buf)] = n
	}
	return n
}

func divides(c *reconcile.Component) bool { return c.Name != "key" && c.Name != "operation" }

func (p *partitionValues) add(name string, cs []reconcile.Component) uint8 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n, ok := p.number[name]; ok {
		return n
	}
	if p.over = p.over || len(p.tuples) == mostParts; p.over {
		return 0
	}
	var tuple []reconcile.Component
	for i := range cs {
		if divides(&cs[i]) {
			tuple = append(tuple, reconcile.Component{Name: cs[i].Name, Value: cs[i].Value.Clone()})
		}
	}
	p.tuples = append(p.tuples, tuple)
	p.number[name] = uint8(len(p.tuples)) // at most mostParts
	return p.number[name]
}

// witnesses reports whether a row shows that its action was done.
func witnesses(c *reconcile.Contract, r *reconcile.Record) bool {
	switch r.Role {
	case reconcile.RoleReceipt:
		return c.StateOf(r) == reconcile.StateCompleted && c.HasEffect(r.ResponseStatus)
	case reconcile.RoleEffect:
		return reconcile.Effective(r)
	case reconcile.RoleProvider:
		return r.Outcome == reconcile.OutcomeSucceeded
	case reconcile.RoleIntent:
		return slices.ContainsFunc(r.Attempts, func(a reconcile.Attempt) bool { return a.Outcome == reconcile.AttemptConfirmed })
	case reconcile.RoleOutbox:
		return true
	}
	return false
}

// witness counts a group for the restore gaps, while it is asked to. One that several identities may share tells of none.
func (c *common) witness(g *group) {
	if !c.counting || g.torn {
		return
	}
	c.told = c.told[:0]
	part := -1
	for i := range g.rows {
		t := &g.rows[i]
		c.told = append(c.told, reconcile.Witness{Source: int(t.src), At: instantOf(t.t), Done: t.fl&done != 0})
		if n := t.fl.part(); n > 0 && part < 0 {
			part = n - 1
		}
	}
	ci := int(g.rows[0].ci)
	c.losses.Add(ci, part, c.book[ci], c.told)
}

// inferGaps lists the restore gaps before anything is judged, and says first what is systematic.
func (r *run) inferGaps() {
	r.gaps = r.common.losses.Gaps()
	r.world.Gaps = r.gaps[len(r.events):]
	for i := range r.world.Gaps {
		r.notes = append(r.notes, systematic(&r.world.Gaps[i]))
	}
}

// systematic says of a proposed gap what it means, before any of its cases.
func systematic(g *reconcile.Gap) string {
	to := "on"
	if g.To.Known() {
		to = "to " + stampOf(g.To)
	}
	lack := "actions that other sources show lack their record in it"
	if g.Missing == 1 {
		lack = "action that another source shows lacks its record in it"
	}
	return fmt.Sprintf("systematic: a restore gap of %s%s from %s %s: %d %s, %d have it. It is inferred: until it is confirmed (idemctl restore) it explains nothing, and nothing in it is called never executed.",
		g.Store, g.Where(), stampOf(g.From), to, g.Missing, lack, g.Present)
}

func stampOf(i reconcile.Instant) string { return i.Time().Format("2006-01-02T15:04:05Z") }

// eventsOf adds confirmed restores to declared ones, each once.
func eventsOf(declared, confirmed []reconcile.Event) []reconcile.Event {
	out := slices.Clone(declared)
	for i := range confirmed {
		if !slices.ContainsFunc(out, func(ev reconcile.Event) bool { return ev.Name() == confirmed[i].Name() }) {
			out = append(out, confirmed[i])
		}
	}
	return out
}
