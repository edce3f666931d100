package json

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"example.com/idemctl/internal/sources/files"
	"example.com/idemctl/internal/sources/jsonwalk"
	"example.com/idemctl/internal/sources/rows"
)

// account is all that a reader reports, in order.
type account struct {
	keys  []string
	lines []string
	clean bool // nothing was refused or cut
}

func (a *account) Row(at files.Place, cells []rows.Cell) error {
	a.keys = append(a.keys, fmt.Sprintf("%d %d %s", cells[0].Kind, cells[0].Num, cells[0].Text))
	a.lines = append(a.lines, fmt.Sprintf("row %d %s %s", at.Offset, at, a.keys[len(a.keys)-1]))
	return nil
}

func (a *account) Refuse(at, from files.Place, reason, _ string) {
	a.clean = false
	a.lines = append(a.lines, fmt.Sprintf("refused %d %s %s %s", at.Offset, at, from, reason))
}

func (a *account) Cut(at files.Place, reason, _ string) {
	a.clean = false
	a.lines = append(a.lines, fmt.Sprintf("cut %d %s %s", at.Offset, at, reason))
}

// steps reads at most n bytes at once.
type steps struct {
	r io.Reader
	n int
}

func (s *steps) Read(p []byte) (int, error) { return s.r.Read(p[:min(len(p), s.n)]) }

// told reads data, step bytes at once.
func told(t *testing.T, data []byte, path []string, step int) *account {
	t.Helper()
	a := &account{clean: true}
	w := files.NewWindow()
	w.Reset(&steps{bytes.NewReader(data), step}, files.Place{Line: 1, Column: 1}, step)
	r := newReader(w, only(path), jsonwalk.Compile([][]string{{"k"}}), make([]rows.Cell, 1), a)
	if err := r.file(); err != nil {
		t.Fatalf("in steps of %d: %v", step, err)
	}
	return a
}

// FuzzRecords holds the reader against encoding/json, whatever the sizes of the reads: what it reports as whole and undoubted is what a decoder finds
// there, and a text that a decoder refuses is never reported so.
func FuzzRecords(f *testing.F) {
	for _, seed := range []struct{ data, path string }{
		{`[{"k":"a"},{"k":1}]`, ""},
		{`{"k":null}{"k":[1,{"k":"\u00e9"}]} {}`, ""},
		{`{"a":1,"b":{"c":[{"k":true}]},"d":"}"}`, "b c"},
		{`[{"a":[{"k":1.5e3}]},{"a":{"k":2}}]`, "a"},
		{"\xef\xbb\xbf[{\"k\":\"\\\\\\\"]\"}\r\n,\n{}]\n", ""},
		{`[{"k":NaN},{"k":"\ud800"},{"k":"a","k":"b"},{"k":"a"}]`, ""},
		{`[{"k":"a"} {"k":"b"}]`, ""},
		{`[[{"k":"a"}],7,"x",null]`, ""},
		{`{"a":[{"k":"x"}],"a":[]}`, "a"},
		{`{"b":tru`, "a"},
		{"[{\"k\":\"\xff\"}]", ""},
		{`[` + strings.Repeat("[", 600), ""},
		{`{"a":{"a":{"a":[]}}}`, "a a a"},
	} {
		f.Add([]byte(seed.data), seed.path, 1)
	}
	f.Fuzz(func(t *testing.T, data []byte, spelled string, step int) {
		path := strings.Fields(spelled)
		whole := told(t, data, path, 1<<20)
		if small := told(t, data, path, 1+(step&0x7fffffff)%17); strings.Join(small.lines, "\n") != strings.Join(whole.lines, "\n") {
			t.Fatalf("in small steps:\n%s\nat once:\n%s", strings.Join(small.lines, "\n"), strings.Join(whole.lines, "\n"))
		}
		keys, err := model(data, path)
		if whole.clean && (err != nil || strings.Join(keys, "\n") != strings.Join(whole.keys, "\n")) {
			t.Fatalf("found %q, want %q, %v", whole.keys, keys, err)
		}
		agrees(t, data)
	})
}

// agrees checks that what the strict reader takes for one value, the one that passes over values takes for the same and does not doubt.
func agrees(t *testing.T, data []byte) {
	t.Helper()
	n, err := jsonwalk.Compile(nil).Prefix(data, nil)
	if err != nil || !bytes.ContainsAny(bytes.TrimLeft(data[:n], " \t\r\n")[:1], `{["`) {
		return // a word ends where the next byte says
	}
	w := files.NewWindow()
	w.Reset(bytes.NewReader(data), files.Place{Line: 1, Column: 1}, 3)
	a := &account{clean: true}
	r := newReader(w, nil, nil, nil, a)
	if found, err := r.skim(); err != nil || found != nil || r.Offset() != int64(n) {
		t.Fatalf("a value of %d bytes: passed over %d, %+v, %v, %q", n, r.Offset(), found, err, a.lines)
	}
}

var errShape = errors.New("no records here")

// model finds the records by encoding/json, in memory.
func model(data []byte, path []string) ([]string, error) {
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
	var keys []string
	for n := 0; ; n++ {
		var value json.RawMessage
		switch err := d.Decode(&value); {
		case errors.Is(err, io.EOF) && n > 0:
			return keys, nil
		case err != nil:
			return nil, err
		}
		if err := modelValue(value, path, false, &keys); err != nil {
			return nil, err
		}
	}
}

func modelValue(value json.RawMessage, path []string, element bool, keys *[]string) error {
	value = bytes.TrimSpace(value)
	var list []json.RawMessage
	if value[0] == '[' && !element {
		if err := json.Unmarshal(value, &list); err != nil {
			return err
		}
		for _, e := range list {
			if err := modelValue(e, path, true, keys); err != nil {
				return err
			}
		}
		return nil
	}
	if value[0] != '{' {
		return errShape
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(value, &object); err != nil {
		return err
	}
	if len(path) > 0 {
		if object[path[0]] == nil {
			return errShape
		}
		return modelValue(object[path[0]], path[1:], false, keys)
	}
	w := jsonwalk.Compile([][]string{{}})
	cell := make([]rows.Cell, 1)
	if raw, ok := object["k"]; ok {
		if err := w.Walk(raw, cell); err != nil {
			return err
		}
	}
	*keys = append(*keys, fmt.Sprintf("%d %d %s", cell[0].Kind, cell[0].Num, cell[0].Text))
	return nil
}
