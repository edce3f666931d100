package tui

import (
	"testing"
	"time"

	"example.com/idemctl/fixtures"
	"example.com/idemctl/internal/scenario"
)

// training starts a scenario under the coach, on a desk that refuses what the guard refuses.
func training(t *testing.T, name string, w, h int) (*console, *scenario.Play) {
	t.Helper()
	all, err := scenario.List(fixtures.FS)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if s.Name == name {
			p := scenario.Begin(s.Scenario, night)
			d := &desk{res: fixture(t, name)}
			c := start(t, d.deps(), w, h, func(o *Options) { o.Fixture, o.Play = true, p })
			return c.shows("Story", s.Title).press("esc"), p
		}
	}
	t.Fatalf("no scenario %s", name)
	return nil, nil
}

// TestCoach follows the steps of a scenario: each ends on what was done, hints are told on demand, and the debrief opens when all is decided.
func TestCoach(t *testing.T) {
	t.Parallel()
	c, p := training(t, "seed-scope", 120, 36)
	c.shows("TRAINING", "Coach", "step 2 of 3", "Step 1 of 3 is behind.", "Seven orders, six receipts", "i hint").press("T").shows("A service remembers each key for 60 seconds.").press("esc")
	c.press("5").shows("debrief is off: it tells the answers")
	c.press("i").shows("this step has no hint")
	c.press("enter").shows("step 3 of 3", "Hand it over.")
	c.press("d").wait(time.Second)
	c.press("tab", " ").shows("replay is refused")
	c.press("end").shows("escalate").press("up").press("down", " ", "tab").typeText("the shop's owner").press("tab").typeText("nobody here knows whose it is").press("tab", "enter")
	c.shows("recorded: escalate", "All is decided.")
	c.press("5").shows("Debrief", "No harm was done.", "The guard stopped 1 harmful decision.", "RIGHT", "decided: escalate", "Score 100 of 100", "Principle expired-key-executes-again")
	if d := p.Debrief(night); !d.Finished || d.Score() != 100 || d.Stopped() != 1 || d.Looked() != 1 {
		t.Errorf("%+v", d)
	}
	c.press("1", "i").shows("hint is off")
}

// TestCoachNarrow gives the coach a strip at the bottom where there is no room beside the queue, and no pane goes missing.
func TestCoachNarrow(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{80, 24}, {60, 15}} {
		c, _ := training(t, "provider-timeout", size[0], size[1])
		c.shows("Coach", "step 2 of 4", "bk-1005").press("I").shows("step 3 of 4", "bk-0907").press("enter").shows("Coach", "retry now")
	}
}

// TestNoCoach leaves a console outside training as it is: its keys mean nothing there, and help does not list them.
func TestNoCoach(t *testing.T) {
	t.Parallel()
	d := &desk{res: fixture(t, "seed-scope")}
	c := start(t, d.deps(), 120, 36)
	c.hides("Coach").press("i").shows("i does nothing here").press("?").hides("give up step").press("esc").press("5").shows("5 does nothing here")
}
