// Package config reads idemctl.yaml strictly into values: an unknown or repeated field is an error with line, column and the nearest known name.
// It opens no source and knows no rule.
package config

import (
	"io/fs"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources"
)

// Config is one idemctl.yaml, complete and checked: every default is filled in.
type Config struct {
	Name      string
	Path      string // as shown: the file's path, or @fixture
	Place     sources.Place
	Now       reconcile.Instant // unknown = the real clock
	Audit     string
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
	Getenv   func(string) string // for ${ENV} in open
}

// Error is an error at a place in a config file.
type Error struct {
	File      string
	Line, Col int
	Msg       string
	Hint      string
}
