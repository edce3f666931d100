package reconcile

import "slices"

// judgeLegs decides each leg of the action, then whether it was executed.
func (j *judging) judgeLegs() {
	settle := j.c.SettleTime().D
	j.receiptGone = j.receiptAbsence()
	if j.c.Effect.local() {
		j.localGone = j.absentFrom(j.places(RoleEffect, true), settle, missingNow)
		j.legs = append(j.legs, j.localLeg())
	}
	if j.c.Effect.external() {
		j.remoteGone = j.absentFrom(j.places(RoleProvider, false), settle, missingNow)
		j.legs = append(j.legs, j.providerLeg())
	}
	if len(j.messages) > 0 {
		j.legs = append(j.legs, j.outboxLeg())
	}
	j.executed = j.executedOf()
}

// receiptAbsence judges the lack of any receipt, live or expired, in the serving stores. A keyless row is only known there by the effect id that a
// receipt would name.
func (j *judging) receiptAbsence() absence {
	if len(j.receipts) > 0 {
		return absence{state: absencePresent}
	}
	if !keyOf(j.s.Identity).known {
		if f := j.unreadNamer(); f != nil {
			return absence{state: absenceUncovered, broken: true, code: "source-incomplete", source: f.Name, text: f.Name + ": " + f.Coverage.Reason}
		}
	}
	places := j.places(RoleReceipt, true)
	for _, f := range places {
		if f.Coverage.Complete && f.Coverage.Proves && (j.s.Ambiguous || !j.testifies(f)) && j.s.hasCandidates() {
			return absence{
				state: absenceUncovered, code: "candidate-stands", source: f.Name,
				text: f.Name + ": nothing tells this record from the candidates' counterpart",
			}
		}
	}
	return j.absentFrom(places, j.c.Settle, missingNow)
}

// unreadNamer returns a source that was not read and that could have named the key of a keyless record, nil when there is none.
func (j *judging) unreadNamer() *SourceFacts {
	for i := range j.w.Sources {
		f := &j.w.Sources[i]
		if !f.Coverage.Complete && f.MapsRef && slices.Contains(f.Components, "key") && j.concerns(f) {
			return f
		}
	}
	return nil
}

func (j *judging) localLeg() Leg {
	leg := func(s LegState, code string) Leg { return Leg{LegLocal, s, code} }
	gone := j.absentFrom(j.places(RoleEffect, true), j.c.SettleTime().D, neverHappened)
	switch {
	case len(j.effects) > 0 && j.lacking() != nil:
		return leg(LegYes, effectsShort)
	case len(j.effects) > 0:
		return leg(LegYes, "effect-stands")
	case j.claimedOpenly():
		return leg(LegUndetermined, "claimed-twice")
	case len(j.undone) > 0 && j.recorded() != nil:
		return leg(LegYes, "effect-undone")
	case j.reversed():
		return leg(LegYes, "effect-reversed")
	case j.removed():
		return leg(LegYes, "effect-undone")
	case len(j.pendingRows) > 0:
		return leg(LegUndetermined, "row-pending")
	case j.localGone.state == absenceProved && (j.recorded() != nil || j.confirmed() || len(j.copyEffects) > 0) && !j.candidateIn(RoleEffect):
		return leg(LegLost, "recorded-as-done")
	case gone.state != absenceProved:
		return leg(LegUndetermined, gone.code)
	case j.candidateIn(RoleEffect):
		return leg(LegUndetermined, "candidate-stands")
	case j.nameless():
		return leg(LegUndetermined, "key-unknown")
	case j.asOfRestore():
		return leg(LegUndetermined, "as-of-restore")
	case j.mayWake && (!j.c.Atomic || !j.unreceived):
		return leg(LegUndetermined, "receipt-gone")
	case len(j.pending) > 0:
		return leg(LegUndetermined, "pending")
	case j.c.Atomic && j.unreceived:
		return leg(LegNo, "atomic")
	}
	if len(j.undone) > 0 {
		return leg(LegNo, "effect-void")
	}
	return leg(LegNo, j.absentCode(RoleEffect))
}

// reversed reports whether the effect was made and then taken back, as a refund does.
func (j *judging) reversed() bool {
	return slices.ContainsFunc(j.undone, func(r *Record) bool { return r.Status == StatusReversed })
}

func (j *judging) providerLeg() Leg {
	leg := func(s LegState, code string) Leg { return Leg{LegProvider, s, code} }
	gone := j.absentFrom(j.places(RoleProvider, false), j.c.SettleTime().D, neverHappened)
	switch {
	case len(j.objectsIn(OutcomeSucceeded)) > 0:
		return leg(LegYes, "provider-succeeded")
	case len(j.objectsIn(OutcomeReversed)) > 0:
		return leg(LegYes, "provider-reversed")
	case len(j.objectsIn(OutcomePending)) > 0:
		return leg(LegUndetermined, "provider-open")
	case len(j.objectsIn(OutcomeUnknown)) > 0:
		return leg(LegUndetermined, "provider-unclear")
	case gone.state != absenceProved:
		return leg(LegUndetermined, gone.code)
	case j.candidateIn(RoleProvider):
		return leg(LegUndetermined, "candidate-stands")
	case j.nameless():
		return leg(LegUndetermined, "key-unknown")
	case len(j.objects) == 0 && j.unsent() != nil:
		return leg(LegUndetermined, "pending")
	case len(j.objects) == 0 && j.mayWake && j.overtaken:
		return leg(LegUndetermined, "receipt-gone")
	case len(j.objects) == 0 && (j.recorded() != nil || j.confirmed() || j.rowNamesProvider() != nil):
		return leg(LegLost, "recorded-as-done")
	case len(j.objects) > 0 && j.done() == nil && j.recorded() != nil: // what failed may be a later call's object
		return leg(LegUndetermined, "provider-unclear")
	case j.objectClaimed():
		return leg(LegUndetermined, "claimed-twice")
	case j.asOfRestore():
		return leg(LegUndetermined, "as-of-restore")
	case j.mayWake:
		return leg(LegUndetermined, "receipt-gone")
	case len(j.pending) > 0:
		return leg(LegUndetermined, "pending")
	case len(j.objects) > 0:
		return leg(LegNo, "provider-failed")
	}
	return leg(LegNo, j.absentCode(RoleProvider))
}

func (j *judging) outboxLeg() Leg {
	for _, r := range j.messages {
		if r.Sent != SentConfirmed && !r.ConfirmedAt.known && !j.messageProved() {
			return Leg{LegOutbox, LegUndetermined, "message-unconfirmed"}
		}
	}
	return Leg{LegOutbox, LegYes, "message-confirmed"}
}

// unsent returns a message that was not sent yet, nil when there is none: until then the provider lacks nothing.
func (j *judging) unsent() *Record {
	for _, r := range j.messages {
		if r.unsent() {
			return r
		}
	}
	return nil
}

// rowNamesProvider returns a standing row that names the provider's object, in whatever store, nil where none does: the service wrote that it was made. When it
// wrote that, no row tells; while a worker may still be at it, that can have been just now. Of a row that may be another's, whose worker or message that was is
// not known either.
func (j *judging) rowNamesProvider() *Record {
	if len(j.pending) > 0 || j.mayWake || j.s.Stray() && j.claimedOpenly() {
		return nil
	}
	for _, rs := range [][]*Record{j.effects, j.copyEffects} {
		for _, r := range rs {
			if r.ProviderRef.known {
				return r
			}
		}
	}
	return nil
}

// removed reports whether the effect was made and its row then marked as deleted: the row itself shows that it was executed.
func (j *judging) removed() bool {
	return len(j.undoneRows()) > 0
}

// candidateIn reports whether an unlinked row that cannot be told from the missing counterpart stands in a place of the role.
func (j *judging) candidateIn(role Role) bool {
	for _, c := range j.s.Candidates {
		if c.places&(1<<role) != 0 {
			return true
		}
	}
	return j.s.MoreCands > 0
}

// nameless reports whether nothing says whose a standing record is: whatever its action has besides may be joined to another subject, or to none either.
func (j *judging) nameless() bool {
	return j.s.Stray() && (j.reversed() || len(j.effects)+len(j.copyEffects)+len(j.pendingRows) > 0 || len(j.objectsIn(OutcomeFailed)) < len(j.objects))
}

// claimedOpenly reports whether a row that may be this subject's effect is claimed by another as well.
func (j *judging) claimedOpenly() bool {
	for _, c := range j.s.Clashes {
		if c.Open && c.Field != RefRequest.field() && c.Field != RefSentKey.field() {
			return true
		}
	}
	return false
}

// absentCode says whether an absence rests on rows that carry the identity, or on there being no unlinked row.
func (j *judging) absentCode(role Role) string {
	for _, f := range j.places(role, false) {
		if !j.testifies(f) {
			return "absent-no-candidate"
		}
	}
	return "absent-covered"
}

// asOfRestore reports whether the receipt is what an older backup said: in progress then, or free to be tried again, it proves nothing of what came after.
func (j *judging) asOfRestore() bool {
	for _, r := range j.receipts {
		if s := j.c.StateOf(r); s != StateInProgress && s != StateFailedRetryable {
			continue
		}
		for i := range j.w.Events {
			ev := &j.w.Events[i]
			if ev.Store != r.Source || !j.eventConcerns(ev) {
				continue
			}
			_, to := j.edges(ev)
			if at := Latest(r.UpdatedAt, r.LockedAt, r.CreatedAt); !at.known || !at.After(to) {
				return true
			}
		}
	}
	return false
}

func (j *judging) executedOf() Executed {
	if j.c.Effect == LegsNone {
		return ExecutedNo
	}
	stands, never, open := 0, 0, len(j.legs) == 0
	for _, l := range j.legs {
		switch l.State {
		case LegYes, LegLost:
			stands++
		case LegNo:
			never++
		case LegUndetermined:
			open = true
		}
	}
	short := slices.ContainsFunc(j.legs, func(l Leg) bool { return l.Code == effectsShort })
	switch {
	case stands > 0 && never > 0, short:
		return ExecutedPartly
	case open:
		return ExecutedUndetermined
	case stands > 0:
		return ExecutedYes
	case len(j.pending) > 0:
		return ExecutedUndetermined
	}
	return ExecutedNo
}

// mightStand reports whether some leg stands, was made, or may have been.
func (j *judging) mightStand() bool {
	for _, l := range j.legs {
		if l.State != LegNo {
			return true
		}
	}
	return len(j.legs) == 0 && j.c.Effect != LegsNone
}

// stands reports whether some leg was certainly made.
func (j *judging) stands() bool {
	for _, l := range j.legs {
		if l.State == LegYes || l.State == LegLost {
			return true
		}
	}
	return false
}
