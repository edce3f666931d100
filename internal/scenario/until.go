package scenario

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"example.com/idemctl/internal/reconcile"
)

// Sight is something that can be observed of a person.
type Sight uint8

// The sights.
const (
	Scanned   Sight = iota // the list of cases was looked through: something was pressed on it once it was whole
	Shown                  // a case was opened
	Decided                // a decision was recorded
	Refused                // a decision was asked for or looked at, and the guard refuses it
	TakenBack              // a decision was withdrawn
	Filtered               // the list was filtered
	Sources                // the sources were looked at
	Trail                  // the trail was looked at
	Restore                // the restore audit was looked at
)

var sightWords = map[Sight]string{
	Scanned: "scan", Shown: "show", Decided: "decide", Refused: "refused", TakenBack: "withdraw", Filtered: "filter", Sources: "sources", Trail: "audit", Restore: "restore",
}

func (s Sight) String() string { return sightWords[s] }

// ParseSight reads a sight's word.
func ParseSight(word string) (Sight, error) {
	for s, w := range sightWords {
		if w == word {
			return s, nil
		}
	}
	return 0, fmt.Errorf("%q is nothing that can be observed: %s", word, strings.Join(slices.Sorted(maps.Values(sightWords)), ", "))
}

// ofCase reports whether a sight is about a case.
func (s Sight) ofCase() bool { return s == Shown || s == Decided || s == Refused || s == TakenBack }

// Until is the observed action that ends a step.
//
//	until: scan                                  # the list was looked through
//	until: show                                  # any case was opened
//	until: {show: {tenant: alpenhof, key: bk-1}} # this one was
//	until: {decide: {key: bk-1}}                 # something was recorded of this one
type Until struct {
	Sight Sight
	Of    map[string]string // components of the identity; none means any case
}

var errUntil = errors.New("until: is one word, or one word with the components of a case's identity")

// UnmarshalYAML reads either form.
func (u *Until) UnmarshalYAML(node ast.Node) error {
	word := node
	u.Of = nil
	if m, ok := node.(*ast.MappingNode); ok {
		if len(m.Values) != 1 {
			return errUntil
		}
		word = m.Values[0].Key
		of, ok := m.Values[0].Value.(*ast.MappingNode)
		if !ok {
			return errUntil
		}
		u.Of = make(map[string]string)
		for _, v := range of.Values {
			u.Of[plain(v.Key)] = plain(v.Value)
		}
	}
	var err error
	if u.Sight, err = ParseSight(plain(word)); err != nil {
		return err
	}
	if len(u.Of) > 0 && !u.Sight.ofCase() {
		return fmt.Errorf("until: %s is about no case", u.Sight)
	}
	return nil
}

// plain is a scalar's text without its quotes.
func plain(n ast.Node) string {
	if s, ok := n.(*ast.StringNode); ok {
		return s.Value
	}
	return n.String()
}

// meets reports whether an event ends the step.
func (u Until) meets(e *Event) bool {
	return u.Sight == e.Sight && u.fits(e.Identity)
}

// fits reports whether an identity has every component that is asked for.
func (u Until) fits(identity []reconcile.Component) bool {
	for name, want := range u.Of {
		at := slices.IndexFunc(identity, func(c reconcile.Component) bool { return c.Name == name })
		if at < 0 || !identity[at].Value.Known() || identity[at].Value.String() != want {
			return false
		}
	}
	return true
}

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
