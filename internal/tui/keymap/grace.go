package keymap

import "time"

// The patience of a dialog.
const (
	// Quiet is how long no key must have come before a dialog that just opened takes one.
	Quiet = 350 * time.Millisecond
	// Ceiling ends the waiting for quiet.
	Ceiling = 1500 * time.Millisecond
	// Still is how long a key must have been silent before it may press a button that a repetition of it could have reached.
	Still = 500 * time.Millisecond
)

// Grace keeps keys that were pressed for something else away from a dialog: those in flight when it opened, and those that repeat by themselves.
type Grace struct {
	opened time.Time
	last   time.Time // the latest key, taken or not
	key    string
	open   bool // keys are taken
}

// NewGrace begins the wait of a dialog that opens now.
func NewGrace(now time.Time) *Grace { return &Grace{opened: now, last: now} }

// Take notes a key and reports whether the dialog may have it, and whether it may press a button.
func (g *Grace) Take(key string, now time.Time) (takes, presses bool) {
	quiet := now.Sub(g.last)
	if !g.open {
		g.open = quiet >= Quiet || now.Sub(g.opened) >= Ceiling
	}
	presses = g.open && (key != g.key || quiet >= Still)
	g.last, g.key = now, key
	return g.open, presses
}

// Reset begins the wait anew, as for a dialog that changed under the operator's hands.
func (g *Grace) Reset(now time.Time) { g.opened, g.last, g.open, g.key = now, now, false, "" }
