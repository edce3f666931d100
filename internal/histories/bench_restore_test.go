package histories_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"

	"example.com/idemctl/internal/histories"
)

// mostRestoreMemory is what the audit of a large restore may hold at its peak.
const mostRestoreMemory = 128 << 20

// BenchmarkRestore1M audits, with the built program, a store of a million receipts of which a restore that nobody declared took a hundred thousand: it requires
// that the gap is told before the details, that exactly the lost keys are listed, and the limit of memory.
func BenchmarkRestore1M(b *testing.B) {
	dir := b.TempDir()
	const n = 1_000_000
	planted, err := histories.WriteBulk(b.Context(), dir, histories.Bulk{N: n, Every: 2 * n, Lost: n / 10})
	if err != nil {
		b.Fatal(err)
	}
	program := build(b, dir)
	b.ResetTimer()
	for b.Loop() {
		auditRestore(b, program, planted)
	}
}

func auditRestore(b *testing.B, program string, planted *histories.Planted) {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), program, "restore", "--json", planted.Config)
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	talk, err := cmd.StderrPipe()
	if err != nil {
		b.Fatal(err)
	}
	began := b.Elapsed()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	first := make(chan time.Duration, 1) // when the gap was told
	go func() {
		defer close(first)
		for lines := bufio.NewScanner(talk); lines.Scan(); {
			if strings.Contains(lines.Text(), "systematic: ") && len(first) == 0 {
				first <- b.Elapsed() - began
			}
		}
	}()
	found, details, peak := readRisk(b, out, cmd.Process.Pid)
	details -= began
	told, known := <-first
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 3 {
		b.Fatalf("the audit ended with %v, not with 3", err)
	}
	wall := b.Elapsed() - began
	switch {
	case !known:
		b.Error("the gap was not told")
	case told > details:
		b.Errorf("the gap was told after %s, the details after %s", told, details)
	}
	for _, p := range planted.Cases {
		if found[p.Identity] != 1 {
			b.Errorf("%q lost its receipt and is listed %d times", p.Identity, found[p.Identity])
		}
		delete(found, p.Identity)
	}
	for id := range found {
		b.Errorf("%q lost nothing and is listed", id)
	}
	if peak > mostRestoreMemory {
		b.Errorf("the audit held %d MiB at its peak, %d are allowed", peak>>20, mostRestoreMemory>>20)
	}
	b.ReportMetric(told.Seconds(), "first-s")
	b.ReportMetric(wall.Seconds(), "wall-s")
	b.ReportMetric((exit.UserTime() + exit.SystemTime()).Seconds(), "cpu-s")
	b.ReportMetric(float64(peak>>10)/1024, "peak-MiB")
}

// readRisk reads the keys at risk as they come, when the first byte of the answer came, and the most memory that the program held meanwhile.
func readRisk(b *testing.B, out io.Reader, pid int) (found map[histories.Identity]int, first time.Duration, peak int64) {
	b.Helper()
	in := bufio.NewReader(out)
	if _, err := in.Peek(1); err != nil {
		b.Fatal(err)
	}
	first, found = b.Elapsed(), make(map[histories.Identity]int)
	doc := json.NewDecoder(in)
	for { // up to the list, past whatever stands before it
		t, err := doc.Token()
		if err != nil {
			b.Fatalf("no keys at risk are listed: %v", err)
		}
		if t == "at_risk" {
			break
		}
	}
	if _, err := doc.Token(); err != nil {
		b.Fatal(err)
	}
	for doc.More() {
		var line struct {
			Identity struct{ Tenant, Key string }
		}
		if err := doc.Decode(&line); err != nil {
			b.Fatal(err)
		}
		found[histories.Identity{Tenant: line.Identity.Tenant, Key: line.Identity.Key}]++
		if len(found)%100 == 1 {
			peak = max(peak, peakOf(b, pid))
		}
	}
	peak = max(peak, peakOf(b, pid))
	if _, err := io.Copy(io.Discard, in); err != nil {
		b.Fatal(err)
	}
	return found, first, peak
}
