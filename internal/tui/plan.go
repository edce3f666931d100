package tui

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/idemctl/internal/tui/paint"
)

// maxPlan is how many cases one plan may hold: what nobody can look through is not decided at once.
const maxPlan = 500

// decide opens the dialog about the marked cases, or the one under the cursor, once they have been read.
func (q *queue) decide() tea.Cmd {
	var ids []string
	q.settledMarks = 0
	for row := range q.marks.All() {
		if id := q.rows.ID(row); q.standsOn(id) {
			q.settledMarks++
		} else {
			ids = append(ids, id)
		}
	}
	switch {
	case len(ids) == 0 && q.settledMarks > 0:
		q.say(paint.Warn, "all that is marked is decided, on the evidence as it is: withdraw a decision in its case to decide anew")
		return nil
	case len(ids) == 0:
		ids = append(ids, q.cursorID())
	}
	if len(ids) > maxPlan {
		q.say(paint.Warn, fmt.Sprintf("%s marked: a plan holds at most %d, so that it can be looked through", counted(int64(len(ids)), "case"), maxPlan))
		return nil
	}
	q.planGen++
	q.say(paint.Faint, "reading "+counted(int64(len(ids)), "case")+"…")
	return q.readCases(q.planGen, ids)
}

// planned opens the dialog. What was asked for before something else was done meanwhile is dropped.
func (q *queue) planned(m casesRead) {
	if m.gen != q.planGen || m.load != q.load {
		return
	}
	if m.err != nil {
		q.say(paint.Bad, m.err.Error())
		return
	}
	q.notice = notice{}
	d := newDecide(q.app, m.cases)
	d.settledBeside = q.settledMarks
	q.ask(d)
}
