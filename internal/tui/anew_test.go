package tui

import (
	"context"
	"slices"
	"testing"
	"time"

	"example.com/idemctl/internal/scan"
)

// What a case view shows follows a new reading: an open case is read again, not only the list.
func TestOpenCaseIsReadAnew(t *testing.T) {
	t.Parallel()
	d := &desk{res: fixture(t, "payments-restore")}
	c := start(t, d.deps(), 120, 36)
	c.press("enter").shows("refused  replay  already-executed")
	again := *d.res.cases[0]
	again.Options = append(again.Options[:0:0], again.Options...)
	again.Options[0].Code = "another-answer"
	d.res = &memory{manifest: d.res.manifest, cases: append(d.res.cases[:0:0], d.res.cases...)}
	d.res.cases[0] = &again
	c.press("ctrl+r").shows("another-answer").hides("already-executed")
}

// The guard is asked again once something was recorded: at once where reading is quick, and where it is not the answers say that they are older.
func TestGuardIsAskedAgain(t *testing.T) {
	t.Parallel()
	for _, slow := range []bool{false, true} {
		d := &desk{res: fixture(t, "payments-restore")}
		deps := d.deps()
		var c *console
		reads := 0
		deps.Load = func(context.Context, *scan.Progress) (Result, error) {
			if reads++; slow && c != nil {
				c.clock.move(3 * time.Second)
			}
			again := *d.res.cases[0]
			again.Options = slices.Clone(again.Options)
			if len(d.decisions) > 0 {
				again.Options[0].Code = "asked-again"
			}
			return &memory{manifest: d.res.manifest, cases: append([]*scan.Case{&again}, d.res.cases[1:]...)}, nil
		}
		c = start(t, deps, 120, 36)
		c.press("ctrl+r") // the first reading ran before the clock could be moved
		before := reads
		c.press("enter", "d", "tab", "down", " ", "tab").typeText("until it is clear").press("tab", "enter")
		c.shows("recorded: hold, decision ")
		if !slow {
			if reads != before+1 {
				t.Errorf("read %d times after a record", reads-before)
			}
			c.shows("asked-again").hides("These answers are older")
			continue
		}
		if reads != before {
			t.Error("a slow reading began by itself")
		}
		c.shows("These answers are older", "already-executed")
		c.press("w", "tab").typeText("it is clear now").press("tab", "enter").press("d").shows("the answers below are older").press("esc")
		c.press("ctrl+r").shows("asked-again").hides("These answers are older")
	}
}

// A case that a new reading no longer shows is not shown as if it stood.
func TestOpenCaseIsGone(t *testing.T) {
	t.Parallel()
	d := &desk{res: fixture(t, "payments-restore")}
	c := start(t, d.deps(), 120, 36)
	c.press("enter")
	d.res = &memory{manifest: d.res.manifest, cases: d.res.cases[1:]}
	c.press("ctrl+r").shows("The case could not be read: no case begins with").press("d").shows("decide… is off: the case has not been read yet")
}
