package csv

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"example.com/idemctl/internal/sources/rows"
)

// TestFindHeader: a header behind lines of metadata is found by the mapped columns, and the delimiter by the header; where several could be meant nothing is
// guessed.
func TestFindHeader(t *testing.T) {
	t.Parallel()
	found := Shape{Header: true, Find: true}
	for _, tt := range []struct {
		name    string
		shape   Shape
		content string
		keys    string
		because string
	}{
		{"comma", Shape{Header: true}, "a,k\n1,x\n2,y\n", "x y", ""},
		{"semicolon", Shape{Header: true}, "a;k\n1;x\n", "x", ""},
		{"tab and quotes with commas", Shape{Header: true}, "\"a,b\"\tk\n1\t\"x,y\"\n", "x,y", ""},
		{"one column", Shape{Header: true}, "k\nx\n", "x", ""},
		{"several, of which one names the columns", Shape{Header: true}, "a;b,k\n1;2,x\n", "x", ""},
		{"several, of which none does", Shape{Header: true}, "a;b,c\n1;2,x\n", "", "several of comma, semicolon and tab"},
		{"metadata before the header", found, "Settlement report;2026\n\nCompany,Merchant\na,k\n1,x\n", "x", ""},
		{"a byte order mark and quotes", found, "\xef\xbb\xbf\"k\",\"a\"\n\"x\",\"1\"\n", "x", ""},
		{"no such header", found, strings.Repeat("a,b\n", 40), "", "no line among the first 21 names all mapped columns: \"k\" is missing"},
		{"nothing but metadata", found, "a,b\n", "", "\"k\" is missing"},
	} {
		table, err := Open(context.Background(), fstest.MapFS{"f": &fstest.MapFile{Data: []byte(tt.content)}}, ".", "f", tt.shape, same)
		if err != nil {
			t.Fatal(err)
		}
		if err := table.Bind([]rows.Path{{Column: "k"}}); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		var keys []string
		var at []rows.Pos
		ext, err := table.Scan(context.Background(), func(pos rows.Pos, cells []rows.Cell) error {
			keys, at = append(keys, string(cells[0].Text)), append(at, pos)
			return nil
		}, func(p rows.Problem) { keys = append(keys, "! "+p.Text) })
		if err != nil || strings.Join(keys, " ") != tt.keys || ext.Complete != (tt.because == "") || !strings.Contains(ext.Reason, tt.because) {
			t.Errorf("%s: %q, %v %q, %v", tt.name, keys, ext.Complete, ext.Reason, err)
		}
		n := 0
		if err := table.Fetch(context.Background(), at, func(_ rows.Pos, _ string, cells []rows.Cell, _ []rows.Named) error {
			if string(cells[0].Text) != keys[n] {
				t.Errorf("%s: fetched %q", tt.name, cells[0].Text)
			}
			n++
			return nil
		}); err != nil || n != len(at) {
			t.Errorf("%s: fetched %d of %d: %v", tt.name, n, len(at), err)
		}
	}
}
