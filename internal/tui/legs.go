package tui

import (
	"strings"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/report"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/text"
	"example.com/idemctl/internal/tui/paint"
)

// legs draws which parts of the action stand, and what may still perform it, on one line.
func (a *app) legs(at paint.Area, y int, c *scan.Case) int {
	at.Put(0, y, paint.Faint, "legs")
	x := nameWidth
	for _, l := range c.Legs {
		glyph, st := a.leg(l.State)
		x = at.Puts(x, y, paint.Piece{Text: l.Name.String() + " "}, paint.Piece{Style: st, Text: glyph + " " + l.State.String()}, paint.Piece{Text: "   "})
	}
	if len(c.Pending) == 0 {
		none := "nothing is known that may still perform it"
		if x+text.Width(none) > at.W() {
			none = "pending: none known"
		}
		at.Put(x, y, paint.Faint, none)
		return y + 1
	}
	for _, p := range c.Pending {
		till := ""
		if p.Till.Known() {
			till = " until " + stamp(p.Till)
		}
		what := []paint.Piece{{Style: paint.Warn, Text: "pending: " + p.What}, {Text: " " + text.SafeString(p.Ref) + till + "   "}}
		if x+text.Width(what[0].Text+strings.TrimRight(what[1].Text, " ")) > at.W() && x > nameWidth && y+2 < at.H() { // what may still run is told whole
			x, y = nameWidth, y+1
		}
		x = at.Puts(x, y, what...)
	}
	return y + 1
}

func (a *app) leg(s reconcile.LegState) (glyph string, st paint.Style) {
	switch s {
	case reconcile.LegYes:
		return a.glyphs.Present, paint.Good
	case reconcile.LegNo:
		return a.glyphs.Absent, paint.Absent
	case reconcile.LegLost:
		return a.glyphs.Absent, paint.Bad
	case reconcile.LegUndetermined:
	}
	return a.glyphs.Unknown, paint.Warn
}

// standing draws what is recorded about a case, its reason on a line of its own where there may be several and it fits on the first no more.
func (a *app) standing(at paint.Area, y, most int, id string) int {
	at.Put(0, y, paint.Faint, "decision")
	d := a.live(id)
	if d == nil {
		d = a.latest(id)
	}
	advice := ""
	if c := a.cases[id]; c != nil && report.Advised(c) != "" {
		advice = "; advised: " + report.Advised(c)
	}
	if d == nil {
		x := at.Put(nameWidth, y, paint.Faint, "none is recorded")
		at.Put(x, y, paint.Warn, advice)
		return y + 1
	}
	st, words := paint.Good, d.State.String()
	if !d.Live(a.real()) {
		st = paint.Faint
		if d.State.Live() {
			words += ", no longer valid"
		}
	}
	x := at.Puts(nameWidth, y, paint.Piece{Style: st, Text: decisionWords(d.Decision, d.As) + " (" + words + ")"},
		paint.Piece{Style: paint.Warn, Text: adviceBeside(d, a.real(), advice)}, paint.Piece{Text: "  " + text.SafeString(d.Operator) + "  " + stamp(d.Recorded) + "  "})
	if a.changed[id] && d.Live(a.real()) {
		x = at.Put(x, y, paint.Warn, "the evidence has changed since  ")
	}
	reason := text.SafeString(d.Reason)
	if most > 1 && x+text.Width(reason) > at.W() {
		x, y = nameWidth, y+1
	}
	at.Put(x, y, paint.Faint, reason)
	return y + 1
}

// adviceBeside is what is advised where nothing that was decided stands any more: a recheck whose time has come leaves a case to be decided again.
func adviceBeside(d *audit.Decision, now reconcile.Instant, advice string) string {
	if d.Live(now) {
		return ""
	}
	return advice
}
