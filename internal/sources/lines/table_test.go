package lines

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"example.com/idemctl/internal/sources/files"
	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/sources/sourcetest"
)

const pattern = `(?P<key>\S+) (?P<status>\d{3})(?: (?P<note>.*))?`

// opened is a table over one file, bound to its three groups.
func opened(t testing.TB, content []byte) *Table {
	t.Helper()
	re, err := Compile(pattern)
	if err != nil {
		t.Fatal(err)
	}
	table, err := Open(context.Background(), fstest.MapFS{"log": &fstest.MapFile{Data: content}}, ".", "log", re, func(s string) string { return s })
	if err != nil {
		t.Fatal(err)
	}
	if err := table.Bind([]rows.Path{{Column: "key"}, {Column: "note"}}); err != nil {
		t.Fatal(err)
	}
	return table
}

// read scans a table, and fetches what it found again.
func read(t testing.TB, table *Table) (keys, problems []string, ext rows.Extent) {
	t.Helper()
	var at []rows.Pos
	shown := func(cells []rows.Cell) string {
		if cells[1].Kind == rows.Null {
			return string(cells[0].Text)
		}
		return string(cells[0].Text) + "=" + string(cells[1].Text)
	}
	ext, err := table.Scan(context.Background(), func(pos rows.Pos, cells []rows.Cell) error {
		keys, at = append(keys, shown(cells)), append(at, pos)
		return nil
	}, func(p rows.Problem) { problems = append(problems, p.Place+" "+p.Text) })
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	err = table.Fetch(context.Background(), at, func(pos rows.Pos, locator string, cells []rows.Cell, raw []rows.Named) error {
		if pos != at[n] || shown(cells) != keys[n] || len(raw) != 3 || locator != table.Locator(pos) {
			return fmt.Errorf("%s: fetched %q, scanned %q", locator, shown(cells), keys[n])
		}
		n++
		return nil
	})
	if err != nil || n != len(at) {
		t.Fatalf("fetched %d of %d: %v", n, len(at), err)
	}
	return keys, problems, ext
}

func TestScanIsHonest(t *testing.T) {
	t.Parallel()
	long := "k 200 " + strings.Repeat("x", files.MaxRecord+files.MaxRecord/2) + "\n"
	packed := sourcetest.Zipped(t, []byte("a 200\nb 201\n"))
	for _, tt := range []struct {
		name                    string
		content                 []byte
		keys, problems, because string
	}{
		{"lines", []byte("a 200\nb 404 not here\n"), "a b=not here", "", ""},
		{"CR LF and a byte order mark", []byte("\xef\xbb\xbfa 200\r\n\r\nb 200 \r\n"), "a b=", "", ""},
		{"a line of another kind", []byte("a 200\n# rotated\nb 200\n"), "a b", "log:2:1 the line is not as the pattern describes it", ""},
		{"half a match", []byte("x a 200\na 2000\n"), "", "log:1:1 the line is not as the pattern describes it; log:2:1 the line is not as the pattern describes it", ""},
		{"no UTF-8", []byte("\xff 200\nb 200\n"), "b", "log:1:1 the line is no UTF-8", ""},
		{"a line too long", []byte("a 200\n" + long + "b 200\n"), "a b", "log:2:1 the line is longer than 1048576 bytes", ""},
		{"many lines too long", []byte(strings.Repeat(long, 3) + "b 200\n"), "b", "log:1:1 the line is longer than 1048576 bytes; log:2:1 the line is longer than 1048576 bytes; log:3:1 the line is longer than 1048576 bytes", ""},
		{"the last line does not end", []byte("a 200\nb 20"), "a", "", "log:2:1: the last line does not end"},
		{"one endless line", []byte(strings.Repeat("x", 3<<20)), "", "", "the last line does not end"},
		{"compressed", packed, "a b", "", ""},
		{"compressed and cut", packed[:len(packed)-3], "", "", "the compressed data ends early or is damaged"},
		{"empty", nil, "", "", "log is empty"},
	} {
		keys, problems, ext := read(t, opened(t, tt.content))
		if strings.Join(keys, " ") != tt.keys || strings.Join(problems, "; ") != tt.problems || ext.Complete != (tt.because == "") || !strings.Contains(ext.Reason, tt.because) {
			t.Errorf("%s: %q, %q, %v %q", tt.name, keys, problems, ext.Complete, ext.Reason)
		}
	}
}

func TestPatterns(t *testing.T) {
	t.Parallel()
	for pattern, why := range map[string]string{`(`: "missing", `\S+`: "no group has a name", `(?P<a>x)(?P<a>y)`: "two groups", `(?P<a>.)`: ""} {
		if _, err := Compile(pattern); (err == nil) != (why == "") || err != nil && !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", pattern, err)
		}
	}
	if err := opened(t, []byte("a 200\n")).Bind([]rows.Path{{Column: "kay"}}); err == nil || !strings.Contains(rows.HintOf(err), "key") {
		t.Errorf("a group that is not there: %v, %q", err, rows.HintOf(err))
	}
	if columns := opened(t, []byte("a 200\n")).Columns(); len(columns) != 3 || columns[2].Name != "note" {
		t.Errorf("columns %v", columns)
	}
}

// FuzzLines: every line is a record, a problem or blank, and what is a record is found again.
func FuzzLines(f *testing.F) {
	for _, seed := range []string{"a 200\nb 201 x\n", "\xef\xbb\xbfa 200\r\n", "\x1f\x8b", "\n\n a 200\n", "k 999 \x00\n", "a 200", "é 200 \u202e\n", "203.0.113.1 - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 5\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		if bytes.HasPrefix(content, []byte("\x1f\x8b")) || len(content) == 0 {
			return
		}
		keys, problems, ext := read(t, opened(t, content))
		if !ext.Complete && !utf8.Valid(content) {
			return // told from the first bytes that it is no text
		}
		n := 0
		for line := range bytes.Lines(bytes.TrimPrefix(content, []byte(mark))) {
			if line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")); len(line) > 0 {
				n++
			}
		}
		if found := len(keys) + len(problems); found != n && (ext.Complete || found > n) {
			t.Errorf("%d lines, %d records, %d problems, %v %s", n, len(keys), len(problems), ext.Complete, ext.Reason)
		}
	})
}
