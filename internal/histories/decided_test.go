package histories_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"example.com/idemctl/internal/histories"
	"example.com/idemctl/internal/reconcile"
)

// decided tells the rules of the earlier replays that a history really had, and of others that an operator might have recorded besides: replays that were
// never handed out, words of operators, right or wrong, holds. Only that two actions are distinct is never said against the truth.
func decided(h *histories.History, rng *rand.Rand) map[string][]reconcile.Decided {
	w := h.World
	w.Decided = nil
	out := make(map[string][]reconcile.Decided)
	var subjects []verdict
	named := make(map[histories.Identity]*reconcile.Subject)
	for _, v := range judge(h, h.Records, &w) {
		if id, ok := v.id(); ok {
			named[id] = v.s
			subjects = append(subjects, v)
		}
	}
	for i, e := range h.Earlier {
		if s := named[e.ID]; s != nil {
			d := earlier(s, fmt.Sprint("handed-out-", i), e)
			d.State, d.StateAt = pickState(rng, &d), e.HandedOut.Add(time.Second)
			out[s.ID] = append(out[s.ID], d)
		}
	}
	for i, v := range subjects {
		for n := range rng.IntN(3) + count(len(v.s.Twins) > 0) {
			d := invented(v, rng, subjects)
			d.ID, d.Case, d.Identity = fmt.Sprint("invented-", i, n), v.s.ID, v.s.Identity
			if d.As == reconcile.Distinct && !distinctIn(h, v, d.Ref, subjects) {
				continue
			}
			out[v.s.ID] = append(out[v.s.ID], d)
		}
	}
	return out
}

func earlier(s *reconcile.Subject, id string, e histories.Replayed) reconcile.Decided {
	return reconcile.Decided{
		ID: id, Case: s.ID, Identity: s.Identity, Decision: reconcile.DecideReplay, Recorded: e.HandedOut.Add(-time.Minute), HandedOut: e.HandedOut,
		Outcome: e.Outcome, OutcomeAt: e.Reported,
	}
}

// pickState is what may have become of a decision that a worker has, as far as the trail says: it changes nothing of what the worker does.
func pickState(rng *rand.Rand, d *reconcile.Decided) reconcile.DecisionState {
	switch d.Outcome {
	case reconcile.ReportedDone:
		return reconcile.DecisionDone
	case reconcile.ReportedFailed:
		return reconcile.DecisionFailed
	case reconcile.ReportedUnknown:
		return reconcile.DecisionUnknown
	case reconcile.ReportedNone:
	}
	states := []reconcile.DecisionState{reconcile.DecisionDecided, reconcile.DecisionWithdrawn, reconcile.DecisionSuperseded, reconcile.DecisionExpired}
	return states[rng.IntN(len(states))]
}

func invented(v verdict, rng *rand.Rand, all []verdict) reconcile.Decided {
	at := v.j.Since.Add(time.Duration(rng.IntN(360)) * time.Minute)
	states := []reconcile.DecisionState{reconcile.DecisionProposed, reconcile.DecisionDecided, reconcile.DecisionDone, reconcile.DecisionFailed, reconcile.DecisionUnknown, reconcile.DecisionWithdrawn, reconcile.DecisionSuperseded, reconcile.DecisionExpired, reconcile.DecisionRejected}
	d := reconcile.Decided{Recorded: at, State: states[rng.IntN(len(states))], StateAt: at.Add(time.Minute)}
	switch rng.IntN(6) {
	case 0:
		d.Decision = reconcile.DecideReplay
	case 1:
		d.Decision, d.As = reconcile.DecideResolve, reconcile.ConfirmExecuted
	case 2:
		d.Decision, d.As = reconcile.DecideResolve, reconcile.ConfirmNotExecuted
	case 3:
		d.Decision, d.As = reconcile.DecideResolve, reconcile.Complete
	default:
		d.Decision, d.As, d.Ref = reconcile.DecideResolve, reconcile.Distinct, all[rng.IntN(len(all))].s.ID
		if len(v.s.Twins) > 0 {
			d.Ref = v.s.Twins[rng.IntN(len(v.s.Twins))].Case
		}
	}
	return d
}

func distinctIn(h *histories.History, v verdict, ref string, all []verdict) bool {
	mine, _ := v.id()
	for _, o := range all {
		if other, ok := o.id(); ok && o.s.ID == ref {
			return !h.SameWish(mine, other)
		}
	}
	return false
}

// TestNoReplayDoublesAfterEarlierOnes lets the service do what the guard still allows after earlier replays and other decisions, and looks whether it doubles.
// It also holds that no decision but distinct turns a refused replay into an allowed one.
func TestNoReplayDoublesAfterEarlierOnes(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var allowed, freed, stopped int
	t.Run("histories", func(t *testing.T) {
		everyOf(t, 8*seeds, histories.GenerateReplayed, func(h *histories.History, wrong func(string, ...any)) {
			before := make(map[string]bool)
			for _, v := range judge(h, h.Records, &h.World) {
				before[v.s.ID] = v.allowed(reconcile.DecideReplay, reconcile.ResolutionNone)
			}
			h.World.Decided = decided(h, rand.New(rand.NewPCG(uint64(len(h.Records)), 3)))
			for _, v := range judge(h, h.Records, &h.World) {
				id, ok := v.id()
				now := v.allowed(reconcile.DecideReplay, reconcile.ResolutionNone)
				mu.Lock()
				allowed, stopped = allowed+count(now), stopped+count(before[v.s.ID] && !now)
				freed += count(now && !before[v.s.ID])
				mu.Unlock()
				if now && !before[v.s.ID] && len(v.s.Twins) == 0 {
					wrong("a decision allows a replay that was refused: %v", v)
				}
				if !ok || !now {
					continue
				}
				for _, after := range []time.Duration{time.Second, 50 * time.Minute} {
					without, with := h.Replay(id, after)
					if with.Local > max(1, without.Local) || with.Remote > max(1, without.Remote) {
						wrong("a replay after %s makes %+v of %+v: %v\n%+v", after, with, without, v, h.World.Decided[v.s.ID])
					}
				}
			}
		})
	})
	if allowed < 50 || stopped < 50 || freed < 3 {
		t.Errorf("%d replays were allowed, %d stopped by an earlier decision and %d freed by a word that says distinct: too few to say something", allowed, stopped, freed)
	}
}

// TestDecidingChangesNothingThatWasDecidedOn records a decision of each kind and state on what a scan says: the records still say the same, and the case stays.
func TestDecidingChangesNothingThatWasDecidedOn(t *testing.T) {
	t.Parallel()
	every(t, seeds, func(h *histories.History, wrong func(string, ...any)) {
		rng := rand.New(rand.NewPCG(uint64(len(h.Records)), 8))
		all := make(map[string][]reconcile.Decided)
		before := judge(h, h.Records, &h.World)
		for _, v := range before {
			d := invented(v, rng, before)
			d.ID, d.Case, d.Identity, d.Recorded, d.StateAt = "now", v.s.ID, v.s.Identity, h.World.Now, h.World.Now
			d.Digest, d.Executed, d.Legs = v.j.Digest, v.j.Found.Executed, v.j.Found.Legs
			if d.Decision == reconcile.DecideReplay && rng.IntN(2) == 0 {
				d.HandedOut = h.World.Now
			}
			all[v.s.ID] = append(all[v.s.ID], d)
		}
		h.World.Decided = all
		for i, v := range judge(h, h.Records, &h.World) {
			switch {
			case all[v.s.ID][0].Changed(v.j):
				wrong("%s changed what it was decided on: %v\nwas %v", all[v.s.ID][0].Decision, v, before[i])
			case v.j.Class != before[i].j.Class:
				wrong("%s made %s of %s: %v", all[v.s.ID][0].Decision, v.j.Class, before[i].j.Class, v)
			}
		}
	})
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
