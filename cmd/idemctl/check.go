package main

import (
	"context"

	"github.com/spf13/cobra"
)

type checkOptions struct {
	asJSON, reveal bool
	now            string
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
	return &failure{what: "not wired yet"}
}
