package reconcile

import "slices"

// scopes finds, among many claimants of one reference, those whose scope agrees with a given one, without comparing it with each: claimants that know the
// same components stand in one table by those components. The key is no part of a scope.
type scopes struct {
	c      *Contract
	of     [][]Component
	masks  []uint64                       // each once, in ascending order
	known  map[uint64][]int               // components known → claimants
	tables map[[2]uint64]map[string][]int // components known, components compared → their text → claimants
}

func newScopes(c *Contract, of [][]Component) *scopes {
	s := &scopes{c: c}
	for _, id := range of {
		s.add(id)
	}
	return s
}

// add takes in one more claimant, whose number is that of those before it.
func (s *scopes) add(id []Component) {
	if s.known == nil {
		s.known, s.tables = make(map[uint64][]int), make(map[[2]uint64]map[string][]int)
	}
	i, m := len(s.of), scopeMask(id)
	s.of = append(s.of, id)
	if s.known[m] == nil {
		s.masks = append(s.masks, m)
		slices.Sort(s.masks)
	}
	s.known[m] = append(s.known[m], i)
	for key, table := range s.tables {
		if key[0] == m {
			text := s.text(id, key[1])
			table[text] = append(table[text], i)
		}
	}
}

// change says that a claimant's scope is known better.
func (s *scopes) change(i int, id []Component) {
	if scopeMask(s.of[i]) == scopeMask(id) {
		return
	}
	s.of[i] = id
	*s = *newScopes(s.c, s.of)
}

// agreeing lists, in ascending order, the claimants that differ from a scope in no component that both know.
func (s *scopes) agreeing(id []Component) []int {
	mine := scopeMask(id)
	var out []int
	for _, m := range s.masks {
		table := s.tables[[2]uint64{m, m & mine}]
		if table == nil {
			table = make(map[string][]int)
			for _, i := range s.known[m] {
				text := s.text(s.of[i], m&mine)
				table[text] = append(table[text], i)
			}
			s.tables[[2]uint64{m, m & mine}] = table
		}
		out = append(out, table[s.text(id, m&mine)]...)
	}
	if len(s.masks) > 1 {
		slices.Sort(out)
	}
	return out
}

// text spells the components of a mask.
func (s *scopes) text(id []Component, mask uint64) string {
	var b []byte
	for i := range id {
		if mask&componentBit(i) != 0 {
			b = s.c.appendComponent(b, id[i].Name, id[i].Value)
		}
	}
	return string(b)
}

// scopeMask has a bit for each known component but the key.
func scopeMask(id []Component) uint64 {
	var m uint64
	for i := range id {
		if id[i].Value.known && id[i].Name != "key" {
			m |= componentBit(i)
		}
	}
	return m
}

// componentBit is a component's bit. A config refuses scopes that are nearly so long; those beyond 64 components would be compared by the first.
func componentBit(i int) uint64 { return 1 << min(i, 63) }
