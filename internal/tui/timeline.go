package tui

import (
	"slices"
	"strings"
	"time"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/report"
	"example.com/idemctl/internal/text"
	"example.com/idemctl/internal/tui/paint"
)

// event is an instant that matters for a case.
type event struct {
	at     time.Time
	column int    // the record that says so, -1 for what no record says
	who    string // safe text
	what   string
	style  paint.Style
}

// instants are the facts that are times, in words.
var instants = map[string]string{
	"created_at": "created", "updated_at": "updated", "locked_at": "locked", "lease_until": "lease ends", "completed_at": "completed", "expires_at": "expires",
	"attempt_at": "sent", "sent_at": "sent", "confirmed_at": "confirmed", "due_at": "due", "deleted_at": "deleted", "revoked_at": "revoked",
}

// events lists what the records say of time, and what else bounds it, earliest first.
func (v *caseView) events() []event {
	var out []event
	for i, c := range v.columns() {
		if c.at == nil {
			continue
		}
		for _, f := range c.at.Facts {
			what := instants[f.Name]
			if strings.HasPrefix(f.Name, "attempts.") && strings.HasSuffix(f.Name, ".at") {
				what = "sent"
			}
			at, err := time.Parse(time.RFC3339Nano, f.Value.String())
			if what == "" || err != nil {
				continue
			}
			who := strings.ToLower(roleTitles[c.role])
			if f.Name == factRevoked { // the receipt tells it, and stands as it is
				who = "rights"
			}
			if slices.ContainsFunc(out, func(e event) bool { return e.column == i && e.what == what && e.at.Equal(at) }) {
				continue // a line of one attempt tells its time as the row's and as the attempt's: it was sent once
			}
			out = append(out, event{at: at, column: i, who: who, what: what})
		}
	}
	bound := func(i reconcile.Instant, who, what string, st paint.Style) {
		if i.Known() {
			out = append(out, event{i.Time(), -1, who, what, st})
		}
	}
	if v.manifest != nil && v.past == "" {
		for _, g := range v.manifest.Gaps {
			how := "lost"
			if !g.Declared {
				how = "lost, it seems,"
			}
			bound(g.From, text.SafeString(g.Store), how+" from here", paint.Warn)
			bound(g.To, text.SafeString(g.Store), how+" to here", paint.Warn)
		}
	}
	if now := v.clock(); now.Known() {
		bound(reconcile.At(now.Time().Truncate(time.Second)), "now", "", paint.Strong)
	}
	if v.c.Exposure.State == reconcile.ExposureUntil {
		bound(v.c.Exposure.Until, "retry window", "ends", paint.Critical)
	}
	bound(v.c.ProviderTo, "provider", "surely knows the key until here", paint.Warn)
	slices.SortStableFunc(out, func(a, b event) int { return a.at.Compare(b.at) })
	return out
}

// timeline writes the events one below the other, with the time between them.
func (v *caseView) timeline(s *sheet) {
	day, events, wide := "", v.events(), len("15:04:05")
	for _, e := range events {
		wide = max(wide, len(clockText(e.at)))
	}
	for i, e := range events {
		if date := e.at.UTC().Format("2006-01-02"); date != day {
			day = date
			s.line(paint.Piece{Style: paint.Faint, Text: day})
		}
		sign := " "
		st := e.style
		if i == v.event {
			sign, st = v.glyphs.Cursor, paint.Strong
		}
		step := ""
		if i > 0 {
			step = "+" + gap(e.at.Sub(events[i-1].at))
		}
		left := []paint.Piece{
			{Style: paint.Strong, Text: sign}, {Style: paint.Time, Text: text.Pad(clockText(e.at), wide) + " "}, {Style: paint.Faint, Text: text.PadLeft(step, 7) + " "},
		}
		for _, l := range text.Wrap(strings.TrimSpace(e.who+" "+e.what), max(10, s.w-wide-9)) {
			s.line(append(left, paint.Piece{Style: st, Text: l})...)
			left = []paint.Piece{{Text: strings.Repeat(" ", wide+10)}}
		}
	}
}

// clockText writes the time of day, with its fraction where it has one.
func clockText(t time.Time) string {
	if t.Nanosecond() == 0 {
		return t.UTC().Format("15:04:05")
	}
	return t.UTC().Format("15:04:05.000")
}

// gap writes the time between two events.
func gap(d time.Duration) string {
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return strings.ReplaceAll(report.Lasts(d), " ", "")
}
