package reconcile_test

import (
	"strconv"

	"example.com/idemctl/internal/reconcile"
)

// decide turns the scenario's "decided" lines into earlier decisions of the cases they name. What the records said then is what they say now, unless the
// line says "before-change".
//
//	decided replay on=north/create-order/K at=06:00 handed=06:01 failed=06:05
//	decided resolve distinct on=north/create-order/K1 at=06:00 ref=north/create-order/K2
func (n *notation) decide() {
	n.world.Decided = nil
	if len(n.decided) == 0 {
		return
	}
	subjects := reconcile.Assemble(n.recs, n.book, &n.world)
	reconcile.Relate(subjects, &n.world)
	named := make(map[string]*reconcile.Subject)
	for _, s := range subjects {
		named[nameOf(s)] = s
	}
	all := make(map[string][]reconcile.Decided)
	for i, w := range n.decided {
		s := named[w.set["on"]]
		if s == nil {
			panic("nothing is called " + w.set["on"])
		}
		d := n.decision(w)
		j := reconcile.Judge(s, &n.world)
		d.ID, d.Case, d.Identity = strconv.Itoa(i+1), s.ID, s.Identity
		d.Digest, d.Executed, d.Legs = j.Digest, j.Found.Executed, j.Found.Legs
		if w.has("before-change") {
			d.Digest = "sha256:of other evidence"
		}
		if other := named[d.Ref]; other != nil {
			d.Ref = other.ID
		}
		all[s.ID] = append(all[s.ID], d)
	}
	n.world.Decided = all
}

func (n *notation) decision(w words) reconcile.Decided {
	d := reconcile.Decided{Recorded: clock(w.set["at"]), State: reconcile.DecisionDecided, StateAt: clock(w.set["at"]), Ref: w.set["ref"]}
	var err error
	if d.Decision, err = reconcile.ParseDecision(w.bare[0]); err != nil {
		panic(err)
	}
	if d.Decision == reconcile.DecideResolve {
		if d.As, err = reconcile.ParseResolution(w.bare[1]); err != nil {
			panic(err)
		}
	}
	for name, v := range w.set {
		state, stateErr := reconcile.ParseDecisionState(name)
		outcome, outcomeErr := reconcile.ParseDecisionOutcome(name)
		switch {
		case outcomeErr == nil:
			d.Outcome, d.OutcomeAt, d.State, d.StateAt = outcome, clock(v), state, clock(v)
		case stateErr == nil:
			d.State, d.StateAt = state, clock(v)
		case name == "handed":
			d.HandedOut = clock(v)
		case name == "until":
			d.ValidUntil = clock(v)
		}
	}
	return d
}
