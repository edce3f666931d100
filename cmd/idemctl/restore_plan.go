package main

import (
	"context"
	"errors"
	"io"
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
func planFormat(file string) (func(*restoreplan.Plan, io.Writer) error, error) {
	switch strings.ToLower(filepath.Ext(file)) {
	case ".sql":
		return (*restoreplan.Plan).SQL, nil
	case ".jsonl":
		return (*restoreplan.Plan).JSONL, nil
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
	plan := planOf(ctx, cfg, res, reuse)
	err = replaceFile(file, func(w io.Writer) error {
		if err := format(plan, w); err != nil {
			return planFailure(file, err)
		}
		if plan.Insertable == 0 {
			return nil
		}
		return env.reveal(ctx, t, known, res.Manifest(), "") // it holds requests and answers as they are stored
	})
	if err != nil {
		return err
	}
	env.talk("idemctl: %d receipts to put back, %d that cannot be rebuilt, written to %s; idemctl does not run it", plan.Insertable, plan.Unbuildable, text.SafeString(file))
	env.outcome.undecided = len(res.Manifest().Gaps) > 0 || plan.Insertable+plan.Unbuildable > 0
	return nil
}

// planOf is the plan of a scan's cases.
func planOf(ctx context.Context, cfg *config.Config, res *scan.Result, reuse []restoreplan.Reuse) *restoreplan.Plan {
	dir := ""
	if cfg.Place.FS == nil {
		dir = absolute(cfg.Place.Dir)
	}
	return restoreplan.New(restoreplan.Input{Manifest: res.Manifest(), Contracts: cfg.Contracts, Sources: cfg.Sources, Dir: dir, Reuse: reuse, Cases: res.Cases(ctx, scan.Filter{})})
}

// planFailure says why there is no plan.
func planFailure(file string, err error) error {
	f := &failure{what: text.SafeString(file), err: err}
	switch {
	case errors.Is(err, restoreplan.ErrFiles):
		f.hint = "write the plan as JSONL: --plan plan.jsonl"
	case errors.Is(err, restoreplan.ErrSeveral):
		f.hint = "write the plan as JSONL, or a config for each database"
	}
	return f
}

// replaceFile writes a whole file and puts it in place, or leaves what was there.
func replaceFile(file string, write func(io.Writer) error) error {
	unwritten := func(err error) error {
		return &failure{what: "writing " + text.SafeString(file), err: err, hint: "see that its folder is there, and may be written to"}
	}
	f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+"-*")
	if err != nil {
		return unwritten(err)
	}
	if err := write(f); err != nil {
		return errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return unwritten(errors.Join(err, os.Remove(f.Name())))
	}
	if err := os.Rename(f.Name(), file); err != nil {
		return unwritten(errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}

// planned counts what a plan would put back.
func planned(cfg *config.Config, res *scan.Result) restore.Plan {
	return func(ctx context.Context, refused func(restore.Unbuildable) error) (insertable int64, err error) {
		plan := planOf(ctx, cfg, res, nil)
		err = plan.Count(func(u restoreplan.Unbuildable) error {
			return refused(restore.Unbuildable{Case: u.Case, Reason: u.Reason})
		})
		return plan.Insertable, err
	}
}
