package reconcile

import (
	"slices"
	"time"
)

// What a restore took leaves a pattern: from some instant to another, actions of which other sources tell have nothing in the store, while before and after
// they have. Witnesses counts that by slices of time, before anything is judged.
//
// The sizes bound its memory: so many slices of 28 bytes for each store, and fewer for each of its partitions.
const (
	storeSlices = 4096
	partSlices  = 256
	mostParts   = 255
)

// Witness is one row of an action.
type Witness struct {
	Source int // by its place in the world
	At     Instant
	Done   bool // it shows that the action was done: a row that stands, a line that succeeded, a completed receipt of an effect, a confirmed attempt, a message
}

// Witnesses counts, for every receipt and effect store that the service consults, the actions that others tell of, with and without their record in it.
type Witnesses struct {
	world  *World
	stores []*witnessed
	parts  [][]Component // the values by which scopes divide the stores, without operation and key
}

// witnessed is one store with its counters.
type witnessed struct {
	source int
	facts  *SourceFacts
	by     []bool     // of each source: it may bear witness
	spans  []timeSpan // of each contract: when a lack would count
	whole  timeline
	parts  []timeline // of each partition
	events []eventCount
}

// timeSpan is whole seconds since 1970; from > to is never.
type timeSpan struct{ from, to int64 }

// eventCount shows by slices of time what a declared restore took.
type eventCount struct {
	event  int
	mask   timeSpan // widened: what lacks here is explained
	within timeline // from before it to after it
}

// NewWitnesses makes the counters. first and last are the first and last row of each source, as far as rows tell; parts are the partitions that rows were
// seen of, by their number.
func NewWitnesses(w *World, book Book, first, last []Instant, parts [][]Component) *Witnesses {
	out := &Witnesses{world: w, parts: parts}
	if len(w.Sources) > maxJoinSources {
		return out
	}
	for i := range w.Sources {
		if s := out.watch(i, book, first, last); s != nil {
			out.stores = append(out.stores, s)
		}
	}
	return out
}

// watch makes the counters of one store; nil where its lack says nothing: it is not consulted, shares its role with another that is, or was not read whole.
func (w *Witnesses) watch(at int, book Book, first, last []Instant) *witnessed {
	f := &w.world.Sources[at]
	if !f.Serves || (f.Role != RoleReceipt && f.Role != RoleEffect) || !f.Coverage.Complete || !f.Coverage.Proves || !first[at].known {
		return nil
	}
	s := &witnessed{source: at, facts: f, by: make([]bool, len(w.world.Sources))}
	span := timeSpan{from: first[at].ns / 1e9, to: last[at].ns / 1e9}
	for i := range w.world.Sources {
		o := &w.world.Sources[i]
		switch {
		case i == at:
			continue
		case o.Role == f.Role && o.Serves:
			return nil // which of them should have a record, nothing here tells
		case o.Role == f.Role:
			s.by[i] = slices.Contains(f.Components, "key") && slices.Contains(o.Components, "key")
		default:
			s.by[i] = joinable(f, o) != joinNothing
		}
		if s.by[i] && last[i].known {
			span.to = max(span.to, last[i].ns/1e9)
		}
	}
	for _, c := range book {
		one := s.span(c, w.world.Now)
		s.spans = append(s.spans, one)
	}
	if oldest := s.oldest(); oldest > span.from {
		span.from = oldest
	}
	span.to = min(span.to, w.world.Now.ns/1e9)
	if span.to <= span.from {
		return nil
	}
	s.whole = newTimeline(span, storeSlices)
	if n := len(w.parts); n > 1 && n <= mostParts {
		s.parts = make([]timeline, n)
		for i := range s.parts {
			s.parts[i] = timeline{span: span, width: widthOf(span, partSlices)}
		}
	}
	s.declared(w.world, book)
	return s
}

// span is when the lack of a contract's record in the store would count: after the contract's receipts began, inside what the store keeps, and old enough.
func (s *witnessed) span(c *Contract, now Instant) timeSpan {
	if c.Effect == LegsNone || (s.facts.Role == RoleEffect && !c.Effect.local()) {
		return timeSpan{from: 1}
	}
	from := Latest(s.facts.Coverage.From, c.Since)
	switch {
	case s.facts.Role == RoleReceipt && c.Retention.Valid:
		from = Latest(from, now.Add(c.Settle-c.Retention.D))
	case s.facts.Role == RoleEffect && s.facts.Retained.Valid:
		from = Latest(from, now.Add(c.Settle-s.facts.Retained.D))
	}
	to := Earliest(s.facts.Coverage.To, now).Add(-s.slack(c) - s.facts.Coverage.Lag)
	out := timeSpan{to: to.ns / 1e9}
	if from.known {
		out.from = from.ns/1e9 + 1
	}
	return out
}

// oldest is the first second at which some contract's lack would count.
func (s *witnessed) oldest() int64 {
	var out int64 = 1<<63 - 1
	for _, one := range s.spans {
		if one.from <= one.to {
			out = min(out, one.from)
		}
	}
	return out
}

// slack is how much later than its witness a record may be written and still be the one that the action made.
func (s *witnessed) slack(c *Contract) time.Duration {
	d := c.SettleTime().D + s.facts.Skew
	if c.Lease.Valid {
		d += c.Lease.D
	}
	return d
}

// declared makes the counters of the store's declared restores.
func (s *witnessed) declared(w *World, book Book) {
	wide := max(s.facts.Skew, s.facts.Coverage.Lag)
	for _, c := range book {
		wide = max(wide, c.Settle)
	}
	for i := range w.Events {
		ev := &w.Events[i]
		if ev.Store != s.facts.Name {
			continue
		}
		end := ev.To.Or(ev.ResumedAt)
		e := eventCount{event: i, mask: timeSpan{from: 0, to: 1<<63 - 1}}
		if ev.From.known {
			e.mask.from = ev.From.Add(-wide).ns / 1e9
		}
		if end.known {
			e.mask.to = end.Add(wide).ns/1e9 + 1
		}
		if ev.From.known && end.known {
			e.within = newTimeline(around(timeSpan{ev.From.ns / 1e9, end.ns / 1e9}), shownSlices)
		}
		s.events = append(s.events, e)
	}
}

// Add counts the rows of one identity, or one row that carries none. contract is by its place in the book, part one of the partitions, -1 where it is not
// known.
func (w *Witnesses) Add(contract, part int, c *Contract, rows []Witness) {
	for _, s := range w.stores {
		s.add(w, contract, part, c, rows)
	}
}

func (s *witnessed) add(w *Witnesses, contract, part int, c *Contract, rows []Witness) {
	var own, told, wished int64
	by := -1                     // who tells; several where it is more than one
	has, unclear := false, false // unclear: the store's record is not whole, and says not when it was made
	for i := range rows {
		r := &rows[i]
		at := r.At.ns / 1e9
		switch {
		case r.Source == s.source:
			has = true
			unclear = unclear || (!r.Done && !r.At.known)
			if r.At.known {
				own = earlier(own, at)
			}
		case !r.Done || !r.At.known || !s.by[r.Source]:
		case w.world.Sources[r.Source].Role == RoleIntent: // a wish may be older than what was done for it
			wished = earlier(wished, at)
		default:
			told = earlier(told, at)
		}
		if r.Source != s.source && r.Done && s.by[r.Source] {
			by = oneOrSeveral(by, r.Source)
		}
	}
	if told == 0 {
		told = wished
	}
	span := s.spans[contract]
	switch {
	case unclear: // a backup may have brought it back as it was
	case has && told != 0 && own <= told+int64(s.slack(c)/time.Second)+1:
		s.count(w, part, told, kept)
	case has && own != 0: // its own time, as it was made for nobody here, or anew
		s.count(w, part, own, kept)
	case !has && told >= span.from && told <= span.to && told != 0:
		how := lost
		if by == several {
			how = lostToAll
		}
		s.count(w, part, told, how)
	}
}

const several = -2

func oneOrSeveral(have, source int) int {
	if have == -1 || have == source {
		return source
	}
	return several
}

// fate is what became of an action's record in the store.
type fate uint8

const (
	kept      fate = iota
	lost           // another source tells of the action
	lostToAll      // several do
)

// earlier is the earlier of two seconds, of which 0 is none.
func earlier(a, b int64) int64 {
	if a == 0 || b < a {
		return b
	}
	return a
}

// count notes one action at a second. What lacks inside a declared restore is explained, and proposes nothing.
func (s *witnessed) count(w *Witnesses, part int, at int64, how fate) {
	explained := false
	for i := range s.events {
		e := &s.events[i]
		if !w.concerned(&w.world.Events[e.event], part) {
			continue
		}
		e.within.add(at, how)
		explained = explained || (at >= e.mask.from && at <= e.mask.to)
	}
	if explained && how != kept {
		return
	}
	s.whole.add(at, how)
	if part >= 0 && part < len(s.parts) {
		s.parts[part].add(at, how)
	}
}

// concerned reports whether an event concerns a partition; one that is not known it may.
func (w *Witnesses) concerned(ev *Event, part int) bool {
	if len(ev.Only) == 0 || part < 0 || part >= len(w.parts) {
		return true
	}
	for _, c := range w.parts[part] {
		if values := ev.Only[c.Name]; len(values) > 0 && c.Value.known && !slices.Contains(values, c.Value.String()) {
			return false
		}
	}
	return true
}

// timeline counts by slices of time. Its slices are made when the first action is counted.
type timeline struct {
	span  timeSpan
	width int64 // seconds of a slice
	cells []cell
}

// cell is one slice: how many actions are there with and without a record, and when the first and last of each.
type cell struct {
	with, lack          uint32
	agreed              uint32 // of those without, those of which several sources tell
	firstWith, lastWith uint32
	firstLack, lastLack uint32
}

func newTimeline(span timeSpan, slices int64) timeline {
	return timeline{span: span, width: widthOf(span, slices)}
}

// widthOf is how many seconds a slice must have so that so many cover a span.
func widthOf(span timeSpan, slices int64) int64 { return max(1, (span.to-span.from+slices)/slices) }

func (t *timeline) add(at int64, how fate) {
	if t.width == 0 || at < t.span.from || at > t.span.to {
		return
	}
	if t.cells == nil {
		t.cells = make([]cell, (t.span.to-t.span.from)/t.width+1)
	}
	c := &t.cells[(at-t.span.from)/t.width]
	n, first, last := &c.with, &c.firstWith, &c.lastWith
	if how == lostToAll {
		c.agreed++
	}
	if how != kept {
		n, first, last = &c.lack, &c.firstLack, &c.lastLack
	}
	if s := uint32(at); *n == 0 { // a trace holds seconds in 32 bits
		*first, *last = s, s
	} else {
		*first, *last = min(*first, s), max(*last, s)
	}
	if *n < 1<<32-1 {
		*n++
	}
}
