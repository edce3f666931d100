package postgres

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"example.com/idemctl/internal/sources/jsonwalk"
	"example.com/idemctl/internal/sources/rows"
)

// maxCell is the longest value that is handed over, in bytes; a longer one becomes a Bad cell.
const maxCell = 1 << 20

// The types whose values need a look; all others come as the text that the server writes, which is exact.
const (
	oidBool        = 16
	oidBytea       = 17
	oidInt8        = 20
	oidInt2        = 21
	oidInt4        = 23
	oidText        = 25
	oidJSON        = 114
	oidFloat4      = 700
	oidFloat8      = 701
	oidBpchar      = 1042
	oidVarchar     = 1043
	oidTimestamptz = 1184
	oidNumeric     = 1700
	oidJSONB       = 3802
)

// errShape means that the server sent a value in a form that its type does not have.
var errShape = errors.New("a value has not the form of its type")

func (c *column) isJSON() bool { return c.oid == oidJSON || c.oid == oidJSONB }

// format is how a column's values come: binary where that is exact and shorter.
func (c *column) format() int16 {
	switch c.oid {
	case oidBool, oidBytea, oidInt2, oidInt4, oidInt8, oidFloat4, oidFloat8, oidTimestamptz:
		return binaryFormat
	}
	return textFormat
}

// read fills c with the i-th selected column of a row. Its text lies in the row, or in the table's scratch.
func (t *table) read(values [][]byte, s *selection, i int, c *rows.Cell) {
	if at := s.lengths[i]; at >= 0 && len(values[at]) == 4 {
		if n := binary.BigEndian.Uint32(values[at]); n > maxCell {
			*c = tooLong(int64(n))
			return
		}
	}
	value := values[s.at[i]]
	switch {
	case value == nil:
		*c = rows.Cell{Kind: rows.Null}
	case len(value) > maxCell:
		*c = tooLong(int64(len(value)))
	default:
		*c = t.cell(&t.cols[s.columns[i]], value)
	}
}

func (t *table) cell(col *column, value []byte) rows.Cell {
	switch col.oid {
	case oidBool:
		return number(value, 1, func() int64 { return int64(value[0]) }, rows.Bool)
	case oidInt2:
		return number(value, 2, func() int64 { return int64(int16(binary.BigEndian.Uint16(value))) }, rows.Int)
	case oidInt4:
		return number(value, 4, func() int64 { return int64(int32(binary.BigEndian.Uint32(value))) }, rows.Int)
	case oidInt8:
		return number(value, 8, func() int64 { return int64(binary.BigEndian.Uint64(value)) }, rows.Int)
	case oidBytea:
		return rows.Cell{Kind: rows.Blob, Text: value}
	case oidFloat4, oidFloat8:
		return t.real(value)
	case oidTimestamptz:
		return t.instant(value)
	case oidNumeric:
		if last := value[len(value)-1]; last >= '0' && last <= '9' {
			return rows.Cell{Kind: rows.Number, Text: value}
		}
		return rows.Cell{Kind: rows.Text, Text: value} // NaN, Infinity
	case oidJSON, oidJSONB:
		return t.json(value)
	case oidBpchar:
		return rows.Cell{Kind: rows.Text, Text: bytes.TrimRight(value, " ")} // the padding of char(n) is no part of a value
	}
	return rows.Cell{Kind: rows.Text, Text: value}
}

func number(value []byte, size int, read func() int64, kind rows.Kind) rows.Cell {
	if len(value) != size {
		return bad(errShape.Error())
	}
	return rows.Cell{Kind: kind, Num: read()}
}

// keep adds a text that was made to the row's scratch.
func (t *table) keep(add func(b []byte) []byte) []byte {
	start := len(t.scratch)
	t.scratch = add(t.scratch)
	return t.scratch[start:len(t.scratch):len(t.scratch)]
}

// real writes the shortest text that reads back as the same value of its size.
func (t *table) real(value []byte) rows.Cell {
	var f float64
	bits := 64
	switch len(value) {
	case 4:
		f, bits = float64(math.Float32frombits(binary.BigEndian.Uint32(value))), 32
	case 8:
		f = math.Float64frombits(binary.BigEndian.Uint64(value))
	default:
		return bad(errShape.Error())
	}
	switch {
	case math.IsNaN(f):
		return rows.Cell{Kind: rows.Real, Text: []byte("NaN")}
	case math.IsInf(f, 1):
		return rows.Cell{Kind: rows.Real, Text: []byte("Infinity")}
	case math.IsInf(f, -1):
		return rows.Cell{Kind: rows.Real, Text: []byte("-Infinity")}
	}
	const smallest, largest = 1e-6, 1e21 // between them plain digits are short
	format := byte('f')
	if a := math.Abs(f); a != 0 && (a < smallest || a >= largest) {
		format = 'e'
	}
	return rows.Cell{Kind: rows.Real, Text: t.keep(func(b []byte) []byte { return strconv.AppendFloat(b, f, format, -1, bits) })}
}

// epoch is the server's zero of time, 2000-01-01, in microseconds of Unix.
const epoch = 946684800 * 1000000

// instant writes a moment in RFC 3339, to the microsecond that the server holds; what has no end is its own word.
func (t *table) instant(value []byte) rows.Cell {
	if len(value) != 8 {
		return bad(errShape.Error())
	}
	switch n := int64(binary.BigEndian.Uint64(value)); n {
	case math.MaxInt64:
		return rows.Cell{Kind: rows.Text, Text: []byte("infinity")}
	case math.MinInt64:
		return rows.Cell{Kind: rows.Text, Text: []byte("-infinity")}
	default:
		at := time.UnixMicro(n).UTC().Add(epoch * time.Microsecond)
		return rows.Cell{Kind: rows.Text, Text: t.keep(func(b []byte) []byte { return at.AppendFormat(b, time.RFC3339Nano) })}
	}
}

// json hands an object or an array over as its source text, a single value as what it is.
func (t *table) json(value []byte) rows.Cell {
	switch first := bytes.TrimLeft(value, " \t\r\n"); {
	case len(first) == 0:
		return bad("not JSON")
	case first[0] == '{' || first[0] == '[':
		return rows.Cell{Kind: rows.JSON, Text: value}
	}
	var out [1]rows.Cell
	if err := jsonwalk.Compile([][]string{nil}).Walk(value, out[:]); err != nil {
		return bad("not JSON: " + err.Error())
	}
	text := out[0].Text
	out[0].Text = t.keep(func(b []byte) []byte { return append(b, text...) })
	return out[0]
}

func tooLong(n int64) rows.Cell {
	return bad(fmt.Sprintf("%d bytes, longer than the %d that are read of one value", n, maxCell))
}

func bad(reason string) rows.Cell { return rows.Cell{Kind: rows.Bad, Text: []byte(reason)} }

// appendKey writes a cell as part of a locator.
func appendKey(b []byte, c rows.Cell) []byte {
	switch c.Kind {
	case rows.Int:
		return strconv.AppendInt(b, c.Num, 10)
	case rows.Bool:
		return strconv.AppendBool(b, c.Num != 0)
	case rows.Real, rows.Number, rows.Text, rows.JSON:
		return append(b, c.Text...)
	case rows.Blob:
		return fmt.Appendf(b, "x'%x'", c.Text)
	case rows.Null:
		return append(b, "null"...)
	case rows.Missing, rows.Bad:
	}
	return append(b, '?')
}
