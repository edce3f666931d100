package tui

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/report"
	"example.com/idemctl/internal/text"
	"example.com/idemctl/internal/tui/caselist"
	"example.com/idemctl/internal/tui/keymap"
	"example.com/idemctl/internal/tui/paint"
)

// stamp writes an instant, "(unknown)" when it is not known.
func stamp(i reconcile.Instant) string {
	if !i.Known() {
		return "(unknown)"
	}
	return i.Time().Format("2006-01-02 15:04:05Z")
}

// count writes a number with its thousands apart.
func count(n int64) string {
	s := strconv.FormatInt(n, 10)
	for at := len(s) - 3; at > 0 && s[at-1] != '-'; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}

func counted(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return count(n) + " " + noun
}

// age is the cell of an age.
func age(since, now reconcile.Instant) string {
	if !since.Known() || !now.Known() {
		return "?"
	}
	d := now.Time().Sub(since.Time())
	switch {
	case d < 0:
		return "ahead"
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", d/time.Hour)
	}
	return fmt.Sprintf("%dd", d/(24*time.Hour))
}

// exposed is the cell of an exposure, with its style.
func exposed(e reconcile.Exposure, now reconcile.Instant) (string, paint.Style) {
	switch e.State {
	case reconcile.ExposureOpen:
		return "open", paint.Critical
	case reconcile.ExposureUnknown:
		return "?", paint.High
	case reconcile.ExposureUntil:
		s := report.Exposed(e, now)
		if s == "ended" {
			return s, paint.Faint
		}
		return s, paint.Critical
	case reconcile.ExposureNone:
	}
	return "-", paint.Faint
}

func (a *app) severity(s reconcile.Severity) (glyph, word, short string, st paint.Style) {
	g := a.glyphs
	switch s {
	case reconcile.SeverityCritical:
		return g.Critical, "critical", "CRIT", paint.Critical
	case reconcile.SeverityHigh:
		return g.High, "high", "HIGH", paint.High
	case reconcile.SeverityMedium:
		return g.Medium, "medium", "MED", paint.Medium
	case reconcile.SeverityLow:
	}
	return g.Low, "low", "LOW", paint.Low
}

// decidedCell is what stands about a case in the trail; where there is no room for the words, whether anything does.
func decidedCell(d *caselist.Decided, long bool) (string, paint.Style) {
	switch {
	case !d.Some:
		return "-", paint.Faint
	case !long && d.Changed && d.Live:
		return keymap.WordChanged, paint.Warn
	case !long && d.Live && awaited(d):
		return keymap.WordAwaited, paint.Warn
	case !long && d.Live:
		return keymap.WordLive, paint.Good
	case !long:
		return keymap.WordPast, paint.Faint
	case d.Changed && d.Live:
		return "changed!", paint.Warn
	case d.Live && awaited(d):
		return decisionWord(d.Decision, d.As) + ", not seen yet", paint.Warn
	case d.Live:
		return decisionWord(d.Decision, d.As), paint.Good
	}
	return d.State.String(), paint.Faint
}

// awaited reports whether a decision has something done of which the sources show nothing yet: until they do, nobody knows what came of it.
func awaited(d *caselist.Decided) bool {
	return d.Decision == reconcile.DecideReplay || d.As == reconcile.Complete
}

// decisionWord names a decision as it is typed, shortly.
func decisionWord(d reconcile.Decision, as reconcile.Resolution) string {
	if as != reconcile.ResolutionNone {
		return as.String()
	}
	return d.String()
}

// decisionWords names a decision in full.
func decisionWords(d reconcile.Decision, as reconcile.Resolution) string {
	if as != reconcile.ResolutionNone {
		return d.String() + ": " + as.String()
	}
	return d.String()
}

// identity writes an identity into at most room cells: all of it, and where that does not fit, as tenantKey does.
func identity(comps []reconcile.Component, room int, sep string) string {
	cells, _ := identityCells(comps)
	if whole := strings.Join(cells, " "+sep+" "); text.Width(whole) <= room || len(cells) < 2 {
		return text.Truncate(whole, room)
	}
	return tenantKey(comps, room, sep)
}

// tenantKey writes the components of an identity that tell actions apart, which is all but the operation: one key under two tenants, or two principals, is two
// actions. The key is shown whole while it fits, the others share what is left.
func tenantKey(comps []reconcile.Component, room int, sep string) string {
	cells, at := identityCells(comps)
	if len(cells) < 2 {
		return text.Truncate(strings.Join(cells, ""), room)
	}
	key := cells[at]
	var others []string
	for i, c := range comps {
		if i != at && (c.Name != "operation" || len(cells) == 2) {
			others = append(others, cells[i])
		}
	}
	n := len(others)
	sep = " " + sep + " "
	left := room - text.Width(key) - n*text.Width(sep)
	if left < 5*n && left < text.Width(strings.Join(others, "")) {
		sep = strings.TrimSpace(sep)
		left = max(3*n, room-text.Width(key)-n*text.Width(sep)) // a key that is cut is still told apart by its beginning, a tenant that is missing is not
	}
	share(others, left)
	return text.Truncate(strings.Join(append(others, key), sep), room)
}

// share cuts the longest of some cells until all of them fit into a room, the first of those that are equally long.
func share(cells []string, room int) {
	for i := range cells {
		cells[i] = text.Truncate(cells[i], max(room, 1)) // however long a tenant's name is
	}
	for {
		all, longest := 0, 0
		for i, c := range cells {
			all += text.Width(c)
			if text.Width(c) > text.Width(cells[longest]) {
				longest = i
			}
		}
		if all <= room || text.Width(cells[longest]) <= 1 {
			return
		}
		cells[longest] = text.Truncate(cells[longest], text.Width(cells[longest])-1)
	}
}

// identityCells are the values of an identity, and which of them is the key.
func identityCells(comps []reconcile.Component) (cells []string, key int) {
	key = len(comps) - 1
	for i, c := range comps {
		cells = append(cells, report.ComponentCell(c))
		if c.Name == "key" {
			key = i
		}
	}
	return cells, key
}
