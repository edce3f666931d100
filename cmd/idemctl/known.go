package main

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/report"
	"example.com/idemctl/internal/scan"
)

// known is what is known of earlier decisions when cases are shown.
type known struct {
	place  audit.Place                 // of the trail; none where there is no place for one
	cases  map[string][]audit.Decision // oldest first
	loose  []report.Decision           // replays on their way whose action is no case any more
	gaps   []audit.Restore             // that operators confirmed
	now    reconcile.Instant           // the real time: a decision's life is not the scan's
	none   bool                        // there is no trail
	unsure bool                        // there is one, and it cannot be trusted
}

// decisions reads the trail at a place. One that cannot be trusted is said so at once, and what it tells is taken for what it is.
func (e *Env) decisions(ctx context.Context, place audit.Place) (known, error) {
	k := known{place: place, cases: make(map[string][]audit.Decision), now: reconcile.At(e.Now())}
	distrust := func(err error) (known, error) {
		if ctx.Err() != nil || errors.Is(err, audit.ErrBusy) {
			return k, err
		}
		e.complain(err)
		e.outcome.trailBroken, k.unsure = true, true
		return k, nil
	}
	trail, err := e.readTrail(ctx, place)
	var untrusted *trailError
	var nowhere *audit.PlaceError
	switch {
	case errors.As(err, &untrusted):
		return distrust(err)
	case errors.As(err, &nowhere), err == nil && trail == nil: // none, and perhaps no place for one
		k.none = true
		return k, nil
	case err != nil:
		return k, err
	}
	defer func() { _ = trail.Close() }()
	if err := trail.Trouble(); err != nil {
		if k, err := distrust(err); err != nil {
			return k, err
		}
		k.unsure = true
	}
	for d, err := range trail.Decisions(ctx, audit.Query{}) {
		if err != nil && k.unsure {
			return k, nil // it was said already
		}
		if err != nil {
			return distrust(err)
		}
		k.cases[d.Case] = append(k.cases[d.Case], d)
	}
	if k.gaps, err = trail.Restores(ctx); err != nil && !k.unsure {
		return distrust(err)
	}
	return k, nil
}

// eventsOf are the restores that operators confirmed.
func eventsOf(rs []audit.Restore) []reconcile.Event {
	out := make([]reconcile.Event, len(rs))
	for i := range rs {
		out[i] = rs[i].Event
	}
	return out
}

// decided is what the rules must know of the decisions.
func (k *known) decided() map[string][]reconcile.Decided {
	out := make(map[string][]reconcile.Decided, len(k.cases))
	for id, ds := range k.cases {
		for i := range ds {
			out[id] = append(out[id], ds[i].Decided())
		}
	}
	return out
}

// shown is what a report shows of the decisions of each case; nil where no trail is read.
func (k *known) shown() func(*scan.Case) []report.Decision {
	if k.none {
		return nil
	}
	return func(c *scan.Case) []report.Decision {
		var out []report.Decision
		for i := range k.cases[c.CaseID] {
			out = append(out, shownDecision(&k.cases[c.CaseID][i], &c.Judgement, k.now))
		}
		return out
	}
}

func shownDecision(d *audit.Decision, j *reconcile.Judgement, now reconcile.Instant) report.Decision {
	was := d.Decided()
	return report.Decision{
		ID: d.ID, Seq: d.Seq, Decision: d.Decision, As: d.As, Operator: d.Operator, Recorded: d.Recorded, Reason: d.Reason, Ref: d.Ref, To: d.To, At: d.At,
		ValidUntil: d.ValidUntil, HandedOut: d.HandedOut, State: d.State, StateAt: d.StateAt, Outcome: d.Outcome, OutcomeRef: d.OutcomeRef, OutcomeAt: d.OutcomeAt,
		Live: was.Live(now), Changed: j != nil && was.Changed(j), Signed: d.Signed,
	}
}

// settled counts the cases of a result that nobody needs to decide: a decision stands, and rests on what the records still say. Replays that a worker has,
// and whose action is no case any more, are noted: nobody would look for them.
func (k *known) settled(ctx context.Context, res *scan.Result) (int64, error) {
	var n int64
	for id, ds := range k.cases {
		c, err := res.Case(ctx, id)
		var gone *scan.Error
		switch {
		case errors.As(err, &gone):
			k.forget(ds)
			continue
		case err != nil:
			return 0, err
		}
		if last := ds[len(ds)-1].Decided(); last.Live(k.now) && !last.Changed(&c.Judgement) {
			n++
		}
	}
	slices.SortFunc(k.loose, func(a, b report.Decision) int { return cmp.Compare(a.Seq, b.Seq) })
	return n, nil
}

// forget notes the replays among decisions that a worker has and nobody has reported of.
func (k *known) forget(ds []audit.Decision) {
	for i := range ds {
		if d := &ds[i]; d.Decision == reconcile.DecideReplay && d.HandedOut.Known() && d.Outcome == reconcile.ReportedNone {
			k.loose = append(k.loose, shownDecision(d, nil, k.now))
		}
	}
}
