package tui

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/tui/caselist"
	"example.com/idemctl/internal/tui/keymap"
	"example.com/idemctl/internal/tui/paint"
)

// root is the one tea.Model.
type root struct {
	*app
	w, h    int
	canvas  *paint.Canvas
	stack   []screen // the base screen, and what was opened from it
	queue   *queue
	trail   *trail
	sources *sourcesScreen
	restore *restoreScreen
	dialogs []raised
	router  keymap.Router
	fault   *fault
	lines   []string // the frame
	stale   bool     // what the terminal shows is not to be trusted: the frame is written whole
	beat    int      // generation of the minute's clock
}

// raised is a dialog with the wait that keeps keys in flight away from it.
type raised struct {
	dialog
	grace *keymap.Grace
}

func newRoot(ctx context.Context, deps Deps, opt Options) (*root, error) {
	pal, err := paint.NewPalette(theme(opt))
	if err != nil {
		return nil, err
	}
	a := &app{
		deps: deps, opt: opt, ctx: ctx, keys: opt.Keys, pal: pal, glyphs: glyphs(opt),
		list: caselist.New(), cases: make(map[string]*scan.Case), decisions: make(map[string][]audit.Decision), drafts: make(map[string]string), opened: make(map[string]string),
		told: make(chan string, 1),
	}
	if a.keys == nil {
		a.keys = keymap.Default()
	}
	a.rows = a.list.Snapshot()
	a.after = func(d time.Duration, msg tea.Msg) tea.Cmd {
		return tea.Tick(d, func(time.Time) tea.Msg { return msg })
	}
	r := &root{app: a, canvas: paint.NewCanvas(1, 1)}
	r.canvas.ASCII = a.glyphs == &paint.ASCII
	a.push = func(s screen) { r.stack = append(r.stack, s) }
	a.ask = func(d dialog) { r.dialogs = append(r.dialogs, raised{d, keymap.NewGrace(opt.Now())}) }
	a.close = func() { r.dialogs = r.dialogs[:max(0, len(r.dialogs)-1)] }
	a.act = r.perform
	a.coach = newCoach(a, opt.Play)
	r.queue, r.trail, r.sources, r.restore = newQueue(a), newTrail(a), newSources(a), newRestoreScreen(a)
	a.listBy = r.listBy
	r.stack = []screen{r.queue}
	if a.coach != nil {
		r.push(newStory(a, a.coach.play.Scenario))
	}
	return r, nil
}

// Init begins to read.
func (r *root) Init() tea.Cmd {
	return tea.Batch(r.read(), r.readDecisions())
}

// Update takes one message and draws the frame behind it, so that a panic in either ends the program in order: the terminal is given back, and the stack is
// kept.
func (r *root) Update(msg tea.Msg) (_ tea.Model, cmd tea.Cmd) {
	defer func() {
		if v := recover(); v != nil {
			r.fault = &fault{fmt.Sprint(v), debug.Stack()}
			cmd = tea.Quit
		}
	}()
	cmd = r.update(msg)
	r.render()
	return r, cmd
}

func (r *root) update(msg tea.Msg) tea.Cmd {
	switch m := msg.(type) {
	case done:
		r.inflight--
		return r.recv(m.msg)
	case tea.WindowSizeMsg:
		r.w, r.h = m.Width, m.Height
	case tea.KeyMsg:
		return r.input(m)
	case escape:
		return r.events(r.router.Expire(r.opt.Now()))
	case tick, minute, settle:
		return r.recv(m)
	}
	return nil
}

// View returns the frame that was drawn behind the latest message. Before a size is known there is none.
func (r *root) View() string { return strings.Join(r.lines, "\n") }

func (r *root) render() {
	if r.w < 1 || r.h < 1 {
		return
	}
	r.canvas.Reset(r.w, r.h)
	r.draw(r.canvas.Area())
	r.lines = r.canvas.Lines(r.pal)
}

// top is the screen that is seen.
func (r *root) top() screen { return r.stack[len(r.stack)-1] }

// recv gives a result to whom it concerns: the root itself, the dialog that waits for it, the screens.
func (r *root) recv(msg any) tea.Cmd {
	switch m := msg.(type) {
	case fault:
		r.fault = &m
		return tea.Quit
	case loaded:
		return r.recvLoaded(m)
	case arrived:
		return tea.Batch(r.recvRows(m), r.reopen(m))
	case decisionsRead:
		return r.recvDecisions(m)
	case copied:
		r.recvCopied(m)
	case answered:
		r.coach.answered(m)
	case changed:
		r.coach.changed(m)
	case caseRead:
		if m.load == r.load && m.err == nil {
			r.keep(m.c)
		}
	case tick:
		return r.recvTick(m)
	case minute:
		return r.recvMinute(m)
	}
	var cmds []tea.Cmd
	switch msg.(type) {
	case answered, changed, confirmed:
		r.recording = false
		<-r.told
		cmds = append(cmds, r.readDecisions())
		r.touch(msg)
	}
	if n := len(r.dialogs); n > 0 {
		cmds = append(cmds, r.dialogs[n-1].Recv(msg))
	}
	cmds = append(cmds, r.queue.Recv(msg), r.trail.Recv(msg), r.sources.Recv(msg), r.restore.Recv(msg))
	for _, s := range r.stack {
		if s != screen(r.queue) && s != screen(r.trail) && s != screen(r.sources) && s != screen(r.restore) {
			cmds = append(cmds, s.Recv(msg))
		}
	}
	if len(r.touched) > 0 && r.swift() {
		cmds = append(cmds, r.read())
	}
	return tea.Batch(cmds...)
}

func (r *root) recvTick(m tick) tea.Cmd {
	if m.gen != r.load {
		return nil
	}
	if r.loading || r.trail.running() {
		return r.tick()
	}
	return nil
}

// untilMinute wakes the program when a clock that is seen moves on.
func (r *root) untilMinute() tea.Cmd {
	r.beat++
	gen, now := r.beat, r.opt.Now()
	left := now.Truncate(time.Minute).Add(time.Minute).Sub(now)
	return r.after(left, minute{gen})
}

func (r *root) recvMinute(m minute) tea.Cmd {
	if m.gen != r.beat || !r.moving() {
		return nil
	}
	if r.wakes.Known() && !r.wakes.After(r.real()) {
		return tea.Batch(r.redecide(), r.untilMinute())
	}
	return r.untilMinute()
}
