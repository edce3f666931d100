package reconcile

import (
	"fmt"
	"slices"
	"time"
)

// absence is what the lack of a record in one role's sources amounts to.
type absence struct {
	state  absenceState
	source string
	broken bool   // the source is incomplete: not read as far as it was declared to reach
	code   string // for a leg: why it is so
	text   string // for a person: the source and its reason
	due    Due    // when it may be judged, where time alone settles that
}

type absenceState uint8

const (
	absencePresent   absenceState = iota // nothing is missing
	absenceProved                        // missing where the source covers it, older than settle
	absenceYoung                         // missing, but not older than lag and settle: it may still come
	absenceUncovered                     // missing where the source does not cover it: says nothing
	absenceNowhere                       // no source of this role is configured
)

// purpose says what an absence is to prove. That a record is not there now needs coverage; that an action never happened needs it without a hole, and
// a restore is a hole.
type purpose uint8

const (
	missingNow purpose = iota
	neverHappened
)

// absentFrom judges the lack of a record in every given place: the weakest place decides.
func (j *judging) absentFrom(places []*SourceFacts, settle time.Duration, why purpose) absence {
	if len(places) == 0 {
		return absence{state: absenceNowhere, code: "no-source", text: "no source that could show it is configured"}
	}
	worst := absence{state: absenceProved, code: "absent-covered"}
	for _, f := range places {
		a := j.absentIn(f, settle, why)
		a.source = f.Name
		if a.state == absenceProved && worst.state == absenceProved {
			worst = a
		}
		switch {
		case rank(a.state) > rank(worst.state), a.state == worst.state && a.broken && !worst.broken:
			worst = a
		case a.state == worst.state && worst.due.At.known && (!a.due.At.known || a.due.At.After(worst.due.At)):
			worst.due = a.due
		}
	}
	return worst
}

func rank(s absenceState) int {
	switch s {
	case absencePresent, absenceNowhere:
		return 0
	case absenceProved:
		return 1
	case absenceYoung:
		return 2
	case absenceUncovered:
		return 3
	}
	return 3
}

func (j *judging) absentIn(f *SourceFacts, settle time.Duration, why purpose) absence {
	cov, began := f.Coverage, j.earliest
	if why == neverHappened {
		began = j.firstSend
	}
	switch {
	case f.Role == RoleProvider:
		began = j.calledFrom(j.firstSend) // what is recorded as done may name an object of an earlier send
	case f.Role == RoleEffect && f.Retained.Valid && len(j.receipts)+len(j.copies)+len(j.intents)+len(j.messages) == 0:
		began = j.wishedFrom(began)
	case f.Role == RoleEffect && f.Retained.Valid && len(j.intents) == 0 && j.succeeds():
		began = j.wishedFrom(began) // whoever took it up anew may have found a row of long before
	case f.Role == RoleEffect:
		began = j.writtenFrom(began)
	}
	uncovered := func(code, format string, args ...any) absence {
		return absence{state: absenceUncovered, code: code, text: f.Name + ": " + fmt.Sprintf(format, args...)}
	}
	if b := j.unread(f); b != nil {
		a := absence{state: absenceUncovered, code: "source-incomplete", text: b.Name + ": " + b.Coverage.Reason}
		a.broken = true
		return a
	}
	switch {
	case !cov.Proves:
		return uncovered("source-proves-nothing", "%s", cov.Reason)
	case j.joinBroken(f):
		a := uncovered("join-broken", "its keys were not comparable with the other sources' at that time, or never")
		a.broken = true
		return a
	case j.hidesSends(f):
		return uncovered("sent-key-unknown", "it shows the keys that the provider was sent, and nothing here tells which they were for every send of this action")
	case j.otherKind(f):
		return uncovered("reference-of-another-kind", "it names objects of another kind than this action does, so that neither is found by the other's")
	case j.sentElse():
		return uncovered("other-key-sent", "the client sent it under another key, and what that did stands elsewhere")
	case slices.Contains(j.s.Strangers, f.Name):
		return uncovered("stranger-stands", "a line that is not ours by claim or operation carries its key or its object")
	case j.maySend(f, why) != "":
		return uncovered("message-unnamed", "an unsent message of %s was written at that time, and nothing tells that it is not this action's", j.maySend(f, why))
	case j.otherRegion(f):
		return uncovered("other-region", "it shows no record of %s, and nothing declares that it covers it", j.component("region"))
	case !j.inPartitions(f):
		return uncovered("other-partition", "it covers other partitions only")
	case f.Role == RoleProvider && j.messageGone(f, settle) != nil:
		return uncovered("message-gone", "a message of %s that was sent is gone, and nothing tells when it was sent", j.messageGone(f, settle).Name)
	case f.Role == RoleProvider && j.messageUnread() != nil:
		return uncovered("message-unread", "%s covers only to %s: a message that was posted later may have been sent until now", j.messageUnread().Name, stamp(j.messageUnread().Coverage.To))
	case cov.From.known && !began.Add(-f.Skew).After(cov.From): // of what was written in the instant of its first record some may stand in the file before
		return uncovered("before-coverage", "it covers only from %s", stamp(cov.From))
	case f.Retained.Valid && !began.Add(-f.Skew).After(j.w.Now.Add(-f.Retained.D)): // whether a row of exactly that age is moved away each store has its own rule
		return uncovered("archived", "rows older than %s are archived", f.Retained.D)
	case why == neverHappened && j.goesOn():
		return uncovered("receipt-gone", "a copy shows it under way, its receipt is gone, and no clients' book tells whether it was sent again")
	case why == neverHappened && j.holed(f):
		return uncovered("restore-gap", "it was restored, and the action falls into what that lost")
	case why == neverHappened && j.seemsHoled(f):
		return uncovered("restore-gap", "a restore that is inferred, and that nobody has confirmed yet, may have taken it")
	}
	return j.pastTheEnd(f, settle)
}

// unread returns the source itself where it was not read as far as it was declared to reach, or else one that tells of sends: what it hides may be a later
// send, after which the record may still come.
func (j *judging) unread(f *SourceFacts) *SourceFacts {
	if !f.Coverage.Complete {
		return f
	}
	for i := range j.w.Sources {
		s := &j.w.Sources[i]
		if s.Role != RoleEffect && s.Role != RoleProvider && !s.Coverage.Complete && j.concerns(s) {
			return s
		}
	}
	return nil
}

// messageUnread returns an outbox that was read only to before the action was last sent, and shows no message of it: one may wait there, or have been sent by now.
func (j *judging) messageUnread() *SourceFacts {
	for _, o := range j.places(RoleOutbox, true) {
		posted := slices.ContainsFunc(j.messages, func(r *Record) bool { return r.Source == o.Name })
		if !posted && !j.unreceived && o.Coverage.To.known && o.Coverage.To.Before(j.lastAct) {
			return o
		}
	}
	return nil
}

// messageGone returns an outbox that keeps no message that was sent, and shows none of an action that may have posted one: its relay, however late, may have sent
// it until the outbox was read. nil where there is none, or where the log reaches behind that.
func (j *judging) messageGone(f *SourceFacts, settle time.Duration) *SourceFacts {
	if j.unreceived {
		return nil
	}
	for _, o := range j.places(RoleOutbox, true) {
		posted := slices.ContainsFunc(j.messages, func(r *Record) bool { return r.Source == o.Name })
		if o.SentGone && !posted && j.reaches(f, o.Coverage.To.Add(f.Coverage.Lag+settle+f.Skew)).state != absenceProved {
			return o
		}
	}
	return nil
}

// pastTheEnd compares the last possible send with the end of coverage. Records without a time were committed before the end of their own source's
// coverage, which bounds them; where that was read after this one, they may be younger than all that this one shows.
func (j *judging) pastTheEnd(f *SourceFacts, settle time.Duration) absence {
	due := j.lastSend.Add(f.Coverage.Lag + settle + f.Skew)
	switch {
	case f.Turn < j.turn:
		return absence{state: absenceUncovered, code: "read-earlier", text: f.Name + ": it was read before another store, whose record here carries no time and may be younger"}
	case !due.known && !j.untimed.known:
		return absence{state: absenceUncovered, code: "no-time", text: f.Name + ": no record here tells when the action was sent"}
	}
	a := j.reaches(f, due)
	if a.state == absenceProved && j.untimed.After(f.Coverage.To) {
		return j.short(f, j.untimed)
	}
	return a
}

// reaches compares the time that a source must cover, and more, with the end of its coverage; where there is none it need not.
func (j *judging) reaches(f *SourceFacts, due Instant) absence {
	switch {
	case !due.known || due.Before(f.Coverage.To):
		return absence{state: absenceProved, code: "absent-covered"}
	case !j.w.Now.After(due):
		return absence{state: absenceYoung, code: "young", text: f.Name + ": younger than lag and settle", due: j.w.dueIn(f, due)}
	}
	return j.short(f, due)
}

func (j *judging) short(f *SourceFacts, due Instant) absence {
	return absence{state: absenceUncovered, code: "after-coverage", text: fmt.Sprintf("%s: it covers only to %s", f.Name, stamp(f.Coverage.To)), due: j.w.dueIn(f, due)}
}

// coversTime reports whether the source of a record covers an instant: where it does not, what the record says may have changed before that, in a row of which
// another source shows more. A record that was written later says so itself, and of a source that tells no end of its coverage nothing else is known.
func (j *judging) coversTime(r *Record, at Instant) bool {
	f := j.w.Source(r.Source)
	if f == nil {
		return true
	}
	need := at.Add(f.Coverage.Lag + f.Skew)
	if !f.Coverage.Proves || !f.Coverage.Complete || !f.Coverage.To.Before(need) || !Latest(r.Time(), r.UpdatedAt, r.CompletedAt).Before(at) {
		return true
	}
	return j.proved(j.reaches(f, need))
}

// joinBroken reports whether the source was not comparable, at the action's time, with one that shows this action: by itself, or because its rows carry nothing that this action is
// known by, and what would name them for it was not. Then every row that seems to be another's may be its own.
func (j *judging) joinBroken(f *SourceFacts) bool {
	if j.incomparable(f) {
		return true
	}
	if len(j.w.Broken) == 0 || j.testifies(f) {
		return false
	}
	for i := range j.w.Sources {
		if namer := &j.w.Sources[i]; namer.MapsRef && slices.Contains(namer.Components, "key") && j.concerns(namer) && j.incomparable(namer) {
			return true
		}
	}
	return false
}

func (j *judging) incomparable(f *SourceFacts) bool {
	if len(j.w.Broken) == 0 {
		return false
	}
	wide := j.c.SettleTime().D + f.Skew + f.Coverage.Lag
	first, last := Earliest(j.firstSend, j.earliest).Add(-wide), j.lastSend.Add(wide)
	if !j.firstSend.known || j.untimed.known {
		first, last = Instant{}, Instant{}
	}
	there := func(s Stretch) bool { return (s.Contract == "" || s.Contract == j.c.Name) && s.overlaps(first, last) }
	for _, e := range j.s.Evidence {
		if slices.ContainsFunc(j.w.Broken[[2]string{f.Name, e.Record.Source}], there) || slices.ContainsFunc(j.w.Broken[[2]string{e.Record.Source, f.Name}], there) {
			return true
		}
	}
	return false
}

// inPartitions reports whether the source can show records of this identity's partition; a component that is not known might be any.
func (j *judging) inPartitions(f *SourceFacts) bool {
	for name, values := range f.Coverage.Partitions {
		v := j.component(name)
		if !v.known || !slices.Contains(values, v.String()) {
			return false
		}
	}
	return true
}

// otherRegion reports whether a log whose coverage nobody declared shows records of other regions only: it may be that of one region.
func (j *judging) otherRegion(f *SourceFacts) bool {
	v := j.component("region")
	return v.known && len(f.Regions) > 0 && !slices.Contains(f.Regions, v.String())
}

func (j *judging) component(name string) Value {
	for i := range j.s.Identity {
		if j.s.Identity[i].Name == name {
			return j.s.Identity[i].Value
		}
	}
	for _, e := range j.s.Evidence {
		if v := e.Record.Component(name); v.known {
			return v
		}
	}
	return Value{}
}

// holed reports whether a declared restore of the source leaves a hole where the action may lie.
func (j *judging) holed(f *SourceFacts) bool { return len(j.holesIn(f)) > 0 }

// holesIn lists the declared restores of a source that leave a hole where the action may lie.
func (j *judging) holesIn(f *SourceFacts) []*Event {
	var out []*Event
	for i := range j.w.Events {
		ev := &j.w.Events[i]
		if ev.Store != f.Name || !j.eventConcerns(ev) {
			continue
		}
		if j.overlaps(ev) {
			out = append(out, ev)
		}
	}
	return out
}

// overlaps reports whether the action may lie in what a restore lost.
func (j *judging) overlaps(ev *Event) bool {
	from, to := j.edges(ev)
	return !j.firstSend.known || !j.lastSend.known || (!from.known || !j.lastSend.Before(from)) && (!to.known || !j.firstSend.After(to))
}

// seemsHoled reports whether an inferred restore, which nobody has confirmed, leaves a hole where the action may lie. It explains no finding, but what it may
// have taken is not called never executed.
func (j *judging) seemsHoled(f *SourceFacts) bool {
	return slices.ContainsFunc(j.w.Gaps, func(g Gap) bool {
		ev := g.Event()
		return g.Store == f.Name && !g.Declared && j.eventConcerns(&ev) && j.overlaps(&ev)
	})
}

// possibleStart is the first possible send. An intent tells of it; other records tell of it only if no restore before them can have taken an earlier receipt
// of the same action, sent inside the same retry window.
func (j *judging) possibleStart() Instant {
	start := j.earliest
	if len(j.intents) > 0 || !start.known {
		return start
	}
	if j.succeeds() || j.toldByLogAlone() && len(j.receipts)+len(j.copies) == 0 && j.c.RetryWindow.Valid {
		return j.wishedFrom(start) // what came before the call, a row and the message that asked for it, may be older by any time
	}
	for i := range j.w.Events {
		ev := &j.w.Events[i]
		if f := j.w.Source(ev.Store); f == nil || f.Role != RoleReceipt || !f.Serves || !j.eventConcerns(ev) {
			continue
		}
		lost, _ := j.edges(ev)
		if !j.earliest.After(lost) && lost.known {
			continue
		}
		if j.c.RetryWindow.Valid {
			lost = Latest(lost, j.earliest.Add(-j.c.RetryWindow.D))
		}
		if !lost.known {
			return Instant{}
		}
		start = Earliest(start, lost)
	}
	return start
}

// succeeds reports whether the receipt says itself that another stood before it and was not taken over but forgotten: its generation is a later one, and it was
// locked when it was made.
func (j *judging) succeeds() bool {
	return slices.ContainsFunc(j.receipts, func(r *Record) bool {
		return r.Generation.Valid && r.Generation.N > 1 && r.CreatedAt.known && r.LockedAt.known && !r.LockedAt.After(r.CreatedAt.Add(j.c.Settle))
	})
}

// wishedFrom is when an action may have been begun of which only a later trace is known: at the earliest a retry window before.
func (j *judging) wishedFrom(did Instant) Instant {
	if !j.c.RetryWindow.Valid {
		return Instant{}
	}
	return did.Add(-j.c.RetryWindow.D)
}

// calledFrom is when the provider may first have been called for an action begun at an instant. Where the call comes before the row and nothing but the row
// tells of the action, that was as long ago as a worker can have stood still between the two; unknown where nothing bounds it.
func (j *judging) calledFrom(began Instant) Instant {
	if len(j.receipts)+len(j.copies)+len(j.intents) > 0 {
		return began
	}
	if slices.ContainsFunc(j.effects, func(r *Record) bool { return r.Generation.Valid && r.Generation.N > 1 }) {
		return j.wishedFrom(began) // a worker before this one may have called
	}
	if j.c.RetryWindow.Valid && j.toldByLogAlone() {
		return j.wishedFrom(began) // of an earlier call not even the log tells, where it was made before the log begins
	}
	if j.c.Order != OrderProviderFirst {
		return began
	}
	if keyOf(j.s.Identity).known && j.c.Retention.Valid && j.c.RetryWindow.Valid && j.c.Retention.D < j.c.RetryWindow.D {
		return j.wishedFrom(began) // an earlier receipt may be forgotten, and its worker may have called: what it made is the call of this one too
	}
	if !j.c.Lease.Valid || !j.c.DeadAfter.Valid {
		return Instant{}
	}
	return began.Add(-j.c.Settle - j.c.Lease.D - j.c.DeadAfter.D)
}

// toldByLogAlone reports whether nothing but lines of a provider tells of an action that has a key.
func (j *judging) toldByLogAlone() bool {
	others := len(j.effects) + len(j.copyEffects) + len(j.pendingRows) + len(j.undone) + len(j.messages)
	return keyOf(j.s.Identity).known && len(j.objects) > 0 && others == 0
}

// writtenFrom is when the row may first have been written of an action of which nothing but the provider tells: an earlier worker than the one that called may
// have written it, and no row without a key says whose it is. That was inside the retry window, where one is declared.
func (j *judging) writtenFrom(began Instant) Instant {
	if len(j.objects) == 0 || len(j.receipts)+len(j.copies)+len(j.intents)+len(j.messages) > 0 || !j.c.RetryWindow.Valid {
		return began
	}
	return j.wishedFrom(began)
}

// sentElse reports whether an attempt carried another key than the identity's: what it did is recorded under that one.
func (j *judging) sentElse() bool {
	key := keyOf(j.s.Identity)
	return key.known && !j.c.OtherKeys() && slices.ContainsFunc(j.attempts, func(a Attempt) bool { return a.KeySent.Differs(key) })
}

// edges are the ends of what a restore lost, widened by max(settle, skew, lag): a created time is not a commit time. Unknown ends stay open.
func (j *judging) edges(ev *Event) (from, to Instant) {
	wide := j.c.Settle
	if f := j.w.Source(ev.Store); f != nil {
		wide = max(wide, f.Skew, f.Coverage.Lag)
	}
	return ev.From.Add(-wide), ev.To.Or(ev.ResumedAt).Add(wide)
}

func (j *judging) eventConcerns(ev *Event) bool {
	for name, values := range ev.Only {
		if v := j.component(name); v.known && !slices.Contains(values, v.String()) {
			return false
		}
	}
	return true
}

// testifies reports whether a source's rows carry what this action is known by: the key, or a unique reference that the action is known to have.
func (j *judging) testifies(f *SourceFacts) bool {
	if keyOf(j.s.Identity).known && slices.Contains(f.Components, "key") {
		return true
	}
	return j.testifiesByRef(f)
}

func (j *judging) testifiesByRef(f *SourceFacts) bool {
	return f.MapsRef && !f.NoOwnRef && j.knowsRef(f.Role, f)
}

// knowsRef reports whether the action is known to have a reference that a row of the role would carry, in a source of which such rows are.
func (j *judging) knowsRef(role Role, f *SourceFacts) bool {
	for _, e := range j.s.Evidence {
		r := e.Record
		switch role {
		case RoleEffect, RoleReceipt:
			if r.EffectID.known {
				return true
			}
		case RoleProvider:
			if r.ProviderRef.known && f.tells(r.ProviderRef) || r.ObjectID.known {
				return true
			}
		case RoleIntent, RoleOutbox:
		}
	}
	return false
}

// otherKind reports whether the provider's objects that the action is known by are of none of the kinds that a source names, and no key tells it there: the row
// keeps the payment's id, and the log tells its charges.
func (j *judging) otherKind(f *SourceFacts) bool {
	if len(f.RefKinds) == 0 || f.Role != RoleProvider && f.Role != RoleEffect || keyOf(j.s.Identity).known && slices.Contains(f.Components, "key") {
		return false
	}
	other := false
	var room [4]Ref
	for _, e := range j.s.Evidence {
		for _, ref := range AppendRefs(room[:0], e.Record) {
			if ref.Domain != RefObject || e.Record.Role == f.Role {
				continue
			}
			if f.tells(ref.Value) {
				return false
			}
			other = true
		}
	}
	return other
}

// stamp spells an instant for a sentence.
func stamp(i Instant) string { return i.Time().Format("2006-01-02T15:04:05Z") }
