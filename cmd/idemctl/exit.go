package main

import (
	"context"
	"errors"
	"syscall"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/config"
)

const (
	exitClean       = 0
	exitFailure     = 1
	exitUsage       = 2
	exitUndecided   = 3
	exitTrail       = 4
	exitIncomplete  = 5
	exitInterrupted = 130
)

// exits is the one table of exit codes; help and docs are made from it.
var exits = []struct {
	Code  int
	Means string
}{
	{exitClean, "nothing to decide"},
	{exitFailure, "failure"},
	{exitUsage, "the command line or the config is wrong"},
	{exitUndecided, "at least one case without a live decision, or with changed evidence"},
	{exitTrail, "the audit trail is broken, rolled back, or its file damaged; wins over 5"},
	{exitIncomplete, "incomplete: something that the config names could not be read as far as declared, so absences there were not concluded; wins over 3"},
	{exitInterrupted, "interrupted"},
}

// outcome is what a command found that its exit code tells.
type outcome struct {
	undecided   bool
	incomplete  bool
	trailBroken bool
	recorded    bool // what was asked for stands in the trail: an interrupt came too late to undo it
}

// exitCode is the one place that turns an end into a code.
func exitCode(o outcome, err error) int {
	var usage *usageError
	var place *config.Error
	var lacking *audit.RequestError
	var trouble *audit.Trouble
	var untrusted *trailError
	switch {
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &usage), errors.As(err, &place), errors.As(err, &lacking):
		return exitUsage
	case errors.As(err, &trouble), errors.As(err, &untrusted):
		return exitTrail
	case err != nil && !closedPipe(err):
		return exitFailure
	case o.trailBroken:
		return exitTrail
	case o.incomplete:
		return exitIncomplete
	case o.undecided:
		return exitUndecided
	}
	return exitClean
}

// closedPipe reports whether the reader of the output had enough: that is no failure, and what was found still counts.
func closedPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
