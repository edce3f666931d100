package scan_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
)

// decisionsOn invents earlier decisions of some subjects: of cases, and of what was one once and has become healthy since.
func decisionsOn(cfg *config.Config, ms []*memory, rng *rand.Rand) map[string][]reconcile.Decided {
	out := make(map[string][]reconcile.Decided)
	subjects, w := subjectsOf(cfg, ms, nil)
	for i, s := range subjects {
		for n := range rng.IntN(3) {
			j := reconcile.Judge(s, w)
			at := cfg.Now.Add(-time.Duration(rng.IntN(600)) * time.Minute)
			d := reconcile.Decided{
				ID: fmt.Sprint(i, "-", n), Case: s.ID, Identity: s.Identity, Recorded: at, StateAt: at.Add(time.Minute),
				State: reconcile.DecisionState(rng.IntN(9)), Digest: j.Digest, Executed: j.Found.Executed, Legs: j.Found.Legs,
			}
			switch rng.IntN(5) {
			case 0:
				d.Decision, d.As, d.Ref = reconcile.DecideResolve, reconcile.Distinct, subjects[rng.IntN(len(subjects))].ID
			case 1:
				d.Decision, d.As = reconcile.DecideResolve, reconcile.ConfirmExecuted
			case 2:
				d.Decision = reconcile.DecideHold
			default:
				d.Decision = reconcile.DecideReplay
				if rng.IntN(2) == 0 {
					d.HandedOut = at.Add(time.Minute)
				}
				if rng.IntN(2) == 0 {
					d.Outcome, d.OutcomeAt = reconcile.ReportedFailed, at.Add(2*time.Minute)
				}
			}
			out[s.ID] = append(out[s.ID], d)
		}
	}
	return out
}

// TestSieveEqualsJudgingAllWithDecisions holds the sieve against judging all subjects, each with what was decided on it.
func TestSieveEqualsJudgingAllWithDecisions(t *testing.T) {
	t.Parallel()
	const hands, seeds = 2, 400
	for hand := range uint64(hands) {
		t.Run(fmt.Sprint(hand), func(t *testing.T) {
			t.Parallel()
			dir, changed := t.TempDir(), 0
			for seed := hand; seed < seeds; seed += hands {
				cfg, ms := lived(seed)
				decided := decisionsOn(cfg, ms, rand.New(rand.NewPCG(seed, 5)))
				want := oracleOf(cfg, ms, decided)
				got, err := pipelineOf(context.Background(), cfg, ms, scan.Options{TempDir: dir, MemBudget: 1, Decided: decided})
				if err != nil {
					t.Fatal(err)
				}
				if got.String() != want.String() {
					t.Fatalf("seed %d: the sieve says\n%s\njudging all says\n%s", seed, got, want)
				}
				if want.String() != oracle(cfg, ms).String() {
					changed++
				}
			}
			if changed < 20 {
				t.Errorf("decisions changed %d scans only: too few to say something", changed)
			}
		})
	}
}

// TestWhatWasDecidedIsJudged decides on one of ten healthy actions: that one is read again and judged, the others are waved through.
func TestWhatWasDecidedIsJudged(t *testing.T) {
	t.Parallel()
	cfg := shop(false)
	for _, c := range []struct {
		key    string
		judged int64
	}{{"3", 1}, {"no such", 0}} {
		receipts, orders := ordinary("receipts", reconcile.RoleReceipt, 10, 0), ordinary("orders", reconcile.RoleEffect, 10, 0)
		opt := scan.Options{Progress: &scan.Progress{}, Decided: map[string][]reconcile.Decided{
			"case": {{Case: "case", Decision: reconcile.DecideHold, Identity: good(&receipts.facts, c.key).Components}},
		}}
		if got := tell(t, cfg, opt, receipts, orders); got.manifest.Counts.Matched != 10 {
			t.Errorf("%d of 10 matched", got.manifest.Counts.Matched)
		}
		if n := opt.Progress.Snapshot().Judged; n != c.judged {
			t.Errorf("a decision on key %s lets %d actions be judged, want %d", c.key, n, c.judged)
		}
	}
}
