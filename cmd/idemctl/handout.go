package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/report"
)

func newHandout(env *Env) *cobra.Command {
	var asJSON, asLines bool
	var now string
	cmd := &cobra.Command{
		Use:   "handout [CONFIG]",
		Short: "give the replays that still hold to the service's own worker",
		Long: `Reads the sources anew and asks the guard about every replay that was decided and not handed
out yet. Of those that still hold it records that they are handed out, and only then prints them,
one JSON object a line: the decision, the action's identity, parameters and target, the key that
the provider would be sent, and until when it may be sent. Those that no longer hold are named on
standard error with the reason.

A decision is handed out once. Record what came of it with idemctl outcome; whoever lost what was
handed out records unknown, and looks again when the sources cover that time.`,
		Args: arguments(0, 1, "at most one config"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if asJSON && asLines {
				return &usageError{what: "one output at a time: --json or --jsonl", hint: "--jsonl is what handout prints by itself"}
			}
			return runHandout(cmd.Context(), env, args, now, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asLines, "jsonl", false, "write one JSON object a decision, as without a flag")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write one JSON object with all of them")
	cmd.Flags().StringVar(&now, "now", "", "the `TIME` at which the clock is pinned, repeated for this hand-out")
	return cmd
}

func runHandout(ctx context.Context, env *Env, args []string, now string, asJSON bool) error {
	desk, done, err := env.toDesk(ctx, "handout", args, now, nil)
	if err != nil {
		return err
	}
	defer done()
	var handed []audit.Handed
	if desk != nil {
		handed, err = desk.HandOut(ctx)
	}
	var out []report.Handed
	for i := range handed {
		h := &handed[i]
		if h.Code != "" {
			env.outcome.incomplete = env.outcome.incomplete || h.Code == audit.CodeIncomplete
			_, _ = fmt.Fprintf(env.Err, "idemctl: %s\n", report.NotHanded(h.Decision.ID, h.Decision.Case, h.Code, h.Reason))
			continue
		}
		if h.Decision.HandedOut.Known() { // recorded: whatever went wrong later, it may be sent
			out = append(out, report.Handed{
				Decision: h.Decision.ID, Case: h.Decision.Case, Contract: h.Contract, Identity: h.Identity, Params: h.Send.Params, Target: h.Send.Target,
				ProviderKey: h.Send.ProviderKey, ValidUntil: h.ValidUntil, HandedOut: h.Decision.HandedOut,
			})
		}
	}
	env.outcome.recorded = len(out) > 0
	if written := writeOut(env.Out, func(w io.Writer) error { return report.HandOut(w, out, asJSON) }); written != nil {
		// A reader that went away has not had enough here: what it did not get is recorded as handed out all the same.
		what := fmt.Sprintf("handed out, and not all of it was written: %v", written)
		return errors.Join(err, &failure{what: what, hint: "record the outcome unknown for what the worker did not get"})
	}
	if err == nil && len(out) == 0 {
		env.talk("idemctl: nothing to hand out")
	}
	return err
}
