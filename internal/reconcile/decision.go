package reconcile

// Decision is what an operator can decide about a case.
type Decision uint8

// The decisions, in the order in which they are offered.
const (
	DecideReplay Decision = iota
	DecideHold
	DecideResolve
	DecideRecheck
	DecideEscalate
)

// Resolution says how a case is resolved; ResolutionNone for every other decision.
type Resolution uint8

// The resolutions.
const (
	ResolutionNone Resolution = iota
	BackfillReceipt
	Release
	Complete
	ConfirmExecuted
	ConfirmNotExecuted
	Distinct
	DuplicateOf
	Compensated
	Repoint
	Accept
)

var (
	decisionWords   = map[Decision]string{DecideReplay: "replay", DecideHold: "hold", DecideResolve: "resolve", DecideRecheck: "recheck", DecideEscalate: "escalate"}
	resolutionWords = map[Resolution]string{ResolutionNone: "", BackfillReceipt: "backfill-receipt", Release: "release", Complete: "complete", ConfirmExecuted: "confirm-executed", ConfirmNotExecuted: "confirm-not-executed", Distinct: "distinct", DuplicateOf: "duplicate-of", Compensated: "compensated", Repoint: "repoint", Accept: "accept"}
)

func (d Decision) String() string   { return decisionWords[d] }
func (r Resolution) String() string { return resolutionWords[r] }

// ParseDecision reads a decision's word.
func ParseDecision(w string) (Decision, error) { return parseWord(decisionWords, "decision", w) }

// ParseResolution reads a resolution's word.
func ParseResolution(w string) (Resolution, error) {
	return parseWord(resolutionWords, "resolution", w)
}
