package scan

import (
	"cmp"
	"context"
	"slices"
)

// The sizes of a batch of clusters that is fetched at once.
const (
	batchRows   = 4096 // rows fetched together
	clusterRows = 4096 // a larger cluster is read as a stream, and a sample of it judged
)

// clusters hands over suspects grouped by what must be judged together: batches of whole clusters, or one cluster that is too large to hold.
type clusters struct {
	s     *sieve
	pool  *pool
	owned bool
}

// byRoot brings the suspects of joined groups into one partition. Where nothing was joined they stand there already.
func (s *sieve) byRoot(ctx context.Context, dir string, budget int64) (*clusters, error) {
	if len(s.unions.parent) == 0 {
		return &clusters{s: s, pool: s.out}, nil
	}
	p := newPool(dir, suspectSize, partitions, budget)
	c := &clusters{s: s, pool: p, owned: true}
	w := p.writer()
	var failed error
	err := s.eachSuspect(ctx, func(e suspect) {
		e.node = s.unions.root(e.node)
		b, err := w.entry(e.node)
		if err != nil {
			failed = err
			return
		}
		e.put(b)
	})
	if err = cmp.Or(failed, err, w.done()); err != nil {
		return c, err
	}
	return c, nil
}

func (c *clusters) close() error {
	if c.owned {
		return c.pool.close()
	}
	return nil
}

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

// batches sorts suspects by cluster and hands over as many whole clusters as are fetched at once.
func (c *clusters) batches(es []suspect, v visitor) error {
	slices.SortFunc(es, func(a, b suspect) int {
		return cmp.Or(cmp.Compare(a.node, b.node), compareBool(a.guest, b.guest), cmp.Compare(a.src, b.src), cmp.Compare(a.pos, b.pos))
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
