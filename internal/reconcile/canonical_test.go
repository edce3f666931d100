package reconcile_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"example.com/idemctl/internal/reconcile"
)

func TestCanonicalTexts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{` { "b" : 1 , "a" : [ true , null , false , { } , [ ] ] } `, `{"a":[true,null,false,{},[]],"b":1}`},
		{`"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/"`, `"€$\u000f\nA'B\"\\\\\"/"`}, // RFC 8785, 3.2.2
		{"\"\x7f\\b\\t\\f\\r\\u2028\"", "\"\x7f\\b\\t\\f\\r\u2028\""},
		// RFC 8785, 3.2.3: a surrogate sorts before U+FB33, though its bytes come after
		{
			`{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}`,
			"{\"\\r\":2,\"1\":4,\"\u0080\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\ufb33\":3}",
		},
		{`{"a":1,"":2,"ab":3,"A":4}`, `{"":2,"A":4,"a":1,"ab":3}`},
		// Numbers, RFC 8785, appendix B, where the digits given are those that are printed
		{`[0,-0,0.0,-0e5,0e99999999999999999999]`, `[0,0,0,0,0]`},
		{`[1,1.0,10e-1,0.1e1,100E-2,1e+0]`, `[1,1,1,1,1,1]`},
		{`[5e-324,-5e-324,1.7976931348623157e308]`, `[5e-324,-5e-324,1.7976931348623157e+308]`},
		{`[9007199254740992,295147905179352830000,1e21,1e20]`, `[9007199254740992,295147905179352830000,1e+21,100000000000000000000]`},
		{`[0.000001,0.0000001,-0.0000033333333333333333]`, `[0.000001,1e-7,-0.0000033333333333333333]`},
		{`[123e-2,12300e2,1424953923781206.2]`, `[1.23,1230000,1424953923781206.2]`},
		// Where a double would lose digits, they stay
		{`[9007199254740993,0.1000000000000000055,1e400,12345678901234567890123]`, `[9007199254740993,0.1000000000000000055,1e+400,1.2345678901234567890123e+22]`},
		{`[1e999999999,1e-999999999,10e999999998,0.1e1000000000]`, `[1e+999999999,1e-999999999,1e+999999999,1e+999999999]`},
	} {
		got, err := reconcile.Canonical([]byte(c.in), nil)
		if err != nil || string(got) != c.want {
			t.Errorf("%s\n got %s, %v\nwant %s", c.in, got, err, c.want)
		}
	}
}

func TestCanonicalRefuses(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		``, ` `, `nul`, `nullx`, `tru`, `01`, `-`, `+1`, `.5`, `1.`, `1e`, `1e+`, `1.e3`, `0x1`, `NaN`, `Infinity`, `'a'`,
		`{`, `[`, `[1`, `[1,]`, `[,1]`, `[1 2]`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{,}`, `{a:1}`, `{"a":1 "b":2}`, `]`, `[}`, `{]`,
		`1 1`, `{} x`, "1\x00", "\x00", "\ufeff1", `[1]]`, `// a`,
		`"`, `"a`, `"\`, `"\x"`, `"\u12"`, `"\u12g4"`, `"\U0041"`, "\"\n\"", "\"\x1f\"",
		`"\ud800"`, `"\udc00"`, `"\ud800\ud800"`, `"\ud800x"`, `"\ud800\u0041"`, `"\ud800\n"`, `"\ud800\u12"`,
		"\"\xff\"", "\"\xed\xa0\x80\"", "\"\xc0\xaf\"", "{\"\xff\":1}", "[1]\xff",
		`{"a":1,"a":1}`, `{"a":1,"\u0061":2}`, `[{"x":{"a":1,"b":2,"a":3}}]`,
		`1e1000000000`, `1e-1000000000`, `1e99999999999999999999`, `10e999999999`, `0.1e-999999999`,
		strings.Repeat("[", 513) + strings.Repeat("]", 513), strings.Repeat(`{"a":`, 513) + "1" + strings.Repeat("}", 513),
		strings.Repeat("[", 1<<20),
	} {
		if got, err := reconcile.Canonical([]byte(in), nil); err == nil {
			t.Errorf("%.60q was read as %s", in, got)
		}
	}
	deep := strings.Repeat("[", 512) + strings.Repeat("]", 512)
	if got, err := reconcile.Canonical([]byte(deep), nil); err != nil || string(got) != deep {
		t.Errorf("512 levels: %v", err)
	}
}

func TestCanonicalErrorsQuoteNothing(t *testing.T) {
	t.Parallel()
	_, err := reconcile.Canonical([]byte(`{"card":"4242424242424242" x}`), nil)
	if want := "reading parameters: no comma or end where one must stand at byte 27"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestCanonicalFollowsTheContract(t *testing.T) {
	t.Parallel()
	spec := &reconcile.ParamSpec{
		Defaults: map[string]string{"currency": `"EUR"`, "options": ` {"gift": false, "copies": 1.0} `, "note": `null`, "trace": `1`},
		Exclude:  []string{"trace", "sent_at", "meta.sent_at", "a.b", "deep.x.y"},
	}
	for _, c := range []struct{ in, want string }{
		{`{}`, `{"currency":"EUR","note":null,"options":{"copies":1,"gift":false}}`},
		{`{"currency":null,"options":{}}`, `{"currency":null,"note":null,"options":{}}`},
		{`{"currency":"CHF","sent_at":"now","trace":{"id":1}}`, `{"currency":"CHF","note":null,"options":{"copies":1,"gift":false}}`},
		{`{"meta":{"sent_at":1,"by":"web"}}`, `{"currency":"EUR","meta":{"by":"web"},"note":null,"options":{"copies":1,"gift":false}}`},
		{`{"a.b":1,"a":{"b":2}}`, `{"a":{},"currency":"EUR","note":null,"options":{"copies":1,"gift":false}}`},
		{`{"deep":{"x":[{"y":1}]}}`, `{"currency":"EUR","deep":{"x":[{"y":1}]},"note":null,"options":{"copies":1,"gift":false}}`},
		{`{"deep":{"x":{"y":1}}}`, `{"currency":"EUR","deep":{"x":{}},"note":null,"options":{"copies":1,"gift":false}}`},
		{`[{"trace":1}]`, `[{"trace":1}]`},
		{`"trace"`, `"trace"`},
	} {
		got, err := reconcile.Canonical([]byte(c.in), spec)
		if err != nil || string(got) != c.want {
			t.Errorf("%s\n got %s, %v\nwant %s", c.in, got, err, c.want)
		}
	}
	for _, in := range []string{`{"trace":1,"trace":1}`, `{"trace":"\ud800"}`} {
		if got, err := reconcile.Canonical([]byte(in), spec); err == nil {
			t.Errorf("%s: excluded, yet not strict, was read as %s", in, got)
		}
	}
	bad := &reconcile.ParamSpec{Defaults: map[string]string{"a": `{`}}
	if got, err := reconcile.Canonical([]byte(`{}`), bad); err == nil {
		t.Errorf("a default that is no JSON was read as %s", got)
	}
}

func TestCanonicalNumbersCostNothing(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("9", 1<<20)
	in := `[1e999999999,1e-999999999,` + long + `,0.` + long + `]`
	got, err := reconcile.Canonical([]byte(in), nil)
	if err != nil || len(got) > len(in)+32 {
		t.Fatalf("%d bytes from %d, %v", len(got), len(in), err)
	}
}

// A drawn value, which render can spell in many ways. A number is mantissa × 10^exponent, and its mantissa does not end in 0.
type (
	number struct {
		mantissa int64
		exponent int
	}
	pair struct {
		name  string
		value any
	}
	object []pair
)

func drawValue(t *rapid.T, depth int) any {
	kinds := 4
	if depth > 0 {
		kinds = 6
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return nil
	case 1:
		return rapid.Bool().Draw(t, "bool")
	case 2:
		return drawNumber(t)
	case 3:
		return rapid.String().Draw(t, "string")
	case 4:
		items := make([]any, rapid.IntRange(0, 3).Draw(t, "items"))
		for i := range items {
			items[i] = drawValue(t, depth-1)
		}
		return items
	}
	return drawObject(t, depth)
}

func drawObject(t *rapid.T, depth int) object {
	names := rapid.SliceOfNDistinct(rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"a", "b", "é", "😀", "\ufb33"})), 0, 4, rapid.ID).Draw(t, "names")
	o := object{}
	for _, name := range names {
		o = append(o, pair{name, drawValue(t, depth-1)})
	}
	return o
}

func drawNumber(t *rapid.T) number {
	n := number{rapid.Int64().Draw(t, "mantissa"), rapid.IntRange(-30, 30).Draw(t, "exponent")}
	for n.mantissa != 0 && n.mantissa%10 == 0 {
		n.mantissa, n.exponent = n.mantissa/10, n.exponent+1
	}
	if n.mantissa == 0 {
		n.exponent = 0
	}
	return n
}

// render writes v; with t, in a spelling that t draws.
func render(t *rapid.T, v any) string {
	gap := func() string {
		if t == nil {
			return ""
		}
		return rapid.SampledFrom([]string{"", "", " ", "\n\t", "\r"}).Draw(t, "gap")
	}
	var parts []string
	switch v := v.(type) {
	case nil:
		return gap() + "null" + gap()
	case bool:
		return gap() + strconv.FormatBool(v) + gap()
	case number:
		return gap() + renderNumber(t, v) + gap()
	case string:
		return gap() + renderString(t, v) + gap()
	case []any:
		for _, item := range v {
			parts = append(parts, render(t, item))
		}
		return gap() + "[" + gap() + strings.Join(parts, ",") + "]" + gap()
	case object:
		for _, m := range v {
			parts = append(parts, gap()+renderString(t, m.name)+gap()+":"+render(t, m.value))
		}
		if t != nil {
			parts = rapid.Permutation(parts).Draw(t, "order")
		}
		return gap() + "{" + gap() + strings.Join(parts, ",") + "}" + gap()
	}
	panic("a value of no JSON kind")
}

func renderNumber(t *rapid.T, n number) string {
	if t == nil {
		return fmt.Sprintf("%de%d", n.mantissa, n.exponent)
	}
	digits, sign := strings.TrimPrefix(strconv.FormatInt(n.mantissa, 10), "-"), ""
	if n.mantissa < 0 {
		sign = "-"
	}
	zeros := rapid.IntRange(0, 5).Draw(t, "zeros")
	digits += strings.Repeat("0", zeros)
	exponent := n.exponent - zeros
	if point := rapid.IntRange(0, len(digits)).Draw(t, "point"); point < len(digits) {
		exponent += len(digits) - point
		whole := digits[:point]
		if point == 0 || n.mantissa == 0 {
			whole = "0"
		}
		digits = whole + "." + digits[point:]
	} else if n.mantissa == 0 {
		digits = "0"
	}
	if exponent == 0 && rapid.Bool().Draw(t, "bare") {
		return sign + digits
	}
	return sign + digits + rapid.SampledFrom([]string{"e", "E"}).Draw(t, "e") + fmt.Sprintf(rapid.SampledFrom([]string{"%d", "%+d", "%03d"}).Draw(t, "form"), exponent)
}

func renderString(t *rapid.T, s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		must := r < ' ' || r == '"' || r == '\\'
		if !must && (t == nil || rapid.IntRange(0, 3).Draw(t, "escape") > 0) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			form := `\u%04x`
			if t != nil {
				form = rapid.SampledFrom([]string{`\u%04x`, `\u%04X`}).Draw(t, "hex")
			}
			fmt.Fprintf(&b, form, unit)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// change alters exactly one thing in v.
func change(t *rapid.T, v any) any {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return !v
	case number:
		if v.mantissa != 0 && rapid.Bool().Draw(t, "shift") {
			return number{v.mantissa, v.exponent + 1}
		}
		return number{v.mantissa ^ 1, v.exponent}
	case string:
		return v + rapid.SampledFrom([]string{"x", " ", "0", "\u0301", "\x00"}).Draw(t, "tail")
	case []any:
		if len(v) == 0 {
			return []any{nil}
		}
		i := rapid.IntRange(0, len(v)-1).Draw(t, "at")
		out := slices.Clone(v)
		out[i] = change(t, out[i])
		return out
	case object:
		if len(v) == 0 {
			return object{{"new", nil}}
		}
		i := rapid.IntRange(0, len(v)-1).Draw(t, "at")
		out := slices.Clone(v)
		if rapid.Bool().Draw(t, "without") {
			return slices.Delete(out, i, i+1)
		}
		out[i].value = change(t, out[i].value)
		return out
	}
	panic("a value of no JSON kind")
}

func TestCanonicalIsOneTextOfAllSpellings(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := drawValue(t, 3)
		plain, spelled := render(nil, v), render(t, v)
		a, errA := reconcile.Canonical([]byte(plain), nil)
		b, errB := reconcile.Canonical([]byte(spelled), nil)
		if errA != nil || errB != nil || string(a) != string(b) {
			t.Fatalf("%s\n%q\n is %q, %v\n%q\n is %q, %v", v, plain, a, errA, spelled, b, errB)
		}
		if again, err := reconcile.Canonical(a, nil); err != nil || string(again) != string(a) {
			t.Fatalf("%q became %q, %v", a, again, err)
		}
	})
}

func TestCanonicalShowsEveryChange(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := drawValue(t, 3)
		w := change(t, v)
		a, errA := reconcile.Canonical([]byte(render(t, v)), nil)
		b, errB := reconcile.Canonical([]byte(render(t, w)), nil)
		if errA != nil || errB != nil || string(a) == string(b) {
			t.Fatalf("%v and %v are both %q (%v, %v)", v, w, a, errA, errB)
		}
	})
}

// The value of every number is kept: checked against exact rational arithmetic.
func TestCanonicalKeepsEveryDigit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := renderNumber(t, drawNumber(t))
		got, err := reconcile.Canonical([]byte(in), nil)
		want, ok := new(big.Rat).SetString(in)
		have, okHave := new(big.Rat).SetString(string(got))
		if err != nil || !ok || !okHave || want.Cmp(have) != 0 {
			t.Fatalf("%s became %s, %v", in, got, err)
		}
	})
}

func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{
		`{"amount":8990,"currency":"EUR","lines":[{"sku":"notebook","qty":2}]}`, `[1.0,1e0,-0,9007199254740993,1e999999999]`,
		`{"a":1,"\u0061":2}`, `"\ud83d\ude00\ud800"`, "\"\xff\"", `{"trace":{"id":1}}`, `[[[[]]]]`, ` null `, `1 2`,
	} {
		f.Add([]byte(seed))
	}
	spec := &reconcile.ParamSpec{Defaults: map[string]string{"currency": `"EUR"`}, Exclude: []string{"trace", "meta.sent_at"}}
	f.Fuzz(func(t *testing.T, in []byte) {
		plain, err := reconcile.Canonical(in, nil)
		if _, errSpec := reconcile.Canonical(in, spec); (err == nil) != (errSpec == nil) {
			t.Fatalf("%q: %v without a contract, %v with one", in, err, errSpec)
		}
		if err != nil {
			return
		}
		if !json.Valid(in) || !json.Valid(plain) {
			t.Fatalf("%q was read as %q", in, plain)
		}
		if again, err := reconcile.Canonical(plain, nil); err != nil || string(again) != string(plain) {
			t.Fatalf("%q became %q, then %q, %v", in, plain, again, err)
		}
		filled, err := reconcile.Canonical(in, spec)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := reconcile.Canonical(filled, spec); err != nil || string(again) != string(filled) {
			t.Fatalf("%q became %q, then %q, %v", in, filled, again, err)
		}
	})
}
