package report

import (
	"context"
	"io"
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
}

var columns = []column{
	{title: "CASE"},
	{title: "SEVERITY"},
	{title: "EXPOSED"},
	{title: "HEADLINE"},
	{title: "IDENTITY", most: 72},
	{title: "EXECUTED"},
	{title: "A RETRY NOW"},
	{title: "AMOUNT", right: true},
}

// shortID is how much of a case id the table shows; show takes any unique beginning.
const shortID = 12

// Table writes the result for a person: the cases, then what the scan counted, what it could not read, and what to do next.
func Table(ctx context.Context, w io.Writer, r Result, opt Options) error {
	m := r.Manifest()
	p := newPage(w, opt.Colour)
	t := &table{page: p, now: m.Now}
	p.head(m)
	var seen tally
	for c, err := range r.Cases(ctx, opt.filter()) {
		if err != nil {
			return err
		}
		seen.add(c)
		t.add(c)
	}
	t.release()
	p.summary(m, &seen, opt)
	return p.flush()
}

type line struct {
	cells    [8]string
	severity reconcile.Severity
}

type table struct {
	*page
	now    reconcile.Instant
	held   []line
	widths []int
}

func (t *table) add(c *scan.Case) {
	r := line{severity: c.Severity, cells: [8]string{
		text.Truncate(text.SafeString(c.CaseID), shortID), c.Severity.String(), shortExposure(c.Exposure, t.now), c.Headline().String(),
		shortIdentity(c.Identity), c.Executed.String(), c.RetryNow.String(), amountText(c.Amount),
	}}
	if len(c.CaseID) > shortID && text.SafeString(c.CaseID) == c.CaseID {
		r.cells[0] = c.CaseID[:shortID] // a beginning that show takes, so no ellipsis
	}
	if t.widths != nil {
		t.row(r)
		return
	}
	if t.held = append(t.held, r); len(t.held) == measured {
		t.release()
	}
}

// release fixes the widths and prints what was held back.
func (t *table) release() {
	if t.widths != nil || len(t.held) == 0 {
		return
	}
	t.widths = make([]int, len(columns))
	for i, col := range columns {
		t.widths[i] = text.Width(col.title)
		for _, r := range t.held {
			t.widths[i] = max(t.widths[i], text.Width(r.cells[i]))
		}
		if col.most > 0 {
			t.widths[i] = min(t.widths[i], col.most)
		}
	}
	var head strings.Builder
	for i, col := range columns {
		head.WriteString(t.cell(i, col.title))
	}
	t.printf("%s\n", t.in(bold, strings.TrimRight(head.String(), " ")))
	for _, r := range t.held {
		t.row(r)
	}
	t.held = nil
}

func (t *table) row(r line) {
	cells := make([]string, len(columns))
	for i := range columns {
		cells[i] = t.cell(i, r.cells[i])
	}
	last := len(cells) - 1
	cells[last] = strings.TrimRight(cells[last], " ")
	cells[1], cells[3] = t.severity(r.severity, cells[1]), t.in(bold, cells[3])
	t.printf("%s\n", strings.Join(cells, ""))
}

// cell pads a cell to its column and the gap behind it. A cell wider than those measured pushes the rest aside rather than lose its end.
func (t *table) cell(i int, s string) string {
	col, width := columns[i], t.widths[i]
	if col.most > 0 {
		s = text.Truncate(s, col.most)
	}
	fill := strings.Repeat(" ", max(0, width-text.Width(s)))
	if col.right {
		return fill + s + "  "
	}
	return s + fill + "  "
}

func (p *page) head(m *scan.Manifest) {
	clock := "as of " + instantText(m.Now)
	if m.Pinned {
		clock += " (pinned clock)"
	}
	p.printf("%s  %s\n", p.in(bold, text.SafeString(m.Name)), clock)
	if !m.Complete {
		p.printf("%s\n", p.in(red, "INCOMPLETE: not everything could be read as declared, so nothing was concluded from an absence there. See sources below."))
	}
	for _, note := range m.Notes {
		p.printf("%s\n", text.Once(note))
	}
	p.printf("\n")
}
