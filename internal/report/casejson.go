package report

import (
	"fmt"
	"slices"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
)

type (
	caseJSON struct {
		ID         shown           `json:"id"`
		Contract   shown           `json:"contract"`
		Headline   string          `json:"headline"`
		Kinds      []string        `json:"kinds"`
		Severity   string          `json:"severity"`
		Identity   object          `json:"identity"`
		Executed   string          `json:"executed"`
		Legs       object          `json:"legs"`
		Pending    []pendingJSON   `json:"pending"`
		RetryNow   string          `json:"retry_now"`
		Exposure   exposureJSON    `json:"exposure"`
		Amount     *amountJSON     `json:"amount"`
		Due        *dueJSON        `json:"due,omitempty"` // absent where no time alone settles what is open
		ProviderTo *instant        `json:"provider_knows_until,omitempty"`
		Evidence   []evidenceJSON  `json:"evidence"`
		Candidates []candidateJSON `json:"candidates"`
		MoreCands  int             `json:"more_candidates,omitempty"`
		Twins      []candidateJSON `json:"twins,omitempty"`
		MoreTwins  int             `json:"more_twins,omitempty"`
		Others     []candidateJSON `json:"others,omitempty"` // whom a reason or a refusal names besides
		More       int64           `json:"more_evidence,omitempty"`
		Why        []reasonJSON    `json:"why"`
		Differs    []differJSON    `json:"differences,omitempty"`
		Options    []optionJSON    `json:"options"`
		Decision   *decisionJSON   `json:"decision"` // the last one; null where none is recorded
	}
	pendingJSON struct {
		What string  `json:"what"`
		Ref  shown   `json:"ref"`
		Till instant `json:"till"`
	}
	exposureJSON struct {
		State string  `json:"state"`
		Until instant `json:"until"`
	}
	amountJSON struct {
		Minor    int64 `json:"minor"`
		Exponent uint8 `json:"exponent"`
		Currency shown `json:"currency"`
	}
	evidenceJSON struct {
		Role    string `json:"role"`
		Source  shown  `json:"source"`
		Locator shown  `json:"locator"`
		Facts   object `json:"facts"`
		Link    string `json:"link"`
		History bool   `json:"history,omitempty"`
		Raw     object `json:"raw,omitempty"`
	}
	candidateJSON struct {
		Case     shown   `json:"case"`
		Locator  shown   `json:"locator"`
		Why      shown   `json:"why"`
		Identity object  `json:"identity"`
		Began    instant `json:"began"` // null where no record tells
	}
	reasonJSON struct {
		Rule string  `json:"rule"`
		Text shown   `json:"text"`
		Refs []shown `json:"refs"`
	}
	optionJSON struct {
		Decision string `json:"decision"`
		As       string `json:"as"`
		Allowed  bool   `json:"allowed"`
		Code     string `json:"code"`
		Reason   shown  `json:"reason"`
		Other    shown  `json:"other,omitempty"` // the case id of the action that a refusal rests on

		ValidUntil *instant `json:"valid_until,omitempty"`
	}
)

func newCaseJSON(c *scan.Case, opt Options) caseJSON {
	out := caseJSON{
		ID: shown(c.CaseID), Contract: shown(c.Contract), Headline: c.Headline().String(), Severity: c.Severity.String(),
		Identity: identityObject(c.Identity),
		Executed: c.Executed.String(), RetryNow: c.RetryNow.String(),
		Exposure: exposureJSON{State: c.Exposure.State.String(), Until: instant(c.Exposure.Until)},
		Kinds:    make([]string, 0, len(c.Kinds)),
		Pending:  make([]pendingJSON, 0, len(c.Pending)), MoreCands: c.MoreCands, MoreTwins: c.MoreTwins, More: c.More,
		Evidence: make([]evidenceJSON, 0, len(c.Evidence)), Candidates: make([]candidateJSON, 0, len(c.Candidates)),
		Why: make([]reasonJSON, 0, len(c.Reasons)), Options: make([]optionJSON, 0, len(c.Options)),
	}
	for _, k := range c.Kinds {
		out.Kinds = append(out.Kinds, k.String())
	}
	for _, l := range c.Legs {
		out.Legs = append(out.Legs, member{l.Name.String(), rawValue([]byte(l.State.String()))})
	}
	for _, p := range c.Pending {
		out.Pending = append(out.Pending, pendingJSON{p.What, shown(p.Ref), instant(p.Till)})
	}
	if c.Amount.Valid {
		amount := newAmountJSON(c.Amount)
		out.Amount = &amount
	}
	if c.Due.At.Known() {
		out.Due = &dueJSON{At: instant(c.Due.At), Source: shown(c.Due.Source), Text: shown(c.Due.Text)}
	}
	if c.ProviderTo.Known() {
		to := instant(c.ProviderTo)
		out.ProviderTo = &to
	}
	for i := range c.Evidence {
		out.Evidence = append(out.Evidence, newEvidenceJSON(&c.Evidence[i], opt))
	}
	for _, cand := range c.Candidates {
		out.Candidates = append(out.Candidates, newCandidateJSON(cand))
	}
	for _, twin := range c.Twins {
		out.Twins = append(out.Twins, newCandidateJSON(twin))
	}
	for _, other := range c.Others {
		out.Others = append(out.Others, newCandidateJSON(other))
	}
	for _, r := range c.Reasons {
		out.Why = append(out.Why, newReasonJSON(r))
	}
	for i := range c.Differences {
		out.Differs = append(out.Differs, newDifferJSON(&c.Differences[i], opt))
	}
	for _, o := range c.Options {
		one := optionJSON{Decision: o.Decision.String(), As: o.As.String(), Allowed: o.Allowed, Code: o.Code, Reason: shown(o.Reason), Other: shown(o.Other)}
		if o.ValidUntil.Known() {
			until := instant(o.ValidUntil)
			one.ValidUntil = &until
		}
		out.Options = append(out.Options, one)
	}
	out.Decision = lastDecisionJSON(opt.decisions(c))
	return out
}

func newReasonJSON(r reconcile.Reason) reasonJSON {
	out := reasonJSON{Rule: r.Rule, Text: shown(r.Text), Refs: make([]shown, 0, len(r.Refs))}
	for _, ref := range r.Refs {
		out.Refs = append(out.Refs, shown(ref))
	}
	return out
}

func newEvidenceJSON(e *scan.Evidence, opt Options) evidenceJSON {
	out := evidenceJSON{
		Role: e.Role.String(), Source: shown(e.Source), Locator: shown(e.Locator), Link: e.Link.String(), History: e.History,
	}
	for _, f := range e.Facts {
		value := bytesValue(f.Value)
		if payload(f.Name) && !opt.Reveal {
			value = fmt.Appendf(nil, `{"masked_bytes":%d}`, len(f.Value.Bytes()))
		}
		out.Facts = append(out.Facts, member{f.Name, value})
	}
	told := told(e)
	for _, col := range e.Raw {
		if smallNumber(col) && !told[string(col.Text)] && !hasFact(e, col.Name) {
			out.Facts = append(out.Facts, member{col.Name, rawColumn(col)})
		}
		if opt.Reveal {
			out.Raw = append(out.Raw, member{col.Name, rawColumn(col)})
		}
	}
	return out
}

func hasFact(e *scan.Evidence, name string) bool {
	return slices.ContainsFunc(e.Facts, func(f reconcile.Fact) bool { return f.Name == name })
}

func rawColumn(col reconcile.Column) []byte {
	if col.Kind == "null" {
		return []byte("null")
	}
	return rawValue(col.Text)
}

func identityObject(identity []reconcile.Component) object {
	out := make(object, 0, len(identity))
	for _, comp := range identity {
		out = append(out, member{comp.Name, bytesValue(comp.Value)})
	}
	return out
}

func newCandidateJSON(c reconcile.Candidate) candidateJSON {
	return candidateJSON{shown(c.Case), shown(c.Locator), shown(c.Why), identityObject(c.Identity), instant(c.Began)}
}

func newAmountJSON(a reconcile.Amount) amountJSON {
	return amountJSON{a.Minor, a.Exponent, shown(a.Currency)}
}
