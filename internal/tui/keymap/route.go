package keymap

import (
	"strings"
	"time"
)

// The patience of the router.
const (
	// EscapeWait is how long an Esc may turn out to be the beginning of an escape sequence whose rest is late.
	EscapeWait = 50 * time.Millisecond
	// StrayWindow is how quickly unbound keys must follow each other to look like typing into the wrong window.
	StrayWindow = 500 * time.Millisecond
	// StrayLimit is how many of them lock the keys.
	StrayLimit = 3
)

// Input is what the terminal sent, as far as routing must know it.
type Input struct {
	Key   string // the key's name, as "enter" or "ctrl+d"; "" when Runes hold text
	Runes string // printable text of one read: one letter, or many
	Paste bool   // the text was pasted
}

// Event is one thing to react to.
type Event struct {
	Key   string // one key
	Paste string // pasted text; Key is ""
}

// Router turns reads of the terminal into single keys. bubbletea hands over all printable bytes of one read as one message, and an escape sequence that
// arrives in two reads as an Esc and letters. The zero Router is ready.
type Router struct {
	escape bool
	since  time.Time
	strays []time.Time
	locked bool
}

// Route returns the events of an input. wait asks the caller to call Expire after EscapeWait: until then an Esc is held back.
func (r *Router) Route(in Input, now time.Time) (events []Event, wait bool) {
	if r.escape {
		held := now.Sub(r.since) < EscapeWait
		r.escape = false
		if held && in.Runes != "" && !in.Paste && (in.Runes[0] == '[' || in.Runes[0] == 'O') {
			return sequence(in.Runes), false
		}
		events = append(events, Event{Key: "esc"})
	}
	switch {
	case in.Paste:
		return append(events, Event{Paste: in.Runes}), false
	case in.Runes != "":
		for _, c := range in.Runes {
			events = append(events, Event{Key: string(c)})
		}
	case in.Key == "esc":
		r.escape, r.since = true, now
		return events, true
	case in.Key != "":
		events = append(events, Event{Key: in.Key})
	}
	return events, false
}

// Expire releases an Esc that turned out to be one.
func (r *Router) Expire(now time.Time) []Event {
	if !r.escape || now.Sub(r.since) < EscapeWait {
		return nil
	}
	r.escape = false
	return []Event{{Key: "esc"}}
}

// sequence reads the rest of a split escape sequence: an arrow is the arrow that was pressed, anything else is dropped, whatever it is.
func sequence(run string) []Event {
	arrows := map[string]string{"A": "up", "B": "down", "C": "right", "D": "left", "H": "home", "F": "end"}
	if key := arrows[strings.TrimPrefix(strings.TrimPrefix(run, "["), "O")]; key != "" && len(run) == 2 {
		return []Event{{Key: key}}
	}
	return nil
}

// Stray notes a key that means nothing here. It reports whether keys are locked from now on: somebody types into the wrong window.
func (r *Router) Stray(now time.Time) bool {
	r.strays = append(r.strays[max(0, len(r.strays)-StrayLimit):], now)
	if n := len(r.strays); n >= StrayLimit && now.Sub(r.strays[n-StrayLimit]) < StrayWindow {
		r.strays, r.locked = nil, true
	}
	return r.locked
}

// Meant notes a key that meant something.
func (r *Router) Meant() { r.strays = nil }

// Locked reports whether keys are locked. Esc unlocks.
func (r *Router) Locked() bool { return r.locked }

// Unlock lets keys through again.
func (r *Router) Unlock() { r.locked, r.strays = false, nil }
