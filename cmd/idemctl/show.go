package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"example.com/idemctl/internal/report"
)

type showOptions struct {
	asJSON, reveal bool
	now            string
}

func newShow(env *Env) *cobra.Command {
	var opt showOptions
	cmd := &cobra.Command{
		Use:   "show CASE [CONFIG]",
		Short: "one case with its evidence and its reasons",
		Long: `Shows one case: what is known and what is not, what a retry would do now and until when it
could execute the action again, the records with the links that join them, the reasons, and
what may be decided. The beginning of a case id suffices where no other begins so.`,
		Args: arguments(1, 2, "a case and at most one config"),
		RunE: func(cmd *cobra.Command, args []string) error { return runShow(cmd.Context(), env, &opt, args) },
	}
	f := cmd.Flags()
	f.BoolVar(&opt.asJSON, "json", false, "write one JSON object")
	f.StringVar(&opt.now, "now", "", "pin the clock at this `TIME`")
	f.BoolVar(&opt.reveal, "reveal", false, "show payloads as stored")
	return cmd
}

func runShow(ctx context.Context, env *Env, opt *showOptions, args []string) error {
	colour, err := env.colour()
	if err != nil {
		return err
	}
	t, err := env.target(args[1:])
	if err != nil {
		return err
	}
	res, known, err := env.open(ctx, t, opt.now, "")
	if err != nil {
		return err
	}
	defer func() { _ = res.Close() }()
	env.outcome.undecided = false // to be shown a case is no finding of its own
	c, err := res.Case(ctx, args[0])
	if err != nil {
		return err
	}
	shape := report.Options{Reveal: opt.reveal, Colour: colour, Width: env.Width, Config: t.named, Decisions: known.shown()}
	if opt.reveal {
		if err := env.reveal(ctx, t, known, res.Manifest(), c.CaseID); err != nil {
			return err
		}
	}
	return writeOut(env.Out, func(w io.Writer) error {
		if opt.asJSON {
			return report.ShowJSON(w, c, shape)
		}
		return report.Show(w, res.Manifest(), c, shape)
	})
}
