package scan

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"example.com/idemctl/internal/reconcile"
)

// The sizes by which a cluster is told to be a crowd, and by which one is divided. A small budget makes crowds small, so that tests reach every path.
const (
	leastCrowd  = 64   // identities that are always judged together
	mostCrowd   = 4096 // identities that are judged together where the budget allows
	perIdentity = 512  // bytes of the budget for each
)

// errCrowd stops the gathering of a sample.
var errCrowd = errors.New("a cluster of too many identities")

func crowdSize(budget int64) int { return int(max(leastCrowd, min(mostCrowd, budget/perIdentity))) }

// crowd judges a cluster of more identities than are held at once: a reference that all of them carry, or a number that every tenant gives out anew. Its rows
// are divided into blocks that are closed: under one key text of which some row does not tell its whole identity, under one reference within one scope, and
// under a reference of a row that tells neither key nor scope. Whole blocks make a part, which is judged beside a few rows of others (see guests.go), so that
// everyone sees with whom it shares a reference or a request.
//
// A block that is itself too large is cut, at last between keys. Where some row of it does not tell whose it is, a piece cannot show that nobody else's row is
// one's own: then its absences stay open. So do all of a crowd in which some row names a set.
func (j *judge) crowd(ctx context.Context, each func(func([]suspect) error) error, which func(*reconcile.Subject) bool) error {
	c := &crowd{asking: newAsking(j.readers, j.book), most: j.crowds / 4, block: cmp.Or(j.block, clusterRows)}
	if err := j.members(ctx, each, c); err != nil {
		return err
	}
	c.sort()
	parts := c.parts(0, c.own, allRows)
	if err := ctx.Err(); err != nil {
		return err
	}
	c.index()
	sets := len(parts) > 1 && slices.ContainsFunc(c.rows, func(m member) bool { return m.several }) // what they name may stand in any part
	for _, part := range parts {
		j.open = part.open || sets
		if err := j.part(ctx, c.beside(part), which); err != nil {
			return err
		}
		j.open = false
	}
	return nil
}

// member is a row of a crowd. Hashes select what is looked at together; 0 stands for what the row does not tell.
type member struct {
	suspect
	scope, key uint32
	refs       [3]uint32 // effect id, object id, request id
	home       uint32    // the key with which it stands where a block is cut
	tw, fp, pa uint32    // what is asked for, as in a trace
	fl         flags     // of that
	ci         uint16    // of the contract
	ties       [6]uint32 // what else is shared across identities
	t          int64     // when it began
	loose      bool      // it tells its key, but not its whole identity
	several    bool      // it names several of one kind, of which refs holds the first
	owns       [2]bool   // it is the row that its effect id names, the line that its object id names
}

// tellsNotWhose reports whether neither a whole identity nor the scope alone says whom it belongs to: others that share its key or reference must be known.
func (m *member) tellsNotWhose() bool { return m.loose && (m.key != 0 || m.scope == 0) }

// crowd is the rows of one cluster, in blocks.
type crowd struct {
	asking   *asking
	most     int      // rows of a part
	block    int      // rows of a block that is not cut
	rows     []member // those of one block side by side, guests of the whole cluster last
	own      int      // how many are not guests
	faces    map[refOf][]int32
	refs     [3][]int32 // own rows that carry a reference of the domain, by reference and scope
	ties     []tieOf    // by tie and time
	outliers outliers   // of ties
	actions  []int32    // rows by key and scope
	twins    map[int32][]int32
	keys     []int32 // own rows that tell a key, by key
}

// objectRef is the place of a provider's object among a member's references.
const objectRef = 1

// refOf is one reference of a crowd.
type refOf struct {
	domain int
	ref    uint32
}

// sort puts guests last.
func (c *crowd) sort() {
	slices.SortFunc(c.rows, func(a, b member) int {
		return cmp.Or(compareBool(a.guest, b.guest), cmp.Compare(a.src, b.src), cmp.Compare(a.pos, b.pos))
	})
	for c.own = len(c.rows); c.own > 0 && c.rows[c.own-1].guest; c.own-- { // guests stand last
	}
}

// closure says by which rows blocks are closed.
type closure uint8

const (
	allRows    closure = iota // by every row
	placedRows                // by all but those that do not tell where they belong
	keyedRows                 // by keys alone
)

// close puts the rows of each block of a stretch side by side.
func (c *crowd) close(from, to int, by closure) {
	sets := newSets(to - from)
	c.joinKeys(sets, from, to)
	for domain := range 3 {
		c.joinRefs(sets, from, to, domain, by)
	}
	for i := from; i < to; i++ {
		c.rows[i].node = uint64(sets.find(int32(i - from))) // a cluster of two billion rows does not fit in memory anyhow
	}
	slices.SortFunc(c.rows[from:to], func(a, b member) int {
		return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.scope, b.scope), cmp.Compare(a.key, b.key), cmp.Compare(a.src, b.src), cmp.Compare(a.pos, b.pos))
	})
}

// joinKeys joins the rows of one key text: all of them where some row does not tell its whole identity, else those of one scope.
func (c *crowd) joinKeys(sets *sets, from, to int) {
	c.runs(from, to, func(m *member) uint32 { return m.key }, func(rows []int32) {
		loose := slices.ContainsFunc(rows, func(i int32) bool { return c.rows[i].loose })
		c.joinRun(sets, from, rows, loose)
	})
}

// joinRefs joins the rows of one reference: those of one scope, or all of them where some row does not tell its scope and may be anyone's: a row without a
// key, one that a row without a key may join, a line of a provider's object, whose lines are one whatever keys they log.
func (c *crowd) joinRefs(sets *sets, from, to, domain int, by closure) {
	c.runs(from, to, func(m *member) uint32 { return m.refs[domain] }, func(rows []int32) {
		has := func(f func(*member) bool) bool {
			return slices.ContainsFunc(rows, func(i int32) bool { return f(&c.rows[i]) })
		}
		stray := by == allRows && has(func(m *member) bool { return m.scope == 0 }) && (domain == objectRef || has(func(m *member) bool { return m.key == 0 }))
		c.joinRun(sets, from, rows, stray)
	})
}

func (c *crowd) joinRun(sets *sets, from int, rows []int32, all bool) {
	if !all {
		slices.SortFunc(rows, func(a, b int32) int { return cmp.Compare(c.rows[a].scope, c.rows[b].scope) })
	}
	for n, i := range rows[1:] {
		if before := rows[n]; all || (c.rows[i].scope == c.rows[before].scope && c.rows[i].scope != 0) {
			sets.join(before-int32(from), i-int32(from))
		}
	}
}

// runs hands over the rows of each value in a stretch.
func (c *crowd) runs(from, to int, of func(*member) uint32, each func([]int32)) {
	is := c.sorted(from, to, func(m *member) bool { return of(m) != 0 }, func(a, b *member) int { return cmp.Compare(of(a), of(b)) })
	c.stretches(is, func(a, b *member) bool { return of(a) == of(b) }, each)
}

// piece is a stretch of own rows that are counted in one part.
type piece struct {
	from, to int
	cut      bool    // others of its block are counted in another part
	open     bool    // and some row of the block does not tell whose it is
	shown    []int32 // those of them that have no identity
}

func (p *piece) holds(i int32) bool { return int(i) >= p.from && int(i) < p.to }

// parts packs blocks into parts of about so many rows. A block that is much larger is divided again by fewer rows: first those that do not tell where they
// belong bind no others, then only keys bind. Rows that bound it stand in one of its pieces and are shown to the others.
func (c *crowd) parts(from, to int, by closure) []piece {
	if by == keyedRows {
		return c.cut(from, to)
	}
	c.close(from, to, by)
	var shown []int32
	for i := from; by == placedRows && i < to && len(shown) < shownRows; i++ {
		if m := &c.rows[i]; m.key == 0 && m.scope == 0 {
			shown = append(shown, int32(i))
		}
	}
	var out []piece
	part := piece{from: from, to: from}
	flush := func(at int) {
		if part.to > part.from {
			out = append(out, part)
		}
		part = piece{from: at, to: at}
	}
	for at := from; at < to; {
		end := at + 1
		for end < to && c.rows[end].node == c.rows[at].node {
			end++
		}
		if end-part.from > c.most {
			flush(at)
		}
		if part.to = end; end-at > c.block {
			out = append(out, c.parts(at, end, by+1)...)
			part = piece{from: end, to: end}
		}
		at = end
	}
	flush(to)
	if by == placedRows {
		open := slices.ContainsFunc(c.rows[from:to], func(m member) bool { return m.tellsNotWhose() })
		for i := range out {
			out[i].cut, out[i].open = true, open
			out[i].shown = append(slices.Clone(shown), out[i].shown...)
		}
	}
	return out
}

// cut divides a stretch between keys. A row without a key stands with one that carries its reference in its scope, or in the first piece, and is shown to
// the others.
func (c *crowd) cut(from, to int) []piece {
	c.lodge(from, to)
	slices.SortFunc(c.rows[from:to], func(a, b member) int {
		return cmp.Or(cmp.Compare(a.home, b.home), cmp.Compare(a.scope, b.scope), cmp.Compare(a.src, b.src), cmp.Compare(a.pos, b.pos))
	})
	var out []piece
	var shown []int32
	for i := from; i < to && c.rows[i].home == 0 && len(shown) < shownRows; i++ {
		shown = append(shown, int32(i))
	}
	for start := from; start < to; {
		end := min(to, start+c.most)
		for end < to && c.rows[end].home == c.rows[end-1].home {
			end++
		}
		if to-end < c.most/4 { // nobody is left alone in the last piece
			end = to
		}
		out = append(out, piece{from: start, to: end, cut: true, shown: shown})
		start = end
	}
	return out
}

// lodge finds the least key with which each row stands.
func (c *crowd) lodge(from, to int) {
	type carried struct {
		domain     int
		ref, scope uint32
	}
	least := make(map[carried]uint32)
	for i := from; i < to; i++ {
		m := &c.rows[i]
		m.home = m.key
		for domain, ref := range m.refs {
			if at := (carried{domain, ref, m.scope}); m.key != 0 && m.scope != 0 && ref != 0 && (least[at] == 0 || m.key < least[at]) {
				least[at] = m.key
			}
		}
	}
	for i := from; i < to; i++ {
		m := &c.rows[i]
		for domain, ref := range m.refs {
			if m.home == 0 && ref != 0 {
				m.home = least[carried{domain, ref, m.scope}]
			}
		}
	}
}

// sets joins numbers into sets.
type sets struct{ parent []int32 }

func newSets(n int) *sets {
	s := &sets{parent: make([]int32, n)}
	for i := range s.parent {
		s.parent[i] = int32(i)
	}
	return s
}

func (s *sets) find(i int32) int32 {
	for s.parent[i] != i {
		s.parent[i] = s.parent[s.parent[i]]
		i = s.parent[i]
	}
	return i
}

func (s *sets) join(a, b int32) { s.parent[s.find(b)] = s.find(a) }
