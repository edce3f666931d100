package reconcile

import "time"

// Class is where a subject is counted: every subject is in exactly one.
type Class uint8

// The classes; their counts sum to the subjects.
const (
	ClassMatched Class = iota
	ClassInFlight
	ClassExplained
	ClassInconclusive
	ClassUnclaimed
	ClassCase
)

// Executed is whether the action happened.
type Executed uint8

// The values of Executed.
const (
	ExecutedUndetermined Executed = iota
	ExecutedYes
	ExecutedNo
	ExecutedPartly
)

// LegState is whether one leg of the action happened.
type LegState uint8

// The values of a leg. The zero LegState is undetermined.
const (
	LegUndetermined LegState = iota
	LegYes
	LegLost // recorded as done, now covered-absent
	LegNo   // covered-absent, nothing pending
)

// Leg is one leg of an action with its verdict.
type Leg struct {
	Name  LegName
	State LegState
	Code  string // why, e.g. absent-no-candidate, atomic, candidate-stands
}

// LegName names a leg.
type LegName uint8

// The legs.
const (
	LegLocal LegName = iota
	LegProvider
	LegOutbox
)

// RetryVerdict is what a retry would do now.
type RetryVerdict uint8

// The retry verdicts. The zero value is unknown.
const (
	RetryUnknown RetryVerdict = iota
	RetryReplays
	RetryConflicts
	RetryWaits
	RetryTakenOver
	RetryExecutes
	RetryExecutesAgain
	RetryMightExecuteAgain
	RetryRefusedByRule
)

// ExposureState is whether, and how long, a retry could execute again what stands or might stand.
type ExposureState uint8

// The exposure states.
const (
	ExposureNone ExposureState = iota
	ExposureUntil
	ExposureOpen // no end is known
	ExposureUnknown
)

// Exposure is an exposure with its end, known only for ExposureUntil.
type Exposure struct {
	State ExposureState
	Until Instant
}

// Severity ranks a case.
type Severity uint8

// The severities, gravest first.
const (
	SeverityCritical Severity = iota
	SeverityHigh
	SeverityMedium
	SeverityLow
)

// Pending is something that may still perform the action without us.
type Pending struct {
	What string // receipt-lease, receipt-wakes, outbox-unsent, outbox-unconfirmed, provider-open, intent-due, replay-open, complete-open
	Ref  string // source:locator
	Till Instant
}

// Reason is one step of the reasoning, written for a tired person, with the rows that prove it.
type Reason struct {
	Rule string
	Text string
	Refs []string
}

// Option is the guard's answer for one decision.
type Option struct {
	Decision Decision
	As       Resolution // for resolve only
	Allowed  bool
	Code     string // one closed set; see Codes
	Reason   string
	// ValidUntil is how long an allowed replay stays allowed: a later one might not be recognised, or is not wanted. Unknown = no end.
	ValidUntil Instant
	Other      string // the case id of the other action that a refusal rests on, the nearest of them; "" where it rests on none, or on one that is only counted
}

// Found is what the records alone say, whatever was decided on them since: what a decision is held against later.
type Found struct {
	Executed Executed
	Legs     []Leg
}

// Judgement is all that is concluded of one subject.
type Judgement struct {
	Class     Class
	Explained string   // the rule that explains it, for ClassExplained: retention-gap, retention, before-since, optional-key, archived, compensated
	Why       string   // for ClassInconclusive: the source and its reason
	Kinds     []Kind   // gravest first; empty unless ClassCase
	NotJudged []string // rules that lacked a mapping

	Severity    Severity
	Executed    Executed
	Legs        []Leg
	Found       Found
	Pending     []Pending
	RetryNow    RetryVerdict
	Exposure    Exposure
	Amount      Amount
	Since       Instant // the earliest instant known of the action
	Reasons     []Reason
	Differences []Difference // where requests differ, for the kinds that say so
	Options     []Option
	Send        *Send // nil unless a replay is allowed
	CaseID      string
	Digest      string
	Due         Due           // when a later scan can conclude what this one could not
	InGap       string        // name of the gap, declared or proposed, that holds what it lacks; see Gap.Name
	AlsoInGap   string        // name of the gap of the rows, where InGap is the receipts' and this may have taken the row besides
	Age         time.Duration // at the end of coverage of the source that lacks the counterpart; 0 unless AgeKnown
	AgeKnown    bool
	RetainedTo  Instant // end of the receipt's life, for retention-gap
	ProviderTo  Instant // until when the provider surely knows the key of a call that was made, or may have been
}

// Headline returns the gravest kind of a case.
func (j *Judgement) Headline() Kind { return j.Kinds[0] }
