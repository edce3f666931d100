package restoreplan

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/idemctl/internal/sources"
	"example.com/idemctl/internal/sources/mapping"
	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/text"
)

// dialect is the SQL of one kind of database.
type dialect uint8

const (
	noSQL dialect = iota // records in files: a plan for them is JSONL
	sqlite
	postgres
)

func dialectOf(s sources.Scheme) dialect {
	switch s {
	case sources.SQLite:
		return sqlite
	case sources.Postgres:
		return postgres
	case sources.JSONL, sources.JSON, sources.CSV, sources.Text:
	}
	return noSQL
}

// identifier quotes a name that speakable let pass.
func identifier(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// speakable refuses a name that no script can hold so that a person and every client read the same: unlike a value it has no escapes.
func speakable(name string) error {
	if strings.ContainsFunc(name, func(r rune) bool { return !plain(r) }) || !utf8.ValidString(name) {
		return fmt.Errorf("the name %s cannot be written in a script that shows what it does", text.SafeString(name))
	}
	return nil
}

// table quotes a table's name as its source spells it.
func (d dialect) table(name string) (string, error) {
	if err := speakable(name); err != nil {
		return "", err
	}
	if d != postgres {
		return "main." + identifier(name), nil // else a table of that name in an attached file would do
	}
	p, err := mapping.ParsePath(name)
	if err != nil || len(p.Members) > 1 {
		return "", fmt.Errorf("the table is not named NAME or SCHEMA.NAME")
	}
	if len(p.Members) == 1 {
		return identifier(p.Column) + "." + identifier(p.Members[0]), nil
	}
	return identifier(p.Column), nil
}

// kind is what a column holds, as far as it decides how a value is spelled.
type kind uint8

const (
	textual kind = iota // as it is
	integer
	decimal // numbers that need not be whole
	binary
	anything // the store declares no type: a value keeps whatever type it is written in
	document // JSON that is checked by the store
)

// kindOf reads a declared type.
func (d dialect) kindOf(c *rows.Column) kind {
	t := strings.ToUpper(c.Type)
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(t, p) })
	}
	switch {
	case d == noSQL:
		return anything
	case d == postgres:
		switch {
		case t == "BYTEA":
			return binary
		case t == "SMALLINT", t == "INTEGER", t == "BIGINT":
			return integer
		case strings.HasPrefix(t, "NUMERIC"):
			return decimal
		case t == "JSON", t == "JSONB":
			return document
		}
		return textual
	case has("INT"):
		return integer
	case has("CHAR", "CLOB", "TEXT"):
		return textual
	case has("BLOB"):
		return binary
	case t == "", t == "ANY":
		return anything
	}
	return decimal
}

// whole reports whether b is spelled as a store spells a whole number that it can hold.
func whole(b []byte) bool {
	n, err := strconv.ParseInt(string(b), 10, 64)
	return err == nil && strconv.FormatInt(n, 10) == string(b)
}

// numeric reports whether a column that prefers numbers would take b for one and spell it in its own way.
func numeric(b []byte) bool {
	t := strings.TrimSpace(string(b))
	_, err := strconv.ParseFloat(t, 64)
	return t != "" && (err == nil || strings.Contains(err.Error(), "range")) && !strings.ContainsAny(t, "xXpP_iInN")
}

// literal spells a value for a column, or says why the column cannot hold it.
func (d dialect) literal(b []byte, k kind) (string, error) {
	switch k {
	case binary:
		return d.blob(b), nil
	case integer:
		if whole(b) && d == sqlite {
			return string(b), nil
		}
		if d == postgres && !whole(b) || d == sqlite && numeric(b) {
			return "", fmt.Errorf("the column holds whole numbers of 64 bits, and would keep another value than this")
		}
	case decimal:
		if d == sqlite && numeric(b) && !whole(b) && significantDigits(b) > 15 {
			return "", fmt.Errorf("the column keeps decimals as floating point, which cannot hold all digits of this")
		}
		if d == sqlite && whole(b) {
			return string(b), nil
		}
	case anything:
		if whole(b) {
			return "", fmt.Errorf("the column has no declared type: whether it holds this as a number or a text is not known")
		}
	case textual, document:
	}
	return d.text(b)
}

func significantDigits(b []byte) int {
	n := 0
	for _, c := range b {
		if '1' <= c && c <= '9' || c == '0' && n > 0 {
			n++
		}
	}
	return n
}

func (d dialect) blob(b []byte) string {
	if d == postgres {
		return `E'\\x` + hex.EncodeToString(b) + `'::bytea`
	}
	return "X'" + hex.EncodeToString(b) + "'"
}

// text spells a text on one line, so that no client takes a part of it for a command, and no terminal obeys it.
func (d dialect) text(b []byte) (string, error) {
	if d == postgres {
		switch {
		case bytes.IndexByte(b, 0) >= 0:
			return "", fmt.Errorf("it holds a NUL, which a text in PostgreSQL cannot")
		case !utf8.Valid(b):
			return "", fmt.Errorf("it is not UTF-8, which a text in PostgreSQL has to be")
		}
		return escaped(b), nil
	}
	if !utf8.Valid(b) || bytes.IndexByte(b, 0) >= 0 {
		return "CAST(X'" + hex.EncodeToString(b) + "' AS TEXT)", nil
	}
	return chars(b), nil
}

// plain reports whether a code point may stand in a script as it is: no terminal obeys it, and a person sees it.
func plain(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= ' ' && r != 0x7f
	}
	return text.SafeString(string(r)) == string(r)
}

// escaped is a PostgreSQL string constant that means the same whatever standard_conforming_strings says.
func escaped(b []byte) string {
	var out strings.Builder
	special := false
	for _, r := range string(b) {
		switch {
		case r == '\'':
			out.WriteString("''")
		case r == '\\':
			special = true
			out.WriteString(`\\`)
		case plain(r):
			out.WriteRune(r)
		case r > 0xffff:
			special = true
			fmt.Fprintf(&out, `\U%08x`, r)
		default:
			special = true
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	if special {
		return "E'" + out.String() + "'"
	}
	return "'" + out.String() + "'"
}

// chars is a SQLite text; what may not stand in a script is put in by its number.
func chars(b []byte) string {
	var parts []string
	var now strings.Builder
	flush := func() {
		if now.Len() > 0 {
			parts = append(parts, "'"+now.String()+"'")
			now.Reset()
		}
	}
	for _, r := range string(b) {
		switch {
		case r == '\'':
			now.WriteString("''")
		case plain(r):
			now.WriteRune(r)
		default:
			flush()
			parts = append(parts, "char("+strconv.Itoa(int(r))+")")
		}
	}
	flush()
	switch len(parts) {
	case 0:
		return "''"
	case 1:
		return parts[0]
	}
	if len(parts) > 200 { // an expression may be nested only so deep
		return "CAST(X'" + hex.EncodeToString(b) + "' AS TEXT)"
	}
	return "(" + strings.Join(parts, " || ") + ")"
}

// member reads a member of a JSON column as text.
func (d dialect) member(column string, members []string) (string, error) {
	if d == postgres {
		parts := make([]string, len(members))
		for i, m := range members {
			lit, err := d.text([]byte(m))
			if err != nil {
				return "", err
			}
			parts[i] = lit
		}
		return "(" + column + " #>> ARRAY[" + strings.Join(parts, ", ") + "])", nil
	}
	path := "$"
	for _, m := range members {
		if strings.ContainsAny(m, "\"\x00") {
			return "", fmt.Errorf("a member's name holds a quotation mark")
		}
		path += `."` + m + `"`
	}
	lit, err := d.text([]byte(path))
	return "CAST(json_extract(" + column + ", " + lit + ") AS TEXT)", err
}
