package histories

import (
	"fmt"
	"time"

	"example.com/idemctl/internal/reconcile"
)

// wish is what a client wants done once, under whatever keys it comes to ask for it.
type wish struct {
	tenant string
	params string
	minor  int64
	actor  string
	number string // of the order that it is to become
}

// intent is a client's saved action: one key with its attempts.
type intent struct {
	id       Identity
	wish     *wish
	created  time.Duration
	attempts []*attempt
	due      time.Duration // 0: no further attempt is planned
	dead     bool          // a restore put an older copy in its place
}

type attempt struct {
	at      time.Duration
	target  string // the region it was sent to
	outcome reconcile.AttemptOutcome
}

// patience is how long a client waits for an answer.
const patience = 30 * time.Second

// newWish plans a client's wish: mostly one of its own, now and then one under a key that another tenant, or another wish, has used.
func (s *sim) newWish() {
	n := int64(len(s.wishes) + 1)
	w := &wish{tenant: choose(s, "north", "south"), minor: 1000 * n, params: fmt.Sprintf(`{"qty":%d}`, n), actor: choose(s, "ann", "bob"), number: fmt.Sprintf("N%d", n)}
	if n > 1 && s.draw(5) == 4 {
		w.params, w.minor = s.wishes[0].params, s.wishes[0].minor // somebody buys the same thing
		if s.fault(2) == 0 {
			w.actor = fmt.Sprintf("another-%d", n)
		}
	}
	id := Identity{Tenant: w.tenant, Key: s.newKey()}
	if n > 1 && s.draw(6) == 5 && s.mayTake(w.tenant) {
		id.Key = "K1"
		if s.taken[id] && w.params == s.wishes[0].params { // the same request under the same key would be told by nothing
			w.params, w.minor = fmt.Sprintf(`{"qty":%d}`, n), 1000*n
		}
	}
	s.taken[id] = true
	s.wishes = append(s.wishes, w)
	start := time.Duration(60+s.draw(270)) * time.Minute
	if s.draw(10) == 9 {
		start = scanAt - time.Duration(1+s.draw(5))*time.Minute
	}
	s.after(start, func() { s.intend(w, id) })
}

// mayTake reports whether the first key is used again: by another tenant, or, by mistake, for another request. That shows only where the client's own book is
// read and kept: else nothing would tell of the first request once its receipt is gone.
func (s *sim) mayTake(tenant string) bool {
	if s.taken[Identity{tenant, "K1"}] {
		return s.svc.Intents && !s.bookLost && s.one(2)
	}
	return !s.svc.SameKey || s.one(2)
}

// intend saves an intent and sends it for the first time.
func (s *sim) intend(w *wish, id Identity) {
	in := &intent{id: id, wish: w, created: s.now}
	s.intents = append(s.intents, in)
	s.ids[id] = w
	s.attempt(in)
}

func (s *sim) attempt(in *intent) {
	a := &attempt{at: s.now, target: s.region}
	s.life(in.id).see(s.now)
	in.attempts = append(in.attempts, a)
	s.after(patience, func() { s.think(in, a) })
	if s.one(12) {
		return // the request never arrived
	}
	if s.one(12) {
		s.after(choose(s, 0, time.Second, 40*time.Second), func() { s.arrive(&request{id: in.id, wish: in.wish, region: a.target, answer: nobody}) }) // it arrives twice
	}
	q := &request{id: in.id, wish: in.wish, region: a.target, answer: func(o reconcile.AttemptOutcome) {
		if s.now-a.at < patience && !s.one(8) {
			a.outcome = o
		}
	}}
	s.after(0, func() { s.arrive(q) })
}

// think is what a client does when it has waited long enough: ask again, later or under a new key, or give up.
func (s *sim) think(in *intent, a *attempt) {
	if a.outcome != reconcile.AttemptUncertain || s.calm || in.dead {
		return
	}
	wait := pick(s, time.Minute, 10*time.Minute, 90*time.Minute, 3*time.Hour)
	if !s.svc.Fences {
		wait = pick(s, 6*time.Minute, 10*time.Minute) // while a worker that stands still may wake
	}
	if !s.svc.Intents {
		wait = min(wait, 10*time.Minute) // where nothing tells of the first send, no receipt may be forgotten between two
	}
	switch what := s.draw(6); {
	case what < 3 && len(in.attempts) < 4 && s.now+wait < scanAt:
		s.after(wait, func() {
			if !in.dead {
				s.attempt(in)
			}
		})
	case what == 3:
		id := Identity{Tenant: in.id.Tenant, Key: s.newKey()}
		s.after(time.Second, func() {
			if s.now < scanAt {
				s.intend(in.wish, id)
			}
		})
	case what == 4 && s.svc.Intents:
		s.schedule(in, scanAt+time.Hour)
	}
}

// schedule plans a job that sends the intent again.
func (s *sim) schedule(in *intent, at time.Duration) {
	in.due = at
	s.after(max(0, at-s.now), func() {
		if !in.dead {
			in.due = 0
			s.attempt(in)
		}
	})
}

func nobody(reconcile.AttemptOutcome) {}

// target is where an action is sent again: to where the clients' book says that it was sent last, or else to wherever the service is now.
func (s *sim) target(id Identity) string {
	to := s.region
	if !s.svc.Intents {
		return to
	}
	for _, in := range s.intents {
		if in.id == id && len(in.attempts) > 0 {
			to = in.attempts[len(in.attempts)-1].target
		}
	}
	return to
}

// replay lets the service handle an action again, as its replay worker would.
func (s *sim) replay(id Identity, after time.Duration) {
	q := &request{id: id, wish: s.ids[id], region: s.target(id), answer: nobody}
	s.now = scanAt
	s.after(after, func() { s.arrive(q) })
}
