package scan_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/sources"
)

// asked is a context that is cancelled at the so-manieth time that the pipeline or a source asks it: every such place is one at which a scan can be stopped.
type asked struct {
	context.Context
	cancel context.CancelFunc
	n      atomic.Int64
	see    func(n int64)
}

func (a *asked) Err() error {
	if _, file, _, _ := runtime.Caller(1); filepath.Base(filepath.Dir(file)) == "scan" { // the database asks too, in goroutines of its own, when it is done
		a.see(a.n.Add(1))
	}
	return a.Context.Err()
}

func newAsked(ctx context.Context) *asked {
	inner, cancel := context.WithCancel(ctx)
	return &asked{Context: inner, cancel: cancel}
}

// stopped is a scan that is to be stopped, in folders of its own.
type stopped struct {
	cfg       *config.Config
	readers   []sources.Reader
	temp, out string
}

func (s *stopped) scan(ctx context.Context, p *scan.Progress) error {
	name := filepath.Join(s.out, "night.scan")
	res, err := scan.RunReaders(ctx, s.cfg, s.readers, scan.Options{TempDir: s.temp, Out: name, MemBudget: 1 << 12, Progress: p})
	if err == nil {
		err = errors.Join(res.Close(), os.Remove(name))
	}
	return err
}

// TestStopInEveryPhase stops a scan at twenty drawn moments of each phase: it ends with the context's error, its folders are empty and its goroutines gone.
// While sources are read, the moments are rows; afterwards they are the times that the context is asked.
func TestStopInEveryPhase(t *testing.T) {
	t.Parallel()
	cfg, ms := lived(355)
	stopInEveryPhase(t, cfg, ms)
}

// TestStopInACrowd does the same with rows that all refer to each other: their joining, too, can be stopped.
func TestStopInACrowd(t *testing.T) {
	t.Parallel()
	cfg, ms := crowd(150, crowds["every tenant numbers its rows anew"])
	stopInEveryPhase(t, cfg, ms)
}

func stopInEveryPhase(t *testing.T, cfg *config.Config, ms []*memory) {
	s := &stopped{cfg: cfg, readers: readersOf(ms), temp: t.TempDir(), out: t.TempDir()}
	var row atomic.Pointer[func()]
	each := func(int) { (*row.Load())() }
	for _, m := range ms {
		m.eachRow = each
	}
	met, first, last := s.moments(t, &row)
	for _, ph := range []scan.Phase{scan.PhaseReading, scan.PhaseSieving, scan.PhaseJudging} {
		t.Run(ph.String(), func(t *testing.T) {
			if met == 0 || (ph != scan.PhaseReading && first[ph] == 0) {
				t.Fatal("there is no moment to stop at")
			}
			for i := range 20 {
				a := newAsked(t.Context())
				read, ask := int64(0), int64(0)
				if ph == scan.PhaseReading {
					read = rapid.Int64Range(1, met).Example(i)
				} else {
					ask = rapid.Int64Range(first[ph], last[ph]).Example(i)
				}
				var n atomic.Int64
				rows := func() {
					if n.Add(1) == read {
						a.cancel()
					}
				}
				row.Store(&rows)
				a.see = func(n int64) {
					if n == ask {
						a.cancel()
					}
				}
				s.stop(a, t)
				a.cancel()
			}
		})
	}
}

// moments counts the rows of a whole scan, and at which counts its context is asked in each later phase.
func (s *stopped) moments(t *testing.T, row *atomic.Pointer[func()]) (met int64, first, last map[scan.Phase]int64) {
	t.Helper()
	first, last = make(map[scan.Phase]int64), make(map[scan.Phase]int64)
	p := &scan.Progress{}
	var n atomic.Int64
	rows := func() { n.Add(1) }
	row.Store(&rows)
	whole := newAsked(t.Context())
	defer whole.cancel()
	whole.see = func(n int64) {
		ph := p.Snapshot().Phase
		if first[ph] == 0 {
			first[ph] = n
		}
		last[ph] = n
	}
	if err := s.scan(whole, p); err != nil {
		t.Fatal(err)
	}
	return n.Load(), first, last
}

func (s *stopped) stop(ctx context.Context, t *testing.T) {
	t.Helper()
	var err error
	pprof.Do(ctx, pprof.Labels("stopped", t.Name()), func(context.Context) { err = s.scan(ctx, nil) })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	for _, dir := range []string{s.temp, s.out} {
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Fatalf("%v is left, %v", left, err)
		}
	}
	if left := labelled(t); left != "" {
		t.Fatalf("a goroutine is left:\n%s", left)
	}
}

// labelled waits for goroutines that a stopped scan started to be gone, and returns what is left of them when that never happens.
func labelled(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	for range 10_000 {
		b.Reset()
		if err := pprof.Lookup("goroutine").WriteTo(&b, 1); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), strconv.Quote("stopped")+":"+strconv.Quote(t.Name())) {
			return ""
		}
		runtime.Gosched()
	}
	return b.String()
}

// TestStopBeforeItBegins leaves nothing and says why.
func TestStopBeforeItBegins(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	cfg, ms := lived(355)
	s := &stopped{cfg: cfg, readers: readersOf(ms), temp: t.TempDir(), out: t.TempDir()}
	if err := s.scan(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	for _, dir := range []string{s.temp, s.out} {
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%v is left, %v", left, err)
		}
	}
}

// TestNoTemporaryFolder asks for one that is not there: the error says what was tried, and no saved scan is left.
func TestNoTemporaryFolder(t *testing.T) {
	t.Parallel()
	cfg, ms := lived(355)
	s := &stopped{cfg: cfg, readers: readersOf(ms), temp: filepath.Join(t.TempDir(), "none"), out: t.TempDir()}
	err := s.scan(t.Context(), nil)
	if err == nil || !strings.HasPrefix(err.Error(), "making a temporary file: ") {
		t.Errorf("got %v", err)
	}
	if left, err := os.ReadDir(s.out); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

// late is a context that is cancelled once the saved scan stands in its place.
type late struct {
	context.Context
	cancel context.CancelFunc
	name   string
}

func (l *late) Done() <-chan struct{} {
	if _, err := os.Stat(l.name); err == nil {
		l.cancel()
	}
	return l.Context.Done()
}

// TestStopTooLate cancels a scan whose saved scan stands already: there is a result and a file, or neither.
func TestStopTooLate(t *testing.T) {
	t.Parallel()
	cfg, ms := lived(355)
	name := filepath.Join(t.TempDir(), "night.scan")
	inner, cancel := context.WithCancel(t.Context())
	defer cancel()
	res, err := scan.RunReaders(&late{Context: inner, cancel: cancel, name: name}, cfg, readersOf(ms), scan.Options{TempDir: t.TempDir(), Out: name})
	_, gone := os.Stat(name)
	if (err == nil) != (gone == nil) {
		t.Errorf("the scan says %v, the file %v", err, gone)
	}
	if err == nil {
		if err := res.Close(); err != nil {
			t.Error(err)
		}
	}
}
