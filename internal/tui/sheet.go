package tui

import (
	"strings"

	"example.com/idemctl/internal/text"
	"example.com/idemctl/internal/tui/paint"
)

// sheet is styled lines of safe text in a width, to be seen through a window.
type sheet struct {
	w     int
	lines [][]paint.Piece
}

func newSheet(w int) *sheet { return &sheet{w: max(w, 1)} }

// add writes a text over as many lines as it takes.
func (s *sheet) add(st paint.Style, t string) { s.indent(0, st, t) }

// indent is add some cells from the left.
func (s *sheet) indent(n int, st paint.Style, t string) {
	n = max(0, min(n, s.w/3))
	for _, l := range text.Wrap(t, s.w-n) {
		s.lines = append(s.lines, []paint.Piece{{Text: strings.Repeat(" ", n)}, {Style: st, Text: l}})
	}
}

// line writes pieces on one line; what does not fit is cut.
func (s *sheet) line(pieces ...paint.Piece) { s.lines = append(s.lines, pieces) }

// gap leaves a line free, unless nothing stands before it.
func (s *sheet) gap() {
	if len(s.lines) > 0 {
		s.lines = append(s.lines, nil)
	}
}

// draw paints the lines from top on, and says how many are above and below what is seen. It returns top as far as it could be kept.
func (s *sheet) draw(a paint.Area, top int, g *paint.Glyphs) int {
	top = max(0, min(top, len(s.lines)-a.H()))
	for y := range a.H() {
		if top+y >= len(s.lines) {
			break
		}
		a.Puts(0, y, s.lines[top+y]...)
	}
	if len(s.lines) > a.H() && a.W() > 2 {
		scrollbar(a.Sub(a.W()-1, 0, 1, a.H()), top, len(s.lines), g)
	}
	return top
}
