package report_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/report"
	"example.com/idemctl/internal/text/hostile"
)

// TestHandOutIsExact: a worker gets the parameters to the last byte, and as JSON only where nothing is lost by it.
func TestHandOutIsExact(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"n": 9007199254740993, "a": 1.10}`: `{"n":9007199254740993,"a":1.10}`,
		`[1]`:                                `[1]`,
		`1e400`:                              `"1e400"`,
		`{"n":`:                              `"{\"n\":"`,
		"{\"k\":\"\xff\"}":                   `{"base64":"eyJrIjoi/yJ9"}`,
		"":                                   `""`,
	} {
		var out bytes.Buffer
		if err := report.HandOut(&out, []report.Handed{{Decision: "d", Params: reconcile.Text(in)}}, false); err != nil {
			t.Fatal(err)
		}
		var got struct {
			Parameters json.RawMessage `json:"parameters"`
			Text       json.RawMessage `json:"parameters_text"`
			Target     json.RawMessage `json:"target"`
		}
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			t.Fatalf("%q: %v in %s", in, err, out.Bytes())
		}
		if string(got.Parameters) != want || string(got.Target) != "null" {
			t.Errorf("%q is handed out as %s, want %s", in, got.Parameters, want)
		}
		var text string
		if json.Unmarshal(got.Text, &text) == nil && text != in {
			t.Errorf("%q is handed out as the text %q", in, text)
		}
	}
}

func TestHostileHandOutIsNeverObeyed(t *testing.T) {
	t.Parallel()
	for _, bad := range hostile.Corpus() {
		v, s := reconcile.Bytes(bad.Bytes), string(bad.Bytes)
		in := []report.Handed{{Decision: s, Case: s, Contract: s, Identity: []reconcile.Component{{Name: s, Value: v}}, Params: v, Target: v, ProviderKey: v}}
		wrapped := reconcile.Text(`{"p": "` + s + `"}`)
		in = append(in, report.Handed{Params: wrapped})
		for _, whole := range []bool{false, true} {
			var out bytes.Buffer
			if err := report.HandOut(&out, in, whole); err != nil {
				t.Fatal(err)
			}
			if err := hostile.Check(out.Bytes()); err != nil {
				t.Errorf("%s: %v", bad.Name, err)
			}
		}
		if err := hostile.Check([]byte(report.NotHanded(s, s, "code", s))); err != nil {
			t.Errorf("%s: %v", bad.Name, err)
		}
	}
}
