package report

import (
	"context"
	"io"
	"slices"
	"strings"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/text"
)

// measured is how many cases are held back to measure the columns; the rest stream with the widths found.
const measured = 256

// column is one column of the case table.
type column struct {
	title string
	right bool
	most  int // a cell is cut to this many terminal cells; 0 = never
	least int // and on a narrow page further, to no fewer than this
	leave int // which goes first where the page is too narrow: 1 before 2; 0 = always there
}

var columns = []column{
	{title: "CASE"},
	{title: "SEVERITY"},
	{title: "EXPOSED"},
	{title: "HEADLINE"},
	{title: "IDENTITY", most: 72, least: 16, leave: 4},
	{title: "EXECUTED", leave: 1},
	{title: "A RETRY NOW", leave: 3},
	{title: "AMOUNT", right: true, leave: 2},
	{title: "DECISION"}, // where a trail is read
}

const decisionColumn = 8

// shortID is how much of a case id the table shows; show takes any unique beginning.
const shortID = 12

// Table writes the result for a person: the cases, then what the scan counted, what it could not read, and what to do next.
func Table(ctx context.Context, w io.Writer, r Result, opt Options) error {
	m := r.Manifest()
	p := newPage(w, opt)
	t := &table{page: p, now: m.Now, opt: opt}
	p.head(m)
	var seen tally
	for c, err := range r.Cases(ctx, opt.filter()) {
		if err != nil {
			return err
		}
		decisions := opt.decisions(c)
		seen.add(c, decisions)
		t.add(c, decisions)
	}
	t.release()
	if len(t.fit.out) > 0 {
		p.flow(0, "%s", p.in(dim, "Left out, as the terminal is narrow: "+strings.Join(t.fit.out, ", ")+"."))
	}
	p.summary(m, &seen, opt)
	return p.flush()
}

type line struct {
	cells    [9]string
	severity reconcile.Severity
}

type table struct {
	*page
	now  reconcile.Instant
	opt  Options
	held []line
	fit  layout
}

func (t *table) add(c *scan.Case, decisions []Decision) {
	r := line{severity: c.Severity, cells: [9]string{
		text.Truncate(text.SafeString(c.CaseID), shortID), c.Severity.String(), shortExposure(c.Exposure, t.now), c.Headline().String(),
		shortIdentity(c.Identity), c.Executed.String(), c.RetryNow.String(), amountText(c.Amount), decisionCell(decisions),
	}}
	if len(c.CaseID) > shortID && text.SafeString(c.CaseID) == c.CaseID {
		r.cells[0] = c.CaseID[:shortID] // a beginning that show takes, so no ellipsis
	}
	if t.fit.widths != nil {
		t.row(r)
		return
	}
	if t.held = append(t.held, r); len(t.held) == measured {
		t.release()
	}
}

// release fixes the widths and prints what was held back.
func (t *table) release() {
	if t.fit.widths != nil || len(t.held) == 0 {
		return
	}
	widths := make([]int, len(columns))
	for i, col := range columns {
		widths[i] = text.Width(col.title)
		for _, r := range t.held {
			widths[i] = max(widths[i], text.Width(r.cells[i]))
		}
		if col.most > 0 {
			widths[i] = min(widths[i], col.most)
		}
	}
	if t.opt.Decisions == nil {
		widths[decisionColumn] = 0
	}
	t.fit = laidOut(widths, t.width)
	var titles line
	for i, col := range columns {
		titles.cells[i] = col.title
	}
	t.printf("%s\n", t.in(bold, strings.Join(t.cells(titles), "")))
	for _, r := range t.held {
		t.row(r)
	}
	t.held = nil
}

func (t *table) row(r line) {
	cells := t.cells(r)
	cells[1], cells[3] = t.severity(r.severity, cells[1]), t.in(bold, cells[3])
	t.printf("%s\n", strings.Join(cells, ""))
}

// cells are the cells of a line, padded to their columns and with the gaps between them; those of columns that are left out are empty. A cell wider than
// those measured pushes the rest aside rather than lose its end, but the one that may be cut.
func (t *table) cells(r line) []string {
	cells := make([]string, len(columns))
	last := 0
	for i, s := range r.cells {
		width := t.fit.widths[i]
		if width == 0 {
			continue
		}
		if most := columns[i].most; most > 0 && t.width == 0 {
			s = text.Truncate(s, most)
		} else if most > 0 {
			s = text.Shorten(s, width)
		}
		fill := strings.Repeat(" ", max(0, width-text.Width(s)))
		if columns[i].right {
			s, fill = fill+s, ""
		}
		cells[i] = s + fill + strings.Repeat(" ", t.fit.gap)
		last = i
	}
	cells[last] = strings.TrimRight(cells[last], " ")
	return cells
}

// layout is how wide each column is, 0 for one that is left out, and how many cells stand between two.
type layout struct {
	widths []int
	gap    int
	out    []string // the titles that are left out
}

// laidOut fits columns into a page of so many cells, 0 for one without an end: first the column that may be cut is cut, then columns leave in their order,
// last the gaps narrow.
func laidOut(widths []int, room int) layout {
	fit := layout{widths: widths, gap: 2}
	if room <= 0 {
		return fit
	}
	for next := 1; fit.excess(room) > fit.slack(); next++ {
		i := slices.IndexFunc(columns, func(c column) bool { return c.leave == next })
		if i < 0 {
			fit.gap = 1
			return fit
		}
		fit.widths[i] = 0
		fit.out = append(fit.out, columns[i].title)
	}
	for i, col := range columns {
		if col.least > 0 && fit.widths[i] > 0 {
			fit.widths[i] -= max(0, fit.excess(room))
		}
	}
	return fit
}

// excess is how many cells a line is wider than the room, negative where it is narrower.
func (f *layout) excess(room int) int {
	total := -f.gap
	for _, width := range f.widths {
		if width > 0 {
			total += width + f.gap
		}
	}
	return total - room
}

// slack is how many cells can be cut.
func (f *layout) slack() int {
	slack := 0
	for i, col := range columns {
		if col.least > 0 {
			slack += max(0, f.widths[i]-col.least)
		}
	}
	return slack
}

// judgedAt is the instant that everything was judged by.
func judgedAt(m *scan.Manifest) string {
	if m.Pinned {
		return momentText(m.Now) + " (pinned clock)"
	}
	return momentText(m.Now)
}

func (p *page) head(m *scan.Manifest) {
	p.printf("%s  as of %s\n", p.in(bold, text.SafeString(m.Name)), judgedAt(m))
	if !m.Complete {
		p.flow(0, "%s", p.in(red, "INCOMPLETE: not everything could be read as declared, so nothing was concluded from an absence there. See sources below."))
	}
	for _, note := range m.Notes {
		p.flow(2, "%s", text.Once(note))
	}
	p.printf("\n")
}
