package tui

import (
	"fmt"

	"example.com/idemctl/internal/report"
	"example.com/idemctl/internal/text"
	"example.com/idemctl/internal/tui/caselist"
	"example.com/idemctl/internal/tui/paint"
)

// layout is which columns of the queue there are, and how wide.
type layout struct {
	exposure, severity, kind, identity, money, age, decision int
	long                                                     bool // severity as a whole word
	whole                                                    bool // identities with all their components
}

// The widest words of a finding and of a decision.
const (
	widestKind     = 29
	widestDecision = 22
)

const gutter = 3 // cursor, mark, a space

// layoutFor shares a width among the columns. Tenant and key of every row come first, then the words of finding and decision, then what else identifies a row:
// it is shown of all rows or of none, so that no row looks like another kind.
func layoutFor(w int, need wants) layout {
	l := layout{exposure: 8, severity: 10, kind: 14, money: 13, age: 5, decision: 10, long: true}
	switch {
	case w < 78: // an amount would cost the key
		l = layout{exposure: 8, severity: 6, kind: 11, age: 4, decision: 4}
	case w < 100:
		l = layout{exposure: 8, severity: 6, kind: 14, money: 12, age: 4, decision: 4}
	}
	l.identity = w - gutter - 2 // scroll bar and the free column
	for _, c := range []int{l.exposure, l.severity, l.kind, l.money, l.age, l.decision} {
		if c > 0 {
			l.identity -= c + 1
		}
	}
	give := func(to *int, most int) {
		n := max(0, min(most-*to, l.identity-need.short))
		*to, l.identity = *to+n, l.identity-n
	}
	give(&l.kind, widestKind)
	if l.long {
		give(&l.decision, widestDecision)
	}
	l.whole = need.whole <= l.identity
	return l
}

// wants is the room that identities ask for: with all components, and with tenant and key alone.
type wants struct{ whole, short int }

// measure takes the rows on the screen into what a list has asked for so far. It only grows while one list is shown: columns stand still when it is scrolled back.
func (q *queue) measure(h int) {
	for y := 0; y < h && q.first+y < q.view.Len(); y++ {
		comps := q.rows.Row(q.view.At(q.first + y)).Identity
		q.need.whole = max(q.need.whole, text.Width(identity(comps, far, q.glyphs.Separator)))
		q.need.short = max(q.need.short, text.Width(tenantKey(comps, far, q.glyphs.Separator)))
	}
}

// Draw paints filter line, grid and preview.
func (q *queue) Draw(a paint.Area) {
	top, rest := a.Top(1)
	q.filter.draw(top, q)
	if q.filter.open {
		rest = q.filter.drawHelp(rest)
	}
	var side, below paint.Area
	switch {
	case !q.preview || rest.H() < 12 && rest.W() < 140:
	case rest.W() >= 140:
		rest, side = rest.Left(max(100, rest.W()-76))
	case rest.W() < 100:
		rest, below = rest.Bottom(4)
	default:
		rest, below = rest.Bottom(8)
	}
	q.grid(rest)
	if below.H() > 0 {
		below.Rule(0, paint.Border, q.glyphs)
		_, below = below.Top(1)
		q.drawPreview(below.Sub(1, 0, below.W()-2, below.H()))
	}
	if side.W() > 0 {
		q.drawPreview(side.Box(q.glyphs, paint.Border, paint.Title, "Preview", ""))
	}
}

func (q *queue) grid(a paint.Area) {
	head, body := a.Top(1)
	q.high = body.H()
	q.scroll(body.H())
	q.measure(body.H())
	l := layoutFor(a.W(), q.need)
	q.heading(head, l)
	if q.view.Len() == 0 {
		q.nothing(body)
		return
	}
	for y := range body.H() {
		at := q.first + y
		if at >= q.view.Len() {
			break
		}
		q.drawRow(body.Sub(0, y, body.W(), 1), l, q.view.At(at), at == q.place)
	}
	scrollbar(body.Sub(body.W()-2, 0, 1, body.H()), q.first, q.view.Len(), q.glyphs)
}

// scroll keeps the cursor on the screen, and as much of the list as there is.
func (q *queue) scroll(h int) {
	q.clamp()
	q.first = min(max(q.first, q.place-h+1), q.place)
	q.first = max(0, min(q.first, q.view.Len()-h))
}

func (q *queue) heading(a paint.Area, l layout) {
	x := gutter
	put := func(w int, name string, by caselist.Column, right bool) {
		if w == 0 {
			return
		}
		st := paint.Faint
		if q.choice.By == by {
			st = paint.Strong
			sign := q.glyphs.Descending
			if q.choice.Reverse {
				sign = q.glyphs.Ascending
			}
			name = text.Truncate(name, w-1) + sign
		}
		if right {
			a.PutRight(x+w, 0, st, name)
		} else {
			a.PutIn(x, 0, w, st, name)
		}
		x += w + 1
	}
	sev := "SEVERITY"
	if !l.long {
		sev = "SEV"
	}
	put(l.exposure, "EXPOSED", caselist.Queued, false)
	put(l.severity, sev, caselist.BySeverity, false)
	put(l.kind, "FINDING", caselist.ByKind, false)
	put(l.identity, "IDENTITY", 255, false)
	put(l.money, "MONEY", caselist.ByMoney, true)
	put(l.age, "AGE", caselist.ByAge, true)
	name := "DECISION"
	if !l.long {
		name = "DEC"
	}
	put(l.decision, name, caselist.ByDecision, false)
}

func (q *queue) drawRow(a paint.Area, l layout, row int, cursor bool) {
	r := q.rows.Row(row)
	if cursor {
		a.Put(0, 0, paint.Strong, q.glyphs.Cursor)
	}
	if q.marks.Has(row) {
		a.Put(1, 0, paint.Marked, q.glyphs.Mark)
	}
	x := gutter
	put := func(w int, st paint.Style, s string, right bool) {
		if w == 0 {
			return
		}
		if right {
			s = text.PadLeft(s, w)
		}
		a.PutIn(x, 0, w, st, s)
		x += w + 1
	}
	s, st := exposed(r.Exposure, q.now())
	put(l.exposure, st, s, false)
	glyph, word, short, st := q.severity(r.Severity)
	if !l.long {
		word = short
	}
	put(l.severity, st, glyph+" "+word, false)
	put(l.kind, paint.Text, r.Headline.String(), false)
	who := tenantKey
	if l.whole {
		who = identity
	}
	put(l.identity, paint.Text, who(r.Identity, l.identity, q.glyphs.Separator), false)
	put(l.money, paint.Money, report.Money(r.Amount), true)
	put(l.age, paint.Time, age(r.Since, q.now()), true)
	s, st = decidedCell(&r.Decided, l.long)
	put(l.decision, st, s, false)
	if cursor {
		a.Sub(0, 0, a.W()-2, 1).Select(0)
	}
}

// nothing says why nothing is listed.
func (q *queue) nothing(a paint.Area) {
	in := a.Sub(gutter, min(1, a.H()-1), a.W()-2*gutter, a.H())
	switch {
	case q.failed != "":
		in.Wrapped(0, 0, paint.Bad, "Nothing could be read. "+q.failed)
	case q.manifest == nil || q.loading && q.rows.Len() == 0: // nothing is known yet, least of all that there is nothing
		y := in.Wrapped(0, 0, paint.Strong, "Reading the sources.")
		in.Wrapped(0, y, paint.Text, q.loadingWords()+".")
	case !q.choice.Query.All():
		in.Wrapped(0, 0, paint.Strong, fmt.Sprintf("No case matches. %s in all; esc shows them.", counted(int64(q.rows.Len()), "case")))
	case q.manifest != nil && !q.manifest.Complete:
		in.Wrapped(0, 0, paint.Warn, "No case, but the scan is incomplete: what could not be read may hold some.")
	default:
		in.Wrapped(0, 0, paint.Good, "Nothing to decide.")
	}
}

// scrollbar shows which part of a list is seen.
func scrollbar(a paint.Area, first, all int, g *paint.Glyphs) {
	h := a.H()
	if all <= h || h < 1 {
		return
	}
	size := max(1, h*h/all)
	at := 0
	if all > h {
		at = first * (h - size) / (all - h)
	}
	for y := range h {
		if y >= at && y < at+size {
			a.Put(0, y, paint.Text, g.Bar)
		} else {
			a.Put(0, y, paint.Border, g.Track)
		}
	}
}
