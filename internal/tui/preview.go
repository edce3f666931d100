package tui

import (
	"strings"

	"example.com/idemctl/internal/report"
	"example.com/idemctl/internal/text"
	"example.com/idemctl/internal/tui/paint"
)

// drawPreview answers the four questions about the case under the cursor before anybody drills in.
func (q *queue) drawPreview(a paint.Area) {
	id := q.cursorID()
	if id == "" {
		return
	}
	r := q.rows.Row(q.cursorRow())
	glyph, word, _, st := q.severity(r.Severity)
	x := a.Puts(0, 0, paint.Piece{Style: st, Text: glyph + " " + word + "  "}, paint.Piece{Style: paint.Strong, Text: r.Headline.String()})
	a.Puts(x+2, 0, paint.Piece{Style: paint.Money, Text: report.Money(r.Amount)}, paint.Piece{Style: paint.Faint, Text: "  case " + text.SafeString(id)})
	c := q.cases[id]
	if a.H() < 5 {
		y := q.sentence(a, 1, "retry now", report.RetryNow(r.RetryNow))
		if c != nil {
			q.legs(a, y, c)
		}
		return
	}
	if c == nil {
		a.Put(0, 1, paint.Faint, "reading the evidence…")
		return
	}
	y := q.sentence(a, 1, "known", report.Known(c))
	y = q.sentence(a, y, "not known", report.NotKnown(c))
	y = q.sentence(a, y, "retry now", report.RetryNow(c.RetryNow))
	y = q.sentence(a, y, "until when", report.UntilWhen(c, q.now()))
	y = q.legs(a, y, c)
	q.standing(a, y, 1, id)
}

// nameWidth is how wide the names before sentences are.
const nameWidth = 12

// sentenceIn draws a name and what is said of it in at most so many lines; what does not fit is cut at the end of the last.
func (a *app) sentenceIn(at paint.Area, y, most int, name, s string) int {
	at.Put(0, y, paint.Faint, name)
	w := at.W() - nameWidth
	lines := text.Wrap(s, max(1, w))
	if len(lines) > most {
		lines = append(lines[:most-1:most-1], text.Truncate(strings.Join(lines[most-1:], " "), w))
	}
	for i, l := range lines {
		at.Put(nameWidth, y+i, paint.Text, l)
	}
	return y + max(1, len(lines))
}

// sentence draws a name and what is said of it; where there is room it takes several lines.
func (a *app) sentence(at paint.Area, y int, name, s string) int {
	at.Put(0, y, paint.Faint, name)
	room := at.Sub(nameWidth, y, at.W()-nameWidth, max(1, at.H()-y))
	if at.W() >= 100 || at.H() < 8 {
		room.Put(0, 0, paint.Text, s)
		return y + 1
	}
	return y + room.Wrapped(0, 0, paint.Text, s)
}
