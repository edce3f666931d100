// Package spelling finds the known name that a mistyped one may have been meant to be, for the hints of every error.
//
// It stands under all packages, imports none of them, and decides nothing: a name that it finds is proposed to a person, never taken.
package spelling

import (
	"slices"
	"strings"
)

// longest is how much of a mistyped name is looked at: a whole file may stand where a name should.
const longest = 100

// Nearest returns the known name with the fewest edits from what was typed, the first of the alphabet among equals, and whether it is near enough to have
// been meant. Case, - and _ are matters of habit. Without known names it returns "".
func Nearest(typed string, known []string) (name string, near bool) {
	got := fold(typed)
	if len(got) > longest {
		got = got[:longest]
	}
	least := 0
	for _, k := range slices.Sorted(slices.Values(known)) {
		if n := edits(got, fold(k)); name == "" || n < least {
			name, least = k, n
		}
	}
	return name, name != "" && least <= max(2, len(name)/3) && least < max(len(got), len(name))
}

// Meant returns the name that was meant, as far as can be told, "" when none is near.
func Meant(typed string, known []string) string {
	name, near := Nearest(typed, known)
	if !near {
		return ""
	}
	return name
}

func fold(s string) string { return strings.ReplaceAll(strings.ToLower(s), "-", "_") }

// edits is the Levenshtein distance in which two letters that changed places count once.
func edits(a, b string) int {
	before, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range above {
		above[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			change := above[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, above[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, above, row = above, row, before
	}
	return above[len(b)]
}
