package reconcile

import "slices"

// findPending lists whatever may still perform the action without us.
func (j *judging) findPending() {
	for _, r := range j.receipts {
		if j.c.StateOf(r) == StateInProgress {
			j.pendReceipt(r)
		}
	}
	for _, r := range j.messages {
		if r.Sent == SentConfirmed || r.ConfirmedAt.known || j.messageProved() && !j.sentAgain(r) {
			continue
		}
		what := "outbox-unsent"
		if r.Sent == SentMarked || r.SentAt.known {
			what = "outbox-unconfirmed"
		}
		j.pend(what, r, Instant{})
	}
	for _, o := range j.objects {
		if o.outcome == OutcomePending {
			j.pend("provider-open", o.openLine(), Instant{})
		}
	}
	for _, r := range j.intents {
		if r.DueAt.known && !j.answered(r) {
			j.pend("intent-due", r, Instant{})
		}
	}
	j.pendReplays()
}

// sentAgain reports whether a message that was delivered is not marked as sent, and its receiver would not surely recognise it a second time.
func (j *judging) sentAgain(r *Record) bool {
	return r.unsent() && !j.providerRecognises(j.w.Now.Add(j.c.Margin))
}

func (j *judging) pendReceipt(r *Record) {
	end, dead, skew := j.c.LeaseEnd(r), j.deadAt(r), j.skewOf(r)
	switch {
	case end.known && !j.c.LeaseOver(r, j.w.Now.Add(-skew)):
		j.pend("receipt-lease", r, end)
	case !dead.known || dead.Add(skew).After(j.w.Now):
		j.pend("receipt-wakes", r, dead)
	}
}

// deadAt is when the receipt's worker is certainly gone. A retry that met its lapsed lease may have taken it over, where the receipt does not tell when it was
// last taken.
func (j *judging) deadAt(r *Record) Instant {
	end, dead := j.c.LeaseEnd(r), j.c.DeadAt(r)
	if !end.known || !dead.known || r.LockedAt.known || r.UpdatedAt.known || r.LeaseUntil.known {
		return dead
	}
	for _, a := range j.attempts {
		if at := a.At.Add(j.c.Settle); at.After(end) && a.Outcome != AttemptNotSent {
			dead = Latest(dead, at.Add(j.c.Lease.D+j.c.DeadAfter.D))
		}
	}
	return dead
}

// seeSilentEnd allows for the worker of a receipt that is finished and does not tell when: it may have been at it as long as one may be.
func (j *judging) seeSilentEnd() {
	for _, e := range j.s.Evidence {
		if r := e.Record; r.Role == RoleReceipt && j.c.StateOf(r) != StateInProgress && !j.c.tellsEnd(r) {
			j.lastSend = Latest(j.lastSend, j.c.LeaseEnd(r).Add(j.skewOf(r)), j.c.DeadAt(r).Add(j.skewOf(r)))
		}
	}
}

// seeLostWorker allows for a worker whose receipt is gone: lost in a restore, aged out, or in a store that could not be read. It may act until its lease and
// dead_after have passed; where they are undeclared it may always. A contract that commits receipt and row together, without a lease, has no such worker.
func (j *judging) seeLostWorker() {
	sent := j.lastSend
	if sent == j.lastTold { // its worker began with a send, not where another's time ended
		sent = j.lastAct
	}
	j.seeOvertaken()
	j.unreceived = j.neverReceived()
	if j.unreceived || !j.receiptTaken() || (j.c.Atomic && j.c.Effect == LegsLocal && !j.c.Lease.Valid) {
		return
	}
	if !j.c.Lease.Valid || !j.c.DeadAfter.Valid {
		j.mayWake = true
		return
	}
	j.lastSend = Latest(j.lastSend, sent.Add(j.c.SettleTime().D+j.c.Lease.D+j.c.DeadAfter.D))
}

// seeLostMessage allows for a message that a restore took, and that its relay delivered before, however long after the action was sent.
func (j *judging) seeLostMessage() {
	if len(j.w.Events) == 0 {
		return
	}
	for _, f := range j.places(RoleOutbox, true) {
		if slices.ContainsFunc(j.messages, func(r *Record) bool { return r.Source == f.Name }) {
			continue
		}
		for _, ev := range j.holesIn(f) {
			_, to := j.edges(ev)
			j.lastSend = Latest(j.lastSend, to.Or(j.w.Now))
		}
	}
}

// seeOvertaken allows for a worker from whom another has taken over: the receipt names the later one, and whatever that wrote, the earlier may wake. Where the
// receipt was written after its lease, the other may be the later one, whose own word the write has taken the place of.
func (j *judging) seeOvertaken() {
	for _, r := range slices.Concat(j.receipts, j.copies) {
		if wrote := Latest(r.UpdatedAt, r.CompletedAt); j.c.Lease.Valid && wrote.After(r.LeaseUntil.Or(r.LockedAt.Add(j.c.Lease.D))) {
			if j.c.DeadAfter.Valid {
				j.actsTill(wrote.Add(j.skewOf(r) + j.c.Lease.D + j.c.DeadAfter.D))
			} else {
				j.mayWake, j.overtaken = true, true
			}
		}
		if !r.Generation.Valid || r.Generation.N < 2 {
			continue
		}
		if !j.c.DeadAfter.Valid {
			j.mayWake, j.overtaken = true, true
			continue
		}
		over := r.LockedAt.Or(r.UpdatedAt).Or(r.CreatedAt)
		j.actsTill(over.Add(j.skewOf(r) + j.c.DeadAfter.D))
	}
}

// actsTill notes until when a worker that was overtaken may act.
func (j *judging) actsTill(end Instant) {
	j.lastSend = Latest(j.lastSend, end)
	j.overtaken = j.overtaken || end.After(j.w.Now)
}

// seeRestoredBook allows for sends of which a client's book told before an older copy of it was put back: as long as no answer ended them, they may have
// gone on to the end of what that lost.
func (j *judging) seeRestoredBook() {
	if j.confirmed() {
		return
	}
	for _, f := range j.places(RoleIntent, false) {
		for i := range j.w.Events {
			ev := &j.w.Events[i]
			if ev.Store != f.Name || !j.eventConcerns(ev) {
				continue
			}
			_, to := j.edges(ev)
			if to = to.Or(j.w.Now); !j.earliest.After(to) {
				j.lastSend = Latest(j.lastSend, to)
			}
		}
	}
}

// receiptTaken reports whether a restore or its age may have taken a receipt of the action. One that stands and is as old as the first send was not replaced.
func (j *judging) receiptTaken() bool {
	if len(j.receipts) == 0 {
		return true
	}
	var first Instant
	for _, r := range j.receipts {
		if first = Earliest(first, j.c.Began(r)); len(j.w.Events) > 0 {
			if _, ok := j.followed(r); ok {
				return true
			}
		}
	}
	switch {
	case !j.firstSend.known || !first.known:
		return !j.firstSend.known
	case !j.firstSend.Add(j.c.Settle).Before(first):
		return false
	case j.c.Retention.Valid && !j.firstSend.Add(j.c.Retention.D).After(first):
		return true
	}
	return slices.ContainsFunc(j.places(RoleReceipt, true), j.holed)
}

// followed returns the end of what a restore lost in which a receipt may have had a successor: its life was over before that, and a client sent again after it,
// or no book of the clients tells whether one did.
func (j *judging) followed(r *Record) (to Instant, ok bool) {
	end, booked := j.c.HeldTo(r).Add(-j.skewOf(r)), j.booked()
	if !end.known || booked && !j.lastSend.After(end) {
		return to, false
	}
	for i := range j.w.Events {
		ev := &j.w.Events[i]
		if ev.Store != r.Source || !j.eventConcerns(ev) {
			continue
		}
		from, to := j.edges(ev)
		if to = to.Or(j.w.Now); end.Before(to) && (!booked || !from.known || !j.lastSend.Before(from)) {
			return to, true
		}
	}
	return to, false
}

// booked reports whether a book of the clients is there to tell of sends.
func (j *judging) booked() bool { return len(j.places(RoleIntent, false)) > 0 }

// seeLostRetry allows, where no client's book tells of sends, for one that got a receipt of its own after the life of the one that stands, in what a restore
// lost.
func (j *judging) seeLostRetry() {
	if len(j.w.Events) == 0 || j.booked() {
		return
	}
	for _, r := range j.receipts {
		if to, ok := j.followed(r); ok {
			j.lastSend = Latest(j.lastSend, to)
		}
	}
}

// goesOn reports whether an action may have been sent again unseen: only an older copy tells of it, as under way, its receipt is gone from the store in use, and
// no clients' book tells of sends.
func (j *judging) goesOn() bool {
	return len(j.receipts) == 0 && !j.booked() && slices.ContainsFunc(j.copies, func(r *Record) bool {
		s := j.c.StateOf(r)
		return s == StateInProgress || s == StateFailedRetryable
	})
}

// neverReceived reports whether no receipt was ever committed: covered-absent, and neither a restore nor its age could have taken it.
func (j *judging) neverReceived() bool {
	if len(j.receipts)+len(j.copies) > 0 || !keyOf(j.s.Identity).known {
		return false
	}
	places, began := j.places(RoleReceipt, true), j.earliest
	if len(j.intents) == 0 && j.c.Lease.Valid { // what is left of it was made by a worker, who may have stood still before
		if !j.c.DeadAfter.Valid {
			return false
		}
		began = began.Add(-j.c.Settle - j.c.Lease.D - j.c.DeadAfter.D)
	}
	for _, f := range places {
		if j.c.Retention.Valid && !began.Add(j.c.Retention.D).After(f.Coverage.To) {
			return false
		}
	}
	return j.absentFrom(places, j.c.Settle, neverHappened).state == absenceProved
}

// messageProved reports whether a downstream or provider record proves that the message arrived: a sent mark alone does not.
func (j *judging) messageProved() bool {
	return len(j.objectsIn(OutcomeSucceeded, OutcomeReversed)) > 0
}

func (j *judging) pend(what string, r *Record, till Instant) {
	j.pending = append(j.pending, Pending{What: what, Ref: ref(r), Till: till})
}

// leaseLives reports whether an in-progress receipt's worker still holds its lease.
func (j *judging) leaseLives() bool {
	for _, p := range j.pending {
		if p.What == "receipt-lease" {
			return true
		}
	}
	return false
}

// justTaken returns until when an in-progress receipt that no lease ends is younger than settle: its worker has only begun. Unknown where there is none.
func (j *judging) justTaken() (till Instant) {
	for _, r := range j.receipts {
		if j.c.StateOf(r) != StateInProgress || j.c.LeaseEnd(r).known {
			continue
		}
		settled := Latest(r.UpdatedAt, r.LockedAt, r.CreatedAt).Add(j.c.Settle)
		if settled = settled.Add(j.skewOf(r)); settled.known && !settled.Before(j.w.Now) {
			till = Latest(till, settled)
		}
	}
	return till
}

// lapsed returns an in-progress receipt whose lease has ended, nil when there is none. Without a known end a lease is over once the receipt is older
// than settle: nobody said that anyone still works on it.
func (j *judging) lapsed() *Record {
	for _, r := range j.receipts {
		if j.c.StateOf(r) != StateInProgress {
			continue
		}
		settled := Latest(r.UpdatedAt, r.LockedAt, r.CreatedAt).Add(j.c.Settle)
		surely := j.w.Now.Add(-j.skewOf(r))
		switch end := j.c.LeaseEnd(r); {
		case end.known && j.c.LeaseOver(r, surely):
			return r
		case !end.known && (!settled.known || settled.Before(surely)):
			return r
		}
	}
	return nil
}
