package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"

	"example.com/idemctl/internal/scan"
)

// faultyChild is a console that has a defect in a command, or in taking a key.
func faultyChild(where string) error {
	d := &memory{manifest: scan.Manifest{Complete: true}}
	deps := Deps{Load: func(context.Context, *scan.Progress) (Result, error) {
		if where == "command" {
			panic("in a command")
		}
		return d, nil
	}}
	clock := time.Now
	var asked atomic.Int64
	opt := Options{In: os.Stdin, Out: os.Stdout, Env: os.Getenv, Faults: os.TempDir(), Now: func() time.Time {
		if asked.Add(1) > 40 && where == "update" {
			panic("in update")
		}
		return clock()
	}}
	err := Run(context.Background(), deps, opt)
	var fault *FaultError
	if !errors.As(err, &fault) || fault.File == "" {
		return fmt.Errorf("ended with %w", err)
	}
	_, err = fmt.Fprintln(os.Stdout, "told:", fault)
	return err
}

// TestFaultGivesTheTerminalBack: whatever breaks, the terminal is as it was found, and the fault is read on the operator's own screen.
func TestFaultGivesTheTerminalBack(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, where := range []string{"command", "update"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			own, tty, err := pty.Open()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _, _ = own.Close(), tty.Close() })
			if err := pty.Setsize(own, &pty.Winsize{Rows: 36, Cols: 120}); err != nil {
				t.Fatal(err)
			}
			before, err := term.GetState(int(tty.Fd()))
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), self)
			cmd.Env = append(os.Environ(), childVar+"=panic "+where, "TERM=xterm-256color", "TMPDIR="+t.TempDir())
			cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			said := make(chan string)
			go func() {
				all, pressed := "", where != "update"
				for buf := make([]byte, 1<<14); ; {
					n, err := own.Read(buf)
					all += string(buf[:n])
					if _, told, ok := strings.Cut(all, "told:"); err != nil || ok && strings.Contains(told, "\n") {
						said <- all
						return
					}
					if !pressed && strings.Contains(all, endFrame) {
						_, _ = own.WriteString(strings.Repeat("\x1b[A", 60)) // each is a message of its own
						pressed = true
					}
				}
			}()
			all := <-said
			if err := cmd.Wait(); err != nil {
				t.Errorf("%v: %q", err, all)
			}
			left := strings.LastIndex(all, leaveScreen)
			if told := strings.LastIndex(all, "told: internal fault in the console: in "); left < 0 || told < left {
				t.Errorf("the fault is not told behind the console's own screen: %q", all)
			}
			after, err := term.GetState(int(tty.Fd()))
			if err != nil || !reflect.DeepEqual(before, after) {
				t.Errorf("the terminal's modes were not given back: %v", err)
			}
		})
	}
}

// TestMessagesOfALoad: rows come in chunks, not one by one: a frame is drawn behind every message.
func TestMessagesOfALoad(t *testing.T) {
	t.Parallel()
	const n = 100_000
	d := crowded(n)
	c := hold(t, Deps{Load: func(context.Context, *scan.Progress) (Result, error) { return d, nil }}, 120, 36)
	c.release()
	c.shows("100,000 cases")
	if most := n/chunkRows + 12; c.sent > most {
		t.Errorf("%d messages for %d rows, at most %d are expected", c.sent, n, most)
	}
}
