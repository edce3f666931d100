package report_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/report"
	"example.com/idemctl/internal/text/hostile"
)

// TestHostileTrailIsShownAndNeverObeyed puts hostile text into every field of a trail that an operator or a file can fill.
func TestHostileTrailIsShownAndNeverObeyed(t *testing.T) {
	t.Parallel()
	for _, bad := range hostile.Corpus() {
		s := string(bad.Bytes)
		entry := report.Entry{
			ID: s, Type: "guard.refused", Operator: s, Tool: s, Case: s, Decision: s, Action: "replay", Code: s, Answer: s, Reason: s, Ref: s, To: s, Record: bad.Bytes,
			Identity: []reconcile.Component{{Name: s, Value: reconcile.Text(s)}}, Of: &report.Decision{ID: s, Operator: s},
		}
		entries := func(yield func(report.Entry, error) bool) { yield(entry, nil) }
		found := &report.Verified{Origin: s, Root: s, Remembered: s, Faults: []report.TrailFault{{Where: s, What: s}}}
		answers := []report.Answer{{Case: s, Code: "no-case", Reason: s}, {Case: s, Reason: s, Decision: &report.Decision{ID: s, Operator: s, Reason: s, Ref: s, To: s}}}
		for name, write := range map[string]func(io.Writer) error{
			"log":           func(w io.Writer) error { return report.Log(w, entries, report.Options{Width: 60}) },
			"log --json":    func(w io.Writer) error { return report.LogJSON(w, entries) },
			"log --jsonl":   func(w io.Writer) error { return report.LogLines(w, entries) },
			"verify":        func(w io.Writer) error { return report.VerifiedText(w, found, report.Options{Width: 60}) },
			"verify --json": func(w io.Writer) error { return report.VerifiedJSON(w, found) },
			"decide":        func(w io.Writer) error { return report.Answers(w, answers) },
			"decide --json": func(w io.Writer) error { return report.AnswersJSON(w, answers) },
			"outcome":       func(w io.Writer) error { return report.DecisionJSON(w, s, answers[1].Decision) },
			"refusals": func(w io.Writer) error {
				_, err := io.WriteString(w, strings.Join(report.Refusals(answers), "\n"))
				return err
			},
		} {
			var out bytes.Buffer
			if err := write(&out); err != nil {
				t.Fatal(err)
			}
			if err := hostile.Check(out.Bytes()); err != nil {
				t.Errorf("%s in %s: %v", bad.Name, name, err)
			}
		}
	}
}
