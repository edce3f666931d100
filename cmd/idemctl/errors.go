package main

import (
	"context"
	"errors"
	"fmt"

	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/sources"
	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/text"
)

// usageError is a command line that cannot be meant.
type usageError struct{ what, hint string }

func (e *usageError) Error() string { return e.what }

// failure is an error that knows what to do next.
type failure struct {
	what, hint string
	err        error
}

func (e *failure) Error() string {
	if e.err == nil {
		return e.what
	}
	return e.what + ": " + e.err.Error()
}

func (e *failure) Unwrap() error { return e.err }

// complain writes err for a person: one line of what and where, one line of what to do. Parts that come from data are made safe here once more.
func (e *Env) complain(err error) {
	if errors.Is(err, context.Canceled) {
		_, _ = fmt.Fprintln(e.Err, "idemctl: interrupted")
		return
	}
	_, _ = fmt.Fprintf(e.Err, "idemctl: error: %s\n", text.Once(err.Error()))
	if hint := hintOf(err); hint != "" {
		_, _ = fmt.Fprintf(e.Err, "hint: %s\n", text.Once(hint))
	}
}

func hintOf(err error) string {
	var usage *usageError
	var fail *failure
	var place *config.Error
	var kept *scan.Error
	var advised interface{ Hint() string }
	switch {
	case errors.As(err, &usage):
		return usage.hint
	case errors.As(err, &kept):
		return kept.Hint
	case errors.As(err, &place):
		return place.Hint
	case errors.As(err, &fail) && fail.hint != "":
		return fail.hint
	}
	if hint := rows.HintOf(err); hint != "" {
		return hint
	}
	if errors.As(err, &advised) {
		return advised.Hint()
	}
	return ""
}

// inConfig turns a mistake in a source's declaration into an error at its place in the config.
func inConfig(cfg *config.Config, err error) error {
	var mistake *sources.SpecError
	if errors.As(err, &mistake) {
		return &config.Error{File: cfg.Path, Line: mistake.Line, Col: mistake.Col, Msg: mistake.Msg, Hint: mistake.Hint}
	}
	return err
}
