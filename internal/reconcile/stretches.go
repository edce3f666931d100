package reconcile

import (
	"fmt"
	"slices"
	"sort"
)

// Keys may be changed from some day on, or for two hours: a release hashes them, a log is filled from another tenant's rows. Over all times such a pair of sources
// joins well enough, and inside the stretch every absence between the two would be false. So what two sources have in common is counted by slices of time as well,
// contract by contract: the newest slices are narrow, older ones wider.
//
// What is called broken, of a pair that joins otherwise, is a run of slices in which both sides have stretchLeast keys and almost none meets, and the slice on
// either side of it, in which the change may lie. A restore leaves one side empty, and what it left joins. Receipts count where they record that something was
// made: failures and stuck ones may outlive the others, and have no counterpart.
//
// A log of which nobody declared what it covers may lack a file: where it has nothing at all beside holeLeast of another source's keys, most of which it shows
// before and after, that is a hole.
const (
	joinSlices   = 72
	stretchLeast = 50
	holeLeast    = 25
)

// mostStretches bounds the memory of the counters: pairs of sources, twice, times contracts. Beyond, nothing is judged by stretches.
const mostStretches = 1 << 12

// Stretch is a time in which two sources were not comparable for a contract; ends that are not known are open.
type Stretch struct {
	Contract string // "" = any
	From, To Instant
}

// grid divides the time in which two sources have rows, from its end backwards, into slices of which each is wider than the one after it.
type grid []int64 // joinSlices+1 seconds, ascending

func newGrid(from, to int64) grid {
	var widths [joinSlices]int64 // of which only the ratio counts
	var sum, newer int64
	for i, width := 0, int64(1000); i < joinSlices; i, width = i+1, width*106/100 {
		widths[i] = width
		sum += width
	}
	g := make(grid, joinSlices+1)
	for i, width := range widths {
		g[joinSlices-i] = to + 1 - newer*(to+1-from)/sum
		newer += width
	}
	g[0] = from
	return g
}

// slice is the place of a second, -1 outside.
func (g grid) slice(at int64) int {
	if at < g[0] || at >= g[joinSlices] {
		return -1
	}
	n := sort.Search(joinSlices, func(i int) bool { return g[i+1] > at })
	return n
}

// joinCell counts in one slice what one source has, and what of it the other has at whatever time.
type joinCell struct{ of, both uint32 }

// stretches counts by slices of time for each ordered pair of sources, domain and contract.
type stretches struct {
	grids     []grid // of each ordered pair; nil where nothing can join
	cells     [][]joinCell
	contracts int
	holds     func(source, contract int) bool
}

// ByStretches makes the counters by slices of time. holds reports whether a source has rows of a contract, by their places.
func (j *Joins) ByStretches(contracts int, holds func(source, contract int) bool) {
	n := len(j.facts)
	if j.by == nil || n*n*joinDomains*contracts > mostStretches {
		return
	}
	s := &stretches{grids: make([]grid, n*n), cells: make([][]joinCell, n*n*joinDomains*contracts), contracts: contracts, holds: holds}
	for a := range n {
		for b := a + 1; b < n; b++ {
			from, to := Latest(j.from[a], j.from[b]), Earliest(j.to[a], j.to[b])
			if j.by[a*n+b] != joinNothing && from.known && to.known && !to.Before(from) {
				g := newGrid(from.ns/1e9, to.ns/1e9)
				s.grids[a*n+b], s.grids[b*n+a] = g, g
			}
		}
	}
	j.stretches = s
}

func (s *stretches) at(pair, domain, contract int) *[]joinCell {
	return &s.cells[(pair*joinDomains+domain)*s.contracts+contract]
}

// count counts one key or reference of a contract, of which each source's row is known.
func (s *stretches) count(j *Joins, by joinBy, domain, contract int) {
	n := len(j.facts)
	for _, p := range j.present {
		if !p.At.known || p.Idle || contract >= s.contracts {
			continue
		}
		for b := range n {
			pair := p.Source*n + b
			if s.grids[pair] == nil || j.by[pair] != by || !s.holds(b, contract) {
				continue
			}
			slice := s.grids[pair].slice(p.At.ns / 1e9)
			if slice < 0 {
				continue
			}
			cells := s.at(pair, domain, contract)
			if *cells == nil {
				*cells = make([]joinCell, joinSlices)
			}
			(*cells)[slice].of++
			if slices.ContainsFunc(j.present, func(o Sighting) bool { return o.Source == b }) {
				(*cells)[slice].both++
			}
		}
	}
}

// sum is what slices [from, to) of a pair hold.
func (s *stretches) sum(pair, domain, contract, from, to int) (c joinCount) {
	if cells := *s.at(pair, domain, contract); cells != nil {
		for _, one := range cells[from:to] {
			c.of, c.both = c.of+int64(one.of), c.both+int64(one.both)
		}
	}
	return c
}

// sliceRun is slices [from, to) of a pair's grid.
type sliceRun struct{ from, to int }

// broken lists the runs of slices in which two sources have enough of a contract and almost nothing in common, each with the slice on either side of it.
func (s *stretches) broken(j *Joins, a, b, domain, contract int) []sliceRun {
	n := len(j.facts)
	pair, back := a*n+b, b*n+a
	if s.grids[pair] == nil || *s.at(pair, domain, contract) == nil || *s.at(back, domain, contract) == nil {
		return nil
	}
	var out []sliceRun
	for from := range joinSlices {
		var x, y joinCount
		to := from
		for ; to < joinSlices && min(x.of, y.of) < stretchLeast; to++ {
			more, less := s.sum(pair, domain, contract, to, to+1), s.sum(back, domain, contract, to, to+1)
			x.of, x.both, y.of, y.both = x.of+more.of, x.both+more.both, y.of+less.of, y.both+less.both
		}
		if min(x.of, y.of) < stretchLeast {
			break // nor has any later stretch enough
		}
		if !sparse(x, y) || s.joinByName(pair, back, domain, contract, sliceRun{from, to}) {
			continue
		}
		for to < joinSlices && s.sum(pair, domain, contract, to, to+1).both+s.sum(back, domain, contract, to, to+1).both == 0 {
			to++
		}
		if !s.joinElsewhere(j, a, b, domain, contract, sliceRun{from, to}) {
			out = append(out, sliceRun{max(0, from-1), min(joinSlices, to+1)})
		}
	}
	return merged(out)
}

// holes lists the runs of slices in which a log of undeclared coverage has nothing beside enough of another source's keys, of which it otherwise shows most.
func (s *stretches) holes(j *Joins, a, log, domain, contract int) []sliceRun {
	n := len(j.facts)
	pair, back := a*n+log, log*n+a
	if !j.facts[log].Undeclared || s.grids[pair] == nil || *s.at(pair, domain, contract) == nil {
		return nil
	}
	all := s.sum(pair, domain, contract, 0, joinSlices)
	var out []sliceRun
	for from := 0; from < joinSlices; from++ {
		to := from
		for to < joinSlices && s.sum(back, domain, contract, to, to+1).of+s.sum(pair, domain, contract, to, to+1).both == 0 {
			to++
		}
		in := s.sum(pair, domain, contract, from, to)
		if in.of >= holeLeast && 2*all.both > all.of-in.of {
			out = append(out, sliceRun{max(0, from-1), min(joinSlices, to+1)})
		}
		from = to
	}
	return out
}

// joinByName reports whether two sources join in a stretch by the other of the two names that an object has.
func (s *stretches) joinByName(pair, back, domain, contract int, in sliceRun) bool {
	other := map[int]int{joinObject: joinAlias, joinAlias: joinObject}[domain]
	if other == 0 {
		return false
	}
	x, y := s.sum(pair, other, contract, in.from, in.to), s.sum(back, other, contract, in.from, in.to)
	return x.both > 0 && !sparse(x, y)
}

// merged joins runs that touch; they come by where they begin.
func merged(runs []sliceRun) []sliceRun {
	var out []sliceRun
	for _, r := range runs {
		if last := len(out) - 1; last >= 0 && r.from <= out[last].to {
			out[last].to = max(out[last].to, r.to)
		} else {
			out = append(out, r)
		}
	}
	return out
}

// joinElsewhere reports whether both sources join others of the other's role in the same time: stores that are divided by tenant or by hash share nothing
// crosswise.
func (s *stretches) joinElsewhere(j *Joins, a, b, domain, contract int, in sliceRun) bool {
	n := len(j.facts)
	g := s.grids[a*n+b]
	joins := func(one, not int) bool {
		for o := range n {
			pair, back := one*n+o, o*n+one
			if o == not || j.facts[o].Role != j.facts[not].Role || s.grids[pair] == nil {
				continue
			}
			from, to := max(0, s.grids[pair].slice(max(g[in.from], s.grids[pair][0]))), s.grids[pair].slice(min(g[in.to]-1, s.grids[pair][joinSlices]-1))+1
			if from < to {
				if x, y := s.sum(pair, domain, contract, from, to), s.sum(back, domain, contract, from, to); x.both > 0 && !sparse(x, y) {
					return true
				}
			}
		}
		return false
	}
	return joins(a, b) && joins(b, a)
}

// brokenStretches lists the stretches of a pair that joins over all times.
func (j *Joins) brokenStretches(a, b int) []BrokenJoin {
	if j.stretches == nil {
		return nil
	}
	s := j.stretches
	var out []BrokenJoin
	for contract := range s.contracts {
		for domain := range j.common {
			found := len(out)
			for _, r := range s.broken(j, a, b, domain, contract) {
				out = append(out, s.stretch(j, a, b, domain, contract, r))
			}
			for _, pair := range [][2]int{{a, b}, {b, a}} {
				for _, r := range s.holes(j, pair[0], pair[1], domain, contract) {
					one := s.stretch(j, pair[0], pair[1], domain, contract, r)
					one.Hole = true
					out = append(out, one)
				}
			}
			if len(out) > found {
				break
			}
		}
	}
	return out
}

// stretch is a run of slices of a pair.
func (s *stretches) stretch(j *Joins, a, b, domain, contract int, r sliceRun) BrokenJoin {
	n := len(j.facts)
	x, y, g := s.sum(a*n+b, domain, contract, r.from, r.to), s.sum(b*n+a, domain, contract, r.from, r.to), s.grids[a*n+b]
	one := BrokenJoin{A: a, B: b, OfA: x.of, OfB: y.of, Both: max(x.both, y.both), Partly: true, Contract: contract}
	if r.from > 0 {
		one.From = AtUnix(g[r.from] * 1e9)
	}
	if r.to < joinSlices {
		one.To = AtUnix(g[r.to] * 1e9)
	}
	return one
}

// overlaps reports whether a time from first to last may lie in a stretch; of a time that is not known it may.
func (s Stretch) overlaps(first, last Instant) bool {
	before := s.From.known && last.known && last.Before(s.From)
	after := s.To.known && first.known && first.After(s.To)
	return !before && !after
}

// words says when a stretch is.
func (s Stretch) words() string {
	switch {
	case s.From.known && s.To.known:
		return fmt.Sprintf("from %s to %s", stamp(s.From), stamp(s.To))
	case s.From.known:
		return "from " + stamp(s.From) + " on"
	case s.To.known:
		return "until " + stamp(s.To)
	}
	return "at all times"
}
