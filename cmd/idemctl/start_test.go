package main

import (
	"bytes"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/creack/pty"
)

// BenchmarkStart tells how long `version` takes, and how long the console takes to its first screen and to the whole queue, on a terminal that answers
// nothing: the slowest of twenty, on the wall and on the processor.
func BenchmarkStart(b *testing.B) {
	for _, until := range []struct {
		name, text string
		args       []string
	}{
		{"version", "idemctl ", []string{"version"}},
		{"first-screen", "Queue", []string{"open", "@payments-restore"}},
		{"whole-queue", "13 cases", []string{"open", "@payments-restore"}},
	} {
		b.Run(until.name, func(b *testing.B) {
			program := built(b)
			for b.Loop() {
				took, ran := make([]time.Duration, 20), make([]time.Duration, 20)
				for i := range took {
					took[i], ran[i] = shownAfter(b, exec.Command(program, until.args...), until.text)
				}
				b.ReportMetric(float64(slices.Max(took).Microseconds())/1000, "ms/slowest")
				b.ReportMetric(float64(slices.Max(ran).Microseconds())/1000, "cpu-ms/slowest")
			}
		})
	}
}

// built is the program itself: that of the tests carries their libraries along.
func built(b *testing.B) string {
	b.Helper()
	path := b.TempDir() + "/idemctl"
	if out, err := exec.CommandContext(b.Context(), "go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	return path
}

// shownAfter is how long a command takes until its terminal, which is its controlling one, has got a text, and how long it was on a
// processor by then or little later.
func shownAfter(b *testing.B, cmd *exec.Cmd, text string) (took, ran time.Duration) {
	b.Helper()
	home := b.TempDir()
	cmd.Env = []string{"TERM=xterm-256color", "LANG=C.UTF-8", "HOME=" + home, "XDG_STATE_HOME=" + home, "TMPDIR=" + home}
	began := time.Now()
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 36, Cols: 120})
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		_, _, _ = cmd.Process.Kill(), cmd.Wait(), tty.Close() // however it ended
		ran = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}()
	var seen []byte
	for buf := make([]byte, 1<<14); !bytes.Contains(seen, []byte(text)); {
		n, err := tty.Read(buf)
		if err != nil {
			b.Fatalf("it ended before it showed %q: %q", text, seen)
		}
		seen = append(seen, buf[:n]...)
	}
	return time.Since(began), 0
}
