package reconcile

import (
	"slices"
	"strings"
)

// judging is one subject on the bench: its records by kind, then what was concluded so far. Each step fills fields that later steps read; Judge has
// the order.
type judging struct {
	s *Subject
	c *Contract
	w *World

	receipts    []*Record // current, in the store that the service consults
	copies      []*Record // current, in any other store: evidence, not memory
	former      []*Record // receipts whose place a later one of the same source took
	effects     []*Record // standing, in the serving stores
	copyEffects []*Record // standing, in other stores
	undone      []*Record // void, reversed or deleted
	pendingRows []*Record
	objects     []*object
	byName      map[string]*object // of objects: by source and id
	intents     []*Record
	messages    []*Record
	attempts    []Attempt // of all intents

	began     Instant // first send that a record tells of, by that record's clock
	earliest  Instant // the same, as early as that clock may be wrong
	firstSend Instant // first possible send: a receipt that a restore took may have begun it earlier
	lastAct   Instant // last time that a record tells of, without what its worker may have done later
	lastTold  Instant // last possible send that a record tells of
	lastSend  Instant // last possible send, a worker's whose receipt is gone included
	untimed   Instant // end of coverage of the sources whose records here carry no time
	turn      int     // the last of those sources' turns

	unreceived bool // no receipt was ever committed: nobody began
	overtaken  bool // the receipt is a later worker's, and nothing says that the one before is gone: it may still act, and write over what the later one wrote
	mayWake    bool // a receipt that is gone may have had a worker, and nothing says when that one is certainly gone

	pending  []Pending
	legs     []Leg
	executed Executed
	retry    RetryVerdict
	exposure Exposure
	amount   Amount

	receiptGone absence // of any receipt in the serving stores, expired ones included
	localGone   absence
	remoteGone  absence

	young   bool // an absence is younger than settle, or work goes on under a living lease
	youth   Due  // when the last of what is too young may be judged
	blocked *absence

	uncompared bool // requests of two records could not be compared, though both tell one

	out *Judgement

	earlier []Decided // what was decided on it before; none while only the records are judged
}

func look(s *Subject, w *World, earlier []Decided) *judging {
	j := &judging{s: s, c: s.Contract, w: w, out: &Judgement{CaseID: s.ID, Digest: evidenceDigest(s)}, earlier: earlier}
	for i := range s.Evidence {
		e := &s.Evidence[i]
		j.seeTimes(e.Record)
		if e.History && e.Record.Role != RoleProvider {
			if e.Record.Role == RoleReceipt {
				j.former = append(j.former, e.Record)
			}
			continue
		}
		j.see(e.Record)
	}
	slices.SortFunc(j.objects, func(a, b *object) int {
		return strings.Compare(a.source+"\x00"+a.id.String(), b.source+"\x00"+b.id.String())
	})
	for _, o := range j.objects {
		o.settle()
	}
	j.foldAliases()
	for _, o := range j.objects { // what tells when it was made comes first, what became of it later
		slices.SortStableFunc(o.lines, func(a, b *Record) int { return cmpInstant(a.CreatedAt, b.CreatedAt) })
	}
	j.doubtOutcomes()
	j.amount = j.money()
	for _, r := range j.receipts {
		if j.c.StateOf(r) == StateInProgress {
			j.lastSend = Latest(j.lastSend, j.deadAt(r))
		}
	}
	j.lastTold, j.firstSend = j.lastSend, j.possibleStart()
	j.seeReplays()
	j.seeRestoredBook()
	j.seeLostRetry()
	j.seeLostWorker()
	j.seeLostMessage()
	j.seeSilentEnd()
	return j
}

func (j *judging) see(r *Record) {
	serves := j.serves(r)
	switch r.Role {
	case RoleReceipt:
		if serves {
			j.receipts = append(j.receipts, r)
		} else {
			j.copies = append(j.copies, r)
		}
	case RoleEffect:
		j.seeEffect(r, serves)
	case RoleProvider:
		j.seeLine(r)
	case RoleIntent:
		j.intents = append(j.intents, r)
		j.attempts = append(j.attempts, r.Attempts...)
	case RoleOutbox:
		j.messages = append(j.messages, r)
	}
}

// serves reports whether a record stands in a store that the service consults.
func (j *judging) serves(r *Record) bool {
	f := j.w.Source(r.Source)
	return f == nil || f.Serves
}

func (j *judging) seeEffect(r *Record, serves bool) {
	switch {
	case r.Status == StatusPending:
		j.pendingRows = append(j.pendingRows, r)
	case !Effective(r):
		j.undone = append(j.undone, r)
	case serves:
		j.effects = append(j.effects, r)
	default:
		j.copyEffects = append(j.copyEffects, r)
	}
}

// seeLine folds a provider line into its object. A line that names no object tells of the one object that its key made.
func (j *judging) seeLine(r *Record) {
	name := string(j.c.appendComponent([]byte(r.Source+"\x00"), "", r.ObjectID))
	o := j.byName[name]
	if o == nil {
		if j.byName == nil {
			j.byName = make(map[string]*object)
		}
		o = &object{source: r.Source, id: r.ObjectID}
		j.byName[name] = o
		j.objects = append(j.objects, o)
	}
	o.lines, o.at = append(o.lines, r), Earliest(o.at, r.CreatedAt)
}

func (j *judging) seeTimes(r *Record) {
	c, skew := j.c, j.skewOf(r)
	times := []Instant{r.CreatedAt, r.UpdatedAt, r.LockedAt, r.CompletedAt, r.AttemptAt, r.SentAt, r.ConfirmedAt, c.Began(r)}
	for _, a := range r.Attempts {
		times = append(times, a.At)
		j.began, j.earliest = Earliest(j.began, a.At), Earliest(j.earliest, a.At.Add(-skew))
	}
	last := Latest(times...)
	j.lastAct = Latest(j.lastAct, last.Add(skew))
	if r.Role == RoleReceipt && c.StateOf(r) == StateInProgress {
		last = Latest(last, c.LeaseEnd(r), c.DeadAt(r))
	}
	if !last.known || slices.ContainsFunc(r.Attempts, func(a Attempt) bool { return !a.At.known }) {
		if f := j.w.Source(r.Source); f != nil {
			j.untimed, j.turn = Latest(j.untimed, f.Coverage.To), max(j.turn, f.Turn)
			if !f.Table { // a log reaches as far as its lines tell; one that tells no time may be younger
				j.untimed = Latest(j.untimed, j.w.Now)
			}
		}
	}
	j.began, j.earliest = Earliest(j.began, c.Began(r)), Earliest(j.earliest, c.Began(r).Add(-skew))
	j.lastSend = Latest(j.lastSend, last.Add(skew))
}

// money is the amount at stake: the effect's, else the provider's, else what receipt, intent or message say.
func (j *judging) money() Amount {
	for _, rs := range [][]*Record{j.effects, j.pendingRows, j.copyEffects} {
		for _, r := range rs {
			if r.Amount.Valid {
				return r.Amount
			}
		}
	}
	for _, o := range j.objects {
		if o.amount.Valid {
			return o.amount
		}
	}
	for _, rs := range [][]*Record{j.receipts, j.copies, j.intents, j.messages, j.undone} {
		for _, r := range rs {
			if r.Amount.Valid {
				return r.Amount
			}
		}
	}
	return Amount{}
}

// live returns the serving receipt that a retry would meet now, nil when there is none: gone ones are evidence, and a retryable failure frees its key.
func (j *judging) live() *Record {
	for _, r := range j.receipts {
		if !j.c.Gone(r, j.w.Now) && j.c.StateOf(r) != StateFailedRetryable {
			return r
		}
	}
	return nil
}

// receiptIn returns a receipt in one of the states, serving ones first.
func (j *judging) receiptIn(states ...State) *Record {
	for _, rs := range [][]*Record{j.receipts, j.copies} {
		for _, r := range rs {
			if slices.Contains(states, j.c.StateOf(r)) {
				return r
			}
		}
	}
	return nil
}

// done returns a receipt that records the action as done with an effect.
func (j *judging) done() *Record {
	for _, rs := range [][]*Record{j.receipts, j.copies} {
		for _, r := range rs {
			if j.c.StateOf(r) == StateCompleted && j.c.HasEffect(r.ResponseStatus) {
				return r
			}
		}
	}
	return nil
}

// recorded returns a receipt that records, or once recorded, the action as done with an effect: a later one that says otherwise does not undo what the first one
// saw. One whose life had ended when the later one began was of an earlier action of the key.
func (j *judging) recorded() *Record {
	if r := j.done(); r != nil {
		return r
	}
	for _, r := range j.former {
		if j.c.StateOf(r) == StateCompleted && j.c.HasEffect(r.ResponseStatus) && slices.ContainsFunc(slices.Concat(j.receipts, j.copies), func(later *Record) bool {
			return later.Source == r.Source && !j.c.past(j.c.HeldTo(r), j.c.Began(later))
		}) {
			return r
		}
	}
	return nil
}

func (j *judging) confirmed() bool {
	return slices.ContainsFunc(j.attempts, func(a Attempt) bool { return a.Outcome == AttemptConfirmed })
}

// answered reports whether a client's job got its answer. Under a key that was used for two requests the answer to the other one is none.
func (j *judging) answered(job *Record) bool {
	return slices.ContainsFunc(j.intents, func(r *Record) bool {
		return alike(j.c, job, r) && slices.ContainsFunc(r.Attempts, func(a Attempt) bool { return a.Outcome == AttemptConfirmed })
	})
}

// uncertain reports whether the client does not know: an attempt without answer, and none that was confirmed.
func (j *judging) uncertain() bool {
	return !j.confirmed() && slices.ContainsFunc(j.attempts, func(a Attempt) bool { return a.Outcome == AttemptUncertain })
}

func (j *judging) objectsIn(outcomes ...Outcome) []*object {
	var out []*object
	for _, o := range j.objects {
		if slices.Contains(outcomes, o.outcome) {
			out = append(out, o)
		}
	}
	return out
}

// places returns the sources of a role that could show this contract's records.
func (j *judging) places(role Role, servingOnly bool) []*SourceFacts {
	var out []*SourceFacts
	for i := range j.w.Sources {
		f := &j.w.Sources[i]
		if f.Role != role || (servingOnly && !f.Serves) || !j.concerns(f) {
			continue
		}
		out = append(out, f)
	}
	return out
}

func (j *judging) concerns(f *SourceFacts) bool { return j.c.concerns(f) }

// concerns reports whether a source may hold records of the contract: one whose map declares another operation does not.
func (c *Contract) concerns(f *SourceFacts) bool {
	if f.Operation.known {
		claimed := Book{c}.Claim(&Record{Role: f.Role, Claimed: true, Components: []Component{{Name: "operation", Value: f.Operation}}})
		if claimed == nil {
			return false
		}
	}
	if len(c.Expects) > 0 && f.Role == RoleEffect {
		_, named := c.Expects[f.Name]
		return named
	}
	return true
}

// ref names a record for a person and a script: source:locator.
func ref(r *Record) string { return r.Source + ":" + r.Locator }

func refsOf(rs []*Record) []string {
	out := make([]string, len(rs))
	for i, r := range rs {
		out[i] = ref(r)
	}
	return out
}
