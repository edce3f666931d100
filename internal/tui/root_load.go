package tui

import (
	"context"
	"errors"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/text"
	"example.com/idemctl/internal/tui/caselist"
	"example.com/idemctl/internal/tui/paint"
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
		r.failed = text.Once(m.err.Error())
		if errors.Is(m.err, context.Canceled) {
			r.failed = "reading was stopped"
		}
		if hint := hintOf(m.err); hint != "" {
			r.failed += " · hint: " + text.Once(hint)
		}
		return nil
	}
	old := r.result
	r.result, r.manifest = m.result, m.result.Manifest()
	r.cases, r.recent = make(map[string]*scan.Case), nil
	r.list = caselist.New()
	r.list.SetDecided(r.decidedRows())
	r.rows = r.list.Snapshot()
	r.queue.renew()
	cmds := []tea.Cmd{r.rest(r.ctx, r.result, nil)}
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
	for _, c := range m.cases {
		r.list.Add(c)
	}
	if m.more == nil {
		r.list.Trim()
		r.loading = false
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
	}
	return tea.Batch(cmds...)
}

// recvDecisions takes what the trail holds.
func (r *root) recvDecisions(m decisionsRead) tea.Cmd {
	if m.err != nil {
		r.trouble = text.Once(m.err.Error())
		r.say(paint.Bad, "the decisions could not be read: "+m.err.Error())
	}
	r.decisions, r.decided = m.decisions, m.err == nil
	r.list.SetDecided(r.decidedRows())
	r.rows = r.list.Snapshot()
	return r.queue.redecided()
}

func (a *app) decidedRows() map[string]caselist.Decided {
	out := make(map[string]caselist.Decided, len(a.decisions))
	for id, ds := range a.decisions {
		d := &ds[len(ds)-1]
		if live := a.live(id); live != nil {
			d = live
		}
		out[id] = caselist.Decided{Some: true, State: d.State, Decision: d.Decision, As: d.As, Live: d.Live(a.now()), Changed: d.Changed}
	}
	return out
}

// took is how long the reading has run.
func (a *app) took() time.Duration { return a.opt.Now().Sub(a.began) }

func hintOf(err error) string {
	var e *scan.Error
	if errors.As(err, &e) {
		return e.Hint
	}
	return ""
}
