package histories

import (
	"fmt"
	"time"

	"example.com/idemctl/internal/reconcile"
)

// request is one arrival at the service.
type request struct {
	id     Identity
	wish   *wish
	answer func(reconcile.AttemptOutcome)
}

// arrive is the service's front: it answers from a live receipt, or sets a worker to the task.
func (s *sim) arrive(q *request) {
	r, there := s.db.receipts[q.id]
	w := &worker{s: s, q: q, gen: r.gen + 1, began: s.now}
	if there && s.now < r.ends {
		w.began = r.created
		switch {
		case r.params != q.wish.params:
			q.answer(reconcile.AttemptRejected)
			return
		case r.state == reconcile.StateCompleted:
			q.answer(reconcile.AttemptConfirmed)
			return
		case r.state == reconcile.StateFailedFinal:
			q.answer(reconcile.AttemptFailed)
			return
		case r.state == reconcile.StateInProgress && s.now < r.lease:
			q.answer(reconcile.AttemptRejected)
			return
		}
	}
	w.steps = w.plan()
	w.run(0)
}

// worker performs one request step by step. Each step commits; before each the worker may die or stall.
type worker struct {
	s     *sim
	q     *request
	gen   int64
	steps []func() bool
	row   int64
	obj   *object
	began time.Duration // when the receipt was first written: whoever takes over leaves that time alone
	took  time.Duration // when this worker took the lease
}

func (w *worker) plan() []func() bool {
	svc := &w.s.svc
	switch {
	case svc.Outbox, svc.Atomic && svc.Effect == reconcile.LegsLocal:
		return []func() bool{w.commit}
	case svc.Effect == reconcile.LegsLocal:
		return []func() bool{w.begin, w.insert, w.finish}
	case svc.Effect == reconcile.LegsExternal:
		return []func() bool{w.begin, w.charge, w.finish}
	case svc.Atomic && svc.ProviderFirst:
		return []func() bool{w.begin, w.charge, w.insertAndFinish}
	case svc.Atomic:
		return []func() bool{w.beginAndInsert, w.charge, w.finish}
	case svc.ProviderFirst:
		return []func() bool{w.begin, w.charge, w.insert, w.finish}
	}
	return []func() bool{w.begin, w.insert, w.charge, w.finish}
}

func (w *worker) run(i int) {
	s := w.s
	switch {
	case i == len(w.steps):
		return
	case s.one(12):
		return // it dies
	case s.one(16):
		s.after(w.stall(i), func() {
			if i == 0 || !w.fenced() {
				w.step(i)
			}
		})
		return
	}
	w.step(i)
}

// fenced reports whether another worker has taken over: one that wakes looks at the generation before it goes on. A receipt that is gone stops nobody.
func (w *worker) fenced() bool {
	r, there := w.s.db.receipts[w.q.id]
	return there && r.gen > w.gen
}

func (w *worker) step(i int) {
	if w.steps[i]() {
		w.s.after(time.Second, func() { w.run(i + 1) })
	}
}

// stall is how long a worker stands still: before anything is committed no longer than the contract's settle, and never beyond the time after which
// the contract calls it certainly gone.
func (w *worker) stall(i int) time.Duration {
	if i == 0 {
		return time.Minute
	}
	if w.s.svc.DeadAfter > 0 {
		return max(0, min(pick(w.s, 2*time.Minute, 8*time.Minute, 20*time.Minute), w.took+lease+w.s.svc.DeadAfter-time.Minute-w.s.now))
	}
	return pick(w.s, 2*time.Minute, 8*time.Minute, 40*time.Minute, 4*time.Hour)
}

func (w *worker) begin() bool {
	w.took = w.s.now
	w.put(reconcile.StateInProgress)
	return true
}

// insert makes the row, or finds the one of a worker before it, where the service looks.
func (w *worker) insert() bool {
	s := w.s
	if s.svc.SkipsRow {
		for i := range s.db.rows {
			if r := &s.db.rows[i]; r.owner == w.q.id && r.wish == w.q.wish && r.status == reconcile.StatusEffective {
				w.row = r.id
				return true
			}
		}
	}
	w.row = s.insert(w.q, reconcile.StatusEffective)
	w.name()
	return true
}

func (w *worker) beginAndInsert() bool { return w.begin() && w.insert() }

func (w *worker) insertAndFinish() bool { return w.insert() && w.finish() }

// charge calls the provider. A call without answer ends the worker: the service does not know.
func (w *worker) charge() bool {
	s := w.s
	if s.one(10) {
		w.decline()
		return false
	}
	w.obj = s.charge(w.q.id, w.q.wish)
	if s.one(10) {
		return false
	}
	w.name()
	return true
}

// name writes the provider's id into the row, as soon as both are there.
func (w *worker) name() {
	if w.row > 0 && w.obj != nil {
		w.s.setRow(w.row, w.q.id, func(r *row) { r.object = w.obj.id })
	}
}

// decline is the provider's refusal: the row is undone, and the receipt remembers the failure or frees the key.
func (w *worker) decline() {
	s := w.s
	s.objects = append(s.objects, s.newObject(w.q.id, w.q.wish, reconcile.OutcomeFailed))
	if w.row > 0 {
		s.void(w.row, w.q.id)
	}
	w.put(pick(s, reconcile.StateFailedFinal, reconcile.StateFailedRetryable))
	w.q.answer(reconcile.AttemptFailed)
}

func (w *worker) finish() bool {
	if r, ok := w.s.db.receipts[w.q.id]; ok && r.wish == w.q.wish {
		w.put(reconcile.StateCompleted)
	}
	w.q.answer(reconcile.AttemptConfirmed)
	return true
}

// commit is one transaction with everything in it; a receipt that another worker has committed meanwhile stops it.
func (w *worker) commit() bool {
	s := w.s
	if r, ok := s.db.receipts[w.q.id]; ok && s.now < r.ends && r.state == reconcile.StateCompleted {
		w.q.answer(reconcile.AttemptConfirmed)
		return false
	}
	w.took = s.now
	w.row = s.insert(w.q, reconcile.StatusEffective)
	w.put(reconcile.StateCompleted)
	if s.svc.Outbox {
		s.post(w.q, w.row)
	}
	w.q.answer(reconcile.AttemptConfirmed)
	return true
}

// put writes the receipt whole.
func (w *worker) put(state reconcile.State) {
	s := w.s
	r := receipt{state: state, gen: w.gen, params: w.q.wish.params, wish: w.q.wish, created: w.began, locked: w.took, updated: s.now, lease: w.took + lease, ends: w.began + s.svc.Retention}
	if state == reconcile.StateCompleted {
		r.done, r.effect = s.now, w.row
		if w.obj != nil {
			r.object = w.obj.id
		}
	}
	s.db.receipts[w.q.id] = r
	if s.svc.Reaper {
		id, ends := w.q.id, r.ends
		s.after(ends-s.now+time.Minute, func() {
			if r, ok := s.db.receipts[id]; ok && r.ends == ends {
				delete(s.db.receipts, id)
			}
		})
	}
}

// charge is the provider: it recognises a key as long as it promises to, and else makes an object.
func (s *sim) charge(id Identity, w *wish) *object {
	key := id.Tenant + "-" + id.Key
	if s.svc.Minted {
		s.minted++
		key = fmt.Sprintf("minted-%d", s.minted)
	}
	if o := s.known[key]; o != nil && s.svc.Dedup && s.now-o.at < s.svc.Remember {
		return o
	}
	outcome := reconcile.OutcomeSucceeded
	if s.one(12) {
		outcome = reconcile.OutcomePending
	}
	o := s.newObject(id, w, outcome)
	s.objects = append(s.objects, o)
	s.made = append(s.made, &making{owner: id, wish: w, at: s.now})
	s.known[key] = o
	return o
}

func (s *sim) newObject(id Identity, w *wish, o reconcile.Outcome) *object {
	return &object{id: fmt.Sprintf("ch_%d", len(s.objects)+1), owner: id, wish: w, outcome: o, at: s.now, shows: s.now + pick(s, 0, 5*time.Minute, lag), lines: pick(s, 1, 2)}
}
