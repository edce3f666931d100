package postgres

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"example.com/idemctl/internal/sources/rows"
)

// fetchRows is how many rows are asked for at once.
const fetchRows = 256

// Fetch implements rows.Table.
func (t *table) Fetch(ctx context.Context, at []rows.Pos, yield rows.YieldRaw) error {
	if len(at) == 0 {
		return ctx.Err()
	}
	f := fetcher{t: t, yield: yield, cells: make([]rows.Cell, t.paths)}
	var err error
	if t.way == ordinal {
		err = f.byOrdinal(ctx, at)
	} else {
		err = f.byPlace(ctx, at)
	}
	t.current = current{}
	if f.refused != nil {
		return f.refused
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

// byPlace asks for rows of one branch at a time, which the server finds without a search.
func (f *fetcher) byPlace(ctx context.Context, at []rows.Pos) error {
	t := f.t
	if err := t.live(ctx); err != nil {
		return err
	}
	s := t.pick(true, t.all)
	for len(at) > 0 {
		branch := at[0] >> branchBits
		n := slices.IndexFunc(at, func(pos rows.Pos) bool { return pos>>branchBits != branch })
		if n < 0 {
			n = len(at)
		}
		n = min(n, fetchRows)
		sql, args := s.sql+" WHERE q.ctid = ANY ($1::tid[])", []string{placeArray(at[:n])}
		if t.way == tree {
			if int(branch) >= len(t.branches) {
				return t.rowGone(at[0])
			}
			sql += " AND q.tableoid = $2::oid"
			args = append(args, strconv.FormatUint(uint64(t.branches[branch]), 10))
		}
		if err := f.some(ctx, s, sql, args, at[:n]); err != nil {
			return err
		}
		at = at[n:]
	}
	return nil
}

// some hands over the rows of one request. The server visits places in their order; a row that is missing or out of turn ends the reading.
func (f *fetcher) some(ctx context.Context, s *selection, sql string, args []string, want []rows.Pos) error {
	next := 0
	err := f.t.reader.each(ctx, sql, args, s.formats, func(values [][]byte) error {
		pos, err := f.t.posOf(values, 0)
		if err != nil {
			return err
		}
		if next == len(want) || pos != want[next] {
			return errOrder
		}
		next++
		return f.hand(pos, values, s)
	})
	if err == nil && next < len(want) {
		err = f.t.rowGone(want[next])
	}
	return err
}

// rowGone says that a row of the snapshot was not found again.
func (t *table) rowGone(pos rows.Pos) error {
	return hinted("scan again", "%s: %s: %w: the row is not there", t.store.target.shown, t.Locator(pos), rows.ErrChanged)
}

func placeArray(at []rows.Pos) string {
	var b strings.Builder
	for i, pos := range at {
		b.WriteString(map[bool]string{true: `{"`, false: `,"`}[i == 0] + shownPlace(pos) + `"`)
	}
	return b.String() + "}"
}

// byOrdinal moves the cursor to each row.
func (f *fetcher) byOrdinal(ctx context.Context, at []rows.Pos) error {
	s, err := f.t.declare(ctx)
	if err != nil {
		return err
	}
	for _, pos := range at {
		found := false
		err := f.t.reader.each(ctx, "FETCH ABSOLUTE "+strconv.FormatUint(uint64(pos)+1, 10)+" FROM rows", nil, s.formats, func(values [][]byte) error {
			found = true
			return f.hand(pos, values, s)
		})
		if err != nil {
			return err
		}
		if !found {
			return f.t.rowGone(pos)
		}
	}
	return nil
}

func (f *fetcher) hand(pos rows.Pos, values [][]byte, s *selection) error {
	t := f.t
	t.current = current{pos, values, s}
	t.fill(values, s, f.cells)
	f.raw = slices.Grow(f.raw[:0], len(s.columns))
	for i, c := range s.columns {
		n := rows.Named{Name: t.cols[c].Name}
		t.read(values, s, i, &n.Cell)
		f.raw = append(f.raw, n)
	}
	if err := f.yield(pos, t.Locator(pos), f.cells, f.raw); err != nil {
		f.refused = err
		return err
	}
	return nil
}
