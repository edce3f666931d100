package audit

import (
	"example.com/idemctl/internal/reconcile"
)

// Step is one change of a decision's state.
type Step struct {
	From, To reconcile.DecisionState
	By       EventType // the record that makes it
	When     string    // for documentation
}

// Steps are all changes there are: the fold of the log, the triggers of the file and the documentation are made from them. A decision begins as decided.
var Steps = []Step{
	{reconcile.DecisionDecided, reconcile.DecisionDone, EventOutcome, "it was carried out"},
	{reconcile.DecisionDecided, reconcile.DecisionFailed, EventOutcome, "it was tried, and certainly not carried out"},
	{reconcile.DecisionDecided, reconcile.DecisionUnknown, EventOutcome, "it was tried, and nobody knows what came of it"},
	{reconcile.DecisionUnknown, reconcile.DecisionDone, EventOutcome, "it turned out to have been carried out"},
	{reconcile.DecisionUnknown, reconcile.DecisionFailed, EventOutcome, "it turned out not to have been carried out"},
	{reconcile.DecisionDecided, reconcile.DecisionWithdrawn, EventWithdrawn, "an operator took it back"},
	{reconcile.DecisionUnknown, reconcile.DecisionWithdrawn, EventWithdrawn, "an operator took it back; what came of it stays unknown"},
	{reconcile.DecisionDecided, reconcile.DecisionSuperseded, EventDecided, "a later decision of the case replaces it"},
	{reconcile.DecisionUnknown, reconcile.DecisionSuperseded, EventDecided, "a later decision of the case replaces it; what came of it stays unknown"},
	{reconcile.DecisionDecided, reconcile.DecisionExpired, EventExpired, "its valid_until had passed when the next decision of the case was made"},
	{reconcile.DecisionUnknown, reconcile.DecisionExpired, EventExpired, "its valid_until had passed when the next decision of the case was made"},
}

// OutcomeStep is one change of a decision's outcome.
type OutcomeStep struct{ From, To reconcile.DecisionOutcome }

// OutcomeSteps are all changes there are. While the decision is live its state follows; where it was withdrawn, superseded or expired after it had been handed
// out, only the outcome is set: it may have been sent, and what came of it still counts.
var OutcomeSteps = []OutcomeStep{
	{reconcile.ReportedNone, reconcile.ReportedDone},
	{reconcile.ReportedNone, reconcile.ReportedFailed},
	{reconcile.ReportedNone, reconcile.ReportedUnknown},
	{reconcile.ReportedUnknown, reconcile.ReportedDone},
	{reconcile.ReportedUnknown, reconcile.ReportedFailed},
}

// may reports whether a record of type by moves a decision from one state to the other.
func may(from, to reconcile.DecisionState, by EventType) bool {
	for _, s := range Steps {
		if s.From == from && s.To == to && s.By == by {
			return true
		}
	}
	return false
}

func mayReport(from, to reconcile.DecisionOutcome) bool {
	for _, s := range OutcomeSteps {
		if s.From == from && s.To == to {
			return true
		}
	}
	return false
}

// reported is the state that an outcome brings a live decision to.
func reported(o reconcile.DecisionOutcome) (reconcile.DecisionState, bool) {
	switch o {
	case reconcile.ReportedDone:
		return reconcile.DecisionDone, true
	case reconcile.ReportedFailed:
		return reconcile.DecisionFailed, true
	case reconcile.ReportedUnknown:
		return reconcile.DecisionUnknown, true
	case reconcile.ReportedNone:
	}
	return 0, false
}
