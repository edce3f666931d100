package main

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/text"
)

// tick is how often a person sees how far a scan is.
const tick = 200 * time.Millisecond

const eraseLine = "\r\x1b[K"

// oneLine is how many cells progress takes at most.
const oneLine = 79

// watch shows a scan's progress on one line while it runs, where a person looks. The returned function ends it and leaves no trace of it.
func (e *Env) watch(p *scan.Progress) (stop func()) {
	if !e.ErrTTY || e.global.quiet {
		return func() {}
	}
	began, phase := e.Now(), scan.PhaseOpening
	room := oneLine
	if e.Width > 0 {
		room = min(room, e.Width-1) // a line that wraps could not be erased
	}
	end := every(tick, func() {
		at := p.Snapshot()
		if at.Phase != phase {
			began, phase = e.Now(), at.Phase
		}
		_, _ = fmt.Fprint(e.Err, eraseLine+text.Truncate(progressWords(at, e.Now().Sub(began)), room))
	})
	return func() {
		end()
		_, _ = fmt.Fprint(e.Err, eraseLine)
	}
}

// lineErased begins what is said while progress stands on the line.
func (e *Env) lineErased() string {
	if e.ErrTTY {
		return eraseLine
	}
	return ""
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

// progressWords says where a scan stands after it took so long in its phase: what was read, how fast, and about how long that will go on, where it is known.
func progressWords(s scan.Snapshot, took time.Duration) string {
	var read, size, share int64
	for _, src := range s.Sources {
		read += src.Rows
		size += src.Bytes
		share += src.Permille()
	}
	words := []string{s.Phase.String(), fmt.Sprintf("%d rows", read), sizeText(size)}
	switch s.Phase {
	case scan.PhaseReading:
		words = append(words, rateText(read, "rows", took)...)
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
		words = append(words, rateText(s.Judged, "judged", took)...)
	case scan.PhaseOpening, scan.PhaseSieving, scan.PhaseDone:
	}
	return strings.Join(words, " · ")
}

// rateText says how many a second, once a second has passed.
func rateText(n int64, noun string, took time.Duration) []string {
	if took < time.Second {
		return nil
	}
	return []string{fmt.Sprintf("%d %s/s", n*1000/took.Milliseconds(), noun)}
}

func sizeText(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d MiB", n>>20)
}
