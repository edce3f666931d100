package reconcile

import "slices"

// lostAfterRestore holds where something outside confirms an action of which the serving store knows nothing any more: its receipt is gone, or is as it was while
// the action was still under way, and so is what it made.
func lostAfterRestore(j *judging) (bool, []string, map[string]string) {
	witness := j.lossWitness()
	if len(witness) == 0 || !j.lostWhatItMade() {
		return false, nil, nil
	}
	receipt := "neither its receipt nor"
	switch {
	case len(j.receipts) > 0:
		receipt = "a receipt that says it is under way, and not"
	case !j.noReceipt():
		return false, nil, nil
	}
	what := "the serving store has " + receipt + " its effect. What came of it outside still stands."
	if j.c.Effect == LegsExternal {
		if receipt = "no receipt of it"; len(j.receipts) > 0 {
			receipt = "a receipt that says it is under way"
		}
		what = "the serving store has " + receipt + ", and " + j.remoteGone.source + " covers its time and does not show it either."
	}
	return true, witness, map[string]string{"what": what}
}

// lossWitness names the records that show that the action was done; none where nothing does, or a receipt remembers more than that it was begun.
func (j *judging) lossWitness() []string {
	if len(j.receipts) > 0 && !j.rolledBack() {
		return nil
	}
	var out []string
	if j.done() != nil || j.confirmed() || len(j.copyEffects) > 0 {
		out = append(refsOf(j.copies), refsOf(j.copyEffects)...)
	}
	if j.confirmed() {
		out = append(out, refsOf(j.intents)...)
	}
	if len(out) > 0 || j.c.Effect != LegsBoth || j.gapOf(j.places(RoleReceipt, true), j.began) == nil || j.gapOf(j.places(RoleEffect, true), j.began) == nil {
		return out
	}
	for _, o := range j.objectsIn(OutcomeSucceeded, OutcomeReversed) { // outside a gap of both stores the provider may have made it for nothing they ever knew
		out = append(out, ref(o.lines[0]))
	}
	return out
}

// lostWhatItMade reports whether what the action made is gone: its row or, where that is all that it makes, the provider's object.
func (j *judging) lostWhatItMade() bool {
	switch {
	case j.c.Effect.local():
		return j.noRow()
	case j.c.Effect == LegsExternal:
		return j.noObject()
	}
	return false // an action without effect leaves nothing to lose
}

// rolledBack reports whether all that the serving stores remember is that the action was begun, by a worker whose lease is over.
func (j *judging) rolledBack() bool {
	return j.lapsed() != nil && !j.leaseLives() && !slices.ContainsFunc(j.receipts, func(r *Record) bool { return j.c.StateOf(r) != StateInProgress })
}

// trails reports whether a source ends longer ago than its lag and settle explain: what was done since then it does not show.
func (j *judging) trails(f *SourceFacts) bool {
	return f.Coverage.To.Add(f.Coverage.Lag + j.c.SettleTime().D + f.Skew).Before(j.w.Now)
}

// noObject reports whether the provider certainly made nothing for the action, and nothing that cannot be told from it.
func (j *judging) noObject() bool {
	if len(j.objects) > 0 || j.unsent() != nil || j.objectClaimed() || !j.proved(j.remoteGone) {
		return false
	}
	if j.mayWake && (j.overtaken || slices.ContainsFunc(j.places(RoleProvider, false), j.trails)) {
		return j.proved(absence{state: absenceUncovered, code: "receipt-gone", text: "a worker before this one may have called later than the log shows: nothing says when it is certainly gone (dead_after)"})
	}
	if !keyOf(j.s.Identity).known && slices.ContainsFunc(j.places(RoleProvider, false), j.trails) {
		return j.proved(absence{state: absenceUncovered, code: "key-unknown", text: "nothing tells whose it is: its action may have been sent again after the log ends"})
	}
	if !j.candidateIn(RoleProvider) {
		return true
	}
	return j.proved(absence{state: absenceUncovered, code: "candidate-stands", text: "an unlinked provider entry stands that may be its own: see the candidates"})
}
