package tui

import (
	"context"
	"testing"

	"example.com/idemctl/fixtures"
	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/sources/rows"
)

// TestReadWholeIsWhole: a source that was read is not said to be half read, whatever was estimated of it.
func TestReadWholeIsWhole(t *testing.T) {
	t.Parallel()
	half := rows.Progress{Rows: 1, Total: 2, Unit: "rows"}
	for ph, want := range map[scan.Phase]int64{scan.PhaseOpening: 500, scan.PhaseReading: 500, scan.PhaseSieving: 1000, scan.PhaseJudging: 1000} {
		if got := readSoFar(ph, half); got != want {
			t.Errorf("%s: %d of a thousand, want %d", ph, got, want)
		}
	}
}

// TestWhatIsReadIsNamed: while sources are read, each is named beside how far it is.
func TestWhatIsReadIsNamed(t *testing.T) {
	t.Parallel()
	d := &desk{res: fixture(t, "payments-restore")}
	deps, load := d.deps(), d.deps().Load
	var c *console
	deps.Load = func(ctx context.Context, p *scan.Progress) (Result, error) {
		cfg, err := config.Load("@payments-restore", config.Options{Fixtures: fixtures.FS, Getenv: func(string) string { return "" }})
		if err != nil {
			t.Fatal(err)
		}
		res, err := scan.Run(ctx, cfg, scan.Options{TempDir: t.TempDir(), Progress: p})
		if err != nil {
			t.Fatal(err)
		}
		if err := res.Close(); err != nil {
			t.Error(err)
		}
		c.held = true // this command is still at it
		c.resize(120, 36)
		c.held = false
		c.shows("Done: ", "100 %", "rows  receipts", "rows  orders")
		return load(ctx, p)
	}
	c = hold(t, deps, 80, 24)
	c.press("3")
	c.release()
}
