package main

import (
	"testing"
	"time"

	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/text"
)

func TestProgressWords(t *testing.T) {
	t.Parallel()
	half := []rows.Progress{
		{Rows: 1_000_000, Bytes: 300 << 20, Total: 1_000_000, Unit: "rows"},
		{Rows: 2000, Bytes: 1 << 20, Total: 0, Unit: "bytes"},
	}
	huge := []rows.Progress{{Rows: 99_999_999_999, Bytes: 9_999_999 << 20, Total: 1 << 62, Unit: "rows"}}
	for _, tt := range []struct {
		at   scan.Snapshot
		took time.Duration
		want string
	}{
		{scan.Snapshot{}, 0, "opening · 0 rows · 0 KiB"},
		{scan.Snapshot{Phase: scan.PhaseReading, Sources: half}, 200 * time.Millisecond, "reading · 1002000 rows · 301 MiB · 50 %"},
		{scan.Snapshot{Phase: scan.PhaseReading, Sources: half}, 10 * time.Second, "reading · 1002000 rows · 301 MiB · 100200 rows/s · 50 % · about 10s left"},
		{scan.Snapshot{Phase: scan.PhaseReading, Sources: half[1:]}, 10 * time.Second, "reading · 2000 rows · 1 MiB · 200 rows/s"},
		{scan.Snapshot{Phase: scan.PhaseSieving, Sources: half}, 10 * time.Second, "sieving · 1002000 rows · 301 MiB"},
		{scan.Snapshot{Phase: scan.PhaseJudging, Sources: half, Judged: 4000}, 10 * time.Second, "judging · 1002000 rows · 301 MiB · 4000 judged · 400 judged/s"},
		{scan.Snapshot{Phase: scan.PhaseReading, Sources: huge}, time.Second, "reading · 99999999999 rows · 9999999 MiB · 99999999999 rows/s"},
	} {
		got := progressWords(tt.at, tt.took)
		if got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
		if text.Width(got) > oneLine {
			t.Errorf("%q is longer than a line", got)
		}
	}
}
