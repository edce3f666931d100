package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/idemctl/internal/text"
	"example.com/idemctl/internal/tui/paint"
)

// FaultError is a defect of the console itself: the terminal was given back, and the stack stands in a file.
type FaultError struct {
	What string
	File string // "" when it could not be written
}

func (e *FaultError) Error() string {
	return "internal fault in the console: " + text.SafeString(e.What)
}

// Run opens the console and returns when it is left. The terminal is restored whatever happens: an end in order, a cancelled ctx, a panic.
func Run(ctx context.Context, deps Deps, opt Options) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, err := newRoot(ctx, deps, opt)
	if err != nil {
		return err
	}
	t, err := openTerminal(opt.In, opt.Out)
	if err != nil {
		return err
	}
	err = play(ctx, r, t)
	cancelled := ctx.Err()
	err = errors.Join(err, t.close())
	r.settle(opt.Err)
	cancel()
	if r.result != nil {
		err = errors.Join(err, r.result.Close())
	}
	switch {
	case r.fault != nil:
		return r.keepFault()
	case cancelled != nil:
		return cancelled
	}
	return err
}

// play runs the model until it ends.
func play(ctx context.Context, r *root, t *terminal) error {
	s := &shell{root: r, term: t, ctx: ctx}
	w, h, err := t.size()
	if err != nil {
		return fmt.Errorf("asking for the size of the terminal: %w", err)
	}
	r.w, r.h = w, h
	_, err = tea.NewProgram(s, tea.WithContext(ctx), tea.WithInput(t.in), tea.WithOutput(io.Discard), tea.WithoutRenderer(), tea.WithoutSignalHandler()).Run()
	if t.err != nil && ctx.Err() == nil {
		err = errors.Join(fmt.Errorf("writing to the terminal: %w", t.err), err)
	}
	return err
}

// shell is the root on a terminal: it shows each frame that differs, and asks for the size when the terminal's changes.
type shell struct {
	*root
	term *terminal
	ctx  context.Context // the program's own
}

// resized says that the terminal's size is another.
type resized struct{}

// Init begins to read, and shows the first frame at once.
func (s *shell) Init() tea.Cmd {
	cmd := s.root.Init()
	_, again := s.Update(nil)
	return tea.Batch(cmd, again, s.watch())
}

// watch waits for a change of the size.
func (s *shell) watch() tea.Cmd {
	if s.opt.Resized == nil {
		return nil
	}
	return func() tea.Msg {
		select {
		case <-s.ctx.Done():
			return nil
		case <-s.opt.Resized:
			return resized{}
		}
	}
}

// Update takes a message and writes what differs then.
func (s *shell) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var again tea.Cmd
	if _, ok := msg.(resized); ok {
		again = s.watch()
		if w, h, err := s.term.size(); err == nil {
			msg = tea.WindowSizeMsg{Width: w, Height: h}
		}
	}
	_, cmd := s.root.Update(msg)
	if s.stale {
		s.term.forget()
		s.stale = false
	}
	s.term.draw(s.lines)
	s.beside()
	if s.term.err != nil {
		return s, tea.Quit // nobody sees it any more
	}
	return s, tea.Batch(cmd, again)
}

// beside does what is not a frame: it hands a text to the terminal's clipboard, or the terminal to the shell.
func (s *shell) beside() {
	if s.clip != "" {
		s.term.write(s.clip)
		s.clip = ""
	}
	if !s.away {
		return
	}
	s.away = false
	err := s.term.lend(s.opt.Suspend)
	if w, h, wrong := s.term.size(); wrong == nil {
		s.w, s.h = w, h
	}
	if err != nil {
		s.say(paint.Warn, "not suspended: "+text.Once(err.Error()))
	}
	s.render()
	s.term.draw(s.lines)
}

// View returns nothing: the frame has been written.
func (s *shell) View() string { return "" }

// settle waits for a record that was begun, when the console is ended from outside, and tells what became of it.
func (r *root) settle(out io.Writer) {
	if !r.recording {
		return
	}
	said := <-r.told
	if out != nil {
		_, _ = fmt.Fprintln(out, "idemctl: "+said)
	}
}

// keepFault writes the stack where the operator can pass it on.
func (r *root) keepFault() error {
	e := &FaultError{What: r.fault.what}
	f, err := os.CreateTemp(r.opt.Faults, "idemctl-fault-*.txt")
	if err != nil {
		return errors.Join(e, fmt.Errorf("keeping the stack: %w", err))
	}
	_, err = fmt.Fprintf(f, "%s\n\n%s", r.fault.what, r.fault.stack)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(e, fmt.Errorf("keeping the stack: %w", err))
	}
	e.File = f.Name()
	return e
}
