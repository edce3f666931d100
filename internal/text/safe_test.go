package text_test

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"example.com/idemctl/internal/text"
	"example.com/idemctl/internal/text/hostile"
)

func TestSafe(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{"order-17", "order-17"},
		{"Zürich 東京 עברית हिन्दी", "Zürich 東京 עברית हिन्दी"},
		{"👍 €", "👍 €"},
		{"a\x1b[31mb", `a\u{1b}[31mb`},
		{"a\nb", `a\u{a}b`},
		{"\u009b2J", `\u{9b}2J`},
		{"\x9b2J", `\x9b2J`},
		{"inv\u202Efdp", `inv\u{202e}fdp`},
		{"k\ufeff", `k\u{feff}`},
		{`a\b`, `a\\b`},
		{`\u{202e}`, `\\u{202e}`},
		{"\xff", `\xff`},
		{"\xed\xa0\x80", `\xed\xa0\x80`},
		{" a b ", `\u{20}a b\u{20}`},
		{"  ", `\u{20}\u{20}`},
		{"a\u00a0b", `a\u{a0}b`},
		{"cafe\u0301", "cafe\u0301"},
		{"\u0301a", `\u{301}a`},
		{"a \u0301", `a \u{301}`},
		{"a\n\u0301", `a\u{a}\u{301}`},
		{"e\u0301\u0301\u0301\u0301\u0301", "e\u0301\u0301\u0301\u0301" + `\u{301}`},
		{"1\ufe0f\u20e3", `1\u{fe0f}\u{20e3}`},
		{"\u1112\u1161\u11ab", "\u1112\u1161\u11ab"},
		{"a\u1161", `a\u{1161}`},
		{"\U000e0041", `\u{e0041}`},
		{"\ue000\u0378", `\u{e000}\u{378}`},
		{"\ufffd", "\ufffd"},
	} {
		if got := text.SafeString(tt.in); got != tt.want {
			t.Errorf("SafeString(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestCorpusIsShownAndNotObeyed(t *testing.T) {
	t.Parallel()
	corpus := hostile.Corpus()
	if len(corpus) < 300 {
		t.Fatalf("the corpus holds %d texts, want at least 300", len(corpus))
	}
	bySafe, byKey, byCell := map[string]string{}, map[string]string{}, map[string]string{}
	seen := map[string]string{}
	for _, h := range corpus {
		if other, ok := seen[string(h.Bytes)]; ok {
			t.Errorf("%s: same bytes as %s", h.Name, other)
		}
		seen[string(h.Bytes)] = h.Name
		for name, out := range map[string]string{
			"Safe": text.Safe(h.Bytes), "Key": text.Key(h.Bytes), "CSVCell": text.CSVCell(h.Bytes), "JSONBytes": string(text.JSONBytes(h.Bytes)),
			"JSONString": string(text.JSONString(string(h.Bytes))), "Mask": text.Mask(h.Bytes), "Truncate": text.Truncate(text.Safe(h.Bytes), 7), "Shorten": text.Shorten(text.Safe(h.Bytes), 7), "Pad": text.Pad(text.Safe(h.Bytes), 9),
		} {
			if err := hostile.Check([]byte(out)); err != nil {
				t.Errorf("%s of %s: %v", name, h.Name, err)
			}
		}
		distinct(t, bySafe, text.Safe(h.Bytes), h.Name)
		distinct(t, byKey, text.Key(h.Bytes), h.Name)
		distinct(t, byCell, text.CSVCell(h.Bytes), h.Name)
		back, err := text.Parse(text.Safe(h.Bytes))
		if err != nil || !bytes.Equal(back, h.Bytes) {
			t.Errorf("%s: Parse(Safe) = %q, %v, want %q", h.Name, back, err, h.Bytes)
		}
	}
}

func distinct(t *testing.T, seen map[string]string, out, name string) {
	t.Helper()
	if other, ok := seen[out]; ok {
		t.Errorf("%s and %s are both shown as %q", name, other, out)
	}
	seen[out] = name
}

func TestKeyTellsLookAlikesApart(t *testing.T) {
	t.Parallel()
	if got := text.Key([]byte("order-17")); got != "order-17" {
		t.Errorf("Key of plain ASCII = %q", got)
	}
	latin, cyrillic := text.Key([]byte("é")), text.Key([]byte("e\u0301"))
	if got, want := latin, "é #4a99557e"; got != want {
		t.Errorf("Key = %q, want %q", got, want)
	}
	if latin[len(latin)-8:] == cyrillic[len(cyrillic)-8:] {
		t.Errorf("look-alikes share the fingerprint in %q and %q", latin, cyrillic)
	}
	if got := text.Key(nil); got != " #e3b0c442" {
		t.Errorf("Key of the empty key = %q", got)
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, s := range []string{`\`, `a\`, `\n`, `\x4`, `\x41`, `\xgg`, `\u{}`, `\u{d800}`, `\u{110000}`, `\u{-1}`, `\u{+20}`, `\u{1234567}`, `\u{20`, `\u20`} {
		if got, err := text.Parse(s); err == nil {
			t.Errorf("Parse(%q) = %q, want an error", s, got)
		} else if err := hostile.Check([]byte(err.Error())); err != nil {
			t.Errorf("the error of Parse(%q): %v", s, err)
		}
	}
}

func TestSafeProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := bytesOrText().Draw(t, "text")
		safe := text.Safe(b)
		if err := hostile.Check([]byte(safe)); err != nil {
			t.Fatal(err)
		}
		if back, err := text.Parse(safe); err != nil || !bytes.Equal(back, b) {
			t.Fatalf("Parse(%q) = %q, %v, want %q", safe, back, err, b)
		}
		if !bytes.Contains([]byte(safe), []byte(`\`)) && text.SafeString(safe) != safe {
			t.Fatalf("safe text %q is made %q", safe, text.SafeString(safe))
		}
	})
}

// bytesOrText draws any bytes, or strings rich in what is escaped.
func bytesOrText() *rapid.Generator[[]byte] {
	return rapid.OneOf(
		rapid.SliceOf(rapid.Byte()),
		rapid.Map(rapid.String(), func(s string) []byte { return []byte(s) }),
		rapid.Map(rapid.SliceOf(rapid.SampledFrom([]string{`\`, "{", "}", "u", "x", "f", " ", "a", "\u0301", "\u202e", "\xff", "\xed\xa0", "\u1100", "\u1161", "界", "'", "=", "\t", `"`})),
			func(parts []string) []byte { return bytes.Join(toBytes(parts), nil) }),
	)
}

func toBytes(parts []string) [][]byte {
	out := make([][]byte, len(parts))
	for i, p := range parts {
		out[i] = []byte(p)
	}
	return out
}

func FuzzSafe(f *testing.F) {
	for _, h := range hostile.Corpus() {
		f.Add(h.Bytes)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		safe := text.Safe(b)
		if err := hostile.Check([]byte(safe)); err != nil {
			t.Fatal(err)
		}
		if back, err := text.Parse(safe); err != nil || !bytes.Equal(back, b) {
			t.Fatalf("Parse(%q) = %q, %v, want %q", safe, back, err, b)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`a\u{202e}`, `\xff\\`, `\`, `\u{110000}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		b, err := text.Parse(s)
		if err != nil {
			return
		}
		if again, err := text.Parse(text.Safe(b)); err != nil || !bytes.Equal(again, b) {
			t.Fatalf("Parse(Safe(%q)) = %q, %v", b, again, err)
		}
	})
}

func TestOnce(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain": "plain", `a\u{1b}b`: `a\u{1b}b`, "a\x1bb": `a\u{1b}b`, `C:\temp`: `C:\\temp`, `C:\\temp`: `C:\\temp`, "a\xff" + `\xff`: `a\xff\\xff`, "": "",
	} {
		if got := text.Once(in); got != want {
			t.Errorf("Once(%q) = %q, want %q", in, got, want)
		}
	}
}
