package scan

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"example.com/idemctl/internal/reconcile"
)

// each hands over every group of every partition. A partition too large to sort is split by more bits of its keys' hash; one key too large is split by
// identity; one identity too large is a suspect whatever it holds, and is passed on block by block.
func (s *sieve) each(ctx context.Context, f func(group) error) error {
	for i := range s.traces.parts {
		if err := s.eachOf(ctx, s.traces, i, 1, f); err != nil {
			return err
		}
	}
	return nil
}

func (s *sieve) eachOf(ctx context.Context, p *pool, i, depth int, f func(group) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if p.parts[i].n == 0 {
		return nil
	}
	if p.bytes(i) <= s.limit() {
		return s.loaded(p, i, f)
	}
	if depth <= maxSplits {
		return s.split(ctx, p, i, depth, f)
	}
	return s.heavy(ctx, p, i, depth, f)
}

// loaded hands over the groups of a partition that fits. The first pass sorts it and puts it back sorted.
func (s *sieve) loaded(p *pool, i int, f func(group) error) (err error) {
	if s.block, err = p.load(i, s.block[:0]); err != nil {
		return err
	}
	s.rows = slices.Grow(s.rows[:0], len(s.block)/traceSize)[:len(s.block)/traceSize]
	for n := range s.rows {
		s.rows[n].get(s.block[n*traceSize:])
	}
	if !p.parts[i].sorted {
		sortTraces(s.rows)
		for n := range s.rows {
			s.rows[n].put(s.block[n*traceSize:])
		}
		if err := p.store(i, s.block); err != nil {
			return err
		}
	}
	s.common.keys(s.rows)
	return groups(s.rows, s.places.knows, f)
}

// limit is what may be sorted at once: a small budget makes it small too, so that tests reach every path.
func (s *sieve) limit() int64 { return max(64*traceSize, min(loadLimit, 2*s.traces.budget)) }

func (s *sieve) split(ctx context.Context, p *pool, i, depth int, f func(group) error) error {
	return s.divided(ctx, p, depth, f, func(sub *writer) error {
		return eachTrace(ctx, p, i, func(t *trace) error {
			h := t.k
			if h == 0 {
				h = rowNode(t)
			}
			return sub.trace(t, mix(h+uint64(depth))>>8)
		})
	})
}

// divided hands over the groups of smaller partitions, into which fill writes.
func (s *sieve) divided(ctx context.Context, p *pool, depth int, f func(group) error, fill func(*writer) error) (err error) {
	sub := newPool(p.dir, traceSize, splitInto, s.traces.budget/4)
	defer func() { err = errors.Join(err, sub.close()) }()
	w := sub.writer()
	if err := cmp.Or(fill(w), w.done()); err != nil {
		return err
	}
	for n := range sub.parts {
		if err := s.eachOf(ctx, sub, n, depth+1, f); err != nil {
			return err
		}
	}
	return nil
}

// eachTrace hands over the traces of a partition as they stand there.
func eachTrace(ctx context.Context, p *pool, i int, f func(*trace) error) error {
	var t trace
	return p.stream(i, streamBlock, func(b []byte) error {
		for ; len(b) > 0; b = b[traceSize:] {
			t.get(b)
			if err := f(&t); err != nil {
				return err
			}
		}
		return ctx.Err()
	})
}

// trace writes a trace to the partition of a hash.
func (w *writer) trace(t *trace, h uint64) error {
	b, err := w.entry(h)
	if err != nil {
		return err
	}
	t.put(b)
	return nil
}

// heavy splits rows of one key text, or a few, by identity. Where some row of a key does not carry a whole one, its rows cannot be told apart without the
// others: they are suspects as they come, and so are those of one identity that do not fit at once.
func (s *sieve) heavy(ctx context.Context, p *pool, i, depth int, f func(group) error) error {
	torn, shaped, err := tornKeys(ctx, p, i)
	if err != nil {
		return err
	}
	if s.common.counting && depth == maxSplits+1 {
		for _, t := range shaped {
			s.common.countShape([]trace{t})
		}
	}
	return s.divided(ctx, p, depth, f, func(sub *writer) error {
		one := make([]trace, 1)
		return eachTrace(ctx, p, i, func(t *trace) error {
			if t.k != 0 && !torn[t.k] && depth <= 2*maxSplits {
				return sub.trace(t, mix(t.id+uint64(depth))>>8)
			}
			one[0] = *t
			return f(single(one, torn[t.k]))
		})
	})
}

// single makes a group of one row that is a suspect without being looked at.
func single(one []trace, torn bool) group {
	t := &one[0]
	t.fl |= odd
	switch {
	case t.k == 0:
		return group{node: rowNode(t), rows: one}
	case torn:
		return group{node: t.k, rows: one, torn: true}
	}
	return group{node: t.id, rows: one}
}

// tornKeys are the keys of which some row does not carry a whole identity, or whose identities may meet at the provider, and a row of each key whose text has a shape.
func tornKeys(ctx context.Context, p *pool, i int) (torn map[uint64]bool, shaped map[uint64]trace, err error) {
	torn, shaped = make(map[uint64]bool), make(map[uint64]trace)
	first := make(map[uint64]uint64)
	err = eachTrace(ctx, p, i, func(t *trace) error {
		switch id, met := first[t.k]; {
		case t.k == 0:
		case t.id == 0, met && t.fl&meets != 0 && id != t.id:
			torn[t.k] = true
		case !met:
			first[t.k] = t.id
		}
		if t.k != 0 && t.fl.shape() != reconcile.ShapePlain {
			shaped[t.k] = *t
		}
		return nil
	})
	return torn, shaped, err
}
