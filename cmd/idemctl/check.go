package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/report"
	"example.com/idemctl/internal/sources"
	"example.com/idemctl/internal/sources/rows"
)

type checkOptions struct {
	asJSON bool
	now    string
}

func newCheck(env *Env) *cobra.Command {
	var opt checkOptions
	cmd := &cobra.Command{
		Use:   "check [CONFIG]",
		Short: "say how every source was opened and understood",
		Long: `Opens and reads every source, judges nothing, and says of each: how it was opened, how many
rows it has, what every field was read from, what it covers, which rows could not be read and
where they stand, and which rules cannot be judged because a mapping is missing.`,
		Args: arguments(0, 1, "at most one config"),
		RunE: func(cmd *cobra.Command, args []string) error { return runCheck(cmd.Context(), env, &opt, args) },
	}
	f := cmd.Flags()
	f.BoolVar(&opt.asJSON, "json", false, "write one JSON object")
	f.StringVar(&opt.now, "now", "", "pin the clock at this `TIME`")
	return cmd
}

func runCheck(ctx context.Context, env *Env, opt *checkOptions, args []string) error {
	colour, err := env.colour()
	if err != nil {
		return err
	}
	t, err := env.target(args)
	if err != nil {
		return err
	}
	if err := t.noSaved("check"); err != nil {
		return err
	}
	cfg, err := env.load(t, opt.now)
	if err != nil {
		return err
	}
	checkup, err := readAll(ctx, cfg, env.clock(cfg))
	if err != nil {
		return err
	}
	env.outcome.incomplete = !checkup.Complete()
	return writeOut(env.Out, func(w io.Writer) error {
		if opt.asJSON {
			return report.CheckJSON(w, checkup)
		}
		return report.Check(w, checkup, report.Options{Colour: colour, Width: env.Width})
	})
}

// readAll reads every source to its end, so that coverage and unreadable rows are those of a scan.
func readAll(ctx context.Context, cfg *config.Config, now reconcile.Instant) (_ *report.Checkup, err error) {
	set, err := sources.Open(ctx, cfg.Place, cfg.Sources, now)
	defer func() {
		if failed := set.Close(); err == nil && failed != nil {
			err = fmt.Errorf("closing the sources: %w", failed)
		}
	}()
	if err != nil {
		return nil, inConfig(cfg, err)
	}
	out := &report.Checkup{Name: cfg.Name, NotJudged: unjudged(cfg.Contracts)}
	readers := set.Readers()
	for _, r := range readers {
		if err := r.Scan(ctx, func(rows.Pos, *reconcile.Record) error { return nil }); err != nil {
			return nil, err
		}
	}
	for i, checked := range set.Check() {
		facts := readers[i].Facts()
		out.Sources = append(out.Sources, report.CheckedSource{
			Checked: checked, Facts: facts, Stats: readers[i].Stats(), Unmapped: unmapped(cfg.Contracts, &facts),
		})
	}
	return out, nil
}

// unmapped names the components of the contracts' scopes that a source does not map.
func unmapped(contracts []*reconcile.Contract, facts *reconcile.SourceFacts) []string {
	var names []string
	for _, c := range contracts {
		for _, name := range c.Scope {
			if !slices.Contains(facts.Components, name) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// unjudged names the rules that a contract's declarations leave without what they compare.
func unjudged(contracts []*reconcile.Contract) []report.Unjudged {
	var out []report.Unjudged
	for _, c := range contracts {
		if c.Fingerprint == nil && c.Params == nil {
			out = append(out, report.Unjudged{Rule: reconcile.FingerprintConflict.String(), Contract: c.Name, Why: "neither fingerprint nor params is declared"})
		}
		if len(c.Actor) == 0 {
			out = append(out, report.Unjudged{Rule: reconcile.SuspectedDuplicateIntent.String(), Contract: c.Name, Why: "no actor is declared"})
		}
	}
	return out
}
