package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/idemctl/internal/reconcile"
)

// Desk takes one operator's decisions: it reads the evidence anew, asks the guard, and only then records. The command line and the console decide through it
// alone. It has no rule of its own but those of recording: who must say what, one live decision a case, and no decision under a clock that stands still.
type Desk struct {
	Trail *Trail
	Now   func() time.Time
	// Read reads the evidence anew and judges it with what was decided earlier, by case id.
	Read func(ctx context.Context, decided map[string][]reconcile.Decided) (Reading, error)
	// Fixture is set for a training fixture: its pinned clock is the one to decide by.
	Fixture bool
	// Repeated is set where the operator repeated the pinned time for this decision.
	Repeated bool
}

// Reading is what reading the evidence anew has found.
type Reading struct {
	Now                  reconcile.Instant
	Pinned               bool // Now is not the real time
	Incomplete           bool // a source was not read as far as it was declared to reach: a case that is not found is not gone
	Config, ConfigDigest string
	// Case returns the case whose id begins so; errors.Is(err, ErrNoCase) where none does, and ErrSeveral where several do.
	Case  func(ctx context.Context, prefix string) (*Seen, error)
	Close func() error
}

// Seen is a case as the reading shows it.
type Seen struct {
	Judgement *reconcile.Judgement
	Contract  string
	Identity  []reconcile.Component
	Twins     []reconcile.Candidate
	Others    []reconcile.Candidate // candidates, and whom the reasons name besides
	Refs      []string              // what its records are called: ids of rows, objects, events and requests, and where they stand
	Evidence  []byte                // canonical JSON of the case, unmasked
}

var (
	// ErrNoCase is that the evidence, read anew, shows no such case.
	ErrNoCase = errors.New("no such case")
	// ErrSeveral is that the beginning of an id is that of several cases.
	ErrSeveral = errors.New("several cases begin so")
)

// Request is one decision on one or more cases.
type Request struct {
	Cases    []string // ids, or their beginnings
	Decision reconcile.Decision
	As       reconcile.Resolution
	Reason   string
	Ref, To  string
	At       reconcile.Instant
	Seen     map[string]string // case id → evidence digest that the operator looked at; a case that is missing here is not held against one
}

// Answer is what became of a request for one case: Decision where it was recorded, else the code and the reason of the refusal.
type Answer struct {
	Case         string // the whole id; as it was asked for where no such case was found
	Decision     *Decision
	Code, Reason string // of a refusal; Reason with a Decision is a remark on it
}

// The codes of refusals that are not the guard's.
const (
	CodeNoCase    = "no-case"
	CodePinned    = "pinned-clock"
	CodeChanged   = "evidence-changed"
	CodeLive      = "decided-already"
	CodeReference = "reference-unknown"
	CodeTime      = "time-unknown"
	CodeExpired   = "expired"
	CodeConfig    = "config-changed"
	CodeTaken     = "trail-taken-over"

	CodeIncomplete = "sources-incomplete"
	CodeClock      = "clock-set-back"
	CodeHandedOut  = "handed-out"
)

// notWholly is said of a case that is not found where not everything was read.
const notWholly = "a source could not be read as far as declared, so nothing is concluded from that: see idemctl check."

// Refusal is a code with what it means.
type Refusal struct{ Code, Means string }

// Refusals is the one table of refusals that are not the guard's; documentation is made from it.
var Refusals = []Refusal{
	{CodeNoCase, "The sources, read anew, show no such case any more, although it was decided before or was on the screen. An id that nobody knows is a mistake of typing: an error, and nothing is recorded."},
	{CodeIncomplete, "There is no such case to judge, as a source could not be read as far as declared: nobody knows whether it needs a decision still."},
	{CodePinned, "The clock is pinned: replay, resolve, hold and handing out wait until --now repeats the config's time. A time to come decides nothing, nor does a pinned one what runs out. A fixture's clock is the one to decide by."},
	{CodeChanged, "The records say something else than the operator was shown, or than the decision rests on."},
	{CodeLive, "Another decision of the case stands, and its evidence has not changed."},
	{CodeReference, "The reference of distinct or duplicate-of names no other action."},
	{CodeTime, "A recheck names no time, and time alone settles nothing of what is open in the case: say when to look again."},
	{CodeExpired, "The decision's valid_until has passed."},
	{CodeClock, "The clock stands before the time at which the replay was decided: until it is right, nothing that expires can be judged."},
	{CodeConfig, "The replay was decided under another config, or this one has changed since: withdraw it, and decide again."},
	{CodeTaken, "The replay was decided before this machine took the trail over: a later copy of it may say that it was handed out. Withdraw it, and decide again."},
	{CodeHandedOut, "The worker has the replay already, and nobody has recorded what came of it."},
}

// Decide reads the evidence anew and records the decision for each case where the guard allows it. Refusals are recorded too. An error says that nothing more
// is known than the answers tell: what stands in them with a Decision is recorded. One name that is no case, and never was as far as the trail and the
// request know, is such an error (ErrNoCase, ErrSeveral), and nothing is recorded of any: a slip of the hand is no answer of the guard.
func (d *Desk) Decide(ctx context.Context, req Request) (answers []Answer, err error) {
	if err := d.Trail.Trouble(); err != nil {
		return nil, err
	}
	if err := req.Check(reconcile.At(d.Now())); err != nil {
		return nil, err
	}
	decisions, err := d.earlier(ctx)
	if err != nil {
		return nil, err
	}
	r, err := d.Read(ctx, decided(decisions))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	var proposals []Proposal
	taken := make(map[string]bool)
	for _, name := range req.Cases {
		a, p, err := d.weigh(ctx, &r, decisions, &req, name)
		if err != nil {
			return nil, err
		}
		if taken[a.Case] {
			continue
		}
		taken[a.Case] = true
		answers = append(answers, a)
		if p != nil {
			proposals = append(proposals, *p)
		}
	}
	if err := d.record(ctx, answers, proposals); err != nil {
		return answers, err
	}
	return answers, d.note(context.WithoutCancel(ctx), &r, &req, answers) // what was recorded stands: a cancel comes too late to undo it
}

// earlier returns every decision of the trail by case, oldest first.
func (d *Desk) earlier(ctx context.Context) (map[string][]Decision, error) {
	out := make(map[string][]Decision)
	for one, err := range d.Trail.Decisions(ctx, Query{}) {
		if err != nil {
			return nil, err
		}
		out[one.Case] = append(out[one.Case], one)
	}
	return out, nil
}

func decided(decisions map[string][]Decision) map[string][]reconcile.Decided {
	out := make(map[string][]reconcile.Decided, len(decisions))
	for id, ds := range decisions {
		for i := range ds {
			out[id] = append(out[id], ds[i].Decided())
		}
	}
	return out
}

// weigh answers the request for one case. A proposal comes with an answer that is still open.
func (d *Desk) weigh(ctx context.Context, r *Reading, decisions map[string][]Decision, req *Request, name string) (Answer, *Proposal, error) {
	refused := func(id, code, format string, a ...any) (Answer, *Proposal, error) {
		return Answer{Case: id, Code: code, Reason: fmt.Sprintf(format, a...)}, nil, nil
	}
	seen, err := r.Case(ctx, name)
	if errors.Is(err, ErrNoCase) && r.Incomplete {
		err = fmt.Errorf("%w; but %s", err, strings.TrimSuffix(notWholly, "."))
	}
	if known := met(decisions, req, name); errors.Is(err, ErrNoCase) && known != "" {
		code := CodeNoCase
		if r.Incomplete {
			code = CodeIncomplete
		}
		return refused(known, code, "%v", err)
	}
	if err != nil {
		return Answer{}, nil, err
	}
	j := seen.Judgement
	id := j.CaseID
	if why := d.standsStill(r, req.Decision); why != "" {
		return refused(id, CodePinned, "%s", why)
	}
	if want, ok := req.Seen[id]; ok && want != "" && want != j.Digest {
		return refused(id, CodeChanged, "The records of this case changed since it was shown. Now: %s.", verdict(j))
	}
	supersedes := ""
	if live := liveOf(decisions[id], reconcile.At(d.Now())); live != nil {
		was := live.Decided()
		if live.Decision != reconcile.DecideRecheck && !was.Changed(j) { // who only meant to look again may do so sooner, or decide now
			return refused(id, CodeLive, "%s stands: %s by %s, recorded at %s. Withdraw it first, or record its outcome.", live.ID, named(live.Decision, live.As), live.Operator, stamp(live.Recorded))
		}
		supersedes = live.ID
	}
	option := optionOf(j, req.Decision, req.As)
	if !option.Allowed {
		return refused(id, option.Code, "%s", option.Reason+restsOn(option, seen))
	}
	if why := d.runsOut(r, option); why != "" {
		return refused(id, CodePinned, "%s", why)
	}
	ref, why := referenceFor(req, seen)
	if why != "" {
		return refused(id, CodeReference, "%s", why)
	}
	at := d.lookAgain(r, req, j)
	if req.Decision == reconcile.DecideRecheck && !at.Known() {
		return refused(id, CodeTime, "Nothing tells when the case is due: time alone does not settle what is open in it. Say when to look again, with --at.")
	}
	remark := unverified(req, seen)
	return Answer{Case: id, Reason: remark}, &Proposal{
		Case: id, Contract: seen.Contract, Identity: seen.Identity, Decision: req.Decision, As: req.As, Reason: req.Reason, Ref: ref, To: req.To, At: at,
		ValidUntil: d.validUntil(r, at, option), Executed: j.Found.Executed, Legs: j.Found.Legs, Digest: j.Digest, GuardCode: option.Code, GuardReason: strings.TrimSpace(option.Reason + " " + remark),
		Config: r.Config, ConfigDigest: r.ConfigDigest, ScanNow: r.Now, Pinned: r.Pinned, Evidence: seen.Evidence, Supersedes: supersedes,
	}, nil
}

// met returns the whole id of the one case that begins so and was decided before or stood before the operator, "" where there is none or are several.
func met(decisions map[string][]Decision, req *Request, name string) string {
	if _, shown := req.Seen[name]; shown {
		return name
	}
	one := ""
	for id := range decisions {
		if name == "" || !strings.HasPrefix(id, name) {
			continue
		}
		if one != "" {
			return ""
		}
		one = id
	}
	return one
}

// standsStill says why the reading's clock cannot be decided by, "" where it can. What asserts nothing of the present needs no clock. A time to come is no
// reading of the sources: by it nothing would be in flight any more.
func (d *Desk) standsStill(r *Reading, decision reconcile.Decision) string {
	switch {
	case !r.Pinned || d.Fixture || decision == reconcile.DecideEscalate || decision == reconcile.DecideRecheck:
		return ""
	case r.Now.After(reconcile.At(d.Now())):
		return fmt.Sprintf("The clock is pinned at %s, which is still to come: nobody knows what the sources hold by then. Unpin the clock.", stamp(r.Now))
	case d.Repeated:
		return ""
	}
	return fmt.Sprintf("The clock is pinned at %s: what is right by it may be wrong by now. Repeat the config's time with --now where it is meant, or leave the clock unpinned.", stamp(r.Now))
}

// runsOut says why a pinned clock cannot allow what rests on a second send being recognised, "" where it can: receipts expire and providers forget by the real
// time, whatever the config says.
func (d *Desk) runsOut(r *Reading, option reconcile.Option) string {
	if !r.Pinned || d.Fixture || option.Code != "recognised" && option.As != reconcile.Complete {
		return ""
	}
	return fmt.Sprintf("It rests on a second send being recognised, which runs out by the real time, and the clock is pinned at %s. Leave it unpinned to decide this.", stamp(r.Now))
}

// validUntil is how long the decision stands: an allowed replay as long as the guard says, a recheck until it is time to look again. By a pinned clock the
// guard's span counts from now on: it was a span that it allowed.
func (d *Desk) validUntil(r *Reading, at reconcile.Instant, option reconcile.Option) reconcile.Instant {
	if option.Decision == reconcile.DecideRecheck {
		return at
	}
	return d.realTime(r, option.ValidUntil)
}

// realTime is an instant of the reading's clock by the real one: as far from now.
func (d *Desk) realTime(r *Reading, at reconcile.Instant) reconcile.Instant {
	if r.Pinned && at.Known() {
		return reconcile.At(d.Now()).Add(at.Time().Sub(r.Now.Time()))
	}
	return at
}

// lookAgain is the time that a decision tells: the operator's, and of a recheck without one the time at which the case becomes due.
func (d *Desk) lookAgain(r *Reading, req *Request, j *reconcile.Judgement) reconcile.Instant {
	if req.Decision != reconcile.DecideRecheck || req.At.Known() {
		return req.At
	}
	if due := d.realTime(r, j.Due.At); due.After(reconcile.At(d.Now())) {
		return due
	}
	return reconcile.Instant{}
}

// record records the proposals, all in one plan. A case that somebody else has decided meanwhile is refused, the others are recorded without it.
func (d *Desk) record(ctx context.Context, answers []Answer, proposals []Proposal) error {
	at := func(id string) *Answer {
		return &answers[slices.IndexFunc(answers, func(a Answer) bool { return a.Case == id })]
	}
	for len(proposals) > 0 {
		done, err := d.Trail.Decide(ctx, proposals...)
		for i := range done {
			at(done[i].Case).Decision = &done[i]
		}
		var live *LiveError
		if !errors.As(err, &live) {
			return err
		}
		i := slices.IndexFunc(proposals, func(p Proposal) bool { return p.Case == live.Decision.Case })
		if i < 0 {
			return err
		}
		a := at(live.Decision.Case)
		a.Code, a.Reason = CodeLive, fmt.Sprintf("%s decided this case just now: %s.", live.Decision.Operator, live.Decision.ID)
		proposals = slices.Delete(proposals, i, i+1)
	}
	return nil
}

// note records what was refused, and why.
func (d *Desk) note(ctx context.Context, r *Reading, req *Request, answers []Answer) error {
	for _, a := range answers {
		if a.Code == "" {
			continue
		}
		if err := d.Trail.Note(ctx, Event{
			Type: EventRefused, Case: a.Case, Decision: req.Decision, As: req.As, Code: a.Code, Answer: a.Reason, Reason: req.Reason, Ref: req.Ref, To: req.To,
			Config: r.Config, ConfigDigest: r.ConfigDigest, ScanNow: r.Now, Pinned: r.Pinned,
		}); err != nil {
			return fmt.Errorf("recording that %s was refused: %w", a.Case, err)
		}
	}
	return nil
}

// Refused reports whether any of the answers is a refusal.
func Refused(answers []Answer) bool {
	return slices.ContainsFunc(answers, func(a Answer) bool { return a.Decision == nil })
}

// unverified says of a refund or reversal that no record of the case shows it.
func unverified(req *Request, seen *Seen) string {
	if req.As != reconcile.Compensated || slices.Contains(seen.Refs, req.Ref) {
		return ""
	}
	return fmt.Sprintf("Unverified: no record of this case is called %q.", req.Ref)
}

func liveOf(ds []Decision, now reconcile.Instant) *Decision {
	for i := range ds {
		if ds[i].Live(now) {
			return &ds[i]
		}
	}
	return nil
}

func optionOf(j *reconcile.Judgement, decision reconcile.Decision, as reconcile.Resolution) reconcile.Option {
	i := slices.IndexFunc(j.Options, func(o reconcile.Option) bool { return o.Decision == decision && o.As == as })
	if i < 0 {
		return reconcile.Option{Code: "not-offered", Reason: "The guard knows no such decision."}
	}
	return j.Options[i]
}

// named is a decision as a command line says it.
func named(d reconcile.Decision, as reconcile.Resolution) string {
	if as == reconcile.ResolutionNone {
		return d.String()
	}
	return d.String() + " --as " + as.String()
}

// verdict sums up what the records say of a case now.
func verdict(j *reconcile.Judgement) string {
	s := "executed " + j.Found.Executed.String()
	for _, l := range j.Found.Legs {
		s += fmt.Sprintf(", %s %s", l.Name, l.State)
	}
	return s
}

func stamp(i reconcile.Instant) string { return i.Time().Format("2006-01-02T15:04:05Z") }
