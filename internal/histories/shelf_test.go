package histories_test

import (
	"context"
	"slices"
	"strconv"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources"
	"example.com/idemctl/internal/sources/rows"
)

// shelf is a source held in memory.
type shelf struct {
	facts   reconcile.SourceFacts
	records []*reconcile.Record
}

var _ sources.Reader = (*shelf)(nil)

func (s *shelf) put(r *reconcile.Record) {
	r.Source, r.Locator = s.facts.Name, s.facts.Name+"/"+strconv.Itoa(len(s.records)+1)
	s.records = append(s.records, r)
}

// Scan implements sources.Reader.
func (s *shelf) Scan(ctx context.Context, emit sources.Emit) error {
	for i, r := range s.records {
		c := r.Clone()
		c.Locator = ""
		if err := emit(rows.Pos(i), c); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Fetch implements sources.Reader.
func (s *shelf) Fetch(ctx context.Context, at []rows.Pos, emit sources.Emit) error {
	for _, pos := range slices.Clone(at) {
		if err := emit(pos, s.records[pos].Clone()); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Facts implements sources.Reader.
func (s *shelf) Facts() reconcile.SourceFacts { return s.facts }

// Stats implements sources.Reader.
func (s *shelf) Stats() sources.Stats { return sources.Stats{Records: int64(len(s.records))} }

// Progress implements sources.Reader.
func (s *shelf) Progress() rows.Progress { return rows.Progress{Rows: int64(len(s.records))} }

// Close implements sources.Reader.
func (s *shelf) Close() error { return nil }
