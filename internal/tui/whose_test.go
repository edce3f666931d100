package tui

import (
	"fmt"
	"strings"
	"testing"
)

// Whatever leads to a record says as whom and on what, at every size at which keys do anything, however long the names are.
func TestDialogsSayAsWhomAndOnWhat(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ actor, name, whole string }{
		{"root", "orders-prod", "as root on orders-prod"},
		{"deployment-of-payments (uid 1000, by su from ada)", "orders-of-the-northern-shops-production", ""},
		{"root", strings.Repeat("界", 40), "as root on 界"},
	} {
		for _, keys := range [][]string{{"d"}, {" ", " ", " ", "d"}, {"enter", "w"}, {"enter", "o"}} {
			d := &desk{res: fixture(t, "payments-restore")}
			d.res.manifest.Name = tt.name
			c := start(t, d.deps(), 120, 36, func(o *Options) { o.Actor = tt.actor })
			if keys[len(keys)-1] != "d" {
				c.press("d", "tab", "down", " ", "tab").typeText("until it is clear").press("tab", "enter")
			}
			c.press(keys...)
			for _, size := range [][2]int{{60, 15}, {79, 24}, {80, 24}, {120, 36}} {
				c.resize(size[0], size[1]).lawful(fmt.Sprint(keys))
				c.shows(" as "+tt.actor[:4], " on "+string([]rune(tt.name)[:1]), tt.whole)
			}
		}
	}
}
