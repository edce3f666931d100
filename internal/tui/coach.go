package tui

import (
	"fmt"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/scenario"
	"example.com/idemctl/internal/text"
	"example.com/idemctl/internal/tui/keymap"
	"example.com/idemctl/internal/tui/paint"
)

// How much of the screen the coach has: a pane at the right where there is room for one, else a strip at the bottom.
const (
	coachWide  = 40
	coachBeam  = 118 // cells from which on there is room for the pane
	coachStrip = 5   // lines
	coachTall  = 20  // lines from which on there is room for the whole strip
)

// coach stands beside the screens while a scenario is played: it tells the play what was seen and decided, and the person which step comes next.
type coach struct {
	*app
	play *scenario.Play
	hint string // of the step that comes next, once it was asked for
	note string // what was behind last
	told int    // the step that note is about
}

func newCoach(a *app, p *scenario.Play) *coach {
	if p == nil {
		return nil
	}
	return &coach{app: a, play: p, told: 1}
}

// see notes what was seen. Outside training there is nobody to note it.
func (c *coach) see(e scenario.Event) {
	if c == nil {
		return
	}
	e.At = c.opt.Now()
	c.play.See(e)
	c.moved()
}

// moved tells that a step is behind.
func (c *coach) moved() {
	n, of := c.play.Step()
	if n == c.told {
		return
	}
	c.told, c.hint = n, ""
	c.note = fmt.Sprintf("Step %d of %d is behind.", n-1, of)
}

// shown notes a case that was opened.
func (c *coach) shown(one *scan.Case) {
	if c == nil || one == nil {
		return
	}
	c.see(scenario.Event{Sight: scenario.Shown, Identity: one.Identity})
}

// refused notes a decision that was asked for and cannot be chosen.
func (c *coach) refused(cases []*scan.Case, o *reconcile.Option) {
	if c == nil {
		return
	}
	for _, one := range cases {
		c.see(scenario.Event{Sight: scenario.Refused, Identity: one.Identity, Decision: o.Decision, As: o.As, Code: o.Code})
	}
}

// answered notes what the desk answered.
func (c *coach) answered(m answered) {
	if c == nil {
		return
	}
	for i := range m.answers {
		a := &m.answers[i]
		e := scenario.Event{Sight: scenario.Refused, Identity: c.identityOf(a.Case), Decision: m.asked.Decision, As: m.asked.As, Code: a.Code}
		if a.Decision != nil {
			e.Sight, e.ID = scenario.Decided, a.Decision.ID
		}
		c.see(e)
	}
}

// changed notes a decision that was taken back.
func (c *coach) changed(m changed) {
	if c == nil || m.err != nil || m.decision.State != reconcile.DecisionWithdrawn {
		return
	}
	c.see(scenario.Event{Sight: scenario.TakenBack, Identity: c.identityOf(m.decision.Case), ID: m.decision.ID})
}

func (c *coach) identityOf(id string) []reconcile.Component {
	if at := c.rows.Find(id); at >= 0 {
		return c.rows.Row(at).Identity
	}
	return nil
}

// ask tells the hint of the step that comes next.
func (c *coach) ask() {
	if c.hint = c.play.Hint(); c.hint == "" {
		c.say(paint.Faint, "this step has no hint: it says all there is to say")
	}
}

// giveUp leaves a step behind.
func (c *coach) giveUp() {
	c.play.GiveUp(c.opt.Now())
	c.moved()
}

// split gives the coach its part of the screen.
func (c *coach) split(a paint.Area) (body, mine paint.Area) {
	switch {
	case c == nil:
		return a, paint.Area{}
	case a.W() >= coachBeam:
		return a.Sub(0, 0, a.W()-coachWide, a.H()), a.Sub(a.W()-coachWide, 0, coachWide, a.H())
	case a.H() >= coachTall:
		return a.Bottom(coachStrip)
	}
	return a.Bottom(2)
}

// draw paints the coach's part.
func (c *coach) draw(a paint.Area) {
	switch {
	case c == nil || a.H() == 0:
	case a.H() > coachStrip:
		c.pane(a)
	default:
		c.strip(a)
	}
}

// at says which step comes next.
func (c *coach) at() string {
	n, of := c.play.Step()
	if n > of {
		return "all steps behind"
	}
	return fmt.Sprintf("step %d of %d", n, of)
}

func (c *coach) pane(a paint.Area) {
	in := a.Box(c.glyphs, paint.Border, paint.Training, "Coach", c.at())
	s := newSheet(in.W() - 4)
	s.add(paint.Strong, text.SafeString(c.play.Title))
	s.add(paint.Faint, text.SafeString(c.play.Goal))
	s.gap()
	if c.note != "" && c.play.Now() != nil {
		s.add(paint.Good, c.note)
	}
	c.task(s)
	s.gap()
	s.add(paint.Faint, c.standing())
	s.gap()
	for _, k := range c.keysNow() {
		s.line(k...)
	}
	s.draw(in.Sub(1, 0, in.W()-2, in.H()), 0, c.glyphs)
}

// strip is what must be known where there is little room.
func (c *coach) strip(a paint.Area) {
	a.Rule(0, paint.Border, c.glyphs)
	a.Put(1, 0, paint.Training, " Coach ")
	at := c.at()
	if c.note != "" && c.play.Now() != nil {
		at += " (the one before is behind)"
	}
	x := a.Put(10, 0, paint.Faint, " "+at+"  ")
	for _, k := range c.keysNow() {
		x = a.Puts(x, 0, k...)
	}
	s := newSheet(a.W() - 3)
	c.task(s)
	s.draw(a.Sub(1, 1, a.W()-2, a.H()-1), 0, c.glyphs)
}

// task says what is to be done, and the hint once it was asked for.
func (c *coach) task(s *sheet) {
	step := c.play.Now()
	open := int64(len(c.play.Open()))
	switch {
	case step != nil:
		s.add(paint.Text, text.SafeString(step.Do))
		if c.hint != "" {
			s.add(paint.Warn, "Hint: "+text.SafeString(c.hint))
		}
	case open > 0:
		s.add(paint.Text, "Every step is behind. Decide what is still open: "+counted(open, "case")+".")
	default:
		s.add(paint.Good, "All is decided. "+c.keys.Short(keymap.GoDebrief)+" ends the play and shows the debrief.")
	}
}

// standing says how far the play is.
func (c *coach) standing() string {
	d := c.play.Debrief(c.opt.Now())
	return fmt.Sprintf("%d of %s decided · %s used", len(d.Findings)-d.Count(scenario.Missed), counted(int64(len(d.Findings)), "case"), counted(int64(d.Hints), "hint"))
}

// keysNow names the coach's keys that mean something now.
func (c *coach) keysNow() [][]paint.Piece {
	var out [][]paint.Piece
	state := c.state()
	for _, id := range []keymap.ID{keymap.Hint, keymap.GiveUp, keymap.GoDebrief, keymap.Story} {
		if act := keymap.Find(id); act.Off(state) == "" {
			out = append(out, []paint.Piece{{Style: paint.Hint, Text: c.keys.Short(id)}, {Style: paint.Faint, Text: " " + act.Title + "  "}})
		}
	}
	return out
}
