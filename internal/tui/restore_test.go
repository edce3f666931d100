package tui

import (
	"context"
	"errors"
	"iter"
	"testing"
	"time"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/restore"
	"example.com/idemctl/internal/scan"
)

// Cases yields all cases: what a restore left behind is summed up from them.
func (m *memory) Cases(context.Context, scan.Filter) iter.Seq2[*scan.Case, error] {
	return func(yield func(*scan.Case, error) bool) {
		for _, c := range m.cases {
			if !yield(c, nil) {
				return
			}
		}
	}
}

// restored is a desk on the restored receipts, with the counts by five minutes that prove the gap.
func restored(t *testing.T) (*desk, Deps) {
	t.Helper()
	d := &desk{res: fixture(t, "payments-restore")}
	g := &d.res.manifest.Gaps[0]
	g.Slices = nil
	at := time.Date(2026, 11, 29, 2, 0, 0, 0, time.UTC)
	for i, n := range [][2]int64{{9, 0}, {7, 0}, {1, 2}, {0, 2}, {0, 2}, {0, 2}, {0, 2}, {0, 1}, {1, 1}, {8, 0}} {
		from := at.Add(time.Duration(i) * 5 * time.Minute)
		g.Slices = append(g.Slices, reconcile.GapSlice{From: reconcile.At(from), To: reconcile.At(from.Add(5 * time.Minute)), With: n[0], Without: n[1]})
	}
	deps := d.deps()
	deps.Restore = func(ctx context.Context, r Result) (*RestoreSum, error) {
		u, err := restore.Of(ctx, r.(*memory))
		return &RestoreSum{Audit: u, Insertable: 11, Unbuildable: 1, Refused: []restore.Unbuildable{{Case: "abcdefgh", Reason: "its response is not known"}}}, err
	}
	return d, deps
}

// TestRestoreScreen reads the gap by time, and goes from a bar to the cases of it.
func TestRestoreScreen(t *testing.T) {
	t.Parallel()
	_, deps := restored(t)
	c := start(t, deps, 120, 36)
	c.press("4").shows("receipts  restored  declared  2026-11-29 02:10:00Z to 02:44:12Z  12 missing, 0 present", "2026-11-29 02:15:00Z", "0 with, 2 without  lost", "9 with, 0 without",
		"12 actions would run again", "1328.89 EUR, 23600 JPY", "kyoto-tea · create-order · cart-e1c5-1", "puts back 11 receipts", "its response is not known")
	c.selected("02:10:00Z").press("k", "k").selected("02:00:00Z").press("j", "j").press("enter").shows("since>=2026-11-29T02:10:00Z since<2026-11-29T02:15:00Z", "cart-e1c5-1", "cart-3b90-1", "2 of 13 cases")
	c.press("4").selected("02:10:00Z").press("G").selected("02:45:00Z").press("n").shows("next gap is off: there is no other restore gap")
}

// TestRestoreScreenElsewhere shows what there is where a proposal, no counts, no gap or an error stands.
func TestRestoreScreenElsewhere(t *testing.T) {
	t.Parallel()
	d, deps := restored(t)
	g := &d.res.manifest.Gaps[0]
	g.Declared, g.Only = false, map[string][]string{"tenant": {"t07"}}
	start(t, deps, 80, 24).press("4").shows("receipts  restored of tenant=t07  PROPOSED, not confirmed", "This window is a proposal, read off what other sources saw.")
	g.Slices = nil
	start(t, deps, 80, 24).press("4").shows("No counts by time")
	deps.Restore = func(context.Context, Result) (*RestoreSum, error) { return nil, errors.New("the disk is gone") }
	start(t, deps, 80, 24).press("4").shows("It could not be summed up: the disk is gone")
	d.res.manifest.Gaps = nil
	start(t, deps, 80, 24).press("4").shows("No restore gap is known").press("enter").shows("its cases is off: nothing is listed")
	held := hold(t, deps, 80, 24)
	held.press("4").shows("The sources are being read.")
}

// TestBarsTellTheirShare gives no slice that lacks something an empty bar, and no bar more than its room.
func TestBarsTellTheirShare(t *testing.T) {
	t.Parallel()
	d, deps := restored(t)
	s := d.res.manifest.Gaps[0].Slices
	s[0].With, s[1].With, s[1].Without = 1_000_000, 0, 1
	c := start(t, deps, 100, 30)
	c.press("4").shows("█ 0 with, 1 without", "1,000,000 with, 0 without")
}

// countLoads counts how often the sources are read.
func countLoads(deps *Deps) *int {
	loads, load := new(int), deps.Load
	deps.Load = func(ctx context.Context, p *scan.Progress) (Result, error) {
		*loads++
		return load(ctx, p)
	}
	return loads
}

// TestConfirmGap records the window as a person corrects it, and reads the sources anew behind it.
func TestConfirmGap(t *testing.T) {
	t.Parallel()
	d, deps := restored(t)
	d.res.manifest.Gaps[0].Declared = false
	var asked []audit.Restore
	deps.Confirm = func(_ context.Context, r audit.Restore) (audit.Restore, error) {
		asked = append(asked, r)
		return r, nil
	}
	loads := countLoads(&deps)
	c := start(t, deps, 120, 36)
	c.press("4", "c").wait(time.Second)
	c.shows("Confirm a restore", "Lost from  [2026-11-29T02:10:00Z", "Resumed    [2026-11-29T02:44:12Z", "Reason: 12 characters or more, 0 so far; conclusions rest on it")
	c.press("tab", "ctrl+u").typeText("soon").shows(`lost from: "soon" is no time`)
	c.press("ctrl+u").typeText("2026-11-29T03:00:00Z").shows("the window ends before it begins")
	c.press("ctrl+u").typeText("2026-11-29T02:09:30Z").press("tab", "tab").typeText("the backup's own log says so").press("tab", "enter")
	c.shows("recorded: what the restore of receipts took")
	if len(asked) != 1 || *loads != 2 {
		t.Fatalf("%d windows recorded, %d readings", len(asked), *loads)
	}
	r := asked[0]
	if r.Event.Store != "receipts" || r.Event.From.Time() != time.Date(2026, 11, 29, 2, 9, 30, 0, time.UTC) || r.Event.To.Time() != time.Date(2026, 11, 29, 2, 44, 12, 0, time.UTC) ||
		r.Reason != "the backup's own log says so" || r.ConfigDigest != d.res.manifest.ConfigDigest || r.Missing != 12 {
		t.Errorf("recorded %+v", r)
	}
	deps.Confirm = func(context.Context, audit.Restore) (audit.Restore, error) {
		return audit.Restore{}, errors.New("the disk is full")
	}
	c = start(t, deps, 120, 36)
	c.press("4", "c").wait(time.Second).press("tab", "tab", "tab").typeText("the backup's own log says so").press("tab", "enter").shows("Not recorded: the disk is full", "Confirm a restore")
}

// TestWithdrawGap takes a confirmation back, and reads the sources anew behind it; a gap that nobody confirmed has none.
func TestWithdrawGap(t *testing.T) {
	t.Parallel()
	d, deps := restored(t)
	g := &d.res.manifest.Gaps[0]
	start(t, deps, 120, 36).press("4").shows("receipts  restored  declared").press("w").shows("withdraw… is off: the trail holds no confirmation of this gap")
	deps.Standing = func(context.Context) (Standing, error) {
		return Standing{Restores: []audit.Restore{
			{Event: reconcile.Event{Store: "orders", From: g.From}, ID: "bcde"},
			{Event: g.Event(), ID: "abcd", Operator: "mo", Reason: "the backup's own log says so"},
		}}, nil
	}
	var ids []string
	deps.Retract = func(_ context.Context, id, reason string) (audit.Restore, error) {
		ids = append(ids, id+": "+reason)
		return audit.Restore{}, nil
	}
	loads := countLoads(&deps)
	c := start(t, deps, 120, 36)
	c.press("4").shows("receipts  restored  confirmed").press("w").wait(time.Second).shows("Withdraw a confirmed restore", "by mo  record abcd", "the backup's own log says so")
	c.press("tab").typeText("it was the standby").press("tab", "enter").shows("withdrawn: what was confirmed of the restore of receipts")
	if len(ids) != 1 || ids[0] != "abcd: it was the standby" || *loads != 2 {
		t.Errorf("withdrawn %q, %d readings", ids, *loads)
	}
	deps.Retract = func(context.Context, string, string) (audit.Restore, error) {
		return audit.Restore{}, errors.New("the disk is full")
	}
	c = start(t, deps, 120, 36)
	c.press("4", "w").wait(time.Second).press("tab").typeText("it was the standby").press("tab", "enter").shows("Not recorded: the disk is full", "Withdraw a confirmed restore")
}

// TestRestoreScreenSigns shows what in the data speaks of a restore.
func TestRestoreScreenSigns(t *testing.T) {
	t.Parallel()
	_, deps := restored(t)
	sum := deps.Restore
	deps.Restore = func(ctx context.Context, r Result) (*RestoreSum, error) {
		out, err := sum(ctx, r)
		out.Audit.Signs = []reconcile.Sign{{Store: "orders", Kind: reconcile.SignSequence, Text: "it hands out 740 next"}}
		return out, err
	}
	start(t, deps, 120, 48).press("4").shows("Signs in the data", "orders  sequence-behind: it hands out 740 next")
}

// A declared gap of a part says on every screen whose records are missing, and that those present are the whole store's.
func TestWhoseRecordsAGapCounts(t *testing.T) {
	t.Parallel()
	for _, w := range []int{80, 120} {
		c := start(t, (&desk{res: fixture(t, "tenant-restore")}).deps(), w, 36)
		c.press("3").shows("partial of tenant=t07", "whatever their tenant")
		c.press("4").shows("Missing: of tenant=t07. Present: in the whole store in that time, whatever")
	}
}
