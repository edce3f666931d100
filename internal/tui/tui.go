package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/idemctl/internal/text"
)

// FaultError is a defect of the console itself: the terminal was given back, and the stack stands in a file.
type FaultError struct {
	What string
	File string // "" when it could not be written
}

func (e *FaultError) Error() string {
	return "internal fault in the console: " + text.SafeString(e.What)
}

// How often a frame is written at most; half as often over ssh, where every byte is waited for.
const (
	framesHere = 60
	framesFar  = 30
)

// Run opens the console and returns when it is left. The terminal is restored whatever happens: an end in order, a cancelled ctx, a panic.
func Run(ctx context.Context, deps Deps, opt Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, err := newRoot(ctx, deps, opt)
	if err != nil {
		return err
	}
	frames := framesHere
	if opt.Env != nil && opt.Env("SSH_CONNECTION") != "" {
		frames = framesFar
	}
	options := []tea.ProgramOption{tea.WithContext(ctx), tea.WithAltScreen(), tea.WithoutSignalHandler(), tea.WithFPS(frames)}
	if opt.Out != nil {
		options = append(options, tea.WithOutput(opt.Out))
	}
	if opt.In != nil {
		options = append(options, tea.WithInput(opt.In))
	}
	_, err = tea.NewProgram(r, options...).Run()
	cancelled := ctx.Err()
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
