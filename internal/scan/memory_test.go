package scan_test

import (
	"context"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources"
	"example.com/idemctl/internal/sources/rows"
)

// memory is a source held in memory: what the pipeline needs of a Reader, and faults on demand.
type memory struct {
	facts    reconcile.SourceFacts
	recs     []*reconcile.Record
	failAt   int // Scan stops short after so many rows; 0 = never
	vanish   bool
	scanned  int64
	eachRow  func(int)
	repeated int // every row is handed over so many more times
}

var _ sources.Reader = (*memory)(nil)

func (m *memory) Scan(ctx context.Context, emit sources.Emit) error {
	m.scanned = 0
	for i, r := range m.recs {
		if m.failAt > 0 && i == m.failAt {
			m.facts.Coverage = reconcile.Coverage{Reason: "the connection broke", Hint: "scan again"}
			return ctx.Err()
		}
		for n := 0; n <= m.repeated; n++ {
			if m.eachRow != nil {
				m.eachRow(i)
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			c := r.Clone()
			c.Locator = ""
			c.Raw = nil
			if err := emit(rows.Pos(i*(m.repeated+1)+n), c); err != nil {
				return err
			}
			m.scanned++
		}
	}
	return ctx.Err()
}

func (m *memory) Fetch(ctx context.Context, at []rows.Pos, emit sources.Emit) error {
	for _, pos := range at {
		if err := ctx.Err(); err != nil {
			return err
		}
		if m.vanish {
			continue
		}
		if err := emit(pos, m.recs[int(pos)/(m.repeated+1)].Clone()); err != nil {
			return err
		}
	}
	return nil
}

func (m *memory) Facts() reconcile.SourceFacts { return m.facts }
func (m *memory) Stats() sources.Stats         { return sources.Stats{Records: m.scanned} }
func (m *memory) Progress() rows.Progress      { return rows.Progress{Rows: m.scanned} }
func (m *memory) Close() error                 { return nil }
