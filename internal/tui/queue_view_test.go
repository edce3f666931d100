package tui

import (
	"fmt"
	"strings"
	"testing"
)

// Every row of one screen names its action by the same components: all, or tenant and key.
func TestQueueNamesAllRowsAlike(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"payments-restore", "provider-timeout", "seed-scope"} {
		for _, w := range []int{60, 72, 80, 99, 100, 112, 120, 139, 140, 180, 250} {
			t.Run(fmt.Sprintf("%s/%d", name, w), func(t *testing.T) {
				t.Parallel()
				c := start(t, (&desk{res: fixture(t, name)}).deps(), w, 40)
				seen := make(map[int]string)
				for at := range c.r.queue.view.Len() {
					row := c.r.queue.rows.Row(c.r.queue.view.At(at))
					cells, key := identityCells(row.Identity)
					line := lineWith(c.screen(), cells[key])
					if line == "" {
						t.Fatalf("no row shows the whole key %s:\n%s", cells[key], c.screen())
					}
					_, named, _ := strings.Cut(line, row.Headline.String()[:8]) // before it a severity may look like a separator
					seen[strings.Count(named, c.r.glyphs.Separator)] = line
				}
				if len(seen) != 1 {
					t.Errorf("rows differ in what names them: %v", seen)
				}
			})
		}
	}
}

func lineWith(screen, what string) string {
	for _, l := range strings.Split(screen, "\n") {
		if strings.Contains(l, what) {
			return l
		}
	}
	return ""
}

// Whatever else is cut, a case is named by its whole key, from the smallest terminal on.
func TestHeaderKeepsTheKey(t *testing.T) {
	t.Parallel()
	for _, w := range []int{60, 72, 80, 99, 100, 120, 200} {
		c := start(t, (&desk{res: fixture(t, "payments-restore")}).deps(), w, 24).press("enter")
		if head, _, _ := strings.Cut(c.screen(), "\n"); !strings.Contains(head, "cart-e1c5-1") {
			t.Errorf("at %d columns the header is %q", w, head)
		}
	}
}

// What cannot be chosen has no box, its reason is whole at any size, and what is chosen says who does the rest.
func TestDialogOnASmallTerminal(t *testing.T) {
	t.Parallel()
	c := start(t, (&desk{res: fixture(t, "payments-restore")}).deps(), 60, 15).press("enter", "d")
	c.shows("tab or ↓ goes to the choices", "    replay").hides("( ) replay")
	c.press("tab").shows("it could be done twice.")
	c.press("down", "down", " ", "tab").shows("(x) resolve: backfill-receipt", "put the receipt back: its owner does.", "double the action.")
}
