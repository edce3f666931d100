package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

const defaultConfig = "idemctl.yaml"

// target is what a command works on: a config, or a saved scan.
type target struct {
	path  string // a config file, @fixture, or a saved scan
	saved bool
	named string // as the operator wrote it, "" for the default
}

// target finds what the last argument or -c names. args are what remains after the command's own arguments.
func (e *Env) target(args []string) (target, error) {
	named := e.global.config
	if len(args) > 0 {
		if named != "" {
			return target{}, &usageError{what: fmt.Sprintf("the config is given twice: %q and -c %q", args[0], named), hint: "leave one of them out"}
		}
		named = args[0]
	}
	switch {
	case named == "":
		return target{path: defaultConfig}, nil
	case strings.HasPrefix(named, "@"):
		return target{path: named, named: named}, nil
	case isDir(named):
		return target{path: filepath.Join(named, defaultConfig), named: named}, nil
	}
	return target{path: named, named: named, saved: isSaved(named)}, nil
}

// database is how every SQLite file begins: a saved scan is one, a config is none.
var database = []byte("SQLite format 3\x00")

func isSaved(path string) bool {
	if strings.HasSuffix(path, ".scan") {
		return true
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false // opening a pipe would wait for its writer
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, len(database))
	_, err = io.ReadFull(f, head)
	return err == nil && bytes.Equal(head, database)
}

// noSaved refuses a saved scan where the sources themselves must be read.
func (t target) noSaved(command string) error {
	if !t.saved {
		return nil
	}
	return &usageError{what: fmt.Sprintf("%s reads the sources themselves, and %s is a saved scan", command, t.path), hint: "name the config it was made from"}
}
