package tui

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"
)

// What is written to a terminal besides frames: the other screen, no cursor, pasted text told from typed; and all of it back again.
const (
	enterScreen = "\x1b[?1049h\x1b[2J\x1b[H\x1b[?25l\x1b[?2004h"
	leaveScreen = "\x1b[?2004l\x1b[?25h\x1b[?1049l"
	beginFrame  = "\x1b[?2026h" // shown at once where the terminal knows this, ignored elsewhere
	endFrame    = "\x1b[?2026l"
)

// terminal is the console's hold of a terminal. bubbletea's own renderer wakes sixty times a second whether or not anything is to be drawn; this one writes
// the lines that differ when they do, in one write, and sleeps otherwise.
type terminal struct {
	in, out *os.File
	opened  bool // in was opened here
	before  *term.State
	shown   []string
	err     error // of the first write that failed
}

// openTerminal takes the terminal: keys come as they are pressed, and the other screen is shown. Where in is a pipe the process's terminal is asked for.
func openTerminal(in, out *os.File) (*terminal, error) {
	t := &terminal{in: in, out: out}
	if !term.IsTerminal(int(in.Fd())) {
		tty, err := os.Open("/dev/tty")
		if err != nil {
			return nil, fmt.Errorf("finding the keyboard: %w", err)
		}
		t.in, t.opened = tty, true
	}
	before, err := term.MakeRaw(int(t.in.Fd()))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("taking the terminal: %w", err), t.drop())
	}
	t.before = before
	forgetTyped(t.in)
	t.write(enterScreen)
	return t, nil
}

// size is how many cells the terminal has.
func (t *terminal) size() (w, h int, err error) { return term.GetSize(int(t.out.Fd())) }

// draw shows a frame: it writes the lines that differ from those before.
func (t *terminal) draw(lines []string) {
	var b strings.Builder
	for y, l := range lines {
		if y < len(t.shown) && len(lines) == len(t.shown) && t.shown[y] == l {
			continue
		}
		if b.Len() == 0 {
			b.WriteString(beginFrame)
			if len(lines) != len(t.shown) {
				b.WriteString("\x1b[2J")
			}
		}
		fmt.Fprintf(&b, "\x1b[%d;1H%s", y+1, l)
	}
	if b.Len() > 0 {
		b.WriteString(endFrame)
		t.write(b.String())
	}
	t.shown = lines
}

// forget makes the next frame be written whole.
func (t *terminal) forget() { t.shown = nil }

func (t *terminal) write(s string) {
	if _, err := t.out.WriteString(s); err != nil && t.err == nil {
		t.err = err
	}
}

// lend gives the terminal back as it was while f runs, and takes it again. What was shown is written anew.
func (t *terminal) lend(f func() error) error {
	t.write(leaveScreen)
	err := t.restore()
	if err == nil {
		err = f()
	}
	if _, raw := term.MakeRaw(int(t.in.Fd())); raw != nil {
		err = errors.Join(err, fmt.Errorf("taking the terminal again: %w", raw))
	}
	t.write(enterScreen)
	t.forget()
	return err
}

// close gives the terminal back as it was.
func (t *terminal) close() error {
	t.write(leaveScreen)
	return errors.Join(t.restore(), t.drop())
}

func (t *terminal) restore() error {
	if err := term.Restore(int(t.in.Fd()), t.before); err != nil {
		return fmt.Errorf("giving the terminal back: %w", err)
	}
	return nil
}

func (t *terminal) drop() error {
	if !t.opened {
		return nil
	}
	return t.in.Close()
}
