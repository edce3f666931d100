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
	places, actors  []uint16
	requests        []uint64
	bases, most     []uint8   // what its request can be compared by, sorted: as its own rows tell, and with those that may be its own
	elsewhere       uint64    // its key, where that may stand elsewhere too
	own, all        [2]uint32 // the first and the last second, of its own rows and with those that may be; 0 = unknown
	nowhere, nobody bool      // its own rows tell no place, no actor
	keyed           bool
	untimed         bool // some send does not tell its time: it may have been at any

	room [2][]uint16
}

// The bounds of what is told apart of one action: requests, places and actors of its own rows, and how many rows that may be its own add to.
const (
	askMost     = 64
	perhapsMost = 8
)

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
	*a = ask{places: a.places[:0], actors: a.actors[:0], requests: a.requests[:0], bases: a.bases[:0], most: a.most[:0], room: a.room, nowhere: true, nobody: true}
}

func oneMore[T comparable](list []T, v T, most int) []T {
	if len(list) >= most || slices.Contains(list, v) {
		return list
	}
	return append(list, v)
}

// add takes in a row of the action.
func (a *ask) add(of *asking, t *trace) {
	if place := t.place(); place != 0 {
		a.places, a.nowhere = oneMore(a.places, place, askMost), false
	}
	a.nobody = a.nobody && t.actor() == 0
	a.say(of, t, askMost)
	a.bases = appendBases(a.bases, of, t)
	if of.roams[t.ci] && t.k != 0 {
		a.elsewhere = keyAsk<<60 ^ t.k
	}
	a.keyed = a.keyed || t.k != 0
	a.own = spread(a.own, t)
}

// perhaps takes in a row that may be the action's.
func (a *ask) perhaps(of *asking, t *trace) { a.say(of, t, perhapsMost) }

func (a *ask) say(of *asking, t *trace, most int) {
	if actor := t.actor(); actor != 0 {
		a.actors = oneMore(a.actors, actor, most)
	}
	if t.tw != 0 {
		a.requests = oneMore(a.requests, requestAsk<<32|uint64(t.tw), most)
	}
	if t.fp != 0 {
		a.requests = oneMore(a.requests, printAsk<<32|uint64(t.fp), most)
	}
	a.most = appendBases(a.most, of, t)
	a.untimed = a.untimed || t.last() == never
	a.all = spread(a.all, t)
}

func appendBases(bases []uint8, of *asking, t *trace) []uint8 {
	n := len(bases)
	if t.fl&judged != 0 {
		bases = oneMore(bases, ofParams, askMost)
	}
	if b := of.basis(t); t.fp != 0 && b != basisMany {
		bases = oneMore(bases, b, askMost)
	}
	if len(bases) > n {
		slices.Sort(bases)
	}
	return bases
}

// spread widens the first and the last second by those of a row.
func spread(at [2]uint32, t *trace) [2]uint32 {
	for _, second := range [2]uint32{t.t, t.last()} {
		if second == 0 || second == never {
			continue
		}
		if at[0] == 0 || second < at[0] {
			at[0] = second
		}
		at[1] = max(at[1], second)
	}
	return at
}

// moments hands over the seconds at which the action is looked at; 0 where it may have been at any.
func (a *ask) moments(f func(t uint32)) {
	if a.untimed || a.own[0] == 0 {
		f(0)
	}
	seen := [4]uint32{a.own[0], a.own[1], a.all[0], a.all[1]}
	for i, t := range seen {
		if t != 0 && !slices.ContainsFunc(seen[:i], func(o uint32) bool { return oneMoment(o, t) }) {
			f(t)
		}
	}
}

// oneMoment reports whether two seconds are so near that they are looked at as one.
func oneMoment(a, b uint32) bool { return max(a, b)-min(a, b) <= momentSeconds }

const momentSeconds = 60

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

// filed lists under what a part is filed, and sought under what that is found which may be equal to it; open says that the action may tell none.
func filed(room, parts []uint16, open bool) []uint16 {
	room = append(append(room, parts...), anyone)
	if open {
		room = append(room, 0)
	}
	return room
}

func sought(room, parts []uint16, open bool) []uint16 {
	if room = append(room, parts...); len(parts) > 0 {
		room = append(room, 0)
	}
	if open {
		room = append(room, anyone)
	}
	return room
}

func (a *ask) each(way func(room, parts []uint16, open bool) []uint16, what uint64, f func(askKey)) {
	a.room[0] = way(a.room[0][:0], a.places, a.nowhere)
	a.room[1] = way(a.room[1][:0], a.actors, a.nobody)
	for _, place := range a.room[0] {
		for _, actor := range a.room[1] {
			f(askKey{what, place, actor})
		}
	}
}
