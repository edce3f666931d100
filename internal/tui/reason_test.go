package tui

import "testing"

// The dialogs ask for reasons as long as the trail does, and for none where it takes none.
func TestReasonsAreAskedForAsTheTrailDoes(t *testing.T) {
	t.Parallel()
	d := &desk{res: fixture(t, "payments-restore")}
	c := start(t, d.deps(), 120, 36).press("enter")
	c.press("d", "tab", "down", " ", "tab").typeText("no").shows("Reason: 3 characters or more, 2 so far", "( Record hold")
	c.typeText("t").shows("[ Record hold for 1 case ]").press("tab", "enter").shows("recorded: hold")
	c.press("w", "tab").typeText("no").shows("Reason: 3 characters or more, 2 so far").typeText("w").shows("[ Withdraw 1 decision ]").press("esc")
	c.press("o", "tab", " ", "tab").typeText("run 17").shows("[ Record outcome done ]").press("tab", "tab", "enter").shows("recorded: the decision is now done")
	c.press("1", " ", " ", "d", "tab", "down", " ", "tab").typeText("eleven char").press("tab").typeText("hold 2").shows("Reason: 12 characters or more, 11 so far")
}
