package main

import (
	"context"
	"fmt"
	"io"
	"time"
)

// Env is all that a run takes from the process it lives in.
type Env struct {
	Args           []string // without the program's name
	Out, Err       io.Writer
	OutTTY, ErrTTY bool
	Width          int // cells of the terminal at standard output; 0 = none, or not known
	Height         int // its lines
	Now            func() time.Time
	Getenv         func(string) string

	global  globals
	outcome outcome // what the command found, for the exit code
}

// globals are the flags that every command has.
type globals struct {
	color  string
	quiet  bool
	config string
}

// Main runs one command line and returns its exit code. A panic becomes a failure of one line.
func Main(ctx context.Context, env *Env) (code int) {
	defer func() {
		if fault := recover(); fault != nil {
			env.complain(&failure{what: fmt.Sprintf("internal fault: %v", fault), hint: "this is a defect of idemctl; nothing was written to any source"})
			code = exitFailure
		}
	}()
	root := newRoot(env)
	root.SetArgs(env.Args)
	root.SetOut(env.Out)
	root.SetErr(env.Err)
	err := root.ExecuteContext(ctx)
	if ctx.Err() != nil && !env.outcome.recorded {
		err = ctx.Err() // whatever else went wrong, it went wrong because it was told to stop
	}
	code = exitCode(env.outcome, err)
	if err != nil && !closedPipe(err) {
		env.complain(err)
	}
	return code
}

// colour decides whether what goes to standard output is coloured.
func (e *Env) colour() (bool, error) {
	switch e.global.color {
	case "always":
		return true, nil
	case "never":
		return false, nil
	case "auto":
		return e.OutTTY && e.Getenv("NO_COLOR") == "" && e.Getenv("TERM") != "dumb", nil
	}
	return false, &usageError{what: fmt.Sprintf("--color %s: not one of auto, always, never", e.global.color), hint: suggest(e.global.color, []string{"auto", "always", "never"})}
}

// talk writes a remark for a person, unless it was asked to be quiet.
func (e *Env) talk(format string, a ...any) {
	if !e.global.quiet {
		_, _ = fmt.Fprintf(e.Err, format+"\n", a...)
	}
}
