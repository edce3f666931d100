package report_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/report"
	"example.com/idemctl/internal/text/hostile"
)

// poisoned is a result that carries the same text wherever a text of data or config can stand.
func poisoned(b []byte) *fake {
	s, v := string(b), reconcile.Bytes(b)
	f := night()
	f.manifest.Name = s
	for i := range f.manifest.Sources {
		src := &f.manifest.Sources[i]
		src.Name, src.Coverage.Reason, src.Coverage.Hint = s, s, s
	}
	f.manifest.Gaps[0].Store = s
	f.manifest.Contracts[0].Contract, f.manifest.Contracts[0].Text = s, s
	f.manifest.Notes = []string{s}
	f.manifest.Contracts[0].Example = []reconcile.Component{{Name: s, Value: v}}
	f.manifest.Contracts[0].Money = []reconcile.Amount{{Currency: s, Valid: true}}
	f.manifest.Counts.NotJudged = map[string]int64{s: 1} // words of our own, but a saved scan is a file that somebody hands over
	f.manifest.Contracts[0].Kind = s
	for _, c := range f.cases {
		c.Contract, c.Amount.Currency = s, s
		for i := range c.Identity {
			c.Identity[i].Value = v
		}
		c.Identity[0].Name = s
		for i := range c.Evidence {
			e := &c.Evidence[i]
			e.Source, e.Locator = s, s
			e.Facts = append(e.Facts, reconcile.Fact{Name: s, Value: v}, reconcile.Fact{Name: "response_body", Value: v})
			e.Raw = append(e.Raw, reconcile.Column{Name: s, Kind: "text", Text: b})
		}
		c.Candidates = []reconcile.Candidate{{Case: s, Locator: s, Why: s, Identity: []reconcile.Component{{Name: s, Value: v}, {Name: "key", Value: v}}}}
		c.Twins, c.Others = c.Candidates, c.Candidates
		c.Reasons = []reconcile.Reason{{Rule: s, Text: s, Refs: []string{s}}}
		c.Options = []reconcile.Option{{Reason: s, Code: s, Other: s}}
		c.Pending = []reconcile.Pending{{What: s, Ref: s}}
		c.NotJudged, c.CaseID, c.Explained = []string{s}, s, s
		c.Legs = []reconcile.Leg{{Code: s}}
	}
	return f
}

func TestHostileTextIsShownAndNeverObeyed(t *testing.T) {
	t.Parallel()
	for _, bad := range hostile.Corpus() {
		for _, o := range outputs() {
			out := render(t, o, poisoned(bad.Bytes), report.Options{Reveal: true})
			if err := hostile.Check(out); err != nil {
				t.Errorf("%s in %s: %v", bad.Name, o.name, err)
			}
		}
	}
}

func TestJSONKeepsEveryByteOfAKey(t *testing.T) {
	t.Parallel()
	for _, bad := range hostile.Corpus() {
		out := render(t, outputs()[2], poisoned(bad.Bytes), report.Options{})
		for line := range bytes.Lines(out) {
			var got struct {
				Identity map[string]json.RawMessage `json:"identity"`
			}
			if err := json.Unmarshal(line, &got); err != nil {
				t.Fatalf("%s: %v", bad.Name, err)
			}
			if key := exact(t, got.Identity["key"]); !bytes.Equal(key, bad.Bytes) {
				t.Errorf("%s: key %q came back as %q", bad.Name, bad.Bytes, key)
			}
		}
	}
}

// exact reads a JSON value back into bytes, as a user's script would.
func exact(t *testing.T, raw json.RawMessage) []byte {
	t.Helper()
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return []byte(s)
	}
	var b struct {
		Base64 []byte `json:"base64"`
	}
	if err := json.Unmarshal(raw, &b); err != nil {
		t.Fatal(err)
	}
	return b.Base64
}
