package tui

import (
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/idemctl/internal/query"
	"example.com/idemctl/internal/scenario"
	"example.com/idemctl/internal/text"
	"example.com/idemctl/internal/tui/keymap"
	"example.com/idemctl/internal/tui/paint"
)

// filterLimit is how long a filter may be.
const filterLimit = 500

// filterLine is the line in which a filter is typed. Esc gives back the filter that stood before.
type filterLine struct {
	open    bool
	pending bool // a letter was typed, and what it asks for has not been asked yet
	field   field
	before  string
	wrong   string // why the text is no filter
	gen     int    // of the pause behind the last letter
	picked  int    // the completion that tab takes next
	from    int
	list    []query.Completion
	back    int // how far into the history
}

func newFilterLine() filterLine { return filterLine{field: newField(filterLimit)} }

func (f *filterLine) begin(now string) {
	f.open, f.before, f.wrong, f.back = true, now, "", 0
	f.field.set(now)
	if now != "" {
		f.field.set(now + " ")
	}
}

// typing reports whether keys are letters of the filter.
func (q *queue) typing() bool { return q.filter.open }

// filtered reports whether a filter hides cases.
func (q *queue) filtered() bool { return !q.choice.Query.All() }

// clear takes the filter away.
func (q *queue) clear() tea.Cmd { return q.apply("") }

// key takes a key of the filter line.
func (q *queue) key(k string) tea.Cmd {
	f := &q.filter
	switch k {
	case "esc":
		f.open = false
		return q.apply(f.before)
	case "enter":
		cmd := q.apply(f.field.value())
		if f.wrong != "" {
			q.say(paint.Bad, f.wrong)
			return cmd
		}
		f.open = false
		q.coach.see(scenario.Event{Sight: scenario.Filtered})
		q.remember(q.choice.Query.String())
		return cmd
	case "tab", "shift+tab":
		q.fillIn(k == "tab")
	case "up", "down":
		if f.picked = 0; len(q.past) > 0 {
			q.recallFilter(k == "up")
		}
	default:
		f.field.key(k)
	}
	return q.edited()
}

// typed takes pasted text: it is text, and asks for nothing that typing would not.
func (q *queue) typed(s string) tea.Cmd {
	if left := q.filter.field.paste(s); left > 0 {
		q.say(paint.Warn, fmt.Sprintf("%d characters that cannot be shown were left out", left))
	}
	return q.edited()
}

// edited follows a change of the text: it is read at once, and asked for when no letter has come for a while.
func (q *queue) edited() tea.Cmd {
	f := &q.filter
	s := f.field.value()
	f.from, f.list = query.Complete(s, len(s), q.components())
	f.wrong = ""
	if _, err := query.Parse(s, q.components()); err != nil {
		f.wrong = err.Error()
	}
	f.gen++
	f.pending = true
	return q.pause(f.gen)
}

func (q *queue) settled(m settle) tea.Cmd {
	if m.gen != q.filter.gen || !q.filter.open {
		return nil
	}
	return q.apply(q.filter.field.value())
}

// apply makes a text the filter; one that is wrong leaves the list as it is.
func (q *queue) apply(s string) tea.Cmd {
	q.filter.pending = false
	parsed, err := query.Parse(s, q.components())
	if err != nil {
		q.filter.wrong = err.Error()
		return nil
	}
	q.filter.wrong = ""
	if parsed.String() == q.choice.Query.String() {
		return nil
	}
	q.choice.Query = parsed
	return q.relist()
}

// components are the names that identities have here.
func (q *queue) components() []string { return q.rows.Components() }

// fillIn puts the next completion in place of the word that was begun.
func (q *queue) fillIn(ahead bool) {
	f := &q.filter
	if len(f.list) == 0 {
		return
	}
	if !ahead {
		f.picked = (f.picked + len(f.list) - 1) % len(f.list)
	}
	s := f.field.value()
	f.field.set(s[:f.from] + f.list[f.picked%len(f.list)].Text)
}

// pastFilters is how many filters are kept to be called back.
const pastFilters = 50

func (q *queue) remember(s string) {
	if s == "" {
		return
	}
	q.past = slices.DeleteFunc(q.past, func(old string) bool { return old == s })
	q.past = append(q.past, s)
	q.past = q.past[max(0, len(q.past)-pastFilters):]
}

// recallFilter puts an earlier filter into the line. It asks for nothing until it is taken.
func (q *queue) recallFilter(older bool) {
	f := &q.filter
	if older {
		f.back = min(f.back+1, len(q.past))
	} else {
		f.back = max(f.back-1, 0)
	}
	if f.back > 0 {
		f.field.set(q.past[len(q.past)-f.back])
	} else {
		f.field.set("")
	}
}

// draw paints the filter with its state, and the counts.
func (f *filterLine) draw(a paint.Area, q *queue) {
	counts := f.counts(q)
	room := a.W() - 2 - text.Width(counts)
	a.PutRight(a.W()-1, 0, paint.Faint, counts)
	x := a.Puts(1, 0, paint.Piece{Style: paint.Hint, Text: q.keys.Short(keymap.Filter)}, paint.Piece{Text: " "})
	if f.open {
		st := paint.Input
		f.field.draw(a.Sub(x, 0, room-x-3, 1), st, true)
		sign, st := q.glyphs.Present, paint.Good
		if f.wrong != "" {
			sign, st = q.glyphs.Absent, paint.Bad
		}
		a.Put(room-2, 0, st, sign)
		return
	}
	if s := q.choice.Query.String(); s != "" {
		a.PutIn(x, 0, room-x, paint.Strong, text.SafeString(s))
		return
	}
	a.PutIn(x, 0, room-x, paint.Faint, "no filter: all cases")
}

func (f *filterLine) counts(q *queue) string {
	all := int64(q.rows.Len())
	s := counted(all, "case")
	if !q.choice.Query.All() {
		s = count(int64(q.view.Len())) + " of " + s
	}
	if q.stale() {
		s = "filtering… " + s
	}
	if n := q.marks.Len(); n > 0 {
		s += " · " + count(int64(n)) + " marked"
	}
	if q.first > 0 && q.loading {
		s += " · more are coming"
	}
	return s
}

// drawHelp paints what is wrong, or what could stand next, and returns what is left of the area.
func (f *filterLine) drawHelp(a paint.Area) paint.Area {
	lines := min(max(len(f.list), 1), 6, max(1, a.H()-6))
	top, rest := a.Top(lines)
	if f.wrong != "" {
		top, rest = a.Top(2)
		top.Wrapped(3, 0, paint.Bad, text.SafeString(f.wrong))
		return rest
	}
	if len(f.list) == 0 {
		top.Put(3, 0, paint.Faint, "a filter is fields and words side by side: severity>=high tenant:north-* age>2h")
		return rest
	}
	for y := range lines {
		if y == lines-1 && len(f.list) > lines {
			top.Put(3, y, paint.Faint, fmt.Sprintf("… %d more", len(f.list)-y))
			break
		}
		x := top.PutIn(3, y, 24, paint.Strong, text.SafeString(f.list[y].Text))
		top.Put(max(x+1, 26), y, paint.Faint, text.SafeString(f.list[y].Help))
	}
	return rest
}
