package report

import (
	"fmt"
	"strings"

	"example.com/idemctl/internal/text"
)

const (
	// roomy is how many cells a hanging indent must leave to what hangs; else the lines go on at narrowIndent.
	roomy        = 30
	narrowIndent = 6
)

// flow writes one line of our own and safe text, and breaks it at words where it is wider than the page; the lines after the first begin below its cell
// hang. A word is never broken: what a person copies stays in one piece, and the terminal wraps it. Runs of spaces stand as they are, but at a break.
func (p *page) flow(hang int, format string, a ...any) {
	if p.width-hang < roomy {
		hang = narrowIndent
	}
	rest, at, begun := fmt.Sprintf(format, a...), 0, false
	for rest != "" {
		word := strings.TrimLeft(rest, " ")
		gap := len(rest) - len(word)
		word, _, _ = strings.Cut(word, " ")
		rest = rest[gap+len(word):]
		cells := visible(word)
		switch {
		case p.width > 0 && begun && cells > 0 && at+gap+cells > p.width:
			p.printf("\n%s%s", strings.Repeat(" ", hang), word)
			at = hang + cells
		default:
			p.printf("%s%s", strings.Repeat(" ", gap), word)
			at += gap + cells
		}
		begun = begun || cells > 0
	}
	p.printf("\n")
}

// visible is how many cells a text takes, its colours none. Safe text holds no escape character, so that each one begins a colour of ours.
func visible(s string) int {
	cells := 0
	for {
		before, after, found := strings.Cut(s, "\x1b")
		cells += text.Width(before)
		if !found {
			return cells
		}
		_, s, _ = strings.Cut(after, "m")
	}
}
