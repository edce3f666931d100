package mapping

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources/rows"
)

// The spellings of JSON from which stores derive keys.
const (
	jsonCanonical = "canonical" // RFC 8785, numbers to the last digit: see reconcile.Canonical
	jsonPython    = "python"    // Python's json.dumps(value, sort_keys=True), as Powertools for Lambda hashes it
)

// misfit says what of a recipe does not go together, and what to do.
func (f *Field) misfit() (why, hint string) {
	switch {
	case f.JSON != "" && f.JSON != jsonCanonical && f.JSON != jsonPython:
		return "names no spelling of JSON", "use canonical or python"
	case f.Join != "" && len(f.Parts) == 0:
		return "has a join and nothing to join", "give parts: [a, b]"
	case f.Join != "" && f.JSON != "":
		return "is joined twice", "json puts the parts into a list: take join out"
	case f.JSON != "" && f.Const != nil:
		return "spells a constant as JSON", "write the text itself as value"
	case len(f.Parts) > 0 && len(f.columns()) == 0:
		return "is made of constants alone", "use {value: …}"
	}
	return "", ""
}

// recipe says in words what is done to a value before it is compared, "" where nothing is.
func (f *Field) recipe() string {
	var said []string
	add := func(when bool, text string) {
		if when {
			said = append(said, text)
		}
	}
	add(f.JSON != "", "as JSON ("+f.JSON+")")
	add(f.Join != "", "joined by "+strconv.QuoteToASCII(f.Join))
	add(f.StripPrefix != "", "less the prefix")
	add(f.Split != "", "part "+strconv.Itoa(f.SplitIndex))
	add(f.Lower, "in lower case")
	add(f.Hash != "", f.Hash)
	add(f.Prefix != "", "with a prefix")
	add(f.Truncate > 0, "cut to "+strconv.Itoa(f.Truncate))
	if len(said) == 0 {
		return ""
	}
	return ": " + strings.Join(said, ", ")
}

// jsonText spells the value, or the parts as a list, as JSON text. Unlike where texts are joined, a null part is the null of the list, and an object stands for
// itself; a value that is missing altogether is unknown.
func (m *Mapper) jsonText(e *expr, cells []rows.Cell) (b []byte, known bool, _ *Unreadable) {
	var doc []byte
	var bad *Unreadable
	if e.at >= 0 {
		if k := cells[e.at].Kind; k == rows.Missing || k == rows.Null {
			return nil, false, nil
		}
		if doc, bad = appendJSON(nil, e, &cells[e.at]); bad != nil {
			return nil, false, bad
		}
	} else {
		doc = append(doc, '[')
		for i, p := range e.parts {
			if i > 0 {
				doc = append(doc, ',')
			}
			switch {
			case p.at < 0:
				doc = appendString(doc, p.constant)
			case cells[p.at].Kind == rows.Missing:
				return nil, false, nil
			default:
				if doc, bad = appendJSON(doc, e, &cells[p.at]); bad != nil {
					return nil, false, bad
				}
			}
		}
		doc = append(doc, ']')
	}
	spelled, err := spellJSON(e.json, doc)
	if err != nil {
		return nil, false, e.unreadable(nil, "cannot be spelled as the store does: "+err.Error())
	}
	return spelled, true, nil
}

func spellJSON(spelling string, doc []byte) ([]byte, error) {
	if spelling == jsonCanonical {
		return reconcile.Canonical(doc, nil)
	}
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, errors.New("it is no JSON text")
	}
	return appendPython(nil, v)
}

// appendJSON appends a cell's value as JSON text.
func appendJSON(doc []byte, e *expr, c *rows.Cell) ([]byte, *Unreadable) {
	switch c.Kind {
	case rows.Null:
		return append(doc, "null"...), nil
	case rows.Text:
		if utf8.Valid(c.Text) {
			return appendString(doc, c.Text), nil
		}
	case rows.Number, rows.JSON:
		return append(doc, c.Text...), nil
	case rows.Int:
		return strconv.AppendInt(doc, c.Num, 10), nil
	case rows.Bool:
		return strconv.AppendBool(doc, c.Num != 0), nil
	case rows.Blob, rows.Real, rows.Bad, rows.Missing:
	}
	return nil, e.unreadable(nil, "has a value that JSON cannot spell exactly")
}

func appendString(doc, s []byte) []byte {
	quoted, err := json.Marshal(string(s))
	if err != nil {
		return doc // a string always has a spelling
	}
	return append(doc, quoted...)
}

// appendPython spells a value as Python's json.dumps does with sorted keys: a space behind commas and colons, all but ASCII escaped.
func appendPython(out []byte, v any) ([]byte, error) {
	var err error
	switch v := v.(type) {
	case nil:
		return append(out, "null"...), nil
	case bool:
		return strconv.AppendBool(out, v), nil
	case string:
		return appendASCII(out, v), nil
	case json.Number:
		if !samePython(v.String()) {
			return nil, errors.New("it has a number that Python may spell otherwise")
		}
		return append(out, v...), nil
	case []any:
		out = append(out, '[')
		for i := range v {
			if i > 0 {
				out = append(out, ", "...)
			}
			if out, err = appendPython(out, v[i]); err != nil {
				return nil, err
			}
		}
		return append(out, ']'), nil
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names) // by bytes of UTF-8, which is Python's order by code point
		out = append(out, '{')
		for i, name := range names {
			if i > 0 {
				out = append(out, ", "...)
			}
			out = append(appendASCII(out, name), ": "...)
			if out, err = appendPython(out, v[name]); err != nil {
				return nil, err
			}
		}
		return append(out, '}'), nil
	}
	return nil, errors.New("it is no JSON text")
}

// samePython reports whether Python reads a number and writes it again as it stands: any integer, and a decimal of up to 15 digits without exponent or needless
// zeros that is not below 0.0001.
func samePython(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	whole, fraction, isFloat := strings.Cut(digits, ".")
	if strings.ContainsAny(digits, "eE") {
		return false
	}
	if !isFloat {
		return s != "-0"
	}
	return len(whole)+len(fraction) <= 15 && (fraction == "0" || !strings.HasSuffix(fraction, "0")) && (whole != "0" || !strings.HasPrefix(fraction, "0000"))
}

// appendASCII quotes a text as Python does: everything outside of printable ASCII is escaped.
func appendASCII(out []byte, s string) []byte {
	const hex = "0123456789abcdef"
	unit := func(u rune) {
		out = append(out, '\\', 'u', hex[u>>12&15], hex[u>>8&15], hex[u>>4&15], hex[u&15])
	}
	out = append(out, '"')
	for _, r := range s {
		short := strings.IndexRune("\b\t\n\f\r\"\\", r)
		switch {
		case short >= 0:
			out = append(out, '\\', `btnfr"\`[short])
		case r >= ' ' && r <= '~':
			out = append(out, byte(r))
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			unit(high)
			unit(low)
		default:
			unit(r)
		}
	}
	return append(out, '"')
}
