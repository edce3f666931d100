package sqlite

import (
	"slices"
	"strings"

	"example.com/idemctl/internal/sources/jsonwalk"
	"example.com/idemctl/internal/sources/rows"
)

// wanted is one column that the caller's paths need, with all that is taken from it: its cell may serve several paths, and its members are found in one
// walk over its text.
type wanted struct {
	column  int   // its place in cols; -1 is the rowid
	whole   []int // the paths that are the column itself
	members [][]string
	slots   []int // slots[i] is the path of members[i]
	walker  *jsonwalk.Walker
	found   []rows.Cell
}

// Bind implements rows.Table.
func (t *table) Bind(paths []rows.Path) error {
	t.paths = len(paths)
	t.wanted = nil
	place := map[int]int{}
	for i, p := range paths {
		c := t.column(p.Column)
		if c < 0 && (t.rowid == "" || !isRowid(p.Column)) {
			return t.noColumn(p.Column)
		}
		at, ok := place[c]
		if !ok {
			at = len(t.wanted)
			place[c] = at
			t.wanted = append(t.wanted, wanted{column: c})
		}
		w := &t.wanted[at]
		if len(p.Members) == 0 {
			w.whole = append(w.whole, i)
			continue
		}
		w.members = append(w.members, p.Members)
		w.slots = append(w.slots, i)
	}
	for i := range t.wanted {
		w := &t.wanted[i]
		w.walker = jsonwalk.Compile(w.members)
		w.found = make([]rows.Cell, len(w.members))
	}
	return nil
}

func isRowid(name string) bool {
	switch fold(name) {
	case "rowid", "_rowid_", "oid":
		return true
	default:
		return false
	}
}

// selection is a statement's list of columns, and where each wanted column stands in it.
type selection struct {
	sql     string
	columns []int // columns[i] is the i-th selected column's place in cols
	places  []int // places[i] is where wanted[i] stands in columns, -1 for the rowid
}

// pick selects what keep says, with the position first.
func (t *table) pick(guarded bool, keep func(i int) bool) selection {
	var s selection
	var b strings.Builder
	b.WriteString("SELECT ")
	if t.rowid == "" {
		b.WriteString("NULL")
	} else {
		b.WriteString(t.rowid)
	}
	at := make([]int, len(t.cols))
	for i, c := range t.cols {
		if !keep(i) {
			continue
		}
		at[i] = len(s.columns)
		s.columns = append(s.columns, i)
		if guarded {
			b.WriteString(selectGuarded(c.Name))
		} else {
			b.WriteString(selectPlain(c.Name))
		}
	}
	b.WriteString(" FROM " + t.from)
	s.sql = b.String()
	for _, w := range t.wanted {
		if w.column < 0 {
			s.places = append(s.places, -1)
		} else {
			s.places = append(s.places, at[w.column])
		}
	}
	return s
}

func (t *table) isWanted(column int) bool {
	for _, w := range t.wanted {
		if w.column == column {
			return true
		}
	}
	return false
}

// all selects every stored column. One that is computed is read only when it is wanted, because computing may fail.
func (t *table) all(column int) bool {
	return !t.cols[column].virtual || t.isWanted(column) || slices.Contains(t.id, column)
}

// fill takes the caller's cells from the current row and returns how many bytes they hold.
func (t *table) fill(r row, s selection, cells []rows.Cell) int64 {
	t.scratch = t.scratch[:0]
	var size int64
	for i := range t.wanted {
		w := &t.wanted[i]
		var c rows.Cell
		if s.places[i] < 0 {
			c = rows.Cell{Kind: rows.Int, Num: r.st.Int(0)}
		} else {
			t.read(r, s.places[i], &c)
		}
		size += int64(len(c.Text))
		for _, slot := range w.whole {
			cells[slot] = c
		}
		if len(w.members) > 0 {
			w.dig(c, cells)
		}
	}
	return size
}

// dig fills the paths that lead into the JSON of c.
func (w *wanted) dig(c rows.Cell, cells []rows.Cell) {
	switch c.Kind {
	case rows.Null:
		clear(w.found)
	case rows.Text, rows.Blob, rows.Real:
		if err := w.walker.Walk(c.Text, w.found); err != nil {
			w.spread(bad("not JSON: " + err.Error()))
		}
	case rows.Bad:
		w.spread(c)
	default:
		clear(w.found) // a number has no members
	}
	for i, slot := range w.slots {
		cells[slot] = w.found[i]
	}
}

func (w *wanted) spread(c rows.Cell) {
	for i := range w.found {
		w.found[i] = c
	}
}
