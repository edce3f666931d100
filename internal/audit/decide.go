package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"example.com/idemctl/internal/reconcile"
)

// Decide records decisions: one, or several as one plan, each in its own record, all or none. Whoever calls it has asked the guard.
//
// A *LiveError is another live decision of the case than the one that the proposal supersedes. A live decision whose valid_until has passed stands in nobody's
// way: that it expired is recorded on the way. ErrUnpinned comes with the decisions: they are recorded. ErrInDoubt means that nobody knows.
func (t *Trail) Decide(ctx context.Context, proposals ...Proposal) ([]Decision, error) {
	if len(proposals) == 0 {
		return nil, errors.New("deciding nothing")
	}
	proposals = slices.Clone(proposals) // they are completed below
	w := work{}
	for i := range proposals {
		if proposals[i].Case == "" {
			return nil, errors.New("deciding a case without an id")
		}
		w.ids, w.cases = append(w.ids, t.env.NewID()), append(w.cases, proposals[i].Case)
	}
	w.build = func(v *view) ([]draft, error) {
		drafts, err := t.expire(v, proposals)
		if err != nil {
			return nil, err
		}
		for i := range proposals {
			p := &proposals[i]
			drafts = append(drafts, draft{intent{id: w.ids[i], what: EventDecided, core: coreOf(p)}, p.Evidence})
		}
		return drafts, nil
	}
	return t.change(ctx, "recording a decision", w)
}

// expire checks what each proposal may replace, and returns the records of live decisions whose time is over.
func (t *Trail) expire(v *view, proposals []Proposal) ([]draft, error) {
	var out []draft
	for i := range proposals {
		p := &proposals[i]
		live := v.live[p.Case]
		switch {
		case live == nil && p.Supersedes == "":
		case live == nil:
			old := v.rows[p.Supersedes]
			if old == nil {
				return nil, fmt.Errorf("decision %s of case %s: %w", p.Supersedes, p.Case, ErrNotFound)
			}
			return nil, &StepError{old.Decision, "superseded"}
		case !live.Live(v.now):
			out = append(out, draft{intent: intent{id: t.env.NewID(), what: EventExpired, decision: live.ID, core: core{caseID: p.Case}}})
			if p.Supersedes == live.ID {
				p.Supersedes = "" // it is over: there is nothing left to replace
			}
		case p.Supersedes != live.ID:
			return nil, &LiveError{live.Decision}
		}
	}
	return out, nil
}

// Withdraw records that an operator takes a live decision back. A reason that says too little is a *RequestError.
func (t *Trail) Withdraw(ctx context.Context, id, reason string) (Decision, error) {
	if err := CheckWithdrawal(reason); err != nil {
		return Decision{}, err
	}
	return t.about(ctx, id, "withdrawing a decision", intent{what: EventWithdrawn, core: core{reason: reason}})
}

// Outcome records what came of a decision: done, failed or unknown; unknown may become one of the others later. A decision that was withdrawn, superseded or
// has expired after it was handed out keeps its state, as it may have been sent all the same.
func (t *Trail) Outcome(ctx context.Context, id string, o reconcile.DecisionOutcome, ref, reason string) (Decision, error) {
	if _, ok := reported(o); !ok {
		return Decision{}, fmt.Errorf("recording an outcome: %q says nothing", o)
	}
	return t.about(ctx, id, "recording an outcome", intent{what: EventOutcome, core: core{outcome: o.String(), ref: ref, reason: reason}})
}

// HandOut records that decisions are given to the service's worker, all or none: from now on they may have been sent.
func (t *Trail) HandOut(ctx context.Context, ids ...string) ([]Decision, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	w, err := t.namely(ctx, ids, intent{what: EventHandedOut})
	if err != nil {
		return nil, fmt.Errorf("handing out: %w", err)
	}
	return t.change(ctx, "handing out", w)
}

func (t *Trail) about(ctx context.Context, id, doing string, n intent) (Decision, error) {
	w, err := t.namely(ctx, []string{id}, n)
	if err != nil {
		return Decision{}, fmt.Errorf("%s: %w", doing, err)
	}
	ds, err := t.change(ctx, doing, w)
	if len(ds) == 0 {
		return Decision{}, err
	}
	return ds[0], err
}

// namely is the work of one record about each of the decisions.
func (t *Trail) namely(ctx context.Context, ids []string, n intent) (work, error) {
	w := work{}
	var about []Decision
	for _, id := range ids {
		d, err := t.Decision(ctx, id)
		if err != nil {
			return work{}, err
		}
		about, w.ids, w.cases = append(about, d), append(w.ids, t.env.NewID()), append(w.cases, d.Case)
	}
	w.build = func(*view) ([]draft, error) {
		drafts := make([]draft, len(about))
		for i := range about {
			d := draft{intent: n}
			d.id, d.decision, d.caseID = w.ids[i], about[i].ID, about[i].Case
			drafts[i] = d
		}
		return drafts, nil
	}
	return w, nil
}

// change appends w and returns the decisions that its records made or are about, in their order. They come with ErrUnpinned too.
func (t *Trail) change(ctx context.Context, doing string, w work) ([]Decision, error) {
	a, err := t.append(ctx, w)
	if err != nil {
		err = fmt.Errorf("%s: %w", doing, err)
	}
	if a == nil {
		return nil, err
	}
	named := map[string]bool{}
	for _, id := range w.ids {
		named[id] = true
	}
	var out []Decision
	for _, r := range a.done {
		if named[r.id] {
			out = append(out, a.fold.rows[r.entry().Decision].Decision)
		}
	}
	return out, err
}

// Note records something other than a decision.
func (t *Trail) Note(ctx context.Context, e Event) error {
	if !e.Type.note() {
		return fmt.Errorf("noting: a record of type %q is no note", e.Type)
	}
	n := intent{id: t.env.NewID(), what: e.Type, core: core{
		caseID: e.Case, contract: e.Contract, code: e.Code, answer: e.Answer, reason: e.Reason, ref: e.Ref, to: e.To, digest: e.Digest,
		config: e.Config, configDigest: e.ConfigDigest, scanNow: e.ScanNow, pinned: e.Pinned,
	}}
	w := work{ids: []string{n.id}}
	if e.Case != "" {
		w.cases = []string{e.Case}
	}
	if e.Type == EventRefused {
		n.action, n.as = e.Decision.String(), e.As.String()
	}
	w.build = func(*view) ([]draft, error) { return []draft{{intent: n}}, nil }
	if _, err := t.append(ctx, w); err != nil {
		return fmt.Errorf("noting %s: %w", e.Type, err)
	}
	return nil
}
