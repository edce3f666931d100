package report

import (
	"fmt"
	"strings"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/text"
)

// Decision is a recorded decision of a case, as it is shown.
type Decision struct {
	ID         string
	Seq        int64 // of its record in the trail
	Decision   reconcile.Decision
	As         reconcile.Resolution
	Operator   string
	Recorded   reconcile.Instant
	Reason     string
	Ref, To    string
	At         reconcile.Instant
	ValidUntil reconcile.Instant
	HandedOut  reconcile.Instant
	State      reconcile.DecisionState
	StateAt    reconcile.Instant
	Outcome    reconcile.DecisionOutcome
	OutcomeRef string
	OutcomeAt  reconcile.Instant
	Live       bool // it stands: no other one can be recorded beside it
	Changed    bool // what it was decided on has changed since
	Signed     bool // by a key of the operator's own
}

// Settled reports whether nothing is left to decide: the decision stands, and rests on what the records still say.
func (d *Decision) Settled() bool { return d.Live && !d.Changed }

// name is the decision as a command line says it.
func (d *Decision) name() string {
	if d.As == reconcile.ResolutionNone {
		return d.Decision.String()
	}
	return d.Decision.String() + " " + d.As.String()
}

// decisionCell is the last decision's cell in the table.
func decisionCell(ds []Decision) string {
	d := lastOf(ds)
	switch {
	case d == nil:
		return "-"
	case !d.Live && d.State.Live():
		return d.name() + " (expired)"
	case !d.Live:
		return d.name() + " (" + d.State.String() + ")"
	case d.Changed:
		return d.name() + " (changed since)"
	case d.State == reconcile.DecisionUnknown:
		return d.name() + " (outcome unknown)"
	case d.HandedOut.Known():
		return d.name() + " (handed out)"
	}
	return d.name()
}

// lastOf is the decision that counts: the one that stands if any does, as no other is recorded beside it.
func lastOf(ds []Decision) *Decision {
	if len(ds) == 0 {
		return nil
	}
	return &ds[len(ds)-1]
}

func (o Options) decisions(c *scan.Case) []Decision {
	if o.Decisions == nil {
		return nil
	}
	return o.Decisions(c)
}

type decisionJSON struct {
	ID         shown   `json:"id"`
	Seq        int64   `json:"seq"`
	Decision   string  `json:"decision"`
	As         string  `json:"as"`
	Operator   shown   `json:"operator"`
	Recorded   instant `json:"recorded"`
	Reason     shown   `json:"reason"`
	Ref        shown   `json:"ref"`
	To         shown   `json:"to"`
	At         instant `json:"at"`
	ValidUntil instant `json:"valid_until"`
	HandedOut  instant `json:"handed_out"`
	State      string  `json:"state"`
	StateAt    instant `json:"state_at"`
	Outcome    string  `json:"outcome"`
	OutcomeRef shown   `json:"outcome_ref"`
	OutcomeAt  instant `json:"outcome_at"`
	Live       bool    `json:"live"`
	Changed    bool    `json:"changed"`
	Signed     bool    `json:"signed"`
}

func newDecisionJSON(d *Decision) *decisionJSON {
	return &decisionJSON{
		ID: shown(d.ID), Seq: d.Seq, Decision: d.Decision.String(), As: d.As.String(), Operator: shown(d.Operator), Recorded: instant(d.Recorded),
		Reason: shown(d.Reason), Ref: shown(d.Ref), To: shown(d.To), At: instant(d.At), ValidUntil: instant(d.ValidUntil), HandedOut: instant(d.HandedOut),
		State: d.State.String(), StateAt: instant(d.StateAt), Outcome: d.Outcome.String(), OutcomeRef: shown(d.OutcomeRef), OutcomeAt: instant(d.OutcomeAt),
		Live: d.Live, Changed: d.Changed, Signed: d.Signed,
	}
}

// lastDecisionJSON is the last decision of a case, nil where there is none.
func lastDecisionJSON(ds []Decision) *decisionJSON {
	if d := lastOf(ds); d != nil {
		return newDecisionJSON(d)
	}
	return nil
}

// decisions writes what was decided of the case, the last one whole.
func (s *sheet) decisions(ds []Decision) {
	d := lastOf(ds)
	if d == nil {
		return
	}
	s.title("Decision")
	if d.Live && d.Changed {
		s.line("%s", s.in(yellow, "Changed since the decision: the records no longer say what was decided on."))
	}
	const width = len("valid until")
	s.pair(width, "decided", s.in(bold, d.name())+" by "+text.SafeString(d.Operator)+" at "+momentText(d.Recorded))
	s.pair(width, "state", d.fate())
	s.pair(width, "reason", text.SafeString(d.Reason))
	for _, f := range []struct{ name, value string }{{"ref", d.Ref}, {"to", d.To}, {"outcome ref", d.OutcomeRef}} {
		if f.value != "" {
			s.pair(width, f.name, text.SafeString(f.value))
		}
	}
	if d.At.Known() {
		s.pair(width, "as of", momentText(d.At))
	}
	if d.ValidUntil.Known() {
		s.pair(width, "valid until", momentText(d.ValidUntil))
	}
	s.pair(width, "id", text.SafeString(d.ID)+fmt.Sprintf(" (record %d)", d.Seq))
	for i := len(ds) - 2; i >= 0; i-- {
		s.pair(width, "before", ds[i].name()+" by "+text.SafeString(ds[i].Operator)+" at "+momentText(ds[i].Recorded)+": "+ds[i].fate())
	}
}

// loose names the replays that nobody would look for any more.
func (p *page) loose(ds []Decision) {
	if len(ds) == 0 {
		return
	}
	p.title("Handed out, and nobody has said what came of it")
	for i := range ds {
		p.flow(4, "  %s  handed out at %s; its action is no case any more: idemctl outcome %[1]s done --ref REF", text.SafeString(ds[i].ID), momentText(ds[i].HandedOut))
	}
}

// fate says what became of the decision.
func (d *Decision) fate() string {
	var parts []string
	switch {
	case d.State.Live() && !d.Live:
		parts = append(parts, "its time was over at "+momentText(d.ValidUntil))
	case d.State == reconcile.DecisionDecided:
		parts = append(parts, "stands")
	case d.State == reconcile.DecisionUnknown:
		parts = append(parts, "nobody knows what came of it")
	default:
		parts = append(parts, d.State.String()+" at "+momentText(d.StateAt))
	}
	if d.HandedOut.Known() {
		parts = append(parts, "handed out at "+momentText(d.HandedOut))
	}
	if d.Outcome != reconcile.ReportedNone && d.State.String() != d.Outcome.String() {
		parts = append(parts, "outcome "+d.Outcome.String())
	}
	return strings.Join(parts, ", ")
}
