package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"example.com/idemctl/internal/scan"
	_ "example.com/idemctl/internal/termguard" // the child is a whole console
)

// childVar makes the test binary a console on its own terminal: its value is how many cases it lists, and whether its clock runs.
const childVar = "IDEMCTL_TUI_CHILD"

func TestMain(m *testing.M) {
	if what := os.Getenv(childVar); what != "" {
		if err := consoleChild(what); err != nil {
			panic(err)
		}
		return
	}
	m.Run()
}

// consoleChild is a whole console: the real program loop, terminal and clock, over a made-up result.
func consoleChild(what string) error {
	if where, ok := strings.CutPrefix(what, "panic "); ok {
		return faultyChild(where)
	}
	size, clock, _ := strings.Cut(what, " ")
	n, err := strconv.Atoi(size)
	if err != nil {
		return err
	}
	c := crowded(n)
	c.manifest.Pinned = clock == "pinned"
	deps := Deps{Load: func(context.Context, *scan.Progress) (Result, error) { return c, nil }}
	return Run(context.Background(), deps, Options{In: os.Stdin, Out: os.Stdout, Now: time.Now, Env: os.Getenv, Config: "crowd", Fixture: true})
}

// seated is such a console on a terminal that answers nothing.
type seated struct {
	b   *testing.B
	cmd *exec.Cmd
	tty *os.File
	got chan []byte
}

func seat(b *testing.B, what string) *seated {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	s := &seated{b: b, cmd: exec.CommandContext(b.Context(), self), got: make(chan []byte, 64)}
	s.cmd.Env = append(os.Environ(), childVar+"="+what, "TERM=xterm-256color", "GOGC=25")
	if s.tty, err = pty.StartWithSize(s.cmd, &pty.Winsize{Rows: 36, Cols: 120}); err != nil {
		b.Fatal(err)
	}
	go func() {
		defer close(s.got)
		for {
			buf := make([]byte, 1<<16)
			n, err := s.tty.Read(buf)
			if err != nil {
				return
			}
			s.got <- buf[:n]
		}
	}()
	b.Cleanup(func() { _, _ = s.cmd.Process.Kill(), s.tty.Close() })
	return s
}

// until reads what the console writes until a text has come.
func (s *seated) until(text string) {
	s.b.Helper()
	seen := ""
	for !strings.Contains(seen, text) {
		part, ok := <-s.got
		if !ok {
			s.b.Fatalf("the console ended before it showed %q: %q", text, seen)
		}
		if seen += string(part); len(seen) > 1<<20 {
			seen = seen[len(seen)-1<<16:]
		}
	}
}

// written is how many bytes the console writes in a while.
func (s *seated) written(d time.Duration) (n int) {
	over := time.After(d)
	for {
		select {
		case part := <-s.got:
			n += len(part)
		case <-over:
			return n
		}
	}
}

// wakes is how often the threads of the console gave the processor up, of their own will or not, and have been given it again.
func (s *seated) wakes() (n int) {
	s.b.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", s.cmd.Process.Pid))
	if err != nil || len(tasks) == 0 {
		s.b.Fatal(errors.Join(err, errors.New("this machine does not count context switches in /proc")))
	}
	for _, path := range tasks {
		body, err := os.ReadFile(path)
		if err != nil {
			s.b.Fatal(err)
		}
		for _, line := range strings.Split(string(body), "\n") {
			name, value, _ := strings.Cut(line, ":")
			if strings.HasSuffix(name, "ctxt_switches") {
				count, err := strconv.Atoi(strings.TrimSpace(value))
				if err != nil {
					s.b.Fatal(err)
				}
				n += count
			}
		}
	}
	return n
}

// settles waits until the console has come to rest: Go's memory goes back to the system for a while after the rows have come.
func (s *seated) settles() {
	s.b.Helper()
	const still = 3
	for quiet, tries := 0, 0; quiet < still; tries++ {
		if tries > 120 {
			s.b.Fatal("it did not come to rest within two minutes")
		}
		before := s.wakes()
		if s.written(time.Second) == 0 && s.wakes() == before {
			quiet++
		} else {
			quiet = 0
		}
	}
}

// BenchmarkIdle tells what a console with a million cases does while nobody presses a key: bytes written and context switches of all its threads. A clock
// that does not run leaves nothing to do at all; one that runs is looked at once a minute. It also tells how long a key takes to the last byte of its frame.
func BenchmarkIdle(b *testing.B) {
	for _, kind := range []struct {
		clock string
		watch time.Duration
	}{{"pinned", 20 * time.Second}, {"running", time.Minute}} {
		b.Run(kind.clock, func(b *testing.B) {
			s := seat(b, "1000000 "+kind.clock)
			s.until("1,000,000 cases")
			s.settles()
			for b.Loop() {
				before := s.wakes()
				bytes := s.written(kind.watch)
				b.ReportMetric(float64(s.wakes()-before), "wakes")
				b.ReportMetric(float64(bytes), "bytes")
				b.ReportMetric(kind.watch.Seconds(), "s-idle")
			}
			half, slowest := s.keys(1000)
			b.ReportMetric(half, "µs/key-p50")
			b.ReportMetric(slowest, "µs/key-p99")
		})
	}
}

// keys presses a key so many times, each behind the frame of the one before, and returns what the middle one and the slowest in a hundred took, in microseconds.
func (s *seated) keys(n int) (half, slowest float64) {
	took := make([]time.Duration, n)
	for i := range took {
		began := time.Now()
		if _, err := s.tty.WriteString("j"); err != nil {
			s.b.Fatal(err)
		}
		s.until(endFrame)
		took[i] = time.Since(began)
	}
	slices.Sort(took)
	return float64(took[n/2].Microseconds()), float64(took[n*99/100].Microseconds())
}

// TestAtRest: on no screen and in no dialog does a console that nobody touches wait for a timer, and a message that changes nothing writes nothing. One whose
// clock runs waits for the next minute, and for nothing else.
func TestAtRest(t *testing.T) {
	t.Parallel()
	for _, pinned := range []bool{true, false} {
		d := &desk{res: fixture(t, "payments-restore")}
		d.res.manifest.Pinned = pinned
		for _, p := range places {
			c := start(t, d.deps(), 120, 36)
			c.visit(p)
			c.wait(time.Minute)
			want := 1
			if pinned {
				want = 0
			}
			if len(c.timers) != want || c.r.inflight != 0 {
				t.Errorf("%s, pinned %v: %d timers and %d commands wait", p.name, pinned, len(c.timers), c.r.inflight)
			}
			out, err := os.Create(filepath.Join(t.TempDir(), "terminal"))
			if err != nil {
				t.Fatal(err)
			}
			s := &shell{root: c.r, term: &terminal{out: out}, ctx: t.Context()}
			_, _ = s.Update(nil)
			frame, err := out.Seek(0, 1)
			if err != nil || frame == 0 {
				t.Fatalf("%s: no frame was written: %v", p.name, err)
			}
			for range 3 {
				_, _ = s.Update(nil)
			}
			if after, err := out.Seek(0, 1); err != nil || after != frame {
				t.Errorf("%s: %d bytes are written although nothing changed: %v", p.name, after-frame, err)
			}
			if err := out.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
