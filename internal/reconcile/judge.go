package reconcile

// Judge concludes all that can be concluded of one subject. Neighbours must have been named on it before (Candidates, Twins, Clashes): they change what
// an absence proves and what a replay may do.
//
// Where the subject was decided before, what the records alone say stays apart from what the earlier decisions leave possible: kinds and class are the
// records', executed, legs, pending, a retry and the options allow for a replay that may be under way.
func Judge(s *Subject, w *World) *Judgement {
	if s.Contract == nil {
		return &Judgement{Class: ClassUnclaimed, CaseID: s.ID}
	}
	j := judgeWith(s, w, nil)
	j.out.Found = Found{j.executed, j.legs}
	if earlier := w.Decided[s.ID]; len(earlier) > 0 {
		bare := j.out
		j = judgeWith(s, w, earlier)
		j.keep(bare)
	}
	if j.out.Class == ClassCase {
		j.out.Severity = j.severity()
		j.out.Options = j.options()
	}
	return j.out
}

func judgeWith(s *Subject, w *World, earlier []Decided) *judging {
	j := look(s, w, earlier)
	j.findPending()
	j.judgeLegs()
	j.judgeRetry()
	j.judgeExposure()
	j.applyRules()
	j.out.Class = j.classOf()
	j.out.Due = j.dueOf()
	j.fillOut()
	if j.out.Class == ClassCase {
		j.out.InGap = j.inGap()
		j.out.AlsoInGap = j.alsoInGap()
		j.out.ProviderTo = j.providerTo()
	}
	return j
}

// classOf counts the subject: a kind makes a case; else what could not be concluded, what is still under way, what the contract explains.
func (j *judging) classOf() Class {
	if len(j.out.Kinds) > 0 {
		return ClassCase
	}
	j.expectCounterparts()
	if j.blocked != nil && j.blocked.code == "archived" && (j.live() != nil || j.exposure.State == ExposureNone) {
		j.blocked, j.out.Explained = nil, "archived"
	}
	switch {
	case j.blocked != nil:
		j.out.Why = j.blocked.text
		return ClassInconclusive
	case j.young || j.leaseLives() || j.justTaken().known:
		return ClassInFlight
	case j.out.Explained != "":
		return ClassExplained
	case j.agedOut():
		return ClassExplained
	case j.live() == nil && j.compensated():
		j.out.Explained = "compensated"
		return ClassExplained
	case j.takenBackHere():
		j.out.Explained = "taken-back"
		return ClassExplained
	case !j.remembered() && j.exposure.State != ExposureNone:
		j.out.Why = j.exposedWhy()
		return ClassInconclusive
	}
	return ClassMatched
}

// remembered reports whether a live receipt answers a retry. One that is under way does not: whoever meets it when its lease is over begins again.
func (j *judging) remembered() bool {
	live := j.live()
	return live != nil && j.c.StateOf(live) != StateInProgress
}

// exposedWhy says why a subject of which no rule says anything is not called matched: no receipt would stop a retry from doing again what stands, or may.
func (j *judging) exposedWhy() string {
	for _, l := range j.legs {
		if l.State == LegUndetermined {
			return "nothing tells whether the " + l.Name.String() + " leg was made (" + l.Code + "), and no receipt would recognise a retry"
		}
	}
	return "no receipt would recognise a retry, and no rule says why"
}

// expectCounterparts looks for a counterpart that should be there and whose place does not cover it, so that nothing is called matched for want of
// looking.
func (j *judging) expectCounterparts() {
	if j.out.Explained != "" {
		return
	}
	rows := len(j.effects) + len(j.pendingRows) + len(j.undone)
	recorded := j.recorded() != nil || j.confirmed()
	if rows == 0 && j.c.Effect.local() && (recorded || len(j.objectsIn(OutcomeSucceeded)) > 0) {
		j.proved(j.localGone)
	}
	if len(j.objects) == 0 && j.c.Effect.external() && (recorded || len(j.effects) > 0) {
		j.proved(j.remoteGone)
	}
	for _, f := range j.fewer() {
		j.proved(j.absentIn(f, j.c.SettleTime().D, missingNow))
	}
	if len(j.receipts) == 0 && (len(j.effects) > 0 || len(j.objectsIn(OutcomeSucceeded)) > 0) {
		j.proved(j.receiptGone)
	}
	if j.executed == ExecutedUndetermined && (j.uncertain() || j.lapsed() != nil) {
		j.brokenPlace()
	}
}

// agedOut reports whether every receipt is past its life while a retry could still execute again: the contract's retention is shorter than its retry
// window.
func (j *judging) agedOut() bool {
	if len(j.receipts) == 0 || j.live() != nil || !j.made() || j.exposure.State == ExposureNone {
		return false
	}
	var end Instant
	for _, r := range j.receipts {
		if !j.c.Gone(r, j.w.Now) {
			return false
		}
		end = Latest(end, j.c.ExpiryOf(r))
	}
	j.out.RetainedTo, j.out.Explained = end, RetentionGap
	return true
}

func (j *judging) fillOut() {
	o := j.out
	o.Executed, o.Legs, o.Pending = j.executed, j.legs, j.pending
	o.RetryNow, o.Exposure, o.Amount, o.Since = j.retry, j.exposure, j.amount, j.began
	if (j.c.Fingerprint == nil && j.c.Params == nil) || j.uncompared {
		o.NotJudged = append(o.NotJudged, FingerprintConflict.String())
	}
	if !j.s.suspectable() {
		o.NotJudged = append(o.NotJudged, SuspectedDuplicateIntent.String())
	}
}

// severity is the headline's, raised by exposure: money that can still be spent twice is critical, anything else that can still double is high.
func (j *judging) severity() Severity {
	s := Findings[j.out.Headline()].Severity
	for _, k := range j.out.Kinds {
		s = min(s, Findings[k].Severity)
	}
	if j.exposure.State != ExposureNone {
		s = min(s, SeverityHigh)
		if j.amount.Valid && j.amount.Minor != 0 {
			s = SeverityCritical
		}
	}
	return s
}
