package histories_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/idemctl/internal/histories"
	"example.com/idemctl/internal/reconcile"
)

// exportsConfig reads what writeExports writes.
const exportsConfig = `version: 1
name: exports
now: 2026-11-29T06:00:00Z
contracts:
  - {operation: pay, scope: [tenant, operation, key], effect: local, retention: 24h, retry_window: 72h, settle: 2m}
sources:
  - name: receipts
    role: receipts
    open: csv:receipts.csv
    coverage: {from: 2026-11-28T00:00:00Z, to: 2026-11-29T06:00:00Z}
    map: {tenant: tenant, operation: {value: pay}, key: key, effect_id: order_id, state: {from: status, words: {done: completed}}, created_at: {from: at, as: unix-ms}}
  - name: orders
    role: effects
    open: csv:orders.csv
    coverage: {from: 2026-11-28T00:00:00Z, to: 2026-11-29T06:00:00Z}
    map: {tenant: tenant, operation: {value: pay}, key: key, effect_id: id, status: {from: status, words: {paid: effective}}, amount: {from: amount, unit: minor, currency: currency}, created_at: {from: at, as: unix-ms}}
`

// sorted is what a person would write instead: the keys that only one of the two files has.
const sorted = `export LC_ALL=C
tail -n +2 receipts.csv | sort -t, -k1,1 >receipts.sorted
tail -n +2 orders.csv | sort -t, -k1,1 >orders.sorted
join -t, -v 1 receipts.sorted orders.sorted >gone
join -t, -v 2 receipts.sorted orders.sorted >orphans
`

// writeExports writes n actions as two exports, in the order of their times with some displacement. One of a thousand orders has no receipt.
func writeExports(b *testing.B, dir string, n int) *histories.Planted {
	b.Helper()
	p := &histories.Planted{Config: filepath.Join(dir, "idemctl.yaml"), Subjects: n}
	if err := os.WriteFile(p.Config, []byte(exportsConfig), 0o600); err != nil {
		b.Fatal(err)
	}
	start := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	var files [2]*bufio.Writer
	for i, name := range []string{"receipts.csv", "orders.csv"} {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			b.Fatal(err)
		}
		defer func() {
			if err := f.Close(); err != nil {
				b.Error(err)
			}
		}()
		files[i] = bufio.NewWriterSize(f, 1<<20)
	}
	write := func(w *bufio.Writer, format string, args ...any) {
		if _, err := fmt.Fprintf(w, format+"\n", args...); err != nil {
			b.Fatal(err)
		}
	}
	write(files[0], "key,tenant,order_id,status,response,at")
	write(files[1], "key,id,tenant,amount,currency,status,at")
	for i := range n {
		for which, w := range files {
			action := i ^ (which*37+5)&63 // displaced within 64 rows
			if action >= n {
				action = i
			}
			at := start.Add(time.Duration(action) * 15 * time.Hour / time.Duration(n))
			key := fmt.Sprintf("%08x-%04x-4b1f-9c2e", uint32(action)*2654435761, action&0xffff)
			tenant := fmt.Sprintf("t%02d", action%50)
			switch orphan := action%1000 == 999; {
			case which == 1:
				write(w, "%s,%d,%s,%d,EUR,paid,%d", key, action+1, tenant, 1000+action%9000, at.UnixMilli())
			case !orphan:
				write(w, "%s,%s,%d,done,201,%d", key, tenant, action+1, at.UnixMilli())
			default:
				p.Cases = append(p.Cases, histories.Case{Identity: histories.Identity{Tenant: tenant, Key: key}, Kinds: []reconcile.Kind{reconcile.OrphanedEffect}})
			}
		}
	}
	for _, w := range files {
		if err := w.Flush(); err != nil {
			b.Fatal(err)
		}
	}
	return p
}

// BenchmarkScanCSV1M scans a million receipts and orders each out of two CSV files with the built program, requires exactly the planted cases, and prints its
// cost beside a bare read of the same files, and beside sort and join, which say less.
func BenchmarkScanCSV1M(b *testing.B) {
	dir := b.TempDir()
	planted := writeExports(b, dir, 1_000_000)
	program := filepath.Join(dir, "idemctl")
	if out, err := exec.CommandContext(b.Context(), "go", "build", "-o", program, "example.com/idemctl/cmd/idemctl").CombinedOutput(); err != nil {
		b.Fatalf("building the program: %v\n%s", err, out)
	}
	b.ResetTimer()
	for b.Loop() {
		bare := readBare(b, planted.Config)
		got := runScan(b, program, planted)
		other := sortAndJoin(b, dir, len(planted.Cases))
		b.ReportMetric(got.cpu.Seconds()/bare.cpu.Seconds(), "cpu/read")
		b.ReportMetric(got.wall.Seconds()/bare.wall.Seconds(), "wall/read")
		b.ReportMetric(other.cpu.Seconds()/got.cpu.Seconds(), "sort+join-cpu/cpu")
		b.ReportMetric(other.wall.Seconds()/got.wall.Seconds(), "sort+join-wall/wall")
		b.ReportMetric(got.cpu.Seconds(), "cpu-s")
		b.ReportMetric(float64(got.peak>>10)/1024, "peak-MiB")
		b.Logf("%.2f s of CPU for %.2f s of reading; sort and join took %.2f s; %.2f, %.2f and %.2f s by the clock; at most %d MiB",
			got.cpu.Seconds(), bare.cpu.Seconds(), other.cpu.Seconds(), got.wall.Seconds(), bare.wall.Seconds(), other.wall.Seconds(), got.peak>>20)
		if got.peak > mostMemory {
			b.Errorf("the scan held %d MiB at its peak, %d are allowed", got.peak>>20, mostMemory>>20)
		}
	}
}

// sortAndJoin finds the orders without a receipt by the tools of a shell.
func sortAndJoin(b *testing.B, dir string, orphans int) cost {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), "sh", "-ec", sorted)
	cmd.Dir = dir
	began := b.Elapsed()
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("sort and join: %v\n%s", err, out)
	}
	c := cost{wall: b.Elapsed() - began, cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	found, err := os.ReadFile(filepath.Join(dir, "orphans"))
	if err != nil {
		b.Fatal(err)
	}
	if n := bytes.Count(found, []byte("\n")); n != orphans || strings.TrimSpace(string(found)) == "" {
		b.Errorf("sort and join found %d orders without a receipt, %d were planted", n, orphans)
	}
	return c
}
