package tui

import (
	"bytes"
	"encoding/json"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/text"
	"example.com/idemctl/internal/tui/keymap"
	"example.com/idemctl/internal/tui/paint"
)

// entryView is one record of the trail. What was on the screen when it was made can be opened as a case of the past.
type entryView struct {
	*app
	trail *trail // whose records tell what this one is about
	e     audit.Entry
	past  *scan.Case
	wrong string
	asked bool
	top   int
}

func newEntry(u *trail, e audit.Entry) *entryView { return &entryView{app: u.app, trail: u, e: e} }

func (v *entryView) need() tea.Cmd {
	if v.deps.Evidence == nil || !v.e.HasEvidence {
		return nil
	}
	v.asked = true
	return v.recall(v.e.Seq)
}

func (v *entryView) Title(int) string    { return "record " + count(v.e.Seq) }
func (v *entryView) Scope() keymap.Scope { return keymap.Audit }

// State tells that there is a record.
func (v *entryView) State(s *keymap.State) { s.Rows = 1 }

// Hints are the keys of the footer.
func (v *entryView) Hints() []keymap.ID {
	return []keymap.ID{keymap.OpenEntry, keymap.Down, keymap.PageDown, keymap.Back}
}

// Recv takes the evidence.
func (v *entryView) Recv(msg any) tea.Cmd {
	m, ok := msg.(recalled)
	if !ok || m.seq != v.e.Seq {
		return nil
	}
	v.asked = false
	if m.err == nil {
		v.past, m.err = pastCase(m.body)
	}
	if m.err != nil {
		v.wrong = text.Once(m.err.Error())
	}
	return nil
}

// Do scrolls, or opens the evidence as a case of the past.
func (v *entryView) Do(id keymap.ID) tea.Cmd {
	switch id {
	case keymap.OpenEntry:
		if v.past == nil {
			_, why := v.evidence()
			v.say(paint.Warn, why)
			return nil
		}
		past := &caseView{app: v.app, id: v.past.CaseID, lower: paneWhy, event: -1, tops: make(map[int]int)}
		past.take(v.past)
		past.past = "AS IT WAS on " + stamp(v.e.At) + " (record " + count(v.e.Seq) + "); nothing is decided here"
		past.pastAt = scanNow(v.e.Body).Or(v.e.At) // ages and exposure were measured by the scan's clock
		v.push(past)
	case keymap.Verify:
		v.say(paint.Text, "the list of records verifies the trail: go back first")
	default:
		v.top = max(0, v.top+shift(id, 10))
	}
	return nil
}

// evidence says why there is none to open.
func (v *entryView) evidence() (paint.Style, string) {
	switch {
	case v.wrong != "":
		return paint.Bad, v.wrong
	case v.asked:
		return paint.Faint, "the evidence is still being read"
	}
	return paint.Faint, "no evidence is kept with this record"
}

// Draw paints the record.
func (v *entryView) Draw(a paint.Area) {
	in := a.Sub(1, 0, a.W()-2, a.H())
	s := newSheet(in.W() - 2)
	v.trail.describe(s, &v.e)
	s.gap()
	s.add(paint.Title, "As it was on the screen when this was recorded")
	if v.past == nil {
		s.add(v.evidence())
	} else {
		s.add(paint.Text, v.keys.Short(keymap.OpenEntry)+" opens it: "+counted(int64(len(v.past.Evidence)), "record")+", "+v.past.Headline().String()+", executed "+v.past.Executed.String()+", a retry then "+v.past.RetryNow.String())
	}
	if len(v.e.Body) > 0 {
		s.gap()
		s.add(paint.Title, "The record as it is stored")
		stored(s, v.e.Body)
	}
	v.top = s.draw(in, v.top, v.glyphs)
}

// describe writes what a record says.
func (u *trail) describe(s *sheet, e *audit.Entry) {
	signed := "by no person's key"
	if e.Signed {
		signed = "by a person's key"
	}
	s.line(paint.Piece{Style: paint.Strong, Text: text.SafeString(u.entryWords(e, true))}, paint.Piece{Style: paint.Faint, Text: "  record " + count(e.Seq) + "  " + text.SafeString(e.Type.String())})
	for _, f := range [][2]string{
		{"when", stamp(e.At)},
		{"who", text.SafeString(e.Operator)},
		{"case", text.SafeString(e.Case)},
		{"decision", text.SafeString(e.Decision)},
		{"reason", text.SafeString(e.Reason)},
		{"guard", strings.TrimSpace(text.SafeString(e.Code) + "  " + text.Once(e.Answer))},
		{"reference", text.SafeString(e.Ref)},
		{"to", text.SafeString(e.To)},
		{"outcome", text.SafeString(e.Outcome)},
		{"signed", signed},
		{"tool", text.SafeString(e.Tool)},
	} {
		if f[1] == "" {
			continue
		}
		for i, l := range text.Wrap(f[1], max(1, s.w-nameWidth)) {
			if i > 0 {
				f[0] = ""
			}
			s.line(paint.Piece{Style: paint.Faint, Text: text.Pad(f[0], nameWidth)}, paint.Piece{Text: l})
		}
	}
}

// stored writes a record's stored bytes: lines, of which those that are JSON are set member by member.
func stored(s *sheet, body []byte) {
	for _, line := range bytes.Split(bytes.TrimRight(body, "\n"), []byte("\n")) {
		var out bytes.Buffer
		if json.Indent(&out, line, "", "  ") != nil {
			s.add(paint.Text, text.Safe(line))
			continue
		}
		for _, l := range strings.Split(string(text.EscapeJSON(out.Bytes())), "\n") {
			bare := strings.TrimLeft(l, " ")
			s.indent(len(l)-len(bare), paint.Text, bare)
		}
	}
}
