package sqlite

import (
	"slices"
	"strings"

	"example.com/idemctl/internal/sources/jsonwalk"
	"example.com/idemctl/internal/sources/rows"
)

// Bind implements rows.Table.
func (t *table) Bind(paths []rows.Path) (err error) {
	t.paths = len(paths)
	t.wanted, err = jsonwalk.Columns(paths, func(name string) (int, error) {
		c := t.column(name) // -1 is the rowid
		if c < 0 && (t.rowid == "" || !isRowid(name)) {
			return 0, t.noColumn(name)
		}
		return c, nil
	})
	return err
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
		if w.At < 0 {
			s.places = append(s.places, -1)
		} else {
			s.places = append(s.places, at[w.At])
		}
	}
	return s
}

func (t *table) isWanted(column int) bool {
	for _, w := range t.wanted {
		if w.At == column {
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
		w.Fill(c, cells)
	}
	return size
}
