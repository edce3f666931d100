package tui

import (
	"bytes"
	"encoding/json"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/text"
	"example.com/idemctl/internal/tui/keymap"
	"example.com/idemctl/internal/tui/paint"
)

// entryView is one record of the trail with the evidence as it was on the screen when it was made.
type entryView struct {
	*app
	e     Entry
	body  []byte
	wrong string
	asked bool
	top   int
}

func newEntry(a *app, e Entry) *entryView { return &entryView{app: a, e: e} }

func (v *entryView) need() tea.Cmd {
	if v.deps.Evidence == nil || !v.e.Evidence {
		return nil
	}
	v.asked = true
	return v.recall(v.e.Seq)
}

func (v *entryView) Title() string         { return "record " + count(v.e.Seq) }
func (v *entryView) Scope() keymap.Scope   { return keymap.Audit }
func (v *entryView) State(s *keymap.State) { s.Rows = len(v.body) }
func (v *entryView) Hints() []keymap.ID {
	return []keymap.ID{keymap.OpenEntry, keymap.Down, keymap.PageDown, keymap.Back}
}

// Recv takes the evidence.
func (v *entryView) Recv(msg any) tea.Cmd {
	if m, ok := msg.(recalled); ok && m.seq == v.e.Seq {
		v.asked = false
		if m.err != nil {
			v.wrong = text.Once(m.err.Error())
			return nil
		}
		v.body = m.body
	}
	return nil
}

// Do scrolls, or opens the evidence as a case of the past.
func (v *entryView) Do(id keymap.ID) tea.Cmd {
	if id == keymap.OpenEntry {
		c := &scan.Case{}
		if json.Unmarshal(v.body, c) != nil || len(c.Kinds) == 0 || c.CaseID == "" {
			v.say(paint.Text, "what was kept is shown below as it was written")
			return nil
		}
		past := &caseView{app: v.app, id: c.CaseID, c: c, lower: paneWhy, event: -1, tops: make(map[int]int)}
		past.past = "AS IT WAS on " + stamp(v.e.At) + ", when record " + count(v.e.Seq) + " was made: nothing is decided here"
		v.push(past)
		return nil
	}
	v.top = max(0, v.top+shift(id, 10))
	return nil
}

// Draw paints the record, then the evidence.
func (v *entryView) Draw(a paint.Area) {
	in := a.Sub(1, 0, a.W()-2, a.H())
	s := newSheet(in.W() - 2)
	describe(s, &v.e)
	s.gap()
	s.add(paint.Title, "As it was on the screen when this was recorded")
	switch {
	case v.wrong != "":
		s.add(paint.Bad, v.wrong)
	case v.asked:
		s.add(paint.Faint, "reading…")
	case v.body == nil:
		s.add(paint.Faint, "no evidence is kept with this record")
	default:
		s.add(paint.Faint, v.keys.Short(keymap.OpenEntry)+" opens it as a case")
		indented(s, v.body)
	}
	if len(v.e.Body) > 0 {
		s.gap()
		s.add(paint.Title, "The record as it is stored")
		indented(s, v.e.Body)
	}
	v.top = s.draw(in, v.top, v.glyphs)
}

// describe writes what a record says.
func describe(s *sheet, e *Entry) {
	signed := "not signed"
	if e.Signed {
		signed = "signed"
	}
	s.line(paint.Piece{Style: paint.Strong, Text: text.SafeString(e.words())}, paint.Piece{Style: paint.Faint, Text: "  record " + count(e.Seq) + "  " + text.SafeString(e.Type) + "  " + signed})
	for _, f := range [][2]string{
		{"when", stamp(e.At)},
		{"who", text.SafeString(e.Operator)},
		{"case", text.SafeString(e.Case)},
		{"decision", text.SafeString(e.Decision)},
		{"reason", text.SafeString(e.Reason)},
		{"reference", text.SafeString(e.Ref)},
		{"to", text.SafeString(e.To)},
		{"tool", text.SafeString(e.Tool)},
	} {
		if f[1] != "" {
			s.line(paint.Piece{Style: paint.Faint, Text: text.Pad(f[0], nameWidth)}, paint.Piece{Text: f[1]})
		}
	}
}

// indented writes a JSON document line by line; what is none is written as it is.
func indented(s *sheet, body []byte) {
	var out bytes.Buffer
	if json.Indent(&out, body, "", "  ") != nil {
		s.add(paint.Text, text.Safe(body))
		return
	}
	for _, l := range strings.Split(string(text.EscapeJSON(out.Bytes())), "\n") {
		bare := strings.TrimLeft(l, " ")
		s.indent(len(l)-len(bare), paint.Text, bare)
	}
}
