package reconcile_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"example.com/idemctl/internal/reconcile"
)

// TestBoundaries judges each scenario of testdata/boundaries one nanosecond before its now, at it, and one after. What is expected was written from the
// model, not from what came out: do not rewrite it.
func TestBoundaries(t *testing.T) {
	t.Parallel()
	datadriven.Walk(t, "testdata/boundaries", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd != "boundary" {
				t.Fatalf("%s: unknown command %q", d.Pos, d.Cmd)
			}
			var b strings.Builder
			for i, when := range []string{"before", "at", "after"} {
				fmt.Fprintf(&b, "%s: %s\n", when, around(t, d.Input, time.Duration(i-1)))
			}
			return b.String()
		})
	})
}

// around judges the one subject of a scenario whose clock is moved by so much.
func around(t *testing.T, text string, by time.Duration) string {
	t.Helper()
	first, rest, _ := strings.Cut(text, "\n")
	now := clock(strings.TrimPrefix(first, "now ")).Add(by)
	n := read(t, "now "+now.Time().Format(time.RFC3339Nano)+"\n"+rest)
	n.decide()
	subjects := reconcile.Assemble(n.recs, n.book, &n.world)
	reconcile.Relate(subjects, &n.world)
	if len(subjects) != 1 {
		t.Fatalf("%d subjects", len(subjects))
	}
	j := reconcile.Judge(subjects[0], &n.world)
	said := []string{j.Class.String() + strings.TrimSuffix(" "+j.Explained, " ")}
	for _, k := range j.Kinds {
		said[0] += " " + k.String()
	}
	for _, l := range j.Legs {
		said = append(said, l.Name.String()+" "+l.State.String())
	}
	said = append(said, "retry "+j.RetryNow.String(), "exposure "+j.Exposure.State.String())
	for _, p := range j.Pending {
		said = append(said, "pending "+p.What)
	}
	for _, o := range j.Options {
		if o.Decision == reconcile.DecideReplay {
			said = append(said, "replay "+o.Code)
		}
	}
	for _, d := range n.world.Decided[subjects[0].ID] {
		said = append(said, fmt.Sprintf("decision live %v", d.Live(n.world.Now)))
	}
	return strings.Join(said, "; ")
}
