package tui

import (
	"strings"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/idemctl/internal/text"
	"example.com/idemctl/internal/tui/keymap"
	"example.com/idemctl/internal/tui/paint"
)

// menu is help and palette: the table of actions, searched as one types, run by Enter. What is off says why.
type menu struct {
	*app
	scope  keymap.Scope
	state  keymap.State
	help   bool
	search field
	place  int
	first  int
}

func newMenu(a *app, scope keymap.Scope, state keymap.State, help bool) *menu {
	return &menu{app: a, scope: scope, state: state, help: help, search: newField(60)}
}

// item is a line of the menu: a group's title, an action, or what a sign means.
type item struct {
	title  string
	sign   *keymap.Sign
	action *keymap.Action
	off    string
}

// items lists what matches: what this screen has, what holds everywhere, what is off and why.
func (m *menu) items() []item {
	here := []item{{title: "On this screen: " + m.scope.String()}}
	moving := []item{{title: "Moving"}}
	everywhere := []item{{title: "Everywhere"}}
	training := []item{{title: "Training"}}
	off := []item{{title: "Off now"}}
	for i := range keymap.Actions {
		a := &keymap.Actions[i]
		if !m.meant(a.Scope) || !m.matches(a) {
			continue
		}
		one := item{action: a, off: a.Off(m.state)}
		switch {
		case one.off != "":
			off = append(off, one)
		case a.Scope == keymap.Lists:
			moving = append(moving, one)
		case a.Scope == keymap.Everywhere:
			everywhere = append(everywhere, one)
		case a.Scope == keymap.Training:
			training = append(training, one)
		default:
			here = append(here, one)
		}
	}
	var out []item
	for _, group := range [][]item{here, training, everywhere, off, m.signs(), moving} {
		if len(group) > 1 {
			out = append(out, group...)
		}
	}
	return out
}

// meant reports whether actions of a scope can be meant on the screen below.
func (m *menu) meant(s keymap.Scope) bool {
	return s == m.scope || s == keymap.Lists || s == keymap.Everywhere || s == keymap.Training && m.coach != nil
}

// signs lists what the screen's short words mean, in help alone: there is nothing to run.
func (m *menu) signs() []item {
	out := []item{{title: "What the short words mean"}}
	for i := range keymap.Signs {
		if s := &keymap.Signs[i]; m.help && s.Scope == m.scope && m.found(s.Word+" "+s.Means) {
			out = append(out, item{sign: s})
		}
	}
	return out
}

// matches finds every word of the search in what an action says of itself.
func (m *menu) matches(a *keymap.Action) bool {
	return m.found(a.Title + " " + a.Help + " " + string(a.ID) + " " + m.keys.Label(a.ID))
}

func (m *menu) found(all string) bool {
	all = strings.ToLower(all)
	for _, w := range strings.Fields(strings.ToLower(m.search.value())) {
		if !strings.Contains(all, w) {
			return false
		}
	}
	return true
}

func (m *menu) Wary() bool { return false }

func (m *menu) Hint() string { return "type to search · ↑↓ choose · enter runs it · esc closes" }

func (m *menu) Recv(any) tea.Cmd { return nil }

// Paste searches for what was pasted; it runs nothing.
func (m *menu) Paste(s string) tea.Cmd {
	m.search.paste(s)
	m.place = 0
	return nil
}

// Key takes a key.
func (m *menu) Key(k string, _ bool) tea.Cmd {
	items := m.items()
	switch k {
	case "esc":
		m.close()
	case "up", "shift+tab":
		m.step(items, -1)
	case "down", "tab":
		m.step(items, 1)
	case "enter":
		if at := m.at(items); at >= 0 {
			if why := items[at].off; why != "" {
				m.say(paint.Warn, items[at].action.Title+" is off: "+why)
				return nil
			}
			m.close()
			return m.act(items[at].action.ID)
		}
	default:
		if by := m.moves(k); by != 0 {
			m.leap(items, by)
			return nil
		}
		m.search.key(k)
		m.place = 0
	}
	return nil
}

// moves is how many lines a key of the list Moving goes. A letter is none: it is typed.
func (m *menu) moves(k string) int {
	a := m.keys.Action(m.scope, k)
	if a == nil || a.Scope != keymap.Lists || utf8.RuneCountInString(k) == 1 {
		return 0
	}
	return shift(a.ID, 8)
}

// leap is so many steps, as far as there are.
func (m *menu) leap(items []item, by int) {
	for range min(max(by, -by), len(items)) {
		m.step(items, min(max(by, -1), 1))
	}
}

// at returns the action that is chosen: the place, or the one behind a title.
func (m *menu) at(items []item) int {
	for at := min(m.place, len(items)-1); at >= 0 && at < len(items); at++ {
		if items[at].action != nil {
			return at
		}
	}
	return -1
}

func (m *menu) step(items []item, by int) {
	for at := m.at(items) + by; at >= 0 && at < len(items); at += by {
		if items[at].action != nil {
			m.place = at
			return
		}
	}
}

// Draw paints the list.
func (m *menu) Draw(a paint.Area) {
	title := "Commands"
	if m.help {
		title = "Help"
	}
	items := m.items()
	in := m.box(a, 100, max(len(items)+2, 6), title, "esc closes")
	x := in.Put(0, 0, paint.Faint, "search: ")
	m.search.draw(in.Sub(x, 0, in.W()-x, 1), paint.Input, true)
	_, body := in.Top(2)
	at := m.at(items)
	if len(items) == 0 {
		body.Put(0, 0, paint.Faint, "no command matches")
		return
	}
	if at >= 0 {
		m.first = min(max(m.first, at-body.H()+1), max(0, at-1))
	}
	m.first = max(0, min(m.first, len(items)-body.H()))
	for y := 0; y < body.H() && m.first+y < len(items); y++ {
		m.drawItem(body.Sub(0, y, body.W()-2, 1), items[m.first+y], m.first+y == at)
	}
	scrollbar(body.Sub(body.W()-1, 0, 1, body.H()), m.first, len(items), m.glyphs)
}

func (m *menu) drawItem(a paint.Area, it item, chosen bool) {
	if it.sign != nil {
		a.PutIn(2, 0, 10, paint.Text, it.sign.Word)
		a.Put(13, 0, paint.Faint, it.sign.Means)
		return
	}
	if it.action == nil {
		a.Put(0, 0, paint.Title, it.title)
		return
	}
	if chosen {
		a.Put(0, 0, paint.Strong, m.glyphs.Cursor)
	}
	a.PutIn(2, 0, 16, paint.Hint, m.keys.Label(it.action.ID))
	st, what := paint.Text, it.action.Help
	if it.off != "" {
		st, what = paint.Faint, "off: "+it.off
	}
	x := 19
	if a.W() >= 70 {
		a.PutIn(19, 0, 17, st, it.action.Title)
		x = 37
	} else if it.off != "" {
		what = it.action.Title + ", " + what
	}
	a.Put(x, 0, st, text.SafeString(what))
	if chosen {
		a.Select(0)
	}
}
