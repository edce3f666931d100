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
	more map[string]int64 // identity → rows left out; every identity has its entry
	text []byte           // of the row at hand
}

type bucket struct {
	rows []*sampled
}

type sampled struct {
	r    *reconcile.Record
	at   place
	t    reconcile.Instant
	text []byte
}

func newSample(b reconcile.Book) *sample {
	return &sample{book: b, kept: make(map[string]*bucket), more: make(map[string]int64)}
}

func (s *sample) identities() int { return len(s.more) }

func (s *sample) add(r *reconcile.Record, from place) {
	id := identityText(s.book, r)
	s.more[id] += 0
	name := r.Source + "\x00" + id
	b := s.kept[name]
	if b == nil {
		b = &bucket{}
		s.kept[name] = b
	}
	s.text = appendFacts(s.text[:0], r)
	e := &sampled{t: reconcile.Latest(r.Time(), r.UpdatedAt, r.CompletedAt), text: s.text}
	at, found := slices.BinarySearchFunc(b.rows, e, compareSampled)
	if found {
		s.more[id]++
		if have := b.rows[at]; cmp.Or(cmp.Compare(from.src, have.at.src), cmp.Compare(from.pos, have.at.pos)) < 0 {
			have.r, have.at = r.Clone(), from
		}
		return
	}
	full := len(b.rows) >= 2*perKind
	if full && at == perKind {
		s.more[id]++
		return
	}
	e.r, e.at, e.text = r.Clone(), from, bytes.Clone(s.text)
	b.rows = slices.Insert(b.rows, at, e)
	if full {
		s.more[id]++
		b.rows = slices.Delete(b.rows, perKind, perKind+1)
	}
}

func compareSampled(a, b *sampled) int {
	return cmp.Or(cmp.Compare(a.t.UnixNano(), b.t.UnixNano()), bytes.Compare(a.text, b.text))
}

func identityText(b reconcile.Book, r *reconcile.Record) string {
	c := b.Claim(r)
	if c == nil {
		return ""
	}
	return c.Name + "\x00" + string(c.AppendIdentity(nil, c.IdentityOf(r)))
}

func appendFacts(b []byte, r *reconcile.Record) []byte {
	for _, f := range reconcile.FactsOf(r) {
		b = append(b, f.Name...)
		b = append(b, 0)
		b = append(b, f.Value.Bytes()...)
		b = append(b, 0)
	}
	return b
}

func (s *sample) records() ([]*reconcile.Record, map[*reconcile.Record]place) {
	var out []*reconcile.Record
	at := make(map[*reconcile.Record]place)
	for _, b := range s.kept {
		for _, e := range b.rows {
			out = append(out, e.r)
			at[e.r] = e.at
		}
	}
	return out, at
}

// left is how many rows of a subject the sample does not hold.
func (s *sample) left(sub *reconcile.Subject) int64 {
	if sub.Contract == nil {
		return s.more[""]
	}
	return s.more[sub.Contract.Name+"\x00"+string(sub.Contract.AppendIdentity(nil, sub.Identity))]
}
