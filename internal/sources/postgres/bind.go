package postgres

import (
	"slices"
	"strconv"
	"strings"

	"example.com/idemctl/internal/sources/jsonwalk"
	"example.com/idemctl/internal/sources/rows"
)

// Bind implements rows.Table.
func (t *table) Bind(paths []rows.Path) (err error) {
	t.paths = len(paths)
	t.wanted, err = jsonwalk.Columns(paths, func(name string) (int, error) {
		c := t.column(name)
		if c < 0 {
			return 0, t.noColumn(name)
		}
		return c, nil
	})
	return err
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
		s.places = append(s.places, stands[w.At])
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
	return slices.ContainsFunc(t.wanted, func(w jsonwalk.Column) bool { return w.At == column })
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
		for _, slot := range w.Whole {
			cells[slot] = c
		}
		if t.cols[w.At].isJSON() && c.Kind != rows.JSON && c.Kind != rows.Bad {
			c = rows.Cell{Kind: rows.Null} // null, a number, a JSON string: none has members
		}
		w.Dig(c, cells)
	}
	return size
}
