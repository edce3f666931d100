package json

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"example.com/idemctl/internal/sources/files"
	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/sources/sourcetest"
)

// opened writes one file and opens it.
func opened(t *testing.T, content []byte, path ...string) *Table {
	t.Helper()
	dir := t.TempDir()
	sourcetest.WriteFile(t, dir, "log", content)
	table, err := Open(context.Background(), nil, dir, "log", path, same)
	if err != nil {
		t.Fatal(err)
	}
	if err := table.Bind([]rows.Path{{Column: "k"}}); err != nil {
		t.Fatal(err)
	}
	return table
}

// read scans a table bound to the member k.
func read(t *testing.T, table *Table) (keys, problems []string, ext rows.Extent) {
	t.Helper()
	ext, err := table.Scan(context.Background(), func(_ rows.Pos, cells []rows.Cell) error {
		keys = append(keys, string(cells[0].Text))
		return nil
	}, func(p rows.Problem) { problems = append(problems, p.Place+" "+p.Text) })
	if err != nil {
		t.Fatal(err)
	}
	return keys, problems, ext
}

func TestScanIsHonest(t *testing.T) {
	t.Parallel()
	good := `[{"k":"a"},{"k":"b"}]`
	packed := sourcetest.Zipped(t, []byte(good))
	deep := strings.Repeat("[", 600) + strings.Repeat("]", 600)
	long := strings.Repeat("x", files.MaxRecord)
	tests := []struct {
		name, content string
		path          string // its names, joined by a space
		keys          string
		problems      string // parts of them, joined by a bar
		cut           string // part of the reason, "" = complete
	}{
		{"an array", good, "", "a b", "", ""},
		{"a byte order mark", "\xef\xbb\xbf" + good + "\n", "", "a b", "", ""},
		{"one record", "{\"k\":\"a\"}\n", "", "a", "", ""},
		{"concatenated arrays and records", good + good + `{"k":"c"}`, "", "a b a b c", "", ""},
		{"an empty array", "[ ]", "", "", "", ""},
		{"a path", `{"a":{"b":` + good + `}}`, "a b", "a b", "", ""},
		{"a path to one record", `{"a":{"k":"x"}}`, "a", "x", "", ""},
		{"arrays on the way", `[{"a":[{"b":` + good + `},{"b":[]},{"b":{"k":"c"}}]}]`, "a b", "a b c", "", ""},
		{"a name with an escape", `{"\u0061":` + good + `}`, "a", "a b", "", ""},
		{"a long value beside", `{"x":"` + long + long + long + `","a":` + good + `}`, "a", "a b", "", ""},

		{"empty", "", "", "", "", "log is empty"},
		{"blank", " \n\n", "", "", "", "log:3:1: holds no JSON value"},
		{"no such member", `{"data":[],"more":1}`, "Records", "", "", "log:1:1: the object has no member Records"},
		{"the path ends early", `{"a":7}`, "a b", "", "", "log:1:6: not a JSON object, so there is no b in it"},
		{"nothing at the path", `{"a":null}`, "a", "", "log:1:6 not a JSON object", ""},
		{"scalars", `[1,{"k":"a"},"x",[{"k":"b"}]]`, "", "a", "log:1:2 not a JSON object|log:1:14 not|log:1:18 not", ""},
		{"a wrapper", `{"object":"list","data":[ {"k":"a"}]}{"k":"b","data":[{}]}{"x":[1]}`, "", "b ", `log:1:1 no record: it has none of the mapped members, but holds the list "data"`, ""},
		{"a list twice", `{"a":[{"k":"x"}],"a":[{"k":"y"}]}`, "a", "x", "", "log:1:18: the JSON breaks here, and nothing after it was read: a member name is given twice"},

		{"cut in a record", good[:15], "", "a", "", "log:1:16: the file ends here, in the middle of a value"},
		{"cut between records", good[:11], "", "a", "", "log:1:12: the file ends here"},
		{"cut before the end", good[:20], "", "a b", "", "log:1:21: the file ends here"},
		{"cut in a later value", good + "\n{\"k\":", "", "a b", "", "log:2:6: the file ends here"},
		{"cut behind the list", `{"a":` + good + `,`, "a", "a b", "", "the file ends here"},
		{"gzip", string(packed), "", "a b", "", ""},
		{"two members", string(packed) + string(packed), "", "a b a b", "", ""},
		{"gzip cut in its trailer", string(packed[:len(packed)-4]), "", "", "", "log:1:1: the compressed data ends early or is damaged after this place"},
		{"second member cut", string(packed) + string(packed[:len(packed)-4]), "", "a b", "", "log:1:22: the compressed data ends early or is damaged after this place"},
		{"gzip cut in its header", string(packed[:5]), "", "", "", "log:1:1: the compressed data ends early"},
		{"rubbish after gzip", string(packed) + "rubbish", "", "a b", "", "ends early or is damaged"},

		{"a repeated name", "[{\"k\":\"a\",\n\"k\":\"b\"},{\"k\":\"c\"}]", "", "c", "log:2:1 not strict JSON: a member name is given twice", ""},
		{"invalid UTF-8", "[{\"k\":\"\xff\"},{\"k\":\"c\"}]", "", "c", "log:1:8 not strict JSON: invalid UTF-8", ""},
		{"a lone surrogate", `[{"k":"\ud800"},{"k":"c"}]`, "", "c", "log:1:8 not strict JSON: a lone surrogate", ""},
		{"no number", `[{"n":NaN,"k":"a"},{"n":007},{"k":"c"}]`, "", "c", "log:1:7 not strict JSON|log:1:26 not strict JSON", ""},
		{"too deep", `[{"x":` + deep + `},{"k":"c"}]`, "", "c", "log:1:518 not strict JSON: nested too deep", ""},
		{"too long", `[{"x":"` + long + `"},{"k":"c"}]`, "", "c", "log:1:2 the record is longer than 1048576 bytes", ""},
		{"far too long", `[{"x":"` + long + long + long + `"},{"k":"c"}]`, "", "c", "log:1:2 the record is longer than 1048576 bytes", ""},
		{"bad text beside", "{\"x\":\"\xff\",\"a\":" + good + "}", "a", "a b", "log:1:7 beside the records: not strict JSON: invalid UTF-8", ""},
		{"bad text far beside", "{\"x\":\"" + long + long + "é\xff\",\"a\":" + good + "}", "a", "a b", "log:1:2097161 beside the records: not strict JSON: invalid UTF-8", ""},

		{"no comma", `[{"k":"a"} {"k":"b"}]`, "", "a", "", "log:1:12: the JSON breaks here, and nothing after it was read: expected a comma"},
		{"a comma too many", `[{"k":"a"},]`, "", "a", "", "log:1:12: the JSON breaks here"},
		{"a quote too many", `[{"k":"a""},{"k":"b"}]`, "", "", "", "log:1:10: the JSON breaks here"},
		{"an open quote", "[{\"k\":\"a},\n{\"k\":\"b\"}]", "", "", "", "log:1:11: the JSON breaks here, and nothing after it was read: a control character in a string"},
		{"mixed brackets", `[{"k":"a"},{"k":["b"}]`, "", "a", "", "log:1:21: the JSON breaks here"},
		{"no JSON", "k,v\na,b\n", "", "", "log:1:1 not a JSON object", "log:1:2: the JSON breaks here"},
		{"UTF-16", "\xff\xfe[\x00]\x00", "", "", "", "log:1:1: the text is UTF-16"},
		{"UTF-16 without a mark", "\x00[\x00]", "", "", "", "log:1:1: the text is UTF-16"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			keys, problems, ext := read(t, opened(t, []byte(tt.content), strings.Fields(tt.path)...))
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

// TestEveryCut cuts a document at every byte: what is handed over is the beginning of what the whole one holds, and only the whole one is complete.
func TestEveryCut(t *testing.T) {
	t.Parallel()
	whole := []byte("{\"n\":[1,{\"a\":\"\\\"é\"}],\"Records\":[{\"k\":\"a\"},\n {\"k\":\"b]}\",\"n\":-1.5e3}, {\"k\":\"c\\\\\"}],\"z\":true}")
	all, problems, ext := read(t, opened(t, whole, "Records"))
	if len(all) != 3 || len(problems) > 0 || !ext.Complete {
		t.Fatalf("%q, %q, %+v", all, problems, ext)
	}
	for n := range len(whole) {
		keys, problems, ext := read(t, opened(t, whole[:n], "Records"))
		if ext.Complete || len(problems) > 0 || len(keys) > 3 || strings.Join(keys, "|") != strings.Join(all[:len(keys)], "|") {
			t.Errorf("cut after %q: %q, %q, %+v", whole[:n], keys, problems, ext)
		}
	}
}

func TestLocatorsAndHints(t *testing.T) {
	t.Parallel()
	_, _, ext := read(t, opened(t, []byte(`{"object":"list","data":[]}`), "Records"))
	if !strings.Contains(ext.Hint, "object, data") {
		t.Errorf("hint %q does not name what is there", ext.Hint)
	}
	table := opened(t, []byte("{\"data\":[ {\"k\":\"a\"},\n  {\"k\":\"b\",\"n\":9007199254740993}]}"), "data")
	var at []rows.Pos
	if _, err := table.Scan(context.Background(), func(pos rows.Pos, _ []rows.Cell) error {
		at = append(at, pos)
		return nil
	}, func(p rows.Problem) { t.Error(p) }); err != nil {
		t.Fatal(err)
	}
	if a, b := table.Locator(at[0]), table.Locator(at[1]); a != "log:1:11" || b != "log:2:3" {
		t.Errorf("locators %s, %s", a, b)
	}
	if err := table.Fetch(context.Background(), at[:1], func(_ rows.Pos, _ string, cells []rows.Cell, _ []rows.Named) error {
		if table.Locator(at[1]) != "log:2:3" || !bytes.Equal(cells[0].Text, []byte("a")) {
			t.Errorf("a locator asked for while a row is in use: %s, %q", table.Locator(at[1]), cells[0].Text)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	err := table.Fetch(context.Background(), []rows.Pos{at[0] + 1}, func(rows.Pos, string, []rows.Cell, []rows.Named) error { return nil })
	if !errors.Is(err, rows.ErrChanged) {
		t.Errorf("a position in the middle of a record: %v", err)
	}
	var shown []string
	for _, c := range table.Columns() {
		shown = append(shown, c.Name+" "+c.Type)
	}
	if got := strings.Join(shown, ", "); got != "k text, n number" {
		t.Errorf("columns %s", got)
	}
}
