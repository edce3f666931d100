package tui

import (
	"cmp"
	"fmt"
	"sync/atomic"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/text"
	"example.com/idemctl/internal/tui/keymap"
	"example.com/idemctl/internal/tui/paint"
)

// logPage is how many entries are read at once.
const logPage = 500

// trail is the list of what was recorded, newest first.
type trail struct {
	*app
	entries []audit.Entry
	gen     int
	reading bool
	whole   bool // the oldest entry is among them
	wrong   string
	place   int
	first   int
	high    int
	check   *verifying
	report  *audit.Report
	badly   string // why the check could not be made
}

// verifying is a check that runs, as far as it got.
type verifying struct{ done, of atomic.Int64 }

func (p *verifying) note(done, of int64) {
	p.done.Store(done)
	p.of.Store(of)
}

func newTrail(a *app) *trail { return &trail{app: a} }

func (u *trail) Title(int) string    { return "Audit trail" }
func (u *trail) Scope() keymap.Scope { return keymap.Audit }

// Hints are the keys of the footer.
func (u *trail) Hints() []keymap.ID {
	return []keymap.ID{keymap.OpenEntry, keymap.Verify, keymap.GoQueue, keymap.GoSources, keymap.Back, keymap.Copy}
}

// State tells what the list has.
func (u *trail) State(s *keymap.State) {
	s.Rows = len(u.entries)
}

// running reports whether a check is under way.
func (u *trail) running() bool { return u.check != nil }

// enter reads the newest entries.
func (u *trail) enter() tea.Cmd {
	if u.deps.Log == nil {
		return nil
	}
	u.gen++
	u.reading = true
	return u.readLog(u.gen, -1, logPage)
}

// Recv takes entries and the result of a check; a record that was just made is read at once.
func (u *trail) Recv(msg any) tea.Cmd {
	switch m := msg.(type) {
	case logged:
		return u.recvLog(m)
	case verified:
		u.check, u.busy = nil, ""
		u.report, u.badly = nil, ""
		if m.err != nil {
			u.badly = text.Once(m.err.Error())
		} else {
			u.report = &m.report
		}
	case answered, changed:
		if u.gen > 0 {
			return u.enter()
		}
	}
	return nil
}

func (u *trail) recvLog(m logged) tea.Cmd {
	if m.gen != u.gen {
		return nil
	}
	u.reading, u.wrong = false, ""
	if m.err != nil {
		u.wrong = text.Once(m.err.Error())
		return nil
	}
	at := u.seq()
	if m.from < 0 {
		u.entries = nil
	}
	u.entries = append(u.entries, m.entries...)
	u.whole = len(m.entries) < logPage || u.entries[len(u.entries)-1].Seq == 0
	u.place = min(u.place, max(0, len(u.entries)-1))
	for i := range u.entries {
		if u.entries[i].Seq == at {
			u.place = i
		}
	}
	return nil
}

// seq is the entry under the cursor, -1 while there is none.
func (u *trail) seq() int64 {
	if u.place < len(u.entries) {
		return u.entries[u.place].Seq
	}
	return -1
}

// Do acts.
func (u *trail) Do(id keymap.ID) tea.Cmd {
	if id == keymap.OpenEntry {
		e := newEntry(u, u.entries[u.place])
		u.push(e)
		return e.need()
	}
	if id == keymap.Verify {
		u.check = &verifying{}
		u.busy = "the trail is being verified"
		return u.verify(u.check)
	}
	page := max(1, u.high-1)
	u.place += shift(id, page)
	u.place = min(max(u.place, 0), max(0, len(u.entries)-1))
	if u.place > len(u.entries)-logPage/4 && !u.whole && !u.reading && len(u.entries) > 0 {
		u.reading = true
		return u.readLog(u.gen, u.entries[len(u.entries)-1].Seq-1, logPage)
	}
	return nil
}

// Draw paints the state of the trail, the list and the entry under the cursor.
func (u *trail) Draw(a paint.Area) {
	top, rest := a.Top(1)
	u.status(top)
	if u.report != nil && !u.report.OK() || u.badly != "" {
		n := min(8, rest.H()/3)
		var faults paint.Area
		faults, rest = rest.Top(n)
		u.faults(faults)
	}
	var below paint.Area
	if rest.H() >= 14 {
		rest, below = rest.Bottom(max(7, rest.H()/3))
	}
	u.list(rest)
	if below.H() > 0 && u.place < len(u.entries) {
		below.Rule(0, paint.Border, u.glyphs)
		s := newSheet(below.W() - 4)
		u.describe(s, &u.entries[u.place])
		s.draw(below.Sub(1, 1, below.W()-2, below.H()-1), 0, u.glyphs)
	}
}

// status is the line that says how the trail is.
func (u *trail) status(a paint.Area) {
	st, what := paint.Faint, "not verified in this session · "+u.keys.Short(keymap.Verify)+" verifies"
	switch {
	case u.check != nil:
		st, what = paint.Text, fmt.Sprintf("verifying: %s of %s", count(u.check.done.Load()), count(u.check.of.Load()))
	case u.badly != "":
		st, what = paint.Bad, u.glyphs.Absent+" could not be verified"
	case u.report != nil && !u.report.OK():
		st, what = paint.Bad, fmt.Sprintf("%s FAILED: %s", u.glyphs.Absent, counted(int64(len(u.report.Faults)), "fault"))
	case u.report != nil:
		st, what = paint.Good, fmt.Sprintf("%s verified: %s, all in order", u.glyphs.Present, counted(u.report.Records, "record"))
	}
	right := counted(int64(len(u.entries)), "record")
	if !u.whole && len(u.entries) > 0 {
		right = "the newest " + right
	}
	a.PutIn(1, 0, a.W()-text.Width(right)-3, st, what)
	a.PutRight(a.W()-1, 0, paint.Faint, right)
}

func (u *trail) faults(a paint.Area) {
	s := newSheet(a.W() - 4)
	if u.badly != "" {
		s.add(paint.Bad, u.badly)
	}
	if u.report != nil {
		for _, f := range u.report.Faults {
			s.add(paint.Bad, text.Once(f.Where)+": "+text.Once(f.What))
		}
	}
	s.draw(a.Sub(1, 0, a.W()-2, a.H()), 0, u.glyphs)
}

func (u *trail) list(a paint.Area) {
	head, body := a.Top(1)
	wide := a.W() >= 100
	u.auditRow(head, wide, [6]string{"#", "TIME (UTC)", "WHO", "WHAT", "CASE", "REASON"}, paint.Faint)
	u.high = body.H()
	switch {
	case u.wrong != "":
		body.Wrapped(3, 0, paint.Bad, "The trail could not be read: "+u.wrong)
		return
	case len(u.entries) == 0 && u.reading:
		body.Put(3, 0, paint.Faint, "reading the trail…")
		return
	case len(u.entries) == 0:
		body.Put(3, 0, paint.Faint, "nothing is recorded yet")
		return
	}
	u.first = min(max(u.first, u.place-body.H()+1), u.place)
	u.first = max(0, min(u.first, len(u.entries)-body.H()))
	for y := 0; y < body.H() && u.first+y < len(u.entries); y++ {
		e := &u.entries[u.first+y]
		row := body.Sub(0, y, body.W(), 1)
		if u.first+y == u.place {
			row.Put(0, 0, paint.Strong, u.glyphs.Cursor)
		}
		at := e.At.Time().Format("2006-01-02 15:04:05")
		if !wide {
			at = e.At.Time().Format("01-02 15:04")
		}
		u.auditRow(row, wide, [6]string{fmt.Sprint(e.Seq), at, text.SafeString(e.Operator), text.SafeString(u.entryWords(e, wide)), caseCell(e.Case, wide), text.SafeString(e.Reason)}, paint.Text)
		if u.first+y == u.place {
			row.Sub(0, 0, row.W()-2, 1).Select(0)
		}
	}
	scrollbar(body.Sub(body.W()-2, 0, 1, body.H()), u.first, len(u.entries), u.glyphs)
}

// caseCell is a case's id: where there is little room its beginning, which names it for every command.
func caseCell(id string, wide bool) string {
	id = text.SafeString(id)
	if !wide && len(id) > 12 {
		return id[:12]
	}
	return id
}

// subject is the decision that a later entry is about, in words; "" while its record has not been read.
func (u *trail) subject(e *audit.Entry) string {
	for i := range u.entries {
		if d := &u.entries[i]; d.Type == audit.EventDecided && d.Decision == e.Decision {
			return cmp.Or(d.As, d.Action)
		}
	}
	return ""
}

// entryWords say what an entry records, in full or as short as they are still told apart.
func (u *trail) entryWords(e *audit.Entry, full bool) string {
	what := cmp.Or(e.As, e.Action)
	if full && e.As != "" {
		what = e.Action + ": " + e.As
	}
	about := func(what string) string {
		if d := u.subject(e); d != "" {
			return what + ": " + d
		}
		return what
	}
	switch e.Type {
	case audit.EventDecided:
		return what
	case audit.EventRefused:
		return "REFUSED " + what
	case audit.EventOutcome:
		return about("outcome " + e.Outcome)
	case audit.EventWithdrawn:
		return about("withdrawn")
	case audit.EventHandedOut:
		return about("handed out")
	case audit.EventExpired:
		return about("expired")
	case audit.EventCreated:
		return "the trail begins"
	case audit.EventAdopted:
		return "taken over here"
	case audit.EventRevealed:
		return "payloads looked at"
	case audit.EventExported:
		return "exported"
	case audit.EventRestore:
		return "restore confirmed"
	case audit.EventRetracted:
		return "confirmed restore withdrawn"
	}
	return e.Type.String()
}

func (u *trail) auditRow(a paint.Area, wide bool, cells [6]string, st paint.Style) {
	widths := [6]int{6, 19, 14, 26, 16, 0}
	if !wide {
		widths = [6]int{5, 11, 0, 24, 12, 0}
	}
	x := 2
	for i, w := range widths {
		if i == 5 {
			w = a.W() - x - 3
		}
		if w <= 0 {
			continue
		}
		a.PutIn(x, 0, w, st, cells[i])
		x += w + 1
	}
}
