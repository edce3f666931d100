package sources

import (
	"cmp"
	"fmt"
	"strings"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/text"
)

const (
	hintDeclare    = "declare it: coverage: {from: …, to: …}"
	hintNoTime     = "map created_at, or declare coverage: {from: …, to: …}"
	hintUnreadable = "correct the row where it was written, or its map; idemctl check lists such rows; nothing is concluded from what is absent"
	hintMixed      = "let the service write the key in one type, or cast it in a query"
	hintDayOrMonth = "say which it is in map, like created_at: {…, as: \"02/01/2006 15:04:05\"} for day before month; idemctl init writes both, or take a longer period"
	reasonNoTime   = "no record has a time, so nobody knows what the file covers"
)

// coverage says what a scan has shown. What the config declares wins over what the rows show; what went wrong wins over both.
func (s *Source) coverage(ext rows.Extent) reconcile.Coverage {
	c := s.reach(ext)
	if problem, hint := s.incomplete(ext); problem != "" {
		c.Complete, c.Reason, c.Hint = false, problem, hint
	}
	if columns := s.m.Mixed(); len(columns) > 0 {
		c.Proves = false
		if c.Complete {
			c.Complete, c.Hint = false, hintMixed
			c.Reason = "mixed-type key: " + text.SafeString(strings.Join(columns, ", ")) + " may spell one value in two types, such as the integer 7 and the text 7"
		}
	}
	if fact, layout := s.m.DayOrMonth(); fact != "" {
		c.Proves = false
		if c.Complete {
			c.Complete, c.Hint = false, hintDayOrMonth
			c.Reason = fact + ": no date tells whether day or month comes first, which depends on the account's language; it is read as " + layout
		}
	}
	return c
}

// reach is how far a source shows, when it was read to its end.
func (s *Source) reach(ext rows.Extent) reconcile.Coverage {
	c := reconcile.Coverage{Complete: true, Proves: true, Lag: s.spec.Lag}
	d := s.spec.Coverage
	switch {
	case ext.Limit.Doubt != "" && !s.settled(ext):
		c.Reason, c.Hint = ext.Limit.Doubt, ext.Limit.Hint
	case ext.Whole:
		c.To = s.now
	case s.spec.Scheme.InFiles():
		c.From, c.To = s.stats.First, s.stats.Last
		if !c.To.Known() {
			c.Reason, c.Hint = reasonNoTime, hintNoTime
		}
	case d != nil:
		c.To = s.now // a query or view is declared to show everything from `from` on
	default:
		c.Reason, c.Hint = "a query or view shows only what it selects", hintDeclare
	}
	if d != nil {
		c.From, c.To = d.From.Or(c.From), d.To.Or(c.To)
		if c.To.After(s.now) {
			c.To = s.now // nothing shows what is still to come, whatever is declared
		}
		c.Lag, c.Partitions = cmp.Or(d.Lag, c.Lag), d.Partitions
	}
	if !ext.Limit.To.IsZero() {
		c.To = earlier(c.To, reconcile.At(ext.Limit.To))
	}
	if c.Proves = c.To.Known(); c.Proves {
		c.Reason, c.Hint = "", ""
	}
	return c
}

// settled reports whether the config declares what a table or a query cannot prove: for a table how late its rows may come, for anything else what it
// covers.
func (s *Source) settled(ext rows.Extent) bool {
	d := s.spec.Coverage
	return d != nil && (!ext.Whole || d.Lag > 0 || d.To.Known())
}

// undeclared reports whether nothing but the records of a log tells what it covers.
func (s *Source) undeclared(ext rows.Extent) bool {
	d := s.spec.Coverage
	return !ext.Whole && (d == nil || !d.From.Known() && !d.To.Known() && len(d.Partitions) == 0)
}

// earlier bounds a known end of coverage; what covers nothing goes on covering nothing.
func earlier(to, limit reconcile.Instant) reconcile.Instant {
	if to.Known() && limit.Before(to) {
		return limit
	}
	return to
}

// incomplete says why a source was not read as far as it reaches, "" when it was.
func (s *Source) incomplete(ext rows.Extent) (reason, hint string) {
	switch {
	case !ext.Complete:
		return ext.Reason, ext.Hint
	case s.stats.Unreadable > 0:
		first := s.stats.Problems[0]
		count := "1 row could not be read, at "
		if s.stats.Unreadable > 1 {
			count = fmt.Sprintf("%d rows could not be read, first at ", s.stats.Unreadable)
		}
		return count + first.Place + ": " + first.Text, cmp.Or(first.Hint, hintUnreadable)
	}
	return s.misread()
}
