package histories

import (
	"time"

	"example.com/idemctl/internal/reconcile"
)

// mayReverse lets a finished action be taken back some time later, as a refund does: the row says so, and the provider's log. It was executed all the same, and
// doing it again would do it a second time.
func (w *worker) mayReverse() {
	s := w.s
	if s.draw(14) != 13 {
		return
	}
	epoch := s.epoch
	s.after(choose(s, 10*time.Minute, 50*time.Minute), func() {
		if s.now >= scanAt || s.epoch != epoch || w.obj != nil && w.obj.outcome != reconcile.OutcomeSucceeded {
			return
		}
		if w.obj != nil && !s.one(5) { // or nobody tells the provider
			w.obj.back = s.now
		}
		if w.row > 0 {
			s.setRow(w.row, w.q.id, func(r *row) {
				if r.status == reconcile.StatusEffective {
					r.status = reconcile.StatusReversed
				}
			})
		}
	})
}
