package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"example.com/idemctl/internal/scan"
)

const (
	interrupts = 20
	// promptly is what an interrupted scan may take to end. It is meant to be 100 ms, which make bench measures; under the race detector, on two busy
	// cores, the same code needs several times as long.
	promptly = 2 * time.Second
)

// TestInterrupt stops a scan at random moments: it ends with 130, and leaves no file but a scan that was whole by then.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeBulk(t, dir, 60_000)
	moments := rand.New(rand.NewPCG(1, 2))
	within, stopped := 800*time.Millisecond, 0
	for range interrupts {
		if interruptOnce(t, dir, time.Duration(moments.Int64N(int64(within)))) {
			stopped++
		} else {
			within = within * 3 / 4 // on a fast machine it is done soon
		}
	}
	if stopped < interrupts/4 {
		t.Errorf("only %d of %d scans were still running: nothing was tried", stopped, interrupts)
	}
}

func interruptOnce(t *testing.T, dir string, after time.Duration) bool {
	t.Helper()
	tmp, out := t.TempDir(), filepath.Join(t.TempDir(), "kept.scan")
	var errOut bytes.Buffer
	cmd := exec.Command("idemctl", "scan", "--jsonl", "--out", out, dir)
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp, "GORACE="+noWait)
	cmd.Stderr = &errOut
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	sent := make(chan time.Time, 1)
	timer := time.AfterFunc(after, func() {
		sent <- time.Now()
		_ = cmd.Process.Signal(os.Interrupt) // it may have ended just now
	})
	err := cmd.Wait()
	if timer.Stop() {
		return false // it was done before
	}
	took := time.Since(<-sent)
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.ExitCode() == exitUndecided {
		return false
	}
	if !interrupted(err) {
		t.Errorf("interrupted after %v: exit code %d: %s", after, ended.ExitCode(), errOut.String())
	}
	if took > promptly {
		t.Errorf("interrupted after %v: it took %v to end", after, took)
	}
	if kept, err := scan.OpenSaved(t.Context(), out); err == nil { // the scan was over, and was being told of: what it kept is whole
		if err := errors.Join(kept.Close(), os.Remove(out)); err != nil {
			t.Error(err)
		}
	}
	for _, where := range []string{tmp, filepath.Dir(out)} {
		if left, err := os.ReadDir(where); err != nil || len(left) > 0 {
			t.Errorf("interrupted after %v: left behind %v, %v", after, left, err)
		}
	}
	return true
}

// interrupted reports whether a program ended by an interrupt: with 130, or, before it began to listen, by the signal, which a shell calls 130 too.
func interrupted(err error) bool {
	var ended *exec.ExitError
	if !errors.As(err, &ended) {
		return false
	}
	status, ok := ended.Sys().(syscall.WaitStatus)
	return ended.ExitCode() == exitInterrupted || ok && status.Signaled() && status.Signal() == syscall.SIGINT
}

// writeBulk writes a log with n entries, most of which have their receipt.
func writeBulk(t *testing.T, dir string, n int) {
	t.Helper()
	config := `version: 1
name: bulk
now: 2026-11-29T06:00:00Z
contracts: [{name: orders, operation: o, scope: [operation, key], effect: external}]
sources:
  - {name: receipts, role: receipts, open: "jsonl:receipts.jsonl", map: {operation: {value: o}, key: key, provider_ref: id, created_at: at}}
  - {name: charges, role: provider, open: "jsonl:charges.jsonl", map: {operation: {value: o}, key: key, object_id: id, created_at: at, outcome: {value: succeeded}}}
`
	if err := os.WriteFile(filepath.Join(dir, "idemctl.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"receipts", "charges"} {
		f, err := os.Create(filepath.Join(dir, name+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		w := bufio.NewWriter(f)
		for i := range n {
			if name == "charges" || i%10 != 0 {
				_, _ = fmt.Fprintf(w, `{"key":"k%d","id":"ch_%d","at":"2026-11-29T0%d:00:00Z"}`+"\n", i, i, i%6)
			}
		}
		if err := errors.Join(w.Flush(), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
}
