package mapping

import (
	"slices"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources/rows"
)

// op reads one fact of a row into the Mapper's record. When it fails it leaves the fact unknown.
type op func(cells []rows.Cell) *Unreadable

// Mapper fills one record from the cells of one row after the other. It serves one goroutine.
type Mapper struct {
	paths []rows.Path    // what is asked of the source
	cells map[string]int // path as written → place in a row
	slots []slot         // the places of a row
	row   []rows.Cell    // the row with its derived cells, where there are any
	split bool           // there are

	where, claim []condition
	exclude      []exclusion
	leftOut      string // why the row that was mapped last gave no record: the exclusion's reason
	ops          []op
	testMode     bool // rows of test mode are read
	isTest       bool // the row that is mapped is of test mode, and is not

	rec   reconcile.Record
	one   [1]reconcile.Attempt // the attempt of a row that holds one
	arena []byte               // texts made for this row; only appended to, so earlier ones stay as they are
	codes map[string]string    // currencies that the table does not know, each kept once

	mixed      []*mixed
	clocks     []namedClock
	tables     []string // versions of those that the map reads by
	understood []Understood

	times, refs, hasState, oneAttempt, perAttempt bool
}

// slot is one cell of a row: a source's own, or one that is derived of it.
type slot struct {
	from    int // the source's cell
	derived *derived
}

// Understood is how one fact of the map is read, for people.
type Understood struct {
	Fact   string
	Column string // as the config spells it, "" for a constant
	How    string // component, reference, text, payload, time (unix-s), number, words, amount (minor), extra, attempts
	Must   bool   // a source in which no record has it is misread: part of the identity, a record's own id, a closed word without a meaning for null

	paths  []string // its columns as the config spells them
	any    bool     // one of them is enough
	partly bool     // some of its values are taken from some rows alone
}

// Paths lists the cells that Map needs, in this order.
func (m *Mapper) Paths() []rows.Path { return m.paths }

// Components names the identity components that the source maps, in the map's order.
func (m *Mapper) Components() []string {
	names := make([]string, len(m.rec.Components))
	for i := range m.rec.Components {
		names[i] = m.rec.Components[i].Name
	}
	return names
}

// MapsRef reports whether the map gives a reference by which records join.
func (m *Mapper) MapsRef() bool { return m.refs }

// MapsOwnRef reports whether the map gives the reference by which other records point at this source's, which is where their absence shows: an effect's
// id, also in a receipt, and a provider's object. Nothing points at an intent or a message.
func (m *Mapper) MapsOwnRef() bool {
	own := ownRefs[m.rec.Role]
	return own == "" || slices.ContainsFunc(m.understood, func(u Understood) bool { return u.Fact == own })
}

// MapsAlias reports whether the map gives a second reference of the provider's object.
func (m *Mapper) MapsAlias() bool {
	return slices.ContainsFunc(m.understood, func(u Understood) bool { return u.Fact == "alias_id" })
}

// MapsSentKey reports whether the map gives the key that the provider was sent, so that a key which the rows carry besides is the client's.
func (m *Mapper) MapsSentKey() bool {
	return slices.ContainsFunc(m.understood, func(u Understood) bool { return u.Fact == "provider_key" })
}

// MapsSent reports whether a message's row can tell that the message was sent: one that cannot is gone once it was, as far as a scan can see.
func (m *Mapper) MapsSent() bool {
	return slices.ContainsFunc(m.understood, func(u Understood) bool {
		return u.Column != "" && (u.Fact == "state" || u.Fact == "sent_at" || u.Fact == "confirmed_at")
	})
}

// Has reports whether a fact has a value in a row, as far as has says which cells have one. What is read from no column has.
func (u *Understood) Has(m *Mapper, has func(cell int) bool) bool {
	n := 0
	for _, path := range u.paths {
		if has(m.slots[m.cells[path]].from) {
			n++
		}
	}
	return n == len(u.paths) || u.any && n > 0
}

// MayLack reports whether a fact is taken from some rows alone, so that all rows of a source may lack it though its map is right.
func (m *Mapper) MayLack(fact string) bool {
	return slices.ContainsFunc(m.understood, func(u Understood) bool { return u.Fact == fact && u.partly })
}

// MapsTime reports whether the map gives a time.
func (m *Mapper) MapsTime() bool { return m.times }

// Understood says how each fact is read.
func (m *Mapper) Understood() []Understood { return m.understood }

// ColumnOf names the plain column that a fact is read from, "" where it is a member, made of several columns, or none.
func (m *Mapper) ColumnOf(fact string) string {
	for _, u := range m.understood {
		if u.Fact != fact {
			continue
		}
		if p, err := ParsePath(u.Column); err == nil && len(p.Members) == 0 {
			return p.Column
		}
	}
	return ""
}

// Mixed names the component columns which, in the rows mapped so far, may spell one value in two types.
func (m *Mapper) Mixed() []string {
	var columns []string
	for _, x := range m.mixed {
		if x.twice() && !slices.Contains(columns, x.column) {
			columns = append(columns, x.column)
		}
	}
	return columns
}

// LeftOut says by which exclusion the row that was mapped last gave no record, "" where where left it out.
func (m *Mapper) LeftOut() string { return m.leftOut }

// Map reads one row; cells[i] belongs to Paths()[i]. It returns no record for a row that where or an exclusion leaves out, and says why a row is unreadable.
// The record is the Mapper's own and valid until the next call.
func (m *Mapper) Map(cells []rows.Cell) (*reconcile.Record, *Unreadable) {
	m.arena, m.leftOut, m.isTest = m.arena[:0], "", false
	if m.split {
		cells = m.derived(cells)
	}
	if taken, bad := m.holds(m.where, cells); bad != nil || !taken {
		return nil, bad
	}
	if out, bad := m.excluded(cells); bad != nil || out {
		return nil, bad
	}
	r := &m.rec
	r.NotOurs, r.EmptyKey, r.KeyFrom, r.Blur = false, false, "", 0
	var bad *Unreadable
	if r.Claimed, bad = m.holds(m.claim, cells); bad != nil {
		r.Claimed = false
	}
	for _, op := range m.ops {
		if bad := op(cells); bad != nil && r.Claimed && !r.NotOurs {
			return nil, bad
		}
		if m.isTest {
			m.leftOut = TestMode
			return nil, nil
		}
	}
	return r, nil
}

func (m *Mapper) add(o op) { m.ops = append(m.ops, o) }

// derived returns the row with the cells that selectors make.
func (m *Mapper) derived(cells []rows.Cell) []rows.Cell {
	m.row = m.row[:0]
	for _, s := range m.slots {
		if s.derived == nil {
			m.row = append(m.row, cells[s.from])
			continue
		}
		m.row = append(m.row, m.follow(s.derived, cells[s.from]))
	}
	return m.row
}

// cell returns the place of a path's cell in a row, asking the source for it when it is new.
func (m *Mapper) cell(path string) (int, error) {
	if i, ok := m.cells[path]; ok {
		return i, nil
	}
	p, steps, err := cutPath(path)
	if err != nil {
		return 0, err
	}
	from := slices.IndexFunc(m.paths, func(o rows.Path) bool { return o.Column == p.Column && slices.Equal(o.Members, p.Members) })
	if from < 0 {
		from = len(m.paths)
		m.paths = append(m.paths, p)
	}
	d := derive(from, steps)
	m.split = m.split || d != nil || from != len(m.slots)
	m.cells[path] = len(m.slots)
	m.slots = append(m.slots, slot{from: from, derived: d})
	return m.cells[path], nil
}

// keep copies a value into the arena.
func (m *Mapper) keep(v reconcile.Value) reconcile.Value {
	if !v.Known() {
		return v
	}
	from := len(m.arena)
	m.arena = append(m.arena, v.Bytes()...)
	return reconcile.Bytes(m.arena[from:len(m.arena):len(m.arena)])
}
