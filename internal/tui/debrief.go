package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"example.com/idemctl/internal/report"
	"example.com/idemctl/internal/scenario"
	"example.com/idemctl/internal/tui/keymap"
	"example.com/idemctl/internal/tui/paint"
)

// debrief is the screen that ends a play: what each decision is worth, and what it would have caused.
type debrief struct {
	*app
	lines []report.DebriefLine
	top   int
}

// newDebrief ends the play: what is decided after the answers were read counts no more.
func newDebrief(a *app, p *scenario.Play) *debrief {
	p.Close(a.opt.Now())
	d := p.Debrief(a.opt.Now())
	return &debrief{app: a, lines: report.DebriefLines(p.Scenario, &d)}
}

func (v *debrief) Title(int) string      { return "Debrief" }
func (v *debrief) Scope() keymap.Scope   { return keymap.Training }
func (v *debrief) State(s *keymap.State) { s.Rows = 1 }
func (v *debrief) Recv(any) tea.Cmd      { return nil }
func (v *debrief) Hints() []keymap.ID {
	return []keymap.ID{keymap.Down, keymap.GoQueue, keymap.Back, keymap.Quit}
}

// Do scrolls.
func (v *debrief) Do(id keymap.ID) tea.Cmd {
	v.top = max(0, v.top+shift(id, 10))
	return nil
}

// Draw paints the debrief.
func (v *debrief) Draw(a paint.Area) {
	in := a.Sub(1, 0, a.W()-2, a.H())
	s := newSheet(in.W() - 2)
	styles := map[report.Tone]paint.Style{
		report.ToneText: paint.Text, report.ToneHead: paint.Strong, report.ToneGood: paint.Good, report.ToneWarn: paint.Warn, report.ToneBad: paint.Bad,
		report.ToneFaint: paint.Faint,
	}
	for _, l := range v.lines {
		if l.Text == "" {
			s.gap()
			continue
		}
		s.indent(l.Indent, styles[l.Tone], l.Text)
	}
	v.top = s.draw(in, v.top, v.glyphs)
}
