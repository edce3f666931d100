package paint

import (
	"strings"

	"example.com/idemctl/internal/text"
)

// Area is a rectangle of a canvas with coordinates of its own from 0,0. Whatever is drawn outside it is cut away, and an Area of no size takes nothing.
type Area struct {
	c          *Canvas
	x, y, w, h int
}

// W returns the width in cells.
func (a Area) W() int { return a.w }

// H returns the height in lines.
func (a Area) H() int { return a.h }

// Sub returns the part of a that begins at x, y and is at most w by h.
func (a Area) Sub(x, y, w, h int) Area {
	x, y = min(max(x, 0), a.w), min(max(y, 0), a.h)
	return Area{c: a.c, x: a.x + x, y: a.y + y, w: max(min(w, a.w-x), 0), h: max(min(h, a.h-y), 0)}
}

// Top splits off the first n lines.
func (a Area) Top(n int) (top, rest Area) {
	return a.Sub(0, 0, a.w, n), a.Sub(0, min(max(n, 0), a.h), a.w, a.h)
}

// Bottom splits off the last n lines.
func (a Area) Bottom(n int) (rest, bottom Area) {
	n = min(max(n, 0), a.h)
	return a.Sub(0, 0, a.w, a.h-n), a.Sub(0, a.h-n, a.w, n)
}

// Left splits off the first n columns.
func (a Area) Left(n int) (left, rest Area) {
	return a.Sub(0, 0, n, a.h), a.Sub(min(max(n, 0), a.w), 0, a.w, a.h)
}

// Put draws safe text at x, y, cut with an ellipsis at the area's edge. It returns the cell behind the text.
func (a Area) Put(x, y int, st Style, s string) int { return a.PutIn(x, y, a.w-x, st, s) }

// PutIn is Put within at most room cells.
func (a Area) PutIn(x, y, room int, st Style, s string) int {
	room = min(room, a.w-x)
	if y < 0 || y >= a.h || x < 0 || room <= 0 || s == "" {
		return max(x, 0)
	}
	if len(s) > room && text.Width(s) > room { // bytes are never fewer than cells
		s = text.Truncate(s, room)
	}
	for s != "" && room > 0 {
		unit, cells, rest := next(s)
		if cells > room {
			break
		}
		a.c.set(a.x+x, a.y+y, cells, unit, st)
		x, room, s = x+cells, room-cells, rest
	}
	return x
}

// PutRight draws safe text so that it ends before column end.
func (a Area) PutRight(end, y int, st Style, s string) {
	a.Put(max(0, min(end, a.w)-text.Width(s)), y, st, s)
}

// Piece is a part of a line in one style.
type Piece struct {
	Style Style
	Text  string
}

// Puts draws pieces one behind the other and returns the cell behind them.
func (a Area) Puts(x, y int, pieces ...Piece) int {
	for _, p := range pieces {
		x = a.Put(x, y, p.Style, p.Text)
	}
	return x
}

// Wrapped draws safe text over several lines from y and returns the line behind it. A text that finds no room ends in an ellipsis.
func (a Area) Wrapped(x, y int, st Style, s string) int {
	lines := text.Wrap(s, a.w-x)
	for i, line := range lines {
		if y+i < a.h {
			a.Put(x, y+i, st, line)
		}
	}
	if y < a.h && y+len(lines) > a.h {
		a.Put(a.w-1, a.h-1, st, "…")
	}
	return min(y+len(lines), a.h)
}

// Clear blanks the area in one style.
func (a Area) Clear(st Style) {
	for y := range a.h {
		for x := range a.w {
			a.c.set(a.x+x, a.y+y, 1, space, st)
		}
	}
}

// Select marks a line as the one the cursor is on.
func (a Area) Select(y int) {
	if y < 0 || y >= a.h {
		return
	}
	row := a.c.cells[(a.y+y)*a.c.w:]
	for x := a.x; x < a.x+a.w; x++ {
		row[x].selected = true
	}
}

// Rule draws a horizontal line.
func (a Area) Rule(y int, st Style, g *Glyphs) {
	a.Put(0, y, st, strings.Repeat(g.Across, a.w))
}

// Box draws a border with a title at its left and a remark at its right, and returns what is inside it, a cell away from the sides.
func (a Area) Box(g *Glyphs, border, titled Style, title, remark string) Area {
	if a.w < 4 || a.h < 2 {
		return a.Sub(0, 0, 0, 0)
	}
	across := strings.Repeat(g.Across, a.w-2)
	a.Put(0, 0, border, g.TopLeft+across+g.TopRight)
	a.Put(0, a.h-1, border, g.BottomLeft+across+g.BottomRight)
	for y := 1; y < a.h-1; y++ {
		a.Put(0, y, border, g.Down)
		a.Put(a.w-1, y, border, g.Down)
	}
	end := 2
	if title != "" {
		end = a.PutIn(2, 0, a.w-4, titled, " "+title+" ")
	}
	if room := a.w - 2 - end; remark != "" && room >= text.Width(remark)+2 {
		a.PutRight(a.w-2, 0, border, " "+remark+" ")
	}
	return a.Sub(2, 1, a.w-4, a.h-2)
}
