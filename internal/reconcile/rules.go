package reconcile

import (
	"fmt"
	"slices"
	"strings"
)

// rule is the condition of one kind: whether it holds, the rows that prove it, and the words for its sentence.
type rule struct {
	kind  Kind
	holds func(*judging) (bool, []string, map[string]string)
}

// rules is the one table of conditions, in the order of gravity. A kind that replaces another stands in replaces.
var rules = []rule{
	{ReexecutedAfterExpiry, reexecutedAfterExpiry},
	{DuplicateEffect, duplicateEffect},
	{ReferenceReused, referenceReused},
	{ProviderKeyCollision, providerKeyCollision},
	{ScopeMoved, scopeMoved},
	{ResendPending, resendPending},
	{ProviderOnlyEffect, providerOnlyEffect},
	{PartlyExecuted, partlyExecuted},
	{ScopeBreach, scopeBreach},
	{FailureContradicted, failureContradicted},
	{FingerprintConflict, fingerprintConflict},
	{LostAfterRestore, lostAfterRestore},
	{EffectMissingAfterRestore, effectMissingAfterRestore},
	{ReceiptWithoutEffect, receiptWithoutEffect},
	{ProviderMissing, providerMissing},
	{ProviderMismatch, providerMismatch},
	{UnknownOutcome, unknownOutcome},
	{ReceiptMissingAfterRestore, receiptMissingAfterRestore},
	{OrphanedEffect, orphanedEffect},
	{SuspectedDuplicateEffect, suspectedDuplicateEffect},
	{SuspectedDuplicateIntent, suspectedDuplicateIntent},
	{StaleGeneration, staleGeneration},
	{NotExecuted, notExecuted},
	{SensitiveKey, sensitiveKey},
}

// replaces maps a kind to the plainer one that it takes the place of.
var replaces = map[Kind]Kind{
	ReexecutedAfterExpiry:      DuplicateEffect,
	EffectMissingAfterRestore:  ReceiptWithoutEffect,
	ReceiptMissingAfterRestore: OrphanedEffect,
	LostAfterRestore:           ReceiptWithoutEffect,
}

// applyRules runs every rule and writes the kinds that hold, gravest first, with their sentences.
func (j *judging) applyRules() {
	replaced := make(map[Kind]bool)
	for _, r := range rules {
		if replaced[r.kind] {
			continue
		}
		ok, refs, words := r.holds(j)
		if !ok {
			continue
		}
		if plain, has := replaces[r.kind]; has {
			replaced[plain] = true
		}
		j.out.Kinds = append(j.out.Kinds, r.kind)
		reason := Reason{Rule: r.kind.String(), Text: fill(Findings[r.kind].Why, words), Refs: refs}
		for _, d := range j.out.Differences {
			if d.Kind == r.kind && d.Text != "" {
				reason.Text += " " + d.Text
			}
		}
		j.out.Reasons = append(j.out.Reasons, reason)
	}
	slices.Sort(j.out.Kinds)
	j.tellRevoked()
}

// PrincipalRevoked is the rule of the reason that tells of a principal who may no longer ask. It makes nothing a case.
const PrincipalRevoked = "principal-revoked"

// tellRevoked says behind what makes a case one that whoever asked for it may no longer ask, and since when.
func (j *judging) tellRevoked() {
	since, at := Instant{}, ""
	for _, e := range j.s.Evidence {
		if r := e.Record; r.RevokedAt.known && !r.RevokedAt.After(j.w.Now) && (!since.known || r.RevokedAt.Before(since)) {
			since, at = r.RevokedAt, ref(r)
		}
	}
	if since.known && len(j.out.Reasons) > 0 {
		said := "Whoever asked for it may no longer ask for anything since " + stamp(since) + ": it is not sent again on their word."
		j.out.Reasons = slices.Insert(j.out.Reasons, 1, Reason{Rule: PrincipalRevoked, Text: said, Refs: []string{at}})
	}
}

// fill puts words into a sentence of the table.
func fill(sentence string, words map[string]string) string {
	pairs := make([]string, 0, 2*len(words))
	for name, text := range words {
		pairs = append(pairs, "{"+name+"}", text)
	}
	return strings.NewReplacer(pairs...).Replace(sentence)
}

func duplicateEffect(j *judging) (bool, []string, map[string]string) {
	if of, source, want := j.tooMany(); of.n > 0 {
		return true, of.refs, map[string]string{"what": fmt.Sprintf("%d effective records stand in %s under one identity; the contract expects %s.", of.n, source, want)}
	}
	if rows := j.onBothSides(); rows != nil {
		what := fmt.Sprintf("%s and %s are two rows, the one in the store in use, the other in one that was: both took the action.", ref(rows[0]), ref(rows[1]))
		return true, refsOf(rows), map[string]string{"what": what}
	}
	if rows, columns := j.uniqueTwice(); rows != nil {
		what := fmt.Sprintf("%s and %s both stand with the same %s, of which the contract allows one.", ref(rows[0]), ref(rows[1]), columns)
		return true, refsOf(rows), map[string]string{"what": what}
	}
	return false, nil, nil
}

// onBothSides returns a standing row of the serving store and one of a store that served before, where the two bear different ids, and one action makes one
// row: each side of a parted network made its own. Under one id they are copies of one.
func (j *judging) onBothSides() []*Record {
	places := j.places(RoleEffect, true)
	if len(places) != 1 || j.c.ExpectOf(places[0].Name).Max != 1 || len(j.effects) == 0 {
		return nil
	}
	for _, c := range j.copyEffects {
		same := func(r *Record) bool { return !c.EffectID.known || !r.EffectID.known || r.EffectID.Equal(c.EffectID) }
		if !slices.ContainsFunc(j.effects, same) {
			return []*Record{j.effects[0], c}
		}
	}
	return nil
}

// tooMany returns the records of the first source that holds more effective ones than the contract expects.
func (j *judging) tooMany() (of stand, source, expected string) {
	bySource := j.standing()
	names := make([]string, 0, len(bySource))
	for name := range bySource {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if j.beyond(name, bySource[name].n) {
			return bySource[name], name, fmt.Sprint(j.c.ExpectOf(name).Max)
		}
	}
	return stand{}, "", ""
}

// beyond reports whether so many records of a source are more than the contract expects.
func (j *judging) beyond(source string, n int) bool {
	q := j.c.ExpectOf(source)
	return q.Max >= 0 && n > q.Max
}

// reexecutedAfterExpiry holds where the second effect is younger than the end of the first one's receipt.
func reexecutedAfterExpiry(j *judging) (bool, []string, map[string]string) {
	of, source, _ := j.tooMany()
	if of.n == 0 || !j.c.Retention.Valid || j.c.Expiry.ByReaper {
		return false, nil, nil
	}
	var times []Instant
	for _, r := range j.effects {
		if r.Source == source {
			times = append(times, r.CreatedAt)
		}
	}
	for _, o := range j.objects {
		if o.source == source && o.outcome == OutcomeSucceeded {
			times = append(times, o.at)
		}
	}
	slices.SortFunc(times, func(a, b Instant) int { return cmpInstant(a, b) })
	for i := range times {
		if !times[i].known || (i > 0 && !j.c.Outlived(times[i-1], times[i])) {
			return false, nil, nil
		}
	}
	return true, of.refs, map[string]string{"count": fmt.Sprint(of.n), "source": source, "retention": j.c.Retention.D.String()}
}

func cmpInstant(a, b Instant) int {
	switch {
	case a.known != b.known:
		if a.known {
			return 1
		}
		return -1
	case a.ns < b.ns:
		return -1
	case a.ns > b.ns:
		return 1
	}
	return 0
}

func referenceReused(j *judging) (bool, []string, map[string]string) {
	if len(j.s.Clashes) == 0 {
		return false, nil, nil
	}
	c := j.s.Clashes[0]
	var refs []string
	for _, e := range j.s.Evidence {
		for _, r := range j.c.appendRefs(nil, e.Record, j.w) {
			if r.Domain.field() == c.Field && r.Value.Equal(c.Value) {
				refs = append(refs, ref(e.Record))
			}
		}
	}
	return true, refs, map[string]string{"field": c.Field, "value": c.Value.String(), "claimed": j.claimed(c)}
}

// claimed says who else claims a reference, where that is an action with a key; of many, that there are many.
func (j *judging) claimed(first Clash) string {
	var others []string
	n := 0
	for _, c := range j.s.Clashes {
		if c.Field != first.Field || !c.Value.Equal(first.Value) {
			continue
		}
		n++
		if keyOf(c.Other).known {
			others = append(others, j.unlike(c.Other))
		}
	}
	slices.Sort(others)
	switch {
	case n >= maxClashes:
		return "is claimed by this action and by many others"
	case len(others) > 0:
		return "is claimed by this action and by that of " + strings.Join(slices.Compact(others), ", and that of ")
	}
	return "is claimed by more than one action, or no longer fits the one that names it"
}

// unlike names another identity by its key, and by what else of it differs from this one's.
func (j *judging) unlike(other []Component) string {
	return Named(slices.DeleteFunc(slices.Clone(other), func(c Component) bool {
		own := slices.ContainsFunc(j.s.Identity, func(o Component) bool { return o.Name == c.Name && o.Value.Equal(c.Value) })
		return own && c.Name != "key"
	}))
}

// Named names an identity in words by what is known of it. A key that looks like a secret is not spelled out.
func Named(id []Component) string {
	var parts []string
	for _, c := range id {
		switch shape := ShapeOf(c.Value.Bytes()); {
		case !c.Value.known:
		case c.Name == "key" && shape != ShapePlain:
			parts = append(parts, "a key that looks like "+shape.String())
		default:
			parts = append(parts, c.Name+" "+c.Value.String())
		}
	}
	return strings.Join(parts, ", ")
}

// resendPending holds where something that is still to be done, or may start again by itself, has stood for long: an unfinished receipt beside a standing
// leg, an unsent message whose receiver has acted, a due intent. While its lease lives the work is simply under way.
func resendPending(j *judging) (bool, []string, map[string]string) {
	if !j.made() && !j.messageProved() || j.leaseLives() {
		return false, nil, nil
	}
	var refs []string
	for _, r := range j.messages { // its relay asks no receipt: only the receiver could recognise it
		if j.messageProved() && j.sentAgain(r) && !j.resting(r) && j.coversTime(r, j.madeAt(LegProvider)) {
			refs = append(refs, ref(r))
		}
	}
	words := map[string]string{"stands": j.whatStands()}
	if j.recognised() || !j.made() {
		return len(refs) > 0, refs, words
	}
	if r := j.lapsed(); r != nil && j.live() == r {
		refs = append(refs, ref(r))
	}
	for _, r := range j.intents {
		if r.DueAt.known && !j.answered(r) {
			refs = append(refs, ref(r))
		}
	}
	return len(refs) > 0, refs, words
}

// whatStands names the legs that were made, where others were not.
func (j *judging) whatStands() string {
	if !j.made() {
		return "What the message asks for was delivered"
	}
	var made []string
	for _, l := range j.legs {
		if l.State == LegYes && l.Name != LegOutbox {
			made = append(made, l.Name.String()+" leg")
		}
	}
	if len(made) == 0 || len(made) == len(j.legs) || j.executed == ExecutedYes {
		return "The effect stands"
	}
	return "The " + strings.Join(made, " and the ") + " stands"
}

// resting reports whether the relay lets an unsent message rest: it sends none again before resend_after has passed, so that one whose effect was seen sooner
// may just not be marked yet. At the end of its patience it is due.
func (j *judging) resting(r *Record) bool {
	end := Latest(r.CreatedAt, r.AttemptAt, r.UpdatedAt).Add(j.c.ResendAfter.D)
	if !j.c.ResendAfter.Valid || !end.After(j.w.Now) {
		return false
	}
	j.tooYoung(Due{At: past(end), Text: "the relay lets its message rest until " + stamp(end)})
	return true
}

// made reports whether some leg stands by a record of its own.
func (j *judging) made() bool {
	return slices.ContainsFunc(j.legs, func(l Leg) bool { return l.State == LegYes && l.Name != LegOutbox })
}

func failureContradicted(j *judging) (bool, []string, map[string]string) {
	r := j.receiptIn(StateFailedFinal, StateFailedRetryable)
	if r == nil || j.done() != nil {
		return false, nil, nil
	}
	for _, l := range j.legs {
		if l.State == LegYes && !l.wasUndone() && j.coversTime(r, j.madeAt(l.Name)) {
			return true, []string{ref(r)}, map[string]string{"standing": l.Name.String()}
		}
	}
	return false, nil, nil
}

// madeAt is when a leg was first seen to be made; unknown where nothing tells.
func (j *judging) madeAt(leg LegName) Instant {
	var at Instant
	if leg == LegProvider {
		for _, o := range j.objectsIn(OutcomeSucceeded) {
			at = Earliest(at, o.at)
		}
		return at
	}
	for _, r := range j.effects {
		at = Earliest(at, r.CreatedAt)
	}
	return at
}

// fingerprintConflict compares every pair of the identity's records, of those that say the same one. A receipt whose failure freed the key did not occupy it.
func fingerprintConflict(j *judging) (bool, []string, map[string]string) {
	var rs []*Record
	seen := make(map[string]bool)
	for _, e := range j.s.Evidence {
		r := e.Record
		if e.Link != LinkKey && e.Link != LinkPartial {
			continue
		}
		if r.Role == RoleReceipt && j.c.StateOf(r) == StateFailedRetryable || j.turnedAway(r) {
			continue
		}
		if text := j.requestText(r); !seen[text] {
			seen[text] = true
			rs = append(rs, r)
		}
	}
	open := false
	for i, a := range rs {
		for _, b := range rs[i+1:] {
			switch j.requestsDiffer(a, b) {
			case yes:
				j.explain(FingerprintConflict, j.basis(a, b), a, b)
				return true, []string{ref(a), ref(b)}, map[string]string{"one": ref(a), "other": ref(b)}
			case unknown:
				open = open || j.tellsRequest(a) && j.tellsRequest(b)
			case no:
			}
		}
	}
	j.uncompared = open
	return false, nil, nil
}

// turnedAway reports whether an intent's request was only ever rejected, before anything else was done under its key: it did not occupy the key, and may
// have been corrected. A rejection that came later, or at the time of another, was the conflict itself; and so it may have been where a receipt that stood
// then has been lost, or has reached its end, since.
func (j *judging) turnedAway(r *Record) bool {
	if r.Role != RoleIntent || len(r.Attempts) == 0 || !j.c.Retention.Valid || slices.ContainsFunc(j.places(RoleReceipt, true), j.holed) {
		return false
	}
	taken := j.keyTaken()
	for _, a := range r.Attempts {
		at := a.At.Add(j.skewOf(r))
		if a.Outcome != AttemptRejected || !at.Add(j.c.Settle).Before(taken) || !at.Add(j.c.Retention.D).After(taken) {
			return false
		}
	}
	return true
}

// keyTaken is when the receipt that stands, and was the first, occupied the key; unknown without one, where a record tells no time, and where one tells of the
// action before that.
func (j *judging) keyTaken() (at Instant) {
	for _, r := range j.receipts {
		at = Earliest(at, j.c.Began(r))
	}
	for _, e := range j.s.Evidence {
		for _, t := range j.c.sends(e.Record) {
			if !t.known || t.Add(j.c.Settle).Before(at) {
				return Instant{}
			}
		}
	}
	return at
}

// sends are the times at which a record says that the action was, or may have been, under way.
func (c *Contract) sends(r *Record) []Instant {
	if r.Role != RoleIntent {
		return []Instant{c.Began(r)}
	}
	var out []Instant
	for _, a := range r.Attempts {
		if a.Outcome != AttemptRejected && a.Outcome != AttemptNotSent {
			out = append(out, a.At)
		}
	}
	return out
}

// tellsRequest reports whether a record says what was asked for, in a form that the contract declares comparable.
func (j *judging) tellsRequest(r *Record) bool {
	return r.Fingerprint.known && j.fingerprintOf(r) != nil || r.Params.known && j.c.Params != nil
}

// requestText is all by which a record's request is compared.
func (j *judging) requestText(r *Record) string {
	text := []byte(r.Source)
	for _, v := range []Value{r.Fingerprint, r.Params} {
		text = j.c.appendComponent(append(text, 0), "", v)
	}
	return string(text)
}

// providerMismatch compares amounts like with like: the standing row's with its succeeded object's; and the status: a row that stands where every object
// failed. A smaller capture of a larger authorisation is told by the row's own amount, so any difference counts.
func providerMismatch(j *judging) (bool, []string, map[string]string) {
	if a, b, words := j.saidTwice(); a != nil {
		j.explainFacts(a, b)
		return true, []string{ref(a), ref(b)}, words
	}
	failed := j.objectsIn(OutcomeFailed)
	if len(j.effects) > 0 && len(failed) > 0 && len(failed) == len(j.objects) && j.proved(j.remoteGone) { // a later success would show by then
		j.explainFacts(j.effects[0], failed[0].lines[0])
		return true, []string{ref(j.effects[0]), ref(failed[0].lines[0])}, mismatch(StatusEffective.String(), OutcomeFailed.String())
	}
	if r := j.serving(StateCompleted); r != nil && j.done() == r && j.c.Effect == LegsExternal && len(failed) > 0 && len(failed) == len(j.objects) && j.proved(j.remoteGone) {
		return true, []string{ref(r), ref(failed[0].lines[0])}, mismatch(StateCompleted.String(), OutcomeFailed.String())
	}
	done := j.objectsIn(OutcomeSucceeded)
	for _, r := range j.effects {
		for _, o := range done {
			if r.Amount.Valid && o.amount.Valid && !o.id.set && amountsDiffer(r.Amount.size(), o.amount.size()) && !j.sumsUp(r) {
				j.explainFacts(r, o.lines[0])
				return true, []string{ref(r), ref(o.lines[0])}, mismatch(r.Amount.String(), o.amount.String())
			}
		}
	}
	return false, nil, nil
}

func mismatch(service, provider string) map[string]string {
	return map[string]string{"what": "The service says " + service + ", the provider says " + provider + ", for the same action."}
}

// sumsUp reports whether several captures make up the row's amount together.
func (j *judging) sumsUp(r *Record) bool {
	objects := j.objectsIn(OutcomeSucceeded)
	if len(objects) < 2 {
		return false
	}
	sum := Amount{Exponent: r.Amount.Exponent, Currency: r.Amount.Currency, Valid: true}
	for _, o := range objects {
		if !o.amount.Valid || o.amount.Exponent != sum.Exponent || o.amount.Currency != sum.Currency {
			return false
		}
		sum.Minor += o.amount.Minor
	}
	return !amountsDiffer(sum.size(), r.Amount.size())
}
