package reconcile

import "slices"

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
