package keymap

import (
	"fmt"
	"slices"
	"strings"
)

// Map binds keys to actions.
type Map struct {
	keys  map[ID][]string
	bound map[Scope]map[string]*Action
}

// Default returns the table's own keys.
func Default() *Map {
	m, _ := New(nil) // the table does not clash; a test holds it to that
	return m
}

// ClashError is a key that would stand for two actions, or an override that cannot be.
type ClashError struct {
	ID   ID     // the action whose keys are wrong
	Key  string // the key, "" when the id itself is wrong
	What string
	Hint string
}

func (e *ClashError) Error() string { return e.What }

// New returns the table's keys with those of some actions replaced.
func New(overrides map[ID][]string) (*Map, error) {
	m := &Map{keys: make(map[ID][]string), bound: make(map[Scope]map[string]*Action)}
	for id := range overrides {
		if Find(id) == nil {
			return nil, &ClashError{ID: id, What: fmt.Sprintf("no action is called %q", string(id)), Hint: "`idemctl keys` lists them"}
		}
	}
	for i := range Actions {
		a := &Actions[i]
		ks := a.Keys
		if over, ok := overrides[a.ID]; ok {
			ks = over
		}
		m.keys[a.ID] = ks
		if err := m.bind(a, ks, overrides); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (m *Map) bind(a *Action, ks []string, overrides map[ID][]string) error {
	for _, k := range ks {
		_, own := overrides[a.ID]
		if own {
			if why := forbidden(a, k); why != "" {
				return &ClashError{ID: a.ID, Key: k, What: fmt.Sprintf("key %q cannot stand for %s: %s", k, a.ID, why), Hint: "choose another key"}
			}
		}
		for _, other := range m.visible(a.Scope) {
			if b := m.bound[other][k]; b != nil && b.ID != a.ID {
				blame, with := a.ID, b.ID
				if !own {
					blame, with = b.ID, a.ID
				}
				return &ClashError{ID: blame, Key: k, What: fmt.Sprintf("key %q stands for %s and for %s", k, with, blame), Hint: "give one of them another key"}
			}
		}
		if m.bound[a.Scope] == nil {
			m.bound[a.Scope] = make(map[string]*Action)
		}
		m.bound[a.Scope][k] = a
	}
	return nil
}

// visible are the scopes whose keys can be meant together with one of s.
func (m *Map) visible(s Scope) []Scope {
	if s == Everywhere || s == Lists || s == Training {
		return []Scope{Everywhere, Lists, Training, Queue, Case, Audit, Sources, Restore}
	}
	return []Scope{s, Everywhere, Lists, Training}
}

// forbidden says why a key may not be bound by a config.
func forbidden(a *Action, k string) string {
	switch {
	case k == "" || strings.ContainsAny(k, "\x00\x1b\r\n"):
		return "it is no key"
	case Broken(k):
		return "a broken escape sequence leaves it behind"
	case slices.Contains([]string{"ctrl+c", "esc", "enter"}, k) && !slices.Contains(a.Keys, k):
		return "it has one meaning everywhere"
	case a.Level > Look && len([]rune(k)) == 1 && k != "d" && !slices.Contains(a.Keys, k):
		return "a single letter is too easily hit for what leads to a record"
	}
	return ""
}

// Broken reports whether a key could be the rest of an escape sequence that arrived in two reads.
func Broken(k string) bool {
	return slices.Contains([]string{"[", "O", "A", "B", "C", "D", "~"}, k)
}

// Action returns what a key means on a screen of that scope, nil when nothing.
func (m *Map) Action(screen Scope, key string) *Action {
	for _, s := range []Scope{screen, Lists, Everywhere, Training} {
		if a := m.bound[s][key]; a != nil {
			return a
		}
	}
	return nil
}

// Keys returns the keys of an action.
func (m *Map) Keys(id ID) []string { return m.keys[id] }

// Spell writes a key as a person reads it.
func Spell(k string) string {
	switch k {
	case "up":
		return "↑"
	case "down":
		return "↓"
	case "left":
		return "←"
	case "right":
		return "→"
	case " ":
		return "space"
	}
	return k
}

// Label writes an action's keys as a person reads them.
func (m *Map) Label(id ID) string {
	ks := m.keys[id]
	out := make([]string, 0, len(ks))
	for _, k := range ks {
		out = append(out, Spell(k))
	}
	return strings.Join(out, " ")
}

// Short writes an action's first key, for the footer.
func (m *Map) Short(id ID) string {
	if ks := m.keys[id]; len(ks) > 0 {
		return Spell(ks[0])
	}
	return ""
}
