package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/backstory"
	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/scenario"
	"example.com/idemctl/internal/text"
)

// trainCheck says what a scenario lacks in itself, and where a scan of its data finds something else than its key says.
func (e *Env) trainCheck(ctx context.Context, name string) error {
	cfg, s, err := e.script(name)
	if err != nil {
		return err
	}
	problems := scenario.Lint(s)
	res, err := e.rehearse(ctx, cfg, s)
	if err != nil {
		return err
	}
	defer func() { _ = res.Close() }()
	found, err := found(ctx, res)
	if err != nil {
		return err
	}
	problems = append(problems, s.Differ(found)...)
	err = writeOut(e.Out, func(w io.Writer) error {
		for _, p := range problems {
			if _, err := fmt.Fprintln(w, text.SafeString(p.String())); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(problems) == 0 {
		e.talk("idemctl: %s is whole: its key and a scan of its data say the same of %d cases; idemctl train %s plays it", text.SafeString(name), len(s.Cases), text.SafeString(name))
		return nil
	}
	return &failure{what: fmt.Sprintf("%s cannot be played as it is: %d to mend", name, len(problems)), hint: "mend scenario.yaml where the key is wrong, the data where the story is"}
}

// rehearse scans a scenario with what its own trail tells.
func (e *Env) rehearse(ctx context.Context, cfg *config.Config, s *scenario.Scenario) (*scan.Result, error) {
	dir, err := os.MkdirTemp("", "idemctl-train-")
	if err != nil {
		return nil, fmt.Errorf("making a place for the trail of this scenario: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	place := audit.Place{Path: filepath.Join(dir, "audit.db")}
	if err := e.backstory(ctx, cfg, s, &place); err != nil {
		return nil, err
	}
	env, err := e.auditEnv()
	if err != nil {
		return nil, err
	}
	decided, trouble, err := backstory.Known(ctx, place, env)
	if err != nil {
		return nil, err
	}
	return e.scan(ctx, cfg, scan.Options{Decided: decided, Unsure: trouble != nil})
}

// found is what a scan found, as an answer key tells it.
func found(ctx context.Context, res *scan.Result) (*scenario.Found, error) {
	m := res.Manifest()
	c := m.Counts
	out := &scenario.Found{Counts: map[string]int{
		reconcile.ClassMatched.String(): int(c.Matched), reconcile.ClassInFlight.String(): int(c.InFlight), reconcile.ClassExplained.String(): int(c.Explained),
		reconcile.ClassInconclusive.String(): int(c.Inconclusive), reconcile.ClassUnclaimed.String(): int(c.Unclaimed), "cases": int(c.Cases),
	}}
	for i := range m.Sources {
		if !m.Sources[i].Coverage.Complete {
			out.Incomplete = append(out.Incomplete, m.Sources[i].Name)
		}
	}
	for i := range m.Contracts {
		out.Contracts = append(out.Contracts, m.Contracts[i].Kind)
	}
	for one, err := range res.Cases(ctx, scan.Filter{}) {
		if err != nil {
			return nil, err
		}
		j := one.Judgement
		identity := make([]reconcile.Component, len(one.Identity))
		for i, c := range one.Identity {
			identity[i] = reconcile.Component{Name: c.Name, Value: c.Value.Clone()}
		}
		out.Cases = append(out.Cases, scenario.FoundCase{Identity: identity, Judgement: &j})
	}
	return out, nil
}
