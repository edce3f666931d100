package text_test

import (
	"bytes"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"example.com/idemctl/internal/text"
	"example.com/idemctl/internal/text/hostile"
)

func TestCSVCell(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want string }{
		{"order-17", "order-17"},
		{"a=b", "a=b"},
		{"", ""},
		{" ", `\u{20}`},
		{"=1+1", "'=1+1"},
		{"+1", "'+1"},
		{"-1", "'-1"},
		{"@SUM(A1)", "'@SUM(A1)"},
		{"\t=1", `'\u{9}=1`},
		{"\rx", `'\u{d}x`},
		{"\nx", `'\u{a}x`},
		{"  =1", `'\u{20} =1`},
		{"\ufeff=1", `'\u{feff}=1`},
		{"\x00=1", `'\u{0}=1`},
		{"\xff=1", `'\xff=1`},
		{"＝1", "'＝1"},
		{"＋1", "'＋1"},
		{"－1", "'－1"},
		{"＠x", "'＠x"},
		{"'=1", "''=1"},
		{"\ufffd=1", "\ufffd=1"},
	} {
		if got := text.CSVCell([]byte(tt.in)); got != tt.want {
			t.Errorf("CSVCell(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestAppendCSVReadsBack(t *testing.T) {
	t.Parallel()
	want := []string{"a", `say "x"`, "b,c", "", "x;=1"}
	line := text.AppendCSV(nil, want...)
	if got := string(line); got != "\"a\",\"say \"\"x\"\"\",\"b,c\",\"\",\"x;=1\"\n" {
		t.Errorf("AppendCSV = %s", got)
	}
	got, err := csv.NewReader(bytes.NewReader(line)).Read()
	if err != nil || strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("read back %q, %v", got, err)
	}
}

func TestNoLiveFormula(t *testing.T) {
	t.Parallel()
	for _, h := range hostile.Corpus() {
		cell := text.CSVCell(h.Bytes)
		if strings.HasPrefix(cell, "'") {
			continue
		}
		if bare := strings.TrimSpace(cell); bare != "" && strings.ContainsAny(string([]rune(bare)[:1]), "=+-@＝＋－＠\t\r") {
			t.Errorf("%s: live formula %q", h.Name, cell)
		}
	}
}

func TestJSONBytes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want string }{
		{"", `""`},
		{"a\"\\b", `"a\"\\b"`},
		{"é界", `"é界"`},
		{"\x1b\x7f\u009b", `"\u001b\u007f\u009b"`},
		{"\u202e\u2028\ufeff", `"\u202e\u2028\ufeff"`},
		{"\U000e0041", `"\udb40\udc41"`},
		{"\xff", `{"base64":"/w=="}`},
	} {
		if got := string(text.JSONBytes([]byte(tt.in))); got != tt.want {
			t.Errorf("JSONBytes(%q) = %s, want %s", tt.in, got, tt.want)
		}
	}
	if got := string(text.JSONString("a\xffb")); got != `"a\\xffb"` {
		t.Errorf("JSONString = %s", got)
	}
}

func TestJSONIsExactAndSafe(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := bytesOrText().Draw(t, "text")
		doc := text.JSONBytes(b)
		if err := hostile.Check(doc); err != nil {
			t.Fatal(err)
		}
		if got := decode(t, doc); !bytes.Equal(got, b) {
			t.Fatalf("%s reads back as %q, want %q", doc, got, b)
		}
	})
}

func decode(t *rapid.T, doc []byte) []byte {
	var s string
	if json.Unmarshal(doc, &s) == nil {
		return []byte(s)
	}
	var o struct{ Base64 string }
	if err := json.Unmarshal(doc, &o); err != nil {
		t.Fatal(err)
	}
	b, err := base64.StdEncoding.DecodeString(o.Base64)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestEscapeJSON(t *testing.T) {
	t.Parallel()
	values := map[string]string{}
	for _, h := range hostile.Corpus() {
		if utf8.Valid(h.Bytes) {
			values[h.Name+string(h.Bytes)] = string(h.Bytes)
		}
	}
	doc, err := json.MarshalIndent(values, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if hostile.Check(doc) == nil {
		t.Fatal("encoding/json is safe by itself: EscapeJSON has lost its reason")
	}
	safe := text.EscapeJSON(doc)
	if err := hostile.Check(safe); err != nil {
		t.Fatal(err)
	}
	var back map[string]string
	if err := json.Unmarshal(safe, &back); err != nil {
		t.Fatal(err)
	}
	for k, v := range values {
		if back[k] != v {
			t.Errorf("%q became %q", v, back[k])
		}
	}
	if got := text.EscapeJSON([]byte("{\"k\":\"a\xff\"}")); string(got) != "{\"k\":\"a\\ufffd\"}" {
		t.Errorf("a broken byte became %s", got)
	}
}

func TestMask(t *testing.T) {
	t.Parallel()
	if got := text.Mask([]byte("4111111111111111")); got != "••• 16 B" {
		t.Errorf("a short payload is masked as %q", got)
	}
	if got := text.Mask(bytes.Repeat([]byte("a"), 32)); got != "••• 32 B #3ba3f5f4" {
		t.Errorf("a payload is masked as %q", got)
	}
}
