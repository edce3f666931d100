package report

import (
	"maps"
	"slices"
	"strings"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/text"
)

// placeOf names the store of a gap and which part of it is meant.
func placeOf(g *reconcile.Gap) string {
	if part := strings.TrimPrefix(g.Where(), " "); part != "" { // a blank at an end would be escaped
		return text.SafeString(g.Store) + " " + text.SafeString(part)
	}
	return text.SafeString(g.Store)
}

// WhosePresent says whose records a gap counts as present where those are not of its part alone, with a comma before it. Of a declared part what is missing is
// its own, but what stands there is counted over the whole store; what was inferred counts both within the part.
func WhosePresent(g *reconcile.Gap) string {
	if !g.Declared || len(g.Only) == 0 {
		return ""
	}
	names := slices.Sorted(maps.Keys(g.Only))
	for i, name := range names {
		names[i] = text.SafeString(name)
	}
	return ", whatever their " + strings.Join(names, " and ")
}
