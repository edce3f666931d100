package tui

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/report"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/text"
	"example.com/idemctl/internal/tui/keymap"
	"example.com/idemctl/internal/tui/paint"
)

// The panes below the records. Their numbers count from behind the last record.
const (
	paneTimeline = iota
	paneWhy
	paneOptions
	lowerPanes
)

// caseView is one case: its records side by side, the timeline that links them, why it is a case, and what may be decided.
type caseView struct {
	*app
	queue  *queue // whose next case is the next one; nil for a case of the past
	id     string
	c      *scan.Case // as it is shown: no text of it holds a key that is a secret
	wrong  string
	past   string // what this case is a picture of; "" for the present
	pastAt reconcile.Instant
	focus  int // the pane that keys go to
	lower  int // the lower pane that is seen where there is room for one
	event  int
	tops   map[int]int
	zoom   bool
	only   bool
	raw    bool
	column int  // the first record column that is seen
	width  int  // of the last drawing, for the number of columns
	alone  bool // the last drawing had room for one pane
}

func newCaseView(a *app, q *queue, id string) *caseView {
	v := &caseView{app: a, queue: q, lower: paneOptions}
	v.show(id)
	return v
}

// show turns to a case.
func (v *caseView) show(id string) {
	v.id, v.wrong = id, ""
	v.take(v.cases[id])
	v.coach.shown(v.c)
	v.event, v.column, v.tops = -1, 0, make(map[int]int)
	if v.focus < len(v.columns()) || v.c == nil {
		v.focus = 0
	}
}

// take keeps a case as it is shown; nil for one that is still to be read.
func (v *caseView) take(c *scan.Case) {
	v.c = nil
	if c != nil {
		v.c = report.Masked(c)
		v.opened[c.CaseID] = c.Digest
	}
}

// clock is the time that exposure is measured by: of a picture, the time of the picture.
func (v *caseView) clock() reconcile.Instant {
	if v.past != "" {
		return v.pastAt
	}
	return v.now()
}

// need reads the case, unless it has been read.
func (v *caseView) need() tea.Cmd {
	if v.c != nil || v.past != "" {
		return nil
	}
	return v.readCase(context.WithoutCancel(v.ctx), v.id)
}

func (v *caseView) Title(room int) string {
	if v.past != "" {
		return "as it was"
	}
	if v.c != nil {
		return identity(v.c.Identity, min(room, 60), v.glyphs.Separator)
	}
	return text.Truncate(text.SafeString(v.id), 16)
}

func (v *caseView) Scope() keymap.Scope { return keymap.Case }

// Hints are the keys of the footer.
func (v *caseView) Hints() []keymap.ID {
	if v.past != "" {
		return []keymap.ID{keymap.NextPane, keymap.Later, keymap.Raw, keymap.Zoom, keymap.Back}
	}
	hints := []keymap.ID{keymap.DecideCase, keymap.NextPane, keymap.Back, keymap.Later, keymap.NextCase, keymap.Only, keymap.Raw, keymap.Zoom, keymap.Copy}
	if v.live(v.id) != nil {
		hints = append([]keymap.ID{keymap.DecideCase, keymap.Withdraw, keymap.Outcome, keymap.GoAudit}, hints[1:]...)
	}
	return hints
}

// State tells what may be done with the case.
func (v *caseView) State(s *keymap.State) {
	s.Rows, s.Case = 1, v.c != nil
	if v.queue != nil {
		s.Filtering = v.queue.stale()
	}
	if v.live(v.id) != nil {
		s.Live, s.Stands = true, v.standsOn(v.id)
	}
	if v.past != "" {
		s.Desk = "this is a picture of the past: open the case itself to decide"
	}
}

// Recv takes the case when it has been read, here or again.
func (v *caseView) Recv(msg any) tea.Cmd {
	switch m := msg.(type) {
	case caseRead:
		if m.id != v.id || m.load != v.load || v.past != "" {
			return nil
		}
		if m.err != nil {
			v.c, v.wrong = nil, text.Once(m.err.Error())
			return nil
		}
		v.wrong = ""
		v.take(m.c)
		v.coach.shown(v.c)
	}
	return nil
}

// again reads the case once more, out of a new reading. What was shown before stays until then; a case that is none any more is not shown as if it were.
func (v *caseView) again() tea.Cmd {
	if v.past != "" {
		return nil
	}
	return v.readCase(context.WithoutCancel(v.ctx), v.id)
}

// Do acts.
func (v *caseView) Do(id keymap.ID) tea.Cmd {
	switch id {
	case keymap.DecideCase:
		v.ask(newDecide(v.app, []*scan.Case{v.c}))
	case keymap.Withdraw:
		v.ask(newWithdraw(v.app, v.live(v.id)))
	case keymap.Outcome:
		v.ask(newOutcome(v.app, v.live(v.id)))
	case keymap.NextCase:
		return v.step(1)
	case keymap.PriorCase:
		return v.step(-1)
	case keymap.NextPane:
		v.turn(1)
	case keymap.PriorPane:
		v.turn(-1)
	case keymap.Later:
		v.walk(1)
	case keymap.Earlier:
		v.walk(-1)
	case keymap.Only:
		v.only = !v.only
	case keymap.Zoom:
		v.zoom = !v.zoom
	case keymap.Raw:
		v.raw = !v.raw
	default:
		v.scroll(id)
	}
	return nil
}

// step goes to another case of the queue. The queue's cursor goes along.
func (v *caseView) step(by int) tea.Cmd {
	q := v.queue
	if q == nil {
		return nil
	}
	at := q.place + by
	if at < 0 || at >= q.view.Len() {
		v.say(paint.Text, "no other case that way")
		return nil
	}
	q.place = at
	v.show(q.cursorID())
	return tea.Batch(v.need(), q.look())
}

func (v *caseView) panes() int { return len(v.columns()) + lowerPanes }

func (v *caseView) turn(by int) {
	n := v.panes()
	v.focus = (v.focus + by + n) % n
	if low := v.focus - len(v.columns()); low >= 0 {
		v.lower = low
	}
}

// walk goes to another event of the timeline, and to the record that it stands in.
func (v *caseView) walk(by int) {
	events := v.events()
	if len(events) == 0 {
		return
	}
	v.event = min(max(v.event+by, 0), len(events)-1)
	if e := events[v.event]; e.column >= 0 {
		v.focus = e.column
	}
	v.lower = paneTimeline
	v.tops[len(v.columns())+paneTimeline] = max(0, v.event-2)
}

func (v *caseView) scroll(id keymap.ID) {
	const page = 5
	v.tops[v.focus] = max(0, v.tops[v.focus]+shift(id, page))
}

// Draw paints what must be known before anything is decided, then the panes.
func (v *caseView) Draw(a paint.Area) {
	v.width = a.W()
	in := a.Sub(1, 0, a.W()-2, a.H())
	if v.c == nil {
		what := "Reading the case."
		if v.wrong != "" {
			what = "The case could not be read: " + v.wrong
		}
		in.Wrapped(0, 0, paint.Text, what)
		return
	}
	y := v.head(in)
	if v.zoom {
		v.pane(in.Sub(0, y, in.W(), in.H()), v.focus)
		return
	}
	room := in.H() - y
	v.alone = room < 10
	switch {
	case v.alone:
		v.pane(in.Sub(0, y, in.W(), room), v.focus)
	default:
		upper := min(max(room*9/20, 5), v.tallest()+1)
		v.records(in.Sub(0, y, in.W(), upper))
		v.below(in.Sub(0, y+upper, in.W(), room-upper))
	}
}

// head draws the title, the four sentences, legs and decision. It returns the line behind them.
func (v *caseView) head(a paint.Area) int {
	c := v.c
	glyph, word, _, st := v.severity(c.Severity)
	x := a.Puts(0, 0, paint.Piece{Style: st, Text: glyph + " " + word + "  "}, paint.Piece{Style: paint.Strong, Text: c.Headline().String()}, paint.Piece{Text: "  "},
		paint.Piece{Style: paint.Money, Text: report.Money(c.Amount)}, paint.Piece{Text: "  "})
	cell, st := exposed(c.Exposure, v.clock())
	if c.Exposure.State != reconcile.ExposureNone {
		x = a.Puts(x, 0, paint.Piece{Text: "exposed "}, paint.Piece{Style: st, Text: cell + "  "})
	}
	right := ""
	if v.queue != nil {
		right = fmt.Sprintf("%s of %s", count(int64(v.queue.place+1)), count(int64(v.queue.view.Len())))
	}
	also := ""
	for _, k := range c.Kinds[1:] {
		also += " +" + k.String()
	}
	a.PutIn(x, 0, a.W()-x-text.Width(right)-1, paint.Warn, also)
	if x-1+text.Width(right) <= a.W() { // the text ends in spaces
		a.PutRight(a.W(), 0, paint.Faint, right)
	}
	y := 1
	if v.past != "" {
		a.Put(0, y, paint.Caution, v.past)
		y++
	}
	unknown := report.NotKnown(c)
	if v.past != "" {
		unknown += " Which rules could not judge it is not kept."
	}
	for _, s := range [][2]string{
		{"known", report.Known(c)}, {"not known", unknown}, {"retry now", report.RetryNow(c.RetryNow)}, {"until when", v.until(a.W())},
	} {
		y = v.sentenceIn(a, y, headLines(a.H()), s[0], s[1])
	}
	y = v.legs(a, y, c)
	if a.H() >= 16 && v.past == "" {
		y = v.standing(a, y, headLines(a.H()), v.id)
	}
	return y
}

// headLines is how many lines a sentence above the panes may take in a height.
func headLines(h int) int {
	switch {
	case h < 18:
		return 1
	case h < 28:
		return 2
	}
	return 4
}

// until says how long a retry can double the action, the time that is left first where the sentence would be cut.
func (v *caseView) until(w int) string {
	cell, _ := exposed(v.c.Exposure, v.clock())
	if w < 64 && v.c.Exposure.State == reconcile.ExposureUntil && cell != "ended" {
		return cell + " left, until " + stamp(v.c.Exposure.Until)
	}
	if w < 84 && v.c.Exposure.State == reconcile.ExposureUntil && cell != "ended" {
		return cell + " left: it can be executed again until " + stamp(v.c.Exposure.Until)
	}
	return report.UntilWhen(v.c, v.clock())
}

// below draws the lower panes: three side by side, or the one looked at last.
func (v *caseView) below(a paint.Area) {
	n := len(v.columns())
	if a.W() < 100 {
		v.pane(a, n+v.lower)
		return
	}
	third := (a.W() - 2) / 3
	x := 0
	for i, w := range []int{third - 2, third - 2, a.W() - 2*(third-1)} {
		v.pane(a.Sub(x, 0, w-1, a.H()), n+i)
		x += w + 1
	}
}
