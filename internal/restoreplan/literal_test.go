package restoreplan

import (
	"bytes"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	_ "modernc.org/sqlite" // reads the literals back

	"example.com/idemctl/internal/text/hostile"
)

// seeds are values that have broken out of literals, and those of the corpus.
func seeds() [][]byte {
	out := [][]byte{
		nil, []byte("plain"), []byte("it's"), []byte(`'); DROP TABLE receipts; --`), []byte(`\`), []byte(`\'`), []byte(`''`), []byte("a\nb"), []byte("a\r\n.shell true\n"),
		[]byte("\\! true"), []byte("a\x00b"),
		{0xff, 0xfe},
		{0xe5, '\''},
		[]byte("$$"), []byte("/* */ -- x"), []byte(":name"), []byte("9223372036854775808"),
		[]byte("0012"), []byte("1e5"), []byte("NaN"), bytes.Repeat([]byte("\n"), 3000), []byte("\u202e'"), []byte("\U000e0041"), []byte("\ufeff"),
	}
	for _, h := range hostile.Corpus() {
		out = append(out, h.Bytes)
	}
	return out
}

// FuzzSQLiteLiteral requires that a value comes back from the database byte for byte, from one line that no terminal obeys.
func FuzzSQLiteLiteral(f *testing.F) {
	for _, s := range seeds() {
		f.Add(s)
	}
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	f.Fuzz(func(t *testing.T, value []byte) {
		for _, k := range []kind{textual, binary} {
			lit, err := sqlite.literal(value, k)
			if err != nil {
				t.Fatalf("%q: %v", value, err)
			}
			if err := hostile.Check([]byte(lit)); err != nil || strings.Contains(lit, "\n") {
				t.Fatalf("%q: %v", value, err)
			}
			var n int
			var back []byte
			var typ string
			row := db.QueryRowContext(t.Context(), "SELECT count(*) OVER (), CAST(v AS BLOB), typeof(v) FROM (SELECT "+lit+" AS v)")
			if err := row.Scan(&n, &back, &typ); err != nil || n != 1 || !bytes.Equal(back, value) {
				t.Fatalf("%q came back as %q from %s, %v", value, back, lit, err)
			}
			if want := map[kind]string{textual: "text", binary: "blob"}[k]; typ != want {
				t.Fatalf("%q is stored as %s", value, typ)
			}
		}
	})
}

// FuzzPostgresLiteral requires that a value is one constant, read by the server's own rules with and without standard_conforming_strings.
func FuzzPostgresLiteral(f *testing.F) {
	for _, s := range seeds() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		lit, err := postgres.literal(value, textual)
		if refused := !utf8.Valid(value) || bytes.IndexByte(value, 0) >= 0; refused != (err != nil) {
			t.Fatalf("%q: %v", value, err)
		}
		if err != nil {
			return
		}
		if err := hostile.Check([]byte(lit)); err != nil || strings.Contains(lit, "\n") {
			t.Fatalf("%q: %v", value, err)
		}
		for _, standard := range []bool{true, false} {
			if back, err := constant(lit, standard); err != nil || back != string(value) {
				t.Fatalf("%q came back as %q from %s, %v", value, back, lit, err)
			}
		}
	})
}

// constant reads a string constant as PostgreSQL does; standard says whether a backslash outside E” is a letter like any other.
func constant(lit string, standard bool) (string, error) {
	rest, escapes := strings.CutPrefix(lit, "E")
	if len(rest) < 2 || rest[0] != '\'' {
		return "", fmt.Errorf("no constant")
	}
	escapes = escapes || !standard
	var out strings.Builder
	for i := 1; i < len(rest); {
		switch c := rest[i]; {
		case c == '\'' && i+1 < len(rest) && rest[i+1] == '\'':
			out.WriteByte(c)
			i += 2
		case c == '\'':
			if i+1 != len(rest) {
				return "", fmt.Errorf("it ends before its end: %q is left", rest[i+1:])
			}
			return out.String(), nil
		case c == '\\' && escapes && i+1 < len(rest):
			size := map[byte]int{'u': 4, 'U': 8}[rest[i+1]]
			if size == 0 {
				out.WriteByte(rest[i+1])
				i += 2
				continue
			}
			if i+2+size > len(rest) {
				return "", fmt.Errorf("an escape is cut")
			}
			n, err := strconv.ParseUint(rest[i+2:i+2+size], 16, 32)
			if err != nil {
				return "", err
			}
			out.WriteRune(rune(n))
			i += 2 + size
		default:
			out.WriteByte(c)
			i++
		}
	}
	return "", fmt.Errorf("it has no end")
}

// TestNumbers requires that a column of numbers gets exactly what it would be read back as, or nothing.
func TestNumbers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		d    dialect
		k    kind
		in   string
		want string // "" for refused
	}{
		{sqlite, integer, "42", "42"},
		{sqlite, integer, "-9223372036854775808", "-9223372036854775808"},
		{sqlite, integer, "9223372036854775808", ""},
		{sqlite, integer, "0042", ""},
		{sqlite, integer, "1e3", ""},
		{sqlite, integer, "4.0", ""},
		{sqlite, integer, "k-42", "'k-42'"},
		{sqlite, decimal, "89.90", "'89.90'"},
		{sqlite, decimal, "1234567890123456.78", ""},
		{sqlite, anything, "42", ""},
		{sqlite, anything, "k-42", "'k-42'"},
		{postgres, integer, "42", "'42'"},
		{postgres, integer, "42; DROP TABLE r", ""},
		{postgres, integer, "9223372036854775808", ""},
		{postgres, decimal, "1234567890123456.78", "'1234567890123456.78'"},
		{postgres, binary, "a\x00b", `E'\\x610062'::bytea`},
	} {
		got, err := c.d.literal([]byte(c.in), c.k)
		if (err != nil) != (c.want == "") || err == nil && got != c.want {
			t.Errorf("%q as %d: %s, %v; want %s", c.in, c.k, got, err, c.want)
		}
	}
}
