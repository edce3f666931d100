package main

import (
	"strings"

	"example.com/idemctl/internal/spelling"
)

// suggest returns a hint that names the word nearest to what was typed, or all words where none is near.
func suggest(typed string, words []string) string {
	if word := spelling.Meant(typed, words); word != "" {
		return "did you mean " + word + "?"
	}
	return "one of: " + strings.Join(words, ", ")
}
