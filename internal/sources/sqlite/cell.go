package sqlite

import (
	"fmt"
	"math"
	"strconv"

	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/sources/sqlite/engine"
)

// maxCell is the longest value that is read, in bytes; a longer one becomes a Bad cell without being loaded.
const maxCell = 1 << 20

// Each column is selected in one of two ways. Plain is the column itself: a value longer than the connection's limit ends the statement. Guarded is the
// column's length, which costs no look at the value, and the column only when it is short.
func selectPlain(name string) string { return ", " + quote(name) }

func selectGuarded(name string) string {
	q := quote(name)
	return fmt.Sprintf(", octet_length(%s), CASE WHEN octet_length(%s) <= %d THEN %s END", q, q, maxCell, q)
}

// row views the current row of a statement whose first column is the position.
type row struct {
	st      *engine.Stmt
	guarded bool
}

// excess is the length of the i-th selected column where it is longer than may be read, else 0.
func (r row) excess(i int) int64 {
	if !r.guarded {
		return 0
	}
	if n := r.st.Int(1 + 2*i); n > maxCell {
		return n
	}
	return 0
}

func (r row) at(i int) int {
	if r.guarded {
		return 2 + 2*i
	}
	return 1 + i
}

// read fills c with the i-th selected column.
func (t *table) read(r row, i int, c *rows.Cell) {
	if n := r.excess(i); n > 0 {
		*c = tooLong(n)
		return
	}
	t.cell(r.st, r.at(i), c)
}

// cell fills c with a result column, whatever type the column declares.
func (t *table) cell(st *engine.Stmt, i int, c *rows.Cell) {
	switch st.Type(i) {
	case engine.Integer:
		*c = rows.Cell{Kind: rows.Int, Num: st.Int(i)}
	case engine.Float:
		start := len(t.scratch)
		t.scratch = appendReal(t.scratch, st.Float(i))
		*c = rows.Cell{Kind: rows.Real, Text: t.scratch[start:len(t.scratch):len(t.scratch)]}
	case engine.String:
		*c = rows.Cell{Kind: rows.Text, Text: st.Text(i)}
	case engine.Bytes:
		*c = rows.Cell{Kind: rows.Blob, Text: st.Blob(i)}
	default:
		*c = rows.Cell{Kind: rows.Null}
	}
}

func tooLong(n int64) rows.Cell {
	return bad(fmt.Sprintf("%d bytes, longer than the %d that are read of one value", n, maxCell))
}

func bad(reason string) rows.Cell { return rows.Cell{Kind: rows.Bad, Text: []byte(reason)} }

// appendReal writes the shortest text that reads back as the same double, with an exponent only where plain digits would be long.
func appendReal(b []byte, f float64) []byte {
	const smallest, largest = 1e-6, 1e21
	format := byte('f')
	if a := math.Abs(f); a != 0 && (a < smallest || a >= largest) {
		format = 'e'
	}
	return strconv.AppendFloat(b, f, format, -1, 64)
}

// appendKey writes a cell as part of a locator.
func appendKey(b []byte, c rows.Cell) []byte {
	switch c.Kind {
	case rows.Int:
		return strconv.AppendInt(b, c.Num, 10)
	case rows.Real, rows.Text:
		return append(b, c.Text...)
	case rows.Blob:
		return fmt.Appendf(b, "x'%x'", c.Text)
	case rows.Null:
		return append(b, "null"...)
	default:
		return append(b, '?')
	}
}
