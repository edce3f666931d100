package tui

import (
	"fmt"
	"strings"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/text"
	"example.com/idemctl/internal/tui/keymap"
	"example.com/idemctl/internal/tui/paint"
)

// column is one record of a case, or the place of a kind of record of which there is none.
type column struct {
	role reconcile.Role
	at   *scan.Evidence // nil: there is none
	n    int            // of so many of this role, from 1
	of   int
}

// columnWidth is the least width of a record.
const columnWidth = 28

var roleTitles = map[reconcile.Role]string{
	reconcile.RoleIntent: "Intent", reconcile.RoleReceipt: "Receipt", reconcile.RoleEffect: "Effect", reconcile.RoleOutbox: "Outbox", reconcile.RoleProvider: "Provider",
}

// columns lists the records in the order of cause. A role without any has a place of its own where something was looked for there, or a leg rests on it.
func (v *caseView) columns() []column {
	if v.c == nil {
		return nil
	}
	var out []column
	for _, role := range []reconcile.Role{reconcile.RoleIntent, reconcile.RoleReceipt, reconcile.RoleEffect, reconcile.RoleOutbox, reconcile.RoleProvider} {
		from := len(out)
		for i := range v.c.Evidence {
			if v.c.Evidence[i].Role == role {
				out = append(out, column{role: role, at: &v.c.Evidence[i]})
			}
		}
		switch n := len(out) - from; {
		case n > 0:
			for i := range n {
				out[from+i].n, out[from+i].of = i+1, n
			}
		case role == reconcile.RoleReceipt, role == reconcile.RoleEffect, len(v.sourcesOf(role)) > 0:
			out = append(out, column{role: role})
		}
	}
	return out
}

func (v *caseView) sourcesOf(role reconcile.Role) []*scan.Source {
	var out []*scan.Source
	if v.manifest == nil {
		return nil
	}
	for i := range v.manifest.Sources {
		if v.manifest.Sources[i].Role == role {
			out = append(out, &v.manifest.Sources[i])
		}
	}
	return out
}

// records draws as many records side by side as there is room for, the one in focus among them.
func (v *caseView) records(a paint.Area) {
	cols := v.columns()
	fit := min(max(1, a.W()/columnWidth), len(cols))
	if v.focus < len(cols) {
		v.column = min(max(v.column, v.focus-fit+1), v.focus)
	}
	v.column = max(0, min(v.column, len(cols)-fit))
	x := 0
	for i := range fit {
		w := (a.W() - x) / (fit - i)
		v.pane(a.Sub(x, 0, w-1, a.H()), v.column+i)
		x += w
	}
}

// tallest is how many lines the records need.
func (v *caseView) tallest() int {
	if v.raw {
		n := 0
		for _, c := range v.columns() {
			if c.at != nil {
				n = max(n, len(c.at.Raw)+1)
			}
		}
		return max(n, 6)
	}
	return max(len(v.aligned())+1, 6)
}

// pane draws one pane under its title.
func (v *caseView) pane(a paint.Area, i int) {
	title, remark, body := v.content(i, a.W())
	border, st := paint.Border, paint.Title
	if i == v.focus {
		border, st = paint.Focus, paint.Focus
		title = v.glyphs.Cursor + title
	}
	a.Rule(0, border, v.glyphs)
	x := a.Put(1, 0, st, " "+title+" ")
	if remark != "" {
		a.Put(x, 0, paint.Differs, remark+" ")
	}
	if hidden := v.hidden(i); x+text.Width(remark)+text.Width(hidden)+4 <= a.W() {
		a.PutRight(a.W()-1, 0, border, hidden)
	}
	_, rest := a.Top(1)
	v.tops[i] = body.draw(rest, v.tops[i], v.glyphs)
}

// hidden says at a pane what is not seen beside it, "" where all is: a record that nobody knows of is not looked at.
func (v *caseView) hidden(i int) string {
	cols, keys := len(v.columns()), v.keys.Short(keymap.NextPane)
	fit := min(max(1, (v.width-2)/columnWidth), cols)
	switch {
	case i == v.focus && (v.zoom || v.alone):
		return fmt.Sprintf(" pane %d of %d · %s ", i+1, v.panes(), keys)
	case i == v.column+fit-1 && fit < cols:
		return fmt.Sprintf(" %d-%d of %d records · %s ", v.column+1, v.column+fit, cols, keys)
	case i >= cols && v.width-2 < 100:
		return fmt.Sprintf(" %d of %d · %s ", i-cols+1, lowerPanes, keys)
	}
	return ""
}

// content is a pane's title, what is remarkable of it, and its lines.
func (v *caseView) content(i, w int) (title, remark string, s *sheet) {
	cols := v.columns()
	if i < len(cols) {
		return v.record(cols[i], w)
	}
	s = newSheet(w - 2)
	switch i - len(cols) {
	case paneTimeline:
		v.timeline(s)
		return "Timeline", "", s
	case paneWhy:
		v.why(s)
		return "Why", "", s
	}
	v.options(s)
	return "What may be decided", "", s
}

// record is the pane of one record, or of its absence.
func (v *caseView) record(c column, w int) (title, remark string, s *sheet) {
	title = roleTitles[c.role]
	if c.of > 1 {
		title += fmt.Sprintf(" %d of %d", c.n, c.of)
	}
	s = newSheet(w - 2)
	switch {
	case c.at == nil:
		v.absent(c.role, s)
		return title, v.glyphs.Absent + " none", s
	case v.raw:
		v.stored(c.at, s)
	default:
		remark = v.facts(c.at, s)
	}
	if c.at.History {
		remark += " superseded"
	}
	where := text.SafeString(c.at.Source + ":" + c.at.Locator)
	s.line(paint.Piece{Style: paint.Faint, Text: "from  " + where})
	s.line(paint.Piece{Style: paint.Faint, Text: "link  " + c.at.Link.String()})
	return title, strings.TrimSpace(remark), s
}

// absent says what was searched, and how far that reaches: only where a source covers it is an absence a fact.
func (v *caseView) absent(role reconcile.Role, s *sheet) {
	if v.past != "" {
		s.add(paint.Absent, v.glyphs.Absent+" none")
		s.add(paint.Text, "No record of this kind was on the screen then.")
		return
	}
	found := v.sourcesOf(role)
	if len(found) == 0 {
		s.add(paint.Warn, v.glyphs.Unknown+" not configured")
		s.add(paint.Text, "No source of this kind is configured: nothing is known of it.")
		return
	}
	covered := true
	for _, src := range found {
		covered = covered && src.Coverage.Complete && src.Coverage.Proves
	}
	if covered {
		s.add(paint.Absent, v.glyphs.Absent+" none found")
	} else {
		s.add(paint.Warn, v.glyphs.Unknown+" none found, but not everything could be searched")
	}
	s.add(paint.Faint, "searched:")
	for _, src := range found {
		s.indent(1, paint.Text, text.SafeString(src.Name)+", "+counted(src.Records, "record")+": "+reach(src.Coverage))
	}
	for _, g := range v.manifest.Gaps {
		if name := g.Name(); name != v.c.InGap && name != v.c.AlsoInGap || !hasSource(found, g.Store) {
			continue
		}
		lost := "A restore of " + text.SafeString(g.Store) + " lost what it wrote from " + stamp(g.From) + " to " + stamp(g.To) + "."
		if !g.Declared {
			lost = "It looks as if " + text.SafeString(g.Store) + " lost what it wrote from " + stamp(g.From) + " to " + stamp(g.To) + ": a restore that nobody has confirmed."
		}
		s.add(paint.Warn, lost)
	}
}

func hasSource(found []*scan.Source, name string) bool {
	for _, s := range found {
		if s.Name == name {
			return true
		}
	}
	return false
}
