package tui

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"example.com/idemctl/internal/text"
	"example.com/idemctl/internal/tui/paint"
)

// field is a text box of one line. The editing is textinput's; what it holds is shown by paint, so that it is measured like everything else and seen without
// colours.
type field struct {
	in textinput.Model
}

func newField(limit int) field {
	in := textinput.New()
	in.CharLimit = limit
	in.Focus()
	return field{in}
}

func (f *field) value() string { return f.in.Value() }

func (f *field) set(s string) {
	f.in.SetValue(s)
	f.in.CursorEnd()
}

// key takes a key by its name.
func (f *field) key(k string) { f.in, _ = f.in.Update(keyMsg(k)) }

// paste takes pasted text and reports how many characters it left out.
func (f *field) paste(s string) int {
	kept, left := text.Typed(s)
	f.in, _ = f.in.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(kept)})
	return left
}

// draw paints the text with its caret, the part around the caret where it is too long.
func (f *field) draw(a paint.Area, st paint.Style, focused bool) {
	runes := []rune(f.in.Value())
	at := min(f.in.Position(), len(runes))
	head, tail := string(runes[:at]), string(runes[at:])
	if over := text.Width(head) - (a.W() - 2); over > 0 {
		head = "…" + dropCells(head, over+1)
	}
	x := a.Put(0, 0, st, head)
	if !focused {
		a.Put(x, 0, st, tail)
		return
	}
	under := " "
	if tail != "" {
		n, _ := text.Next(tail)
		under, tail = tail[:n], tail[n:]
	}
	x = a.Put(x, 0, paint.Caret, under)
	a.Put(x, 0, st, tail)
}

// dropCells returns what is left of s when at least that many cells are taken from its beginning.
func dropCells(s string, cells int) string {
	for s != "" && cells > 0 {
		n, w := text.Next(s)
		s, cells = s[n:], cells-w
	}
	return s
}

// keyMsg makes bubbletea's message of a key's name, for the text boxes.
func keyMsg(k string) tea.KeyMsg {
	if kind, ok := keyTypes[k]; ok {
		return tea.KeyMsg{Type: kind}
	}
	alt := strings.HasPrefix(k, "alt+")
	kept, _ := text.Typed(strings.TrimPrefix(k, "alt+"))
	if len([]rune(kept)) != 1 {
		return tea.KeyMsg{Type: tea.KeyRunes} // a key that is no letter
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(kept), Alt: alt}
}

var keyTypes = map[string]tea.KeyType{
	"left": tea.KeyLeft, "right": tea.KeyRight, "up": tea.KeyUp, "down": tea.KeyDown, "home": tea.KeyHome, "end": tea.KeyEnd,
	"backspace": tea.KeyBackspace, "delete": tea.KeyDelete, "ctrl+a": tea.KeyCtrlA, "ctrl+e": tea.KeyCtrlE, "ctrl+k": tea.KeyCtrlK,
	"ctrl+u": tea.KeyCtrlU, "ctrl+w": tea.KeyCtrlW, "ctrl+left": tea.KeyCtrlLeft, "ctrl+right": tea.KeyCtrlRight,
}

// drawLines paints the text over the area's lines, those around the caret where it takes more. Brackets show where it ends, so that an empty box is seen.
func (f *field) drawLines(a paint.Area, focused bool, hint string) {
	if a.W() < 4 || a.H() < 1 {
		return
	}
	for y := range a.H() {
		a.Put(0, y, paint.Border, "[")
		a.Put(a.W()-1, y, paint.Border, "]")
	}
	in := a.Sub(1, 0, a.W()-2, a.H())
	if f.value() == "" && !focused {
		in.Put(0, 0, paint.Faint, placeholder(hint))
		return
	}
	type place struct {
		unit string
		x, y int
	}
	var places []place
	x, y, caret, n := 0, 0, place{}, 0
	at := f.in.Position()
	for s := f.value() + " "; s != ""; {
		k, w := text.Next(s)
		if x+w > in.W() {
			x, y = 0, y+1
		}
		p := place{s[:k], x, y}
		if n <= at {
			caret = p
		}
		places = append(places, p)
		n += utf8.RuneCountInString(s[:k])
		x, s = x+w, s[k:]
	}
	top := max(0, caret.y-in.H()+1)
	for _, p := range places {
		st := paint.Input
		if p == caret && focused {
			st = paint.Caret
		} else if p == places[len(places)-1] {
			continue
		}
		in.Put(p.x, p.y-top, st, p.unit)
	}
	if f.value() == "" {
		in.Put(1, 0, paint.Faint, placeholder(hint))
	}
}

// placeholder writes what is to be typed in such a way that it is not taken for what was typed, where there is no colour either.
func placeholder(hint string) string {
	if hint == "" {
		return ""
	}
	return "(" + hint + ")"
}
