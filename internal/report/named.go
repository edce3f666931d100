package report

import (
	"slices"
	"strings"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/text"
)

// OthersTitle stands above the other actions that are neither candidates nor twins.
const OthersTitle = "Others that the reasons name"

// NeighbourName says in words which other action a candidate is, and when it began: an id alone tells nobody.
func NeighbourName(c reconcile.Candidate, reveal bool) string {
	return componentsText(c.Identity, reveal) + ", " + begunText(c.Began)
}

// componentsText names what is known of an identity. A key that is a secret is masked, unless keys are revealed.
func componentsText(id []reconcile.Component, reveal bool) string {
	var parts []string
	keyed := false
	for _, comp := range id {
		if comp.Value.Known() {
			keyed = keyed || comp.Name == "key"
			cell := ComponentCell(comp)
			if reveal {
				cell = cellText(comp.Value)
			}
			parts = append(parts, text.SafeString(comp.Name)+" "+cell)
		}
	}
	if !keyed {
		parts = append(parts, "no key")
	}
	return strings.Join(parts, ", ")
}

func begunText(at reconcile.Instant) string {
	if !at.Known() {
		return "begun at a time that no record tells"
	}
	return "begun " + momentText(at)
}

// ReasonOf is the guard's answer with the other action that it rests on, named by its key and by what else tells it from this one.
func ReasonOf(c *scan.Case, o reconcile.Option) string {
	reason := text.Once(o.Reason)
	for _, list := range [][]reconcile.Candidate{c.Twins, c.Others, c.Candidates} {
		for _, other := range list {
			if o.Other != "" && other.Case == o.Other {
				return reason + " The other: " + componentsText(unlike(other.Identity, c.Identity), false) + ", " + begunText(other.Began) + "."
			}
		}
	}
	return reason
}

// unlike is what of an identity is not another's, and its key.
func unlike(id, other []reconcile.Component) []reconcile.Component {
	return slices.DeleteFunc(slices.Clone(id), func(comp reconcile.Component) bool {
		return comp.Name != "key" && slices.ContainsFunc(other, func(o reconcile.Component) bool { return o.Name == comp.Name && o.Value.Equal(comp.Value) })
	})
}
