package sources

import (
	"context"
	"fmt"
	"regexp"
	"strconv"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources/json"
	"example.com/idemctl/internal/sources/mapping"
	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/text"
)

// Source is one source of the config: a table with its map, or the reason why there is none.
type Source struct {
	spec    *Spec
	place   Place
	table   rows.Table     // nil when the source could not be opened
	records []json.Way     // json: the ways to the records
	pattern *regexp.Regexp // text: what a line looks like
	m       *mapping.Mapper
	now     reconcile.Instant
	notes   []string
	facts   reconcile.SourceFacts
	stats   Stats
	seen    []bool // components that some row carried
	unseen  unseen // cells that no row of ours had
	raw     []reconcile.Column
}

var _ Reader = (*Source)(nil)

// fail notes why the source could not be opened.
func (s *Source) fail(err error) {
	s.facts.Coverage = reconcile.Coverage{Reason: text.SafeString(s.hideError(err).Error()), Hint: s.spec.hide(s.place, rows.HintOf(err))}
}

// Scan implements Reader.
func (s *Source) Scan(ctx context.Context, emit Emit) error {
	s.stats = Stats{}
	s.unseen.begin(len(s.m.Paths()), s.spec.Map)
	if s.table == nil {
		return ctx.Err()
	}
	var refused error
	ext, err := s.table.Scan(ctx, func(pos rows.Pos, cells []rows.Cell) error {
		r, bad := s.m.Map(cells)
		switch {
		case bad != nil:
			s.unreadable(text.SafeString(s.table.Locator(pos)), bad)
			return nil
		case r == nil:
			s.leave(s.m.LeftOut())
			return nil
		}
		s.note(r, cells)
		refused = emit(pos, r)
		return refused
	}, func(p rows.Problem) {
		s.unreadable(text.SafeString(p.Place), &mapping.Unreadable{Reason: text.SafeString(p.Text), Hint: s.spec.hide(s.place, p.Hint)})
	})
	if refused == nil {
		refused = ctx.Err()
	}
	ext.Reason, ext.Hint = text.SafeString(s.spec.hide(s.place, ext.Reason)), s.spec.hide(s.place, ext.Hint)
	if err != nil {
		ext.Complete = false
		if ext.Reason == "" {
			ext.Reason = text.SafeString(s.hideError(err).Error())
		}
		if ext.Hint == "" {
			ext.Hint = rows.HintOf(err)
		}
	}
	s.stats.Server = rows.Server{System: text.SafeString(ext.Server.System), Timeline: text.SafeString(ext.Server.Timeline)}
	s.facts.Coverage = s.coverage(ext)
	s.facts.Unnamed = s.unseen.unnamed
	if s.facts.Undeclared = s.spec.Role == reconcile.RoleProvider && s.undeclared(ext); s.facts.Undeclared {
		s.facts.Regions = s.unseen.regions
	}
	s.facts.RefKinds = s.unseen.kinds
	s.facts.NoOwnRef = !s.m.MapsOwnRef() || s.unseen.ours > 0 && !s.unseen.refs || s.unseen.loose
	s.facts.SentGone = s.spec.Role == reconcile.RoleOutbox && (!s.m.MapsSent() || !s.unseen.sent)
	return refused
}

// leave counts a row that gives no record, by the reason of its exclusion, or as one that where left out.
func (s *Source) leave(reason string) {
	if reason == "" {
		s.stats.Skipped++
		return
	}
	for i := range s.stats.Excluded {
		if s.stats.Excluded[i].Reason == reason {
			s.stats.Excluded[i].Rows++
			return
		}
	}
	s.stats.Excluded = append(s.stats.Excluded, Excluded{reason, 1})
}

// note counts a record and what it shows of the source.
func (s *Source) note(r *reconcile.Record, cells []rows.Cell) {
	s.stats.Records++
	s.unseen.seeRegion(r)
	if r.EmptyKey {
		s.stats.EmptyKeys++
	}
	if r.Role == reconcile.RoleProvider && (!r.Claimed || r.NotOurs) {
		s.stats.Foreign++
	} else {
		s.unseen.meet(r, cells)
	}
	for i := range r.Components {
		if !s.seen[i] && r.Components[i].Value.Known() {
			s.seen[i] = true
		}
	}
	if t := recordTime(r); t.Known() {
		s.extend(t.Add(r.Blur), t.Add(-r.Blur))
	}
}

// extend takes a record's time into how far the records of a log reach: from the latest to the earliest that it may be. One that is still to come, or the zero
// of the clock, is a clock gone wrong or none at all: a single such line must not stretch what the log covers over what it never held.
func (s *Source) extend(from, to reconcile.Instant) {
	if to.After(s.now) || to == reconcile.AtUnix(0) {
		return
	}
	if !s.stats.Last.Known() || to.After(s.stats.Last) {
		s.stats.Last = to
	}
	if !s.stats.First.Known() || from.Before(s.stats.First) {
		s.stats.First = from
	}
}

// recordTime is when a record was last written, as far as its own times tell.
func recordTime(r *reconcile.Record) reconcile.Instant {
	t := reconcile.Latest(r.CreatedAt, r.UpdatedAt, r.CompletedAt, r.AttemptAt, r.SentAt, r.ConfirmedAt)
	for i := range r.Attempts {
		t = reconcile.Latest(t, r.Attempts[i].At)
	}
	return t
}

func (s *Source) unreadable(place string, bad *mapping.Unreadable) {
	s.stats.Unreadable++
	if len(s.stats.Problems) < MaxProblems {
		s.stats.Problems = append(s.stats.Problems, rows.Problem{Place: place, Text: bad.Reason, Hint: bad.Hint})
	}
}

// Fetch implements Reader.
func (s *Source) Fetch(ctx context.Context, at []rows.Pos, emit Emit) error {
	if s.table == nil {
		return fmt.Errorf("%s: %s", text.SafeString(s.spec.Name), s.facts.Coverage.Reason)
	}
	return s.hideError(s.table.Fetch(ctx, at, func(pos rows.Pos, locator string, cells []rows.Cell, raw []rows.Named) error {
		r, bad := s.m.Map(cells)
		if bad != nil {
			return fmt.Errorf("%s: %w: %w", text.SafeString(locator), rows.ErrChanged, bad)
		}
		if r == nil {
			return fmt.Errorf("%s: %w", text.SafeString(locator), rows.ErrChanged)
		}
		r.Locator = locator
		r.Raw = s.columns(raw)
		err := emit(pos, r)
		r.Locator, r.Raw = "", nil
		return err
	}))
}

// columns shows a row's columns as stored, in memory that the next row uses again.
func (s *Source) columns(raw []rows.Named) []reconcile.Column {
	s.raw = s.raw[:0]
	for _, n := range raw {
		c := reconcile.Column{Name: n.Name, Kind: kindWords[n.Cell.Kind], Text: n.Cell.Text}
		switch n.Cell.Kind {
		case rows.Int:
			c.Text = strconv.AppendInt(nil, n.Cell.Num, 10)
		case rows.Bool:
			c.Text = strconv.AppendBool(nil, n.Cell.Num != 0)
		case rows.Missing, rows.Null, rows.Real, rows.Number, rows.Text, rows.Blob, rows.JSON, rows.Bad:
		}
		s.raw = append(s.raw, c)
	}
	return s.raw
}

var kindWords = [...]string{
	rows.Missing: "null", rows.Null: "null", rows.Int: "integer", rows.Real: "real", rows.Number: "number", rows.Text: "text",
	rows.Blob: "blob", rows.Bool: "bool", rows.JSON: "json", rows.Bad: "unreadable",
}

// Facts implements Reader.
func (s *Source) Facts() reconcile.SourceFacts { return s.facts }

// Stats implements Reader.
func (s *Source) Stats() Stats { return s.stats }

// Columns lists all that the source has, mapped or not, as its store declares it; nil where it could not be opened.
func (s *Source) Columns() []rows.Column {
	if s.table == nil {
		return nil
	}
	return s.table.Columns()
}

// NextID is the effect's id that the store hands out next, where the column that tells it is one that the store numbers; 0 = not known.
func (s *Source) NextID() int64 {
	if c := columnNamed(s.Columns(), s.m.ColumnOf("effect_id")); c != nil {
		return c.Next
	}
	return 0
}

// Progress implements Reader.
func (s *Source) Progress() rows.Progress {
	if s.table == nil {
		return rows.Progress{}
	}
	return s.table.Progress()
}

// Close implements Reader. A shared store stays open until its Set is closed.
func (s *Source) Close() error {
	if s.table == nil {
		return nil
	}
	return s.table.Close()
}
