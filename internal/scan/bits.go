package scan

import (
	"math/bits"
	"slices"
)

// refBits remembers which references were met, and which were met by more than one group. It may call a reference repeated that is not: then a few
// groups are looked at for nothing. It never misses one.
type refBits struct {
	seen, twice []uint64
	mask        uint32
}

// bitsPerRow keeps false repetitions below one in sixteen, and their cost below what one more pass over all rows would be.
const bitsPerRow = 8

func newRefBits(rows int64) *refBits {
	n := max(1<<16, min(rows*bitsPerRow, 1<<27))
	size := uint64(1) << bits.Len64(uint64(n-1))
	return &refBits{seen: make([]uint64, size/64), twice: make([]uint64, size/64), mask: uint32(size - 1)}
}

// Domain tags keep effect ids, object ids and request ids apart.
const (
	tagEffect  uint32 = 0x85ebca6b
	tagObject  uint32 = 0xc2b2ae35
	tagRequest uint32 = 0x27d4eb2f
)

func (r *refBits) at(h, tag uint32) uint32 { return uint32(mix(uint64(h)<<32|uint64(tag))) & r.mask }

// add notes that a group carries a reference; want makes it repeated at once, so that whoever carries it is found.
func (r *refBits) add(h, tag uint32, want bool) {
	i := r.at(h, tag)
	word, bit := i/64, uint64(1)<<(i%64)
	if want || r.seen[word]&bit != 0 {
		r.twice[word] |= bit
	}
	r.seen[word] |= bit
}

func (r *refBits) repeated(h, tag uint32) bool {
	i := r.at(h, tag)
	return h != 0 && r.twice[i/64]&(1<<(i%64)) != 0
}

// addGroup notes each reference of a group once.
func (r *refBits) addGroup(g *group, want bool) {
	var ers, prs []uint32
	for i := range g.rows {
		ers, prs = once(ers, g.rows[i].er), once(prs, g.rows[i].pr)
	}
	for _, h := range ers {
		r.add(h, tagEffect, want)
	}
	for _, h := range prs {
		r.add(h, tagObject, want)
	}
}

func once(hs []uint32, h uint32) []uint32 {
	if h == 0 || (len(hs) > 0 && slices.Contains(hs, h)) || len(hs) > 1<<12 {
		return hs
	}
	return append(hs, h)
}

// unions joins nodes that must be judged together. Only nodes that were joined cost memory.
type unions struct{ parent map[uint64]uint64 }

func (u *unions) root(n uint64) uint64 {
	for {
		p, ok := u.parent[n]
		if !ok || p == n {
			return n
		}
		if g, ok := u.parent[p]; ok {
			u.parent[n] = g
		}
		n = p
	}
}

// joined reports whether a node was joined with another.
func (u *unions) joined(n uint64) bool { return u.parent[n] != 0 }

// large lists the roots under which more than most nodes stand.
func (u *unions) large(most int) map[uint64]bool {
	sizes, out := make(map[uint64]int), make(map[uint64]bool)
	for n := range u.parent {
		root := u.root(n)
		if sizes[root]++; sizes[root] > most {
			out[root] = true
		}
	}
	return out
}

func (u *unions) join(a, b uint64) {
	a, b = u.root(a), u.root(b)
	if a == b {
		return
	}
	if b < a {
		a, b = b, a
	}
	u.parent[a], u.parent[b] = a, a
}
