package jsonwalk

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"testing"

	"example.com/idemctl/internal/sources/rows"
)

// stricter are the reasons for which Walk refuses what encoding/json accepts.
var stricter = map[string]bool{"invalid UTF-8": true, "a lone surrogate": true, "nested too deep": true, reasonRepeated: true}

// FuzzWalk holds the Walker against encoding/json: it accepts nothing that is invalid, refuses nothing valid but for its own reasons, and reads
// equal values.
func FuzzWalk(f *testing.F) {
	for _, seed := range []string{
		`{"a":1,"b":{"c":"x"}}`, `{"a":-0,"b":{"c":1.5e3}}`, `{"a":"\ud83d\ude00","b":{"c":null}}`, `{"a":"\ud83d"}`, `{"a":1,"a":2}`,
		`{"a":[1,{"b":2}],"b":{"c":true}}`, "{\"a\":\"\xff\"}", `{"a":"0123456\"89"}`, `[]`, `{"\u0061":9223372036854775808}`, `{"a":01}`, ` "x" `, `{"a":"é😀 "}`,
	} {
		f.Add([]byte(seed))
	}
	w := Compile([][]string{{"a"}, {"b", "c"}})
	f.Fuzz(func(t *testing.T, doc []byte) {
		before := bytes.Clone(doc)
		var out [2]rows.Cell
		err := w.Walk(doc, out[:])
		prefixed(t, doc, err == nil)
		if !bytes.Equal(before, doc) {
			t.Fatal("the document was changed")
		}
		if err != nil {
			var syntax *SyntaxError
			if !errors.As(err, &syntax) {
				t.Fatalf("%T is no *SyntaxError", err)
			}
			if json.Valid(doc) && !stricter[syntax.Reason] {
				t.Fatalf("refused valid JSON: %v", err)
			}
			if syntax.Offset < 0 || syntax.Offset > len(doc) {
				t.Fatalf("offset %d outside the text", syntax.Offset)
			}
			return
		}
		if !json.Valid(doc) {
			t.Fatal("accepted invalid JSON")
		}
		var outer map[string]json.RawMessage
		if json.Unmarshal(doc, &outer) != nil {
			return
		}
		same(t, out[0], outer, "a")
		var inner map[string]json.RawMessage
		if json.Unmarshal(outer["b"], &inner) != nil {
			inner = nil
		}
		same(t, out[1], inner, "c")
	})
}

// prefixed checks that what Prefix takes is what Walk would accept alone, and that nothing which follows a value changes what is found in it.
func prefixed(t *testing.T, doc []byte, accepted bool) {
	t.Helper()
	paths := [][]string{{"a"}, {"b", "c"}}
	w, alone := Compile(paths), Compile(paths)
	var out, want [2]rows.Cell
	if n, err := w.Prefix(doc, out[:]); err == nil {
		if err := alone.Walk(doc[:n], want[:]); err != nil {
			t.Fatalf("Prefix took %d bytes, which Walk refuses: %v", n, err)
		}
		if shown(out[0]) != shown(want[0]) || shown(out[1]) != shown(want[1]) {
			t.Fatalf("Prefix found %s, %s, want %s, %s", shown(out[0]), shown(out[1]), shown(want[0]), shown(want[1]))
		}
	}
	text := bytes.Trim(doc, " \t\r\n")
	if !accepted || text[0] != '{' {
		return
	}
	for _, follows := range []string{"", ",", "]", " {", "\xff"} {
		if n, err := w.Prefix(append(bytes.Clone(text), follows...), out[:]); err != nil || n != len(text) {
			t.Fatalf("followed by %q: %d bytes of %d, %v", follows, n, len(text), err)
		}
	}
}

// same checks one cell against the member that encoding/json found.
func same(t *testing.T, c rows.Cell, object map[string]json.RawMessage, name string) {
	t.Helper()
	raw, ok := object[name]
	if !ok {
		if c.Kind != rows.Missing {
			t.Fatalf("%s: got %s, want missing", name, shown(c))
		}
		return
	}
	raw = bytes.TrimSpace(raw)
	var want string
	switch raw[0] {
	case '"':
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			t.Fatal(err)
		}
		want = "text " + strconv.Quote(s)
	case '{', '[':
		want = "json " + string(raw)
	case 't':
		want = "bool 1"
	case 'f':
		want = "bool 0"
	case 'n':
		want = "null"
	default:
		want = "number " + string(raw)
		if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil && string(raw) != "-0" {
			want = "int " + strconv.FormatInt(n, 10)
		}
	}
	if got := shown(c); got != want {
		t.Fatalf("%s: got %s, want %s", name, got, want)
	}
}
