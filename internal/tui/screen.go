package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"example.com/idemctl/internal/tui/keymap"
	"example.com/idemctl/internal/tui/paint"
)

// screen is one place of the console.
type screen interface {
	// Title names the place for the header, in room cells where it can be said shorter.
	Title(room int) string
	// Scope says which keys it has.
	Scope() keymap.Scope
	// Do acts. The action is on.
	Do(id keymap.ID) tea.Cmd
	// Recv takes a result that was asked for.
	Recv(msg any) tea.Cmd
	// Draw paints the whole area.
	Draw(a paint.Area)
	// State adds to s what decides whether its actions are on.
	State(s *keymap.State)
	// Hints are the actions that its footer names, the most useful first.
	Hints() []keymap.ID
}

// dialog lies over a screen and takes all keys. It is closed by a command that returns closed.
type dialog interface {
	// Key takes a key. presses is false for one that must not press a button: it may repeat by itself.
	Key(key string, presses bool) tea.Cmd
	// Paste takes pasted text.
	Paste(s string) tea.Cmd
	// Recv takes a result that was asked for.
	Recv(msg any) tea.Cmd
	// Draw paints the dialog into the area of the screen below it.
	Draw(a paint.Area)
	// Hint is its footer.
	Hint() string
	// Wary reports whether it leads to a record: keys in flight are kept away from it.
	Wary() bool
}

// far is further than any list is long.
const far = 1 << 40

// shift is how many lines a movement goes.
func shift(id keymap.ID, page int) int {
	return map[keymap.ID]int{
		keymap.Up: -1, keymap.Down: 1, keymap.PageUp: -page, keymap.PageDown: page, keymap.HalfUp: -max(1, page/2), keymap.HalfDown: max(1, page/2),
		keymap.First: -far, keymap.Last: far,
	}[id]
}

// box makes the frame of a dialog: as wide as it may be, in the middle; below 80 columns it fills the screen.
func (a *app) box(area paint.Area, wide, high int, title, remark string) paint.Area {
	w, h := min(area.W()-4, wide), min(high+2, area.H())
	if area.W() < 80 {
		w, h = area.W(), area.H()
	}
	in := area.Sub((area.W()-w)/2, (area.H()-h)/2, w, h)
	in.Clear(paint.Text)
	return in.Box(a.glyphs, paint.Focus, paint.Title, title, remark)
}
