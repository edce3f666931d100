package histories

import (
	"time"

	"example.com/idemctl/internal/reconcile"
)

// request is one arrival at the service.
type request struct {
	id     Identity
	wish   *wish
	region string // of the provider that is called for it
	answer func(reconcile.AttemptOutcome)
}

// arrive is the service's front: it answers from a live receipt, or sets a worker to the task.
func (s *sim) arrive(q *request) {
	s.life(q.id).see(s.now)
	if t := s.open[q.id]; t != nil { // the key's row is locked until then, and nobody waits for a lock longer than settle
		if wait := max(0, t.ends-s.now) + time.Millisecond; wait < settle {
			s.after(wait, func() { s.arrive(q) })
		}
		return
	}
	r, there := s.db.receipts[q.id]
	w := &worker{s: s, q: q, gen: r.gen + 1, began: s.now}
	if there && s.counts(r) {
		w.began, w.serial = r.created, r.serial
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
	if w.serial == 0 {
		s.serials++
		w.serial = s.serials
	}
	w.steps = w.plan()
	w.run(0)
}

// counts reports whether a receipt that is there is still recognised.
func (s *sim) counts(r receipt) bool { return s.svc.ByReaper || s.now < r.ends }

// worker performs one request step by step. Each step commits; before each the worker may die or stall.
type worker struct {
	s      *sim
	q      *request
	gen    int64
	serial int // of the receipt's row
	steps  []func() bool
	row    int64
	obj    *object
	began  time.Duration // when the receipt was first written: whoever takes over leaves that time alone
	took   time.Duration // when this worker took the lease
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
	case len(w.steps) == 1 && s.one(10):
		w.commitLate()
		return
	case s.one(16), !s.svc.Fences && s.one(4):
		s.after(w.stall(i), func() {
			if i == 0 || !w.fenced() {
				w.step(i)
			}
		})
		return
	}
	w.step(i)
}

// fenced reports whether another worker has taken over: where the service fences, one that wakes looks at the generation before it goes on. A receipt that is
// gone stops nobody.
func (w *worker) fenced() bool {
	r, there := w.s.db.receipts[w.q.id]
	return there && r.gen > w.gen && w.s.svc.Fences
}

func (w *worker) step(i int) {
	w.s.life(w.q.id).see(w.s.now)
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
		return max(0, min(pick(w.s, 8*time.Minute, 2*time.Minute, 20*time.Minute), w.took+lease+w.s.svc.DeadAfter-time.Minute-w.s.now))
	}
	return pick(w.s, 8*time.Minute, 2*time.Minute, 40*time.Minute, 4*time.Hour)
}

// begin takes the receipt, unless another worker has taken it since this one looked.
func (w *worker) begin() bool {
	if r, there := w.s.db.receipts[w.q.id]; there && w.s.counts(r) && r.gen >= w.gen {
		w.q.answer(reconcile.AttemptRejected)
		return false
	}
	w.took = w.s.now
	w.put(reconcile.StateInProgress)
	return true
}

// insert makes the row, or finds the one of a worker before it, where the service looks.
func (w *worker) insert() bool {
	s := w.s
	if s.svc.SkipsRow {
		for i := range s.db.rows {
			if r := &s.db.rows[i]; r.status == reconcile.StatusEffective && !s.archived(r) && w.takesFor(r) {
				w.row = r.id
				return true
			}
		}
	}
	if s.refuses(w.q.wish) {
		w.refused()
		return false
	}
	w.row = s.insert(w.q, w.gen, reconcile.StatusEffective)
	w.name()
	return true
}

// refused is a worker whose row the database would not take: it frees the key, or dies of the error.
func (w *worker) refused() {
	if choose(w.s, true, false) {
		w.put(reconcile.StateFailedRetryable)
	}
	w.q.answer(reconcile.AttemptFailed)
}

// takesFor reports whether the service would take a row for that of a worker before it.
func (w *worker) takesFor(r *row) bool {
	if w.s.svc.SkipsTenant {
		return r.owner.Key == w.q.id.Key
	}
	return r.owner == w.q.id && r.wish == w.q.wish
}

func (w *worker) beginAndInsert() bool { return w.begin() && w.insert() }

func (w *worker) insertAndFinish() bool { return w.insert() && w.finish() }

// charge calls the provider. A call without answer ends the worker: the service does not know.
func (w *worker) charge() bool {
	s := w.s
	if s.draw(10) == 9 {
		w.decline()
		return false
	}
	if s.one(40) {
		return true // it takes a test's answer for the provider's
	}
	if w.obj = s.charge(w.q.id, w.q.wish, w.serial, w.q.region); w.obj.owner != w.q.id || w.obj.wish != w.q.wish {
		w.obj = nil // it was told of another action: the service does not look
		return true
	}
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
	w.put(choose(s, reconcile.StateFailedFinal, reconcile.StateFailedRetryable))
	w.q.answer(reconcile.AttemptFailed)
}

func (w *worker) finish() bool {
	if r, ok := w.s.db.receipts[w.q.id]; ok && r.wish == w.q.wish {
		w.put(reconcile.StateCompleted)
	}
	w.q.answer(reconcile.AttemptConfirmed)
	w.mayReverse()
	return true
}

// commit is one transaction with everything in it; a receipt that another worker has committed meanwhile stops it.
func (w *worker) commit() bool {
	s := w.s
	if r, ok := s.db.receipts[w.q.id]; ok && s.counts(r) && r.state == reconcile.StateCompleted {
		w.q.answer(reconcile.AttemptConfirmed)
		return false
	}
	if s.refuses(w.q.wish) {
		w.q.answer(reconcile.AttemptFailed)
		return false
	}
	w.took = s.written()
	w.row = s.insert(w.q, w.gen, reconcile.StatusEffective)
	w.put(reconcile.StateCompleted)
	if s.svc.Outbox {
		s.post(w.q, w.row, w.serial)
	}
	w.q.answer(reconcile.AttemptConfirmed)
	w.mayReverse()
	return true
}
