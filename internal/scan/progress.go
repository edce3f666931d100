package scan

import (
	"sync/atomic"

	"example.com/idemctl/internal/sources"
	"example.com/idemctl/internal/sources/rows"
)

// Phase is where a scan stands.
type Phase int32

// The phases, in their order.
const (
	PhaseOpening Phase = iota
	PhaseReading
	PhaseSieving
	PhaseJudging
	PhaseDone
)

func (p Phase) String() string {
	return [...]string{"opening", "reading", "sieving", "judging", "done"}[p]
}

// Progress is read by a ticker while a scan runs; the scan never calls back.
type Progress struct {
	phase   atomic.Int32
	judged  atomic.Int64
	rows    atomic.Int64 // suspects' rows
	reading atomic.Pointer[reading]
}

// reading is what is read, by the names of the config.
type reading struct {
	readers []sources.Reader
	names   []string
}

// Snapshot is a scan's place at one moment.
type Snapshot struct {
	Phase    Phase
	Sources  []rows.Progress // in the config's order; empty while opening
	Names    []string        // of Sources
	Judged   int64           // subjects judged so far
	Suspects int64           // rows that are read again
}

// Snapshot may be called from any goroutine.
func (p *Progress) Snapshot() Snapshot {
	s := Snapshot{Phase: Phase(p.phase.Load()), Judged: p.judged.Load(), Suspects: p.rows.Load()}
	if of := p.reading.Load(); of != nil {
		s.Names = of.names
		for _, r := range of.readers {
			s.Sources = append(s.Sources, r.Progress())
		}
	}
	return s
}

func (p *Progress) begin(readers []sources.Reader) {
	of := &reading{readers: readers}
	for _, r := range readers {
		of.names = append(of.names, r.Facts().Name)
	}
	p.reading.Store(of)
}

func (p *Progress) enter(ph Phase) { p.phase.Store(int32(ph)) }
