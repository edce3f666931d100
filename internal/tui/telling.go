package tui

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/idemctl/internal/report"
	"example.com/idemctl/internal/scenario"
	"example.com/idemctl/internal/text"
	"example.com/idemctl/internal/tui/keymap"
	"example.com/idemctl/internal/tui/paint"
)

// telling is a page of a scenario: its story before the play, the debrief behind it.
type telling struct {
	*app
	title string
	lines []report.DebriefLine
	story bool // what comes before the play: enter begins
	long  bool // there was more of it below when it was last drawn
	top   int
}

// newStory tells what happened, and what is asked for.
func newStory(a *app, s *scenario.Scenario) *telling {
	v := &telling{app: a, title: "Story", story: true}
	v.lines = append(v.lines, report.DebriefLine{Tone: report.ToneHead, Text: text.SafeString(s.Title)}, report.DebriefLine{})
	for _, para := range strings.Split(strings.TrimSpace(s.Story), "\n\n") {
		v.lines = append(v.lines, report.DebriefLine{Text: text.SafeString(strings.Join(strings.Fields(para), " "))}, report.DebriefLine{})
	}
	v.lines = append(v.lines, report.DebriefLine{Tone: report.ToneHead, Text: text.SafeString(s.Goal)},
		report.DebriefLine{Tone: report.ToneFaint, Text: fmt.Sprintf("Nothing here touches a real system. enter begins; %s tells this again.", a.keys.Short(keymap.Story))})
	return v
}

// newDebrief ends the play: what is decided after the answers were read counts no more.
func newDebrief(a *app, p *scenario.Play) *telling {
	p.Close(a.opt.Now())
	d := p.Debrief(a.opt.Now())
	return &telling{app: a, title: "Debrief", lines: report.DebriefLines(p.Scenario, &d)}
}

func (v *telling) Title(int) string      { return v.title }
func (v *telling) Scope() keymap.Scope   { return keymap.Training }
func (v *telling) State(s *keymap.State) { s.Rows = 1 }
func (v *telling) Recv(any) tea.Cmd      { return nil }

// Hints are the keys of the footer.
func (v *telling) Hints() []keymap.ID {
	hints := []keymap.ID{keymap.Back, keymap.GoQueue, keymap.Quit}
	if v.long {
		hints = append([]keymap.ID{keymap.Down, keymap.PageDown}, hints...)
	}
	return hints
}

// enter begins the play behind a story, and goes on in what is longer than the screen.
func (v *telling) enter() tea.Cmd {
	if v.story {
		return v.act(keymap.Back)
	}
	return v.act(keymap.PageDown)
}

// Do scrolls.
func (v *telling) Do(id keymap.ID) tea.Cmd {
	v.top = max(0, v.top+shift(id, 10))
	return nil
}

// Draw paints the page.
func (v *telling) Draw(a paint.Area) {
	in := a.Sub(1, 0, a.W()-2, a.H())
	s := newSheet(min(in.W()-2, 100))
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
	v.long = v.top+in.H() < len(s.lines)
}
