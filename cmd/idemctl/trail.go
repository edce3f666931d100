package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/google/uuid"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/backstory"
	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/scenario"
	"example.com/idemctl/internal/text"
)

// trailError is a trail that stands and cannot be used: nobody knows what was decided.
type trailError struct{ err error }

func (e *trailError) Error() string { return e.err.Error() }
func (e *trailError) Unwrap() error { return e.err }

// trailPlace is where the decisions about a config's cases are kept. The trail that a scenario begins with is made there when it is first asked for.
func (e *Env) trailPlace(ctx context.Context, cfg *config.Config) (audit.Place, error) {
	place, err := e.trailPath(cfg)
	if err != nil || !cfg.Fixture {
		return place, err
	}
	if s, wrong := scenario.Parse(cfg.Scenario); wrong == nil && s.Before != nil { // what is wrong with a story, train says
		err = e.backstory(ctx, cfg, s, &place)
	}
	return place, err
}

// backstory makes the trail that a scenario begins with, where it has one. All that a machine remembers of it stays beside it.
func (e *Env) backstory(ctx context.Context, cfg *config.Config, s *scenario.Scenario, place *audit.Place) error {
	env, err := e.auditEnv()
	if err != nil {
		return err
	}
	place.State = memoryBeside(place.Path)
	_, err = backstory.Make(ctx, cfg, s, *place, env)
	return err
}

// trailPath is where a config says, else in a folder of this account whose name tells the config's place.
func (e *Env) trailPath(cfg *config.Config) (audit.Place, error) {
	if path, ok := strings.CutPrefix(cfg.Audit, "sqlite:"); ok {
		if !filepath.IsAbs(path) && cfg.Place.FS == nil {
			path = filepath.Join(cfg.Place.Dir, path)
		}
		if cfg.Place.FS == nil || filepath.IsAbs(path) {
			return audit.Place{Path: path}, nil
		}
	} else if cfg.Audit != "" {
		return audit.Place{}, &config.Error{File: cfg.Path, Msg: "audit: a trail in PostgreSQL cannot be kept by this version", Hint: "write audit: sqlite:PATH, or leave it out"}
	}
	state, err := e.stateHome()
	if err != nil {
		return audit.Place{}, err
	}
	where := cfg.Path
	if cfg.Place.FS == nil {
		if where, err = filepath.Abs(cfg.Path); err == nil {
			where, err = filepath.EvalSymlinks(where) // two ways to one config are one trail: what was decided by one is seen by the other
		}
		if err != nil {
			return audit.Place{}, fmt.Errorf("finding the place of the audit trail: %w", err)
		}
	}
	sum := sha256.Sum256([]byte(where))
	return audit.Place{Path: filepath.Join(state, "idemctl", cfg.Name+"-"+hex.EncodeToString(sum[:6]), "audit.db")}, nil
}

func (e *Env) stateHome() (string, error) {
	if dir := e.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	if home := e.Getenv("HOME"); home != "" {
		return filepath.Join(home, ".local", "state"), nil
	}
	return "", &failure{what: "no place for the audit trail: HOME is not set", hint: "set HOME or XDG_STATE_HOME, or write audit: sqlite:PATH in the config"}
}

func (e *Env) auditEnv() (audit.Env, error) {
	operator, err := audit.Self()
	return audit.Env{
		Now: e.Now, NewID: func() string { return uuid.Must(uuid.NewV7()).String() }, Tool: "idemctl " + version(), Operator: operator,
	}, err
}

// openTrail opens a trail for recording, and makes it where there is none.
func (e *Env) openTrail(ctx context.Context, place audit.Place) (*audit.Trail, error) {
	env, err := e.auditEnv()
	if err != nil {
		return nil, err
	}
	trail, err := audit.Open(ctx, place, env)
	return trail, notTrusted(place, err)
}

// readTrail opens a trail for reading; nil where there is none. It makes and writes nothing.
func (e *Env) readTrail(ctx context.Context, place audit.Place) (*audit.Trail, error) {
	env, err := e.auditEnv()
	if err != nil {
		return nil, err
	}
	trail, err := audit.OpenReading(ctx, place, env)
	if errors.Is(err, audit.ErrNone) {
		return nil, nil
	}
	return trail, notTrusted(place, err)
}

// notTrusted tells a file that stands, or may stand, and cannot be read as a trail from a place where none can be made: one with no file, or below a file. A
// place that may not be looked at is no empty one.
func notTrusted(place audit.Place, err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, audit.ErrBusy) {
		return err
	}
	if _, none := os.Lstat(place.Path); errors.Is(none, fs.ErrNotExist) || errors.Is(none, syscall.ENOTDIR) {
		return err
	}
	return &trailError{err}
}

// placeOf is where the trail of a target is kept. A saved scan says so itself.
func (e *Env) placeOf(ctx context.Context, t target) (audit.Place, error) {
	if !t.saved {
		cfg, err := e.load(t, "")
		if err != nil {
			return audit.Place{}, err
		}
		return e.trailPlace(ctx, cfg)
	}
	path, err := trailOfSaved(ctx, t.path)
	if err == nil && path == "" {
		err = &usageError{what: t.path + " does not say where its decisions are kept", hint: "name the config it was made from"}
	}
	return e.savedPlace(path), err
}

// memoryBeside is where all that a machine remembers of a scenario's trail lies.
func memoryBeside(trail string) string { return filepath.Join(filepath.Dir(trail), "state") }

// savedPlace is the place of the trail that a saved scan names. Of a scenario's trail, which stands among this account's own, the memory lies beside it; nowhere
// else is such a folder believed.
func (e *Env) savedPlace(path string) audit.Place {
	place := audit.Place{Path: path}
	state, err := e.stateHome()
	if err != nil || filepath.Dir(filepath.Dir(path)) != filepath.Join(state, "idemctl") {
		return place
	}
	if info, err := os.Stat(memoryBeside(path)); err == nil && info.IsDir() {
		place.State = memoryBeside(path)
	}
	return place
}

func shownPath(path string) string { return text.SafeString(path) }
