package main

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/report"
	"example.com/idemctl/internal/scan"
)

// desk is what decisions about a config's cases go through. repeated says that the operator named the clock's time for this very decision.
func (e *Env) desk(cfg *config.Config, trail *audit.Trail, repeated bool) *audit.Desk {
	return &audit.Desk{
		Trail: trail, Now: e.Now, Fixture: cfg.Fixture, Repeated: repeated,
		Read: func(ctx context.Context, decided map[string][]reconcile.Decided) (audit.Reading, error) {
			gaps, err := trail.Restores(ctx)
			if err != nil {
				return audit.Reading{}, &trailError{err}
			}
			res, err := e.scan(ctx, cfg, scan.Options{Decided: decided, Restores: eventsOf(gaps)})
			if err != nil {
				return audit.Reading{}, err
			}
			return reading(res), nil
		},
	}
}

// reading is a scan as the desk needs it.
func reading(res *scan.Result) audit.Reading {
	m := res.Manifest()
	return audit.Reading{
		Now: m.Now, Pinned: m.Pinned, Incomplete: !m.Complete, Config: m.Name, ConfigDigest: m.ConfigDigest, Close: res.Close,
		Case: func(ctx context.Context, prefix string) (*audit.Seen, error) {
			c, err := res.Case(ctx, prefix)
			var none *scan.Error
			if errors.As(err, &none) {
				return nil, unfound{none}
			}
			if err != nil {
				return nil, err
			}
			var evidence bytes.Buffer
			if err := report.ShowJSON(&evidence, c, report.Options{Reveal: true}); err != nil {
				return nil, err
			}
			return &audit.Seen{
				Judgement: &c.Judgement, Contract: c.Contract, Identity: c.Identity, Twins: c.Twins, Others: slices.Concat(c.Candidates, c.Others), Refs: refs(c), Evidence: evidence.Bytes(),
			}, nil
		},
	}
}

// unfound is that a name is no case's, or that of several: it reads as show says it, and the desk knows it.
type unfound struct{ err *scan.Error }

func (u unfound) Error() string { return u.err.Error() }

func (u unfound) Unwrap() []error {
	if u.err.Several {
		return []error{u.err, audit.ErrSeveral}
	}
	return []error{u.err, audit.ErrNoCase}
}

// refs are what a case's records are called.
func refs(c *scan.Case) []string {
	var out []string
	for _, e := range c.Evidence {
		out = append(out, e.Locator, e.Source+":"+e.Locator)
		for _, f := range e.Facts {
			switch f.Name {
			case "effect_id", "object_id", "provider_ref", "request_id", "event_id", "message_id", "original_id", "business_ref":
				out = append(out, f.Value.String())
			}
		}
	}
	return out
}

// loadToDecide loads a config and says whether --now repeats the clock that it is pinned at. Where the config pins none there is nothing to
// repeat: a time that only the command line names decides nothing.
func (e *Env) loadToDecide(t target, now string) (cfg *config.Config, repeated bool, err error) {
	own, err := e.load(t, "")
	if err != nil {
		return nil, false, err
	}
	if cfg, err = e.load(t, now); err != nil {
		return nil, false, err
	}
	return cfg, now != "" && own.Now.Known() && own.Now == cfg.Now, nil
}
