package scan

import (
	"hash/fnv"
	"slices"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources"
)

// asking is what a config says of what rows ask for.
type asking struct {
	bases [][]uint8 // of each source and contract, what its fingerprints are made of, by number
	roams []bool    // of each contract: one action may be asked for under one key in several places or operations
}

// basisMany stands for all that fingerprints are made of beyond the numbers: nothing is compared by it.
const basisMany = 255

func newAsking(readers []sources.Reader, book reconcile.Book) *asking {
	of, numbers := &asking{}, make(map[string]uint8)
	for _, rd := range readers {
		f := rd.Facts()
		var bases []uint8
		for _, c := range book {
			basis := reconcile.PrintBasis(c, &f, f.Name)
			if numbers[basis] == 0 {
				numbers[basis] = uint8(min(len(numbers)+1, basisMany)) // as said
			}
			bases = append(bases, numbers[basis])
		}
		of.bases = append(of.bases, bases)
	}
	for _, c := range book {
		of.roams = append(of.roams, c.Roams())
	}
	return of
}

func (of *asking) basis(t *trace) uint8 { return of.bases[t.src][t.ci] }

// ask is what the rows of one action ask for, in hashes, and when.
type ask struct {
	places, actors []uint16
	requests       []uint64
	bases          []uint8 // what its request can be compared by, sorted
	elsewhere      uint64  // its key, where that may stand elsewhere too
	first, last    uint32  // seconds; 0 = unknown
	keyed          bool
}

// askMost is how many requests, places and actors of one action are told apart.
const askMost = 64

// anyone stands for whatever a place or an actor may be; 0 for one that is not told.
const anyone = 1<<16 - 1

// ofParams is what parameters are compared by.
const ofParams = 0

const (
	requestAsk uint64 = iota + 1
	printAsk
	basesAsk
	keyAsk
)

func (a *ask) reset() {
	*a = ask{places: a.places[:0], actors: a.actors[:0], requests: a.requests[:0], bases: a.bases[:0]}
}

func oneMore[T comparable](list []T, v T) []T {
	if len(list) >= askMost || slices.Contains(list, v) {
		return list
	}
	return append(list, v)
}

func (a *ask) add(of *asking, t *trace) {
	if place := uint16(t.pa >> 16); place != 0 {
		a.places = oneMore(a.places, place)
	}
	if actor := uint16(t.pa); actor != 0 { // the lower half
		a.actors = oneMore(a.actors, actor)
	}
	if t.tw != 0 {
		a.requests = oneMore(a.requests, requestAsk<<32|uint64(t.tw))
	}
	if t.fp != 0 {
		a.requests = oneMore(a.requests, printAsk<<32|uint64(t.fp))
	}
	if t.fl&judged != 0 {
		a.bases = oneMore(a.bases, ofParams)
	}
	if b := of.basis(t); t.fp != 0 && b != basisMany {
		a.bases = oneMore(a.bases, b)
	}
	slices.Sort(a.bases)
	if of.roams[t.ci] && t.k != 0 {
		a.elsewhere = keyAsk<<60 ^ t.k
	}
	a.keyed = a.keyed || t.k != 0
	a.at(t.t)
}

func (a *ask) at(t uint32) {
	if t != 0 && (a.first == 0 || t < a.first) {
		a.first = t
	}
	a.last = max(a.last, t)
}

// basesOf is a hash of what a request can be compared by.
func basesOf(bases []uint8) uint64 {
	h := fnv.New32a()
	_, _ = h.Write(bases) // a hash's Write never fails
	return basesAsk<<32 | uint64(h.Sum32())
}

// askKey is one thing that is asked for, where and by whom.
type askKey struct {
	what         uint64
	place, actor uint16
}

// filed lists under what a part is filed, and sought under what that is found which may be equal to it.
func filed(parts []uint16) []uint16 {
	if len(parts) == 0 {
		return []uint16{0, anyone}
	}
	return append(slices.Clone(parts), anyone)
}

func sought(parts []uint16) []uint16 {
	if len(parts) == 0 {
		return []uint16{anyone}
	}
	return append(slices.Clone(parts), 0)
}

func (a *ask) each(parts func([]uint16) []uint16, what uint64, f func(askKey)) {
	for _, place := range parts(a.places) {
		for _, actor := range parts(a.actors) {
			f(askKey{what, place, actor})
		}
	}
}
