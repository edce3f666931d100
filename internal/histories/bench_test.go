package histories_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/histories"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources"
	"example.com/idemctl/internal/sources/rows"
)

// mostMemory is what a scan may hold at its peak, whatever the number of rows.
const mostMemory = 64 << 20

// BenchmarkScan1M scans a million receipts, orders and provider lines each with the built program, requires exactly the planted cases, and prints its cost
// beside a bare read of the same files by the same readers.
func BenchmarkScan1M(b *testing.B) { benchScan(b, histories.Bulk{N: 1_000_000}) }

// BenchmarkScan1MShuffled is BenchmarkScan1M over rows in no order.
func BenchmarkScan1MShuffled(b *testing.B) {
	benchScan(b, histories.Bulk{N: 1_000_000, Shuffled: true})
}

func benchScan(b *testing.B, opt histories.Bulk) {
	dir := b.TempDir()
	planted, err := histories.WriteBulk(b.Context(), dir, opt)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(b.Elapsed().Seconds(), "write-s")
	program := build(b, dir)
	b.ResetTimer()
	for b.Loop() {
		bare := readBare(b, planted.Config)
		got := runScan(b, program, planted)
		b.ReportMetric(got.cpu.Seconds()/bare.cpu.Seconds(), "cpu/read")
		b.ReportMetric(got.wall.Seconds()/bare.wall.Seconds(), "wall/read")
		b.ReportMetric(got.cpu.Seconds(), "cpu-s")
		b.ReportMetric(got.wall.Seconds(), "wall-s")
		b.ReportMetric(bare.open.Seconds(), "open-cpu-s")
		b.ReportMetric(float64(got.peak>>10)/1024, "peak-MiB")
		b.Logf("%.1f s of CPU, of which %.1f s open and check the sources, for %.1f s of reading; %.1f s for %.1f s by the clock; at most %d MiB",
			got.cpu.Seconds(), bare.open.Seconds(), bare.cpu.Seconds(), got.wall.Seconds(), bare.wall.Seconds(), got.peak>>20)
		if got.peak > mostMemory {
			b.Errorf("the scan held %d MiB at its peak, %d are allowed", got.peak>>20, mostMemory>>20)
		}
	}
}

// build makes the program that an operator runs.
func build(b *testing.B, dir string) string {
	b.Helper()
	program := filepath.Join(dir, "idemctl")
	if out, err := exec.CommandContext(b.Context(), "go", "build", "-o", program, "example.com/idemctl/cmd/idemctl").CombinedOutput(); err != nil {
		b.Fatalf("building the program: %v\n%s", err, out)
	}
	return program
}

// cost is what a run took. open is the CPU time of opening and checking the sources, told apart in a bare read only.
type cost struct {
	cpu, wall, open time.Duration
	peak            int64
}

// readBare reads every row of every source once, one source after another, and does nothing with it.
func readBare(b *testing.B, path string) cost {
	b.Helper()
	cfg, err := config.Load(path, config.Options{})
	if err != nil {
		b.Fatal(err)
	}
	before := ownCPU(b)
	set, err := sources.Open(b.Context(), cfg.Place, cfg.Sources, cfg.Now)
	if err != nil {
		b.Fatal(err)
	}
	began, cpu := b.Elapsed(), ownCPU(b)
	for _, r := range set.Readers() {
		if err := r.Scan(b.Context(), func(rows.Pos, *reconcile.Record) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
	c := cost{cpu: ownCPU(b) - cpu, wall: b.Elapsed() - began, open: cpu - before}
	if err := set.Close(); err != nil {
		b.Fatal(err)
	}
	return c
}

func ownCPU(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// runScan runs the program as an operator would, reads the cases off it as they come, and requires exactly the planted ones.
func runScan(b *testing.B, program string, planted *histories.Planted) cost {
	b.Helper()
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "scan", "--jsonl", planted.Config)
	var talk bytes.Buffer
	cmd.Stderr = &talk
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	began := b.Elapsed()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	var c cost
	found := readCases(b, out, func() { c.peak = max(c.peak, peakOf(b, cmd.Process.Pid)) })
	err = cmd.Wait()
	c.wall = b.Elapsed() - began
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 3 {
		b.Fatalf("the scan ended with %v, not with 3\n%s", err, talk.Bytes())
	}
	c.cpu = exit.UserTime() + exit.SystemTime()
	for _, p := range planted.Cases {
		if found[p.Identity] != words(p.Kinds) {
			b.Errorf("%q: found %q, planted %q", p.Identity, found[p.Identity], words(p.Kinds))
		}
		delete(found, p.Identity)
	}
	for id, kinds := range found {
		b.Errorf("%q: found %q, planted nothing", id, kinds)
	}
	return c
}

// readCases reads one case a line. While the program waits for its reader its memory can be looked at: the peak of the scan lies behind it by then.
func readCases(b *testing.B, out io.Reader, look func()) map[histories.Identity]string {
	b.Helper()
	found := make(map[histories.Identity]string)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		look()
		var line struct {
			Kinds    []string
			Identity struct{ Tenant, Key string }
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			b.Fatalf("%v: %s", err, lines.Bytes())
		}
		kinds := make([]reconcile.Kind, len(line.Kinds))
		for i, k := range line.Kinds {
			var err error
			if kinds[i], err = reconcile.ParseKind(k); err != nil {
				b.Fatal(err)
			}
		}
		found[histories.Identity{Tenant: line.Identity.Tenant, Key: line.Identity.Key}] = words(kinds)
	}
	if err := lines.Err(); err != nil {
		b.Fatal(err)
	}
	return found
}

// peakOf is the most memory that a running process has held. One that has ended has none to tell.
func peakOf(b *testing.B, pid int) int64 {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(status) {
		fields := bytes.Fields(line)
		if len(fields) == 3 && string(fields[0]) == "VmHWM:" {
			kib, err := strconv.ParseInt(string(fields[1]), 10, 64)
			if err != nil {
				b.Fatal(err)
			}
			return kib << 10
		}
	}
	return 0
}
