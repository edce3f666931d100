package tui

import "testing"

// The keys that help lists under Moving move its own list too; letters are typed.
func TestHelpScrollsAsItSays(t *testing.T) {
	t.Parallel()
	d := &desk{res: fixture(t, "payments-restore")}
	c := start(t, d.deps(), 80, 24).press("?").hides("to the pane or field before").shows("▌ enter l →")
	c.press("end").shows("to the pane or field before", "▌ shift+tab").hides("On this screen")
	c.press("home").shows("▌ enter l →", "On this screen")
	c.press("pgdown").shows("▌ m  ").press("pgup").shows("▌ enter l →")
	c.press("ctrl+d").shows("▌ s  ").press("ctrl+u").shows("▌ enter l →", "search:")
	c.press("k").shows("search: k").press("end").shows("search: k")
}
