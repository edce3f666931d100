package caselist

import (
	"encoding/binary"
	"iter"
	"maps"
	"slices"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
)

// Decided is what stands about a case in the trail, as far as a list shows it.
type Decided struct {
	State    reconcile.DecisionState
	Decision reconcile.Decision
	As       reconcile.Resolution
	Live     bool
	Changed  bool // what the case rests on changed since
	Some     bool // false: no decision is recorded
}

// None is the absence of any decision.
var None = Decided{}

// SetDecided replaces what is decided. Cases that the list does not hold yet get theirs when they are added.
func (l *List) SetDecided(by map[string]Decided) {
	l.waiting = maps.Clone(by)
	if l.waiting == nil {
		l.waiting = make(map[string]Decided)
	}
	next, rest := make([]Decided, l.n, l.n+chunkRows), false
	for _, d := range by {
		rest = rest || d.Rests()
	}
	if len(by) > 0 {
		s := l.Snapshot()
		for i := range s.n {
			if d, ok := l.waiting[string(s.id(i))]; ok {
				next[i] = d
				delete(l.waiting, string(s.id(i)))
			}
		}
	}
	l.decided, l.rest = next, rest
}

// Rests reports whether the case is to be looked at again at a time that has not come: until then it stands behind those that are to be decided.
func (d *Decided) Rests() bool {
	return d.Live && !d.Changed && d.Decision == reconcile.DecideRecheck
}

// Snapshot is the list at one moment. It may be read from any goroutine.
type Snapshot struct {
	chunks     []*chunk
	n          int
	shapes     []shape
	currencies []string
	decided    []Decided
	rest       bool // some case rests
}

// Rests reports whether some case rests, so that the list's own order is not that of its rows.
func (s *Snapshot) Rests() bool { return s.rest }

// Len returns the number of rows.
func (s *Snapshot) Len() int { return s.n }

func (s *Snapshot) row(i int) (*row, []byte) {
	c := s.chunks[i>>chunkBits]
	r := &c.rows[i&(chunkRows-1)]
	return r, c.text[r.off:]
}

// ID returns the case id of a row.
func (s *Snapshot) ID(i int) string { return string(s.id(i)) }

func (s *Snapshot) id(i int) []byte {
	_, text := s.row(i)
	n, k := binary.Uvarint(text)
	return text[k : k+int(n)]
}

// Find returns the row of a case id, -1 when there is none.
func (s *Snapshot) Find(id string) int {
	for i := range s.n {
		if string(s.id(i)) == id {
			return i
		}
	}
	return -1
}

// Row is a row unpacked, with what is decided about it. Its bytes belong to the list and are not to be changed.
type Row struct {
	scan.Row
	Decided Decided
}

// Row unpacks a row.
func (s *Snapshot) Row(i int) Row {
	r, text := s.row(i)
	sh := &s.shapes[r.shape]
	out := Row{Decided: s.decided[i], Row: scan.Row{
		Contract: sh.contract, Headline: r.headline, Kinds: uint64(r.kinds), Severity: r.severity, Executed: r.executed, RetryNow: r.retry,
		Exposure: reconcile.Exposure{State: r.exposure, Until: instant(r.until)}, Since: instant(r.since), Amount: s.amount(r),
		Identity: make([]reconcile.Component, 0, len(sh.names)),
	}}
	n, k := binary.Uvarint(text)
	out.ID = string(text[k : k+int(n)])
	for name, v := range components(text[k+int(n):], sh.names) {
		out.Identity = append(out.Identity, reconcile.Component{Name: name, Value: v})
	}
	return out
}

func (s *Snapshot) amount(r *row) reconcile.Amount {
	if !r.valid {
		return reconcile.Amount{}
	}
	return reconcile.Amount{Minor: r.minor, Exponent: r.exponent, Currency: s.currencies[r.currency], Valid: true}
}

func components(text []byte, names []string) iter.Seq2[string, reconcile.Value] {
	return func(yield func(string, reconcile.Value) bool) {
		for _, name := range names {
			n, k := binary.Uvarint(text)
			v := reconcile.Value{}
			text = text[k:]
			if n > 0 {
				v = reconcile.Bytes(text[: n-1 : n-1])
				text = text[n-1:]
			}
			if !yield(name, v) {
				return
			}
		}
	}
}

// Components returns the names that identities have in the list, each once.
func (s *Snapshot) Components() []string {
	var out []string
	for i := range s.shapes {
		for _, n := range s.shapes[i].names {
			if !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	return out
}
