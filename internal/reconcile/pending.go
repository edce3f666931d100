package reconcile

// findPending lists whatever may still perform the action without us.
func (j *judging) findPending() {
	for _, r := range j.receipts {
		if j.c.StateOf(r) == StateInProgress {
			j.pendReceipt(r)
		}
	}
	for _, r := range j.messages {
		if r.Sent == SentConfirmed || r.ConfirmedAt.known || j.messageProved() {
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
			j.pend("provider-open", o.lines[0], Instant{})
		}
	}
	for _, r := range j.intents {
		if r.DueAt.known && !j.confirmed() {
			j.pend("intent-due", r, Instant{})
		}
	}
}

func (j *judging) pendReceipt(r *Record) {
	end, dead := j.c.LeaseEnd(r), j.c.DeadAt(r)
	switch {
	case end.After(j.w.Now):
		j.pend("receipt-lease", r, end)
	case !dead.known || dead.After(j.w.Now):
		j.pend("receipt-wakes", r, dead)
	}
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

// lapsed returns an in-progress receipt whose lease has ended, nil when there is none. Without a known end a lease is over once the receipt is older
// than settle: nobody said that anyone still works on it.
func (j *judging) lapsed() *Record {
	for _, r := range j.receipts {
		if j.c.StateOf(r) != StateInProgress {
			continue
		}
		end := j.c.LeaseEnd(r)
		if !end.known {
			end = Latest(r.UpdatedAt, r.LockedAt, r.CreatedAt).Add(j.c.Settle)
		}
		if !end.known || !end.After(j.w.Now) {
			return r
		}
	}
	return nil
}
