package scan

import (
	"iter"
	"slices"
)

// doors tells behind which groups suspects wait for them as guests. After a restore every suspect has its guests, which are suspects too: hosts are kept as
// numbers in one list, door by door.
type doors struct {
	nodes   []uint64         // hosts, sorted: what the numbers mean
	numbers map[uint64]int32 // of doors
	ends    []int32          // of each door, where its hosts end
	hosts   []uint32
}

// doors finds the guests of every seat, twice: to count them, and to list them.
func (s *sieve) doors(large map[uint64]bool) *doors {
	d := &doors{nodes: s.asks.nodes(), numbers: make(map[uint64]int32)}
	s.eachGuest(large, func(door, _ uint64) {
		n, known := d.numbers[door]
		if !known {
			n = int32(len(d.ends)) // two billion doors do not fit in memory anyhow
			d.numbers[door], d.ends = n, append(d.ends, 0)
		}
		d.ends[n]++
	})
	all := int32(0)
	for n, count := range d.ends {
		d.ends[n] = all // where its hosts begin, until they are listed
		all += count
	}
	d.hosts = make([]uint32, all)
	s.eachGuest(large, func(door, host uint64) {
		n := d.numbers[door]
		at, _ := slices.BinarySearch(d.nodes, host)
		d.hosts[d.ends[n]] = uint32(at) // as above
		d.ends[n]++
	})
	return d
}

// eachGuest hands over, seat by seat, the doors of the nearest that ask for the same as a suspect; some more than once.
func (s *sieve) eachGuest(large map[uint64]bool, each func(door, host uint64)) {
	for n := range s.asks.seats {
		host := s.asks.seats[n].node
		s.asks.near(n, s.door(host, large), nearTwins, func(door uint64) {
			if s.unions.root(door) != s.unions.root(host) {
				each(door, host)
			}
		})
	}
}

// nodes lists those that have a seat, sorted, each once.
func (s *asks) nodes() []uint64 {
	out := make([]uint64, len(s.seats))
	for n := range s.seats {
		out[n] = s.seats[n].node
	}
	slices.Sort(out)
	return slices.Clone(slices.Compact(out))
}

// behind yields the hosts behind a door, each once.
func (d *doors) behind(door uint64) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		n, known := d.numbers[door]
		if !known {
			return
		}
		from := int32(0)
		if n > 0 {
			from = d.ends[n-1]
		}
		hosts := d.hosts[from:d.ends[n]]
		slices.Sort(hosts)
		for i, host := range hosts {
			if (i == 0 || host != hosts[i-1]) && !yield(d.nodes[host]) {
				return
			}
		}
	}
}
