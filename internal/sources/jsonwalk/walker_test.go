package jsonwalk

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"example.com/idemctl/internal/sources/rows"
)

// shown spells a cell so that tables can be read.
func shown(c rows.Cell) string {
	switch c.Kind {
	case rows.Missing:
		return "missing"
	case rows.Null:
		return "null"
	case rows.Int:
		return "int " + strconv.FormatInt(c.Num, 10)
	case rows.Bool:
		return "bool " + strconv.FormatInt(c.Num, 10)
	case rows.Number:
		return "number " + string(c.Text)
	case rows.Text:
		return "text " + strconv.Quote(string(c.Text))
	case rows.JSON:
		return "json " + string(c.Text)
	case rows.Real, rows.Blob, rows.Bad:
	}
	return fmt.Sprintf("kind %d", c.Kind)
}

func TestWalkReadsWhatStandsThere(t *testing.T) {
	t.Parallel()
	tests := []struct{ doc, path, want string }{
		{`{"a":1}`, "a", "int 1"},
		{` {"a" : -1 } `, "a", "int -1"},
		{`{"a":9223372036854775807}`, "a", "int 9223372036854775807"},
		{`{"a":-9223372036854775808}`, "a", "int -9223372036854775808"},
		{`{"a":9223372036854775808}`, "a", "number 9223372036854775808"},
		{`{"a":-9223372036854775809}`, "a", "number -9223372036854775809"},
		{`{"a":99999999999999999999}`, "a", "number 99999999999999999999"},
		{`{"a":9007199254740993}`, "a", "int 9007199254740993"},
		{`{"a":-0}`, "a", "number -0"},
		{`{"a":1.0}`, "a", "number 1.0"},
		{`{"a":1e5}`, "a", "number 1e5"},
		{`{"a":1E-5}`, "a", "number 1E-5"},
		{`{"a":true,"b":false}`, "b", "bool 0"},
		{`{"a":true,"b":false}`, "a", "bool 1"},
		{`{"a":null}`, "a", "null"},
		{`{"a":null}`, "a.b", "missing"},
		{`{"a":1}`, "A", "missing"},
		{`{"k":1,"K":2}`, "K", "int 2"},
		{`{"a":{"b":{"c":"x"}}}`, "a.b.c", `text "x"`},
		{`{"a":{"b":{"c":"x"}}}`, "a.b", `json {"c":"x"}`},
		{`{"a":[1, 2]}`, "a", "json [1, 2]"},
		{`{"a":[{"b":1}]}`, "a.b", "missing"},
		{`{"a":"plain"}`, "a", `text "plain"`},
		{`{"a":""}`, "a", `text ""`},
		{`{"a":"x\u0000y"}`, "a", `text "x\x00y"`},
		{`{"a":"\"\\\/\b\f\n\r\t"}`, "a", `text "\"\\/\b\f\n\r\t"`},
		{`{"a":"\ud83d\ude00"}`, "a", `text "😀"`},
		{`{"a":"\uFFFD"}`, "a", "text \"\uFFFD\""},
		{`{"\u0061":1}`, "a", "int 1"},
		{`{"":1}`, "", "int 1"},
		{`"whole"`, ".", `text "whole"`},
		{`[1]`, "a", "missing"},
	}
	for _, tt := range tests {
		path := strings.Split(tt.path, ".")
		if tt.path == "." {
			path = nil
		}
		var out [1]rows.Cell
		if err := Compile([][]string{path}).Walk([]byte(tt.doc), out[:]); err != nil {
			t.Errorf("%s: %v", tt.doc, err)
		} else if got := shown(out[0]); got != tt.want {
			t.Errorf("%s at %s: got %s, want %s", tt.doc, tt.path, got, tt.want)
		}
	}
}

func TestWalkRefuses(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`[`, MaxDepth) + strings.Repeat(`]`, MaxDepth)
	many := make([]string, 300)
	for i := range many {
		many[i] = fmt.Sprintf(`"m%d":0`, i)
	}
	tests := []struct{ name, doc, want string }{
		{"empty", ``, reasonEnd},
		{"cut object", `{"a":1`, reasonEnd},
		{"cut string", `{"a":"x`, reasonEnd},
		{"cut escape", `{"a":"\`, reasonEnd},
		{"cut hex", `{"a":"\u00`, reasonEnd},
		{"cut literal", `{"a":tru`, "expected a value"},
		{"trailing", `{} {}`, "something follows the JSON text"},
		{"NUL after", "{}\x00", "something follows the JSON text"},
		{"trailing comma", `{"a":1,}`, "expected a member name"},
		{"comma in array", `[1,]`, "expected a value"},
		{"no colon", `{"a" 1}`, "expected a colon"},
		{"single quotes", `{'a':1}`, "expected a member name"},
		{"leading zero", `{"a":01}`, "a number starts with 0"},
		{"plus", `{"a":+1}`, "expected a value"},
		{"bare point", `{"a":1.}`, "expected a digit"},
		{"bare exponent", `{"a":1e}`, "expected a digit"},
		{"bare minus", `{"a":-}`, "expected a digit"},
		{"NaN", `{"a":NaN}`, "expected a value"},
		{"control", "{\"a\":\"x\ty\"}", "a control character in a string"},
		{"control in a long string", "{\"a\":\"0123456789abcdef\x01\"}", "a control character in a string"},
		{"unknown escape", `{"a":"\x"}`, "an unknown escape"},
		{"bad hex", `{"a":"\u00g0"}`, "an unknown escape"},
		{"lone high", `{"a":"\ud83d"}`, "a lone surrogate"},
		{"lone low", `{"a":"\ude00"}`, "a lone surrogate"},
		{"high then letter", `{"a":"\ud83dx"}`, "a lone surrogate"},
		{"lone surrogate in a value nobody asked for", `{"z":"\ud83d"}`, "a lone surrogate"},
		{"invalid UTF-8", "{\"z\":\"\xff\"}", "invalid UTF-8"},
		{"surrogate in UTF-8", "{\"z\":\"\xed\xa0\x80\"}", "invalid UTF-8"},
		{"repeated at the top", `{"z":1,"z":2}`, reasonRepeated},
		{"repeated when unescaped", `{"z":1,"\u007a":2}`, reasonRepeated},
		{"repeated on the path", `{"a":{"z":1,"z":2}}`, reasonRepeated},
		{"repeated parent", `{"a":{"b":1},"a":{"c":1}}`, reasonRepeated},
		{"repeated in a wanted value", `{"a":{"b":{"c":[{"z":1,"z":2}]}}}`, reasonRepeated},
		{"repeated among many", `{` + strings.Join(many, ",") + `,"m7":1}`, reasonRepeated},
		{"too deep", `{"z":` + deep + `}`, "nested too deep"},
	}
	w := Compile([][]string{{"a", "b"}})
	for _, tt := range tests {
		var out [1]rows.Cell
		err := w.Walk([]byte(tt.doc), out[:])
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || syntax.Reason != tt.want {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
	for _, doc := range []string{`{"z":{"y":1,"y":2}}`, `{` + strings.Join(many, ",") + `}`, deep} {
		if err := w.Walk([]byte(doc), make([]rows.Cell, 1)); err != nil {
			t.Errorf("%.40s: %v, want no error", doc, err)
		}
	}
}

func TestWalkSeparatesUnescapedStrings(t *testing.T) {
	t.Parallel()
	w := Compile([][]string{{"a"}, {"b"}, {"a"}})
	var out [3]rows.Cell
	if err := w.Walk([]byte(`{"a":"1\n","b":"2\n"}`), out[:]); err != nil {
		t.Fatal(err)
	}
	if got := string(out[0].Text) + string(out[1].Text) + string(out[2].Text); got != "1\n2\n1\n" {
		t.Errorf("got %q", got)
	}
}

func TestMembers(t *testing.T) {
	t.Parallel()
	w := Compile(nil)
	var got []string
	list := func(name []byte, c rows.Cell) error {
		got = append(got, string(name)+"="+shown(c))
		return nil
	}
	if err := w.Members([]byte(` {"a":1,"b":{"c":[2]},"\n":"\t"} `), list); err != nil {
		t.Fatal(err)
	}
	if s := strings.Join(got, "; "); s != `a=int 1; b=json {"c":[2]}; `+"\n"+`=text "\t"` {
		t.Errorf("got %q", s)
	}
	for _, doc := range []string{`[1]`, `{"a":1,"a":2}`, `{"a":{"b":1,"b":1}}`, `{"a":1} x`, `{`} {
		if err := w.Members([]byte(doc), list); err == nil {
			t.Errorf("%s: no error", doc)
		}
	}
	stop := errors.New("stop")
	if err := w.Members([]byte(`{"a":1}`), func([]byte, rows.Cell) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("got %v, want the callback's error", err)
	}
}

func TestElements(t *testing.T) {
	t.Parallel()
	w := Compile(nil)
	var got []string
	list := func(e []byte) error {
		got = append(got, string(e))
		return nil
	}
	if err := w.Elements([]byte(`[ {"a":1}, [2] ,3]`), list); err != nil {
		t.Fatal(err)
	}
	if s := strings.Join(got, "; "); s != `{"a":1}; [2]; 3` {
		t.Errorf("got %q", s)
	}
	for _, doc := range []string{`{}`, `[1,]`, `[1] 2`, `[`, `[{"a":1,"a":2}]`} {
		if err := w.Elements([]byte(doc), list); err == nil {
			t.Errorf("%s: no error", doc)
		}
	}
}

func TestPlain(t *testing.T) {
	t.Parallel()
	for c := range 256 {
		for at := range 20 {
			b := bytes.Repeat([]byte("x"), 20)
			b[at] = byte(c)
			want := at
			if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
				want = len(b)
			}
			if n := Plain(b); n != want {
				t.Fatalf("byte %#x at %d: %d, want %d", c, at, n, want)
			}
		}
	}
}

func TestWalkAllocatesNothing(t *testing.T) { // not parallel: the counter counts every goroutine's allocations
	w := Compile([][]string{{"id"}, {"data", "object", "id"}, {"request", "idempotency_key"}})
	doc, out := line(), make([]rows.Cell, 3)
	if n := testing.AllocsPerRun(100, func() {
		if err := w.Walk(doc, out); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations a line, want 0", n)
	}
}

// line is a provider's log line of the usual size, with one escape.
func line() []byte {
	return []byte(`{"id":"evt_1PXAmBLkdIwHu7ixsample0001","object":"event","api_version":"2024-06-20","created":1761000000,"livemode":true,"pending_webhooks":1,` +
		`"request":{"id":"req_Yk0ABCDEFGHIJK","idempotency_key":"order-00000001-4b1f"},"type":"charge.succeeded","data":{"object":{"id":"ch_3PXAmBLkdIwHu7ix0001",` +
		`"object":"charge","amount":8990,"amount_captured":8990,"amount_refunded":0,"currency":"eur","description":"two \"books\"","paid":true,"status":"succeeded",` +
		`"payment_intent":"pi_3PXAmBLkdIwHu7ix0001","metadata":{"app":"orders","tenant":"north"},"billing_details":{"address":{"city":null,"country":"CH","line1":null},` +
		`"email":null,"name":"Anna"},"payment_method_details":{"card":{"brand":"visa","last4":"4242","exp_month":11,"exp_year":2029},"type":"card"}}}}`)
}

func BenchmarkWalk(b *testing.B) {
	w := Compile([][]string{{"id"}, {"type"}, {"created"}, {"request", "idempotency_key"}, {"data", "object", "id"}, {"data", "object", "amount"}, {"data", "object", "currency"}, {"data", "object", "metadata", "app"}})
	doc, out := line(), make([]rows.Cell, 8)
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	for b.Loop() {
		if err := w.Walk(doc, out); err != nil {
			b.Fatal(err)
		}
	}
}
