package reconcile

import (
	"fmt"
	"slices"
	"time"
)

// proved reports whether something is missing where its sources cover it. Otherwise it remembers why nothing follows: too young, or not covered.
func (j *judging) proved(a absence) bool {
	switch a.state {
	case absenceProved:
		return true
	case absenceYoung:
		j.tooYoung(a.due)
	case absenceUncovered:
		switch {
		case j.blocked == nil || (a.broken && !j.blocked.broken):
			j.blocked = &a
		case !a.due.At.known, a.due.At.After(j.blocked.due.At):
			j.blocked.due = a.due // all of them must be settled
		}
	case absencePresent, absenceNowhere:
	}
	return false
}

// noReceipt reports whether the serving stores certainly have no receipt.
func (j *judging) noReceipt() bool { return len(j.receipts) == 0 && j.proved(j.receiptGone) }

// noRow reports whether the serving stores certainly have no row, of any status, and none that cannot be told from it.
func (j *judging) noRow() bool {
	if slices.ContainsFunc(slices.Concat(j.effects, j.pendingRows, j.undone), j.serves) || j.claimedOpenly() || !j.proved(j.localGone) {
		return false
	}
	if !j.candidateIn(RoleEffect) {
		return true
	}
	return j.proved(absence{state: absenceUncovered, code: "candidate-stands", text: "an unlinked row stands that may be its effect: see the candidates"})
}

func providerOnlyEffect(j *judging) (bool, []string, map[string]string) {
	done, taken, harm := j.objectsIn(OutcomeSucceeded), "", "The customer may have been charged for nothing the service knows of."
	if len(done) == 0 && j.serving(StateFailedFinal, StateFailedRetryable) == nil { // else it was taken back, and the receipt says that nothing stands
		done, taken, harm = j.objectsIn(OutcomeReversed), " and reversed it since", "A retry would be a second one."
	}
	if !j.c.Effect.external() || len(done) == 0 || j.receiptIn(StateCompleted) != nil || len(j.effects) > 0 || j.leaseLives() {
		return false, nil, nil
	}
	if (len(j.receipts) == 0 && !j.proved(j.receiptGone)) || j.unreadCopy() {
		return false, nil, nil
	}
	if j.c.Effect.local() && !j.noRow() {
		return false, nil, nil
	}
	if why := j.explainOrphan(done[0].lines[0]); why != "" && (j.c.Effect == LegsExternal || taken != "") && len(j.receipts) == 0 {
		j.out.Explained = why // without rows the receipt was all that the service had, and its time is over
		return false, nil, nil
	}
	return true, []string{ref(done[0].lines[0])}, map[string]string{"object": nameOf(done[0]), "amount": orUnknown(done[0].amount.String()), "taken": taken, "harm": harm}
}

// unreadCopy reports whether a receipt store was not read in which the completed receipt may stand, serving or not.
func (j *judging) unreadCopy() bool {
	for _, f := range j.places(RoleReceipt, false) {
		if !f.Coverage.Complete {
			return !j.proved(absence{state: absenceUncovered, broken: true, code: "source-incomplete", source: f.Name, text: f.Name + ": " + f.Coverage.Reason})
		}
	}
	return false
}

func nameOf(o *object) string {
	if o.id.known {
		return o.id.String()
	}
	return "it"
}

func orUnknown(s string) string {
	if s == "" {
		return "amount not known"
	}
	return s
}

func partlyExecuted(j *judging) (bool, []string, map[string]string) {
	if j.executed != ExecutedPartly || j.compensated() || (j.takenBack() && j.exposure.State == ExposureNone) {
		return false, nil, nil
	}
	refs := append(refsOf(j.effects), j.objectRefs()...)
	var standing, missing string
	for _, l := range j.legs {
		switch l.State {
		case LegYes, LegLost:
			standing = l.sentence()
		case LegNo:
			missing = l.sentence()
		case LegUndetermined:
		}
	}
	if f := j.lacking(); missing == "" && f != nil {
		return true, refs, map[string]string{"what": j.lackingText(f)}
	}
	return true, refs, map[string]string{"what": "The " + standing + ", the " + missing + "."}
}

// sentence says how a leg came to its state, for a leg that is decided.
func (l Leg) sentence() string {
	name := l.Name.String() + " leg "
	switch {
	case l.wasUndone():
		return name + "was made and taken back"
	case l.State == LegYes:
		return name + "stands"
	case l.State == LegLost:
		return name + "was recorded as done and is gone"
	case l.Code == "effect-void":
		return name + "never took effect: its row is void"
	case l.Code == "provider-failed":
		return name + "failed: the provider says so itself"
	case l.Code == "atomic":
		return name + "was never made: it is committed with a receipt, and there never was one"
	}
	return name + "was never made: its source covers the time and shows nothing"
}

func (j *judging) objectRefs() []string {
	var out []string
	for _, o := range j.objects {
		out = append(out, ref(o.lines[0]))
	}
	return out
}

// receiptWithout returns the serving receipt that records an effect which is covered-absent.
func (j *judging) receiptWithout() *Record {
	done := j.recorded()
	if done == nil || !j.serves(done) || !j.c.Effect.local() || !j.noRow() {
		return nil
	}
	return done
}

func effectMissingAfterRestore(j *judging) (bool, []string, map[string]string) {
	r := j.receiptWithout()
	if r == nil {
		return false, nil, nil
	}
	ev := j.gapOf(j.places(RoleEffect, true), j.c.Began(r))
	if ev == nil {
		return false, nil, nil
	}
	return true, []string{ref(r)}, map[string]string{"store": ev.Store}
}

func receiptWithoutEffect(j *judging) (bool, []string, map[string]string) {
	r := j.receiptWithout()
	if r == nil {
		return false, nil, nil
	}
	return true, []string{ref(r)}, map[string]string{"store": j.localGone.source}
}

func providerMissing(j *judging) (bool, []string, map[string]string) {
	recorded := j.recorded()
	if recorded == nil {
		recorded = j.rowNamesProvider()
	}
	if recorded == nil || !j.c.Effect.external() || !j.noObject() {
		return false, nil, nil
	}
	return true, []string{ref(recorded)}, map[string]string{"store": j.remoteGone.source}
}

// objectClaimed reports whether the log shows the object that this action names, as another action's: that is a reference used again, not a missing line.
func (j *judging) objectClaimed() bool {
	return slices.ContainsFunc(j.s.Clashes, func(c Clash) bool { return c.Field == RefObject.field() || c.Field == RefSentKey.field() })
}

// unknownOutcome holds where nobody can tell and something says that the action was begun. It rests on no absence; but where a source that could
// settle it was not read as declared, the subject is inconclusive: first read the source.
func unknownOutcome(j *judging) (bool, []string, map[string]string) {
	if j.executed != ExecutedUndetermined {
		return false, nil, nil
	}
	sign, refs := j.unknownSign()
	if sign == "" || j.brokenPlace() {
		return false, nil, nil
	}
	what := "this was"
	if j.made() {
		what = "all of this was"
	}
	return true, refs, map[string]string{"what": what, "sign": sign, "settles": j.settles()}
}

// older reports whether an instant lies more than settle back; a record without a time yields no age, so what it says stands.
func (j *judging) older(at Instant) bool {
	if end := at.Add(j.c.SettleTime().D); at.known && !j.w.Now.After(end) {
		j.tooYoung(Due{At: past(end), Text: "settle has not passed yet"})
		return false
	}
	return true
}

func (j *judging) lastAttempt() Instant {
	var last Instant
	for _, a := range j.attempts {
		last = Latest(last, a.At)
	}
	return last
}

// brokenPlace reports whether an undetermined leg would be settled by a source that was not read as far as it was declared to reach.
func (j *judging) brokenPlace() bool {
	broken := false
	for _, a := range []absence{j.localGone, j.remoteGone} {
		if a.state == absenceUncovered && a.broken {
			broken = !j.proved(a) || broken
		}
	}
	if len(j.receipts) == 0 && j.receiptGone.state == absenceUncovered && j.receiptGone.broken {
		broken = !j.proved(j.receiptGone) || broken
	}
	return broken
}

// orphan returns the standing effect that no receipt remembers, nil when a receipt does, when that is not proved, or when its lack is explained.
func (j *judging) orphan() *Record {
	rows := j.effects
	if len(rows) == 0 {
		rows = j.undoneRows()
	}
	if objects := append(j.objectsIn(OutcomeSucceeded), j.objectsIn(OutcomeReversed)...); j.c.Effect == LegsExternal && j.done() != nil && len(objects) > 0 {
		rows = objects[0].lines // without rows of its own, the service's effect is what the provider shows; unrecorded it would be a provider-only effect
	}
	if len(rows) == 0 || j.clashes(rows[0]) || len(j.receipts) > 0 || !j.noReceipt() {
		return nil
	}
	r := rows[0]
	if why := j.explainOrphan(r); why != "" {
		j.out.Explained = why
		return nil
	}
	return r
}

// clashes reports whether a record's own id is claimed by another action too.
func (j *judging) clashes(r *Record) bool {
	own := RefEffect
	if r.Role == RoleProvider {
		own = RefObject
	}
	return slices.ContainsFunc(j.s.Clashes, func(c Clash) bool { return c.Field == own.field() && ownRef(r).Names(c.Value) })
}

// explainOrphan says why an effect may stand without a receipt, "" when nothing explains it.
func (j *judging) explainOrphan(r *Record) string {
	key := keyOf(j.s.Identity)
	switch {
	case j.c.Since.known && r.CreatedAt.Before(j.c.Since):
		return "before-since"
	case j.c.Key == KeyOptional && !key.known:
		return "optional-key"
	case !j.c.Retention.Valid || !r.CreatedAt.known:
		return ""
	}
	if !j.c.Outlived(r.CreatedAt.Add(-j.before(r)), Latest(j.w.Now, j.w.Taken)) {
		return ""
	}
	return j.explainGone(r.CreatedAt.Add(j.c.Retention.D))
}

// before is how long before a record the receipt of its action may have been written, by the clocks of both stores.
func (j *judging) before(r *Record) time.Duration {
	d := j.skewOf(r)
	for _, f := range j.places(RoleReceipt, true) {
		d = max(d, j.skewOf(r)+f.Skew)
	}
	if d > 0 {
		d += j.c.Settle
	}
	return d
}

// explainGone tells a receipt that aged out from one whose loss matters: inside the retry window the gap is the contract's, unless there is a sign that the
// old request may come back.
func (j *judging) explainGone(end Instant) string {
	j.out.RetainedTo = end
	switch {
	case j.exposure.State == ExposureNone:
		return "retention"
	case (j.uncertain() || len(j.pending) > 0) && !j.brokenPlace():
		return ""
	}
	return RetentionGap
}

func receiptMissingAfterRestore(j *judging) (bool, []string, map[string]string) {
	r := j.orphan()
	if r == nil {
		return false, nil, nil
	}
	ev := j.gapOf(j.places(RoleReceipt, true), r.CreatedAt.Or(j.began))
	if ev == nil {
		return false, nil, nil
	}
	return true, []string{ref(r)}, map[string]string{"stands": j.standsAs(r), "at": stamp(r.CreatedAt.Or(j.began)), "store": ev.Store}
}

func orphanedEffect(j *judging) (bool, []string, map[string]string) {
	if r := j.forgotten(); r != nil {
		return true, []string{ref(r)}, map[string]string{"stands": "The effect was made", "store": r.Source, "age": "Its receipt has expired, and there are signs that the old request may still come back."}
	}
	r := j.orphan()
	if r == nil {
		return false, nil, nil
	}
	return true, []string{ref(r)}, map[string]string{"stands": j.standsAs(r), "store": j.receiptGone.source, "age": j.ageText(r)}
}

// ageText says how old an effect is at the end of what the receipt store covers, or that nobody can tell.
func (j *judging) ageText(r *Record) string {
	f := j.w.Source(j.receiptGone.source)
	if !r.CreatedAt.known || f == nil || !f.Coverage.To.known {
		return "Its age is unknown: the row carries no time, so whether its receipt was still on its way could not be judged."
	}
	j.out.Age, j.out.AgeKnown = time.Duration(f.Coverage.To.ns-r.CreatedAt.ns), true
	return fmt.Sprintf("It was written at %s, %s before the end of what that source covers.", stamp(r.CreatedAt), j.out.Age.Truncate(time.Second))
}

// forgotten returns the expired receipt of a standing effect whose retry may still come: a client without answer, or something pending.
func (j *judging) forgotten() *Record {
	if len(j.receipts) == 0 || j.live() != nil || j.exposure.State == ExposureNone || !j.made() {
		return nil
	}
	if (!j.uncertain() && len(j.pending) == 0) || j.brokenPlace() {
		return nil
	}
	for _, r := range j.receipts {
		if s := j.c.StateOf(r); (s == StateCompleted || s == StateInProgress) && j.c.Gone(r, j.w.Now) {
			return r
		}
	}
	return nil
}

func notExecuted(j *judging) (bool, []string, map[string]string) {
	if j.executed != ExecutedNo || j.confirmed() || j.leaseLives() {
		return false, nil, nil
	}
	if r := j.lapsed(); r != nil {
		return true, []string{ref(r)}, map[string]string{"sign": "A worker began it and " + j.lapse(r)}
	}
	if j.uncertain() && j.older(j.lastAttempt()) {
		return true, refsOf(j.intents), map[string]string{"sign": "The client never heard back"}
	}
	return false, nil, nil
}
