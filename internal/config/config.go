// Package config reads idemctl.yaml strictly into values.
//
// # What it is
//
// Load finds the file, reads it and checks it as a whole. What it returns is complete: every default is filled in, every name refers to something.
//
// # What it never does
//
// It opens no source and knows no rule. It expands ${ENV} in open only, and no error shows what a variable held.
//
// # Invariants
//
//   - An unknown or repeated field is an error with line, column and the nearest known name. So is what a field cannot mean.
//   - Anchors, aliases, merge keys and tags are refused: what is read is what stands in the file.
//   - Every error is an *Error, and every text of the file in it went through package text.
package config

import (
	"fmt"
	"io/fs"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources"
	"example.com/idemctl/internal/text"
)

// FileName is the config's name in a folder.
const FileName = "idemctl.yaml"

// Config is one idemctl.yaml, complete and checked: every default is filled in.
type Config struct {
	Name      string
	Path      string // as given: the file's path, or @fixture
	Place     sources.Place
	Now       reconcile.Instant     // unknown = the real clock
	Audit     string                // "" = the default place
	Contracts []*reconcile.Contract // first match wins
	Events    []reconcile.Event
	Sources   []sources.Spec
	Digest    string // sha256:… over the file's bytes
	Fixture   bool   // a scenario.yaml stands beside it: the pinned clock may be used for decisions
	Scenario  []byte // scenario.yaml's bytes, nil unless Fixture
}

// Options is where a config is looked for.
type Options struct {
	Fixtures fs.FS               // embedded fixtures: @NAME is the folder NAME in it
	Getenv   func(string) string // for ${ENV} in open; nil = no variable is set
}

// Error is an error at a place in a config file. Msg and Hint are safe to show.
type Error struct {
	File      string
	Line, Col int // from 1; 0 when the file as a whole is meant
	Msg       string
	Hint      string // the next thing to do
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", text.SafeString(e.File), e.Msg)
	}
	return fmt.Sprintf("%s:%d:%d: %s", text.SafeString(e.File), e.Line, e.Col, e.Msg)
}

// quote returns a text of the file as an error shows it.
func quote(s string) string { return `"` + text.Truncate(text.SafeString(s), 60) + `"` }
