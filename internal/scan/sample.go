package scan

import (
	"bytes"
	"cmp"
	"slices"

	"example.com/idemctl/internal/reconcile"
)

// perKind is how many rows at either end of time are kept of a cluster that is too large to hold, per source and identity.
const perKind = 64

// sample keeps, of any number of rows, those that can change a conclusion: the earliest and the latest per source and identity. Rows that say the same
// are kept once. Which are kept does not depend on the order of rows.
type sample struct {
	book reconcile.Book
	kept map[string]*bucket
	more map[string]int64 // identity → rows left out
}

type bucket struct {
	rows []*sampled
}

type sampled struct {
	r    *reconcile.Record
	t    reconcile.Instant
	text []byte
}

func newSample(b reconcile.Book) *sample {
	return &sample{book: b, kept: make(map[string]*bucket), more: make(map[string]int64)}
}

func (s *sample) add(r *reconcile.Record) {
	id := s.identity(r)
	name := r.Source + "\x00" + id
	b := s.kept[name]
	if b == nil {
		b = &bucket{}
		s.kept[name] = b
	}
	e := &sampled{t: reconcile.Latest(r.Time(), r.UpdatedAt, r.CompletedAt), text: factText(r)}
	at, found := slices.BinarySearchFunc(b.rows, e, compareSampled)
	if found {
		s.more[id]++
		return
	}
	full := len(b.rows) >= 2*perKind
	if full && at == perKind {
		s.more[id]++
		return
	}
	e.r = r.Clone()
	b.rows = slices.Insert(b.rows, at, e)
	if full {
		s.more[id]++
		b.rows = slices.Delete(b.rows, perKind, perKind+1)
	}
}

func compareSampled(a, b *sampled) int {
	return cmp.Or(cmp.Compare(a.t.UnixNano(), b.t.UnixNano()), bytes.Compare(a.text, b.text))
}

func (s *sample) identity(r *reconcile.Record) string {
	c := s.book.Claim(r)
	if c == nil {
		return ""
	}
	return c.Name + "\x00" + string(c.AppendIdentity(nil, c.IdentityOf(r)))
}

func factText(r *reconcile.Record) []byte {
	var b []byte
	for _, f := range reconcile.FactsOf(r) {
		b = append(b, f.Name...)
		b = append(b, 0)
		b = append(b, f.Value.Bytes()...)
		b = append(b, 0)
	}
	return b
}

func (s *sample) records() []*reconcile.Record {
	var out []*reconcile.Record
	for _, b := range s.kept {
		for _, e := range b.rows {
			out = append(out, e.r)
		}
	}
	return out
}

// left is how many rows of a subject the sample does not hold.
func (s *sample) left(sub *reconcile.Subject) int64 {
	if sub.Contract == nil {
		return s.more[""]
	}
	return s.more[sub.Contract.Name+"\x00"+string(sub.Contract.AppendIdentity(nil, sub.Identity))]
}
