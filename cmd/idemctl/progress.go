package main

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/sources/rows"
)

// tick is how often a person sees how far a scan is.
const tick = 200 * time.Millisecond

const eraseLine = "\r\x1b[K"

// watch shows a scan's progress on one line while it runs, where a person looks. The returned function ends it and leaves no trace of it.
func (e *Env) watch(p *scan.Progress) (stop func()) {
	if !e.ErrTTY || e.global.quiet {
		return func() {}
	}
	began := e.Now()
	end := every(tick, func() {
		_, _ = fmt.Fprint(e.Err, eraseLine+progressWords(p.Snapshot(), e.Now().Sub(began)))
	})
	return func() {
		end()
		_, _ = fmt.Fprint(e.Err, eraseLine)
	}
}

// every calls f at each tick, one call at a time. After stop has returned, none runs and none begins.
func every(d time.Duration, f func()) (stop func()) {
	var mu sync.Mutex
	var timer *time.Timer
	stopped := false
	mu.Lock()
	defer mu.Unlock()
	timer = time.AfterFunc(d, func() {
		mu.Lock()
		defer mu.Unlock()
		if !stopped {
			f()
			timer.Reset(d)
		}
	})
	return func() {
		mu.Lock()
		defer mu.Unlock()
		stopped = true
		timer.Stop()
	}
}

func progressWords(s scan.Snapshot, took time.Duration) string {
	var read, share int64
	for _, src := range s.Sources {
		read += src.Rows
		share += permille(src)
	}
	words := []string{s.Phase.String(), fmt.Sprintf("%d rows", read)}
	switch s.Phase {
	case scan.PhaseReading:
		share /= int64(max(1, len(s.Sources)))
		if share > 0 {
			words = append(words, fmt.Sprintf("%d %%", share/10))
		}
		if share > 0 && took > time.Second {
			left := time.Duration(int64(took) / share * (1000 - share))
			words = append(words, fmt.Sprintf("about %s left", left.Round(time.Second)))
		}
	case scan.PhaseJudging:
		words = append(words, fmt.Sprintf("%d judged", s.Judged))
	case scan.PhaseOpening, scan.PhaseSieving, scan.PhaseDone:
	}
	return strings.Join(words, " · ")
}

// permille is how far a source is, in bytes of files or rows of tables; 0 while its size is not known.
func permille(p rows.Progress) int64 {
	at := p.Rows
	if p.Unit == "bytes" {
		at = p.Bytes
	}
	if p.Total <= 0 {
		return 0
	}
	return min(1000, 1000*at/p.Total)
}
