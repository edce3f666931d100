package tui

import (
	"context"
	"strings"
	"testing"
	"time"

	"example.com/idemctl/fixtures"
	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scenario"
	"example.com/idemctl/internal/tui/paint"
)

// training starts a scenario under the coach, on a desk that refuses what the guard refuses.
func training(t *testing.T, name string, w, h int, change ...func(*Options)) (*console, *scenario.Play) {
	t.Helper()
	all, err := scenario.List(fixtures.FS)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if s.Name == name {
			p := scenario.Begin(s.Scenario, night)
			d := &desk{res: fixture(t, name)}
			c := start(t, d.deps(), w, h, append(change, func(o *Options) { o.Fixture, o.Play = true, p })...)
			return c.shows("Story", s.Title).press("enter"), p
		}
	}
	t.Fatalf("no scenario %s", name)
	return nil, nil
}

// TestCoach follows the steps of a scenario: each ends on what was done, hints are told on demand, and the debrief opens when all is decided.
func TestCoach(t *testing.T) {
	t.Parallel()
	c, p := training(t, "seed-scope", 120, 36)
	c.shows("Coach", "step 1 of 3", "look through", "Look through the list.").hides("✓ step").press("i").shows("step 1 of 3", "↓ goes through the list of cases").press("3", "1").shows("step 1 of 3")
	c.press("up").shows("TRAINING", "Coach", "step 2 of 3", "✓ step 1: Look through the list.", "Seven orders, six receipts").hides("i hint").press("T").shows("A service remembers each key for 60 seconds.").press("esc")
	c.press("5").shows("debrief is off: steps or cases are still open")
	c.press("i").shows("this step has no hint: enter opens the case that the cursor is on")
	c.press("enter").shows("step 3 of 3", "Hand the case over.")
	c.press("d").wait(time.Second)
	c.press("tab", " ").shows("replay is refused")
	c.press("down").shows("escalate", "No decision settles it by the records alone").press(" ", "tab").typeText("nobody here knows whose it is").press("tab").typeText("the shop's owner").press("tab", "enter")
	c.shows("recorded: escalate", "All is decided.")
	c.press("5").shows("Debrief", "No harm was done.", "RIGHT", "decided: escalate", "Score 100 of 100", "Principle expired-key-executes-again").hides("The guard")
	if d := p.Debrief(night); !d.Finished || d.Score() != 100 || d.Stopped() != 0 || d.Looked() != 1 {
		t.Errorf("%+v", d)
	}
	c.press("1", "i").shows("hint is off")
}

// TestOnlyWhatWasSentIsStopped counts a harmful decision that was sent, and refused on the evidence as it was by then.
func TestOnlyWhatWasSentIsStopped(t *testing.T) {
	t.Parallel()
	c, p := training(t, "accepted-later", 120, 36)
	c.r.deps.Decide = func(_ context.Context, r audit.Request) ([]audit.Answer, error) {
		return []audit.Answer{{Case: r.Cases[0], Code: "evidence-changed", Reason: "it is not what you saw"}}, nil
	}
	c.press("/").typeText("kw-3").press("enter", "enter", "d").wait(time.Second)
	d := c.r.dialogs[0].dialog.(*decide)
	for at, o := range d.options {
		if o.As == reconcile.Accept {
			d.at = at
		}
	}
	c.press("tab", " ")
	if d := p.Debrief(night); d.Stopped() != 0 {
		t.Errorf("%d decisions stopped before one was sent", d.Stopped())
	}
	c.press("tab").typeText("nobody waits for it").press("tab", "enter").shows("Not recorded.")
	if d := p.Debrief(night); d.Stopped() != 1 {
		t.Errorf("%d decisions stopped", d.Stopped())
	}
}

// TestCoachNarrow gives the coach a strip at the bottom where there is no room beside the queue, and no pane goes missing.
func TestCoachNarrow(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{80, 24}, {60, 15}} {
		c, _ := training(t, "provider-timeout", size[0], size[1])
		c.press("up").shows("Coach", "step 2 of 4", "bk-1005").press("I").shows("step 3 of 4", "bk-0907").press("enter").shows("Coach", "retry now")
	}
}

// TestNoCoach leaves a console outside training as it is: its keys mean nothing there, and help does not list them.
func TestNoCoach(t *testing.T) {
	t.Parallel()
	d := &desk{res: fixture(t, "seed-scope")}
	c := start(t, d.deps(), 120, 36)
	c.hides("Coach").press("i").shows("i does nothing here").press("?").hides("give up step").press("esc").press("5").shows("5 does nothing here")
}

// TestStoryBegins lets the key that everybody presses first begin the play, and says so; on a debrief it goes on in the text.
func TestStoryBegins(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"enter", " ", "esc"} {
		c, _ := training(t, "provider-timeout", 80, 24)
		c.press("T").shows("Story", "enter begins").hides("↓ down").press(key).hides("Story").shows("Coach", "bk-0907")
	}
}

// TestCoachTellsWhatIsBehind tells every step that came to an end, also one that did so before it could be read, and what there was to see in it.
func TestCoachTellsWhatIsBehind(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{80, 24}, {120, 36}} {
		c, _ := training(t, "provider-timeout", size[0], size[1])
		c.press("up").shows("✓ step 1: Look").press("/").typeText("bk-1005").press("enter", "enter").shows("✓ step 2: The client came back")
		c.press("1", "esc", "i").press("I").shows("step 3, given up: The provider")
	}
	c, _ := training(t, "payments-restore", 80, 24) // where not all that is behind fits, what does is told from its beginning
	c.press("enter").press("I").shows("✓ step 3: A retry of cart-e1c5-1 finds no receipt.", "Put the receipt").hides("provider knew the key.")
	c, _ = training(t, "dead-worker", 80, 24)
	c.press("up", "I").shows("step 2, given up: Worker 2 had charged, and not written the job.")
}

// TestHints says where there is none, and when all of it has been told, which key leads on; the coach names that key from the beginning.
func TestHints(t *testing.T) {
	t.Parallel()
	c, _ := training(t, "lost-response", 80, 24)
	c.press("up").shows("step 2 of 2  3 sources").press("i").shows("this step has no hint: 3 shows the sources").press("3").shows("Nothing is to be decided here.")
	c, _ = training(t, "dead-worker", 80, 24)
	c.press("up", "i").shows("Hint: The log has its charge.").press("i").shows("there is no other hint: enter opens the case").shows("Hint: The log has its charge.")
}

// TestLeavingAPlay asks once before a play that has not ended is left, and not when it has.
func TestLeavingAPlay(t *testing.T) {
	t.Parallel()
	c, _ := training(t, "seats-restore", 80, 24)
	c.press("up", "q").shows("2 steps and 6 cases are open: q once more ends the play").press("j", "q").shows("once more")
	if c.quit {
		t.Error("q left at once")
	}
	if c.press("q"); !c.quit {
		t.Error("q, pressed twice, does not leave")
	}
	c, _ = training(t, "clean", 80, 24)
	if c.press("up", "3", "1", "q"); !c.quit {
		t.Error("a play that has ended cannot be left at once")
	}
	c, _ = training(t, "seats-restore", 80, 24)
	if c.press("ctrl+c"); !c.quit {
		t.Error("ctrl+c does not leave")
	}
}

// TestNoticesAreWhole shows what just happened to its end, however narrow the screen is.
func TestNoticesAreWhole(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{80, 24}, {120, 36}} {
		c, _ := training(t, "seats-restore", size[0], size[1])
		c.press("5").shows("whoever quits before reads it on", "way out")
		c.press("j").shows("? help")
	}
}

// TestTrainingMark stripes the word on every screen of a play, in every theme and without any, however narrow it is.
func TestTrainingMark(t *testing.T) {
	t.Parallel()
	for _, theme := range paint.Palettes() {
		for _, size := range [][2]int{{60, 15}, {80, 24}, {120, 36}} {
			c, _ := training(t, "clean", size[0], size[1], func(o *Options) { o.Theme = theme })
			for _, keys := range [][]string{{"1"}, {"T"}, {"3"}, {"2"}, {"?"}, {"esc", "5"}} {
				c.press(keys...)
				if head, _, _ := strings.Cut(c.screen(), "\n"); !strings.Contains(head, "//TRAINING//") {
					t.Errorf("%s, %v, after %v: %s", theme, size, keys, head)
				}
			}
		}
		d := &desk{res: fixture(t, "payments-restore")}
		start(t, d.deps(), 80, 24, func(o *Options) { o.Theme = theme }).hides("TRAINING")
	}
}

// TestWordsOfTraining promises nobody that what was done in a training is kept for ever.
func TestWordsOfTraining(t *testing.T) {
	t.Parallel()
	c, _ := training(t, "seats-restore", 120, 36)
	c.press("d").wait(time.Second)
	c.press("tab", "down", " ").shows("thrown away when the training ends").hides("for ever").press("esc").shows("cancelled: nothing was recorded")
}
