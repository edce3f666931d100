package sqlite

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/sources/sqlite/engine"
)

// batch is how many rows pass between two looks at the context and two reports of progress.
const batch = 512

// Scan implements rows.Table. A value that is too long is a Bad cell, so no row is ever bad as a whole.
func (t *table) Scan(ctx context.Context, yield rows.Yield, _ func(rows.Problem)) (rows.Extent, error) {
	t.progress.rows.Store(0)
	t.progress.bytes.Store(0)
	cells := make([]rows.Cell, t.paths)
	p := pass{t: t, deliver: func(pos rows.Pos, r row, s selection) (int64, error) {
		size := t.fill(r, s, cells)
		return size, yield(pos, cells)
	}}
	err := t.sweep(ctx, &p)
	if p.refused != nil {
		return rows.Extent{Reason: "the reader stopped"}, p.refused
	}
	if err == nil {
		err = t.store.unchanged()
	}
	if err != nil {
		return t.failed(ctx, err)
	}
	return rows.Extent{Complete: true, Whole: t.whole}, nil
}

// pass is one walk over all rows.
type pass struct {
	t       *table
	deliver func(rows.Pos, row, selection) (int64, error)
	refused error // what deliver returned

	last rows.Pos // of the row that was delivered last
	seen int64
	size int64
}

// errEnough ends a pass early without being an error.
var errEnough = errors.New("enough")

// sweep delivers every row in natural order.
//
// A table with a rowid is read with plain columns, which is fastest; only when a value turns out too long, the pass goes on behind the last row with
// guarded ones. Everything else is guarded from the start, because it cannot be taken up in the middle. A view or query selects all its columns whatever
// is wanted, so that every pass runs the same statement and meets the rows in the same order.
func (t *table) sweep(ctx context.Context, p *pass) error {
	release := t.conn.Watch(ctx)
	defer release()
	if t.rowid == "" {
		keep := func(i int) bool { return t.isWanted(i) || slices.Contains(t.id, i) }
		if t.order == "" {
			keep = t.all
		}
		return p.run(ctx, t.pick(true, keep), true, t.order)
	}
	t.conn.Limit(maxCell)
	err := p.run(ctx, t.pick(false, t.isWanted), false, t.order)
	t.conn.Limit(engine.MaxLength)
	if !engine.IsTooBig(err) || p.refused != nil {
		return err
	}
	where := ""
	if p.seen > 0 {
		where = fmt.Sprintf(" WHERE %s > %d", t.rowid, int64(p.last))
	}
	return p.run(ctx, t.pick(true, t.isWanted), true, where+t.order)
}

// run steps through one statement.
func (p *pass) run(ctx context.Context, s selection, guarded bool, rest string) error {
	st, err := p.t.conn.Prepare(s.sql + rest)
	if err != nil {
		return err
	}
	defer func() {
		p.t.current = current{}
		p.report()
		st.Close()
	}()
	r := row{st: st, guarded: guarded}
	for {
		if p.seen%batch == 0 {
			p.report()
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		more, err := st.Step()
		if err != nil || !more {
			return err
		}
		pos := rows.Pos(p.seen)
		if p.t.rowid != "" {
			pos = rows.Pos(st.Int(0))
		}
		p.last = pos
		p.seen++
		p.t.current = current{pos, r, s, true}
		size, err := p.deliver(pos, r, s)
		p.size += size
		if err != nil {
			p.refused = err
			return err
		}
	}
}

func (p *pass) report() {
	p.t.progress.rows.Store(p.seen)
	p.t.progress.bytes.Store(p.size)
}

// Fetch implements rows.Table.
func (t *table) Fetch(ctx context.Context, at []rows.Pos, yield rows.YieldRaw) error {
	if len(at) == 0 {
		return ctx.Err()
	}
	f := fetcher{t: t, yield: yield, cells: make([]rows.Cell, t.paths)}
	var err error
	if t.rowid != "" {
		err = f.byRowid(ctx, at)
	} else {
		err = f.byOrdinal(ctx, at)
	}
	if f.refused != nil {
		return f.refused
	}
	if err == nil {
		err = t.store.unchanged()
	}
	if err != nil {
		_, err = t.failed(ctx, err)
	}
	return err
}

// fetcher hands single rows over with all their columns.
type fetcher struct {
	t       *table
	yield   rows.YieldRaw
	cells   []rows.Cell
	raw     []rows.Named
	refused error
}

func (f *fetcher) byRowid(ctx context.Context, at []rows.Pos) error {
	release := f.t.conn.Watch(ctx)
	defer release()
	s := f.t.pick(true, f.t.all)
	st, err := f.t.conn.Prepare(s.sql + " WHERE " + f.t.rowid + " = ?")
	if err != nil {
		return err
	}
	defer st.Close()
	for i, pos := range at {
		if i%batch == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := st.BindInt(1, int64(pos)); err != nil {
			return err
		}
		more, err := st.Step()
		if err != nil {
			return err
		}
		if !more {
			return fmt.Errorf("%s: the row is not there", f.t.Locator(pos))
		}
		if err := f.hand(pos, row{st: st, guarded: true}, s); err != nil {
			return err
		}
		st.Reset()
	}
	return nil
}

// byOrdinal walks over the rows again up to the last one that is asked for.
func (f *fetcher) byOrdinal(ctx context.Context, at []rows.Pos) error {
	next := 0
	p := pass{t: f.t, deliver: func(pos rows.Pos, r row, s selection) (int64, error) {
		if pos != at[next] {
			return 0, nil
		}
		if err := f.hand(pos, r, s); err != nil {
			return 0, err
		}
		if next++; next == len(at) {
			return 0, errEnough
		}
		return 0, nil
	}}
	release := f.t.conn.Watch(ctx)
	defer release()
	err := p.run(ctx, f.t.pick(true, f.t.all), true, f.t.order)
	switch {
	case errors.Is(p.refused, errEnough), f.refused != nil:
		return nil
	case err != nil:
		return err
	default:
		return fmt.Errorf("%s: the row is not there", f.t.Locator(at[next]))
	}
}

func (f *fetcher) hand(pos rows.Pos, r row, s selection) error {
	t := f.t
	t.fill(r, s, f.cells)
	f.raw = slices.Grow(f.raw[:0], len(s.columns))
	for i, c := range s.columns {
		n := rows.Named{Name: t.cols[c].Name}
		t.read(r, i, &n.Cell)
		f.raw = append(f.raw, n)
	}
	if err := f.yield(pos, t.Locator(pos), f.cells, f.raw); err != nil {
		f.refused = err
		return err
	}
	return nil
}
