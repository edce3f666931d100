package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/report"
	"example.com/idemctl/internal/text"
)

func newWithdraw(env *Env) *cobra.Command {
	var asJSON bool
	var reason string
	cmd := &cobra.Command{
		Use:   "withdraw DECISION --reason REASON [CONFIG]",
		Short: "take a decision back, or what was confirmed of a restore",
		Long: `Records that a decision is taken back. Nothing is erased. A replay that was handed out already
may be sent all the same: it stays pending until its outcome is recorded.

The id may be that of a confirmed restore, as idemctl restore --confirm told it. From then on no
scan takes that window as a fact: cases are named anew, and decisions stay.`,
		Args: arguments(1, 2, "a decision and at most one config"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := audit.CheckWithdrawal(reason); err != nil { // before anything is opened
				return err
			}
			if found, err := env.retract(cmd.Context(), args, asJSON, reason); found || err != nil {
				return err
			}
			return env.change(cmd.Context(), args, asJSON, "withdrawn", func(ctx context.Context, trail *audit.Trail, id string) (audit.Decision, error) {
				return trail.Withdraw(ctx, id, reason)
			})
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "`WHY`; 3 characters or more")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write one JSON object")
	return cmd
}

// retract takes a confirmed restore back, where the name is that of one.
func (e *Env) retract(ctx context.Context, args []string, asJSON bool, reason string) (found bool, err error) {
	place, trail, err := e.trailOf(ctx, args[1:])
	if err != nil || trail == nil {
		return false, err
	}
	all, err := trail.Restores(ctx)
	_, none := trail.Decision(ctx, args[0])
	_ = trail.Close()
	switch named := slices.ContainsFunc(all, func(r audit.Restore) bool { return args[0] != "" && strings.HasPrefix(r.ID, args[0]) }); {
	case err != nil:
		return false, &trailError{err}
	case !named:
		return false, nil
	case !errors.Is(none, audit.ErrNotFound):
		return false, notFound(audit.ErrAmbiguous, args[0])
	}
	if trail, err = e.openTrail(ctx, place); err != nil {
		return true, err
	}
	defer func() { _ = trail.Close() }()
	r, err := trail.WithdrawRestore(ctx, args[0], reason)
	if errors.Is(err, audit.ErrNotFound) || errors.Is(err, audit.ErrAmbiguous) {
		return true, notFound(err, args[0])
	}
	if err != nil && !errors.Is(err, audit.ErrUnpinned) {
		return true, err
	}
	e.outcome.recorded = true
	return true, errors.Join(err, writeOut(e.Out, func(w io.Writer) error {
		if asJSON {
			return report.WithdrawnRestoreJSON(w, r.ID, &r.Event)
		}
		_, err := fmt.Fprintf(w, "withdrawn  %s  %s\n", text.SafeString(r.Event.Text()), text.SafeString(r.ID))
		return err
	}))
}

var outcomeWords = []string{"done", "failed", "unknown"}

func newOutcome(env *Env) *cobra.Command {
	var asJSON bool
	var ref, reason string
	cmd := &cobra.Command{
		Use:   "outcome DECISION (" + strings.Join(outcomeWords, "|") + ") --ref REF [CONFIG]",
		Short: "record what came of a decision",
		Long: `Records what came of a decision: done, failed (certainly not carried out) or unknown (tried, and
nobody knows). Unknown can become one of the others later. A replay stays pending until the
sources cover the time of its outcome.`,
		Args: arguments(2, 3, "a decision, an outcome and at most one config"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 1 {
				return outcomeWords, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			outcome, err := reconcile.ParseDecisionOutcome(args[1])
			if err != nil || outcome == reconcile.ReportedNone {
				return &usageError{what: fmt.Sprintf("outcome %s: no such outcome", args[1]), hint: suggest(args[1], outcomeWords)}
			}
			if strings.TrimSpace(ref) == "" {
				return &usageError{what: "outcome: what tells it is missing", hint: "name the worker's run, a log line, a row: --ref …"}
			}
			return env.change(cmd.Context(), append(args[:1:1], args[2:]...), asJSON, args[1], func(ctx context.Context, trail *audit.Trail, id string) (audit.Decision, error) {
				return trail.Outcome(ctx, id, outcome, ref, reason)
			})
		},
	}
	cmd.Flags().StringVar(&ref, "ref", "", "what tells it: a `REFERENCE`")
	cmd.Flags().StringVar(&reason, "reason", "", "`WHY`, where there is more to say")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write one JSON object")
	return cmd
}

// change records something about a decision that stands in the trail.
func (e *Env) change(ctx context.Context, args []string, asJSON bool, word string, record func(context.Context, *audit.Trail, string) (audit.Decision, error)) error {
	place, trail, err := e.trailOf(ctx, args[1:]) // nothing is made for a decision that cannot stand
	switch {
	case err != nil:
		return err
	case trail == nil:
		return &failure{what: "no decision is recorded here yet", hint: "idemctl decide records one"}
	}
	known, err := trail.Decision(ctx, args[0])
	_ = trail.Close()
	if err != nil {
		return notFound(err, args[0])
	}
	if trail, err = e.openTrail(ctx, place); err != nil {
		return err
	}
	defer func() { _ = trail.Close() }()
	d, err := record(ctx, trail, known.ID)
	var step *audit.StepError
	if errors.As(err, &step) {
		return &failure{what: "refused: " + step.Error(), hint: "idemctl audit log tells what became of it"}
	}
	if err != nil && !errors.Is(err, audit.ErrUnpinned) {
		return err
	}
	e.outcome.recorded = true
	if d.State == reconcile.DecisionWithdrawn && d.HandedOut.Known() && d.Outcome == reconcile.ReportedNone {
		_, _ = fmt.Fprintf(e.Err, "idemctl: it was handed out at %s: it may have been sent already, and stays pending until idemctl outcome says what came of it\n", d.HandedOut.Time().Format(time.RFC3339))
	}
	shown := shownDecision(&d, nil, reconcile.At(e.Now()))
	return errors.Join(err, writeOut(e.Out, func(w io.Writer) error {
		if asJSON {
			return report.DecisionJSON(w, d.Case, &shown)
		}
		_, err := fmt.Fprintf(w, "%s  %s  %s\n", word, text.SafeString(d.Case), text.SafeString(d.ID))
		return err
	}))
}

// notFound says which decision cannot be found.
func notFound(err error, prefix string) error {
	shown := text.Truncate(text.SafeString(prefix), 40)
	switch {
	case errors.Is(err, audit.ErrNotFound):
		return &failure{what: "no decision begins with " + shown, hint: "`idemctl audit log` lists the decisions with their ids"}
	case errors.Is(err, audit.ErrAmbiguous):
		return &failure{what: "several decisions begin with " + shown, hint: "give more of the id"}
	case errors.Is(err, context.Canceled):
		return err
	}
	return &trailError{err}
}
