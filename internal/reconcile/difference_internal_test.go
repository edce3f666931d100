package reconcile

import (
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// partsText spells differences one a line: cause, path, both values, hint.
func partsText(parts []ParamDifference) string {
	var b strings.Builder
	for _, p := range parts {
		said := func(v Value) string {
			if !v.known {
				return "-"
			}
			return v.String()
		}
		b.WriteString(p.Cause.String() + " " + p.Path + " " + said(p.One) + " | " + said(p.Other))
		if p.Masked != "" {
			b.WriteString(" as " + p.Masked)
		}
		if p.Hint != "" {
			b.WriteString(" (" + p.Hint[strings.LastIndex(p.Hint, "`params"):] + ")")
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestCompareParams(t *testing.T) {
	t.Parallel()
	spec := &ParamSpec{Defaults: map[string]string{"currency": `"EUR"`}, Exclude: []string{"sent_at", "meta.trace"}}
	for _, c := range []struct{ one, other, answer, want string }{
		{`{"a":1,"b":2}`, `{"a":1,"b":2}`, "equal", ""},
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`, "equal", "key-order $ {\"a\":1,\"b\":2} | {\"b\":2,\"a\":1}\n"},
		{`{"a":{"x":1,"y":2}}`, `{"a":{"y":2,"x":1}}`, "equal", "key-order $.a {\"x\":1,\"y\":2} | {\"y\":2,\"x\":1}\n"},
		{`{"a":1}`, `{"a":1.0}`, "equal", "number-spelling $.a 1 | 1.0\n"},
		{`{"a":1}`, `{"a":1e0}`, "equal", "number-spelling $.a 1 | 1e0\n"},
		{`{"a":"b"}`, `{"a":"\u0062"}`, "equal", "text-spelling $.a \"b\" | \"\\u0062\"\n"},
		{`{"a":1}`, `{ "a": 1 }`, "equal", "white-space $ {\"a\":1} | { \"a\": 1 }\n"},
		{`{"currency":"EUR","a":1}`, `{"a":1}`, "equal", "default $.currency \"EUR\" | -\n"},
		{`{"a":1,"sent_at":"x"}`, `{"a":1}`, "equal", "transport $.sent_at \"x\" | -\n"},
		{`{"meta":{"trace":"x"}}`, `{"meta":{"trace":"y"}}`, "equal", "transport $.meta.trace \"x\" | \"y\"\n"},
		{`{"a":1}`, `{"a":2}`, "differ", "value $.a 1 | 2\n"},
		{`{"a":9007199254740993}`, `{"a":9007199254740992}`, "differ", "value $.a 9007199254740993 | 9007199254740992\n"},
		{`{"a":1}`, `{"a":"1"}`, "differ", "type $.a 1 | \"1\"\n"},
		{`{"a":true}`, `{"a":"true"}`, "differ", "type $.a true | \"true\"\n"},
		{`{"a":null}`, `{"a":"null"}`, "differ", "value $.a null | \"null\"\n"},
		{`{"note":null}`, `{}`, "differ", "null-or-missing $.note null | - (`params.defaults`)\n"},
		{`{"a":{"note":null}}`, `{"a":{}}`, "differ", "null-or-missing $.a.note null | -\n"},
		{`{"qty":1}`, `{}`, "differ", "missing $.qty 1 | - (`params.defaults`)\n"},
		{`{"trace_id":1}`, `{"trace_id":2}`, "differ", "value $.trace_id 1 | 2 (`params.exclude`)\n"},
		{`{}`, `{"currency":"USD"}`, "differ", "not-the-default $.currency - | \"USD\"\n"},
		{`{"currency":null}`, `{}`, "differ", "not-the-default $.currency null | -\n"},
		{`[1,2]`, `[1,2,3]`, "differ", "missing $[2] - | 3\n"},
		{`{"a":[{"b":1}]}`, `{"a":[{"b":2}]}`, "differ", "value $.a[0].b 1 | 2\n"},
		{`{"e":{"x@example.com":1}}`, `{"e":{"x@example.com":2}}`, "differ", "value $.e[\"x@example.com\"] 1 | 2 as $.e[\"…\" 13 B]\n"},
		{`{"line1":1,"sk_live_51H99":1}`, `{"line1":2,"sk_live_51H99":2}`, "differ", "value $.line1 1 | 2\nvalue $.sk_live_51H99 1 | 2\n"},
		{`{"sk_live_51H9921":1}`, `{"sk_live_51H9921":2}`, "differ", "value $[\"sk_live_51H9921\"] 1 | 2 as $[\"…\" 15 B]\n"},
		{`{"a":1,"b":1.0,"sent_at":1}`, `{"b":1,"a":2}`, "differ", "value $.a 1 | 2\nnumber-spelling $.b 1.0 | 1\ntransport $.sent_at 1 | -\nkey-order $ {\"a\":1,\"b\":1.0,\"sent_at\":1} | {\"b\":1,\"a\":2}\n"},
		{`{"a":1`, `{"a":1}`, "unknown", ""},
	} {
		answer, parts, more, _ := compareParams(spec, &Record{Params: Text(c.one)}, &Record{Params: Text(c.other)})
		if got := partsText(parts); answer.String() != c.answer || got != c.want || more != 0 {
			t.Errorf("%s beside %s: %s\n%swant %s\n%s", c.one, c.other, answer, got, c.answer, c.want)
		}
	}
}

// anyJSON draws a JSON text with few names and values, so that two of them often meet, in various spellings.
func anyJSON(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		leaf := rapid.SampledFrom([]string{"1", "1.0", "10e-1", "2", "null", "true", `"a"`, `"\u0061"`, `"1"`, "{}", "[]"})
		if depth == 0 || rapid.Bool().Draw(t, "leaf") {
			return leaf.Draw(t, "value")
		}
		var parts []string
		space := rapid.SampledFrom([]string{"", " "}).Draw(t, "space")
		if rapid.IntRange(0, 3).Draw(t, "list") == 0 {
			parts = rapid.SliceOfN(anyJSON(depth-1), 0, 3).Draw(t, "items")
			return "[" + strings.Join(parts, ","+space) + "]"
		}
		for _, name := range rapid.Permutation([]string{"a", "b", "a.b", "x y"}).Draw(t, "names")[:rapid.IntRange(0, 3).Draw(t, "n")] {
			parts = append(parts, strconv.Quote(name)+":"+space+anyJSON(depth-1).Draw(t, "member"))
		}
		return "{" + strings.Join(parts, ",") + "}"
	})
}

// TestComparedAsCanonical holds the explanation against the comparison that makes the finding: it differs where that differs, and then says where; it is
// the same from either side; and where it says equal but the texts differ, it says in what.
func TestComparedAsCanonical(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := &Contract{Params: &ParamSpec{
			Defaults: map[string]string{"a": anyJSON(1).Draw(t, "default")},
			Exclude:  rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "a.b", "b.a", "x y"}), 0, 2).Draw(t, "exclude"),
		}}
		a, b := &Record{Params: Text(anyJSON(3).Draw(t, "one"))}, &Record{Params: Text(anyJSON(3).Draw(t, "other"))}
		answer, parts, more, _ := compareParams(c.Params, a, b)
		if want := map[tri]ParamsAnswer{yes: ParamsDiffer, no: ParamsEqual, unknown: ParamsUnknown}[paramsDiffer(c, a, b)]; answer != want {
			t.Fatalf("%s, the finding says %s", answer, want)
		}
		counted := 0
		for _, p := range parts {
			if p.Cause.Counts() {
				counted++
			}
		}
		if (answer == ParamsDiffer) != (counted > 0) || (len(parts) == 0) != a.Params.Equal(b.Params) {
			t.Fatalf("%s with %d that count of %d", answer, counted, len(parts))
		}
		back, mirrored, moreBack, _ := compareParams(c.Params, b, a)
		for i := range mirrored {
			mirrored[i].One, mirrored[i].Other = mirrored[i].Other, mirrored[i].One
		}
		if back != answer || more != moreBack || partsText(mirrored) != partsText(parts) {
			t.Fatalf("from one side\n%sfrom the other\n%s", partsText(parts), partsText(mirrored))
		}
	})
}
