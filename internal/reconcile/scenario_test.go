package reconcile_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"example.com/idemctl/internal/reconcile"
)

// TestScenarios runs every scenario of testdata/scenarios. Each is run again with its records shuffled and repeated: order and repetition change nothing.
func TestScenarios(t *testing.T) {
	t.Parallel()
	datadriven.Walk(t, "testdata/scenarios", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd != "judge" {
				t.Fatalf("%s: unknown command %q", d.Pos, d.Cmd)
			}
			n := read(t, d.Input)
			got := n.judge(d.HasArg("options"))
			rng := rand.New(rand.NewPCG(1, 2)) // a shuffle that repeats, not a secret
			for range 5 {
				again := read(t, d.Input)
				rng.Shuffle(len(again.recs), func(i, k int) { again.recs[i], again.recs[k] = again.recs[k], again.recs[i] })
				if shuffled := again.judge(d.HasArg("options")); shuffled != got {
					t.Errorf("%s: the order of records changed the result:\n%s\ninstead of\n%s", d.Pos, shuffled, got)
				}
			}
			return got
		})
	})
}

// judge prints each subject as a reader would check it: class, kinds, verdicts, then why.
func (n *notation) judge(options bool) string {
	n.decide()
	n.book.ShareKeys(n.world.Sources)
	subjects := reconcile.Assemble(n.recs, n.book, &n.world)
	reconcile.Relate(subjects, &n.world)
	var blocks []string
	for _, s := range subjects {
		blocks = append(blocks, n.show(s, options))
	}
	slices.Sort(blocks)
	return strings.Join(blocks, "")
}

func (n *notation) show(s *reconcile.Subject, options bool) string {
	j := reconcile.Judge(s, &n.world)
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", nameOf(s), j.Class)
	switch j.Class {
	case reconcile.ClassExplained:
		fmt.Fprintf(&b, " (%s)", j.Explained)
	case reconcile.ClassInconclusive:
		fmt.Fprintf(&b, " (%s)", j.Why)
	case reconcile.ClassCase:
		kinds := make([]string, len(j.Kinds))
		for i, k := range j.Kinds {
			kinds[i] = k.String()
		}
		fmt.Fprintf(&b, " %s [%s]", strings.Join(kinds, " "), j.Severity)
	case reconcile.ClassMatched, reconcile.ClassInFlight, reconcile.ClassUnclaimed:
	}
	b.WriteString("\n")
	if j.Class == reconcile.ClassUnclaimed {
		return b.String()
	}
	legs := make([]string, len(j.Legs))
	for i, l := range j.Legs {
		legs[i] = fmt.Sprintf("%s=%s(%s)", l.Name, l.State, l.Code)
	}
	fmt.Fprintf(&b, "  executed %s; %s; a retry now %s; exposure %s", j.Executed, strings.Join(legs, " "), j.RetryNow, j.Exposure.State)
	if j.Exposure.State == reconcile.ExposureUntil {
		fmt.Fprintf(&b, " %s", j.Exposure.Until.Time().Format("01-02T15:04"))
	}
	b.WriteString("\n")
	for _, p := range j.Pending {
		fmt.Fprintf(&b, "  pending %s\n", p.What)
	}
	if len(s.Candidates) > 0 {
		fmt.Fprintf(&b, "  candidates %d\n", len(s.Candidates)+s.MoreCands)
	}
	if len(s.Twins) > 0 {
		fmt.Fprintf(&b, "  twins %d\n", len(s.Twins)+s.MoreTwins)
	}
	if j.Due.At.Known() {
		fmt.Fprintf(&b, "  due %s: %s\n", j.Due.At.Time().Format("15:04:05"), j.Due.Text)
	}
	for _, d := range j.Differences {
		fmt.Fprintf(&b, "  differs %s by %s, parameters %s: %s\n", d.Kind, d.By, d.Params, d.Text)
	}
	if slices.Contains(j.NotJudged, reconcile.FingerprintConflict.String()) {
		b.WriteString("  not judged: fingerprint-conflict\n")
	}
	for _, d := range n.world.Decided[s.ID] {
		changed := ""
		if d.Changed(j) {
			changed = ", changed since"
		}
		fmt.Fprintf(&b, "  decided %s, live %v%s\n", strings.TrimSpace(d.Decision.String()+" "+d.As.String()), d.Live(n.world.Now), changed)
	}
	if options {
		for _, o := range j.Options {
			mark := "no "
			if o.Allowed {
				mark = "yes"
			}
			until := ""
			if o.ValidUntil.Known() {
				until = " until " + o.ValidUntil.Time().Format("01-02T15:04")
			}
			fmt.Fprintf(&b, "  %s %s %s: %s%s\n", mark, o.Decision, o.As, o.Code, until)
		}
	}
	return b.String()
}

func nameOf(s *reconcile.Subject) string {
	if s.Contract == nil {
		return "unclaimed " + s.Evidence[0].Record.Locator
	}
	parts := make([]string, len(s.Identity))
	for i, c := range s.Identity {
		parts[i] = "-"
		if c.Value.Known() {
			parts[i] = c.Value.String()
		}
	}
	name := strings.Join(parts, "/")
	if parts[len(parts)-1] == "-" {
		name += " " + s.Evidence[0].Record.Locator
	}
	return name
}
