package scenario

import (
	"slices"
	"time"

	"example.com/idemctl/internal/reconcile"
)

// Event is something that a person did, as the console saw it.
type Event struct {
	At       time.Time
	Sight    Sight
	Identity []reconcile.Component // of the case
	Decision reconcile.Decision    // of Decided and Refused
	As       reconcile.Resolution
	ID       string // of the recorded decision: Decided, TakenBack
	Code     string // of a refusal
	Sent     bool   // of Refused: it was sent to be recorded, and the trail holds the refusal; what was only looked at was not
}

// Play is one person's way through a scenario. It is not safe for concurrent use.
type Play struct {
	*Scenario
	Began  time.Time
	Ended  time.Time // when every step was behind and every case decided, or the debrief was read; zero until then
	Events []Event
	step   int
	hints  map[int]bool // steps of which the hint was asked for
	given  map[int]bool // steps that were given up
	closed bool         // the debrief has been read
}

// Begin starts a play.
func Begin(s *Scenario, now time.Time) *Play {
	return &Play{Scenario: s, Began: now, hints: make(map[int]bool), given: make(map[int]bool)}
}

// See notes an event. Steps that it ends are behind then, also several at once: who does more than was asked is not asked again.
func (p *Play) See(e Event) {
	if p.closed {
		return
	}
	p.Events = append(p.Events, e)
	p.advance(e.At)
}

// advance goes on past every step whose action has been observed since the play began.
func (p *Play) advance(now time.Time) {
	for p.step < len(p.Steps) && (p.given[p.step] || p.seen(p.Steps[p.step].Until)) {
		p.step++
	}
	if p.Ended.IsZero() && p.Done() {
		p.Ended = now
	}
}

func (p *Play) seen(u Until) bool {
	for i := range p.Events {
		if u.meets(&p.Events[i]) {
			return true
		}
	}
	return false
}

// Step is the step that comes next and how many there are; number is past the last when all are behind.
func (p *Play) Step() (number, of int) { return p.step + 1, len(p.Steps) }

// Now is the step that comes next, nil when all are behind.
func (p *Play) Now() *Step {
	if p.step >= len(p.Steps) {
		return nil
	}
	return &p.Steps[p.step]
}

// Hint tells the hint of the step that comes next, and counts it. It is empty where there is none.
func (p *Play) Hint() string {
	s := p.Now()
	if s == nil || s.Hint == "" {
		return ""
	}
	p.hints[p.step] = true
	return s.Hint
}

// Hinted reports whether the hint of the step that comes next has been told.
func (p *Play) Hinted() bool { return p.hints[p.step] }

// Hints counts the steps of which the hint was asked for.
func (p *Play) Hints() int { return len(p.hints) }

// GiveUp leaves the step that comes next behind without its action.
func (p *Play) GiveUp(now time.Time) {
	if p.Now() == nil || p.closed {
		return
	}
	p.given[p.step] = true
	p.advance(now)
}

// Given counts the steps that were given up.
func (p *Play) Given() int { return len(p.given) }

// GaveUp reports whether a step, counted from 1, was given up.
func (p *Play) GaveUp(number int) bool { return p.given[number-1] }

// Closed reports whether the debrief has been read.
func (p *Play) Closed() bool { return p.closed }

// Close ends the play: what comes after the answers were read counts no more.
func (p *Play) Close(now time.Time) {
	p.closed = true
	if p.Ended.IsZero() {
		p.Ended = now
	}
}

// Open are the cases of the key on which no decision stands, in the key's order; of those that are to be left, those that were not looked at.
func (p *Play) Open() []*Answer {
	var out []*Answer
	for i := range p.Cases {
		if a := &p.Cases[i]; p.standing(a) == nil && (!a.Leave || !p.looked(a)) {
			out = append(out, a)
		}
	}
	return out
}

// Awaits reports whether a decision stands after which something is sent, and which stays in doubt until that is seen.
func (p *Play) Awaits() bool {
	return slices.ContainsFunc(p.Cases, func(a Answer) bool {
		e := p.standing(&a)
		return e != nil && (e.Decision == reconcile.DecideReplay || e.As == reconcile.Complete)
	})
}

// Done reports whether every step is behind and every case has a decision.
func (p *Play) Done() bool { return p.Now() == nil && len(p.Open()) == 0 }

// standing is the latest decision about a case that was not taken back, nil when none is.
func (p *Play) standing(a *Answer) *Event {
	back := make(map[string]bool)
	for i := len(p.Events) - 1; i >= 0; i-- {
		switch e := &p.Events[i]; {
		case e.Sight == TakenBack:
			back[e.ID] = true
		case e.Sight == Decided && a.is(e.Identity) && !back[e.ID]:
			return e
		}
	}
	return nil
}
