package caselist

import (
	"iter"
	"math/bits"
)

// Marks is a set of rows. The zero Marks is empty.
type Marks struct {
	set []uint64
	n   int
}

// Len returns how many rows are marked.
func (m *Marks) Len() int { return m.n }

// Has reports whether a row is marked.
func (m *Marks) Has(row int) bool {
	return row>>6 < len(m.set) && m.set[row>>6]&(1<<(row&63)) != 0
}

// Set marks a row or takes its mark away.
func (m *Marks) Set(row int, on bool) {
	if m.Has(row) == on {
		return
	}
	for row>>6 >= len(m.set) {
		m.set = append(m.set, 0)
	}
	m.set[row>>6] ^= 1 << (row & 63)
	if on {
		m.n++
	} else {
		m.n--
	}
}

// Clear takes all marks away.
func (m *Marks) Clear() { *m = Marks{} }

// All yields the marked rows in their order.
func (m *Marks) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, word := range m.set {
			for word != 0 {
				if !yield(i<<6 + bits.TrailingZeros64(word)) {
					return
				}
				word &= word - 1
			}
		}
	}
}
