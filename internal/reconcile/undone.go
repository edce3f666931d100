package reconcile

import (
	"math"
	"slices"
)

// Taken back is what was made and does not stand any more: a charge that was reversed, a row that was marked as deleted. It was executed, and a retry would do
// it a second time; a void row never took effect.

// wasUndone reports whether a leg that counts as made no longer stands.
func (l Leg) wasUndone() bool {
	return l.State == LegYes && (l.Code == "effect-undone" || l.Code == "effect-reversed" || l.Code == "provider-reversed")
}

// undoneRows are the rows of what was made and taken back.
func (j *judging) undoneRows() []*Record {
	return slices.DeleteFunc(slices.Clone(j.undone), func(r *Record) bool {
		return r.Status != StatusReversed && (!r.DeletedAt.known || r.Status == StatusVoid || r.Status == StatusPending)
	})
}

// takenBack reports whether whatever was made was taken back, so that nothing of the action stands.
func (j *judging) takenBack() bool {
	undone := false
	for _, l := range j.legs {
		undone = undone || l.wasUndone()
		if l.State != LegNo && !l.wasUndone() {
			return false
		}
	}
	return undone
}

// compensated reports whether the service took back whatever it had made and recorded a failure: client, receipt and effects agree that nothing stands.
func (j *judging) compensated() bool {
	return j.takenBack() && j.done() == nil && len(j.pending) == 0 && j.serving(StateFailedFinal, StateFailedRetryable) != nil
}

// takenBackHere reports whether the service took its row back and nothing shows that the provider's side was too. That is no mismatch: a refund may be an object of
// its own, under a key of its own or in a log that is not read, and no source says that it shows every one. But it is not called matched either.
func (j *judging) takenBackHere() bool {
	back := func(r *Record) bool {
		return (r.Status == StatusVoid || r.Status == StatusReversed) && !r.DeletedAt.known
	}
	return len(j.effects)+len(j.copyEffects)+len(j.pendingRows) == 0 && slices.ContainsFunc(j.undone, back) &&
		len(j.objectsIn(OutcomeSucceeded)) > 0 && !j.backWhole()
}

// backWhole reports whether an object that reverses others, as a refund does, gave back what those made; it may where their amounts cannot be compared.
func (j *judging) backWhole() bool {
	var made, back Amount
	for _, o := range j.objectsIn(OutcomeSucceeded, OutcomeReversed) {
		sum, size := &made, o.made()
		switch {
		case o.outcome == OutcomeReversed && o.has(OutcomeSucceeded): // its own
			return true
		case o.outcome == OutcomeReversed:
			sum, size = &back, o.givenBack()
		}
		switch {
		case !size.Valid || sum.Valid && (!sameMoney(*sum, size) || size.Minor > math.MaxInt64-sum.Minor):
			return len(j.objectsIn(OutcomeReversed)) > 0
		case sum.Valid:
			size.Minor += sum.Minor
		}
		*sum = size
	}
	return back.Valid && !less(back, made)
}

// serving returns a receipt of the serving store in one of the states.
func (j *judging) serving(states ...State) *Record {
	for _, r := range j.receipts {
		if slices.Contains(states, j.c.StateOf(r)) {
			return r
		}
	}
	return nil
}

// standsAs says how what a record shows stands, where no receipt remembers it.
func (j *judging) standsAs(r *Record) string {
	switch {
	case r.Role == RoleProvider && slices.ContainsFunc(j.objectsIn(OutcomeReversed), func(o *object) bool { return slices.Contains(o.lines, r) }), r.Status == StatusReversed:
		return "The effect was made and reversed since"
	case r.DeletedAt.known:
		return "The effect was made and its row is marked as deleted"
	}
	if r.Role == RoleEffect && j.c.Effect == LegsBoth && j.executed != ExecutedYes {
		return "The row stands"
	}
	return "The effect stands"
}
