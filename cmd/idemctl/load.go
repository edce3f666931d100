package main

import (
	"example.com/idemctl/fixtures"
	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/reconcile"
)

// load reads the config of a target. --now wins over the clock that the config pins.
func (e *Env) load(t target, now string) (*config.Config, error) {
	pinned, err := parseNow(now)
	if err != nil {
		return nil, err
	}
	cfg, err := config.Load(t.path, config.Options{Fixtures: fixtures.FS, Getenv: e.Getenv})
	if err != nil {
		return nil, err
	}
	cfg.Now = pinned.Or(cfg.Now)
	return cfg, nil
}

// clock is the one reading that a command makes: the pinned time, or now.
func (e *Env) clock(cfg *config.Config) reconcile.Instant { return cfg.Now.Or(reconcile.At(e.Now())) }
