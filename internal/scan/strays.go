package scan

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"example.com/idemctl/internal/reconcile"
)

// strays are the unlinked rows of a scan in 40 bytes each, sorted by contract, source and time, so that a missing counterpart is looked for among those
// whose time fits.
type strays struct {
	rows    []stray
	holders map[string]*reconcile.Subject    // strays for which some subject looked: they name it in turn
	own     map[string][]reconcile.Component // identities that a stray's rows do not carry by themselves
}

type stray struct {
	contract int32
	src      uint16
	known    bool
	t        int64
	pos      uint64
	id       [16]byte
}

// maxStrays bounds how many unlinked rows one absence is compared with: the nearest in time.
const maxStrays = 1024

func newStrays() *strays {
	return &strays{holders: make(map[string]*reconcile.Subject), own: make(map[string][]reconcile.Component)}
}

func (s *strays) gather(j *judge, subjects []*reconcile.Subject, at map[*reconcile.Record]place) {
	for _, sub := range subjects {
		if !sub.Stray() {
			continue
		}
		for _, e := range sub.Evidence {
			p, ok := at[e.Record]
			if !ok {
				continue
			}
			t := e.Record.Time()
			row := stray{contract: int32(slices.Index(j.book, sub.Contract)), src: p.src, known: t.Known(), t: t.UnixNano(), pos: p.pos} //nolint:gosec // a config holds no two billion contracts
			copy(row.id[:], sub.ID)
			s.rows = append(s.rows, row)
			if c := sub.Contract; !bytes.Equal(c.AppendIdentity(nil, c.IdentityOf(e.Record)), c.AppendIdentity(nil, sub.Identity)) {
				s.own[sub.ID] = sub.Identity
			}
		}
	}
}

func (s *strays) sort() { slices.SortFunc(s.rows, compareStray) }

// compareStray puts rows of unknown time last within their contract and source: they fit any time.
func compareStray(a, b stray) int {
	return cmp.Or(cmp.Compare(a.contract, b.contract), cmp.Compare(a.src, b.src), compareBool(!a.known, !b.known), cmp.Compare(a.t, b.t), cmp.Compare(a.pos, b.pos))
}

// relate names candidates: the strays that fit what a subject lacks, or the subjects that looked for a stray.
func (s *strays) relate(ctx context.Context, j *judge, sub *reconcile.Subject) error {
	if sub.Stray() {
		if h := s.holders[sub.ID]; h != nil {
			sub.Candidates, sub.MoreCands = h.Candidates, h.MoreCands
		}
		return nil
	}
	for _, want := range reconcile.Wants(sub, j.world) {
		src := slices.IndexFunc(j.world.Sources, func(f reconcile.SourceFacts) bool { return f.Name == want.Source })
		for _, span := range s.fitting(int32(slices.Index(j.book, sub.Contract)), src, want) { //nolint:gosec // as in gather
			if err := s.compare(ctx, j, sub, &want, span); err != nil {
				return err
			}
		}
	}
	return nil
}

// fitting returns the rows of a contract and source whose time fits, and those whose time is not known.
func (s *strays) fitting(contract int32, src int, want reconcile.Want) [][]stray {
	lo := stray{contract: contract, src: uint16(src), known: true, t: -1 << 63} //nolint:gosec // as in judge.fetch
	hi := lo
	hi.t = 1<<63 - 1
	if want.From.Known() {
		lo.t = want.From.UnixNano()
	}
	if want.To.Known() {
		hi.t = want.To.UnixNano()
	}
	hi.pos = 1<<64 - 1
	from, _ := slices.BinarySearchFunc(s.rows, lo, compareStray)
	to, _ := slices.BinarySearchFunc(s.rows, hi, compareStray)
	timed := nearest(s.rows[from:max(from, to)])
	lo.known, lo.t = false, -1<<63
	hi.known, hi.t = false, 1<<63-1
	from, _ = slices.BinarySearchFunc(s.rows, lo, compareStray)
	to, _ = slices.BinarySearchFunc(s.rows, hi, compareStray)
	return [][]stray{timed, nearest(s.rows[from:max(from, to)])}
}

func nearest(rows []stray) []stray {
	if len(rows) > maxStrays {
		rows = rows[:maxStrays]
	}
	return rows
}

func (s *strays) compare(ctx context.Context, j *judge, sub *reconcile.Subject, want *reconcile.Want, rows []stray) error {
	for part := range slices.Chunk(rows, 64) {
		es := make([]suspect, len(part))
		for i, row := range part {
			es[i] = suspect{src: row.src, pos: row.pos}
		}
		found, err := j.fetch(ctx, es)
		if err != nil {
			return err
		}
		for _, row := range part {
			r := found[place{row.src, row.pos}]
			if r == nil {
				continue
			}
			other := reconcile.Assemble([]*reconcile.Record{r}, j.book, j.world)[0]
			other.ID = string(row.id[:])
			if id := s.own[other.ID]; id != nil {
				other.Identity = id
			}
			if !want.Fits(other) {
				continue
			}
			if h := s.holders[other.ID]; h != nil {
				other = h
			}
			s.holders[other.ID] = other
			want.Name(other)
		}
	}
	return nil
}
