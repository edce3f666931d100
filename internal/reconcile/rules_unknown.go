package reconcile

// unknownSign returns what says that the action was begun, or is to be, though nobody can tell what came of it; "" where nothing does.
func (j *judging) unknownSign() (string, []string) {
	if sign, refs := j.serviceSign(); sign != "" {
		return sign, refs
	}
	if sign, refs := j.waitingSign(); sign != "" {
		return sign, refs
	}
	switch {
	case j.uncertain() && !j.leaseLives() && j.older(j.lastAttempt()):
		return "the client sent it and got no answer", refsOf(j.intents)
	case j.confirmed() && !j.stands() && !j.leaseLives() && j.forgot():
		return "the client got its answer, but no receipt remembers the action", refsOf(j.intents)
	}
	return "", nil
}

// serviceSign is what receipts and the provider's log tell.
func (j *judging) serviceSign() (string, []string) {
	if r := j.lapsed(); r != nil {
		return "a worker began it and " + j.lapse(r), []string{ref(r)}
	}
	if r := j.receiptIn(StateUnknown); r != nil {
		return "the service itself recorded that it does not know", []string{ref(r)}
	}
	for _, o := range j.objectsIn(OutcomePending, OutcomeUnknown) {
		line := o.openLine()
		switch {
		case !j.older(line.CreatedAt.Or(o.at)):
		case o.doubted:
			return "the provider's log tells two ends of one event", []string{ref(o.lines[0])}
		default:
			return "the provider was called and gave no final answer", []string{ref(line)}
		}
	}
	for _, r := range j.pendingRows { // whoever meets a receipt is answered; without one the row is all that tells of the action
		if j.exposure.State != ExposureNone && !j.leaseLives() && j.older(Latest(r.CreatedAt, r.UpdatedAt)) {
			return "its row stands as pending" + since(r.CreatedAt) + ", and nothing tells what became of it", []string{ref(r)}
		}
	}
	for _, r := range j.receipts {
		if r.Phase == PhaseProviderSent && len(j.objects) == 0 && !j.leaseLives() {
			return "the provider was called and no answer is recorded", []string{ref(r)}
		}
	}
	return "", nil
}

// lapse says of a receipt that its lease has ended, and when.
func (j *judging) lapse(r *Record) string {
	if end := j.c.LeaseEnd(r); end.known {
		return "its lease lapsed at " + stamp(end) + " without a result"
	}
	return "its lease has lapsed without a result"
}

// waitingSign is what should have been done long ago: a message that was not sent, or not confirmed, and a job that is overdue. That nobody marked it proves
// nothing of whether it was done.
func (j *judging) waitingSign() (string, []string) {
	for _, r := range j.messages {
		switch {
		case r.Sent == SentConfirmed || r.ConfirmedAt.known:
		case r.unsent() && !j.leaseLives() && j.overdue(r):
			return "a message has been waiting to be sent" + since(r.DueAt.Or(r.CreatedAt)) + ", and nothing tells whether its relay sent it", []string{ref(r)}
		case !r.unsent() && j.older(r.SentAt.Or(r.CreatedAt)):
			return "a message was sent and nothing confirms that it arrived", []string{ref(r)}
		}
	}
	for _, r := range j.intents {
		if r.DueAt.known && !j.confirmed() && !j.leaseLives() && j.due(r) {
			return "a job has been due" + since(r.DueAt) + ", and nothing tells whether it ran", []string{ref(r)}
		}
	}
	return "", nil
}

func since(at Instant) string {
	if !at.known {
		return ""
	}
	return " since " + stamp(at)
}

// unsent reports whether nothing marks a message as sent.
func (r *Record) unsent() bool { return r.Sent == Unsent && !r.SentAt.known && !r.ConfirmedAt.known }

// overdue reports whether an unsent message has waited for longer than its relay's patience, and than settle: until then it is on its way.
func (j *judging) overdue(r *Record) bool {
	end := Latest(r.CreatedAt, r.AttemptAt, r.UpdatedAt, r.DueAt).Add(max(j.c.ResendAfter.D, j.c.SettleTime().D) + j.skewOf(r))
	if end.known && !j.w.Now.After(end) {
		j.tooYoung(Due{At: past(end), Text: "its message is not overdue before " + stamp(end)})
		return false
	}
	return true
}

// due reports whether a job should have run by now.
func (j *judging) due(r *Record) bool {
	end := r.DueAt.Add(j.c.SettleTime().D + j.skewOf(r))
	if !j.w.Now.After(end) {
		j.tooYoung(Due{At: past(end), Text: "its job is to run at " + stamp(r.DueAt)})
		return false
	}
	return true
}

// forgot reports whether no receipt is in the serving store although none of those that explain it does: it has not aged out, and there were receipts by then.
func (j *judging) forgot() bool {
	if !j.noReceipt() {
		return false
	}
	if j.c.Since.known && j.began.Before(j.c.Since) {
		j.out.Explained = "before-since"
		return false
	}
	if j.c.Outlived(j.began.Add(-j.c.Settle), Latest(j.w.Now, j.w.Taken)) {
		j.out.Explained = j.explainGone(j.began.Add(j.c.Retention.D))
		return false
	}
	return true
}

// settles says what would turn unknown into known.
func (j *judging) settles() string {
	if r := j.unsent(); r != nil {
		return "whether the relay of " + r.Source + " still runs, and whether it sent this one"
	}
	for _, l := range j.legs {
		if l.State != LegUndetermined {
			continue
		}
		switch l.Name {
		case LegProvider:
			if j.remoteGone.text != "" {
				return "the provider's own answer (" + j.remoteGone.text + ")"
			}
			return "the provider's own answer"
		case LegOutbox:
			return "a record of the receiver"
		case LegLocal:
			if j.s.hasCandidates() {
				return "whether the candidate row is this action's"
			}
			if len(j.pending) > 0 {
				return "that whatever may still perform it is stopped, then a new scan"
			}
		}
	}
	return "a new scan once every source covers the time"
}
