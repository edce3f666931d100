package reconcile

import "slices"

// lostAfterRestore holds where something outside confirms an action of which the serving store knows nothing any more: its receipt is gone, and so is what it
// made.
func lostAfterRestore(j *judging) (bool, []string, map[string]string) {
	witness := j.copies
	if len(j.copyEffects) > 0 {
		witness = append(slices.Clone(witness), j.copyEffects...)
	}
	if j.confirmed() {
		witness = append(slices.Clone(witness), j.intents...)
	}
	if len(witness) == 0 || len(j.receipts) > 0 || (j.done() == nil && !j.confirmed() && len(j.copyEffects) == 0) {
		return false, nil, nil
	}
	what := "the serving store has neither its receipt nor its effect. What came of it outside still stands."
	switch {
	case j.c.Effect.local():
		if !j.noRow() {
			return false, nil, nil
		}
	case j.c.Effect == LegsExternal:
		if !j.noObject() {
			return false, nil, nil
		}
		what = "the serving store has no receipt of it, and " + j.remoteGone.source + " covers its time and does not show it either."
	default: // an action without effect leaves nothing to lose
		return false, nil, nil
	}
	if !j.noReceipt() {
		return false, nil, nil
	}
	return true, refsOf(witness), map[string]string{"what": what}
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
	if j.mayWake && slices.ContainsFunc(j.places(RoleProvider, false), j.trails) {
		return j.proved(absence{state: absenceUncovered, code: "receipt-gone", text: "a worker before this one may have called later than the log shows: nothing says when it is certainly gone (dead_after)"})
	}
	if !j.candidateIn(RoleProvider) {
		return true
	}
	return j.proved(absence{state: absenceUncovered, code: "candidate-stands", text: "an unlinked provider entry stands that may be its own: see the candidates"})
}
