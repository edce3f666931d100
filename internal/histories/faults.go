package histories

import (
	"time"

	"example.com/idemctl/internal/reconcile"
)

// planFaults plans at most one restore, or else a row that is deleted by hand.
func (s *sim) planFaults() {
	backup := time.Duration(90+s.draw(120)) * time.Minute
	resumed := backup + time.Duration(5+s.draw(60))*time.Minute
	switch s.draw(7) {
	case 3:
		s.restore(backup, resumed, s.receiptsBack, Receipts)
	case 4:
		s.restore(backup, resumed, s.ordersBack, Orders)
	case 5:
		s.restore(backup, resumed, func(b database) { s.db = b; s.standAgain(); s.relayAll() }, Receipts, Orders, Messages)
	case 6:
		s.after(resumed, func() {
			s.db.receipts = make(map[Identity]receipt)
			s.events = append(s.events, reconcile.Event{Store: Receipts, Kind: reconcile.EventCleared, To: at(resumed)})
		})
	default:
		if s.svc.ReusesIDs && !s.svc.Reaper {
			s.after(resumed, s.deleteRow)
		}
	}
}

// restore takes a backup at one time and puts it back at another; what the receipts held just before may stay readable on the old disk.
func (s *sim) restore(backup, resumed time.Duration, back func(database), stores ...string) {
	var kept database
	oldDisk := s.draw(2) == 1
	s.after(backup, func() { kept = s.db.copy() })
	s.after(resumed, func() {
		if oldDisk && stores[0] == Receipts {
			s.old, s.oldAt = s.db.copy().receipts, s.now
		}
		back(kept)
		for _, store := range stores {
			s.events = append(s.events, reconcile.Event{Store: store, From: at(backup), To: at(resumed), ResumedAt: at(resumed)})
		}
	})
}

func (s *sim) receiptsBack(b database) { s.db.receipts = b.receipts }

func (s *sim) ordersBack(b database) {
	s.db.rows, s.db.nextID = b.rows, b.nextID
	s.standAgain()
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

// deleteRow is somebody's hand: the newest row goes, once its receipt says that it was made, and its id will be handed out again.
func (s *sim) deleteRow() {
	n := len(s.db.rows) - 1
	if n < 0 {
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
func (s *sim) post(q *request, effect int64) {
	id := int64(len(s.db.messages) + 1)
	for i := range s.db.messages {
		id = max(id, s.db.messages[i].id+1)
	}
	s.db.messages = append(s.db.messages, message{id: id, owner: q.id, effect: effect, created: s.now})
	s.relay(id, q.wish)
}

// relay delivers one message, soon or late. It may die after the send and before its mark: then it sends again.
func (s *sim) relay(id int64, w *wish) {
	s.after(pick(s, 10*time.Second, 10*time.Minute, 7*time.Hour), func() {
		m := s.message(id)
		if m == nil || m.sent > 0 {
			return
		}
		o := s.charge(m.owner, w)
		if s.one(6) {
			s.relay(id, w)
			return
		}
		m.sent = s.now
		s.setRow(m.effect, m.owner, func(r *row) { r.object = o.id })
		if !s.one(4) {
			s.after(5*time.Second, func() {
				if m := s.message(id); m != nil && m.sent > 0 {
					m.confirmed = s.now
				}
			})
		}
	})
}

func (s *sim) message(id int64) *message {
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
			s.relay(m.id, s.ids[m.owner])
		}
	}
}
