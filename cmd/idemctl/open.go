package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/tui"
)

func newOpen(env *Env) *cobra.Command {
	var now string
	cmd := &cobra.Command{
		Use:   "open [CONFIG]",
		Short: "the console: look at cases, decide them, see the trail",
		Args:  arguments(0, 1, "at most one config"),
		RunE:  func(cmd *cobra.Command, args []string) error { return runOpen(cmd.Context(), env, now, args) },
	}
	cmd.Flags().StringVar(&now, "now", "", "pin the clock at this `TIME`")
	return cmd
}

func runOpen(ctx context.Context, env *Env, now string, args []string) error {
	t, err := env.target(args)
	if err != nil {
		return err
	}
	deps := tui.Deps{TrailOff: "no trail yet", DeskOff: "no trail yet"}
	if t.saved {
		deps.SourceOff = "this is a saved scan: open its config to read the sources"
		deps.Load = func(ctx context.Context, _ *scan.Progress) (tui.Result, error) {
			res, err := scan.OpenSaved(ctx, t.path)
			if err != nil {
				return nil, err
			}
			return res, nil
		}
	} else {
		cfg, err := env.load(t, now)
		if err != nil {
			return err
		}
		deps.Load = func(ctx context.Context, p *scan.Progress) (tui.Result, error) {
			res, err := scan.Run(ctx, cfg, scan.Options{Clock: env.Now, Progress: p})
			if err != nil {
				return nil, inConfig(cfg, err)
			}
			return res, nil
		}
	}
	return tui.Run(ctx, deps, tui.Options{Now: env.Now, Env: env.Getenv, Config: t.named, Err: env.Err, Faults: os.TempDir(), Fixture: len(t.named) > 0 && t.named[0] == '@'})
}
