package reconcile

import (
	"fmt"
	"slices"
)

// A pair of sources whose keys were never comparable (one stores them hashed, prefixed or cut) joins nowhere: every absence between the two would be a false
// fact, and a replay offered a million times. What sources have in common is therefore counted before anything is judged.
//
// The bounds are chosen so that a handful of rows which do not join is never called broken, and a restore gap never: inside a gap one side has nothing, and
// whatever it has before or after joins. So what counts is the smaller side, in the time in which both have rows, and at least joinLeast of its keys. Of keys
// that cannot be compared, one in joinOneIn may still look alike: a short key that was not cut, a row that was written by hand.
const (
	joinLeast = 100
	joinOneIn = 100
)

// maxJoinSources is how many sources are counted against each other; of more, nothing is called broken.
const maxJoinSources = 256

// Sighting is a row of one key or reference: its source, by its place in the world, and its time.
type Sighting struct {
	Source int
	At     Instant
	Idle   bool // a receipt that records nothing as made
}

// JoinTime is the time by which a row is counted: for a receipt that of its completion, as far as it tells, else that of its beginning. Whole seconds of the years 1970 to 2106: a sieve
// keeps no more.
func JoinTime(c *Contract, r *Record) Instant {
	t := r.CreatedAt
	switch r.Role {
	case RoleReceipt:
		t = r.CompletedAt.Or(r.UpdatedAt).Or(c.Began(r))
	case RoleIntent, RoleOutbox:
		t = r.Time()
	case RoleEffect, RoleProvider:
	}
	if s := t.ns / 1e9; t.known && s > 0 && s < 1<<32 {
		return AtUnix(s * 1e9)
	}
	return Instant{}
}

// joinBy says what two sources can join by.
type joinBy uint8

const (
	joinNothing joinBy = iota
	joinKeys
	joinRefs
)

// Joins counts, for every pair of sources of different roles, the keys of each and those of both in the time in which both have rows.
type Joins struct {
	facts   []SourceFacts
	from    []Instant // of each source: its first and last row, as far as rows tell
	to      []Instant
	by      []joinBy                 // of each pair
	common  [joinDomains][]joinCount // of each ordered pair
	present []Sighting

	stretches *stretches // the same by slices of time; nil = not counted
}

// What two sources may have in common.
const (
	joinKey    = iota // a key or an effect id
	joinObject        // an object id
	joinAlias         // the other name of an object, or its only one
	joinDomains
)

// joinCount counts what one source has in the time of another, and what of it the other has there too.
type joinCount struct{ of, both int64 }

// NewJoins makes counters for sources whose first and last rows are known.
func NewJoins(facts []SourceFacts, from, to []Instant) *Joins {
	n := len(facts)
	j := &Joins{facts: facts, from: from, to: to}
	if n > maxJoinSources {
		return j
	}
	j.by = make([]joinBy, n*n)
	for domain := range j.common {
		j.common[domain] = make([]joinCount, n*n)
	}
	for a := range facts {
		for b := range facts {
			if from[a].After(to[b]) || from[b].After(to[a]) {
				continue // they never had rows at one time
			}
			j.by[a*n+b] = joinable(&facts[a], &facts[b])
		}
	}
	return j
}

func joinable(a, b *SourceFacts) joinBy {
	switch {
	case a.Role == b.Role:
		return joinNothing
	case slices.Contains(a.Components, "key") && slices.Contains(b.Components, "key"):
		return joinKeys
	case a.MapsRef && b.MapsRef:
		return joinRefs
	}
	return joinNothing
}

// Key counts the rows of one key text of a contract, which is named by its place in the book. Those of one source count once.
func (j *Joins) Key(contract int, rows []Sighting) { j.count(rows, joinKeys, joinKey, contract) }

// Ref counts the rows of one reference of a domain; request ids are not counted.
func (j *Joins) Ref(contract int, d RefDomain, rows []Sighting) {
	switch d {
	case RefEffect:
		j.count(rows, joinRefs, joinKey, contract)
	case RefObject:
		j.count(rows, joinRefs, joinObject, contract)
	case RefAlias:
		j.count(rows, joinRefs, joinAlias, contract)
	case RefRequest, RefSentKey:
	}
}

func (j *Joins) count(rows []Sighting, by joinBy, domain, contract int) {
	if j.by == nil {
		return
	}
	j.present = j.present[:0]
	for _, r := range rows {
		at := slices.IndexFunc(j.present, func(p Sighting) bool { return p.Source == r.Source })
		if at < 0 {
			j.present = append(j.present, r)
			continue
		}
		p := &j.present[at]
		p.Idle = p.Idle && r.Idle
		if r.At.Before(p.At) || !p.At.known {
			p.At = r.At
		}
	}
	if j.stretches != nil {
		j.stretches.count(j, by, domain, contract)
	}
	n := len(j.facts)
	for _, p := range j.present {
		for b := range n {
			if j.by[p.Source*n+b] == by && j.within(p, b) {
				j.common[domain][p.Source*n+b].of++
			}
		}
		for _, o := range j.present {
			if j.by[p.Source*n+o.Source] == by && j.within(p, o.Source) {
				j.common[domain][p.Source*n+o.Source].both++
			}
		}
	}
}

// within reports whether a row lies in the time in which another source has rows too; one without a time may.
func (j *Joins) within(p Sighting, other int) bool {
	return !p.At.Before(j.from[other]) && !p.At.After(j.to[other])
}

// BrokenJoin is a pair of sources that were never comparable, or not for some time.
type BrokenJoin struct {
	A, B           int // by their place in the world
	OfA, OfB, Both int64
	From, To       Instant // when both have rows; of a stretch its ends, where they are not open
	Partly         bool    // a stretch only: before or after it they join
	Hole           bool    // of a stretch: B, a log, has nothing in it
	Contract       int     // of a stretch: by its place in the book
}

// Broken lists the pairs that were never comparable. A source that joins another of the same role is comparable with that role: stores that are divided by
// tenant or by hash share nothing crosswise.
func (j *Joins) Broken() []BrokenJoin {
	if j.by == nil {
		return nil
	}
	n := len(j.facts)
	joinsRole := func(a int, role Role) bool {
		for b := range n {
			if j.facts[b].Role == role && j.joins(a, b) {
				return true
			}
		}
		return false
	}
	var out []BrokenJoin
	for a := range n {
		for b := a + 1; b < n; b++ {
			switch {
			case j.joins(a, b):
				out = append(out, j.brokenStretches(a, b)...)
			case joinsRole(a, j.facts[b].Role) && joinsRole(b, j.facts[a].Role):
			default:
				if whole := j.broken(a, b); whole != nil {
					out = append(out, *whole)
				}
			}
		}
	}
	return out
}

// broken looks at a pair over all times.
func (j *Joins) broken(a, b int) *BrokenJoin {
	n := len(j.facts)
	for domain := range j.common {
		x, y := j.common[domain][a*n+b], j.common[domain][b*n+a]
		if min(x.of, y.of) >= joinLeast && sparse(x, y) {
			return &BrokenJoin{A: a, B: b, OfA: x.of, OfB: y.of, Both: x.both, From: Latest(j.from[a], j.from[b]), To: Earliest(j.to[a], j.to[b])}
		}
	}
	return nil
}

// joins reports whether two sources have more in common than chance: in one domain is enough.
func (j *Joins) joins(a, b int) bool {
	n := len(j.facts)
	for _, common := range j.common {
		if x, y := common[a*n+b], common[b*n+a]; x.both > 0 && !sparse(x, y) {
			return true
		}
	}
	return false
}

// sparse reports whether almost nothing of the smaller side joins.
func sparse(a, b joinCount) bool { return max(a.both, b.both)*joinOneIn < min(a.of, b.of) }

// BreakJoins notes the pairs in the world: no absence is concluded between them, at all or in their stretches.
func (w *World) BreakJoins(broken []BrokenJoin, book Book) {
	for _, b := range broken {
		if w.Broken == nil {
			w.Broken = make(map[[2]string][]Stretch)
		}
		var s Stretch
		if b.Partly {
			s = Stretch{Contract: book[b.Contract].Name, From: b.From, To: b.To}
		}
		pair := [2]string{w.Sources[b.A].Name, w.Sources[b.B].Name}
		w.Broken[pair] = append(w.Broken[pair], s)
	}
}

// Text says what is wrong with the pair and what to do.
func (b *BrokenJoin) Text(w *World) string {
	what := "keys"
	if joinable(&w.Sources[b.A], &w.Sources[b.B]) == joinRefs {
		what = "references"
	}
	if b.Hole {
		return fmt.Sprintf("%s has nothing for some time %s, in which %s has %d %s, of which it shows most at other times: a file of it may be missing. Nothing is concluded from what it "+
			"lacks in that time. Add what is missing; where it is whole, declare its coverage, from and to.",
			w.Sources[b.B].Name, Stretch{From: b.From, To: b.To}.words(), w.Sources[b.A].Name, b.OfA, what)
	}
	if b.Partly {
		return fmt.Sprintf("%s has %d %s and %s has %d %s, and %d are the same, although at other times they join: the %s of one were changed there (hashed, prefixed, cut, "+
			"or rows of others only). Nothing is concluded from what either lacks in that time. Map the same %s in both and scan again.",
			w.Sources[b.A].Name, b.OfA, what, w.Sources[b.B].Name, b.OfB, Stretch{From: b.From, To: b.To}.words(), b.Both, what, what)
	}
	return fmt.Sprintf("%s has %d %s and %s has %d in the time that both cover, and %d are the same: they were never comparable (hashed, prefixed, cut, or another column). "+
		"Nothing is concluded from what either lacks. Map the same %s in both and scan again.", w.Sources[b.A].Name, b.OfA, what, w.Sources[b.B].Name, b.OfB, b.Both, what)
}
