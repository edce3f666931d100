package mapping

import (
	"math/big"
	"strings"
	"testing"
	"time"

	"example.com/idemctl/internal/sources/jsonwalk"
	"example.com/idemctl/internal/sources/rows"
)

// FuzzDecimal holds parseDecimal against arbitrary-precision arithmetic.
func FuzzDecimal(f *testing.F) {
	for _, s := range []string{"0", "-1", "19.99", "19.990", "92233720368547758.07", "-92233720368547758.08", "1e3", ".5", "5.", "", "-", "0,25", "00.10"} {
		f.Add(s, uint8(2))
	}
	f.Fuzz(func(t *testing.T, s string, exponent uint8) {
		exponent %= 5
		n, why := parseDecimal([]byte(s), exponent)
		want, ok := new(big.Rat).SetString(s)
		if strings.ContainsAny(s, "eE/_+xXoObBpP ") {
			ok = false
		}
		if why != "" {
			if ok && why == amountShape && !strings.HasPrefix(strings.TrimPrefix(s, "-"), ".") && !strings.HasSuffix(s, ".") {
				t.Fatalf("%q refused as %s", s, why)
			}
			return
		}
		if !ok {
			t.Fatalf("%q taken as %d", s, n)
		}
		want.Mul(want, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(exponent)), nil)))
		if want.Cmp(new(big.Rat).SetInt64(n)) != 0 {
			t.Fatalf("%q at exponent %d: got %d, want %s", s, exponent, n, want)
		}
	})
}

// FuzzTimes makes sure that no text makes a time parser panic, that what is RFC 3339 is read as the standard library reads it, and that counts
// are read exactly.
func FuzzTimes(f *testing.F) {
	for _, s := range []string{"2026-01-02T03:04:05Z", "2026-01-02T03:04:05.5+02:00", "1761000000", "1761000000.123456789", "-0.5", "9223372036.854775807", "9223372036.854775808", "-9223372036.9", "2026-01-02 03:04:05", "", "."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		ns, why, _ := (&clock{native: true}).text([]byte(s), nil)
		want, err := time.Parse(time.RFC3339Nano, s)
		if why == "" && (err != nil || want.UnixNano() != ns) {
			t.Fatalf("%q read as %d", s, ns)
		}
		count := &clock{unit: 1e9}
		ns, why, _ = count.text([]byte(s), nil)
		if why != "" {
			return
		}
		exact, ok := new(big.Rat).SetString(s)
		if !ok {
			t.Fatalf("%q read as %d", s, ns)
		}
		exact.Mul(exact, big.NewRat(1e9, 1))
		if cut := new(big.Int).Quo(exact.Num(), exact.Denom()); !cut.IsInt64() || cut.Int64() != ns {
			t.Fatalf("%q read as %d, want %s", s, ns, cut)
		}
	})
}

// FuzzPath makes sure that a path which is read has names, and that quoting them reads back.
func FuzzPath(f *testing.F) {
	for _, s := range []string{"a", "a.b", `"a.b".c`, `"a""b"`, `"`, ".", "a.", `a"b"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := ParsePath(s)
		if err != nil {
			return
		}
		quoted := make([]string, 0, 1+len(p.Members))
		for _, name := range append([]string{p.Column}, p.Members...) {
			quoted = append(quoted, `"`+strings.ReplaceAll(name, `"`, `""`)+`"`)
		}
		again, err := ParsePath(strings.Join(quoted, "."))
		if err != nil || again.Column != p.Column || strings.Join(again.Members, "\x00") != strings.Join(p.Members, "\x00") {
			t.Fatalf("%q read as %q, quoted as %q", s, p, again)
		}
	})
}

// FuzzSelectors makes sure that no path and no document makes a selector panic, and that what a path is taken for does not depend on the document.
func FuzzSelectors(f *testing.F) {
	for _, path := range []string{"a[0].b", "a[].b", "a[*].b", "a[key=k].v[0]", "a[json].b[base64]", "a[bytes]", `"a[".b`, "a[", "a[0]b"} {
		for _, doc := range []string{`{"a":[{"b":"x","key":"k","v":[1]}]}`, `{"a":{"m":{"b":1.5}}}`, `{"a":"{\"b\":\"eA==\"}"}`, `{"a":[104,-61]}`, `{"a":null}`, `{}`} {
			f.Add(path, doc)
		}
	}
	f.Fuzz(func(t *testing.T, path, doc string) {
		m, err := Compile(line(Field{Name: "object_id", From: path}))
		if (err == nil) != (CheckPath(path) == nil) {
			t.Fatalf("%q: %v, %v", path, err, CheckPath(path))
		}
		if err != nil {
			return
		}
		p := m.Paths()[0]
		cells := make([]rows.Cell, 1)
		if jsonwalk.Compile([][]string{append([]string{p.Column}, p.Members...)}).Walk([]byte(doc), cells) != nil {
			return
		}
		r, bad := m.Map(cells)
		if (r == nil) == (bad == nil) {
			t.Fatalf("%q of %q: %v, %v", path, doc, r, bad)
		}
	})
}
