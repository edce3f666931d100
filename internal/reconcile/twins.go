package reconcile

import (
	"cmp"
	"slices"
	"strings"
)

// RelateTwins fills Twins of each subject that of chooses, nil = of all, from the others: another action of one place, actor and request, begun inside the retry window of a send of the
// other, whatever its state. Of which nothing tells whether it is one, it is Unsure. The nearest MaxCandidates in time are named, the rest counted. Where a
// subject has several requests, those that are not named are counted by the one that most share.
func RelateTwins(subjects []*Subject, w *World, of func(*Subject) bool) {
	t := newTwinIndex(subjects, w)
	for i, s := range subjects {
		if of != nil && !of(s) {
			continue
		}
		if t.wishes[i] == nil {
			if s.Contract != nil && len(s.Contract.Actor) > 0 {
				t.likeEffects(s)
			}
			continue
		}
		t.nameTwins(s, i)
		t.nameUnsure(s, i)
		if len(s.Contract.Actor) > 0 {
			t.likeIntents(s, t.wishes[i])
			t.likeEffects(s)
		}
	}
}

// twinIndex finds subjects by what they ask for.
type twinIndex struct {
	w        *World
	wishes   []*wishes // of each subject, nil where it is told by no key
	seats    []twinSeat
	groups   map[wishKey]*twinGroup
	received map[wishKey]*twinGroup // those that have a receipt and an effect, by when the effect was made
	bases    map[string][]string    // every set of bases that occurs, by its spelling
	keys     map[string][]int       // of contracts in which one key may stand in several places or operations: subjects by key
}

// wishKey is a place, an actor and a request, or in place of the request a set of bases. unsaid stands for what is not known, any for whatever it may be.
type wishKey struct{ place, actor, request string }

const (
	unsaid = "?"
	anyone = "*"
)

// filed lists under what a part of a wish is filed, and sought under what those are found that it may be equal to.
func filed(part string) []string {
	if part == "" {
		return []string{unsaid, anyone}
	}
	return []string{part, anyone}
}

func sought(part string) []string {
	if part == "" {
		return []string{anyone}
	}
	return []string{part, unsaid}
}

// actorsOr is the actors of a wish, or the one that is not known.
func (w *wishes) actorsOr() []string {
	if len(w.actors) == 0 {
		return []string{""}
	}
	return w.actors
}

func basesKey(bases []string) string { return "\x00by " + strings.Join(bases, "\x01") }

func newTwinIndex(subjects []*Subject, w *World) *twinIndex {
	t := &twinIndex{
		w: w, wishes: make([]*wishes, len(subjects)), seats: make([]twinSeat, len(subjects)),
		groups: make(map[wishKey]*twinGroup), received: make(map[wishKey]*twinGroup), bases: make(map[string][]string), keys: make(map[string][]int),
	}
	for i, s := range subjects {
		of := wishesOf(s, w)
		if t.wishes[i] = of; of == nil {
			t.fileRow(rowWish(s, w), s)
			continue
		}
		t.seats[i] = seatOf(s)
		t.file(of, t.seats[i])
		if made := madeAt(s); made.known && len(s.Contract.Actor) > 0 {
			for _, actor := range of.actors {
				for _, request := range of.requests {
					group(t.received, wishKey{of.place, actor, request}).add(twinSeat{s: s, began: made, last: made})
				}
			}
		}
		if key := s.Contract.elsewhereKey(s.Identity); key != "" {
			t.keys[key] = append(t.keys[key], i)
		}
	}
	for _, groups := range []map[wishKey]*twinGroup{t.groups, t.received} {
		for _, g := range groups {
			g.sort()
		}
	}
	return t
}

func group(groups map[wishKey]*twinGroup, key wishKey) *twinGroup {
	if groups[key] == nil {
		groups[key] = &twinGroup{}
	}
	return groups[key]
}

func (t *twinIndex) file(of *wishes, seat twinSeat) {
	bases := basesKey(of.bases)
	t.bases[bases] = of.bases
	for _, place := range filed(of.place) {
		seen := make(map[string]bool)
		for _, known := range of.actorsOr() {
			for _, actor := range filed(known) {
				if seen[actor] {
					continue
				}
				seen[actor] = true
				for _, request := range of.requests {
					group(t.groups, wishKey{place, actor, request}).add(seat)
				}
				group(t.groups, wishKey{place, actor, bases}).add(seat)
			}
		}
	}
}

// fileRow files a row of unknown key under what it tells: it is found as another's twin, and has none itself.
func (t *twinIndex) fileRow(of *wishes, s *Subject) {
	if of == nil {
		return
	}
	for _, actor := range of.actors {
		for _, request := range of.requests {
			group(t.groups, wishKey{of.place, actor, request}).add(seatOf(s))
		}
	}
}

// look hands over the groups of those that ask for one thing: where all is known, and where place or actor is not. Of a wish that has the request itself, own
// says that it is one of the group.
func (t *twinIndex) look(of *wishes, request string, each func(g *twinGroup, known, own bool)) {
	for _, place := range sought(of.place) {
		seen := make(map[string]bool)
		for _, actor := range of.actorsOr() {
			for _, a := range sought(actor) {
				g := t.groups[wishKey{place, a, request}]
				if g == nil || seen[a] {
					continue
				}
				seen[a] = true
				each(g, place != anyone && place != unsaid && a != anyone && a != unsaid, slices.Contains(filed(of.place), place) && slices.Contains(filed(actor), a))
			}
		}
	}
}

// nameTwins names those of the same place, actor and request.
func (t *twinIndex) nameTwins(s *Subject, i int) {
	most := 0
	var near []twinSeat
	for _, request := range t.wishes[i].requests {
		count := 0
		t.look(t.wishes[i], request, func(g *twinGroup, known, own bool) {
			if known {
				found, n := g.near(t.seats[i], own)
				near, count = append(near, found...), count+n
			}
		})
		most = max(most, count)
	}
	named, _ := nearest(t.seats[i], near)
	for _, o := range named {
		s.Twins, _ = addNear(s, o.s, s.Twins, 0, "same scope and request under another key", 0)
	}
	s.MoreTwins = max(0, most-len(s.Twins))
}

// nameUnsure names those of which nobody can tell whether they are twins: the same request by whoever, or in a place that is not told; no request that could
// be compared; the same key in another place or operation, asking for nobody knows what.
func (t *twinIndex) nameUnsure(s *Subject, i int) {
	of, seat := t.wishes[i], t.seats[i]
	near, most := t.elsewhere(s, i), 0
	for _, request := range of.requests {
		t.look(of, request, func(g *twinGroup, known, own bool) {
			if !known {
				found, n := g.near(seat, own)
				near, most = append(near, found...), max(most, n)
			}
		})
	}
	for key, bases := range t.bases {
		if comparableBy(of.bases, bases) {
			continue
		}
		t.look(of, key, func(g *twinGroup, _, own bool) {
			found, n := g.near(seat, own && key == basesKey(of.bases))
			near, most = append(near, found...), max(most, n-len(s.Twins))
		})
	}
	near = slices.DeleteFunc(near, func(o twinSeat) bool {
		return !seat.meets(o, s.Contract.RetryWindow) || slices.ContainsFunc(s.Twins, func(c Candidate) bool { return c.Case == o.s.ID })
	})
	named, all := nearest(seat, near)
	for _, o := range named {
		s.Unsure, _ = addNear(s, o.s, s.Unsure, 0, "nothing tells whether it asks for the same", 0)
	}
	s.MoreUnsure = max(all, most) - len(s.Unsure)
}

// elsewhere lists those of the same key in another place or operation, begun inside the retry window, whose request cannot be compared.
func (t *twinIndex) elsewhere(s *Subject, i int) []twinSeat {
	var out []twinSeat
	c := s.Contract
	for _, n := range t.keys[c.elsewhereKey(s.Identity)] {
		o := t.seats[n].s
		if len(out) > MaxCandidates || n == i || o.ID == s.ID || comparableBy(t.wishes[i].bases, t.wishes[n].bases) || !t.seats[i].meets(t.seats[n], c.RetryWindow) {
			continue
		}
		if c.differs(s.Identity, o.Identity, c.mayMove) {
			out = append(out, t.seats[n])
		}
	}
	return out
}

// mayMove reports whether a component tells a place to which an action is sent, or an operation that may have been renamed.
func (c *Contract) mayMove(name string) bool {
	return slices.Contains(movable, name) && !slices.Contains(c.Free, name) || name == "operation" && c.MayRename()
}

// Roams reports whether one action may be asked for under one key in several places or operations, each of which makes an identity of its own.
func (c *Contract) Roams() bool { return c.moves() || c.MayRename() }

// elsewhereKey is what identities have in common that differ in nothing but place or operation; "" where the contract tells none apart, or one is not whole.
func (c *Contract) elsewhereKey(id []Component) string {
	if !c.Roams() || !Whole(id) {
		return ""
	}
	text := []byte(c.Name + "\x00")
	for i := range id {
		if !c.mayMove(id[i].Name) {
			text = c.appendComponent(text, id[i].Name, id[i].Value)
		}
	}
	return string(text)
}

// twinSeat is a subject and when it was sent: from began to last. Where a send does not tell its time, it may have been at any.
type twinSeat struct {
	s           *Subject
	began, last Instant
}

func seatOf(s *Subject) twinSeat {
	t := twinSeat{s: s}
	see := func(at ...Instant) { t.began, t.last = Earliest(append(at, t.began)...), Latest(append(at, t.last)...) }
	for _, e := range s.Evidence {
		see(s.Contract.Began(e.Record), e.Record.LockedAt, e.Record.AttemptAt)
		for _, a := range e.Record.Attempts {
			if !a.At.known {
				return twinSeat{s: s}
			}
			see(a.At)
		}
	}
	return t
}

// meets reports whether one of two was begun inside the retry window of a send of the other; where a time is not known it may have been.
func (t twinSeat) meets(o twinSeat, window Span) bool {
	return !window.Valid || !t.began.known || !o.began.known || !o.began.After(t.last.Add(window.D)) && !t.began.After(o.last.Add(window.D))
}

// compare orders seats by time, those of unknown time last, then by case id.
func (t twinSeat) compare(o twinSeat) int {
	switch {
	case t.began.known != o.began.known && t.began.known:
		return -1
	case t.began.known != o.began.known:
		return 1
	}
	return cmp.Or(cmp.Compare(t.began.ns, o.began.ns), strings.Compare(t.s.ID, o.s.ID))
}

// twinGroup is the subjects that ask for one thing.
type twinGroup struct {
	seats []twinSeat // by when they began
	ends  []twinSeat // by their last send
	timed int        // how many of them know it
}

func (g *twinGroup) add(t twinSeat) {
	if n := len(g.seats); n == 0 || g.seats[n-1].s != t.s {
		g.seats = append(g.seats, t)
	}
}

func (g *twinGroup) sort() {
	slices.SortFunc(g.seats, twinSeat.compare)
	g.timed = g.find(twinSeat{s: &Subject{}})
	g.ends = slices.Clone(g.seats[:g.timed])
	slices.SortFunc(g.ends, func(a, b twinSeat) int {
		return cmp.Or(cmp.Compare(a.last.ns, b.last.ns), strings.Compare(a.s.ID, b.s.ID))
	})
}

// find returns where a seat stands or would stand.
func (g *twinGroup) find(t twinSeat) int {
	n, _ := slices.BinarySearchFunc(g.seats, t, twinSeat.compare)
	return n
}

// before returns where seats of a time begin.
func (g *twinGroup) before(t Instant) int { return g.find(twinSeat{s: &Subject{}, began: t}) }

// ended returns how many were last sent before a time.
func (g *twinGroup) ended(t Instant) int {
	n, _ := slices.BinarySearchFunc(g.ends, t.ns, func(o twinSeat, ns int64) int { return cmp.Compare(o.last.ns, ns) })
	return n
}

// near returns the seats among which the nearest to a subject are, and how many the group has inside its retry window; of a member, besides itself. How far a
// time that is not known is away is not known either: it may be inside the window, and to one that knows none the first in time are the nearest.
func (g *twinGroup) near(t twinSeat, own bool) (found []twinSeat, count int) {
	if own {
		count = -1
	}
	if !t.began.known {
		return g.seats[:min(len(g.seats), MaxCandidates+1)], count + len(g.seats)
	}
	lo, hi, gone := 0, g.timed, 0
	if window := t.s.Contract.RetryWindow; window.Valid {
		since := t.began.Add(-window.D)
		lo, hi, gone = g.before(since), min(hi, g.before(t.last.Add(window.D+1))), g.ended(since)
		for n := gone; n < min(len(g.ends), gone+endSteps); n++ {
			if g.ends[n].began.Before(since) {
				found = append(found, g.ends[n])
			}
		}
	}
	some := func(from, to int) {
		found = append(found, g.seats[from:min(max(from, to), from+MaxCandidates+1)]...)
	}
	here, after := g.before(t.began), min(hi, g.before(t.began.Add(1)))
	some(here, after)
	for left, met := here, 0; left > lo && met < MaxCandidates; {
		from := max(lo, g.before(g.seats[left-1].began)) // all of one time: the first of them by case id
		some(from, left)
		met, left = met+left-from, from
	}
	some(after, hi)
	some(g.timed, len(g.seats))
	return found, count + hi - gone + len(g.seats) - g.timed
}

// endSteps is how many seats are looked at for one that was begun before the window and sent again inside it.
const endSteps = 64

// nearest keeps the nearest few of the seats that are not the subject's own, and counts them all. To one that does not know its time all are equally far: the
// first in time are kept.
func nearest(t twinSeat, seats []twinSeat) (few []twinSeat, all int) {
	seats = slices.DeleteFunc(slices.Clone(seats), func(o twinSeat) bool { return o.s.ID == t.s.ID })
	slices.SortFunc(seats, func(a, b twinSeat) int {
		if !t.began.known {
			return a.compare(b)
		}
		return cmp.Or(cmp.Compare(between(t.began, a.began), between(t.began, b.began)), strings.Compare(a.s.ID, b.s.ID))
	})
	seats = slices.CompactFunc(seats, func(a, b twinSeat) bool { return a.s.ID == b.s.ID })
	return seats[:min(len(seats), MaxCandidates)], len(seats)
}
