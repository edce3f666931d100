package histories

import (
	"container/heap"
	"fmt"
	"time"

	"example.com/idemctl/internal/reconcile"
)

// sim is a service at work. Time is counted from midnight; events happen one after another.
type sim struct {
	draw  draw // what happens in a healthy service too
	fault draw // what does not: 0 is the healthy choice
	now   time.Duration
	queue queue
	seq   int
	svc   Service

	db       database
	open     map[Identity]*transaction
	stamp    time.Duration // when the transaction that commits now began; 0: just now
	epoch    int           // of the stores: a restore ends every open transaction
	relays   int           // how often the relay was started anew
	region   string        // that clients send to
	bookLost bool          // the clients' book will go back
	lifes    map[Identity]*life
	old      map[Identity]receipt // the receipts as a restore found them
	oldRows  []row                // the rows as a restore found them
	oldAt    time.Duration
	events   []reconcile.Event
	objects  []*object
	known    map[string]*object // the provider's memory of keys
	serials  int                // of the receipts' rows
	made     []*making
	tail     time.Duration // how far the provider's log reaches

	wishes  []*wish
	intents []*intent
	ids     map[Identity]*wish
	keys    int
	taken   map[Identity]bool
	minted  int
	calm    bool // after the scan nothing breaks any more

	replaying bool // operators let some actions be sent again
	replayed  []*replayed
}

// midnight is when every history begins.
var midnight = time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC)

func at(d time.Duration) reconcile.Instant { return reconcile.At(midnight.Add(d)) }

func newSim(d draw, healthy bool) *sim {
	s := &sim{region: "west", open: make(map[Identity]*transaction), lifes: make(map[Identity]*life), taken: make(map[Identity]bool), db: database{receipts: make(map[Identity]receipt), nextID: 1}, known: make(map[string]*object), ids: make(map[Identity]*wish)}
	s.draw = func(n int) int {
		if s.calm {
			return 0
		}
		return d(n)
	}
	s.fault = s.draw
	if healthy {
		s.fault = func(int) int { return 0 }
	}
	return s
}

// live runs the history up to the scan.
func (s *sim) live() {
	s.svc = drawService(s.draw, s.fault)
	s.tail = pick(s, scanAt, scanAt, scanAt-2*time.Hour) // or the end of the log is lost
	s.planFaults()
	for range 1 + s.draw(4) {
		s.newWish()
	}
	if s.replaying {
		s.planReplays()
	}
	s.run(scanAt)
}

// drain lets whatever is still running finish undisturbed.
func (s *sim) drain() {
	s.calm = true
	s.run(1<<63 - 1)
}

func (s *sim) run(until time.Duration) {
	for len(s.queue) > 0 && s.queue[0].at < until {
		e, ok := heap.Pop(&s.queue).(event)
		if !ok {
			return
		}
		s.now = e.at
		e.do()
	}
	if !s.calm {
		s.now = until
	}
}

func (s *sim) after(d time.Duration, do func()) {
	s.seq++
	heap.Push(&s.queue, event{at: s.now + d, seq: s.seq, do: do})
}

// one reports true once in n: a fault.
func (s *sim) one(n int) bool { return s.fault(n) == n-1 }

// pick draws one of several; the first is the healthy one.
func pick[T any](s *sim, of ...T) T { return of[s.fault(len(of))] }

// choose draws one of several that are all healthy.
func choose[T any](s *sim, of ...T) T { return of[s.draw(len(of))] }

func (s *sim) newKey() string {
	s.keys++
	return fmt.Sprintf("K%d", s.keys)
}

// event is something that happens at a time.
type event struct {
	at  time.Duration
	seq int
	do  func()
}

// queue is a heap of events by time, then by when they were planned.
type queue []event

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	if q[i].at != q[j].at {
		return q[i].at < q[j].at
	}
	return q[i].seq < q[j].seq
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

// Push implements heap.Interface.
func (q *queue) Push(x any) {
	if e, ok := x.(event); ok {
		*q = append(*q, e)
	}
}

// Pop implements heap.Interface.
func (q *queue) Pop() any {
	old := *q
	e := old[len(old)-1]
	*q = old[:len(old)-1]
	return e
}
