package report

import (
	"bufio"
	"fmt"
	"io"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/text"
)

// page is text for a person on its way out. A failed write is kept and told by flush. Colour never carries a meaning alone: the word stands there too.
type page struct {
	out    *bufio.Writer
	colour bool
	width  int // cells of the terminal; 0 = no line is too long
}

func newPage(w io.Writer, opt Options) *page {
	return &page{out: bufio.NewWriter(w), colour: opt.Colour, width: opt.Width}
}

func (p *page) flush() error { return p.out.Flush() }

// printf writes text of our own and safe text.
func (p *page) printf(format string, a ...any) { _, _ = fmt.Fprintf(p.out, format, a...) }

// title begins a section.
func (p *page) title(t string) { p.printf("\n%s\n", p.in(bold, t)) }

// pair writes a name and its value; names are padded so that values stand below each other.
func (p *page) pair(width int, name, value string) {
	p.flow(width+4, "  %s  %s", text.Pad(name, width), value)
}

// sgr is how a piece of text is set.
type sgr string

const (
	bold   sgr = "\x1b[1m"
	dim    sgr = "\x1b[2m"
	red    sgr = "\x1b[1;31m"
	yellow sgr = "\x1b[33m"
	green  sgr = "\x1b[32m"
	cyan   sgr = "\x1b[36m"
	plain  sgr = "\x1b[0m"
)

func (p *page) in(set sgr, s string) string {
	if !p.colour || s == "" {
		return s
	}
	return string(set) + s + string(plain)
}

func (p *page) severity(sev reconcile.Severity, s string) string {
	switch sev {
	case reconcile.SeverityCritical:
		return p.in(red, s)
	case reconcile.SeverityHigh:
		return p.in(yellow, s)
	case reconcile.SeverityMedium:
		return p.in(cyan, s)
	case reconcile.SeverityLow:
		return p.in(dim, s)
	}
	return s
}
