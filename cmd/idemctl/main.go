// Command idemctl reconciles idempotency receipts with what a service has really done, and says what a person must decide.
//
// One file per command; none holds a rule. Data goes to standard output, talk to standard error. It writes to no source, and to no file but the one
// that --out names and the audit trail, which only what is to be recorded there makes. The exit codes stand in one table, exits.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"
	_ "time/tzdata" // zones of sources must be known on a machine that has none installed

	"golang.org/x/term"

	_ "example.com/idemctl/internal/termguard" // before anything that imports bubbletea
)

func main() { os.Exit(start()) }

func start() int {
	// The first signal cancels and leaves nothing behind; a second one ends the process at once. A closed pipe is an error of the write, not a death.
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // under nohup it stays ignored
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	defer stop()
	context.AfterFunc(ctx, stop)
	signal.Ignore(syscall.SIGPIPE)

	// A scan's live memory is small and steady: collecting at a quarter as much garbage costs little and keeps its peak low.
	debug.SetGCPercent(25)

	width, height, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil {
		width, height = 0, 0 // a pipe or a file: nothing is too wide for it
	}
	return Main(ctx, &Env{
		Args:   os.Args[1:],
		Out:    os.Stdout,
		Err:    os.Stderr,
		OutTTY: term.IsTerminal(int(os.Stdout.Fd())),
		Width:  width,
		Height: height,
		ErrTTY: term.IsTerminal(int(os.Stderr.Fd())),
		Now:    time.Now,
		Getenv: os.Getenv,
	})
}
