package tui

import (
	"fmt"
	"strings"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/idemctl/internal/text"
	"example.com/idemctl/internal/tui/paint"
)

// pick is one thing to choose in a form.
type pick struct {
	word string
	off  string // why it cannot be chosen, "" when it can
	what string // what it says or does
}

// blank is a text box of a form.
type blank struct {
	label   string
	hint    string
	field   field
	least   int    // characters it must hold
	because string // why so many, "" where that goes without saying
	high    int    // lines it is shown in
	sealed  bool   // it is typed, never pasted
	shown   func() bool
}

// form is what every dialog that leads to a record is made of: something to choose, text boxes, what will be written, the button, and Cancel. It begins on
// Cancel, the last of them, from which Tab goes round to the first; it names what is missing before the button can be pressed.
type form struct {
	*app
	title  string
	head   func(*sheet)
	picks  []pick
	at     int // the pick that the cursor is on
	chosen int // -1: none
	blanks []*blank
	focus  int
	first  int // the first pick that is seen
	top    int // the first line of the head that is seen

	label   func() string // of the button
	missing func() string // why the button cannot be pressed, besides what the form sees itself
	written func() string // what a press will write
	submit  func() tea.Cmd
	failed  string // what became of the last press, when it was nothing good
	sending string // what is being done, "" while nothing is
}

// Where the keys go. Fields follow the picks, the button follows the fields, and Cancel, where they begin, the button.
const (
	onCancel = iota
	onPicks
	onBlanks
)

func (f *form) Wary() bool { return true }

// visible are the boxes that the choice asks for.
func (f *form) visible() []*blank {
	var out []*blank
	for _, b := range f.blanks {
		if b.shown == nil || b.shown() {
			out = append(out, b)
		}
	}
	return out
}

func (f *form) onButton() int { return onBlanks + len(f.visible()) }

// blank is the text box that keys go to, nil when they go elsewhere.
func (f *form) blank() *blank {
	if bs := f.visible(); f.focus >= onBlanks && f.focus-onBlanks < len(bs) {
		return bs[f.focus-onBlanks]
	}
	return nil
}

// lacks says why the button cannot be pressed, "" when it can.
func (f *form) lacks() string {
	if f.sending != "" {
		return f.sending
	}
	if len(f.picks) > 0 && f.chosen < 0 {
		return "choose one of the above first"
	}
	if why := f.missing(); why != "" {
		return why
	}
	for _, b := range f.visible() {
		if n := utf8.RuneCountInString(strings.TrimSpace(b.field.value())); n < b.least {
			if b.least == 1 {
				return b.label + " is missing"
			}
			if b.because != "" {
				return fmt.Sprintf("%s: %d characters or more, %d so far; %s", b.label, b.least, n, b.because)
			}
			return fmt.Sprintf("%s: %d characters or more, %d so far", b.label, b.least, n)
		}
	}
	return ""
}

// Key takes a key. Enter presses a button only where presses says that it was meant.
func (f *form) Key(k string, presses bool) tea.Cmd {
	if f.sending != "" {
		f.say(paint.Warn, f.sending+": what becomes of it is told here")
		return nil
	}
	n := f.onButton() + 1
	switch k {
	case "esc":
		f.leave()
		return nil
	case "tab":
		f.turn(1, n)
		return nil
	case "shift+tab":
		f.turn(-1, n)
		return nil
	case "pgup", "pgdown":
		f.top = max(0, f.top+map[string]int{"pgup": -3, "pgdown": 3}[k])
		return nil
	}
	switch b := f.blank(); {
	case b != nil:
		f.typed(b, k)
		return nil
	case f.focus == onPicks:
		f.choose(k)
		return nil
	}
	return f.onButtons(k, presses)
}

// turn goes to the next place that takes keys.
func (f *form) turn(by, n int) {
	f.focus = (f.focus + by + n) % n
	if f.focus == onPicks && len(f.picks) == 0 {
		f.focus = (f.focus + by + n) % n
	}
}

func (f *form) typed(b *blank, k string) {
	if k == "enter" {
		f.say(paint.Faint, "enter presses buttons only: tab goes on")
		return
	}
	if k == "up" || k == "down" {
		f.turn(map[string]int{"up": -1, "down": 1}[k], f.onButton()+1)
		return
	}
	b.field.key(k)
}

// choosing reports whether a key chooses the pick that the cursor is on.
func (f *form) choosing(k string) bool {
	return f.focus == onPicks && f.sending == "" && (k == " " || k == "enter" || k == "right")
}

func (f *form) choose(k string) {
	switch k {
	case "up", "k":
		f.at = max(f.at-1, 0)
	case "down", "j":
		f.at = min(f.at+1, len(f.picks)-1)
	case "home":
		f.at = 0
	case "end":
		f.at = len(f.picks) - 1
	case " ", "enter", "right":
		if why := f.picks[f.at].off; why != "" {
			f.say(paint.Bad, f.picks[f.at].word+" is refused: "+why)
			return
		}
		if k == "enter" {
			f.say(paint.Faint, "chosen: tab goes on, and enter presses buttons only")
		}
		f.chosen = f.at
		f.failed = ""
	}
}

func (f *form) onButtons(k string, presses bool) tea.Cmd {
	switch k {
	case "left":
		f.focus = f.onButton()
	case "right":
		f.focus = onCancel
	case "up", "down":
		if f.focus == onCancel && len(f.picks) > 0 {
			f.focus = onPicks
		}
	case "enter", " ":
		switch {
		case f.focus == onCancel:
			f.leave()
		case !presses:
			f.say(paint.Warn, "the key was still repeating: press it once more")
		case f.lacks() != "":
			f.say(paint.Warn, f.lacks())
		default:
			f.failed = ""
			return f.submit()
		}
	}
	return nil
}

// leave closes the dialog, and says that it did nothing: Cancel looks much as the button beside it.
func (f *form) leave() {
	f.close()
	f.say(paint.Text, "cancelled: nothing was recorded")
}

// Paste goes into a text box and nowhere else; what must be typed cannot be pasted.
func (f *form) Paste(s string) tea.Cmd {
	b := f.blank()
	switch {
	case b == nil || f.sending != "":
		f.say(paint.Warn, "pasted text does nothing here: go to a text box with tab")
	case b.sealed:
		f.say(paint.Warn, "this is typed, not pasted")
	default:
		if left := b.field.paste(s); left > 0 {
			f.say(paint.Warn, fmt.Sprintf("%d characters that cannot be shown were left out", left))
		}
	}
	return nil
}

func (f *form) Hint() string {
	switch {
	case f.sending != "":
		return f.sending
	case f.blank() != nil:
		return "type · tab next field · shift+tab back · esc cancels and keeps the text"
	case f.focus == onPicks:
		return "↑↓ look · space chooses · tab goes on · pgup pgdn its head · esc cancels"
	}
	if f.focus == onCancel && len(f.picks) > 0 && f.chosen < 0 {
		return "tab or ↓ goes to the choices · enter or esc cancels"
	}
	return "tab goes on · ←→ buttons · enter presses the marked one · esc cancels"
}

// Draw paints the form.
func (f *form) Draw(a paint.Area) {
	s := newSheet(max(1, min(a.W()-8, 96)))
	f.head(s)
	in := f.box(a, 100, f.high(s), f.title, f.whose(a.W()))
	y := 0
	if f.failed != "" {
		y = in.Wrapped(0, y, paint.Bad, f.failed)
	}
	foot := f.footHeight(in.W(), in.H(), in.H() < 16)
	most := max(2, in.H()/4)
	if len(f.picks) == 0 {
		most = max(2, in.H()-y-foot)
	}
	head := min(len(s.lines), most)
	f.top = s.draw(in.Sub(0, y, in.W(), head), f.top, f.glyphs)
	y += head
	picks := in.Sub(0, y, in.W(), max(0, in.H()-y-foot))
	if len(f.picks) > 0 {
		f.drawPicks(picks)
	}
	f.drawFoot(in.Sub(0, in.H()-foot, in.W(), foot), in.H() < 16)
}

// whose says as whom and on what is recorded, beside the title in a width: the header leaves it out where it is narrow.
func (f *form) whose(w int) string {
	room := w - 8 - text.Width(f.title)
	if w >= 80 { // the frame is narrower than the screen
		room = min(w-4, 100) - 8 - text.Width(f.title)
	}
	actor, on := text.SafeString(f.opt.Actor), text.SafeString(f.name())
	if actor == "" {
		return text.Truncate("on "+on, room)
	}
	room -= text.Width("as  on ")
	half := room / 2
	who := text.Truncate(actor, max(half, room-text.Width(on)))
	return "as " + who + " on " + text.Truncate(on, room-text.Width(who))
}

// high is how many lines the form would like.
func (f *form) high(s *sheet) int {
	n := len(s.lines) + f.footHeight(s.w, 60, false)
	if f.failed != "" {
		n += len(text.Wrap(f.failed, s.w))
	}
	if len(f.picks) > 0 {
		n += len(f.picks) + 4
	}
	return n
}

// footHeight is how many lines boxes, what will be written, and buttons take; three are left for the rest. Where it is tight a box has one line, and what
// will be written gives way to the choices while keys go to them.
func (f *form) footHeight(w, h int, tight bool) int {
	n := 1 + f.lacking(w-2) // buttons, what is missing
	for _, b := range f.visible() {
		n += b.lines(tight)
	}
	return min(n+f.writing(w-2, tight), h-3)
}

// writing is how many lines of what will be written are shown.
func (f *form) writing(w int, tight bool) int {
	most := 4
	switch {
	case tight && len(f.picks) > 0 && (f.focus == onPicks || f.chosen < 0):
		most = 0
	case tight:
		most = 5
	}
	return min(len(text.Wrap(f.written(), w)), most)
}

// lacking is how many lines what is missing takes; one is kept for it where nothing is, so that nothing moves when it comes.
func (f *form) lacking(w int) int { return min(max(1, len(text.Wrap(f.lacks(), w))), 4) }

// lines is how many lines the box is shown in.
func (b *blank) lines(tight bool) int {
	if tight {
		return 1
	}
	return b.high
}

func (f *form) drawPicks(a paint.Area) {
	if a.H() < 1 {
		return
	}
	list, note := a, paint.Area{}
	switch {
	case a.H() >= 8:
		list, note = a.Bottom(3)
	case a.H() >= 4:
		list, note = a.Bottom(2)
	}
	h := list.H()
	f.first = max(0, min(min(max(f.first, f.at-h+1), f.at), len(f.picks)-h))
	wide := 0
	for _, p := range f.picks {
		wide = max(wide, text.Width(p.word))
	}
	for y := 0; y < h && f.first+y < len(f.picks); y++ {
		i := f.first + y
		p := f.picks[i]
		row := list.Sub(0, y, list.W()-1, 1)
		if i == f.at && f.focus == onPicks {
			row.Put(0, 0, paint.Strong, f.glyphs.Cursor)
		}
		box, st := "( )", paint.Text
		if i == f.chosen {
			box, st = "(x)", paint.Strong
		}
		what, wst := p.what, paint.Faint
		if p.off != "" { // nothing to choose, so no box
			box, st, what, wst = "   ", paint.Faint, "refused: "+p.off, paint.Bad
		}
		x := row.Puts(2, 0, paint.Piece{Style: st, Text: box + " " + text.Pad(p.word, wide)})
		row.Put(x+2, 0, wst, what)
		if i == f.at && f.focus == onPicks {
			row.Select(0)
		}
	}
	scrollbar(list.Sub(list.W()-1, 0, 1, h), f.first, len(f.picks), f.glyphs)
	if note.H() > 0 {
		p := f.picks[f.at]
		st, what := paint.Text, p.what
		if p.off != "" {
			st, what = paint.Bad, p.word+" is refused: "+p.off
		}
		note.Wrapped(2, 0, st, what)
	}
}

func (f *form) drawFoot(a paint.Area, tight bool) {
	y, why := 0, f.lacks() // which says what is to be typed, too
	for i, b := range f.visible() {
		focused := f.focus == onBlanks+i
		st := paint.Faint
		if focused {
			st = paint.Focus
			a.Put(0, y, paint.Strong, f.glyphs.Cursor)
		}
		x := a.Put(2, y, st, text.Pad(b.label, 10))
		b.field.drawLines(a.Sub(x+1, y, a.W()-x-1, b.lines(tight)), focused, b.hint)
		y += b.lines(tight)
	}
	short := min(f.lacking(a.W()-2), max(1, a.H()-1-y-f.writing(a.W()-2, tight))) // a record's consequence goes before why it cannot be made yet
	lines := min(len(text.Wrap(f.written(), a.W()-2)), a.H()-y-1-short)
	if lines > 0 {
		a.Sub(2, y, a.W()-2, lines).Wrapped(0, 0, paint.Text, f.written())
	}
	st := paint.Warn
	if f.sending != "" {
		st = paint.Strong
	}
	a.Sub(2, a.H()-1-short, a.W()-2, short).Wrapped(0, 0, st, why)
	f.buttons(a.Sub(0, a.H()-1, a.W(), 1), why == "")
}

// buttons draws the named button, and Cancel at the end. Only the one in focus looks as if Enter pressed it.
func (f *form) buttons(a paint.Area, armed bool) {
	label := "[ " + f.label() + " ]"
	cancel := "[ Cancel ]"
	x := a.W() - text.Width(label) - text.Width(cancel) - 4
	cst, lst := paint.Button, paint.Button
	if !armed {
		label, lst = "( "+f.label()+" )", paint.ButtonOff
	}
	switch {
	case f.focus == onCancel:
		cst = paint.ButtonOn
		a.Put(x+text.Width(label)+2, 0, paint.Strong, f.glyphs.Cursor)
	case f.focus == f.onButton():
		a.Put(x-1, 0, paint.Strong, f.glyphs.Cursor)
		if armed {
			lst = paint.ButtonOn
		}
	}
	a.Put(x, 0, lst, label)
	a.Put(x+text.Width(label)+3, 0, cst, cancel)
}
