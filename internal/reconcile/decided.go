package reconcile

import (
	"slices"
	"time"
)

// DecisionState is what has become of a recorded decision.
type DecisionState uint8

// The states of a decision.
const (
	DecisionProposed   DecisionState = iota // waits for a second person
	DecisionDecided                         // stands, and nobody has said yet what came of it
	DecisionDone                            // carried out
	DecisionFailed                          // tried, and certainly not carried out
	DecisionUnknown                         // tried, and nobody knows what came of it
	DecisionWithdrawn                       // taken back by a person
	DecisionSuperseded                      // replaced by a later decision of the same case
	DecisionExpired                         // its valid_until had passed
	DecisionRejected                        // the second person said no
)

// DecisionOutcome is what is recorded of a decision once it was, or was not, carried out.
type DecisionOutcome uint8

// The outcomes of a decision.
const (
	ReportedNone DecisionOutcome = iota // nothing is recorded yet
	ReportedDone
	ReportedFailed
	ReportedUnknown
)

var (
	decisionStateWords   = map[DecisionState]string{DecisionProposed: "proposed", DecisionDecided: "decided", DecisionDone: "done", DecisionFailed: "failed", DecisionUnknown: "unknown", DecisionWithdrawn: "withdrawn", DecisionSuperseded: "superseded", DecisionExpired: "expired", DecisionRejected: "rejected"}
	decisionOutcomeWords = map[DecisionOutcome]string{ReportedNone: "none", ReportedDone: "done", ReportedFailed: "failed", ReportedUnknown: "unknown"}
)

func (s DecisionState) String() string   { return decisionStateWords[s] }
func (o DecisionOutcome) String() string { return decisionOutcomeWords[o] }

// Live reports whether a decision in this state still stands in the way of another one of the same case.
func (s DecisionState) Live() bool {
	return s == DecisionProposed || s == DecisionDecided || s == DecisionUnknown
}

// ParseDecisionState reads the word of a decision's state.
func ParseDecisionState(w string) (DecisionState, error) {
	return parseWord(decisionStateWords, "state of a decision", w)
}

// ParseDecisionOutcome reads the word of a decision's outcome.
func ParseDecisionOutcome(w string) (DecisionOutcome, error) {
	return parseWord(decisionOutcomeWords, "outcome of a decision", w)
}

// Decided is a recorded decision as far as the rules must know it.
type Decided struct {
	ID, Case   string
	Decision   Decision
	As         Resolution
	Recorded   Instant
	At         Instant // of an operator's fact: as of when; of recheck: when to look again
	Ref        string  // of distinct and duplicate-of: the other case's id, or another reference
	ValidUntil Instant // unknown = no end
	HandedOut  Instant // when it was first given to the service's worker; unknown = never
	Outcome    DecisionOutcome
	OutcomeAt  Instant
	State      DecisionState
	StateAt    Instant     // when it got there
	Identity   []Component // of the case
	Executed   Executed    // as the records said when it was decided
	Legs       []Leg
	Digest     string // evidence digest that it was decided on
}

// Live reports whether the decision still stands at an instant.
func (d *Decided) Live(now Instant) bool {
	return d.State.Live() && (!d.ValidUntil.known || d.ValidUntil.After(now))
}

// Changed reports whether the records say something else than what was decided on: other evidence, other legs, another verdict.
func (d *Decided) Changed(j *Judgement) bool {
	return d.Digest != j.Digest || d.Executed != j.Found.Executed || !sameLegs(d.Legs, j.Found.Legs)
}

func sameLegs(a, b []Leg) bool {
	return slices.EqualFunc(a, b, func(x, y Leg) bool { return x.Name == y.Name && x.State == y.State })
}

// Stands reports whether what the decision asserts is still held true: it was not taken back, replaced or turned down, whether or not it is to be acted on.
func (d *Decided) Stands(now Instant) bool { return d.Live(now) || d.State == DecisionDone }

// sending is a stretch of time in which an earlier decision that lets the service act may have been carried out, or may still be.
type sending struct {
	what string // replay-open, complete-open
	id   string
	from Instant
	last Instant // unknown while it is open
}

// until is the last time at which what it made may be written; unknown = open.
func (s sending) until(wait time.Duration) Instant { return s.last.Add(wait) }

// replaysOf lists when the replays among earlier decisions, and the completions of a missing leg, may have been sent. One that was handed out stays open until its outcome is recorded, whatever
// became of the decision: the worker has it. One that never was ends when it was taken back, or when its time was over.
func replaysOf(earlier []Decided, now Instant) []sending {
	var out []sending
	for i := range earlier {
		d := &earlier[i]
		s := sending{what: "replay-open", id: d.ID, from: d.Recorded}
		switch {
		case d.Decision == DecideReplay:
		case d.Decision == DecideResolve && d.As == Complete:
			s.what = "complete-open"
		default:
			continue
		}
		switch {
		case d.Outcome != ReportedNone:
			if d.OutcomeAt.known {
				s.last = Latest(d.Recorded, d.HandedOut, d.OutcomeAt)
			}
		case d.HandedOut.known:
		case d.State == DecisionWithdrawn, d.State == DecisionSuperseded, d.State == DecisionExpired, d.State == DecisionRejected:
			if d.StateAt.known {
				s.last = Latest(d.Recorded, d.StateAt)
			}
		case !d.Live(now):
			s.last = Latest(d.Recorded, d.ValidUntil)
		}
		out = append(out, s)
	}
	return out
}

// seeReplays counts earlier replay decisions as possible sends: the last one may be now.
func (j *judging) seeReplays() {
	for _, s := range replaysOf(j.earlier, j.w.Now) {
		j.lastSend = Latest(j.lastSend, s.last.Or(j.w.Now))
	}
}

// pendReplays lists the replays that may still be under way: without an outcome, or sent later than every source shows.
func (j *judging) pendReplays() {
	for _, s := range replaysOf(j.earlier, j.w.Now) {
		if !s.last.known {
			j.pending = append(j.pending, Pending{What: s.what, Ref: "decision:" + s.id})
		} else if till := j.shownUntil(s.last); till.known {
			j.pending = append(j.pending, Pending{What: s.what, Ref: "decision:" + s.id, Till: till})
		}
	}
}

// shownUntil is the time that a source of the contract must cover before it shows what was sent at an instant; unknown where every one covers it. A client's
// own book is not asked: it does not show what a send made.
func (j *judging) shownUntil(sent Instant) Instant {
	var till Instant
	for i := range j.w.Sources {
		f := &j.w.Sources[i]
		if f.Role == RoleIntent || !j.concerns(f) {
			continue
		}
		need := sent.Add(f.Coverage.Lag + j.c.SettleTime().D + f.Skew)
		if !f.Coverage.Complete || !f.Coverage.Proves || !f.Coverage.To.After(need) {
			till = Latest(till, need)
		}
	}
	return till
}

// keep takes what the records alone say into a judgement that allows for earlier decisions. A case stays one while it is decided on; only that nothing was
// executed is not said while a replay may be under way.
func (j *judging) keep(bare *Judgement) {
	out := *bare
	out.Executed, out.Legs, out.Pending, out.RetryNow, out.Exposure = j.executed, j.legs, j.pending, j.retry, j.exposure
	out.Due = j.out.Due
	if i := slices.Index(out.Kinds, NotExecuted); i >= 0 && j.executed != ExecutedNo {
		out.Kinds = slices.Clone(out.Kinds)
		out.Kinds[i] = UnknownOutcome
		slices.Sort(out.Kinds)
		out.Kinds = slices.Compact(out.Kinds)
		out.Reasons = slices.DeleteFunc(slices.Clone(out.Reasons), func(r Reason) bool { return r.Rule == NotExecuted.String() })
		out.Reasons = append(out.Reasons, Reason{Rule: UnknownOutcome.String(), Text: "The service may act on an earlier decision, and what came of it is not known: its outcome is not recorded, or the sources do not show that time yet."})
	}
	j.out = &out
}

// said asks whether an operator's fact stands that nobody took back.
func said(as Resolution) func(*judging) bool {
	return func(j *judging) bool {
		return slices.ContainsFunc(j.earlier, func(d Decided) bool {
			return d.Decision == DecideResolve && d.As == as && d.Stands(j.w.Now)
		})
	}
}

// confirmedUnrecognised asks whether an operator says that it was executed where a second send would not be recognised, on whichever leg.
func confirmedUnrecognised(j *judging) bool {
	return said(ConfirmExecuted)(j) && !j.recognisedOn(true)
}

// restsOnWord asks whether all that speaks for a replay is an operator's word that it was not executed.
func restsOnWord(j *judging) bool {
	return j.executed == ExecutedUndetermined && !j.recognised() && said(ConfirmNotExecuted)(j)
}

// distinct reports whether an operator stated on either of two cases that they are two genuine actions, and nobody stated the contrary.
func (w *World) distinct(a, b string) bool {
	said := func(as Resolution, on, other string) bool {
		return slices.ContainsFunc(w.Decided[on], func(d Decided) bool {
			return d.Decision == DecideResolve && d.As == as && d.Ref == other && d.Stands(w.Now)
		})
	}
	return (said(Distinct, a, b) || said(Distinct, b, a)) && !said(DuplicateOf, a, b) && !said(DuplicateOf, b, a)
}

// replayEnd is how long an allowed replay stays allowed: while what would recognise it surely does, and while one is still wanted.
func (j *judging) replayEnd() Instant {
	var end Instant
	if live := j.live(); live != nil && mayHaveExecuted(j) {
		end = Earliest(end, j.c.HeldTo(live).Add(-j.c.Margin-j.skewOf(live)))
	}
	if p := j.c.Provider; p != nil && j.c.Effect.external() && mayHaveExecuted(j) && (p.Retention == RetentionExact || p.Retention == RetentionMinimum) {
		end = Earliest(end, j.firstSend.Add(p.For).Add(-j.c.Margin))
	}
	if j.c.ApprovalLife.Valid {
		end = Earliest(end, j.w.Now.Add(j.c.ApprovalLife.D))
	}
	if j.c.ReplayMaxAge.Valid {
		end = Earliest(end, j.began.Add(j.c.ReplayMaxAge.D))
	}
	return end
}
