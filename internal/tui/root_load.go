package tui

import (
	"context"
	"errors"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/text"
	"example.com/idemctl/internal/tui/caselist"
)

// recvLoaded takes a result. The rows of the one before stay on the screen until then, and the ids of its marks with them.
func (r *root) recvLoaded(m loaded) tea.Cmd {
	switch {
	case m.gen != r.load:
		if m.result != nil {
			return r.quietly(func() { _ = m.result.Close() })
		}
		return nil
	case m.err != nil:
		r.loading = false
		r.failed = told(m.err)
		if errors.Is(m.err, context.Canceled) {
			r.failed = "reading was stopped"
		}
		return nil
	}
	old := r.result
	r.result, r.manifest = m.result, m.result.Manifest()
	r.cases, r.recent, r.touched = make(map[string]*scan.Case), nil, nil
	r.list = caselist.New()
	r.list.SetDecided(r.decidedRows())
	r.rows = r.list.Snapshot()
	r.queue.renew()
	cmds := []tea.Cmd{r.rest(r.ctx, r.result, nil), r.readDecisions()}
	if old != nil {
		cmds = append(cmds, r.quietly(func() { _ = old.Close() }))
	}
	if r.moving() {
		cmds = append(cmds, r.untilMinute())
	}
	return tea.Batch(cmds...)
}

// quietly runs f in a command that finds nothing.
func (r *root) quietly(f func()) tea.Cmd {
	return r.do(func(context.Context) any { f(); return nil })
}

// recvRows takes some rows, and asks for the next.
func (r *root) recvRows(m arrived) tea.Cmd {
	if m.gen != r.load {
		if m.more != nil {
			m.more.stop()
		}
		return nil
	}
	from := r.list.Len()
	for i := range m.rows {
		r.list.Add(&m.rows[i])
	}
	if m.more == nil {
		r.list.Trim()
		r.loading, r.lasted = false, r.took()
	}
	r.rows = r.list.Snapshot()
	cmds := []tea.Cmd{r.queue.grow(from)}
	switch {
	case m.err != nil:
		r.failed = text.Once(m.err.Error())
	case m.more != nil:
		cmds = append(cmds, r.rest(r.ctx, r.result, m.more))
	default:
		cmds = append(cmds, r.queue.complete())
		if r.top() == screen(r.restore) {
			cmds = append(cmds, r.restore.enter())
		}
	}
	return tea.Batch(cmds...)
}

// reopen reads the cases that are open again, once all of a new reading is in.
func (r *root) reopen(m arrived) tea.Cmd {
	if m.gen != r.load || m.more != nil || m.err != nil {
		return nil
	}
	var cmds []tea.Cmd
	for _, s := range r.stack {
		if v, ok := s.(*caseView); ok {
			cmds = append(cmds, v.again())
		}
	}
	return tea.Batch(cmds...)
}

// touch notes the cases of which something was recorded: what the guard answered about them before is no answer any more.
func (r *root) touch(msg any) {
	var ids []string
	switch m := msg.(type) {
	case answered:
		for _, one := range m.answers {
			if one.Decision != nil {
				ids = append(ids, one.Decision.Case)
			}
		}
	case changed:
		if m.err == nil || errors.Is(m.err, audit.ErrUnpinned) {
			ids = append(ids, m.decision.Case)
		}
	}
	for _, id := range ids {
		if r.touched == nil {
			r.touched = make(map[string]bool)
		}
		r.touched[id] = true
	}
}

// swift reports whether the sources are read anew without asking: another reading would hardly be noticed.
func (r *root) swift() bool {
	return !r.loading && r.failed == "" && r.deps.SourceOff == "" && r.lasted <= swiftReading
}

// swiftReading is how long the last reading may have taken for the next one to begin by itself.
const swiftReading = 2 * time.Second

// recvDecisions takes what the trail holds. What was held against an older reading is asked again.
func (r *root) recvDecisions(m decisionsRead) tea.Cmd {
	if m.load != r.load {
		return nil // another is under way: whatever begins a reading asks for it
	}
	r.trouble = ""
	switch {
	case m.err != nil:
		r.trouble = "the decisions could not be read: " + text.Once(m.err.Error())
	case m.standing.Trouble != nil:
		r.trouble = text.Once(m.standing.Trouble.Error())
	}
	r.decisions, r.changed, r.decided, r.restores = m.standing.Decisions, m.changed, m.err == nil, m.standing.Restores
	return r.redecide()
}

// redecide lists what is decided as it stands now: it has been read again, or a case that rested is to be looked at again.
func (r *root) redecide() tea.Cmd {
	r.list.SetDecided(r.decidedRows())
	r.rows = r.list.Snapshot()
	return r.queue.redecided()
}

func (a *app) decidedRows() map[string]caselist.Decided {
	out := make(map[string]caselist.Decided, len(a.decisions))
	a.wakes = reconcile.Instant{}
	for id, ds := range a.decisions {
		d := &ds[len(ds)-1]
		if live := a.live(id); live != nil {
			d = live
		}
		out[id] = caselist.Decided{Some: true, State: d.State, Decision: d.Decision, As: d.As, Live: d.Live(a.real()), Changed: a.changed[id]}
		if one := out[id]; one.Rests() {
			a.wakes = reconcile.Earliest(a.wakes, d.ValidUntil)
		}
	}
	return out
}

// took is how long the reading has run.
func (a *app) took() time.Duration { return a.opt.Now().Sub(a.began) }

// hintOf is what an error advises.
func hintOf(err error) string {
	var own *scan.Error
	var other interface{ Hint() string }
	switch {
	case errors.As(err, &own):
		return own.Hint
	case errors.As(err, &other):
		return other.Hint()
	}
	return ""
}

// told is an error with what it advises.
func told(err error) string {
	s := text.Once(err.Error())
	if hint := hintOf(err); hint != "" {
		s += " · hint: " + text.Once(hint)
	}
	return s
}

// inDoubt says that a record may have been kept or not.
func inDoubt(err error) string {
	return "IN DOUBT: it is not known whether this was kept. Look at the audit trail before you go on. " + text.Once(err.Error())
}
