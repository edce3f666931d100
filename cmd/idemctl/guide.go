package main

import (
	"fmt"
	"io"
	"os"

	"example.com/idemctl/fixtures"
	"example.com/idemctl/internal/scenario"
	"example.com/idemctl/internal/text"
)

// configInSight reports whether a command without an argument would find a config.
func (e *Env) configInSight() bool {
	if e.global.config != "" {
		return true
	}
	_, err := os.Stat(defaultConfig)
	return err == nil
}

// guide says what to type where nothing was typed and no config is in sight.
func (e *Env) guide() error {
	all, err := scenario.List(fixtures.FS)
	if err != nil {
		return err
	}
	width := 0
	for _, f := range all {
		width = max(width, text.Width(f.Name))
	}
	return writeOut(e.Out, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, `There is no %s here. Name a config, or try a fixture:

  idemctl open @payments-restore     the console, on data that comes with it
  idemctl scan @payments-restore     the cases as text: nothing to set up
  idemctl open PATH                  a config, or a folder with an %[1]s
  idemctl --help                     every command

Fixtures
`, defaultConfig)
		for _, f := range all {
			if err == nil {
				_, err = fmt.Fprintf(w, "  @%s  %s\n", text.Pad(f.Name, width), text.SafeString(f.Title))
			}
		}
		return err
	})
}
