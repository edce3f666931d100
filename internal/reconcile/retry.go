package reconcile

import "slices"

// judgeRetry decides what a retry would do now: the first row of the table that fits (docs/model.md, "A retry now would").
//
// A live receipt whose end lies within the contract's margin is answered unknown before it is answered replays: a scan minutes before the end would
// otherwise promise a replay to a retry that lands after it.
func (j *judging) judgeRetry() {
	j.retry = j.retryOf()
}

func (j *judging) retryOf() RetryVerdict {
	if !keyOf(j.s.Identity).known || !Whole(j.s.Identity) || !j.receiptsReadable() {
		return RetryUnknown
	}
	live := j.live()
	if live != nil {
		return j.retryMeets(live)
	}
	switch {
	case j.nearExpiry():
		return RetryUnknown
	case j.refusedByRule():
		return RetryRefusedByRule
	case j.stands():
		return RetryExecutesAgain
	case j.executed == ExecutedNo && !renamed(j):
		return RetryExecutes
	}
	return RetryMightExecuteAgain
}

// MayRun reports whether a retry now would, or might, run the action. The others are answered, refused, or wait.
func (r RetryVerdict) MayRun() bool {
	switch r {
	case RetryReplays, RetryConflicts, RetryWaits, RetryRefusedByRule:
		return false
	case RetryUnknown, RetryTakenOver, RetryExecutes, RetryExecutesAgain, RetryMightExecuteAgain:
	}
	return true
}

func (j *judging) retryMeets(live *Record) RetryVerdict {
	if j.conflictWith(live) {
		return RetryConflicts
	}
	skew := j.skewOf(live)
	near, end := j.c.Margin+skew, j.c.HeldTo(live)
	if j.c.past(end, j.w.Now.Add(near)) && (!j.c.Expiry.ByReaper || !j.c.past(end, j.w.Now.Add(-near))) {
		return RetryUnknown // one that a reaper has left alone for so long counts as long as it is there
	}
	switch j.c.StateOf(live) {
	case StateCompleted, StateFailedFinal:
		return RetryReplays
	case StateInProgress:
		lease := j.c.LeaseEnd(live)
		switch {
		case !lease.known:
			return RetryUnknown
		case !j.c.LeaseOver(live, j.w.Now.Add(skew)):
			return RetryWaits
		case j.c.LeaseOver(live, j.w.Now.Add(-skew)):
			return RetryTakenOver
		}
		return RetryUnknown // by one clock it lives, by the other it has lapsed
	case StateUnknown, StateFailedRetryable:
	}
	return RetryUnknown
}

// receiptsReadable reports whether the serving receipts say what a retry would meet.
func (j *judging) receiptsReadable() bool {
	places := j.places(RoleReceipt, true)
	if len(places) == 0 {
		return false
	}
	for _, f := range places {
		if !f.Coverage.Complete || (!f.Coverage.Proves && len(j.receipts) == 0) || j.joinBroken(f) {
			return false
		}
	}
	return len(j.receipts) > 0 || j.receiptGone.state != absenceUncovered
}

// nearExpiry reports whether a receipt's life ended so lately that it had not yet a margin ago: clocks differ.
func (j *judging) nearExpiry() bool {
	return slices.ContainsFunc(j.receipts, func(r *Record) bool {
		return j.c.Gone(r, j.w.Now) && !j.c.Gone(r, j.w.Now.Add(-j.c.Margin-j.skewOf(r))) && j.c.StateOf(r) != StateFailedRetryable
	})
}

// conflictWith reports whether the client's request differs from the receipt it would meet. Where the key was used for several requests and one of them is
// the receipt's, a retry of that one would not be refused.
func (j *judging) conflictWith(receipt *Record) bool {
	differs := false
	for _, r := range j.intents {
		if j.turnedAway(r) {
			continue
		}
		switch j.requestsDiffer(r, receipt) {
		case yes:
			differs = true
		case no:
			return false
		case unknown:
		}
	}
	return differs
}

// requestsDiffer compares two records' requests: by fingerprint where both are declared to be made alike, else by parameters, else it is unknown.
func (j *judging) requestsDiffer(a, b *Record) tri {
	if j.basis(a, b) == ByFingerprint {
		if a.Fingerprint.Equal(b.Fingerprint) {
			return no
		}
		return yes
	}
	return paramsDiffer(j.c, a, b)
}

// basis is what the requests of two records are compared by.
func (j *judging) basis(a, b *Record) Basis {
	if a.Fingerprint.known && b.Fingerprint.known && j.fingerprintOf(a).Comparable(j.fingerprintOf(b)) {
		return ByFingerprint
	}
	return ByParams
}

// fingerprintOf is what a record's fingerprint is declared to be made of: its source's word, else the contract's.
func (j *judging) fingerprintOf(r *Record) *FingerprintSpec {
	if f := j.w.Source(r.Source); f != nil && f.Fingerprint != nil {
		return f.Fingerprint
	}
	return j.c.Fingerprint
}

// judgeExposure decides whether, and how long, a retry could execute again what stands or might stand.
func (j *judging) judgeExposure() {
	j.exposure = j.exposureOf()
}

func (j *judging) exposureOf() Exposure {
	switch j.retry {
	case RetryReplays, RetryConflicts, RetryWaits, RetryExecutes:
		return Exposure{}
	case RetryRefusedByRule:
		if !j.ruleEnds() {
			return Exposure{}
		}
	case RetryUnknown, RetryTakenOver, RetryExecutesAgain, RetryMightExecuteAgain:
	}
	if !j.mightStand() && !renamed(j) {
		return Exposure{}
	}
	if !j.c.RetryWindow.Valid {
		return Exposure{State: ExposureOpen}
	}
	end := j.windowEnd()
	switch {
	case !end.known:
		return Exposure{State: ExposureUnknown}
	case end.After(j.w.Now):
		return Exposure{State: ExposureUntil, Until: end}
	}
	return Exposure{}
}

// windowEnd is the end of the retry window: from the last attempt, else the intent, else the effect, else the earliest record of the action.
func (j *judging) windowEnd() Instant {
	var last, intent, effect Instant
	for _, a := range j.attempts {
		last = Latest(last, a.At)
	}
	for _, r := range j.intents {
		intent = Latest(intent, r.CreatedAt)
	}
	for _, r := range j.effects {
		effect = Latest(effect, r.CreatedAt)
	}
	return j.c.WindowEnd(last.Or(intent).Or(effect).Or(j.lastTold).Or(j.began))
}
