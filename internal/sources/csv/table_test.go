package csv

import (
	"context"
	"errors"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"example.com/idemctl/internal/sources/files"
	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/sources/sourcetest"
)

// opened writes one file and opens it.
func opened(t *testing.T, content string, shape Shape) *Table {
	t.Helper()
	dir := t.TempDir()
	sourcetest.WriteFile(t, dir, "log", []byte(content))
	table, err := Open(context.Background(), nil, dir, "log", shape, same)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// read scans a table bound to a column; nulls are shown as null.
func read(t *testing.T, table *Table, column string) (keys, problems []string, ext rows.Extent) {
	t.Helper()
	if err := table.Bind([]rows.Path{{Column: column}}); err != nil {
		t.Fatal(err)
	}
	ext, err := table.Scan(context.Background(), func(_ rows.Pos, cells []rows.Cell) error {
		if cells[0].Kind == rows.Null {
			keys = append(keys, "null")
		} else {
			keys = append(keys, `"`+string(cells[0].Text)+`"`)
		}
		return nil
	}, func(p rows.Problem) {
		problems = append(problems, p.Place+" "+p.Text)
	})
	if err != nil {
		t.Fatal(err)
	}
	return keys, problems, ext
}

func TestScanIsHonest(t *testing.T) {
	t.Parallel()
	good := "k,n\na,1\nb,2\n"
	packed := string(sourcetest.Zipped(t, []byte(good)))
	long := strings.Repeat("x", files.MaxRecord)
	tests := []struct {
		name, content string
		keys          string
		problems      string // parts of them, joined by a bar
		cut           string // part of the reason, "" = complete
	}{
		{"good", good, `"a" "b"`, "", ""},
		{"a byte order mark", "\xef\xbb\xbf" + good, `"a" "b"`, "", ""},
		{"a quoted name behind a mark", "\xef\xbb\xbf\"k\"\na\n", `"a"`, "", ""},
		{"CR LF and blank lines", "\r\nk,n\r\n\r\na,1\r\n\n\"b\",2\r\n", `"a" "b"`, "", ""},
		{"only a header", "k,n\n", "", "", ""},
		{"null and empty", "k,n\n,1\n\"\",2\n \t,3\nnull,4\n", "null \"\" \" \t\" \"null\"", "", ""},
		{"quoted", "k,n\n\"a,\n\"\"b\"\"\r\n\",1\nb,\"\"\n", "\"a,\n\"b\"\r\n\" \"b\"", "", ""},
		{"NUL, marks and controls", "k\na\x00b\n\xef\xbb\xbfc\n\x1b[0m\n", "\"a\x00b\" \"\xef\xbb\xbfc\" \"\x1b[0m\"", "", ""},
		{"other columns twice", "x,k,x\n1,a,2\n", `"a"`, "", ""},

		{"empty", "", "", "", "log is empty"},
		{"blank", "\n\r\n", "", "", "log:3:1: the file has no header line"},
		{"cut in the header", "k,n", "", "", "log:1:1: the last line has no line break"},
		{"no last line break", good[:len(good)-1], `"a"`, "", "log:3:1: the last line has no line break, so its last cell may be cut"},
		{"no last line break behind a quote", "k\n\"a\"", "", "", "log:2:1: the last line has no line break"},
		{"cut between CR and LF", "k\r\na\r", "", "", "log:2:1: the last line has no line break"},
		{"cut in quotes", "k,n\na,1\nb,\"\n\n2", `"a"`, "", "log:3:1: the file ends inside a quoted cell, which began at 3:3"},
		{"gzip", packed, `"a" "b"`, "", ""},
		{"gzip cut in its trailer", packed[:len(packed)-4], "", "", "log:1:1: the compressed data ends early or is damaged after this place"},
		{"two members, the second cut", packed + packed[:len(packed)-4], `"a" "b"`, "", "log:4:1: the compressed data ends early or is damaged after this place"},
		{"gzip cut in its header", packed[:5], "", "", "log:1:1: the compressed data ends early"},

		{"ragged", "k,n\na\nb,2\nc,3,\n", `"b"`, "log:2:1 the record has 1 cell, the header has 2|log:4:1 the record has 3 cells, the header has 2", ""},
		{"bad text", "k,n\na,\xff\nb,2\n\"c\xc3\",1\n", `"b"`, "log:2:3 the text is not UTF-8|log:4:3 the text is not UTF-8", ""},
		{"a character split by the delimiter", "k,n\n\xc3,\xa9\n", "", "log:2:1 the text is not UTF-8", ""},
		{"CR in a line", "k,n\na\rb,1\nc,\r\r\nd,\"\r\"\n", `"d"`, "log:2:2 a carriage return stands inside a line|log:3:3 a carriage return", ""},
		{"too long", "k,n\n" + long + ",1\nb,2\n", `"b"`, "log:2:1 the record is longer than 1048576 bytes", ""},
		{"far too long", "k,n\n" + long + long + "," + long + "\nb,2\n", `"b"`, "log:2:1 the record is longer than 1048576 bytes", ""},
		{"far too long in quotes", "k,n\n\"" + long + "\n\"\"" + long + "\"," + long + "\r\nb,2\r\n", `"b"`, "log:2:1 the record is longer than 1048576 bytes", ""},

		{"a quote in a cell", "k,n\na,5\"\nb,2\n", "", "", "log:2:4: a quote inside a cell that is not quoted; nothing after it was read"},
		{"text behind a quote", "k,n\n\"a\"b,1\nb,2\n", "", "", "log:2:4: text follows the end of a quoted cell; nothing after it was read"},
		{"a backslash for a quote", "k,n\n\"a\\\"\nx,9\n\",1\n", "", "", "log:2:1: the record has 1 cell, the header has 2; nothing after it was read"},
		{"CR behind a quote", "k\n\"a\"\rb\n", "", "", "log:2:4: text follows"},
		{"an open quote over all", "k,n\n\"a,1\nb,2\nc,3\n", "", "", "log:2:1: the file ends inside a quoted cell, which began at 2:1"},
		{"UTF-16", "\xff\xfek\x00\n\x00", "", "", "log:1:1: the text is UTF-16"},
		{"bad text in the header", "k,\xff\na,1\n", "", "", "log:1:3: the text is not UTF-8"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			keys, problems, ext := read(t, opened(t, tt.content, comma), "k")
			if got := strings.Join(keys, " "); got != tt.keys {
				t.Errorf("rows %q, want %q", got, tt.keys)
			}
			got := strings.Join(problems, "|")
			for part := range strings.SplitSeq(tt.problems, "|") {
				if !strings.Contains(got, part) || tt.problems == "" && got != "" {
					t.Errorf("problems %q, want %q", got, tt.problems)
				}
			}
			if ext.Complete != (tt.cut == "") || !strings.Contains(ext.Reason, tt.cut) || !ext.Complete && ext.Hint == "" || ext.Whole {
				t.Errorf("extent %+v, want %q", ext, tt.cut)
			}
		})
	}
}

// TestEveryCut cuts a file at every byte: what is handed over is the beginning of what the whole one holds, and it is complete only when it ends with a
// line break that ends a record.
func TestEveryCut(t *testing.T) {
	t.Parallel()
	whole := "k,n\r\na,1\n\"b\"\"\n,c\r\n\",\"\"\r\ndé,4\n"
	all, problems, ext := read(t, opened(t, whole, comma), "k")
	if len(all) != 3 || len(problems) > 0 || !ext.Complete {
		t.Fatalf("%q, %q, %+v", all, problems, ext)
	}
	for n := 1; n < len(whole); n++ {
		if n <= len("k,n\r\n") {
			continue // a header that is cut may name no column
		}
		keys, problems, ext := read(t, opened(t, whole[:n], comma), "k")
		atEnd := map[string]bool{"a,1\n": true, ",\"\"\r\n": true}
		whole4 := whole[:n][n-4:]
		complete := atEnd[whole4] || strings.HasSuffix(whole[:n], ",\"\"\r\n")
		if ext.Complete != complete || len(problems) > 0 || strings.Join(keys, "|") != strings.Join(all[:len(keys)], "|") {
			t.Errorf("cut after %q: %q, %q, %+v", whole[:n], keys, problems, ext)
		}
	}
}

func TestShapes(t *testing.T) {
	t.Parallel()
	latin, err := charmap.Windows1252.NewEncoder().String("k;n\ncafé;1\n")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, content string
		shape         Shape
		column, keys  string
		problem       string
	}{
		{"tabs", "k\tn\na,b\t1\n", Shape{Delimiter: '\t', Header: true}, "k", `"a,b"`, ""},
		{"no header", "a,1\nb,2\n", Shape{Delimiter: ','}, "1", `"a" "b"`, ""},
		{"no header, behind a mark", "\xef\xbb\xbfa,1\n", Shape{Delimiter: ','}, "1", `"a"`, ""},
		{"no header, ragged", "a,1\nb\n", Shape{Delimiter: ','}, "2", `"1"`, "log:2:1 the record has 1 cell, the first record has 2"},
		{"nothing", "\n", Shape{Delimiter: ','}, "1", "", ""},
		{"skipped lines", "sep=;\n\"open\nk;n\na;1\n", Shape{Delimiter: ';', Header: true, Skip: 2}, "k", `"a"`, ""},
		{"windows-1252", latin, Shape{Delimiter: ';', Header: true, Encoding: charmap.Windows1252}, "k", `"café"`, ""},
		{"a byte that it does not have", "k\na\x81\nb\n", Shape{Delimiter: ',', Header: true, Encoding: charmap.Windows1252}, "k", `"b"`, "log:2:2 the text holds bytes that its encoding does not have"},
		{"UTF-16", "\xfe\xff\x00k\x00\n\x00a\x00\n", Shape{Delimiter: ',', Header: true, Encoding: unicode.UTF16(unicode.BigEndian, unicode.UseBOM)}, "k", `"a"`, ""},
	}
	for _, tt := range tests {
		keys, problems, ext := read(t, opened(t, tt.content, tt.shape), tt.column)
		if got := strings.Join(keys, " "); got != tt.keys || !ext.Complete || strings.Join(problems, "|") != tt.problem {
			t.Errorf("%s: %s, %q, %+v", tt.name, got, problems, ext)
		}
	}
	_, _, ext := read(t, opened(t, "a\nb\n", Shape{Delimiter: ',', Header: true, Skip: 3}), "k")
	if ext.Complete || !strings.Contains(ext.Reason, "the file has 2 lines, of which 3 are to be skipped") {
		t.Errorf("skipped too much: %+v", ext)
	}
}

func TestColumnsThatAreNotThere(t *testing.T) {
	t.Parallel()
	tests := []struct {
		header string
		shape  Shape
		path   rows.Path
		hint   string
	}{
		{"id;key\n", comma, rows.Path{Column: "key"}, `rows: {delimiter: ";"}`},
		{"id\tkey\n", comma, rows.Path{Column: "key"}, `rows: {delimiter: tab}`},
		{"id, Key \n", comma, rows.Path{Column: "key"}, `here it is "\u{20}Key\u{20}"`},
		{"id,meta.app\n", comma, rows.Path{Column: "meta", Members: []string{"app"}}, `is quoted: '"meta.app"'`},
		{"id,kez\n", comma, rows.Path{Column: "key"}, "its columns are id, kez"},
		{"k\x00e\x00y\x00\n", comma, rows.Path{Column: "key"}, "looks like UTF-16"},
		{"a,b\n", Shape{Delimiter: ','}, rows.Path{Column: "3"}, "numbered: 1 to 2"},
		{"key,id,key\n", comma, rows.Path{Column: "key"}, "rows: {header: false, skip: 1}"},
	}
	for _, tt := range tests {
		err := opened(t, tt.header, tt.shape).Bind([]rows.Path{tt.path})
		if err == nil || !strings.Contains(rows.HintOf(err), tt.hint) {
			t.Errorf("%q: %v, hint %q, want %q", tt.header, err, rows.HintOf(err), tt.hint)
		}
	}
}

// TestFilesDiffer reads files whose columns stand in another order, and one that lacks a column.
func TestFilesDiffer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sourcetest.WriteFile(t, dir, "1.csv", []byte("k,n\na,1\n"))
	sourcetest.WriteFile(t, dir, "2.csv", []byte("x,n,k\n-,2,b\n"))
	sourcetest.WriteFile(t, dir, "3.csv", []byte("x,n\n-,2\n"))
	sourcetest.WriteFile(t, dir, "4.csv", []byte("k\nd\n"))
	table, err := Open(context.Background(), nil, dir, "*.csv", comma, same)
	if err != nil {
		t.Fatal(err)
	}
	keys, _, ext := read(t, table, "k")
	if got := strings.Join(keys, " "); got != `"a" "b" "d"` || ext.Complete || !strings.HasPrefix(ext.Reason, `3.csv:1:1: no such column: "k"`) {
		t.Errorf("%s, %+v", got, ext)
	}
	var at []rows.Pos
	if _, err := table.Scan(context.Background(), func(pos rows.Pos, _ []rows.Cell) error {
		at = append(at, pos)
		return nil
	}, func(rows.Problem) {}); err != nil {
		t.Fatal(err)
	}
	var got []string
	err = table.Fetch(context.Background(), at, func(_ rows.Pos, locator string, cells []rows.Cell, raw []rows.Named) error {
		got = append(got, locator+" "+string(cells[0].Text)+" "+raw[0].Name)
		return nil
	})
	if err != nil || strings.Join(got, ", ") != "1.csv:2 a k, 2.csv:2 b x, 4.csv:2 d k" {
		t.Errorf("%q, %v", got, err)
	}
	for _, off := range []rows.Pos{at[0] + 1, at[0] - 2} {
		err = table.Fetch(context.Background(), []rows.Pos{off}, func(rows.Pos, string, []rows.Cell, []rows.Named) error { return nil })
		if !errors.Is(err, rows.ErrChanged) {
			t.Errorf("a position in the middle of a record: %v", err)
		}
	}
}

func TestMembersOfACell(t *testing.T) {
	t.Parallel()
	table := opened(t, "k,body\na,\"{\"\"id\"\":7,\"\"n\"\":{\"\"m\"\":\"\"x\"\"}}\"\nb,\nc,7\nd,{\ne,\"\"\n", comma)
	if err := table.Bind([]rows.Path{{Column: "body", Members: []string{"id"}}, {Column: "body", Members: []string{"n", "m"}}, {Column: "body"}}); err != nil {
		t.Fatal(err)
	}
	var kinds []rows.Kind
	if _, err := table.Scan(context.Background(), func(_ rows.Pos, cells []rows.Cell) error {
		kinds = append(kinds, cells[0].Kind, cells[1].Kind)
		return nil
	}, func(p rows.Problem) { t.Error(p) }); err != nil {
		t.Fatal(err)
	}
	want := []rows.Kind{rows.Int, rows.Text, rows.Missing, rows.Missing, rows.Missing, rows.Missing, rows.Bad, rows.Bad, rows.Bad, rows.Bad}
	if len(kinds) != len(want) {
		t.Fatalf("%v", kinds)
	}
	for i := range want {
		if kinds[i] != want[i] {
			t.Errorf("kinds %v, want %v", kinds, want)
		}
	}
}
