package scan

import (
	"cmp"
	"context"
	"slices"

	"example.com/idemctl/internal/reconcile"
)

// strays are the unlinked rows of a scan in 36 bytes each, so that a missing counterpart is looked for among those whose time fits. They stand in the
// order in which they were gathered, the rows of one subject together; order lists them by contract, source and time.
type strays struct {
	rows    []stray
	order   []uint32
	over    []int32 // where stretches of order that were passed over begin and end; settled before strays are judged
	subject uint32
	holders map[string]*reconcile.Subject // strays for which some subject looked: they name it in turn
}

type stray struct {
	t        int64
	pos      uint64
	subject  uint32 // rows of one subject carry one number
	contract uint16
	src      uint16
	known    bool // t is known
	passed   bool // it was not compared with somebody who may miss it
	torn     bool // several identities agree with its subject
	shared   bool // with other subjects, of which one has it as its own
	link     reconcile.Link
}

// The bounds of looking. They are met only where something systematic is wrong: then it matters that candidates stand, not which.
const (
	perLook    = 64   // rows that are fetched at once
	maxStrays  = 1024 // rows that one absence is compared with: the first in time
	maxHolders = 8192 // strays whose candidates are remembered
	perStray   = 256  // rows by which one stray is told
)

func newStrays() *strays { return &strays{holders: make(map[string]*reconcile.Subject)} }

func (s *strays) gather(j *judge, subjects []*reconcile.Subject, at map[*reconcile.Record]place) {
	for _, sub := range subjects {
		if !sub.Stray() {
			continue
		}
		s.subject++
		contract := uint16(slices.Index(j.book, sub.Contract)) // a collision beyond 65,536 contracts is told apart by Fits
		for _, e := range sub.Evidence[:min(len(sub.Evidence), perStray)] {
			if p, ok := at[e.Record]; ok {
				t := e.Record.Time()
				s.rows = append(s.rows, stray{t: t.UnixNano(), pos: p.pos, subject: s.subject, contract: contract, src: p.src, known: t.Known(), torn: sub.Ambiguous, shared: e.Shared, link: e.Link})
			}
		}
	}
}

func (s *strays) sort() {
	s.order = make([]uint32, len(s.rows))
	for i := range s.order {
		s.order[i] = uint32(i) // a scan of four billion strays does not fit in memory anyhow
	}
	slices.SortFunc(s.order, func(a, b uint32) int { return compareStray(s.rows[a], s.rows[b]) })
}

// compareStray puts rows of unknown time last within their contract and source: they fit any time.
func compareStray(a, b stray) int {
	return cmp.Or(cmp.Compare(a.contract, b.contract), cmp.Compare(a.src, b.src), compareBool(!a.known, !b.known), cmp.Compare(a.t, b.t), cmp.Compare(a.pos, b.pos))
}

// relate names candidates: the strays that fit what a subject lacks, or the subjects that looked for a stray.
func (s *strays) relate(ctx context.Context, j *judge, sub *reconcile.Subject) error {
	if sub.Stray() {
		s.settle()
		if h := s.holders[sub.ID]; h != nil {
			sub.Candidates, sub.MoreCands = h.Candidates, h.MoreCands
		} else if s.isPassedOver(j, sub) {
			sub.MoreCands = 1
		}
		return nil
	}
	for _, want := range reconcile.Wants(sub, j.world) {
		src := slices.IndexFunc(j.world.Sources, func(f reconcile.SourceFacts) bool { return f.Name == want.Source })
		for _, span := range s.fitting(slices.Index(j.book, sub.Contract), src, want) {
			if err := s.look(ctx, j, &want, span); err != nil {
				return err
			}
		}
	}
	return nil
}

// look compares a want with strays until enough are named and it is clear that there are more. Those not looked at are counted, and remember that somebody
// may miss them: of neither side is it then said that nothing stands.
func (s *strays) look(ctx context.Context, j *judge, want *reconcile.Want, in span) error {
	for n := in.from; n < in.to; n += perLook {
		if n-in.from >= maxStrays || (n > in.from && len(want.Subject.Candidates) == reconcile.MaxCandidates) {
			want.Subject.MoreCands += in.to - n
			s.passOver(span{n, in.to})
			return nil
		}
		if err := s.compare(ctx, j, want, s.order[n:min(n+perLook, in.to)]); err != nil {
			return err
		}
	}
	return nil
}

// passOver notes of a stretch of rows that they were not compared with some want.
func (s *strays) passOver(in span) {
	if s.over == nil {
		s.over = make([]int32, len(s.order)+1)
	}
	s.over[in.from]++
	s.over[in.to]--
}

// settle turns the ends of stretches into marks on their rows.
func (s *strays) settle() {
	var deep int32
	for n, d := range s.over[:max(0, len(s.over)-1)] {
		if deep += d; deep > 0 {
			s.rows[s.order[n]].passed = true
		}
	}
	s.over = nil
}

// isPassedOver reports whether a stray's row was not compared with some want.
func (s *strays) isPassedOver(j *judge, sub *reconcile.Subject) bool {
	for _, e := range sub.Evidence {
		src := slices.IndexFunc(j.world.Sources, func(f reconcile.SourceFacts) bool { return f.Name == e.Record.Source })
		t := e.Record.Time()
		row := stray{contract: uint16(slices.Index(j.book, sub.Contract)), src: uint16(src), known: t.Known(), t: t.UnixNano()} // as in gather
		for n := s.find(row); n < len(s.order) && sameMoment(s.rows[s.order[n]], row); n++ {
			if s.rows[s.order[n]].passed {
				return true
			}
		}
	}
	return false
}

func sameMoment(a, b stray) bool {
	a.pos, b.pos = 0, 0
	return compareStray(a, b) == 0
}

// span is a stretch of strays.order.
type span struct{ from, to int }

// fitting returns the rows of a contract and source whose time fits, and those whose time is not known.
func (s *strays) fitting(contract, src int, want reconcile.Want) [2]span {
	lo := stray{contract: uint16(contract), src: uint16(src), known: true, t: -1 << 63} // as in gather and judge.fetch
	hi := lo
	hi.t = 1<<63 - 1
	if want.From.Known() {
		lo.t = want.From.UnixNano()
	}
	if want.To.Known() {
		hi.t = want.To.UnixNano()
	}
	timed := s.between(lo, hi)
	lo.known, lo.t = false, -1<<63
	hi.known, hi.t = false, 1<<63-1
	return [2]span{timed, s.between(lo, hi)}
}

func (s *strays) between(lo, hi stray) span {
	hi.pos = 1<<64 - 1
	return span{s.find(lo), s.find(hi)}
}

// find returns where in order a row stands or would stand.
func (s *strays) find(row stray) int {
	n, _ := slices.BinarySearchFunc(s.order, row, func(i uint32, to stray) int { return compareStray(s.rows[i], to) })
	return n
}

// compare fetches the strays that rows belong to, each once and with all its rows, and names those that fit.
func (s *strays) compare(ctx context.Context, j *judge, want *reconcile.Want, rows []uint32) error {
	first := make([]uint32, len(rows))
	for i, at := range rows {
		first[i] = s.firstOf(at)
	}
	slices.Sort(first)
	first = slices.Compact(first)
	var es []suspect
	for _, at := range first {
		for _, row := range s.rowsOf(at) {
			es = append(es, suspect{src: row.src, pos: row.pos})
		}
	}
	found, err := j.fetch(ctx, es)
	if err != nil {
		return err
	}
	for _, at := range first {
		if other := s.whole(j, at, found); other != nil && want.Fits(other) {
			s.pair(want, other, at)
		}
	}
	return ctx.Err()
}

// firstOf returns where the rows of a row's subject begin.
func (s *strays) firstOf(at uint32) uint32 {
	for at > 0 && s.rows[at-1].subject == s.rows[at].subject {
		at--
	}
	return at
}

// rowsOf returns the rows of the subject that begins at a row.
func (s *strays) rowsOf(at uint32) []stray {
	to := at + 1
	for int(to) < len(s.rows) && s.rows[to].subject == s.rows[at].subject {
		to++
	}
	return s.rows[at:to]
}

// whole puts a stray together again, as it was joined when all its neighbours were there: by themselves its rows might join otherwise. nil where they could not
// be read again.
func (s *strays) whole(j *judge, at uint32, found map[place]*reconcile.Record) *reconcile.Subject {
	var ev []reconcile.Evidence
	for _, row := range s.rowsOf(at) {
		if r := found[place{row.src, row.pos}]; r != nil {
			ev = append(ev, reconcile.Evidence{Record: r, Link: row.link, Shared: row.shared})
		}
	}
	if len(ev) == 0 {
		return nil
	}
	return reconcile.Rejoin(j.book.Claim(ev[0].Record), ev, s.rows[at].torn, j.world)
}

// pair lets both sides name each other, now and when the stray is judged.
func (s *strays) pair(want *reconcile.Want, other *reconcile.Subject, at uint32) {
	h := s.holders[other.ID]
	switch {
	case h != nil:
		other = h
	case len(s.holders) < maxHolders:
		s.holders[other.ID] = other
	default:
		s.rows[at].passed = true
	}
	want.Name(other)
}
