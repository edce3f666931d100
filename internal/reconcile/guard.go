package reconcile

import "slices"

// Answer is one row of the guard's table: the first row of a decision that applies is the guard's answer for it.
type Answer struct {
	Decision Decision
	As       Resolution
	Code     string
	Sentence string // what to tell the operator: why it is refused, or what the decision asserts
	Allowed  bool
	applies  func(*judging) bool // nil: always
}

// secondPerson is why a replay is refused that one person alone may not decide.
const secondPerson = "It takes a second person: the contract asks for one, or the replay would rest on one operator's word."

// asksForTwo and acceptForTwo are why other decisions are refused that one person alone may not make.
const (
	asksForTwo   = "The contract asks for a second person."
	acceptForTwo = "It takes a second person: it could still be executed again, or the contract asks for one."
)

// firstRun and retriesOver are why nothing is done twice although a retry now would, or might, run the action.
const (
	firstRun    = "A retry that comes may run the action, for the first time: nothing stands that it would double"
	retriesOver = "A retry now might run the action again, and none is expected: the contract's retry window has ended"
)

// notSurely is why a replay could be executed twice. What would recognise it all the same, and until when, is said behind it: see recognisers.
const notSurely = "a second send is not surely recognised"

// keyShared and targetMoved are why the provider could not be trusted to recognise what is sent again.
const (
	keyShared   = "The provider is sent one key for this action and another: it would take the one for the other."
	targetMoved = "It was sent to different regions, accounts or targets: nothing says which of them would recognise it."
)

// completeTwin and twinBookLost are why an action may not be done, or finished, whose wish may have been fulfilled under another key.
const (
	completeTwin = "Another action with the same scope and request was begun inside the retry window: what is missing here may have been done under its key. Resolve the two as distinct first."
	twinBookLost = "An older copy of the clients' book was put back, or of the receipts where no such book is read: it may have lost that this wish was sent under another key. Ask whoever wished it."
)

// twinUnsure is why nothing is sent while another action may be the same wish for all that is known.
const twinUnsure = "Another action was begun inside the retry window, and nothing tells whether it asks for the same: its request, its actor or its scope is not known here. Ask whoever wished it, and resolve the two as distinct first."

// Guards is the one table of the guard's answers, in the order in which they are tried. Options, documentation and training are made from it.
var Guards = []Answer{
	{DecideReplay, ResolutionNone, "trail-unsure", "The audit trail cannot be trusted: a replay may have been decided, and sent, that nobody sees any more.", false, trailUnsure},
	{DecideReplay, ResolutionNone, "key-unknown", "The identity is not whole: nothing says under which key the action would be sent again.", false, keyUnknown},
	{DecideReplay, ResolutionNone, "principal-revoked", "The one who asked for the action may no longer ask for it.", false, revoked},
	{DecideReplay, ResolutionNone, "too-old", "The wish is older than the contract sends again.", false, tooOld},
	{DecideReplay, ResolutionNone, "duplicates-exist", "It was executed more than once already. Sending it again cannot mend that.", false, hasKind(DuplicateEffect, ReexecutedAfterExpiry)},
	{DecideReplay, ResolutionNone, "reference-clash", "A reference of this action is claimed by another. Find out first whose row it is.", false, hasKind(ReferenceReused, ScopeBreach)},
	{DecideReplay, ResolutionNone, "newer-generation", "A newer generation has taken the action over, and an older one still wrote: nothing says which of the two stands.", false, hasKind(StaleGeneration)},
	{DecideReplay, ResolutionNone, "provider-key-shared", keyShared, false, hasKind(ProviderKeyCollision)},
	{DecideReplay, ResolutionNone, "target-moved", targetMoved, false, hasKind(ScopeMoved)},
	{DecideReplay, ResolutionNone, "scope-changed", "The same key and request stand under another operation, begun inside the retry window: where an operation was renamed, no receipt of its old name recognises what is sent under the new one. Resolve the two as distinct first.", false, renamed},
	{DecideReplay, ResolutionNone, "request-conflict", "The request differs between its records: nobody can say which one to send again.", false, conflicting},
	{DecideReplay, ResolutionNone, "pending", "Something may still perform it by itself: see what is pending. Sending it now could make two.", false, hasPending},
	{DecideReplay, ResolutionNone, "confirmed-executed", "An operator stated, with proof, that it was executed, and " + notSurely + ".", false, confirmedUnrecognised},
	{DecideReplay, ResolutionNone, "needs-approval", secondPerson, false, restsOnWord},
	{DecideReplay, ResolutionNone, "outcome-unknown", "It may have been executed, and " + notSurely + " beyond now and margin. Unknown is not no.", false, unrecognised(ExecutedUndetermined)},
	{DecideReplay, ResolutionNone, "already-executed", "It was executed, and " + notSurely + ": it could be done twice.", false, unrecognised(ExecutedYes, ExecutedPartly)},
	{DecideReplay, ResolutionNone, "twin-exists", "Another action with the same scope and request was begun inside the retry window: it may be the retry, under a new key. Resolve the two as distinct first.", false, hasTwin},
	{DecideReplay, ResolutionNone, "twin-unknown", twinUnsure, false, hasUnsure},
	{DecideReplay, ResolutionNone, "twin-lost", twinBookLost, false, twinLost},
	{DecideReplay, ResolutionNone, "parameters-unknown", "No record holds the request's parameters: it could not be sent as it was.", false, paramsUnknown},
	{DecideReplay, ResolutionNone, "provider-key-unknown", "The key that the provider would be sent is not known, so it could not recognise the action.", false, providerKeyUnknown},
	{DecideReplay, ResolutionNone, "needs-approval", secondPerson, false, fourEyes("replay")},
	{DecideReplay, ResolutionNone, "recognised", "Every leg that may have executed recognises this key beyond now and margin: the action is not done twice.", true, mayHaveExecuted},
	{DecideReplay, ResolutionNone, "not-executed", "Nothing was executed and nothing is pending: the service sends the same action again, by its own path.", true, nil},

	{DecideHold, ResolutionNone, "may-run-once", firstRun + ", and nothing is pending.", false, nothingToHold(mayRunFirst)},
	{DecideHold, ResolutionNone, "retries-over", retriesOver + ", and nothing is pending.", false, nothingToHold(mayRunLate)},
	{DecideHold, ResolutionNone, "nothing-to-hold", "A retry now would run nothing, and nothing is pending.", false, nothingToHold(nil)},
	{DecideHold, ResolutionNone, "needs-approval", asksForTwo, false, fourEyes("hold")},
	{DecideHold, ResolutionNone, "hold", "You ask the service's owner to keep retries back: idemctl stops none. It asserts nothing of what happened.", true, nil},

	{DecideResolve, BackfillReceipt, "receipt-present", "A receipt stands in the serving store already.", false, hasReceipt},
	{DecideResolve, BackfillReceipt, "receipts-uncovered", "The serving receipts could not be read far enough to say that none is there.", false, receiptsUncovered},
	{DecideResolve, BackfillReceipt, "key-unknown", "The identity is not whole: nothing says which key the receipt would have to remember.", false, keyUnknown},
	{DecideResolve, BackfillReceipt, "duplicates-exist", "Several effects stand: a receipt can name only one.", false, hasKind(DuplicateEffect, ReexecutedAfterExpiry)},
	{DecideResolve, BackfillReceipt, "reference-clash", "A reference of this action is claimed by another: the receipt could name somebody else's row.", false, hasKind(ReferenceReused, ScopeBreach)},
	{DecideResolve, BackfillReceipt, "not-executed-whole", "Not every leg stands: the receipt would promise what was not done.", false, notWhole},
	{DecideResolve, BackfillReceipt, "weak-link", "The effect is joined by part of its identity only.", false, weakLink},
	{DecideResolve, BackfillReceipt, "response-unknown", "The lost response is not known, and the contract does not say how to rebuild it.", false, responseUnknown},
	{DecideResolve, BackfillReceipt, "needs-approval", asksForTwo, false, fourEyes("resolve", "backfill-receipt")},
	{DecideResolve, BackfillReceipt, "effect-stands", "The effect stands: once its receipt is put back, a retry gets the answer again.", true, nil},

	{DecideResolve, Release, "trail-unsure", "The audit trail cannot be trusted: a replay may have been decided, and sent, that nobody sees any more.", false, trailUnsure},
	{DecideResolve, Release, "nothing-stuck", "No in-progress receipt holds the key.", false, nothingStuck},
	{DecideResolve, Release, "pending", "Something may still perform it by itself: see what is pending.", false, hasPending},
	{DecideResolve, Release, "confirmed-executed", "An operator stated, with proof, that it was executed: a freed key could let a retry do it again.", false, said(ConfirmExecuted)},
	{DecideResolve, Release, "may-have-executed", "It may have been executed: a freed key could let a retry do it again.", false, notExecutedFalse},
	{DecideResolve, Release, "provider-key-unknown", "The provider is sent a key that is not the client's: its log may show the call under one that nothing here connects with this action. A freed key could let a retry do it again.", false, providerKeyElse},
	{DecideResolve, Release, "needs-approval", asksForTwo, false, fourEyes("resolve", "release")},
	{DecideResolve, Release, "not-executed", "Nothing was executed: the stuck key is freed, if it is still the same receipt. A retry then runs the action, for the first time.", true, nil},

	{DecideResolve, Complete, "trail-unsure", "The audit trail cannot be trusted: a replay may have been decided, and sent, that nobody sees any more.", false, trailUnsure},
	{DecideResolve, Complete, "not-partly", "No leg is known to be missing while another stands.", false, notPartly},
	{DecideResolve, Complete, "pending", "Something may still perform it by itself: see what is pending.", false, hasPending},
	{DecideResolve, Complete, "standing-leg-unrecognised", "Neither is its receiver sure to recognise the leg that stands, beyond now and margin, nor does the service say that it skips it: completing could do it again.", false, standingUnrecognised},
	{DecideResolve, Complete, "provider-key-shared", keyShared, false, hasKind(ProviderKeyCollision)},
	{DecideResolve, Complete, "target-moved", targetMoved, false, hasKind(ScopeMoved)},
	{DecideResolve, Complete, "twin-exists", completeTwin, false, hasTwin},
	{DecideResolve, Complete, "twin-unknown", twinUnsure, false, hasUnsure},
	{DecideResolve, Complete, "twin-lost", twinBookLost, false, twinLost},
	{DecideResolve, Complete, "provider-key-unknown", "The key that the provider would be sent is not known.", false, providerKeyUnknown},
	{DecideResolve, Complete, "needs-approval", asksForTwo, false, fourEyes("resolve", "complete")},
	{DecideResolve, Complete, "leg-missing", "The service performs the missing leg; the standing one is recognised.", true, nil},

	{DecideResolve, ConfirmExecuted, "contrary-fact", "A place that would show it covers its time and shows nothing.", false, someLegNo},
	{DecideResolve, ConfirmExecuted, "contrary-word", "An operator stated the contrary: withdraw one of the two.", false, said(ConfirmNotExecuted)},
	{DecideResolve, ConfirmExecuted, "known-already", "The records themselves say that it was executed.", false, executedIs(ExecutedYes)},
	{DecideResolve, ConfirmExecuted, "needs-approval", asksForTwo, false, fourEyes("resolve", "confirm-executed")},
	{DecideResolve, ConfirmExecuted, "operator-fact", "You state, with proof and a time, that it was executed.", true, nil},

	{DecideResolve, ConfirmNotExecuted, "contrary-fact", "Something stands that says it was executed.", false, somethingStands},
	{DecideResolve, ConfirmNotExecuted, "contrary-word", "An operator stated the contrary: withdraw one of the two.", false, said(ConfirmExecuted)},
	{DecideResolve, ConfirmNotExecuted, "known-already", "The records themselves say that it was not executed.", false, executedIs(ExecutedNo)},
	{DecideResolve, ConfirmNotExecuted, "pending", "Something may still perform it by itself: it could be executed after you said so.", false, hasPending},
	{DecideResolve, ConfirmNotExecuted, "needs-approval", asksForTwo, false, fourEyes("resolve", "confirm-not-executed")},
	{DecideResolve, ConfirmNotExecuted, "operator-fact", "You state, with proof and a time, that it was not executed. A replay that rests on it needs a second person.", true, nil},

	{DecideResolve, Distinct, "no-counterpart", "There is no other record that it could be mistaken for.", false, noCounterpart},
	{DecideResolve, Distinct, "needs-approval", asksForTwo, false, fourEyes("resolve", "distinct")},
	{DecideResolve, Distinct, "needs-reference", "You state that these are two genuine actions; name the other one.", true, nil},
	{DecideResolve, DuplicateOf, "no-counterpart", "There is no other record that it could be a duplicate of.", false, noCounterpart},
	{DecideResolve, DuplicateOf, "needs-approval", asksForTwo, false, fourEyes("resolve", "duplicate-of")},
	{DecideResolve, DuplicateOf, "needs-reference", "You state that this is the same wish as another action; name that one.", true, nil},
	{DecideResolve, Compensated, "nothing-stands", "Nothing stands that could have been undone.", false, nothingStands},
	{DecideResolve, Compensated, "needs-approval", asksForTwo, false, fourEyes("resolve", "compensated")},
	{DecideResolve, Compensated, "needs-reference", "What was done was undone; name the refund or reversal. It keeps no retry from executing it again.", true, nil},
	{DecideResolve, Repoint, "nothing-to-repoint", "No receipt here names a row that is missing or claimed by another.", false, nothingToRepoint},
	{DecideResolve, Repoint, "needs-approval", asksForTwo, false, fourEyes("resolve", "repoint")},
	{DecideResolve, Repoint, "needs-reference", "The receipt is pointed at its right effect; name that row.", true, nil},
	{DecideResolve, Accept, "needs-approval", acceptForTwo, false, mayRepeat},
	{DecideResolve, Accept, "needs-approval", acceptForTwo, false, fourEyes("resolve", "accept")},
	{DecideResolve, Accept, "may-run-once", firstRun + ". You state that it is explained, and that this may happen.", true, mayRunFirst},
	{DecideResolve, Accept, "retries-over", retriesOver + ". You state that it is explained and needs nothing more.", true, mayRunLate},
	{DecideResolve, Accept, "runs-nothing", "A retry now would run nothing. You state that it is explained and needs nothing more.", true, nil},

	{DecideRecheck, ResolutionNone, "recheck", "Look again at a time when every source will cover it.", true, nil},
	{DecideEscalate, ResolutionNone, "escalate", "Hand it over: say to whom, and why. The case stays open.", true, nil},
}

// options asks the guard about every decision.
func (j *judging) options() []Option {
	var out []Option
	for i := 0; i < len(Guards); {
		first := Guards[i]
		answered := false
		for ; i < len(Guards) && Guards[i].Decision == first.Decision && Guards[i].As == first.As; i++ {
			a := Guards[i]
			if !answered && (a.applies == nil || a.applies(j)) {
				o := Option{Decision: a.Decision, As: a.As, Allowed: a.Allowed, Code: a.Code, Reason: a.Sentence + j.recognisers(&a), Other: j.otherOf(a.Code)}
				if o.Decision == DecideReplay && o.Allowed {
					o.ValidUntil, j.out.Send = j.replayEnd(), j.send()
				}
				out = append(out, o)
				answered = true
			}
		}
	}
	return out
}

func trailUnsure(j *judging) bool { return j.w.Unsure }

func keyUnknown(j *judging) bool { return !Whole(j.s.Identity) }

func revoked(j *judging) bool {
	return slices.ContainsFunc(j.s.Evidence, func(e Evidence) bool {
		return e.Record.RevokedAt.known && !e.Record.RevokedAt.After(j.w.Now)
	})
}

func tooOld(j *judging) bool {
	return j.c.ReplayMaxAge.Valid && (!j.began.known || j.began.Add(j.c.ReplayMaxAge.D).Before(j.w.Now))
}

func hasKind(kinds ...Kind) func(*judging) bool {
	return func(j *judging) bool {
		return slices.ContainsFunc(kinds, func(k Kind) bool { return slices.Contains(j.out.Kinds, k) })
	}
}

func conflicting(j *judging) bool {
	return j.retry == RetryConflicts || slices.Contains(j.out.Kinds, FingerprintConflict) || slices.Contains(j.out.Kinds, ProviderMismatch)
}

func hasPending(j *judging) bool { return len(j.pending) > 0 }

func unrecognised(when ...Executed) func(*judging) bool {
	return func(j *judging) bool { return slices.Contains(when, j.executed) && !j.recognised() }
}

// hasTwin asks for a twin that nobody called another action. Those that are only counted were not looked at by anybody.
func hasTwin(j *judging) bool {
	for _, like := range []*Like{j.s.LikeIntent, j.s.LikeEffect} {
		if like != nil && !j.w.distinct(j.s.ID, like.Case) {
			return true
		}
	}
	return j.s.MoreTwins > 0 || slices.ContainsFunc(j.s.Twins, func(t Candidate) bool { return !j.w.distinct(j.s.ID, t.Case) })
}

// otherOf is the action that a refusal rests on, "" where it rests on none that is named.
func (j *judging) otherOf(code string) string {
	var of []Candidate
	switch code {
	case "twin-exists":
		of = j.s.Twins
		for _, like := range []*Like{j.s.LikeIntent, j.s.LikeEffect} {
			if like != nil {
				of = append(slices.Clone(of), like.Candidate)
			}
		}
	case "twin-unknown":
		of = j.s.Unsure
	case "scope-changed":
		for _, t := range j.s.Ties {
			if t.Kind == TieOperation {
				of = append(of, t.Candidate)
			}
		}
	}
	if at := slices.IndexFunc(of, func(c Candidate) bool { return !j.w.distinct(j.s.ID, c.Case) }); at >= 0 {
		return of[at].Case
	}
	return ""
}

// renamed asks for an action of the same key and request under another operation that nobody called another one.
func renamed(j *judging) bool {
	return slices.ContainsFunc(j.s.Ties, func(t Tied) bool { return t.Kind == TieOperation && !j.w.distinct(j.s.ID, t.Case) })
}

// hasUnsure asks for an action that may be a twin for all that is known, and that nobody called another one.
func hasUnsure(j *judging) bool {
	return j.s.MoreUnsure > 0 || slices.ContainsFunc(j.s.Unsure, func(t Candidate) bool { return !j.w.distinct(j.s.ID, t.Case) })
}

// twinLost asks whether a clients' book that was put back may have told of the wish under another key: of one that was begun inside the retry window. Where no
// such book is read, the receipts are what told of other keys.
func twinLost(j *judging) bool {
	books := j.places(RoleIntent, false)
	if len(books) == 0 {
		books = j.places(RoleReceipt, true)
	}
	for _, f := range books {
		for i := range j.w.Events {
			ev := &j.w.Events[i]
			if ev.Store != f.Name || !j.eventConcerns(ev) {
				continue
			}
			from, to := j.edges(ev)
			window := j.c.RetryWindow
			if !window.Valid || !j.earliest.known {
				return true
			}
			before := to.known && to.Before(j.earliest.Add(-window.D))
			after := from.known && from.After(j.earliest.Add(window.D))
			if !before && !after {
				return true
			}
		}
	}
	return false
}

func paramsUnknown(j *judging) bool {
	return !slices.ContainsFunc(j.s.Evidence, func(e Evidence) bool { return e.Record.Params.known })
}

// fourEyes asks whether the contract wants a second person for one of the words: a decision, or how it resolves.
func fourEyes(words ...string) func(*judging) bool {
	return func(j *judging) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(j.c.FourEyes, w) })
	}
}

func mayHaveExecuted(j *judging) bool { return j.executed != ExecutedNo }

// nothingToHold asks whether nothing could be executed again, for the reason given; nil: for any.
func nothingToHold(since func(*judging) bool) func(*judging) bool {
	return func(j *judging) bool { return !mayRepeat(j) && len(j.pending) == 0 && (since == nil || since(j)) }
}

// mayRunFirst and mayRunLate ask why an action that is not exposed is none although a retry now might run it: nothing stands that it would double, or none is
// expected any more.
func mayRunFirst(j *judging) bool { return j.retry.MayRun() && !j.mightStand() && !renamed(j) }
func mayRunLate(j *judging) bool  { return j.retry.MayRun() && !mayRunFirst(j) }

// mayRepeat asks whether it could be executed again: by a retry, or by a message or job that would be sent again though its effect stands.
func mayRepeat(j *judging) bool { return exposed(j) || hasKind(ResendPending)(j) }

func exposed(j *judging) bool { return j.exposure.State != ExposureNone }

func hasReceipt(j *judging) bool { return len(j.receipts) > 0 }

func receiptsUncovered(j *judging) bool { return j.receiptGone.state != absenceProved }

func notWhole(j *judging) bool {
	for _, l := range j.legs {
		if l.State != LegYes || l.wasUndone() {
			return true
		}
	}
	return j.executed != ExecutedYes
}

func weakLink(j *judging) bool {
	return slices.ContainsFunc(j.s.Evidence, func(e Evidence) bool { return e.Link == LinkPartial })
}

// responseUnknown asks whether the answer of the lost receipt could be given again: kept in another store, or rebuilt as the contract says.
func responseUnknown(j *judging) bool {
	return j.c.Rebuild == nil && !slices.ContainsFunc(j.copies, func(r *Record) bool { return r.ResponseBody.known })
}

func nothingStuck(j *judging) bool {
	return !slices.ContainsFunc(j.receipts, func(r *Record) bool { return j.c.StateOf(r) == StateInProgress })
}

func notExecutedFalse(j *judging) bool { return j.executed != ExecutedNo }

func notPartly(j *judging) bool { return j.executed != ExecutedPartly }

func executedIs(e Executed) func(*judging) bool {
	return func(j *judging) bool { return j.executed == e }
}

func someLegNo(j *judging) bool {
	return slices.ContainsFunc(j.legs, func(l Leg) bool { return l.State == LegNo })
}

func somethingStands(j *judging) bool { return j.stands() }

func nothingStands(j *judging) bool { return !j.stands() }

func noCounterpart(j *judging) bool {
	return len(j.s.Twins)+len(j.s.Unsure)+len(j.s.Candidates)+len(j.s.Clashes)+len(j.s.Ties) == 0 && !hasKind(DuplicateEffect, ReexecutedAfterExpiry, SuspectedDuplicateEffect, SuspectedDuplicateIntent)(j)
}

func nothingToRepoint(j *judging) bool {
	return len(j.receipts) == 0 || !hasKind(ReferenceReused, ScopeBreach, ReceiptWithoutEffect)(j)
}

// standingUnrecognised asks whether completing would do the standing leg again: whoever performs the missing one asks no receipt. A receipt that waits to be
// taken up behind its local leg says that the service skips it.
func standingUnrecognised(j *judging) bool {
	if j.skipsLocal() {
		return false
	}
	return !j.legsRecognise(j.w.Now.Add(j.c.Margin), false)
}

// skipsLocal reports whether the local leg is all that stands, and the serving receipt tells that the service goes on behind it.
func (j *judging) skipsLocal() bool {
	for _, l := range j.legs {
		if l.Name != LegLocal && l.State != LegNo {
			return false
		}
	}
	live := j.live()
	return live != nil && j.c.StateOf(live) == StateInProgress && (live.Phase == PhaseLocalDone || live.Phase == PhaseProviderSent) && j.lacking() == nil
}
