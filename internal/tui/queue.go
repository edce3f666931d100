package tui

import (
	"context"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/idemctl/internal/tui/caselist"
	"example.com/idemctl/internal/tui/keymap"
	"example.com/idemctl/internal/tui/paint"
)

// queue is the list of cases to decide.
type queue struct {
	*app
	view    caselist.View
	rows    *caselist.Snapshot // the rows that view lists
	choice  caselist.Choice
	gen     int // of the filter that was asked for last
	shown   int // of the filter that is shown
	stop    func()
	marks   caselist.Marks
	anchor  int // the row marked last, for a range; -1 = none
	place   int // of the cursor in the view
	first   int // the first place on the screen
	high    int // lines of the grid when it was last drawn
	need    wants
	preview bool
	filter  filterLine
	past    []string // filters that were kept
	reading string   // the case that is being read for the preview
	stopOne func()
	carried carried
	planGen int // of the plan that was asked for last
	// settledMarks are the marked cases that are left out of that plan, since a decision stands on them.
	settledMarks int
}

// carried is what outlives a reading: ids, since rows belong to one reading.
type carried struct {
	cursor string
	marks  map[string]bool
}

func newQueue(a *app) *queue {
	return &queue{app: a, anchor: -1, preview: true, rows: a.rows, filter: newFilterLine(), stop: func() {}, stopOne: func() {}}
}

func (q *queue) Title(int) string    { return "Queue" }
func (q *queue) Scope() keymap.Scope { return keymap.Queue }

// Hints are the keys of the footer.
func (q *queue) Hints() []keymap.ID {
	if q.filter.open {
		return nil
	}
	hints := []keymap.ID{keymap.OpenCase, keymap.Decide, keymap.Filter, keymap.Mark, keymap.Sort, keymap.NextOpen, keymap.GoAudit, keymap.GoSources}
	if q.manifest != nil && len(q.manifest.Gaps) > 0 {
		hints = slices.Insert(hints, 3, keymap.GoRestore)
	}
	return append(hints, keymap.Quit, keymap.Copy)
}

// State tells what the queue has.
func (q *queue) State(s *keymap.State) {
	s.Rows, s.Marked, s.Filtering = q.view.Len(), q.marks.Len(), q.stale()
	if id := q.cursorID(); id != "" {
		s.Case = q.cases[id] != nil
		s.Live = q.live(id) != nil
		s.Stands = q.standsOn(id)
	}
}

// stale reports whether the rows shown are not those that the filter asks for.
func (q *queue) stale() bool { return q.gen != q.shown || q.filter.pending }

// renew begins a new list: the rows of another reading. Cursor and marks are kept by id.
func (q *queue) renew() {
	keep := carried{cursor: q.cursorID(), marks: make(map[string]bool)}
	for row := range q.marks.All() {
		keep.marks[q.rows.ID(row)] = true
	}
	if keep.cursor == "" {
		keep.cursor = q.carried.cursor
	}
	for id := range q.carried.marks {
		keep.marks[id] = true
	}
	q.carried = keep
	q.marks.Clear()
	q.anchor, q.place, q.first, q.need = -1, 0, 0, wants{}
	q.rows = q.app.rows
	q.view = caselist.All(q.rows)
	q.choice.Now = q.now()
	q.shown = q.gen
}

// grow lists rows that arrived.
func (q *queue) grow(from int) tea.Cmd {
	q.rows = q.app.rows
	before := q.view.Len()
	q.view = q.rows.Extend(q.view, from, q.choice)
	if len(q.carried.marks) > 0 || q.carried.cursor != "" {
		q.recognise(from)
	}
	if before == 0 && q.view.Len() > 0 {
		return q.look()
	}
	return nil
}

// recognise finds the cursor's case and the marked ones among rows that arrived.
func (q *queue) recognise(from int) {
	for row := from; row < q.rows.Len(); row++ {
		id := q.rows.ID(row)
		if q.carried.marks[id] {
			q.marks.Set(row, true)
			delete(q.carried.marks, id)
		}
		if id == q.carried.cursor {
			if at := q.view.Place(row); at >= 0 {
				q.place = at
			}
			q.carried.cursor = ""
		}
	}
}

// complete follows the last row: what was listed as it came gets its order.
func (q *queue) complete() tea.Cmd {
	if n := len(q.carried.marks); n > 0 {
		q.say(paint.Warn, fmt.Sprintf("%s no longer a case; the mark is gone with it", counted(int64(n), "marked case is")))
	}
	if q.carried.cursor != "" && q.view.Len() > 0 {
		q.say(paint.Warn, "the case under the cursor is no longer one")
	}
	q.carried = carried{}
	if q.choice.Plain() && !q.rows.Rests() {
		return q.look()
	}
	return q.relist()
}

// relist lists anew by the present choice.
func (q *queue) relist() tea.Cmd {
	q.stop()
	ctx, stop := context.WithCancel(q.ctx)
	q.stop = stop
	q.gen++
	q.choice.Now = q.now()
	q.rows = q.app.rows
	return q.choose(ctx, q.gen, q.choice)
}

// redecided follows a change of what is decided.
func (q *queue) redecided() tea.Cmd {
	q.rows = q.app.rows
	if q.loading || (q.choice.Plain() && !q.rows.Rests() && q.view.Plain()) {
		return nil
	}
	return q.relist()
}

// Recv takes a filter's rows, and the case for the preview.
func (q *queue) Recv(msg any) tea.Cmd {
	switch m := msg.(type) {
	case listed:
		if m.gen != q.gen || m.load != q.load {
			return nil
		}
		if m.err != nil {
			return nil // it was cancelled by the next one
		}
		return q.list(m)
	case settle:
		return q.settled(m)
	case casesRead:
		q.planned(m)
	case answered:
		q.unmark(m)
	case caseRead:
		if m.id == q.reading {
			q.reading = ""
		}
		if m.err != nil && m.id == q.cursorID() && q.ctx.Err() == nil && m.load == q.load {
			q.say(paint.Bad, m.err.Error())
		}
	}
	return nil
}

// list shows what a filter chose. The cursor stays on its case; where that is not listed, on its place.
func (q *queue) list(m listed) tea.Cmd {
	row := q.cursorRow()
	offset := q.place - q.first
	q.view, q.shown, q.need = m.view, m.gen, wants{}
	if row >= 0 {
		if at := q.view.Place(row); at >= 0 {
			q.place = at
			q.first = max(0, at-offset)
		}
	}
	if m.rows.Len() < q.app.rows.Len() { // more arrived meanwhile
		q.view = q.app.rows.Extend(q.view, m.rows.Len(), q.choice)
	}
	q.rows = q.app.rows
	q.clamp()
	return q.look()
}

func (q *queue) clamp() {
	q.place = min(max(q.place, 0), max(q.view.Len()-1, 0))
}

// cursorRow returns the row under the cursor, -1 when there is none.
func (q *queue) cursorRow() int {
	if q.place >= q.view.Len() {
		return -1
	}
	return q.view.At(q.place)
}

func (q *queue) cursorID() string {
	if row := q.cursorRow(); row >= 0 {
		return q.rows.ID(row)
	}
	return ""
}

// look reads the case under the cursor for the preview.
func (q *queue) look() tea.Cmd {
	id := q.cursorID()
	if id == "" || id == q.reading || q.cases[id] != nil || q.result == nil {
		return nil
	}
	q.stopOne()
	ctx, stop := context.WithCancel(q.ctx)
	q.stopOne, q.reading = stop, id
	return q.readCase(ctx, id)
}

// Do acts.
func (q *queue) Do(id keymap.ID) tea.Cmd {
	switch id {
	case keymap.OpenCase:
		return q.open()
	case keymap.Mark:
		return q.mark()
	case keymap.MarkRange:
		return q.markRange()
	case keymap.MarkAll:
		for at := range q.view.Len() {
			q.marks.Set(q.view.At(at), true)
		}
		q.say(paint.Text, counted(int64(q.marks.Len()), "case")+" marked; "+q.keys.Short(keymap.Unmark)+" takes all marks away")
	case keymap.Unmark:
		q.marks.Clear()
		q.anchor = -1
	case keymap.Preview:
		q.preview = !q.preview
	case keymap.Filter:
		q.filter.begin(q.choice.Query.String())
	case keymap.Sort:
		q.choice.By, q.choice.Reverse = q.choice.By.Next(), false
		q.say(paint.Text, "ordered by "+q.choice.By.String())
		return q.reorder()
	case keymap.Reverse:
		q.choice.Reverse = !q.choice.Reverse
		return q.reorder()
	case keymap.NextOpen:
		return q.seek(1)
	case keymap.PriorOpen:
		return q.seek(-1)
	case keymap.Decide:
		return q.decide()
	default:
		return q.move(id)
	}
	return nil
}

// reorder lists anew once the sources are in; until then rows are listed as they come.
func (q *queue) reorder() tea.Cmd {
	if q.loading {
		q.say(paint.Warn, "the order changes when all cases are in")
		return nil
	}
	return q.relist()
}

func (q *queue) move(id keymap.ID) tea.Cmd {
	q.place += shift(id, max(1, q.high-1))
	q.clamp()
	return q.look()
}

func (q *queue) mark() tea.Cmd {
	row := q.cursorRow()
	q.marks.Set(row, !q.marks.Has(row))
	q.anchor = row
	return q.move(keymap.Down)
}

// unmark takes the marks of what was just decided away: the next plan is about the others.
func (q *queue) unmark(m answered) {
	for i := range m.answers {
		if row := q.rows.Find(m.answers[i].Case); row >= 0 && m.answers[i].Decision != nil {
			q.marks.Set(row, false)
		}
	}
}

func (q *queue) markRange() tea.Cmd {
	from := -1
	if q.anchor >= 0 {
		from = q.view.Place(q.anchor)
	}
	if from < 0 {
		q.say(paint.Warn, "the case marked last is not listed: nothing was marked")
		return nil
	}
	for at := min(from, q.place); at <= max(from, q.place); at++ {
		q.marks.Set(q.view.At(at), true)
	}
	return nil
}

// seek goes to the next case without a live decision, or with one whose evidence changed. Where there is none it says whether there are some the other way.
func (q *queue) seek(step int) tea.Cmd {
	if at := q.undecided(step); at >= 0 {
		q.place = at
		return q.look()
	}
	way, other, back := "below", "above", keymap.PriorOpen
	if step < 0 {
		way, other, back = "above", "below", keymap.NextOpen
	}
	said := "no other undecided case"
	if q.undecided(-step) >= 0 {
		said = "no undecided case " + way + "; " + q.keys.Short(back) + " goes to one " + other
	}
	q.say(paint.Text, said)
	return nil
}

// undecided is the place of the next undecided case in a direction, -1 where there is none.
func (q *queue) undecided(step int) int {
	for at := q.place + step; at >= 0 && at < q.view.Len(); at += step {
		if r := q.rows.Row(q.view.At(at)); !r.Decided.Live || r.Decided.Changed {
			return at
		}
	}
	return -1
}

func (q *queue) open() tea.Cmd {
	id := q.cursorID()
	s := newCaseView(q.app, q, id)
	q.push(s)
	return s.need()
}
