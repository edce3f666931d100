package histories

import (
	"slices"
	"time"

	"example.com/idemctl/internal/reconcile"
)

// planFaults plans at most one loss of a store, or else a row that is deleted by hand.
func (s *sim) planFaults() {
	backup := time.Duration(90+s.fault(120)) * time.Minute
	resumed := backup + time.Duration(5+s.fault(60))*time.Minute
	if s.svc.Intents && s.one(10) { // another region of the provider's is called from then on: the clients' book tells
		s.after(resumed, func() { s.region = "south" })
	}
	switch s.fault(12) {
	case 4:
		s.restore(reconcile.EventRestored, backup, resumed, s.receiptsBack, Receipts)
	case 5:
		s.restore(reconcile.EventRestored, backup, resumed, s.ordersBack, Orders)
	case 6:
		s.restore(reconcile.EventRestored, backup, resumed, s.allBack, Receipts, Orders, Messages)
	case 7: // another machine takes over, and had not got the last writes
		s.restore(reconcile.EventPromoted, resumed-pick(s, 5*time.Second, time.Minute, 8*time.Minute), resumed, s.allBack, Receipts, Orders, Messages)
	case 8: // another region takes over, with receipts of its own
		s.restore(reconcile.EventSwitched, 0, resumed, s.receiptsBack, Receipts)
	case 9:
		s.restore(reconcile.EventCleared, 0, resumed, s.receiptsBack, Receipts)
	case 10:
		if s.bookLost = true; s.svc.Intents {
			s.restore(reconcile.EventRestored, backup, resumed, s.clientsBack, Clients)
		}
	case 11: // everything there is goes back, the clients' book and its jobs too
		s.bookLost = true
		s.restore(reconcile.EventRestored, backup, resumed, func(b database) { s.allBack(b); s.clientsBack(b) }, Receipts, Orders, Messages, Clients)
	case 1, 2, 3:
		if s.svc.ReusesIDs && !s.svc.Reaper {
			s.after(resumed, s.deleteRow)
		}
	}
}

// restore takes a backup at one time and puts it back at another; what the receipts held just before may stay readable on the old disk.
func (s *sim) restore(kind reconcile.EventKind, backup, resumed time.Duration, back func(database), stores ...string) {
	var kept database
	oldDisk := s.draw(2) == 1
	s.after(backup, func() {
		kept = s.db.copy()
		kept.intents, kept.open = s.copyIntents(), s.oldestOpen()
	})
	s.after(resumed, func() {
		if oldDisk && stores[0] == Receipts && kind != reconcile.EventCleared {
			s.old, s.oldAt = s.db.copy().receipts, s.now
		}
		if oldDisk && slices.Contains(stores, Orders) && s.svc.local() {
			s.oldRows, s.oldAt = s.db.copy().rows, s.now
		}
		s.epoch++
		if kind == reconcile.EventSwitched {
			s.region = "east"
		}
		back(kept)
		for _, store := range stores {
			if !s.has(store) {
				continue
			}
			e := reconcile.Event{Store: store, Kind: kind, From: at(kept.open), To: at(resumed), ResumedAt: at(resumed)}
			if backup == 0 {
				e.From = reconcile.Instant{}
			}
			s.events = append(s.events, e)
		}
	})
}

// has reports whether the service has the store.
func (s *sim) has(store string) bool {
	switch store {
	case Orders:
		return s.svc.local()
	case Messages:
		return s.svc.Outbox
	case Clients:
		return s.svc.Intents
	}
	return true
}

func (s *sim) receiptsBack(b database) {
	s.db.receipts = b.receipts
	for _, id := range sortedIDs(b.receipts) {
		s.reap(id, b.receipts[id].ends)
	}
}

func (s *sim) ordersBack(b database) {
	s.db.rows, s.db.nextID = b.rows, b.nextID
	s.standAgain()
}

func (s *sim) allBack(b database) {
	s.receiptsBack(b)
	s.ordersBack(b)
	s.db.messages = b.messages
	s.relays++
	s.relayAll()
}

// clientsBack puts the clients' book back: each intent is what it was, and a job that was to come is started anew.
func (s *sim) clientsBack(b database) {
	for _, in := range s.intents {
		in.dead = true
	}
	s.intents = b.intents
	for _, in := range s.intents {
		last := in.attempts[len(in.attempts)-1]
		switch {
		case in.due > 0:
			s.schedule(in, max(in.due, s.now))
		case last.outcome == reconcile.AttemptUncertain && s.now-last.at > patience:
			s.after(patience, func() { s.think(in, last) })
		}
	}
}

func (s *sim) copyIntents() []*intent {
	out := make([]*intent, len(s.intents))
	for i, in := range s.intents {
		c := *in
		c.attempts = make([]*attempt, len(in.attempts))
		for k, a := range in.attempts {
			c.attempts[k] = &attempt{at: a.at, target: a.target, outcome: a.outcome}
		}
		out[i] = &c
	}
	return out
}

// standAgain counts the rows that a backup brings back as they were before they were undone.
func (s *sim) standAgain() {
	for i := range s.db.rows {
		for _, m := range s.made {
			if r := &s.db.rows[i]; m.row == r.id && m.owner == r.owner && r.status == reconcile.StatusEffective {
				m.undone = false
			}
		}
	}
}

// deleteRow is somebody's hand: the newest row goes, once its receipt says that it was made, and its id will be handed out again. A store that hands out the
// highest id and one lets one transaction write at a time, so that nobody deletes while another is open. Were it otherwise, a row could bear the deleted one's
// id and be as old as that: no time, amount or scope would speak against its receipt, and by the model such a reference holds.
func (s *sim) deleteRow() {
	n := len(s.db.rows) - 1
	if n < 0 || len(s.open) > 0 {
		return
	}
	r := s.db.rows[n]
	rec, ok := s.db.receipts[r.owner]
	if !ok || rec.state != reconcile.StateCompleted || rec.effect != r.id || s.now-r.created < 2*settle {
		return
	}
	s.db.rows = s.db.rows[:n]
	s.unmake(r.id, r.owner)
}

// post commits a message and wakes the relay.
func (s *sim) post(q *request, effect int64, serial int) {
	id := int64(len(s.db.messages) + 1)
	for i := range s.db.messages {
		id = max(id, s.db.messages[i].id+1)
	}
	s.db.messages = append(s.db.messages, message{id: id, owner: q.id, wish: q.wish, effect: effect, serial: serial, created: s.written()})
	s.relay(id, q.wish)
}

// relay delivers one message, soon or late, and marks it, or removes it. It may die after the send and before that: then it sends again.
func (s *sim) relay(id int64, w *wish) {
	relays := s.relays
	s.after(pick(s, 10*time.Second, 10*time.Minute, 7*time.Hour), func() {
		if s.relays != relays {
			return // the relay was stopped; the new one looks for itself
		}
		m := s.find(id)
		if m == nil || m.sent > 0 {
			return
		}
		o := s.charge(m.owner, w, m.serial, s.region)
		if s.one(6) {
			s.relay(id, w)
			return
		}
		m.sent = s.now
		if o.owner == m.owner && o.wish == w {
			s.setRow(m.effect, m.owner, func(r *row) { r.object = o.id })
		}
		if s.svc.Reaper { // a service that tidies up
			s.db.messages = slices.DeleteFunc(slices.Clone(s.db.messages), func(m message) bool { return m.id == id })
			return
		}
		if !s.one(4) {
			s.after(5*time.Second, func() {
				if m := s.find(id); m != nil && m.sent > 0 {
					m.confirmed = s.now
				}
			})
		}
	})
}

func (s *sim) find(id int64) *message {
	for i := range s.db.messages {
		if s.db.messages[i].id == id {
			return &s.db.messages[i]
		}
	}
	return nil
}

// relayAll wakes the relay after a restore: what the backup holds as unsent is sent again.
func (s *sim) relayAll() {
	for i := range s.db.messages {
		if m := &s.db.messages[i]; m.sent == 0 {
			s.relay(m.id, m.wish)
		}
	}
}
