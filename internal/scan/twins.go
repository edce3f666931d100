package scan

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"

	"example.com/idemctl/internal/reconcile"
)

// Rows of other actions that may ask for what a suspect asks for come as its guests: whoever wants to replay it must know of them. The sieve chooses them
// by hashes of what the rules compare (reconcile.Wish): the same place, actor and request, or what nothing tells apart; of each the nearest in time.

// The bounds of what one suspect is judged beside: one twin refuses a replay, and a person reads no more than a few.
const (
	nearTwins         = 8 // actions on either side in time
	askSeats          = 4 // seats that an action takes under one thing
	invitesPerSuspect = 2 * nearTwins
	guestRows         = 64 // rows that a guest brings: enough to say who it is and when it began
	fewGroups         = 64 // groups of one union that come together; of more, which a reference that everybody uses has made, each comes by itself
)

// askSeat is a suspect's group under one thing that it asks for. A scan holds several for each suspect: it is as small as can be.
type askSeat struct {
	what, node   uint64
	t            uint32
	place, actor uint16
}

func seatAt(key askKey, t uint32, node uint64) askSeat {
	return askSeat{what: key.what, node: node, t: t, place: key.place, actor: key.actor}
}

func (s *askSeat) key() askKey { return askKey{s.what, s.place, s.actor} }

func compareSeat(a, b askSeat) int {
	return cmp.Or(compareAsk(a.key(), b.key()), cmp.Compare(a.t, b.t), cmp.Compare(a.node, b.node))
}

func compareAsk(a, b askKey) int {
	return cmp.Or(cmp.Compare(a.what, b.what), cmp.Compare(a.place, b.place), cmp.Compare(a.actor, b.actor))
}

// stretch is a part of a list: from one place up to another.
type stretch struct{ from, to int }

// other is an action that is offered to seats, by the door behind which it is.
type other struct {
	t    uint32
	door uint64
}

// asks finds, of all actions, the nearest that ask, or may ask, for what a suspect asks for. Between two seats in time no more are kept than one of them needs.
type asks struct {
	of    *asking
	seats []askSeat
	from  int                // where those of the group that was taken in last begin
	bases map[uint64][]uint8 // every set of bases that suspects have, by its hash
	byKey map[askKey]stretch // the seats of each key, once they are sorted
	gaps  map[int][2][]other // before a seat: the nearest to the seat before it, and the nearest to it
	full  []int              // those of gaps in which others stand
	one   ask

	untimed map[askKey][]other // those that tell no time
}

// eachAsk hands over what each action asks for that rows may be of: those of a group, or of groups that references join. A row that may be one action's or
// another's is taken for each; a row without a key asks by itself.
func (s *asks) eachAsk(rows []trace, f func(a *ask)) {
	unsure := slices.ContainsFunc(rows, func(t trace) bool { return t.id == 0 || t.fl&lodged != 0 }) || rows[0].id != rows[len(rows)-1].id
	others := rows[:min(len(rows), joinedRows)]
	for from, n := 0, 0; from < len(rows) && n < joinedRows; n++ {
		to := from + 1
		for rows[from].id != 0 && to < len(rows) && rows[to].id == rows[from].id {
			to++
		}
		s.one.reset()
		own := slices.ContainsFunc(rows[from:to], func(t trace) bool { return t.fl&lodged == 0 }) // of a key that comes row by row there may be none
		for i := from; i < to; i++ {
			if t := &rows[i]; t.fl&lodged == 0 || !own {
				s.one.add(s.of, t)
			}
		}
		if unsure && rows[from].k != 0 {
			for i := from; i < to && own; i++ {
				if t := &rows[i]; t.fl&lodged != 0 && t.mayJoin(&rows[from]) {
					s.one.perhaps(s.of, t)
				}
			}
			for i := range others {
				if t := &others[i]; (i < from || i >= to) && t.mayJoin(&rows[from]) {
					s.one.perhaps(s.of, t)
				}
			}
		}
		f(&s.one)
		from = to
	}
}

// mayJoin reports whether a row may be found to be of another's action: one that a reference brings, one that does not tell whose of its key it is, a line of
// an object that some other request made. Where both tell a place it is the same.
func (t *trace) mayJoin(o *trace) bool {
	if p, q := t.place(), o.place(); p != q && p != 0 && q != 0 {
		return false
	}
	return t.k == 0 || t.fl&lodged != 0 || t.id == 0 && t.k == o.k || t.role() == reconcile.RoleProvider
}

// seatAll takes in a suspect's group.
func (s *asks) seatAll(g *group) {
	s.eachAsk(g.rows, func(a *ask) { s.seat(a, g.node) })
}

func (s *asks) seat(a *ask, node uint64) {
	if n := len(s.seats); n == 0 || s.seats[n-1].node != node {
		s.from = n
	}
	for _, request := range a.requests {
		a.each(filed, request, func(key askKey) { s.sit(key, a, node) })
	}
	if !a.keyed {
		return
	}
	for i, bases := range [][]uint8{a.bases, a.most} {
		if i > 0 && len(bases) == len(a.bases) {
			break
		}
		hash := basesOf(bases)
		if s.bases == nil {
			s.bases = make(map[uint64][]uint8)
		}
		if s.bases[hash] == nil {
			s.bases[hash] = append([]uint8{}, bases...)
		}
		a.each(filed, hash, func(key askKey) { s.sit(key, a, node) })
	}
	if a.elsewhere != 0 {
		s.sit(askKey{what: a.elsewhere}, a, node)
	}
}

// sit takes seats at the moments of an action. A key of a million rows comes row by row: it has a few all the same, the first and the last among them.
func (s *asks) sit(key askKey, a *ask, node uint64) {
	a.moments(func(t uint32) {
		first, last, n := -1, -1, 0
		for i := s.from; i < len(s.seats); i++ {
			seat := &s.seats[i]
			switch {
			case seat.key() != key:
			case oneMoment(seat.t, t):
				return
			case seat.t != 0:
				n++
				if first < 0 || seat.t < s.seats[first].t {
					first = i
				}
				if last < 0 || seat.t > s.seats[last].t {
					last = i
				}
			}
		}
		switch {
		case t == 0 || n < askSeats:
			s.seats = append(s.seats, seatAt(key, t, node))
		case t < s.seats[first].t:
			s.seats[first].t = t
		case t > s.seats[last].t:
			s.seats[last].t = t
		}
	})
}

// open makes ready for offers: every seat is taken.
func (s *asks) open() {
	s.gaps, s.untimed = make(map[int][2][]other), make(map[askKey][]other)
	slices.SortFunc(s.seats, compareSeat)
	s.seats, s.byKey = slices.Compact(s.seats), make(map[askKey]stretch)
	for n := range s.seats {
		key := s.seats[n].key()
		of, known := s.byKey[key]
		if !known {
			of.from = n
		}
		s.byKey[key] = stretch{of.from, n + 1}
	}
}

// close makes ready for near: every other was offered.
func (s *asks) close() { s.full = slices.Sorted(maps.Keys(s.gaps)) }

func (s *asks) offer(a *ask, door uint64) {
	put := func(key askKey) { a.moments(func(t uint32) { s.put(key, other{t, door}) }) }
	for _, request := range a.requests {
		a.each(sought, request, put)
	}
	if !a.keyed {
		return // a row of which nobody knows under which key it was asked for is a twin where it tells the very request
	}
	for hash, bases := range s.bases {
		if !slices.ContainsFunc(a.bases, func(b uint8) bool { return slices.Contains(bases, b) }) {
			a.each(sought, hash, put)
		}
	}
	if a.elsewhere != 0 {
		put(askKey{what: a.elsewhere})
	}
}

// put offers an action to the seats of a key between which it stands.
func (s *asks) put(key askKey, o other) {
	of, some := s.byKey[key]
	if !some {
		return
	}
	at, _ := slices.BinarySearchFunc(s.seats[of.from:of.to], o.t, func(seat askSeat, t uint32) int { return cmp.Compare(seat.t, t) })
	n := of.from + at
	before, after := n > of.from, n < of.to
	if o.t == 0 {
		s.untimed[key] = keepNear(s.untimed[key], o, compareDoor)
		return
	}
	gap := s.gaps[n] // that of two keys, where one ends: each has a side of its own
	if before {
		gap[0] = keepNear(gap[0], o, func(a, b other) int { return cmp.Or(cmp.Compare(a.t, b.t), compareDoor(a, b)) })
	}
	if after {
		gap[1] = keepNear(gap[1], o, func(a, b other) int { return cmp.Or(cmp.Compare(b.t, a.t), compareDoor(a, b)) })
	}
	s.gaps[n] = gap
}

func compareDoor(a, b other) int { return cmp.Compare(a.door, b.door) }

// keepNear keeps the first few in an order, each action once, and one more: a seat's own may be among them.
func keepNear(list []other, o other, order func(a, b other) int) []other {
	if at := slices.IndexFunc(list, func(have other) bool { return have.door == o.door }); at >= 0 {
		if order(list[at], o) <= 0 {
			return list
		}
		list = slices.Delete(list, at, at+1)
	}
	n, _ := slices.BinarySearchFunc(list, o, order)
	if n > nearTwins {
		return list
	}
	list = slices.Insert(list, n, o)
	return list[:min(len(list), nearTwins+1)]
}

// near hands over so many of the nearest others on either side of a seat, behind doors other than its own.
func (s *asks) near(n int, own uint64, most int, each func(door uint64)) {
	key, met := s.seats[n].key(), make([]uint64, 0, nearTwins)
	meet := func(others []other) {
		for _, o := range others {
			if o.door != own && len(met) < most && !slices.Contains(met, o.door) {
				met = append(met, o.door)
				each(o.door)
			}
		}
	}
	meet(s.untimed[key])
	at, _ := slices.BinarySearch(s.full, n+1)
	for side, step := range []int{-1, 1} {
		met = met[:0]
		for i := at - 1 + side; i >= 0 && i < len(s.full) && len(met) < most; i += step {
			if of := s.full[i] - side; of < 0 || of >= len(s.seats) || s.seats[of].key() != key {
				break
			}
			meet(s.gaps[s.full[i]][1-side])
		}
	}
}

// offerAll returns what offers a group to the seats of those that ask for the same. Groups that references join are offered together, see offerJoined; of a
// union of many groups a row without a key, which may be anybody's there, is offered to nobody.
func (s *sieve) offerAll(large map[uint64]bool) func(group) error {
	return func(g group) error {
		if joined := s.unions.joined(g.node); !joined || g.rows[0].k != 0 && large[s.unions.root(g.node)] {
			s.asks.eachAsk(g.rows, func(a *ask) { s.asks.offer(a, g.node) })
		}
		return nil
	}
}

// seatTwins adds, to each suspect, rows of other actions that ask, or may ask, for the same. They come as guests: they are counted where they belong.
func (s *sieve) seatTwins(ctx context.Context) error {
	if len(s.asks.seats) == 0 {
		return nil
	}
	large := s.large
	s.asks.seats = slices.DeleteFunc(s.asks.seats, func(seat askSeat) bool { // they sit with those that they are joined with
		return s.unions.joined(seat.node) && s.joined.whole(s.unions.root(seat.node))
	})
	if err := s.joined.each(ctx, s.asks.seatJoined); err != nil {
		return err
	}
	s.asks.open()
	if err := s.each(ctx, s.offerAll(large)); err != nil {
		return err
	}
	if err := cmp.Or(s.joined.each(ctx, s.asks.offerJoined), s.joined.close()); err != nil {
		return err
	}
	s.asks.close()
	d := s.doors(large)
	s.asks = &asks{of: s.asks.of}
	if len(d.numbers) == 0 {
		return nil
	}
	return s.each(ctx, func(g group) error { return s.seatGuests(g, d.behind(s.door(g.node, large))) })
}

// door is the name under which a group comes as a guest: its union's, unless that is so large that each of its groups comes by itself.
func (s *sieve) door(node uint64, large map[uint64]bool) uint64 {
	if root := s.unions.root(node); !large[root] {
		return root
	}
	return node
}

// seatGuests writes a group's rows as guests of its hosts.
func (s *sieve) seatGuests(g group, hosts iter.Seq[uint64]) error {
	for host := range hosts {
		for i := range g.rows[:min(len(g.rows), guestRows)] {
			if err := s.write(suspect{node: host, src: g.rows[i].src, pos: g.rows[i].pos, guest: true}); err != nil {
				return err
			}
		}
	}
	return nil
}

// twinsOf finds, to each action of a crowd's own rows, the nearest others that ask, or may ask, for the same, by their first rows.
func (c *crowd) twinsOf() map[int32][]int32 {
	s := asks{of: c.asking}
	c.eachAction(func(rows []int32) {
		if slices.ContainsFunc(rows, func(i int32) bool { return int(i) < c.own }) {
			s.seat(c.askOf(&s.one, rows), uint64(rows[0])+1)
		}
	})
	s.open()
	c.eachAction(func(rows []int32) {
		if c.rows[rows[0]].key != 0 { // without what names it a row would be taken for somebody's here
			s.offer(c.askOf(&s.one, rows), uint64(rows[0])+1)
		}
	})
	s.close()
	out := make(map[int32][]int32)
	for n := range s.seats {
		first := int32(s.seats[n].node - 1) // as below
		s.near(n, s.seats[n].node, twinRows, func(node uint64) {
			if o := int32(node - 1); !slices.Contains(out[first], o) { // a row's place, see close
				out[first] = append(out[first], o)
			}
		})
	}
	return out
}

// eachAction hands over the rows of each action; a row without a key is one by itself. Those of a key of which some row does not tell whose it is are one action
// besides.
func (c *crowd) eachAction(f func(rows []int32)) {
	c.stretches(c.actions, func(a, b *member) bool { return a.key != 0 && a.key == b.key }, func(rows []int32) {
		if slices.ContainsFunc(rows, func(i int32) bool { return c.rows[i].loose }) {
			f(rows)
		}
		c.stretches(rows, func(a, b *member) bool { return a.scope == b.scope }, f)
	})
}

func (c *crowd) askOf(a *ask, rows []int32) *ask {
	a.reset()
	for _, i := range rows {
		m := &c.rows[i]
		a.add(c.asking, &trace{k: uint64(m.key), src: m.src, ci: m.ci, tw: m.tw, fp: m.fp, pa: m.pa, fl: m.fl, t: seconds(reconcile.AtUnix(m.t))})
	}
	return a
}

// suspectable reports whether the rows of a group tell an actor and a request, so that a suspected duplicate of them can be told.
func (g *group) suspectable() bool {
	actor, request := false, false
	for i := range g.rows {
		t := &g.rows[i]
		actor, request = actor || t.actor() != 0, request || t.tw|t.fp != 0
	}
	return g.rows[0].fl&noActor == 0 && actor && request
}
