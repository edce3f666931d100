package main

import "strings"

// suggest returns a hint that names the word nearest to what was typed, or all words where none is near.
func suggest(typed string, words []string) string {
	if word := nearest(typed, words); word != "" {
		return "did you mean " + word + "?"
	}
	return "one of: " + strings.Join(words, ", ")
}

// nearest returns the word that typed may have been meant to be, "" when none is near.
func nearest(typed string, words []string) string {
	best, least := "", max(2, len(typed)/3)+1
	for _, w := range words {
		if d := distance(typed, w); d < least {
			best, least = w, d
		}
	}
	return best
}

// distance counts the letters to add, drop, change or swap with a neighbour to get from a to b.
func distance(a, b string) int {
	var before []int
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := last[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			row[j] = min(change, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
