package scenario

import (
	"cmp"
	"slices"
	"time"

	"example.com/idemctl/internal/reconcile"
)

// Mark is what a decision was worth.
type Mark uint8

// The marks, the gravest first.
const (
	Harmful      Mark = iota // it would have done harm
	Missed                   // nothing was decided
	NeedlessHelp             // handed over, though it could have been decided
	NotBest                  // safe, and not what settles it
	Right                    // as the key says
)

var markWords = [...]string{"harmful", "undecided", "needless-escalation", "not-best", "right"}

func (m Mark) String() string { return markWords[m] }

// Finding is the debrief of one case.
type Finding struct {
	Answer  *Answer
	Mark    Mark
	Decided *Event // the decision that stands, nil where none does
	// Looked reports that the case was opened before it was first decided.
	Looked bool
	// Harm is what the decision that stands would cause; empty unless Mark is Harmful.
	Harm *Choice
	// Stopped are harmful decisions that were sent to be recorded, and refused by the guard. To look at what is refused, and why, is free.
	Stopped []*Choice
	// TakenBack are harmful decisions that were recorded, and withdrawn.
	TakenBack []*Choice
}

// Debrief is what a play amounts to.
type Debrief struct {
	Findings []Finding // in the order of the key
	Took     time.Duration
	Steps    int // behind, without those given up
	Of       int
	Hints    int
	Given    int
	Finished bool
}

// Debrief tells what every decision of the play was worth. now ends a play that has not ended.
func (p *Play) Debrief(now time.Time) Debrief {
	d := Debrief{Of: len(p.Steps), Steps: p.step - len(p.given), Hints: p.Hints(), Given: p.Given(), Finished: p.Done()}
	if !p.Ended.IsZero() {
		now = p.Ended
	}
	d.Took = max(0, now.Sub(p.Began))
	for i := range p.Cases {
		d.Findings = append(d.Findings, p.finding(&p.Cases[i]))
	}
	return d
}

func (p *Play) finding(a *Answer) Finding {
	f := Finding{Answer: a, Mark: Missed, Decided: p.standing(a), Looked: p.looked(a)}
	for i := range p.Events {
		e := &p.Events[i]
		if !a.is(e.Identity) {
			continue
		}
		switch bad := find(a.Harmful, e.Decision, e.As); {
		case e == f.Decided:
		case e.Sight == Refused && e.Sent && bad != nil:
			f.Stopped = addOnce(f.Stopped, bad)
		case e.Sight == Decided && a.harm(e) != nil:
			f.TakenBack = addOnce(f.TakenBack, a.harm(e))
		}
	}
	if e := f.Decided; e != nil {
		f.Harm = a.harm(e)
		f.Mark = a.mark(e, f.Harm)
	} else if a.Leave && f.Looked {
		f.Mark = Right
	}
	return f
}

// unfounded is the harm of stating as a fact what nothing in a scenario shows. The guard takes such a statement, since it cannot see what the person has seen;
// here there is nothing else to see. It holds wherever the key does not call the statement right.
var unfounded = map[reconcile.Resolution]*Choice{
	reconcile.ConfirmExecuted: {
		Decision: "resolve", As: "confirm-executed", Allowed: true,
		Would: "put down as a fact what nothing here shows: if it was not executed, nobody makes up for it any more",
	},
	reconcile.ConfirmNotExecuted: {
		Decision: "resolve", As: "confirm-not-executed", Allowed: true,
		Would: "put down as a fact what nothing here shows: if it was executed, the send that rests on it does it twice",
	},
}

// harm is what a recorded decision would cause, nil where it would do none.
func (a *Answer) harm(e *Event) *Choice {
	if bad := find(a.Harmful, e.Decision, e.As); bad != nil {
		return bad
	}
	if find(a.Right, e.Decision, e.As) != nil {
		return nil
	}
	return unfounded[e.As]
}

func (a *Answer) mark(e *Event, harm *Choice) Mark {
	switch {
	case harm != nil:
		return Harmful
	case find(a.Right, e.Decision, e.As) != nil:
		return Right
	case e.Decision == reconcile.DecideEscalate:
		return NeedlessHelp
	}
	return NotBest
}

// looked reports whether a case was opened before anything was first decided about it.
func (p *Play) looked(a *Answer) bool {
	for i := range p.Events {
		e := &p.Events[i]
		switch {
		case !a.is(e.Identity):
		case e.Sight == Shown:
			return true
		case e.Sight == Decided:
			return false
		}
	}
	return false
}

func addOnce(list []*Choice, c *Choice) []*Choice {
	if slices.Contains(list, c) {
		return list
	}
	return append(list, c)
}

// Count is how many cases have a mark.
func (d *Debrief) Count(m Mark) int {
	n := 0
	for i := range d.Findings {
		if d.Findings[i].Mark == m {
			n++
		}
	}
	return n
}

// Looked is how many cases were opened before they were decided.
func (d *Debrief) Looked() int {
	n := 0
	for i := range d.Findings {
		if d.Findings[i].Looked {
			n++
		}
	}
	return n
}

// Stopped is how many harmful decisions the guard refused.
func (d *Debrief) Stopped() int {
	n := 0
	for i := range d.Findings {
		n += len(d.Findings[i].Stopped)
	}
	return n
}

// Twice is the money that would have moved a second time, by currency, the currencies in order.
func (d *Debrief) Twice() []Money {
	var out []Money
	for i := range d.Findings {
		h := d.Findings[i].Harm
		if h == nil || h.Twice == nil {
			continue
		}
		at := slices.IndexFunc(out, func(m Money) bool { return m.Currency == h.Twice.Currency && m.Exponent == h.Twice.Exponent })
		if at < 0 {
			out = append(out, *h.Twice)
			continue
		}
		out[at].Minor += h.Twice.Minor
	}
	slices.SortFunc(out, func(a, b Money) int { return cmp.Compare(a.Currency, b.Currency) })
	return out
}

// Score is between 0 and 100: the share of cases decided right, each that was decided unseen counting half, and nothing at all where harm was done.
func (d *Debrief) Score() int {
	if len(d.Findings) == 0 {
		if d.Finished {
			return 100
		}
		return 0
	}
	points := 0
	for i := range d.Findings {
		f := &d.Findings[i]
		switch {
		case f.Mark == Harmful:
			return 0
		case f.Mark == Right && f.Looked:
			points += 2
		case f.Mark == Right, f.Mark == NotBest:
			points++
		}
	}
	return 100 * points / (2 * len(d.Findings))
}
