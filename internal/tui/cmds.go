package tui

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime/debug"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/tui/caselist"
)

// How rows arrive: at most so many, and at most so long, between two messages. The first page comes at once.
const (
	firstRows  = 256
	chunkRows  = 4096
	chunkTime  = 100 * time.Millisecond
	everyTick  = 200 * time.Millisecond // how often progress is looked at
	typingWait = 80 * time.Millisecond  // how long a filter waits for the next letter
)

// do makes a command of f: it is counted until its result is back, and a panic in it becomes a message.
func (a *app) do(f func(ctx context.Context) any) tea.Cmd { return a.doIn(a.ctx, f) }

func (a *app) doIn(ctx context.Context, f func(ctx context.Context) any) tea.Cmd {
	a.inflight++
	return func() (msg tea.Msg) {
		defer func() {
			if v := recover(); v != nil {
				msg = done{fault{fmt.Sprint(v), debug.Stack()}}
			}
		}()
		return done{f(ctx)}
	}
}

// read begins to read the sources, or to open a saved scan.
func (a *app) read() tea.Cmd {
	if a.cancel != nil {
		a.cancel()
	}
	ctx, cancel := context.WithCancel(a.ctx)
	a.load++
	a.cancel, a.loading, a.failed, a.progress, a.began = cancel, true, "", &scan.Progress{}, a.opt.Now()
	gen, progress := a.load, a.progress
	return tea.Batch(
		a.doIn(ctx, func(ctx context.Context) any {
			r, err := a.deps.Load(ctx, progress)
			return loaded{gen, r, err}
		}),
		a.tick(),
	)
}

// tick asks for a look at what runs. It is asked for again only while something does.
func (a *app) tick() tea.Cmd {
	gen := a.load
	return a.after(everyTick, tick{gen})
}

// pull is the rest of a result's rows.
type pull struct {
	next func() (*scan.Row, error, bool)
	stop func()
}

// rest begins to take rows from a result, or goes on with it.
func (a *app) rest(ctx context.Context, r Result, p *pull) tea.Cmd {
	gen, most := a.load, chunkRows
	if p == nil {
		most = firstRows
	}
	clock := a.opt.Now
	return a.doIn(ctx, func(ctx context.Context) any {
		if p == nil {
			next, stop := iter.Pull2(r.Rows(ctx))
			p = &pull{next, stop}
		}
		out := arrived{gen: gen, more: p}
		for began := clock(); len(out.rows) < most; {
			c, err, ok := p.next()
			if err != nil || !ok {
				p.stop()
				out.more, out.err = nil, err
				break
			}
			one := *c
			one.Identity = slices.Clone(c.Identity)
			out.rows = append(out.rows, one)
			if len(out.rows)%firstRows == 0 && clock().Sub(began) > chunkTime {
				break
			}
		}
		return out
	})
}

// choose lists the rows that a choice wants.
func (a *app) choose(ctx context.Context, gen int, ch caselist.Choice) tea.Cmd {
	rows, load := a.rows, a.load
	return a.doIn(ctx, func(ctx context.Context) any {
		v, err := rows.List(ctx, ch)
		return listed{gen, load, v, rows, err}
	})
}

// pause waits until no letter has come for a while.
func (a *app) pause(gen int) tea.Cmd {
	return a.after(typingWait, settle{gen})
}

// readCase reads one case.
func (a *app) readCase(ctx context.Context, id string) tea.Cmd {
	r, load := a.result, a.load
	if r == nil {
		return nil
	}
	return a.doIn(ctx, func(ctx context.Context) any {
		c, err := r.Case(ctx, id)
		return caseRead{load, id, c, err}
	})
}

// readCases reads the cases of a plan.
func (a *app) readCases(gen int, ids []string) tea.Cmd {
	r, load := a.result, a.load
	return a.do(func(ctx context.Context) any {
		out := casesRead{load: load, gen: gen}
		for _, id := range ids {
			c, err := r.Case(ctx, id)
			if err != nil {
				out.err = err
				break
			}
			out.cases = append(out.cases, c)
		}
		return out
	})
}

// readDecisions reads all decisions of the trail, and holds those that stand against the cases as they are now.
func (a *app) readDecisions() tea.Cmd {
	if a.deps.Standing == nil {
		return nil
	}
	r, load, at := a.result, a.load, a.real()
	return a.do(func(ctx context.Context) any {
		out := decisionsRead{load: load, changed: make(map[string]bool)}
		if out.standing, out.err = a.deps.Standing(ctx); out.err != nil || r == nil {
			return out
		}
		for id, ds := range out.standing.Decisions {
			last := ds[len(ds)-1].Decided()
			if !last.Live(at) {
				continue
			}
			if c, err := r.Case(ctx, id); err == nil && last.Changed(&c.Judgement) {
				out.changed[id] = true
			}
		}
		return out
	})
}

// record asks for a decision.
func (a *app) record(r audit.Request) tea.Cmd {
	return a.write(func(ctx context.Context) (any, error) {
		answers, err := a.deps.Decide(ctx, r)
		return answered{r, answers, err}, err
	})
}

func (a *app) withdraw(id, reason string) tea.Cmd {
	return a.write(func(ctx context.Context) (any, error) {
		d, err := a.deps.Withdraw(ctx, id, reason)
		return changed{d, err}, err
	})
}

func (a *app) report(id string, o reconcile.DecisionOutcome, ref, reason string) tea.Cmd {
	return a.write(func(ctx context.Context) (any, error) {
		d, err := a.deps.Outcome(ctx, id, o, ref, reason)
		return changed{d, err}, err
	})
}

func (a *app) confirmRestore(one audit.Restore) tea.Cmd {
	return a.write(func(ctx context.Context) (any, error) {
		done, err := a.deps.Confirm(ctx, one)
		return confirmed{done, err}, err
	})
}

func (a *app) retractRestore(id, reason string) tea.Cmd {
	return a.write(func(ctx context.Context) (any, error) {
		done, err := a.deps.Retract(ctx, id, reason)
		return confirmed{done, err}, err
	})
}

// write asks for a record. It is not cancelled by anything that the operator does meanwhile, nor by a signal: what was begun is told, one way or the other.
func (a *app) write(f func(ctx context.Context) (any, error)) tea.Cmd {
	a.recording = true
	return a.doIn(context.WithoutCancel(a.ctx), func(ctx context.Context) any {
		said := "what was being recorded is not known to be kept: see `idemctl audit log`"
		defer func() { a.told <- said }()
		msg, err := f(ctx)
		switch {
		case err == nil:
			said = "what was being recorded got its answer: see `idemctl audit log`"
		case !errors.Is(err, audit.ErrInDoubt) && !errors.Is(err, audit.ErrUnpinned):
			said = "nothing was recorded: " + err.Error()
		}
		return msg
	})
}

// readRestore sums up what a restore has left behind.
func (a *app) readRestore() tea.Cmd {
	r, load := a.result, a.load
	return a.do(func(ctx context.Context) any {
		sum, err := a.deps.Restore(ctx, r)
		return restoreRead{load, sum, err}
	})
}

// readLog reads a page of the trail.
func (a *app) readLog(gen int, from int64, limit int) tea.Cmd {
	return a.do(func(ctx context.Context) any {
		entries, err := a.deps.Log(ctx, from, limit)
		return logged{gen, from, entries, err}
	})
}

func (a *app) recall(seq int64) tea.Cmd {
	return a.do(func(ctx context.Context) any {
		body, err := a.deps.Evidence(ctx, seq)
		return recalled{seq, body, err}
	})
}

// verify checks the trail; progress is read by a tick.
func (a *app) verify(p *verifying) tea.Cmd {
	return tea.Batch(a.do(func(ctx context.Context) any {
		report, err := a.deps.Verify(ctx, p.note)
		return verified{report, err}
	}), a.tick())
}
