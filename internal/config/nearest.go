package config

import (
	"slices"
	"strings"
)

// suggest names the known name that is nearest to got, for a hint.
func suggest(got string, known []string) string {
	name, distance := nearest(got, known)
	switch {
	case name == "":
		return ""
	case near(name, distance):
		return `did you mean "` + name + `"?`
	}
	return `the nearest known name is "` + name + `"`
}

// near reports whether name could have been meant by a text that many edits away.
func near(name string, distance int) bool { return distance <= max(2, len(name)/3) }

// nearest returns the known name with the fewest edits from got, the first of the alphabet among equals.
func nearest(got string, known []string) (name string, distance int) {
	known = slices.Sorted(slices.Values(known))
	got = fold(got)
	if len(got) > 100 {
		got = got[:100]
	}
	for _, k := range known {
		if n := edits(got, fold(k)); name == "" || n < distance {
			name, distance = k, n
		}
	}
	return name, distance
}

// fold makes spellings equal that are a matter of habit.
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
