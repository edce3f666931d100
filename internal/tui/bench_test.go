package tui

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"golang.org/x/sys/unix"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
)

// crowd is a result of very many cases, made as they are asked for.
type crowd struct {
	memory
	n int
}

func (c *crowd) Rows(context.Context) iter.Seq2[*scan.Row, error] {
	return func(yield func(*scan.Row, error) bool) {
		row := scan.RowOf(c.cases[0])
		for i := range c.n {
			row.ID = fmt.Sprintf("case%012d", i)
			row.Identity[2].Value = reconcile.Text(fmt.Sprintf("cart-%08x-1", i))
			if !yield(&row, nil) {
				return
			}
		}
	}
}

func (c *crowd) Case(context.Context, string) (*scan.Case, error) { return c.cases[0], nil }

func crowded(n int) *crowd {
	one := hostileCase(func() string { return "north" }, func() reconcile.Value { return reconcile.Text("north-bikes") })
	c := &crowd{n: n, memory: memory{manifest: scan.Manifest{Complete: true, Now: reconcile.At(night), Pinned: true}, cases: []*scan.Case{one}}}
	c.manifest.Counts.Cases = int64(n)
	return c
}

// BenchmarkKey tells how long a key takes from its message to the frame, with a million cases listed; the slowest in a hundred is the metric. Each round is a
// thousand keys. Beside the time on the wall it tells the time on the processor, which a machine that does something else as well does not stretch.
func BenchmarkKey(b *testing.B) {
	c := loadedWith(b, crowded(1_000_000))
	for name, keys := range map[string][]string{"line": {"j"}, "page": {"pgdown", "pgup"}, "ends": {"G", "g"}, "mark": {" "}} {
		b.Run(name, func(b *testing.B) {
			runtime.LockOSThread() // its own time is asked for below
			defer runtime.UnlockOSThread()
			var took, ran []time.Duration
			for b.Loop() {
				for i := range 1000 { // of a single key nothing is the slowest in a hundred
					began, cpu := time.Now(), threadTime(b)
					_, _ = c.Update(message(keys[i%len(keys)]))
					_ = c.View()
					took, ran = append(took, time.Since(began)), append(ran, threadTime(b)-cpu)
				}
			}
			slices.Sort(took)
			slices.Sort(ran)
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "µs/p99")
			b.ReportMetric(float64(ran[len(ran)*99/100].Microseconds()), "cpu-µs/p99")
		})
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	b.Logf("heap in use with a million cases: %d MB", m.HeapAlloc>>20)
}

// threadTime is how long the calling thread has been on a processor.
func threadTime(b *testing.B) time.Duration {
	var at unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &at); err != nil {
		b.Fatal(err)
	}
	return time.Duration(at.Nano())
}

// BenchmarkFirstScreen tells how long a saved scan of very many cases takes to its first screen.
func BenchmarkFirstScreen(b *testing.B) {
	for b.Loop() {
		r := rootOf(b, crowded(1_000_000))
		for cmds := []tea.Cmd{r.Init()}; r.rows.Len() == 0; {
			msg := cmds[0]()
			if batch, ok := msg.(tea.BatchMsg); ok {
				cmds = append(cmds[1:], batch...)
				continue
			}
			_, cmd := r.Update(msg)
			if cmds = cmds[1:]; cmd != nil {
				cmds = append(cmds, cmd)
			}
		}
	}
}

func rootOf(b *testing.B, res Result) *root {
	b.Helper()
	r, err := newRoot(b.Context(), Deps{Load: func(context.Context, *scan.Progress) (Result, error) { return res, nil }}, Options{Now: func() time.Time { return night }, Theme: "ansi"})
	if err != nil {
		b.Fatal(err)
	}
	r.after = func(time.Duration, tea.Msg) tea.Cmd { return nil }
	_, _ = r.Update(tea.WindowSizeMsg{Width: 120, Height: 36})
	return r
}

// loadedWith is a console that has read everything.
func loadedWith(b *testing.B, res Result) *root {
	b.Helper()
	r := rootOf(b, res)
	for cmds := []tea.Cmd{r.Init()}; len(cmds) > 0; {
		cmd := cmds[0]
		cmds = cmds[1:]
		if cmd == nil {
			continue
		}
		msg := cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			cmds = append(cmds, batch...)
			continue
		}
		if msg != nil {
			_, cmd := r.Update(msg)
			cmds = append(cmds, cmd)
		}
	}
	if r.loading || r.rows.Len() == 0 {
		b.Fatal("nothing was read")
	}
	return r
}
