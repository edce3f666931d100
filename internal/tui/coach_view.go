package tui

import (
	"fmt"

	"example.com/idemctl/internal/scenario"
	"example.com/idemctl/internal/text"
	"example.com/idemctl/internal/tui/keymap"
	"example.com/idemctl/internal/tui/paint"
)

// split gives the coach its part of the screen.
func (c *coach) split(a paint.Area) (body, mine paint.Area) {
	switch {
	case c == nil:
		return a, paint.Area{}
	case a.W() >= coachBeam && a.W() < coachVast && a.H() >= coachHigh:
		return a.Bottom(coachSlab)
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
	case a.H() > coachSlab:
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
	if len(c.past) > 0 {
		c.behind(s)
		s.gap()
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
	x := a.Put(10, 0, paint.Faint, " "+c.at()+"  ")
	for _, k := range c.keysNow() {
		x = a.Puts(x, 0, k...)
	}
	tall := a.H() > coachStrip
	n, of := c.count()
	for _, how := range []string{c.standing(), c.decided(), fmt.Sprintf("%d/%d done", n, of)} {
		if how = " " + how + " "; x+text.Width(how) < a.W() {
			a.PutRight(a.W()-1, 0, paint.Faint, how)
			break
		}
	}
	s := newSheet(a.W() - 3)
	c.task(s)
	switch {
	case c.hint == "" && !tall:
		c.lastBehind(s, a.H()-1)
	case tall:
		c.lastBehind(s, a.H()-2)
		s.lines = append([][]paint.Piece{{{Style: paint.Strong, Text: text.SafeString(c.play.Title)}, {Style: paint.Faint, Text: "  " + text.SafeString(c.play.Goal)}}}, s.lines...)
	}
	s.draw(a.Sub(1, 1, a.W()-2, a.H()-1), 0, c.glyphs)
}

// lastBehind puts what is told of the steps that came to an end last before the lines of a sheet: as many of them as fit whole, the latest in any case.
func (c *coach) lastBehind(s *sheet, most int) {
	for i := len(c.past) - 1; i >= 0; i-- {
		one := newSheet(s.w)
		c.tell(one, c.past[i])
		room := most - len(s.lines)
		if len(one.lines) > room && i < len(c.past)-1 || room < 1 {
			return
		}
		one.lines = one.lines[:min(room, len(one.lines))]
		s.lines = append(one.lines, s.lines...)
	}
}

// behind tells the steps that came to an end last, and what there was to see in them.
func (c *coach) behind(s *sheet) {
	for _, p := range c.past {
		c.tell(s, p)
	}
}

// tell says of one step that it is behind.
func (c *coach) tell(s *sheet, p past) {
	st, word := paint.Good, c.glyphs.Present+" "+fmt.Sprintf("step %d: ", p.number)
	if p.given {
		st, word = paint.Warn, fmt.Sprintf("step %d, given up: ", p.number)
	}
	s.add(st, word+text.SafeString(p.tells()))
}

// tells is what is said of a step that is behind: what there was to see, else what was asked for.
func (p past) tells() string {
	switch {
	case p.step.Told != "":
		return p.step.Told
	case p.given && p.step.Hint != "":
		return p.step.Hint
	}
	return p.step.Do
}

// task says what is to be done, and the hint once it was asked for.
func (c *coach) task(s *sheet) {
	step := c.play.Now()
	open := int64(len(c.play.Open()))
	switch {
	case c.play.Closed():
		s.add(paint.Text, "The play has ended. "+c.keys.Short(keymap.GoDebrief)+" shows the debrief again, "+c.keys.Short(keymap.Quit)+" leaves.")
	case step != nil:
		s.add(paint.Text, text.SafeString(step.Do))
		if c.hint != "" {
			s.add(paint.Warn, "Hint: "+text.SafeString(c.hint))
		}
	case open > 0:
		s.add(paint.Text, "Every step is behind. Decide what is still open: "+counted(open, "case")+".")
		c.awaited(s)
	default:
		done := "All is decided. "
		if len(c.play.Cases) == 0 {
			done = "Nothing is to be decided here. "
		}
		s.add(paint.Good, done+c.keys.Short(keymap.GoDebrief)+" ends the play and shows the debrief.")
		c.awaited(s)
	}
}

// awaited says why a case that was decided rightly looks graver than before.
func (c *coach) awaited(s *sheet) {
	if c.play.Awaits() {
		s.add(paint.Text, "What is to be sent once more stays in doubt until it is seen: that its case is graver until then is right.")
	}
}

// standing says how far the play is.
func (c *coach) standing() string {
	return c.decided() + " · " + counted(int64(c.play.Hints()), "hint") + " used"
}

// decided counts the cases that are decided, of all.
func (c *coach) decided() string {
	n, of := c.count()
	return fmt.Sprintf("%d of %s decided", n, counted(int64(of), "case"))
}

// count is how many cases are decided, and how many there are.
func (c *coach) count() (n, of int) {
	d := c.play.Debrief(c.opt.Now())
	return len(d.Findings) - d.Count(scenario.Missed), len(d.Findings)
}

// hints reports whether the step that comes next has a hint that was not told yet.
func (c *coach) hints() bool {
	step := c.play.Now()
	return step != nil && step.Hint != "" && c.hint == ""
}

// keysNow names the coach's keys that mean something now.
func (c *coach) keysNow() [][]paint.Piece {
	var out [][]paint.Piece
	state := c.state()
	if step := c.play.Now(); step != nil {
		key, _ := c.leads(step.Until.Sight)
		out = append(out, []paint.Piece{{Style: paint.Hint, Text: key}, {Style: paint.Faint, Text: " " + ends[step.Until.Sight] + "  "}})
	}
	for _, id := range []keymap.ID{keymap.Hint, keymap.GiveUp, keymap.GoDebrief, keymap.Story} {
		if act := keymap.Find(id); act.Off(state) == "" && (id != keymap.Hint || c.hints()) {
			out = append(out, []paint.Piece{{Style: paint.Hint, Text: c.keys.Short(id)}, {Style: paint.Faint, Text: " " + act.Title + "  "}})
		}
	}
	return out
}
