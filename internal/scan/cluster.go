package scan

import (
	"cmp"
	"context"
	"errors"
	"slices"
)

// The sizes of a batch of clusters that is fetched at once.
const (
	batchRows   = 4096 // rows fetched together
	clusterRows = 4096 // a larger cluster is read as a stream, and a sample of it judged
)

// slice is the power of two of seconds whose clusters stand side by side: those that began together have their guests in common, which are fetched once.
const slice = 4

// clusters hands over suspects grouped by what must be judged together: batches of whole clusters, or one cluster that is too large to hold.
type clusters struct {
	s    *sieve
	pool *pool
}

// clusters brings the suspects of joined groups together, and clusters of about the same time into one partition.
func (s *sieve) clusters(ctx context.Context, dir string, budget int64) (*clusters, error) {
	joined := s.out
	if len(s.unions.parent) > 0 {
		joined = newPool(dir, suspectSize, partitions, budget)
		if err := s.byRoot(ctx, joined); err != nil {
			return nil, errors.Join(err, joined.close())
		}
	}
	c := &clusters{s: s, pool: newPool(dir, suspectSize, partitions, budget)}
	err := c.byTime(ctx, joined)
	return c, errors.Join(err, joined.close())
}

// byRoot brings the suspects of joined groups into one partition.
func (s *sieve) byRoot(ctx context.Context, p *pool) error {
	w := p.writer()
	for i := range s.out.parts {
		if err := eachSuspect(ctx, s.out, i, func(e suspect) error {
			e.node = s.unions.root(e.node)
			return w.suspect(e, e.node)
		}); err != nil {
			return err
		}
	}
	return w.done()
}

// byTime moves whole clusters to the partition of the slice in which they began. Those that tell no time, and those of a partition that is too large for a
// look at each, go by their names.
func (c *clusters) byTime(ctx context.Context, from *pool) error {
	w := c.pool.writer()
	began := make(map[uint64]uint32)
	for i := range from.parts {
		clear(began)
		if from.bytes(i) <= loadLimit {
			if err := eachSuspect(ctx, from, i, func(e suspect) error {
				if at := began[e.node]; !e.guest && e.at != 0 && (at == 0 || e.at < at) {
					began[e.node] = e.at
				}
				return nil
			}); err != nil {
				return err
			}
		}
		if err := eachSuspect(ctx, from, i, func(e suspect) error {
			if e.at = began[e.node]; e.at == 0 {
				return w.suspect(e, e.node)
			}
			return w.suspect(e, uint64(e.at>>slice))
		}); err != nil {
			return err
		}
	}
	return w.done()
}

// eachSuspect hands over the suspects of a partition as they stand there.
func eachSuspect(ctx context.Context, p *pool, i int, f func(suspect) error) error {
	var e suspect
	return p.stream(i, streamBlock, func(b []byte) error {
		for ; len(b) > 0; b = b[suspectSize:] {
			e.get(b)
			if err := f(e); err != nil {
				return err
			}
		}
		return ctx.Err()
	})
}

func (c *clusters) close() error { return c.pool.close() }

// visitor receives clusters. batch gets several whole clusters, sorted by node; large gets one cluster's rows block by block.
type visitor struct {
	batch func([]suspect) error
	large func(each func(func([]suspect) error) error) error
	only  func(suspect) bool // nil: every cluster; else those with such a row
}

func (c *clusters) visit(ctx context.Context, v visitor) error {
	for i := range c.pool.parts {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.visitPart(ctx, c.pool, i, 1, v); err != nil {
			return err
		}
	}
	return nil
}

func (c *clusters) visitPart(ctx context.Context, p *pool, i, depth int, v visitor) error {
	if p.parts[i].n == 0 {
		return nil
	}
	if p.bytes(i) <= max(loadLimit, clusterRows*suspectSize) {
		b, err := p.load(i, nil)
		if err != nil {
			return err
		}
		es := make([]suspect, len(b)/suspectSize)
		for n := range es {
			es[n].get(b[n*suspectSize:])
			es[n].node = c.s.unions.root(es[n].node)
		}
		return c.batches(es, v)
	}
	if depth > maxSplits {
		return v.large(func(f func([]suspect) error) error { return c.blocks(ctx, p, i, f) })
	}
	sub := newPool(p.dir, suspectSize, splitInto, p.budget/4)
	w := sub.writer()
	err := p.stream(i, streamBlock, func(b []byte) error {
		var e suspect
		for ; len(b) > 0; b = b[suspectSize:] {
			e.get(b)
			room, err := w.entry(mix(c.s.unions.root(e.node)+uint64(depth)) >> 8)
			if err != nil {
				return err
			}
			e.put(room)
		}
		return ctx.Err()
	})
	err = cmp.Or(err, w.done())
	for n := 0; err == nil && n < len(sub.parts); n++ {
		err = c.visitPart(ctx, sub, n, depth+1, v)
	}
	return cmp.Or(err, sub.close())
}

func (c *clusters) blocks(ctx context.Context, p *pool, i int, f func([]suspect) error) error {
	es := make([]suspect, 0, batchRows)
	return p.stream(i, batchRows*suspectSize, func(b []byte) error {
		es = es[:0]
		var e suspect
		for ; len(b) > 0; b = b[suspectSize:] {
			e.get(b)
			es = append(es, e)
		}
		if err := f(es); err != nil {
			return err
		}
		return ctx.Err()
	})
}

// batches sorts suspects by time and cluster and hands over as many whole clusters as are fetched at once.
func (c *clusters) batches(es []suspect, v visitor) error {
	slices.SortFunc(es, func(a, b suspect) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.node, b.node), compareBool(a.guest, b.guest), cmp.Compare(a.src, b.src), cmp.Compare(a.pos, b.pos))
	})
	es = slices.CompactFunc(es, func(a, b suspect) bool { return a.node == b.node && a.src == b.src && a.pos == b.pos })
	start := 0
	for i := 0; i < len(es); {
		end := i + 1
		for end < len(es) && es[end].node == es[i].node {
			end++
		}
		switch {
		case v.only != nil && !slices.ContainsFunc(es[i:end], v.only):
			if err := flush(es[start:i], v); err != nil {
				return err
			}
			start = end
		case end-i > clusterRows:
			if err := flush(es[start:i], v); err != nil {
				return err
			}
			one := es[i:end]
			if err := v.large(func(f func([]suspect) error) error { return f(one) }); err != nil {
				return err
			}
			start = end
		case end-start >= batchRows:
			if err := flush(es[start:end], v); err != nil {
				return err
			}
			start = end
		}
		i = end
	}
	return flush(es[start:], v)
}

func flush(es []suspect, v visitor) error {
	if len(es) == 0 {
		return nil
	}
	return v.batch(es)
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
