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
	case distance <= max(2, len(name)/3):
		return `did you mean "` + name + `"?`
	}
	return `the nearest known name is "` + name + `"`
}

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

// edits is the Levenshtein distance.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
