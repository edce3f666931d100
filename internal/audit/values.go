package audit

import (
	"time"

	"example.com/idemctl/internal/reconcile"
)

// Env is all that a trail takes from the process it lives in.
type Env struct {
	Now      func() time.Time
	NewID    func() string // a UUID of version 7, new at every call
	Tool     string        // name and version of the program
	Operator Operator      // see Self
}

// Proposal is what an operator wants to decide of one case, and what the decision rests on.
type Proposal struct {
	Case, Contract string
	Identity       []reconcile.Component
	Decision       reconcile.Decision
	As             reconcile.Resolution
	Reason         string
	Ref            string            // what the resolution names
	To             string            // of escalate: to whom
	At             reconcile.Instant // of an operator's fact: as of when; of recheck: when to look again
	ValidUntil     reconcile.Instant // from then on it no longer stands; unknown = no end

	// What was known when it was decided.
	Executed               reconcile.Executed
	Legs                   []reconcile.Leg
	Digest                 string // evidence digest
	GuardCode, GuardReason string
	Config, ConfigDigest   string
	ScanNow                reconcile.Instant
	Pinned                 bool   // the clock was pinned
	Evidence               []byte // canonical JSON of the case as it was shown; kept outside the log, under a salted commitment

	// Supersedes is the live decision of this case that this one replaces; "" = there must be none.
	Supersedes string
}

// Decision is a recorded decision, with what became of it. Its Evidence is nil: Trail.Evidence has it.
type Decision struct {
	Proposal

	ID         string
	Seq        int64 // of the record that made it
	Operator   string
	Recorded   reconcile.Instant
	State      reconcile.DecisionState
	StateAt    reconcile.Instant // when it got there
	HandedOut  reconcile.Instant // when it was first given to the service's worker; unknown = never
	Outcome    reconcile.DecisionOutcome
	OutcomeRef string
	OutcomeAt  reconcile.Instant
	Signed     bool // an operator's own key signed it
}

// Decided returns what the rules must know of the decision.
func (d *Decision) Decided() reconcile.Decided {
	return reconcile.Decided{
		ID: d.ID, Case: d.Case, Decision: d.Decision, As: d.As, Recorded: d.Recorded, At: d.At, Ref: d.Ref, ValidUntil: d.ValidUntil,
		HandedOut: d.HandedOut, Outcome: d.Outcome, OutcomeAt: d.OutcomeAt, State: d.State, StateAt: d.StateAt,
		Identity: d.Identity, Executed: d.Executed, Legs: d.Legs, Digest: d.Digest,
	}
}

// Live reports whether the decision still stands at an instant: its state is a live one, and its valid_until has not passed.
func (d *Decision) Live(now reconcile.Instant) bool {
	r := d.Decided()
	return r.Live(now)
}

// Event is something other than a decision that the trail must tell: a refusal of the guard, a look at payloads, an export.
type Event struct {
	Type                 EventType // EventRefused, EventRevealed or EventExported
	Case, Contract       string
	Decision             reconcile.Decision // of a refusal: what was wanted
	As                   reconcile.Resolution
	Code, Answer         string // of a refusal: the guard's
	Reason, Ref, To      string // To: where an export went
	Digest               string // evidence digest
	Config, ConfigDigest string
	ScanNow              reconcile.Instant
	Pinned               bool
}

// Entry is one record of the log, as a list shows it.
type Entry struct {
	Seq      int64
	ID       string
	Type     EventType
	At       reconcile.Instant
	Operator string
	Tool     string
	Case     string
	Decision string // the decision that the record made, or is about
	Signed   bool
	Body     []byte // the stored bytes

	Action       string // word of a reconcile.Decision; "" where the record has none
	As           string
	Code, Answer string // the guard's
	Reason       string
	Ref, To      string
	Outcome      string
	HasEvidence  bool
}

// Query says which decisions are wanted.
type Query struct {
	Cases    []string // none: of all cases
	LiveOnly bool     // only those that still stand now
}

// LogQuery says which records are wanted.
type LogQuery struct {
	From    int64 // the first sequence number; with Reverse the last, 0 for the newest
	Limit   int   // 0: no limit
	Reverse bool  // newest first
}

// entry is what a list shows of r.
func (r *record) entry() Entry {
	e := Entry{
		Seq: r.seq, ID: r.id, Type: r.kind, At: r.at, Operator: r.actor, Tool: r.tool, Case: r.caseID, Decision: r.decision,
		Signed: r.signature != unsigned, Body: r.body, Action: r.action, As: r.as, Code: r.code, Answer: r.answer, Reason: r.reason, Ref: r.ref, To: r.to,
		Outcome: r.outcome, HasEvidence: len(r.evidence) > 0,
	}
	if r.kind == EventDecided {
		e.Decision = r.id
	}
	return e
}

// decision is what r decided, before anything became of it.
func (r *record) decided() Decision {
	d := Decision{
		Proposal: Proposal{
			Case: r.caseID, Contract: r.contract, Identity: r.identity, Reason: r.reason, Ref: r.ref, To: r.to, At: r.asOf, ValidUntil: r.until,
			Legs: r.legs, Digest: r.digest, GuardCode: r.code, GuardReason: r.answer, Config: r.config, ConfigDigest: r.configDigest,
			ScanNow: r.scanNow, Pinned: r.pinned, Supersedes: r.supersedes,
		},
		ID: r.id, Seq: r.seq, Operator: r.actor, Recorded: r.at, State: reconcile.DecisionDecided, StateAt: r.at,
		Signed: r.signature != unsigned,
	}
	d.Decision, _ = reconcile.ParseDecision(r.action) // the words were checked when r was parsed
	d.As, _ = reconcile.ParseResolution(r.as)
	d.Executed, _ = reconcile.ParseExecuted(r.executed)
	return d
}

// coreOf is the part of a record that says what p decides.
func coreOf(p *Proposal) core {
	return core{
		caseID: p.Case, contract: p.Contract, identity: p.Identity, supersedes: p.Supersedes, action: p.Decision.String(), as: p.As.String(),
		executed: p.Executed.String(), legs: p.Legs, digest: p.Digest, code: p.GuardCode, answer: p.GuardReason, config: p.Config, configDigest: p.ConfigDigest,
		scanNow: p.ScanNow, pinned: p.Pinned, reason: p.Reason, ref: p.Ref, to: p.To, asOf: p.At, until: p.ValidUntil,
	}
}
