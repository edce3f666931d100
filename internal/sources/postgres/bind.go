package postgres

import (
	"slices"
	"strconv"
	"strings"

	"example.com/idemctl/internal/sources/jsonwalk"
	"example.com/idemctl/internal/sources/rows"
)

// wanted is one column that the caller's paths need, with all that is taken from it: its cell may serve several paths, and its members are found in one
// walk over its text.
type wanted struct {
	column  int   // its place in cols
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
	at := map[int]int{}
	for i, p := range paths {
		c := t.column(p.Column)
		if c < 0 {
			return t.noColumn(p.Column)
		}
		n, ok := at[c]
		if !ok {
			n = len(t.wanted)
			at[c] = n
			t.wanted = append(t.wanted, wanted{column: c})
		}
		w := &t.wanted[n]
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

// selection is a statement's list of columns, and where each wanted column stands in it.
type selection struct {
	sql     string  // SELECT … FROM …
	columns []int   // columns[i] is the i-th selected column's place in cols
	at      []int   // at[i] is where the i-th selected column stands in a row
	lengths []int   // lengths[i] is where its length stands, -1 when it is not asked for
	places  []int   // places[i] is where wanted[i] stands in columns
	formats []int16 // of the whole row
}

// pick selects the columns that keep says, with the position first. A guarded column comes with its length, and only where it is short.
func (t *table) pick(guarded bool, keep func(i int) bool) *selection {
	s := &selection{}
	var list []string
	add := func(sql string, format int16) int {
		list = append(list, sql)
		s.formats = append(s.formats, format)
		return len(list) - 1
	}
	if t.way == tree {
		add("q.tableoid", binaryFormat)
	}
	if t.way != ordinal {
		add("q.ctid", binaryFormat)
	}
	stands := make([]int, len(t.cols))
	for i, c := range t.cols {
		if !keep(i) {
			continue
		}
		stands[i] = len(s.columns)
		s.columns = append(s.columns, i)
		name, length := "q."+quote(c.Name), -1
		if guarded && c.long {
			size := c.length(name)
			length = add(size, binaryFormat)
			name = "CASE WHEN " + size + " <= " + strconv.Itoa(maxCell) + " THEN " + name + " END"
		}
		s.lengths = append(s.lengths, length)
		s.at = append(s.at, add(name, c.format()))
	}
	if len(list) == 0 {
		add("NULL", textFormat)
	}
	from := t.from
	if t.way != ordinal || t.relation.oid != "" {
		from += " AS q"
	}
	s.sql = "SELECT " + strings.Join(list, ", ") + " FROM " + from
	for _, w := range t.wanted {
		s.places = append(s.places, stands[w.column])
	}
	return s
}

// length is how long a value is as it will be sent, where that can be told without unpacking it; else as it is stored.
func (c *column) length(name string) string {
	switch c.oid {
	case oidText, oidVarchar, oidBpchar, oidBytea:
		return "octet_length(" + name + ")"
	}
	return "pg_column_size(" + name + ")"
}

func (t *table) isWanted(column int) bool {
	return slices.ContainsFunc(t.wanted, func(w wanted) bool { return w.column == column })
}

// needed are the columns of a scan: what the paths want, and what names a row that cannot be read.
func (t *table) needed(column int) bool { return t.isWanted(column) || slices.Contains(t.id, column) }

func (t *table) all(int) bool { return true }

// fill takes the caller's cells from a row and returns how many bytes they hold.
func (t *table) fill(values [][]byte, s *selection, cells []rows.Cell) int64 {
	t.scratch = t.scratch[:0]
	var size int64
	for i := range t.wanted {
		w := &t.wanted[i]
		var c rows.Cell
		t.read(values, s, s.places[i], &c)
		size += int64(len(c.Text))
		for _, slot := range w.whole {
			cells[slot] = c
		}
		if len(w.members) > 0 {
			w.dig(c, t.cols[w.column].isJSON(), cells)
		}
	}
	return size
}

// dig fills the paths that lead into the JSON of c.
func (w *wanted) dig(c rows.Cell, typed bool, cells []rows.Cell) {
	switch {
	case c.Kind == rows.JSON, !typed && (c.Kind == rows.Text || c.Kind == rows.Blob):
		if err := w.walker.Walk(c.Text, w.found); err != nil {
			w.spread(bad("not JSON: " + err.Error()))
		}
	case c.Kind == rows.Bad:
		w.spread(c)
	default:
		clear(w.found) // null, a number, a JSON string: none has members
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
