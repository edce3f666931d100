package main

import (
	"github.com/spf13/cobra"
)

type restoreOptions struct {
	plan, now   string
	materialise string
}

func newRestore(env *Env) *cobra.Command {
	var opt restoreOptions
	cmd := &cobra.Command{
		Use:   "restore [CONFIG]",
		Short: "put back what a restore lost",
		Long: `After a restore: --plan writes the receipts to put back before traffic is let in again, as
guarded inserts in the store's own columns; idemctl never runs them. What cannot be rebuilt is
listed with the reason. --materialise writes a training fixture out as real databases and
files, on which a plan can be tried.`,
		Example: "  idemctl restore @payments-restore --materialise night\n  idemctl restore night --plan plan.sql\n  sqlite3 -bail night/receipts.sqlite < plan.sql && idemctl scan night",
		Args:    arguments(0, 1, "at most one config"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case cmd.Flags().Changed("materialise"):
				return runMaterialise(cmd.Context(), env, opt.materialise, args)
			case cmd.Flags().Changed("plan"):
				return runPlan(cmd.Context(), env, opt.plan, opt.now, args)
			}
			return &usageError{what: "restore is not told what to do", hint: "give --plan FILE.sql, --plan FILE.jsonl or --materialise DIR"}
		},
	}
	f := cmd.Flags()
	f.StringVar(&opt.plan, "plan", "", "write the receipts to put back to this `FILE`, .sql or .jsonl")
	f.StringVar(&opt.now, "now", "", "pin the clock at this `TIME`")
	f.StringVar(&opt.materialise, "materialise", "", "write a training fixture's databases, files and config to this `DIR`, which must be empty")
	return cmd
}
