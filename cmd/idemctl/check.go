package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

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
where they stand, and which rules cannot be judged because a declaration is missing, and what to add where.`,
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
	checkup, err := readAll(ctx, env, cfg, env.clock(cfg))
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
func readAll(ctx context.Context, env *Env, cfg *config.Config, now reconcile.Instant) (_ *report.Checkup, err error) {
	set, err := sources.Open(ctx, cfg.Place, cfg.Sources, now)
	defer func() {
		if failed := set.Close(); err == nil && failed != nil {
			err = fmt.Errorf("closing the sources: %w", failed)
		}
	}()
	if err != nil {
		return nil, inConfig(cfg, err)
	}
	out := &report.Checkup{Name: cfg.Name, Missing: missing(cfg), NotJudged: unjudged(cfg)}
	readers := set.Readers()
	met := make([]samples, len(readers))
	for i, r := range readers {
		met[i].of = map[string]string{}
		if err := r.Scan(ctx, func(_ rows.Pos, r *reconcile.Record) error {
			met[i].see(r)
			return nil
		}); err != nil {
			return nil, err
		}
	}
	for i, checked := range set.Check(ctx) {
		facts, stats := readers[i].Facts(), readers[i].Stats()
		if note := stats.EmptyKeyNote(facts.Role); note != "" {
			checked.Notes = append(checked.Notes, note)
		}
		source := report.CheckedSource{Checked: checked, Facts: facts, Stats: stats, Unmapped: unmapped(cfg.Contracts, &facts), Now: now}
		for _, f := range checked.Fields {
			like := ""
			if !f.Unseen {
				like = met[i].ofField(f.Fact)
			}
			source.Samples = append(source.Samples, like)
		}
		if source.Differs, err = differences(cfg, i); err != nil {
			return nil, err
		}
		if checked.Clock.Known() {
			source.ClockOff = checked.Clock.Time().Sub(env.Now())
		}
		out.Sources = append(out.Sources, source)
	}
	return out, nil
}

// missing names the roles that a contract rests on and that no source has.
func missing(cfg *config.Config) []report.MissingSource {
	has := map[reconcile.Role]bool{}
	for i := range cfg.Sources {
		has[cfg.Sources[i].Role] = true
	}
	var out []report.MissingSource
	for _, c := range cfg.Contracts {
		if !has[reconcile.RoleReceipt] {
			out = append(out, report.MissingSource{Contract: c.Name, Role: reconcile.RoleReceipt, Why: "nobody knows whether a retry would be recognised"})
		}
		if local := c.Effect == reconcile.LegsLocal || c.Effect == reconcile.LegsBoth; local && !has[reconcile.RoleEffect] {
			out = append(out, report.MissingSource{Contract: c.Name, Role: reconcile.RoleEffect, Why: "nobody knows whether the action was executed here"})
		}
		if external := c.Effect == reconcile.LegsExternal || c.Effect == reconcile.LegsBoth; external && !has[reconcile.RoleProvider] {
			out = append(out, report.MissingSource{Contract: c.Name, Role: reconcile.RoleProvider, Why: "nobody knows whether the provider executed the action"})
		}
	}
	return out
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
func unjudged(cfg *config.Config) []report.Unjudged {
	var out []report.Unjudged
	for _, c := range cfg.Contracts {
		if c.Fingerprint == nil && c.Params == nil {
			out = append(out, report.Unjudged{Rule: reconcile.FingerprintConflict.String(), Contract: c.Name, Why: uncompared(cfg.Sources, c.Name)})
		}
		if len(c.Actor) == 0 {
			out = append(out, report.Unjudged{Rule: reconcile.SuspectedDuplicateIntent.String(), Contract: c.Name, Why: "no actor is declared"})
		}
		if why := unnamed(cfg.Sources, c); why != "" {
			out = append(out, report.Unjudged{Rule: "failures", Contract: c.Name, Why: why})
		}
	}
	return out
}

// unnamed says which of a contract's failures no receipt can be told to be, since nothing maps what they are named by.
func unnamed(specs []sources.Spec, c *reconcile.Contract) string {
	maps := func(fact string) bool {
		return slices.ContainsFunc(specs, func(s sources.Spec) bool {
			return s.Role == reconcile.RoleReceipt && slices.ContainsFunc(s.Map, func(f sources.Field) bool { return f.Name == fact })
		})
	}
	var codes, statuses []string
	for _, f := range slices.Concat(c.Occupies, c.Frees) {
		if f.ByStatus() {
			statuses = append(statuses, f.Name)
		} else {
			codes = append(codes, f.Name)
		}
	}
	var lacks []string
	if len(codes) > 0 && !maps("error_code") {
		lacks = append(lacks, "no source of receipts maps error_code, so nothing is known to be "+strings.Join(codes, ", "))
	}
	if len(statuses) > 0 && !maps("response_status") {
		lacks = append(lacks, "no source of receipts maps response_status, so nothing is known to be "+strings.Join(statuses, ", "))
	}
	return strings.Join(lacks, "; ")
}

// uncompared says why the requests of a contract that declares neither params nor fingerprint are not compared, and what to add where.
func uncompared(specs []sources.Spec, contract string) string {
	const why = "neither fingerprint nor params is declared, so requests are not compared"
	var by []string
	for i := range specs {
		if slices.ContainsFunc(specs[i].Map, func(f sources.Field) bool { return f.Name == "params" }) {
			by = append(by, specs[i].Name)
		}
	}
	if len(by) == 0 {
		return why + ". Map params in the sources that hold the request, and add params: {} to contract " + contract + "; or declare fingerprint in both"
	}
	maps := " maps params"
	if len(by) > 1 {
		maps = " map params"
	}
	return why + ": " + strings.Join(by, ", ") + maps + ", but a contract compares requests only with params: {} (or fingerprint). Add params: {} to contract " + contract
}
