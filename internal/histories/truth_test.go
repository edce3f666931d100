package histories_test

import (
	"testing"
	"time"

	"example.com/idemctl/internal/histories"
	"example.com/idemctl/internal/reconcile"
)

const seeds = 1200

// TestNothingIsSaidAgainstTheTruth compares every verdict with what happened.
func TestNothingIsSaidAgainstTheTruth(t *testing.T) {
	t.Parallel()
	every(t, seeds, func(h *histories.History, wrong func(string, ...any)) {
		for _, v := range judge(h, h.Records, &h.World) {
			if id, ok := v.id(); ok {
				checkVerdict(v, h.Truth[id], wrong)
			}
			checkLinks(h, v, wrong)
		}
	})
}

func checkVerdict(v verdict, truth histories.Truth, wrong func(string, ...any)) {
	happened := truth.Done.Local+truth.Done.Remote > 0
	will := truth.Later.Local+truth.Later.Remote > 0
	switch {
	case v.j.Executed == reconcile.ExecutedNo && happened:
		wrong("executed no, but it was: %v", v)
	case v.j.Executed == reconcile.ExecutedNo && will:
		wrong("executed no, but something will still execute it: %v", v)
	}
	for _, l := range v.j.Legs {
		done, later := truth.Done.Local, truth.Later.Local
		switch l.Name {
		case reconcile.LegProvider:
			done, later = truth.Done.Remote, truth.Later.Remote
		case reconcile.LegOutbox:
			continue
		case reconcile.LegLocal:
		}
		switch {
		case l.State == reconcile.LegNo && done > 0:
			wrong("leg %s no, but it was made: %v", l.Name, v)
		case l.State == reconcile.LegNo && later > 0:
			wrong("leg %s no, but it is still to come: %v", l.Name, v)
		case (l.State == reconcile.LegYes || l.State == reconcile.LegLost) && l.Code != "effect-undone" && l.Code != "recorded-as-done" && done == 0:
			wrong("leg %s %s, but it was never made: %v", l.Name, l.State, v)
		}
	}
	if v.allowed(reconcile.DecideResolve, reconcile.Release) && (happened || will) {
		wrong("release allowed, but it was or will be executed: %v", v)
	}
	if v.allowed(reconcile.DecideResolve, reconcile.BackfillReceipt) && !happened {
		wrong("backfill allowed, but nothing was executed: %v", v)
	}
}

// checkLinks compares who left a record with whom it was joined to: no link may give one action's row to another.
func checkLinks(h *histories.History, v verdict, wrong func(string, ...any)) {
	id, ok := v.id()
	if !ok {
		return
	}
	for _, e := range v.s.Evidence {
		if owner := h.Owner[e.Record]; owner != id {
			wrong("%s:%s is %s's, joined to %s by %s", e.Record.Source, e.Record.Locator, owner, id, e.Link)
		}
	}
}

// TestNoReplayDoubles lets the service do what the guard allows, and what a retry is said to do.
func TestNoReplayDoubles(t *testing.T) {
	t.Parallel()
	every(t, seeds, func(h *histories.History, wrong func(string, ...any)) {
		for _, v := range judge(h, h.Records, &h.World) {
			id, ok := v.id()
			if !ok {
				continue
			}
			if v.allowed(reconcile.DecideReplay, reconcile.ResolutionNone) {
				for _, after := range []time.Duration{time.Second, 50 * time.Minute} {
					without, with := h.Replay(id, after)
					if with.Local > max(1, without.Local) || with.Remote > max(1, without.Remote) {
						wrong("a replay after %s makes %+v of %+v: %v", after, with, without, v)
					}
				}
			}
			switch v.j.RetryNow {
			case reconcile.RetryReplays, reconcile.RetryConflicts, reconcile.RetryWaits, reconcile.RetryRefusedByRule:
				if without, with := h.Replay(id, time.Second); with != without {
					wrong("a retry %s, yet it makes %+v of %+v: %v", v.j.RetryNow, with, without, v)
				}
			case reconcile.RetryUnknown, reconcile.RetryTakenOver, reconcile.RetryExecutes, reconcile.RetryExecutesAgain, reconcile.RetryMightExecuteAgain:
			}
		}
	})
}
