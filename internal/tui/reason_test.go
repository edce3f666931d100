package tui

import (
	"strings"
	"testing"
	"time"
)

// The dialogs ask for reasons as long as the trail does, and for none where it takes none.
func TestReasonsAreAskedForAsTheTrailDoes(t *testing.T) {
	t.Parallel()
	d := &desk{res: fixture(t, "payments-restore")}
	c := start(t, d.deps(), 120, 36).press("enter")
	c.press("d", "tab", "down", " ", "tab").typeText("no").shows("Reason: 3 characters or more, 2 so far", "( Record hold")
	c.typeText("t").shows("[ Record hold for 1 case ]").press("tab", "enter").shows("recorded: hold")
	c.press("w", "tab").typeText("no").shows("Reason: 3 characters or more, 2 so far").typeText("w").shows("[ Withdraw 1 decision ]").press("esc")
	c.press("o", "tab", " ", "tab", "tab").typeText("run 17").shows("[ Record outcome done ]").press("tab", "enter").shows("recorded: the decision is now done")
	c.press("1", " ", " ", "d", "tab", "down", " ", "tab").typeText("eleven char").press("tab").typeText("hold 2").shows("Reason: 12 characters or more, 11 so far; it stands for several cases")
}

// A dialog reads from the top to the bottom as Tab goes: what to choose, the reason, what else the choice asks for, the button, Cancel, and round again.
func TestTabGoesAsTheDialogReads(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{80, 24}, {120, 36}} {
		c := start(t, (&desk{res: fixture(t, "payments-restore")}).deps(), size[0], size[1]).press("enter", "d").wait(time.Second)
		c.choose("escalate")
		at := -1
		for _, text := range []string{"because", "whom", "", ""} {
			c.press("tab").typeText(text)
			on := strings.LastIndex(c.screen(), "▌")
			if at >= on {
				t.Fatalf("the cursor goes back:\n%s", c.screen())
			}
			at = on
		}
		c.shows("▌[ Cancel ]").press("shift+tab").shows("▌[ Record escalate for 1 case ]").press("right").shows("▌[ Cancel ]").press("left").shows("▌[ Record escalate")
		reason, to := strings.Index(c.screen(), "[because"), strings.Index(c.screen(), "[whom")
		if reason < 0 || to < reason {
			t.Errorf("the reason does not come first:\n%s", c.screen())
		}
	}
}

// What keeps the button from being pressed is told to its end.
func TestWhatIsWrongIsToldWhole(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{60, 15}, {80, 24}, {120, 36}} {
		c := start(t, (&desk{res: fixture(t, "payments-restore")}).deps(), size[0], size[1]).press("enter", "d").wait(time.Second)
		c.choose("recheck")
		c.press("tab", "tab").typeText("tomorrow, when the shift has read it all").shows("no time: 2026-11-29T06:00:00Z, or 45m or 6h from now")
	}
}

// choose goes into the choices of a dialog, and from the last upwards to the one of a name.
func (c *console) choose(name string) {
	c.press("tab")
	for range 20 {
		c.press("down")
	}
	for !strings.Contains(c.screen(), "(x) "+name) {
		c.press("up", " ")
	}
}
