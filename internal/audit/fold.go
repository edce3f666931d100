package audit

import (
	"database/sql"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"example.com/idemctl/internal/reconcile"
)

// fold is what the records say so far of decisions. Appending, reading and verifying all use it, so that a table can never tell another story than the log.
type fold struct {
	rows  map[string]*row // by decision id
	live  map[string]*row // by case
	revs  map[string]int64
	order []*row // oldest first

	touched []*row // by the last record, in the order in which their rows must be written
}

// row is one decision with where it was said; it is also what the table of decisions holds.
type row struct {
	Decision
	rev        int64
	plan       tlog.Hash
	stateSeq   int64
	handedSeq  int64 // 0: never; the first record of a trail hands out nothing
	outcomeSeq int64
}

func newFold() *fold {
	return &fold{rows: map[string]*row{}, live: map[string]*row{}, revs: map[string]int64{}}
}

// StepError is a change that a decision's state does not allow.
type StepError struct {
	Decision Decision
	Want     string
}

func (e *StepError) Error() string {
	d := &e.Decision
	s := fmt.Sprintf("decision %s is %s and cannot be %s", d.ID, d.State, e.Want)
	if d.Outcome != reconcile.ReportedNone {
		s += "; its outcome is " + d.Outcome.String()
	}
	return s
}

// LiveError is a case that has a live decision already.
type LiveError struct{ Decision Decision }

func (e *LiveError) Error() string {
	d := &e.Decision
	return fmt.Sprintf("case %s has a live decision: %s by %s, %s", d.Case, d.ID, d.Operator, d.State)
}

// apply adds r. It fails, and changes nothing, where the records before it do not allow it.
func (f *fold) apply(r *record) error {
	if r.caseID != "" && r.rev != f.revs[r.caseID] {
		return fmt.Errorf("record %d counts %d records of case %s before it, there are %d", r.seq, r.rev, r.caseID, f.revs[r.caseID])
	}
	f.touched = f.touched[:0]
	var err error
	switch r.what {
	case EventDecided:
		err = f.decide(r)
	case EventWithdrawn, EventExpired, EventOutcome, EventHandedOut:
		err = f.change(r)
	case EventCreated, EventAdopted, EventRefused, EventRevealed, EventExported, EventRestore, EventRetracted:
	}
	if err == nil && r.caseID != "" {
		f.revs[r.caseID]++
	}
	return err
}

func (f *fold) decide(r *record) error {
	old := f.live[r.caseID]
	switch {
	case r.caseID == "" || r.action == "":
		return fmt.Errorf("record %d decides nothing", r.seq)
	case f.rows[r.id] != nil:
		return fmt.Errorf("record %d repeats decision %s", r.seq, r.id)
	case old == nil && r.supersedes != "":
		return fmt.Errorf("record %d supersedes %s, which is not live", r.seq, r.supersedes)
	case old != nil && r.supersedes != old.ID:
		return &LiveError{old.Decision}
	}
	if old != nil {
		if err := f.move(old, reconcile.DecisionSuperseded, r); err != nil {
			return err
		}
	}
	d := &row{Decision: r.decided(), rev: r.rev, plan: r.plan.digest, stateSeq: r.seq}
	f.rows[d.ID], f.live[d.Case] = d, d
	f.order = append(f.order, d)
	f.touched = append(f.touched, d)
	return nil
}

// change applies a record that is about a decision.
func (f *fold) change(r *record) error {
	d := f.rows[r.decision]
	if d == nil || d.Case != r.caseID {
		return fmt.Errorf("record %d is about decision %q of case %q, which does not stand before it", r.seq, r.decision, r.caseID)
	}
	switch r.what {
	case EventWithdrawn:
		return f.move(d, reconcile.DecisionWithdrawn, r)
	case EventExpired:
		if d.Live(r.at) {
			return fmt.Errorf("record %d says that decision %s has expired, which is valid until later", r.seq, d.ID)
		}
		return f.move(d, reconcile.DecisionExpired, r)
	case EventHandedOut:
		if d.State != reconcile.DecisionDecided || !d.Live(r.at) {
			return &StepError{d.Decision, "handed out"}
		}
		if d.handedSeq != 0 { // whoever has it may send it: giving it away twice could send it twice
			return &StepError{d.Decision, "handed out again"}
		}
		d.HandedOut, d.handedSeq = r.at, r.seq
		f.touched = append(f.touched, d)
		return nil
	case EventOutcome:
		return f.report(d, r)
	case EventCreated, EventAdopted, EventDecided, EventRefused, EventRevealed, EventExported, EventRestore, EventRetracted:
	}
	return nil
}

// report sets an outcome. A decision that is no longer live keeps its state: what was handed out may have been sent all the same.
func (f *fold) report(d *row, r *record) error {
	o, err := reconcile.ParseDecisionOutcome(r.outcome)
	if err != nil {
		return fmt.Errorf("record %d: %w", r.seq, err)
	}
	to, ok := reported(o)
	if !ok || !mayReport(d.Outcome, o) || !d.State.Live() && d.handedSeq == 0 {
		return &StepError{d.Decision, o.String()}
	}
	if !d.State.Live() {
		f.touched = append(f.touched, d)
	} else if err := f.move(d, to, r); err != nil {
		return err
	}
	d.Outcome, d.OutcomeRef, d.OutcomeAt, d.outcomeSeq = o, r.ref, r.at, r.seq
	return nil
}

func (f *fold) move(d *row, to reconcile.DecisionState, r *record) error {
	if !may(d.State, to, r.what) {
		return &StepError{d.Decision, to.String()}
	}
	d.State, d.StateAt, d.stateSeq = to, r.at, r.seq
	f.touched = append(f.touched, d)
	if !to.Live() {
		delete(f.live, d.Case)
	}
	return nil
}

// insertDecision takes what columns returns.
const insertDecision = `INSERT INTO decision(decision_id, case_id, case_rev, action, resolution, operator, digest, plan, recorded, valid_until, seq, state, state_seq, handed_seq, outcome, outcome_seq) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// columns is the decision as its row in the file must be; the last five may change.
func (d *row) columns() []any {
	return []any{
		d.ID, d.Case, d.rev, d.Proposal.Decision.String(), d.As.String(), d.Operator, d.Digest, d.plan[:], d.Recorded.UnixNano(),
		sql.NullInt64{Int64: d.ValidUntil.UnixNano(), Valid: d.ValidUntil.Known()},
		d.Seq,
		d.State.String(), d.stateSeq, nullable(d.handedSeq), d.Outcome.String(), nullable(d.outcomeSeq),
	}
}

// nullable is a sequence number, NULL for none.
func nullable(seq int64) sql.NullInt64 { return sql.NullInt64{Int64: seq, Valid: seq != 0} }
