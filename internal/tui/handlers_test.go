package tui

import (
	"testing"

	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/tui/keymap"
)

// Whatever a screen's own list promises does something there: it changes what is seen, or says why it does not.
func TestEveryActionIsHandled(t *testing.T) {
	t.Parallel()
	ways := map[keymap.Scope][]string{keymap.Queue: {" ", "j"}, keymap.Case: {"j", "enter"}, keymap.Audit: {"2"}, keymap.Sources: {"3"}}
	for i := range keymap.Actions {
		a := &keymap.Actions[i]
		way, ok := ways[a.Scope]
		if !ok {
			continue
		}
		d := &desk{res: fixture(t, "payments-restore")}
		c := start(t, d.deps(), 120, 36)
		c.press("d", "tab", "down", " ", "tab").typeText("until it is clear").press("tab", "enter", "1").press(way...)
		if a.Off(c.r.stateNow()) != "" {
			continue // its key says why
		}
		before := c.screen()
		if c.press(a.Keys[0]); c.screen() == before && len(c.r.dialogs) == 0 {
			t.Errorf("%s changes nothing:\n%s", a.ID, before)
		}
	}
}

// The sources tell all that is kept of what could not be read, and how much is not kept.
func TestSourcesTellWhatWasNotRead(t *testing.T) {
	t.Parallel()
	res := fixture(t, "payments-restore")
	src := &res.manifest.Sources[0]
	src.Unreadable, src.Skipped, src.Problems = 1300, 4, []rows.Problem{{Place: "receipts:7", Text: "the time cannot be read", Hint: "say how it is written"}}
	d := &desk{res: res}
	start(t, d.deps(), 120, 36).press("3").shows("1,300 unreadable, 4 rows left out by where", "receipts:7 the time cannot be read", "hint: say how it is written", "and 1,299 more unreadable")
	*src = scan.Source{Name: src.Name, Role: src.Role, Coverage: src.Coverage}
	start(t, d.deps(), 120, 36).press("3").hides("unreadable", "left out")
}
