package scan

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"

	"example.com/idemctl/internal/reconcile"
)

// strangers finds the lines of provider logs that are not ours and yet carry the key or the object of an action that is judged. They may be many, and ours
// few: of each line 16 bytes are kept by what it carries, of each suspect 8, and only what meets stays in memory.
type strangers struct {
	lines  *pool // of strangeMark
	sought *pool // of what suspects carry
	met    []strangeMark
}

// strangeMark is a mark of some line of a source.
type strangeMark struct {
	h     uint64 // of the mark; hashes are seeded per process, so nobody can choose lines that collide with another's key
	scope uint32 // 0 = not whole
	src   uint16
}

const (
	strangeSize = 16
	soughtSize  = 8
)

func (m *strangeMark) put(b []byte) {
	binary.LittleEndian.PutUint64(b, m.h)
	binary.LittleEndian.PutUint32(b[8:], m.scope)
	binary.LittleEndian.PutUint32(b[12:], uint32(m.src))
}

func (m *strangeMark) get(b []byte) {
	m.h, m.scope, m.src = binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint32(b[8:]), uint16(binary.LittleEndian.Uint32(b[12:]))
}

func newStrangers(dir string, budget int64) *strangers {
	return &strangers{lines: newPool(dir, strangeSize, partitions, budget), sought: newPool(dir, soughtSize, partitions, budget)}
}

func (s *strangers) close() error { return cmp.Or(s.lines.close(), s.sought.close()) }

// strangerTo notes a line that no contract claims, for each contract whose line it may be.
func (tr *tracer) strangerTo(r *reconcile.Record, w *writer) error {
	for _, c := range tr.book {
		tr.marks = c.StrangerMarks(tr.marks[:0], r)
		for _, m := range tr.marks {
			e := tr.mark(c, m)
			b, err := w.entry(mix(uint64(top(e.h))))
			if err != nil {
				return err
			}
			e.put(b)
		}
	}
	return nil
}

// mark hashes a mark as the traces hash keys and objects.
func (tr *tracer) mark(c *reconcile.Contract, m reconcile.Mark) strangeMark {
	ci := byte(tr.index[c])
	e := strangeMark{src: tr.src}
	if m.Domain == reconcile.RefObject {
		tr.buf = append(tr.buf[:0], 'r', ci, byte(m.Domain))
	} else {
		tr.buf = append(tr.buf[:0], 'k', ci)
	}
	tr.buf = append(tr.buf, m.Text...)
	e.h = tr.hash(tr.buf)
	if len(m.Scope) > 0 {
		tr.buf = append(append(tr.buf[:0], 'p', ci), m.Scope...)
		e.scope = tr.short(tr.buf)
	}
	return e
}

// seekSent seeks the keys that the provider was sent for whatever the row is of: a trace has no room for them.
func (tr *tracer) seekSent(r *reconcile.Record, w *writer) error {
	if !tr.contract.OtherKeys() {
		return nil
	}
	for _, sent := range tr.contract.AppendSentKeys(nil, r, &tr.facts) {
		if err := seekTop(w, top(tr.mark(tr.contract, tr.contract.SentMark(sent, nil)).h)); err != nil {
			return err
		}
	}
	return nil
}

func seekTop(w *writer, top uint32) error {
	b, err := w.entry(mix(uint64(top)))
	if err == nil {
		binary.LittleEndian.PutUint64(b, uint64(top))
	}
	return err
}

// top is the part of a hash that traces keep of an object.
func top(h uint64) uint32 { return max(1, uint32(h>>32)) }

// seek notes what a suspect's rows carry.
func (s *strangers) seek(w *writer, rows []trace) error {
	note := func(top uint32) error { return seekTop(w, top) }
	if rows[0].fl&remote == 0 {
		return nil
	}
	for i := range rows {
		t := &rows[i]
		if t.k != 0 && (i == 0 || t.k != rows[i-1].k) {
			if err := note(top(t.k)); err != nil {
				return err
			}
		}
		if t.pr != 0 && (i == 0 || t.pr != rows[i-1].pr) {
			if err := note(t.pr); err != nil {
				return err
			}
		}
	}
	return nil
}

// meet keeps the lines that carry what some suspect carries.
func (s *strangers) meet(ctx context.Context) error {
	for i := range s.lines.parts {
		if err := ctx.Err(); err != nil {
			return err
		}
		if s.lines.parts[i].n == 0 || s.sought.parts[i].n == 0 {
			continue
		}
		sought, err := s.soughtIn(i)
		if err != nil {
			return err
		}
		from := len(s.met)
		if err := s.lines.stream(i, streamBlock, func(b []byte) error {
			var m strangeMark
			for ; len(b) > 0; b = b[strangeSize:] {
				m.get(b)
				if _, ok := slices.BinarySearch(sought, top(m.h)); ok {
					s.met = append(s.met, m)
				}
			}
			s.met = append(s.met[:from], distinct(s.met[from:])...)
			return ctx.Err()
		}); err != nil {
			return err
		}
	}
	s.met = distinct(s.met)
	return nil
}

// soughtIn lists what suspects carry that stands in one partition, each once.
func (s *strangers) soughtIn(i int) ([]uint32, error) {
	var out []uint32
	err := s.sought.stream(i, streamBlock, func(b []byte) error {
		for ; len(b) > 0; b = b[soughtSize:] {
			out = append(out, uint32(binary.LittleEndian.Uint64(b)))
		}
		slices.Sort(out)
		out = slices.Compact(out)
		return nil
	})
	return out, err
}

// distinct sorts marks in place and keeps each once.
func distinct(ms []strangeMark) []strangeMark {
	slices.SortFunc(ms, func(a, b strangeMark) int {
		return cmp.Or(cmp.Compare(a.h, b.h), cmp.Compare(a.src, b.src), cmp.Compare(a.scope, b.scope))
	})
	return slices.Compact(ms)
}

// tell lets a subject heed the lines that carry its marks.
func (j *judge) tell(s *reconcile.Subject) {
	if len(j.met) == 0 {
		return
	}
	for _, m := range s.Marks(j.world) {
		e := j.marks.mark(s.Contract, m)
		at, _ := slices.BinarySearchFunc(j.met, e.h, func(o strangeMark, h uint64) int { return cmp.Compare(o.h, h) })
		for ; at < len(j.met) && j.met[at].h == e.h; at++ {
			if o := j.met[at]; o.scope == 0 || e.scope == 0 || o.scope == e.scope {
				s.Heed(j.world.Sources[o.src].Name)
			}
		}
	}
}
