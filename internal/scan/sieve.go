package scan

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"

	"example.com/idemctl/internal/reconcile"
)

// The sizes that bound the sieve's memory.
const (
	partitions  = 256
	loadLimit   = 8 << 20   // bytes of a partition that are sorted at once; a larger one is split
	streamBlock = 256 << 10 // bytes that are read back at once
	splitInto   = 16
	maxSplits   = 5
	mostObjects = 256 // identities of one key that a provider is found to keep apart
	suspectSize = 24
)

// suspect is a row that must be read again.
type suspect struct {
	node  uint64
	pos   uint64
	src   uint16
	stray bool   // it may be another's missing counterpart
	guest bool   // it is there for its neighbour's sake, and is counted elsewhere
	at    uint32 // its time in seconds, then its cluster's; 0 = not told
}

func (s *suspect) put(b []byte) {
	binary.LittleEndian.PutUint64(b, s.node)
	binary.LittleEndian.PutUint64(b[8:], s.pos)
	binary.LittleEndian.PutUint16(b[16:], s.src)
	b[18], b[19] = 0, 0
	if s.stray {
		b[18] = 1
	}
	if s.guest {
		b[19] = 1
	}
	binary.LittleEndian.PutUint32(b[20:], s.at)
}

func (s *suspect) get(b []byte) {
	s.node = binary.LittleEndian.Uint64(b)
	s.pos = binary.LittleEndian.Uint64(b[8:])
	s.src = binary.LittleEndian.Uint16(b[16:])
	s.stray, s.guest = b[18] == 1, b[19] == 1
	s.at = binary.LittleEndian.Uint32(b[20:])
}

// suspect writes a suspect to the partition of a hash.
func (w *writer) suspect(e suspect, hash uint64) error {
	b, err := w.entry(hash)
	if err != nil {
		return err
	}
	e.put(b)
	return nil
}

// sieve lets the healthy fall through and keeps the suspects.
type sieve struct {
	traces  *pool // of trace, by key text
	asked   *pool // traces again, whose pr is a reference that had no room and er its tag
	out     *pool // of suspect, by cluster
	w       *writer
	places  places
	refs    *refBits
	asking  *asking
	asks    *asks // what suspects ask for
	unions  unions
	large   map[uint64]bool // unions of many groups
	joined  *joined         // the rows of the others
	decided map[uint64]bool // keys of cases that were decided earlier
	counts  *Counts
	common  *common // what the sources have in common
	strange *strangers
	ties    *pool     // of tieMark, by tie
	tied    []tieMark // of rows that share theirs with another identity's, by place
	seeks   *writer   // into strange
	strays  int64
	found   int64   // rows that are read again
	guests  int64   // of these, rows of healthy neighbours
	block   []byte  // a partition as it is stored
	rows    []trace // the same, read
}

// run makes the passes of the sieve: healthy or suspect, references met twice, rows they pull in, twins.
func (s *sieve) run(ctx context.Context) error {
	s.unions.parent = make(map[uint64]uint64)
	s.w, s.seeks = s.out.writer(), s.strange.sought.writer()
	if err := s.findTies(ctx); err != nil {
		return err
	}
	if err := s.firstPass(ctx); err != nil {
		return err
	}
	if err := s.requests(ctx); err != nil {
		return err
	}
	pulled, err := s.meetings(ctx)
	if err != nil {
		return err
	}
	s.large = s.unions.large(fewGroups)
	if len(s.unions.parent) > 0 {
		if err := s.each(ctx, func(g group) error { return cmp.Or(s.join(&g), s.pull(g, pulled)) }); err != nil {
			return err
		}
	}
	s.refs = nil // as large as a pass needs, and of no more use
	if err := s.seatTwins(ctx); err != nil {
		return err
	}
	if err := cmp.Or(s.w.done(), s.seeks.done()); err != nil {
		return err
	}
	return s.strange.meet(ctx)
}

// claim says what a group is where that is certain. What was decided on is for the rules, however healthy it has become.
func (s *sieve) claim(g *group) (reconcile.Class, bool) {
	if s.decided[g.rows[0].k] || s.uncompared(g) {
		return 0, false
	}
	return s.places.claim(g)
}

// uncompared reports whether two rows tell what was asked for, each by what the other does not tell, or may not tell alike: whether they can be compared, the
// rules say.
func (s *sieve) uncompared(g *group) bool {
	var told [4]toldBy
	n := 0
	for i := range g.rows {
		t := &g.rows[i]
		by := toldBy{params: t.fl&request != 0, read: t.fl&judged != 0}
		if t.fl&prints != 0 {
			by.print = s.asking.basis(t)
		}
		switch {
		case !by.params && by.print == 0 || slices.Contains(told[:n], by):
			continue
		case n == len(told) || slices.ContainsFunc(told[:n], func(o toldBy) bool { return !by.compares(o) }):
			return true
		}
		told[n], n = by, n+1
	}
	return false
}

// toldBy is by what a row tells what was asked for.
type toldBy struct {
	params, read bool
	print        uint8 // what its fingerprint is made of; 0 = it tells none
}

func (b toldBy) compares(o toldBy) bool {
	return b.read && o.read || b.print == o.print && b.print != 0 && b.print != basisMany
}

// first counts a group as healthy, or writes its rows down as suspects.
func (s *sieve) first(g group) error {
	s.common.witness(&g)
	class, ok := s.claim(&g)
	if g.kin {
		s.unions.join(g.node, mix(g.rows[0].k))
	}
	s.refs.addGroup(&g, g.rows[0].k == 0)
	if ok {
		s.healthy(&g, class, 1)
		return nil
	}
	return s.emit(g)
}

// healthy counts a group that no rule has anything to say of.
func (s *sieve) healthy(g *group, class reconcile.Class, n int64) {
	s.counts.add(class, n)
	if g.rows[0].fl&noReq != 0 {
		s.notJudged(reconcile.FingerprintConflict, n)
	}
	if !g.suspectable() {
		s.notJudged(reconcile.SuspectedDuplicateIntent, n)
	}
}

// notJudged counts what lacks a mapping; of a rule that was judged of all nothing is left.
func (s *sieve) notJudged(rule reconcile.Kind, n int64) {
	if s.counts.NotJudged[rule.String()] += n; s.counts.NotJudged[rule.String()] == 0 {
		delete(s.counts.NotJudged, rule.String())
	}
}

func (s *sieve) emit(g group) error {
	if err := s.strange.seek(s.seeks, g.rows); err != nil {
		return err
	}
	s.asks.seatAll(&g)
	alone := !slices.ContainsFunc(g.rows, func(t trace) bool { return !s.places.sentOnly[t.src] || !s.places.sentKeys[t.ci] })
	for i := range g.rows {
		t := &g.rows[i]
		stray := t.k == 0 || g.torn || t.fl&lodged != 0 || alone
		if stray {
			s.strays++
		}
		if err := s.write(suspect{node: g.node, src: t.src, pos: t.pos, stray: stray, at: t.t}); err != nil {
			return err
		}
	}
	return nil
}

func (s *sieve) write(e suspect) error {
	if err := s.w.suspect(e, e.node); err != nil {
		return err
	}
	s.found++
	if e.guest {
		s.guests++
	}
	return nil
}

// pull makes suspects of groups that were called healthy before it was known that another group carries their reference.
func (s *sieve) pull(g group, pulled map[uint64]bool) error {
	if !pulled[g.node] {
		return nil
	}
	class, ok := s.claim(&g)
	if !ok {
		return nil
	}
	s.healthy(&g, class, -1)
	return s.emit(g)
}

// join keeps the rows of a group that was joined with others.
func (s *sieve) join(g *group) error {
	if root := s.unions.root(g.node); s.unions.joined(g.node) && !s.large[root] {
		return s.joined.add(root, g.rows)
	}
	return nil
}

// requests notes the references that had no room, request ids for the most part: a keyless row may be joined by nothing else.
func (s *sieve) requests(ctx context.Context) error {
	for i := range s.asked.parts {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.asked.stream(i, streamBlock, func(b []byte) error {
			var t trace
			for ; len(b) > 0; b = b[traceSize:] {
				t.get(b)
				s.refs.add(t.pr, t.er, t.k == 0)
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// meeting is a group that carries a reference which may be another's too.
type meeting struct {
	ref  uint64
	node uint64
	near bool // it counts only where one of them is hot
	hot  bool
}

// meetings finds the references that two or more groups really carry, joins those groups, and returns those that must be pulled in.
func (s *sieve) meetings(ctx context.Context) (map[uint64]bool, error) {
	var ms []meeting
	last := make(map[uint32]meeting) // a key of a million rows comes row by row, and is noted once
	note := func(node uint64, h, tag uint32) {
		m := meeting{ref: uint64(tag)<<32 | uint64(h), node: node}
		if s.refs.repeated(h, tag) && last[tag] != m {
			last[tag] = m
			ms = append(ms, m)
		}
	}
	asked := s.hasAsked()
	nodes := make(map[[2]uint64]uint64) // rows whose further references may be shared → their group
	if err := s.each(ctx, func(g group) error {
		if g.near { // a line of its object under another key may be older
			hot := slices.ContainsFunc(g.rows, func(t trace) bool { return s.refs.repeated(t.pr, tagObject) })
			ms = append(ms, meeting{ref: mix(g.rows[0].k), node: g.node, near: true, hot: hot})
		}
		for i := range g.rows {
			t := &g.rows[i]
			if i == 0 || t.er != g.rows[i-1].er {
				note(g.node, t.er, tagEffect)
			}
			if i == 0 || t.pr != g.rows[i-1].pr {
				note(g.node, t.pr, tagObject)
			}
			s.eachTie(t, func(h uint64) { ms = append(ms, meeting{ref: h, node: g.node}) })
			if asked {
				nodes[[2]uint64{uint64(t.src), t.pos}] = g.node
			}
		}
		return nil
	}); err != nil {
		return nil, err
	}
	for i := range s.asked.parts {
		if err := s.asked.stream(i, streamBlock, func(b []byte) error {
			var t trace
			for ; len(b) > 0; b = b[traceSize:] {
				t.get(b)
				note(nodes[[2]uint64{uint64(t.src), t.pos}], t.pr, t.er)
			}
			return nil
		}); err != nil {
			return nil, err
		}
	}
	return s.joinMeetings(ms), nil
}

func (s *sieve) hasAsked() bool {
	for i := range s.asked.parts {
		if s.asked.parts[i].n > 0 {
			return true
		}
	}
	return false
}

func (s *sieve) joinMeetings(ms []meeting) map[uint64]bool {
	slices.SortFunc(ms, func(a, b meeting) int {
		if a.ref != b.ref {
			if a.ref < b.ref {
				return -1
			}
			return 1
		}
		switch {
		case a.node < b.node:
			return -1
		case a.node > b.node:
			return 1
		}
		return 0
	})
	pulled := make(map[uint64]bool)
	for i := 0; i < len(ms); {
		end := i + 1
		for end < len(ms) && ms[end].ref == ms[i].ref {
			end++
		}
		cold := ms[i].near && !slices.ContainsFunc(ms[i:end], func(m meeting) bool { return m.hot })
		if ms[i].node != ms[end-1].node && !cold {
			for _, m := range ms[i:end] {
				s.unions.join(ms[i].node, m.node)
				pulled[m.node] = true
			}
		}
		i = end
	}
	return pulled
}
