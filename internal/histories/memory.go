package histories

import (
	"fmt"
	"time"

	"example.com/idemctl/internal/reconcile"
)

// transaction is one that stays open for long: nobody sees what it writes, and its rows carry the time of its beginning.
type transaction struct{ began, ends time.Duration }

// commitLate is the one step of a service that commits all at once, in a transaction that stays open. A restore ends it.
func (w *worker) commitLate() {
	s := w.s
	epoch := s.epoch
	t := &transaction{began: s.now, ends: s.now + choose(s, 5*time.Minute, 40*time.Minute)}
	s.open[w.q.id] = t
	s.after(t.ends-s.now, func() {
		delete(s.open, w.q.id)
		if s.epoch != epoch {
			return
		}
		w.began, s.stamp = t.began, t.began
		w.step(0)
		s.stamp = 0
	})
}

// written is the time that a row gets which is written now.
func (s *sim) written() time.Duration {
	if s.stamp > 0 {
		return s.stamp
	}
	return s.now
}

// put writes the receipt whole.
func (w *worker) put(state reconcile.State) {
	s := w.s
	r := receipt{
		state: state, gen: w.gen, serial: w.serial, params: w.q.wish.params, wish: w.q.wish, created: w.began, locked: w.took, updated: s.written(), lease: w.took + lease,
		ends: w.began + s.svc.Retention,
	}
	if state == reconcile.StateCompleted {
		r.done, r.effect = s.written(), w.row
		if w.obj != nil {
			r.object = w.obj.id
		}
	}
	s.db.receipts[w.q.id] = r
	s.life(w.q.id).remember(r)
	s.reap(w.q.id, r.ends)
}

// reap plans the removal of a receipt at the end of its life, or soon, if that has come.
func (s *sim) reap(id Identity, ends time.Duration) {
	if !s.svc.Reaper {
		return
	}
	s.after(max(0, ends-s.now)+time.Minute, func() {
		if r, ok := s.db.receipts[id]; ok && r.ends == ends {
			delete(s.db.receipts, id)
		}
	})
}

// charge is the provider: it recognises a key as long as it does, and else makes an object. serial is of the receipt's row.
func (s *sim) charge(id Identity, w *wish, serial int, region string) *object {
	key := s.keyFor(id, serial)
	if s.svc.Regional {
		key = region + "/" + key
	}
	s.life(id).see(s.now)
	if o := s.known[key]; o != nil && s.svc.Dedup && (s.svc.Promises == reconcile.RetentionForever || s.now-o.at < s.svc.Remember) {
		return o
	}
	outcome := reconcile.OutcomeSucceeded
	if s.one(12) {
		outcome = reconcile.OutcomePending
	}
	o := s.newObject(id, w, outcome)
	if s.svc.KeyedLog && (s.svc.KeyedRows || !s.svc.local()) && s.one(40) {
		o.minor += 100 // it charges another amount; without keys in log and rows nothing would say for what
	}
	o.key = key
	s.objects = append(s.objects, o)
	s.made = append(s.made, &making{owner: id, wish: w, object: o, at: s.now})
	s.known[key] = o
	return o
}

func (s *sim) keyFor(id Identity, serial int) string {
	switch {
	case s.svc.Minted:
		s.minted++
		return fmt.Sprintf("minted-%d", s.minted)
	case s.svc.RowKey:
		return fmt.Sprintf("pay-%d", serial)
	case s.svc.SameKey:
		return id.Key
	}
	return id.Tenant + "-" + id.Key
}

func (s *sim) newObject(id Identity, w *wish, o reconcile.Outcome) *object {
	made := &object{
		id: fmt.Sprintf("ch_%d", len(s.objects)+1), owner: id, wish: w, outcome: o, at: s.now, minor: w.minor,
		shows: s.now + choose(s, 0, 5*time.Minute, lag), lines: choose(s, 1, 2),
	}
	if made.lines > 1 && s.one(25) {
		if made.twist = choose(s, otherAmount, otherEnd); s.svc.Mail {
			made.twist = otherEnd
		}
	}
	return made
}
