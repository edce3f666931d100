package reconcile

import (
	"cmp"
	"slices"
	"strings"
)

// providerKeyCollision holds where the provider would take another action's request for this one's.
func providerKeyCollision(j *judging) (bool, []string, map[string]string) {
	t := j.tied(TieProviderKey)
	if t == nil {
		return false, nil, nil
	}
	return true, []string{ref(j.s.Evidence[0].Record), t.Locator}, map[string]string{"other": t.Case}
}

// scopeMoved holds where attempts of one intent went to different places, or where key and request are found under another place, inside the retry window.
func scopeMoved(j *judging) (bool, []string, map[string]string) {
	if m := j.moved(); m != nil {
		return true, refsOf(j.intents), map[string]string{"what": "Its attempts went to " + m[0].value + " and to " + m[1].value + "."}
	}
	if t := j.tied(TiePlace); t != nil {
		what := "The same key and request stand under another " + j.placeNames(t.Other) + " too (" + t.Case + ")."
		return true, []string{ref(j.s.Evidence[0].Record), t.Locator}, map[string]string{"what": what}
	}
	return false, nil, nil
}

// placeNames are the components of place in which another identity differs.
func (j *judging) placeNames(other []Component) string {
	var out []string
	for i, c := range j.s.Identity {
		if slices.Contains(movable, c.Name) && i < len(other) && !j.c.agree(j.s.Identity[i:i+1], other[i:i+1]) {
			out = append(out, c.Name)
		}
	}
	return strings.Join(out, " and ")
}

// sentTo is one send with a place to which it went.
type sentTo struct {
	name, value string
	at          Instant
}

// Aimed reports whether an intent's row tells where it was sent, beyond what its identity tells.
func (c *Contract) Aimed(r *Record) bool {
	return slices.ContainsFunc(r.Attempts, func(a Attempt) bool { return a.Target.known }) ||
		slices.ContainsFunc(movable, func(name string) bool { return !slices.Contains(c.Scope, name) && r.Component(name).known })
}

// Moves reports whether attempts of one row name different targets.
func (r *Record) Moves() bool {
	var first Value
	for i := range r.Attempts {
		if target := r.Attempts[i].Target; target.Differs(first) {
			return true
		} else if !first.known {
			first = target
		}
	}
	return false
}

// moved returns two sends of the action that went to different places inside the retry window, nil where none did. What was never sent went nowhere.
func (j *judging) moved() []sentTo {
	var sends []sentTo
	add := func(name string, v Value, at Instant) {
		if v.known && !slices.Contains(j.c.Free, name) {
			sends = append(sends, sentTo{name, string(j.c.fold(name, v.text)), at})
		}
	}
	for _, r := range j.intents {
		for _, a := range r.Attempts {
			if a.Outcome == AttemptNotSent {
				continue
			}
			add("target", a.Target, a.At)
			for _, name := range movable[:3] {
				if !slices.Contains(j.c.Scope, name) {
					add(name, r.Component(name), a.At)
				}
			}
		}
	}
	slices.SortStableFunc(sends, func(a, b sentTo) int {
		return cmp.Or(strings.Compare(a.name, b.name), cmpInstant(a.at, b.at), strings.Compare(a.value, b.value))
	})
	for i := 1; i < len(sends); i++ { // of two that differ inside the window, two neighbours in time do
		if a, b := sends[i-1], sends[i]; a.name == b.name && a.value != b.value && j.c.inWindow(a.at, b.at) {
			return []sentTo{a, b}
		}
	}
	return nil
}
