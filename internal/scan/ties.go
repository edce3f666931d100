package scan

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"slices"

	"example.com/idemctl/internal/reconcile"
)

// tieMark is what one row shares with those of other actions: 24 bytes, and none where no contract has anything to share.
type tieMark struct {
	h   uint64 // of the tie; hashes are seeded per process, so nobody can choose rows that collide
	pos uint64
	id  uint32 // of the row's identity, cut; 0 = incomplete
	src uint16
}

const tieSize = 24

func (m *tieMark) put(b []byte) {
	le := binary.LittleEndian
	le.PutUint64(b, m.h)
	le.PutUint64(b[8:], m.pos)
	le.PutUint32(b[16:], m.id)
	le.PutUint32(b[20:], uint32(m.src))
}

func (m *tieMark) get(b []byte) {
	le := binary.LittleEndian
	m.h, m.pos, m.id, m.src = le.Uint64(b), le.Uint64(b[8:]), le.Uint32(b[16:]), uint16(le.Uint32(b[20:]))
}

// tiesOf posts the ties of the row just read.
func (tr *tracer) tiesOf(r *reconcile.Record, t *trace, w *writer) error {
	if tr.far == nil {
		tr.far = make([]bool, len(tr.book))
		for i, c := range tr.book {
			tr.far[i] = c.HasFarTies() || c.OtherKeys()
		}
	}
	if !tr.far[t.ci] {
		return nil
	}
	tr.ties = tr.contract.AppendSentTies(tr.contract.AppendFarTies(tr.ties[:0], r, &tr.facts), r, &tr.facts)
	for i := range tr.ties {
		m := tieMark{h: tr.tie(&tr.ties[i]), pos: t.pos, id: uint32(t.id), src: t.src} // a hash, cut
		b, err := w.entry(mix(m.h))
		if err != nil {
			return err
		}
		m.put(b)
	}
	return nil
}

func (tr *tracer) tie(t *reconcile.Tie) uint64 {
	tr.buf = append(append(tr.buf[:0], 'T', byte(t.Kind)), t.Text...)
	return tr.hash(tr.buf)
}

// findTies gathers the rows whose tie some row of another identity shares. Those, and no others, stay in memory.
func (s *sieve) findTies(ctx context.Context) error {
	for i := range s.ties.parts {
		if err := s.tiesIn(ctx, s.ties, i, 1); err != nil {
			return err
		}
	}
	slices.SortFunc(s.tied, func(a, b tieMark) int {
		return cmp.Or(cmp.Compare(a.src, b.src), cmp.Compare(a.pos, b.pos), cmp.Compare(a.h, b.h))
	})
	return s.ties.close()
}

func (s *sieve) tiesIn(ctx context.Context, p *pool, i, depth int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if p.bytes(i) > s.limit() && depth <= maxSplits {
		return s.splitTies(ctx, p, i, depth)
	}
	block, err := p.load(i, nil)
	if err != nil {
		return err
	}
	ms := make([]tieMark, len(block)/tieSize)
	for n := range ms {
		ms[n].get(block[n*tieSize:])
	}
	slices.SortFunc(ms, func(a, b tieMark) int {
		return cmp.Or(cmp.Compare(a.h, b.h), cmp.Compare(a.id, b.id), cmp.Compare(a.src, b.src), cmp.Compare(a.pos, b.pos))
	})
	for at := 0; at < len(ms); {
		end := at + 1
		for end < len(ms) && ms[end].h == ms[at].h {
			end++
		}
		if end-at > 1 && (ms[at].id == 0 || ms[at].id != ms[end-1].id) {
			s.tied = append(s.tied, ms[at:end]...)
		}
		at = end
	}
	return nil
}

func (s *sieve) splitTies(ctx context.Context, p *pool, i, depth int) (err error) {
	sub := newPool(p.dir, tieSize, splitInto, s.traces.budget/4)
	defer func() { err = errors.Join(err, sub.close()) }()
	w := sub.writer()
	var m tieMark
	if err := p.stream(i, streamBlock-streamBlock%tieSize, func(b []byte) error {
		for ; len(b) > 0; b = b[tieSize:] {
			m.get(b)
			e, err := w.entry(mix(m.h+uint64(depth)) >> 8)
			if err != nil {
				return err
			}
			m.put(e)
		}
		return ctx.Err()
	}); err != nil {
		return err
	}
	if err := w.done(); err != nil {
		return err
	}
	for n := range sub.parts {
		if err := s.tiesIn(ctx, sub, n, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// eachTie hands over the shared ties of a row.
func (s *sieve) eachTie(t *trace, f func(h uint64)) {
	if len(s.tied) == 0 {
		return
	}
	n, _ := slices.BinarySearchFunc(s.tied, t, func(m tieMark, t *trace) int {
		return cmp.Or(cmp.Compare(m.src, t.src), cmp.Compare(m.pos, t.pos))
	})
	for ; n < len(s.tied) && s.tied[n].src == t.src && s.tied[n].pos == t.pos; n++ {
		f(s.tied[n].h)
	}
}

// tieOf is one tie of a row of a crowd.
type tieOf struct {
	tie uint32
	row int32
}

// tiesByTime lists the ties of a crowd's own rows, those of one tie by time.
func (c *crowd) tiesByTime() []tieOf {
	var out []tieOf
	for i := range c.rows[:c.own] {
		for _, tie := range c.rows[i].ties {
			if tie != 0 {
				out = append(out, tieOf{tie, int32(i)})
			}
		}
	}
	slices.SortFunc(out, c.compareTies)
	return out
}

func (c *crowd) compareTies(a, b tieOf) int {
	return cmp.Or(cmp.Compare(a.tie, b.tie), cmp.Compare(c.rows[a.row].t, c.rows[b.row].t), cmp.Compare(a.row, b.row))
}

// action names a row's key in its scope.
func (m *member) action() [2]uint32 { return [2]uint32{m.key, m.scope} }

// outliers are, of the rows of each tie, those that are shown to everybody, and by object those that are shown to whoever has the same. A provider may keep
// all others apart.
type outliers struct {
	made map[[2]uint32]uint32 // action → its first object
	odd  map[uint32][]int32   // tie → the first, the last, and some for which no object is known
	same map[[2]uint32][]int32
}

func (c *crowd) outliersOf() outliers {
	out := outliers{made: make(map[[2]uint32]uint32), odd: make(map[uint32][]int32), same: make(map[[2]uint32][]int32)}
	first := make(map[[2]uint32]int64)
	for i := range c.rows[:c.own] {
		m := &c.rows[i]
		if t, met := first[m.action()]; m.owns[objectRef] && m.refs[objectRef] != 0 && (!met || m.t < t) {
			out.made[m.action()], first[m.action()] = m.refs[objectRef], m.t
		}
	}
	for at := 0; at < len(c.ties); {
		tie, end := c.ties[at].tie, at+1
		for end < len(c.ties) && c.ties[end].tie == tie {
			end++
		}
		out.odd[tie] = []int32{c.ties[at].row, c.ties[end-1].row}
		seen := make(map[[2]uint32]bool)
		for _, t := range c.ties[at:end] {
			m := &c.rows[t.row]
			if object := out.made[m.action()]; seen[m.action()] {
				continue
			} else if seen[m.action()] = true; object == 0 && len(out.odd[tie]) < 2+twinRows+1 {
				out.odd[tie] = append(out.odd[tie], t.row)
			} else if of := [2]uint32{tie, object}; object != 0 && len(out.same[of]) < twinRows+1 {
				out.same[of] = append(out.same[of], t.row)
			}
		}
		at = end
	}
	return out
}

// showTies shows, of rows of other actions that share a tie with a row, some of the nearest in time.
func (c *crowd) showTies(row int32, show func(int32) bool) {
	for _, tie := range c.rows[row].ties {
		if tie == 0 {
			continue
		}
		for _, i := range slices.Concat(c.outliers.odd[tie], c.outliers.same[[2]uint32{tie, c.outliers.made[c.rows[row].action()]}]) {
			show(i)
		}
		at, _ := slices.BinarySearchFunc(c.ties, tieOf{tie, row}, c.compareTies)
		for _, step := range []int{-1, 1} {
			found := 0
			for n := at + step; n >= 0 && n < len(c.ties) && c.ties[n].tie == tie && found < twinRows && (n-at)*step <= twinSteps; n += step {
				if show(c.ties[n].row) {
					found++
				}
			}
		}
	}
}
