package tui

import (
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/scenario"
	"example.com/idemctl/internal/tui/keymap"
	"example.com/idemctl/internal/tui/paint"
)

// How much of the screen the coach has. At the bottom it leaves lists and panes their whole width, which is what they need most; beside them it stands where
// they have enough without, or where there are few lines.
const (
	coachWide  = 40
	coachBeam  = 118 // cells from which on there is room for the pane
	coachVast  = 160 // cells from which on the pane takes nothing from anybody
	coachStrip = 5   // lines
	coachSlab  = 7   // lines of the strip where there are many
	coachHigh  = 30  // lines from which on there are
	coachTall  = 20  // lines from which on there is room for the whole strip
)

// coach stands beside the screens while a scenario is played: it tells the play what was seen and decided, and the person which step comes next.
type coach struct {
	*app
	play   *scenario.Play
	hint   string // of the step that comes next, once it was asked for
	past   []past // the steps that came to an end last, in their order
	told   int    // the step that comes next, as it was told
	listed bool   // the list of cases was looked through
	left   bool   // leaving was asked for, and not yet meant
}

// past is a step that is behind.
type past struct {
	number int
	step   *scenario.Step
	given  bool
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

// moved notes the steps that came to an end: they are told, since one that ends at once was never read.
func (c *coach) moved() {
	n, _ := c.play.Step()
	if n == c.told {
		return
	}
	c.past = nil
	for i := c.told; i < n; i++ {
		c.past = append(c.past, past{i, &c.play.Steps[i-1], c.play.GaveUp(i)})
	}
	c.told, c.hint = n, ""
}

// looksThrough notes that something was done on the list of cases: to scan is to look through it, and that the coach asked for it ends no step. What only asks
// the coach, or leaves, is no look.
func (c *coach) looksThrough(a *keymap.Action) {
	if c == nil || c.listed {
		return
	}
	switch a.ID {
	case keymap.Help, keymap.Palette, keymap.Quit, keymap.Redraw, keymap.Suspend, keymap.Rescan, keymap.Interrupt, keymap.Back, keymap.Copy:
	case keymap.Hint, keymap.GiveUp, keymap.Story, keymap.GoDebrief, keymap.GoQueue, keymap.GoAudit, keymap.GoSources, keymap.GoRestore:
	default:
		c.listed = true
		c.see(scenario.Event{Sight: scenario.Scanned})
	}
}

// shown notes a case that was opened.
func (c *coach) shown(one *scan.Case) {
	if c == nil || one == nil {
		return
	}
	c.see(scenario.Event{Sight: scenario.Shown, Identity: one.Identity})
}

// looked notes a decision that cannot be chosen, whose reason was asked for. Nothing was sent, so it ends a step and counts for nothing else.
func (c *coach) looked(cases []*scan.Case, o *reconcile.Option) {
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
		e := scenario.Event{Sight: scenario.Refused, Identity: c.identityOf(a.Case), Decision: m.asked.Decision, As: m.asked.As, Code: a.Code, Sent: true}
		if a.Decision != nil {
			e.Sight, e.ID, e.Sent = scenario.Decided, a.Decision.ID, false
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

// ask tells the hint of the step that comes next; where it has none, and where it has been told, the key that leads to its end.
func (c *coach) ask() {
	before := c.hint
	c.hint = c.play.Hint()
	how, does := c.leads(c.play.Now().Until.Sight)
	switch c.hint {
	case "":
		c.say(paint.Text, "this step has no hint: "+how+" "+does)
	case before:
		c.say(paint.Text, "there is no other hint: "+how+" "+does)
	}
}

// leads is the key that leads to the end of a step, and what it does.
func (c *coach) leads(s scenario.Sight) (key, does string) {
	by := map[scenario.Sight]struct {
		id   keymap.ID
		does string
	}{
		scenario.Scanned: {keymap.Down, "goes through the list of cases"}, scenario.Shown: {keymap.OpenCase, "opens the case that the cursor is on"},
		scenario.Decided: {keymap.Decide, "decides about the case"}, scenario.Refused: {keymap.Decide, "asks the guard about the case"},
		scenario.TakenBack: {keymap.Withdraw, "takes a decision back, in its case"}, scenario.Filtered: {keymap.Filter, "filters the list"},
		scenario.Sources: {keymap.GoSources, "shows the sources"}, scenario.Trail: {keymap.GoAudit, "shows the trail"},
		scenario.Restore: {keymap.GoRestore, "shows what the restore left behind"},
	}[s]
	return c.keys.Short(by.id), by.does
}

// asks reports whether a play that has not ended is to be left: the first time it only says what would be lost.
func (c *coach) asks() bool {
	if c == nil || c.left || c.play.Done() || c.play.Closed() {
		return false
	}
	c.left = true
	c.say(paint.Warn, c.stillOpen()+" open: "+c.keys.Short(keymap.Quit)+" once more ends the play, and tells the answers")
	return true
}

// stays takes a wish to leave back with any other key.
func (c *coach) stays(id keymap.ID) {
	if c != nil && id != keymap.Quit {
		c.left = false
	}
}

// stillOpen counts what is not done, with its verb.
func (c *coach) stillOpen() string {
	n, of := c.play.Step()
	steps, cases := int64(of-n+1), int64(len(c.play.Open()))
	switch {
	case steps == 0 && cases == 1:
		return "1 case is"
	case steps == 0:
		return counted(cases, "case") + " are"
	case cases == 0 && steps == 1:
		return "1 step is"
	case cases == 0:
		return counted(steps, "step") + " are"
	}
	return counted(steps, "step") + " and " + counted(cases, "case") + " are"
}

// ends are the words for what ends a step, beside their key.
var ends = map[scenario.Sight]string{
	scenario.Scanned: "look through", scenario.Shown: "open", scenario.Decided: "decide", scenario.Refused: "decide", scenario.TakenBack: "withdraw", scenario.Filtered: "filter",
	scenario.Sources: "sources", scenario.Trail: "audit", scenario.Restore: "restore",
}

// giveUp leaves a step behind.
func (c *coach) giveUp() {
	c.play.GiveUp(c.opt.Now())
	c.moved()
}
