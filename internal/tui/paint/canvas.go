package paint

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"example.com/idemctl/internal/text"
)

const (
	space   = " "
	foreign = "\ufffd" // stands for what must not be drawn
)

// cell is one cell of the grid. The right half of a wide letter has the empty text.
type cell struct {
	text     string
	style    Style
	selected bool
}

// Canvas is a grid of cells. Draw on it through an Area.
type Canvas struct {
	// ASCII writes the console's own signs that are not ASCII as ones that are. Letters of data stay.
	ASCII bool

	w, h  int
	cells []cell
}

// signs are the console's own beside its glyphs.
var signs = map[string]string{"…": "~", "·": "-", "•": "*", "↑": "^", "↓": "v", "←": "<", "→": ">"}

// NewCanvas returns a blank canvas. Sizes below one are one.
func NewCanvas(w, h int) *Canvas {
	c := &Canvas{}
	c.Reset(w, h)
	return c
}

// Reset blanks the canvas and gives it a size. It keeps its memory.
func (c *Canvas) Reset(w, h int) {
	c.w, c.h = max(w, 1), max(h, 1)
	if n := c.w * c.h; cap(c.cells) < n {
		c.cells = make([]cell, n)
	} else {
		c.cells = c.cells[:n]
	}
	for i := range c.cells {
		c.cells[i] = cell{text: space}
	}
}

// Area returns the whole canvas.
func (c *Canvas) Area() Area { return Area{c: c, w: c.w, h: c.h} }

// set puts a unit of one or two cells; what it half covers becomes blank.
func (c *Canvas) set(x, y, cells int, unit string, st Style) {
	row := c.cells[y*c.w : (y+1)*c.w]
	if row[x].text == "" && x > 0 {
		row[x-1].text = space
	}
	if end := x + cells; end < c.w && row[end].text == "" {
		row[end].text = space
	}
	row[x] = cell{text: unit, style: st}
	if cells == 2 {
		row[x+1] = cell{style: st}
	}
}

// Lines returns the canvas as lines in the colours of p.
func (c *Canvas) Lines(p *Palette) []string {
	lines := make([]string, c.h)
	var b strings.Builder
	for y := range lines {
		b.Reset()
		b.Grow(c.w + 64)
		now := ""
		for _, one := range c.cells[y*c.w : (y+1)*c.w] {
			if one.text == "" {
				continue
			}
			if set := p.sgr(one.style, one.selected); set != now {
				if now != "" {
					b.WriteString(reset)
				}
				b.WriteString(set)
				now = set
			}
			if c.ASCII && len(one.text) > 1 {
				one.text = cmp.Or(signs[one.text], one.text)
			}
			b.WriteString(one.text)
		}
		if now != "" {
			b.WriteString(reset)
		}
		lines[y] = b.String()
	}
	return lines
}

// next returns the first unit of s as it may be drawn, its cells, and the rest.
func next(s string) (unit string, cells int, rest string) {
	if b := s[0]; b < utf8.RuneSelf && b != '\\' {
		n := 1
		if len(s) > 1 && s[1] >= utf8.RuneSelf { // a mark may lean on it
			n, _ = text.Next(s)
		}
		if b < ' ' || b == 0x7f {
			return foreign, 1, s[1:]
		}
		if n == 1 {
			return s[:1], 1, s[1:]
		}
		return shown(s[:n], 1), 1, s[n:]
	}
	if s[0] == '\\' {
		return s[:1], 1, s[1:]
	}
	n, cells := text.Next(s)
	unit = shown(s[:n], cells)
	if unit == foreign {
		cells = 1
	}
	return unit, cells, s[n:]
}

// shown refuses a unit that a terminal could obey or that takes no cell of its own.
func shown(unit string, cells int) string {
	if cells < 1 {
		return foreign
	}
	for _, r := range unit {
		if !text.Shown(r) {
			return foreign
		}
	}
	return unit
}
