package main

import (
	"context"
	"fmt"
	"io"

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
	res, err := e.scan(ctx, cfg, scan.Options{})
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
