package main

import (
	"context"
	"errors"
	"strings"

	"example.com/idemctl/fixtures"
	"example.com/idemctl/internal/materialise"
	"example.com/idemctl/internal/text"
)

// runMaterialise writes a fixture out, as restore --materialise asks.
func runMaterialise(ctx context.Context, env *Env, dir string, args []string) error {
	if dir == "" {
		return &usageError{what: "--materialise names no folder", hint: "a variable in its place may be empty: restore @NAME --materialise DIR"}
	}
	t, err := env.target(args)
	if err != nil {
		return err
	}
	name, ok := strings.CutPrefix(t.path, "@")
	if !ok {
		return &usageError{what: "--materialise writes a training fixture, and " + text.SafeString(t.path) + " is none", hint: "name one, like @payments-restore; your own stores are real already"}
	}
	if _, err := env.load(t, ""); err != nil {
		return err // it knows the nearest name
	}
	err = materialise.Write(ctx, fixtures.FS, name, dir)
	switch {
	case errors.Is(err, materialise.ErrNotEmpty):
		return &failure{what: text.SafeString(dir), err: err, hint: "name a folder that is not there yet, or an empty one: nothing is ever written over"}
	case err != nil:
		return &failure{what: text.SafeString(dir), err: err, hint: "see that the folder above it is there, and may be written to"}
	}
	env.talk("idemctl: %s is written to %s; look at it with: idemctl scan %s", text.SafeString(t.path), text.SafeString(dir), text.SafeString(dir))
	return nil
}
