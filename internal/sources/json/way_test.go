package json

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"example.com/idemctl/internal/sources/files"
	"example.com/idemctl/internal/sources/rows"
)

// TestWays: a document's records are found wherever any of the ways leads, and a value that none leads on from is one where that is allowed.
func TestWays(t *testing.T) {
	t.Parallel()
	list := []Way{{{Name: "data", List: true}}, {}}
	every := []Way{{{Any: true}, {Name: "list", List: true}}, {{Any: true}}}
	deep := []Way{{{Name: "records"}, {Any: true, List: true}}}
	long := `{"data":[{"k":"a"},{"k":"` + strings.Repeat("x", files.MaxRecord-100) + `"},{"k":"b"}]}`
	for _, tt := range []struct {
		name    string
		ways    []Way
		content string
		keys    string
		problem string
		because string
	}{
		{"a list under its name", list, `{"object":"list","data":[{"k":"a"},{"k":"b"}]}`, "a b", "", ""},
		{"a bare record", list, `{"k":"a"}`, "a", "", ""},
		{"a record with a member of that name that is no list", list, `{"k":"a","data":{"k":"inside"}}`, "a", "", ""},
		{"a bare list", list, `[{"k":"a"},{"k":"b","data":{}}]`, "a b", "", ""},
		{"one after the other", list, `{"k":"a"}` + "\n" + `{"data":[{"k":"b"}]}` + "\n" + `{"k":"c"}`, "a b c", "", ""},
		{"an empty list", list, `{"data":[]}`, "", "", ""},
		{"a list longer than a record", list, long, "a " + strings.Repeat("x", files.MaxRecord-100) + " b", "", ""},
		{"a bad record in a list", list, `{"data":[{"k":"a"},{"k":"b","k":"c"},{"k":"d"}]}`, "a d", "a member name is given twice", ""},
		{"a bare record that is bad", list, `{"k":"a"} {"k":"b","n":01} {"k":"c"}`, "a c", "", "the object has no member data"},
		{"a scalar", list, "7\n", "", "not a JSON object", ""},
		{"every member", every, `{"x":{"k":"a"},"y":{"list":[{"k":"b"}]},"n":7,"z":[{"k":"c"}]}`, "a b c", "", ""},
		{"lists below any name", deep, `{"records":{"topic-0":[{"k":"a"}],"topic-1":[{"k":"b"}],"n":{}}}`, "a b", "", ""},
		{"none of them", deep, `{"other":{}}`, "", "", "the object has no member records"},
		{"cut", list, `{"data":[{"k":"a"},{"k":`, "a", "", "the file ends here"},
	} {
		table, err := OpenWays(context.Background(), fstest.MapFS{"log": &fstest.MapFile{Data: []byte(tt.content)}}, ".", "log", tt.ways, same)
		if err != nil {
			t.Fatal(err)
		}
		if err := table.Bind([]rows.Path{{Column: "k"}}); err != nil {
			t.Fatal(err)
		}
		keys, problems, ext := read(t, table)
		if strings.Join(keys, " ") != tt.keys || (len(problems) > 0) != (tt.problem != "" || tt.because != "" && len(problems) > 0) || !strings.Contains(strings.Join(problems, ";"), tt.problem) ||
			ext.Complete != (tt.because == "") || !strings.Contains(ext.Reason, tt.because) {
			t.Errorf("%s: %.80q, %q, %v %q", tt.name, keys, problems, ext.Complete, ext.Reason)
		}
	}
}

// TestBesideTheList: what stands beside the list of the outermost object is read with every record of it, before or behind the list, and again when the record
// is fetched; of a document that is too long nobody knows.
func TestBesideTheList(t *testing.T) {
	t.Parallel()
	long := `{"live":"x","items":[{"k":"f"}],"n":"` + strings.Repeat("y", 3*files.MaxRecord) + `"}`
	content := `{"items":[{"k":"a","live":"inner"},{"k":"b"}],"live":"one"}` + "\n" + `[{"live":"two","items":[{"k":"c"}]},{"items":{"k":"d"}}]` + "\n" + `{"live":"\u0074hree","items":[{"k":"e"}]}` + "\n" + long
	table, err := OpenWays(context.Background(), fstest.MapFS{"log": &fstest.MapFile{Data: []byte(content)}}, ".", "log", []Way{{{Name: "items"}}}, same)
	if err != nil {
		t.Fatal(err)
	}
	if err := table.Bind([]rows.Path{{Column: "^live"}, {Column: "k"}}); err != nil {
		t.Fatal(err)
	}
	shown := func(cells []rows.Cell) string {
		if cells[0].Kind == rows.Bad {
			return string(cells[1].Text) + "!"
		}
		return string(cells[1].Text) + "=" + string(cells[0].Text)
	}
	for range 2 { // a table may be scanned again
		var found []string
		var at []rows.Pos
		ext, err := table.Scan(context.Background(), func(pos rows.Pos, cells []rows.Cell) error {
			found, at = append(found, shown(cells)), append(at, pos)
			return nil
		}, func(p rows.Problem) { t.Errorf("%s: %s", p.Place, p.Text) })
		if got := strings.Join(found, " "); err != nil || !ext.Complete || got != "a=one b=one c=two d= e=three f!" {
			t.Fatalf("%q, %v %s, %v", got, ext.Complete, ext.Reason, err)
		}
		for from := range at {
			n := from
			err := table.Fetch(context.Background(), at[from:], func(pos rows.Pos, _ string, cells []rows.Cell, _ []rows.Named) error {
				if pos != at[n] || shown(cells) != found[n] {
					t.Errorf("fetched %q, scanned %q", shown(cells), found[n])
				}
				n++
				return nil
			})
			if err != nil || n != len(at) {
				t.Errorf("fetched up to %d of %d: %v", n, len(at), err)
			}
		}
	}
}
