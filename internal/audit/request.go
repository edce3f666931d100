package audit

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/idemctl/internal/reconcile"
)

// RequestError is a request that lacks something, or means nothing. Nothing was read for it.
type RequestError struct {
	Field  string // reason, to, at, ref, as, cases
	What   string
	Advice string
}

func (e *RequestError) Error() string { return e.What }

// Hint says what to do.
func (e *RequestError) Hint() string { return e.Advice }

// The bounds of what an operator writes, in characters.
const (
	anyReason  = 3
	fullReason = 12   // of a decision that lets something happen, closes something, or is taken of several cases at once
	mostReason = 4000 // a record is read by people
	mostRef    = 1000
)

// Check says what a request lacks, as a *RequestError, before anything is read.
func (req *Request) Check(now reconcile.Instant) error {
	fail := func(field, advice, format string, a ...any) error {
		return &RequestError{Field: field, What: fmt.Sprintf(format, a...), Advice: advice}
	}
	if len(req.Cases) == 0 {
		return fail("cases", "name a case by its id or the beginning of it; `idemctl scan` lists them", "no case is named")
	}
	if req.Decision == reconcile.DecideResolve && req.As == reconcile.ResolutionNone {
		return fail("as", "one of: "+strings.Join(resolutions(), ", "), "resolve: as what is missing")
	}
	if req.Decision != reconcile.DecideResolve && req.As != reconcile.ResolutionNone {
		return fail("as", "leave it out, or decide to resolve", "%s takes no resolution", req.Decision)
	}
	if err := req.checkReason(); err != nil {
		return err
	}
	for field, text := range map[string]string{"ref": req.Ref, "to": req.To} {
		if !utf8.ValidString(text) || utf8.RuneCountInString(text) > mostRef {
			return fail(field, "write a name or an address of it", "%s must be text of at most %d characters", field, mostRef)
		}
	}
	switch {
	case req.Decision == reconcile.DecideEscalate && strings.TrimSpace(req.To) == "":
		return fail("to", "say to whom, like --to payments-oncall", "escalate: to whom is missing")
	case req.Decision != reconcile.DecideEscalate && req.To != "":
		return fail("to", "leave it out", "%s is handed over to nobody", named(req.Decision, req.As))
	case needsRef(req.As) && strings.TrimSpace(req.Ref) == "":
		return fail("ref", refAdvice(req.As), "%s: what it rests on is missing", named(req.Decision, req.As))
	}
	return req.checkTime(now)
}

// LeastReason is how many characters, without blanks around them, the reason of a decision about so many cases must have.
func LeastReason(d reconcile.Decision, cases int) int {
	if d == reconcile.DecideReplay || d == reconcile.DecideResolve || cases > 1 {
		return fullReason
	}
	return anyReason
}

// LeastWithdrawal is LeastReason for taking a decision back.
const LeastWithdrawal = anyReason

// LeastConfirmation is LeastReason for saying what a restore took.
const LeastConfirmation = fullReason

func (req *Request) checkReason() error {
	return checkReason(req.Decision.String(), req.Reason, LeastReason(req.Decision, len(req.Cases)))
}

// CheckWithdrawal says what the reason for taking a decision back lacks, as a *RequestError.
func CheckWithdrawal(reason string) error { return checkReason("withdraw", reason, LeastWithdrawal) }

func checkReason(doing, reason string, least int) error {
	fail := func(advice, format string, a ...any) error {
		return &RequestError{Field: "reason", What: fmt.Sprintf(format, a...), Advice: advice}
	}
	n := utf8.RuneCountInString(strings.TrimSpace(reason))
	switch {
	case !utf8.ValidString(reason) || n > mostReason:
		return fail("shorten it; --ref may point to more", "a reason is text of at most %d characters", mostReason)
	case n == 0:
		return fail("whoever reads the trail wants to know why: --reason \"…\"", "%s: a reason is missing", doing)
	case n < least:
		return fail(fmt.Sprintf("say in %d characters or more what speaks for it", least), "%s: a reason of %d characters says too little", doing, n)
	}
	return nil
}

// checkTime asks for the times that a decision must tell, and for none that it cannot.
func (req *Request) checkTime(now reconcile.Instant) error {
	fail := func(advice, format string, a ...any) error {
		return &RequestError{Field: "at", What: fmt.Sprintf(format, a...), Advice: advice}
	}
	fact := req.As == reconcile.ConfirmExecuted || req.As == reconcile.ConfirmNotExecuted
	switch {
	case req.Decision == reconcile.DecideRecheck && req.At.Known() && !req.At.After(now):
		return fail("name a time that is still to come", "recheck: %s has passed already", stamp(req.At))
	case fact && !req.At.Known():
		return fail("say as of when it was so, like --at 2026-11-29T05:30:00Z", "%s: the time is missing", named(req.Decision, req.As))
	case fact && req.At.After(now):
		return fail("name a time at which somebody has looked", "%s: %s is still to come", named(req.Decision, req.As), stamp(req.At))
	case req.At.Known() && !fact && req.Decision != reconcile.DecideRecheck:
		return fail("leave it out", "%s takes no time", named(req.Decision, req.As))
	}
	return nil
}

// needsRef reports whether a resolution rests on something that must be named.
func needsRef(as reconcile.Resolution) bool {
	switch as {
	case reconcile.ConfirmExecuted, reconcile.ConfirmNotExecuted, reconcile.Distinct, reconcile.DuplicateOf, reconcile.Compensated, reconcile.Repoint:
		return true
	case reconcile.ResolutionNone, reconcile.BackfillReceipt, reconcile.Release, reconcile.Complete, reconcile.Accept:
	}
	return false
}

func refAdvice(as reconcile.Resolution) string {
	switch as {
	case reconcile.Distinct, reconcile.DuplicateOf:
		return "name the other action by its case id: --ref CASE"
	case reconcile.Compensated:
		return "name the refund or reversal: --ref re_123"
	case reconcile.Repoint:
		return "name the row that is right: --ref orders/4711"
	default:
		return "name the proof: a ticket, a message, a search of the provider's log: --ref …"
	}
}

func resolutions() []string {
	var out []string
	for as := reconcile.BackfillReceipt; as <= reconcile.Accept; as++ {
		out = append(out, as.String())
	}
	return out
}

// referenceFor makes of a reference to another action the whole id of its case; why is why it cannot be taken.
func referenceFor(req *Request, seen *Seen) (ref, why string) {
	if req.As != reconcile.Distinct && req.As != reconcile.DuplicateOf {
		return req.Ref, ""
	}
	own := seen.Judgement.CaseID
	if len(req.Ref) >= 4 && strings.HasPrefix(own, req.Ref) {
		return "", "A case is not another action than itself."
	}
	var hits []string
	for _, c := range append(append([]reconcile.Candidate(nil), seen.Twins...), seen.Others...) {
		switch {
		case c.Case == req.Ref, c.Locator == req.Ref:
			return c.Case, ""
		case len(req.Ref) >= 4 && strings.HasPrefix(c.Case, req.Ref):
			hits = append(hits, c.Case)
		}
	}
	switch {
	case len(hits) == 1:
		return hits[0], ""
	case req.As == reconcile.Distinct && len(seen.Twins) > 0 && len(req.Ref) != len(own):
		return "", fmt.Sprintf("%q is none of its twins: %s.", req.Ref, namesOf(seen.Twins))
	}
	return req.Ref, ""
}

// restsOn names the other action that a refusal rests on, "" where there is none.
func restsOn(o reconcile.Option, seen *Seen) string {
	for _, c := range slices.Concat(seen.Twins, seen.Others) {
		if o.Other == "" || c.Case != o.Other {
			continue
		}
		begun := ""
		if c.Began.Known() {
			begun = ", begun " + stamp(c.Began)
		}
		return " The other: " + namesOf([]reconcile.Candidate{c}) + begun + "."
	}
	return ""
}

// namesOf names actions by their case ids, and by what they are.
func namesOf(cs []reconcile.Candidate) string {
	out := make([]string, len(cs))
	for i, c := range cs {
		out[i] = c.Case
		if name := reconcile.Named(c.Identity); name != "" {
			out[i] += " (" + name + ")"
		}
	}
	return strings.Join(out, "; ")
}
