package scan

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
)

// joined keeps the rows of groups that references join, by their union: what an action asks for may be told by a row of one and a row of another, and which
// rows are one action's only the rules say. Of unions of many groups nothing is kept: there each group asks by itself.
type joined struct {
	pool *pool
	w    *writer
	rows map[uint64]int // of each union: how many are kept
}

const (
	joinedSize  = 8 + traceSize
	joinedParts = 64
	joinedRows  = 256 // rows of a union that are kept, and rows of a group that may ask each by itself
)

func newJoined(dir string, budget int64) *joined {
	p := newPool(dir, joinedSize, joinedParts, budget)
	return &joined{pool: p, w: p.writer(), rows: make(map[uint64]int)}
}

func (j *joined) add(root uint64, rows []trace) error {
	for i := range rows {
		if j.rows[root] >= joinedRows {
			return nil
		}
		j.rows[root]++
		b, err := j.w.entry(mix(root))
		if err != nil {
			return err
		}
		binary.LittleEndian.PutUint64(b, root)
		rows[i].put(b[8:])
	}
	return nil
}

// whole reports whether every row of a union is kept.
func (j *joined) whole(root uint64) bool { return j.rows[root] > 0 && j.rows[root] < joinedRows }

// each hands over the rows of each union, those of one identity side by side and those without a key last.
func (j *joined) each(ctx context.Context, f func(root uint64, rows []trace)) error {
	if err := j.w.done(); err != nil {
		return err
	}
	var block []byte
	for i := range j.pool.parts {
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		if block, err = j.pool.load(i, block[:0]); err != nil {
			return err
		}
		at := make([]int, len(block)/joinedSize)
		for n := range at {
			at[n] = n * joinedSize
		}
		root := func(at int) uint64 { return binary.LittleEndian.Uint64(block[at:]) }
		slices.SortFunc(at, func(a, b int) int { return cmp.Compare(root(a), root(b)) })
		var rows []trace
		for n := 0; n < len(at); {
			of := root(at[n])
			for rows = rows[:0]; n < len(at) && root(at[n]) == of; n++ {
				var t trace
				t.get(block[at[n]+8:])
				rows = append(rows, t)
			}
			slices.SortFunc(rows, func(a, b trace) int {
				return cmp.Or(compareBool(a.k == 0, b.k == 0), cmp.Compare(a.k, b.k), cmp.Compare(b.id, a.id), cmp.Compare(a.src, b.src), cmp.Compare(a.pos, b.pos))
			})
			f(of, rows)
		}
	}
	return nil
}

func (j *joined) close() error {
	j.rows = nil
	return j.pool.close()
}

// seatJoined takes in the actions of a union.
func (s *asks) seatJoined(root uint64, rows []trace) {
	s.eachAsk(rows, func(a *ask) {
		s.from = len(s.seats)
		s.seat(a, root)
	})
}

// offerJoined offers the actions of a union, which are behind one door.
func (s *asks) offerJoined(root uint64, rows []trace) {
	s.eachAsk(rows, func(a *ask) { s.offer(a, root) })
}
