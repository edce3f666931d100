package reconcile

import (
	"fmt"
	"time"
)

// The bounds by which receipts are said to vanish early. Below them a handful of orphans, or a stretch that a restore took, would be called a habit of the store.
const (
	survivalSlices = 24  // of the retention
	survivalLeast  = 100 // actions that could show it
	survivalSome   = 5   // actions of a slice that could
	survivalOneIn  = 20  // lost, of a slice and in all
	survivalSpan   = 6   // slices, up to the end of the retention, in which some are lost
)

// Survival counts, by age, the actions younger than the retention whose effect stands, with and without their receipt.
type Survival struct {
	contract       *Contract
	present, gone  [survivalSlices]int64
	actions, lacks int64
}

// NewSurvival makes counters for a contract; nil where receipts need not outlive anything.
func NewSurvival(c *Contract) *Survival {
	if !c.Retention.Valid || c.Retention.D < survivalSlices || c.Key == KeyOptional {
		return nil
	}
	return &Survival{contract: c}
}

// Add counts one action whose effect was made at a time.
func (s *Survival) Add(at, now Instant, receipt bool) {
	if !at.known || at.Before(s.contract.Since) || at.After(now.Add(-s.contract.SettleTime().D)) {
		return
	}
	slice := (now.ns - at.ns) / int64(s.contract.Retention.D/survivalSlices)
	if slice >= survivalSlices {
		return
	}
	s.actions++
	if receipt {
		s.present[slice]++
	} else {
		s.gone[slice]++
		s.lacks++
	}
}

// Early returns for how long receipts can be relied upon, where they vanish before the declared retention: from some age on, at every age, some are gone. A
// stretch that a restore took ends: older receipts stand.
func (s *Survival) Early() (life time.Duration, ok bool) {
	if s.actions < survivalLeast || s.lacks*survivalOneIn < s.actions {
		return 0, false
	}
	first, span := survivalSlices, 0
	for i := survivalSlices - 1; i >= 0; i-- {
		n := s.present[i] + s.gone[i]
		if n < survivalSome {
			continue
		}
		if s.gone[i]*survivalOneIn < n {
			break
		}
		first, span = i, span+1
	}
	return time.Duration(first) * (s.contract.Retention.D / survivalSlices), span >= survivalSpan
}

// Gone is how many of the counted actions lack their receipt.
func (s *Survival) Gone() int64 { return s.lacks }

// Text says what is wrong and what to do.
func (s *Survival) Text(life time.Duration) string {
	return fmt.Sprintf("Of %d actions younger than the retention of %s, %d have no receipt, at every age from %s on: receipts vanish early (a store that evicts, a reaper that is too eager), "+
		"and are to be relied upon for %s only. If the store was restored or cleared that long ago, declare it instead (restore:).", s.actions, s.contract.Retention.D, s.lacks, life, life)
}
