package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/restore"
	"example.com/idemctl/internal/restoreplan"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/text"
)

// aloneAmong refuses a command that is told to write a file, and something beside it that it would not do.
func aloneAmong(cmd *cobra.Command, files ...string) error {
	for _, file := range files {
		if !cmd.Flags().Changed(file) {
			continue
		}
		var beside string
		cmd.Flags().Visit(func(f *pflag.Flag) {
			if f.Name != file && (f.Name != "now" || file == "materialise") && cmd.InheritedFlags().Lookup(f.Name) == nil {
				beside = f.Name
			}
		})
		if beside != "" {
			return &usageError{what: "--" + file + " writes a file and nothing else: --" + beside + " would be left undone", hint: "run idemctl " + cmd.Name() + " twice"}
		}
	}
	return nil
}

// planFormat says how a plan is written to a file of this name.
func planFormat(file string) (func(*restoreplan.Plan, *bytes.Buffer) error, error) {
	switch strings.ToLower(filepath.Ext(file)) {
	case ".sql":
		return func(p *restoreplan.Plan, b *bytes.Buffer) error { return p.SQL(b) }, nil
	case ".jsonl":
		return func(p *restoreplan.Plan, b *bytes.Buffer) error { return p.JSONL(b) }, nil
	}
	return nil, &usageError{what: "--plan " + text.SafeString(file) + ": neither .sql nor .jsonl", hint: "name a file: restore --plan plan.sql"}
}

// runPlan writes the plan of a config's receipts, as restore --plan asks.
func runPlan(ctx context.Context, env *Env, file, now string, args []string) error {
	format, err := planFormat(file)
	if err != nil {
		return err
	}
	t, err := env.target(args)
	if err != nil {
		return err
	}
	if err := t.noSaved("restore --plan"); err != nil {
		return err
	}
	cfg, err := env.load(t, now)
	if err != nil {
		return err
	}
	res, known, err := env.open(ctx, t, now, "")
	if err != nil {
		return err
	}
	defer func() { _ = res.Close() }()
	var reuse []restoreplan.Reuse
	for _, r := range restore.Reusable(res.Manifest()) {
		reuse = append(reuse, restoreplan.Reuse{Source: r.Source, From: r.From, To: r.To})
	}
	plan, err := env.planOf(ctx, cfg, res, reuse)
	if err != nil {
		return err
	}
	if err := env.writePlan(ctx, plan, format, file, t, known, res); err != nil {
		return err
	}
	env.outcome.undecided = len(res.Manifest().Gaps) > 0 || len(plan.Inserts)+len(plan.Refused) > 0
	return nil
}

func (e *Env) emptyPlan(cfg *config.Config, res *scan.Result, reuse []restoreplan.Reuse) *restoreplan.Plan {
	dir := ""
	if cfg.Place.FS == nil {
		dir = absolute(cfg.Place.Dir)
	}
	return restoreplan.New(restoreplan.Input{Manifest: res.Manifest(), Contracts: cfg.Contracts, Sources: cfg.Sources, Dir: dir, Reuse: reuse})
}

// planOf makes the plan of a scan's cases.
func (e *Env) planOf(ctx context.Context, cfg *config.Config, res *scan.Result, reuse []restoreplan.Reuse) (*restoreplan.Plan, error) {
	plan := e.emptyPlan(cfg, res, reuse)
	for c, err := range res.Cases(ctx, scan.Filter{}) {
		if err != nil {
			return nil, err
		}
		plan.Add(c)
	}
	return plan, nil
}

// writePlan writes a plan, and records that it holds requests and answers as they are stored.
func (e *Env) writePlan(ctx context.Context, plan *restoreplan.Plan, format func(*restoreplan.Plan, *bytes.Buffer) error, file string, t target, k *known, res *scan.Result) error {
	var b bytes.Buffer
	err := format(plan, &b)
	switch {
	case errors.Is(err, restoreplan.ErrFiles):
		return &failure{what: text.SafeString(file), err: err, hint: "write the plan as JSONL: --plan plan.jsonl"}
	case errors.Is(err, restoreplan.ErrSeveral):
		return &failure{what: text.SafeString(file), err: err, hint: "write the plan as JSONL, or a config for each database"}
	case err != nil:
		return &failure{what: text.SafeString(file), err: err}
	}
	if len(plan.Inserts) > 0 {
		if err := e.reveal(ctx, t, k, res.Manifest(), ""); err != nil {
			return err
		}
	}
	if err := replaceFile(file, b.Bytes()); err != nil {
		return &failure{what: "writing " + text.SafeString(file), err: err, hint: "see that its folder is there, and may be written to"}
	}
	e.talk("idemctl: %d receipts to put back, %d that cannot be rebuilt, written to %s; idemctl does not run it", len(plan.Inserts), len(plan.Refused), text.SafeString(file))
	return nil
}

// replaceFile puts a whole file in place, or leaves what was there.
func replaceFile(file string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+"-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// planned counts what a plan would put back, without keeping one.
func (e *Env) planned(cfg *config.Config, res *scan.Result) restore.Plan {
	return func(ctx context.Context, refused func(restore.Unbuildable) error) (insertable int64, err error) {
		plan := e.emptyPlan(cfg, res, nil)
		for c, err := range res.Cases(ctx, scan.Filter{}) {
			if err != nil {
				return insertable, err
			}
			insert, cannot := plan.Try(c)
			if insert != nil {
				insertable++
			}
			if cannot == nil {
				continue
			}
			if err := refused(restore.Unbuildable{Case: cannot.Case, Reason: cannot.Reason}); err != nil {
				return insertable, err
			}
		}
		return insertable, nil
	}
}
