package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/spf13/cobra"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/report"
)

func newAudit(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "audit (log|verify) [CONFIG]",
		Short: "read or check the audit trail",
		Long: `The trail of what was decided about the cases of a config: kept where the config says (audit:),
else in a folder of this account. Records are only ever added. Reading makes and writes nothing.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return &usageError{what: "audit: what to do is missing", hint: "idemctl audit log, or idemctl audit verify"}
			}
			return &usageError{what: fmt.Sprintf("audit %s: no such command", args[0]), hint: suggest(args[0], []string{"log", "verify"})}
		},
	}
	cmd.AddCommand(newAuditLog(env), newAuditVerify(env))
	return cmd
}

type logOptions struct {
	asJSON, asLines, reverse bool
	limit                    int
	from                     int64
}

func newAuditLog(env *Env) *cobra.Command {
	var opt logOptions
	cmd := &cobra.Command{
		Use:   "log [CONFIG]",
		Short: "list the records of the trail",
		Long:  "Lists what was recorded, oldest first: who did what, when, about which case, and why.",
		Args:  arguments(0, 1, "at most one config"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case opt.asJSON && opt.asLines:
				return &usageError{what: "one output at a time: --json or --jsonl", hint: "leave one of them out"}
			case opt.limit < 0 || opt.from < 0:
				return &usageError{what: "--limit and --from count from 0", hint: "idemctl audit log --limit 20 --reverse"}
			}
			return runAuditLog(cmd.Context(), env, &opt, args)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&opt.asJSON, "json", false, "write one JSON object")
	f.BoolVar(&opt.asLines, "jsonl", false, "write one JSON object a record")
	f.BoolVar(&opt.reverse, "reverse", false, "newest first")
	f.IntVar(&opt.limit, "limit", 0, "at most this `NUMBER` of records")
	f.Int64Var(&opt.from, "from", 0, "begin at this record's `NUMBER`")
	return cmd
}

func runAuditLog(ctx context.Context, env *Env, opt *logOptions, args []string) error {
	trail, err := env.trailToRead(ctx, args)
	if trail == nil || err != nil {
		if err == nil && opt.asJSON {
			err = writeOut(env.Out, func(w io.Writer) error { return report.LogJSON(w, none) })
		}
		return err
	}
	defer func() { _ = trail.Close() }()
	entries := shownEntries(trail.Log(ctx, audit.LogQuery{From: opt.from, Limit: opt.limit, Reverse: opt.reverse}), decisionsByID(ctx, trail))
	return writeOut(env.Out, func(w io.Writer) error {
		switch {
		case opt.asJSON:
			return report.LogJSON(w, entries)
		case opt.asLines:
			return report.LogLines(w, entries)
		}
		return report.Log(w, entries, report.Options{Width: env.Width})
	})
}

// none is a list without entries.
func none(func(report.Entry, error) bool) {}

// trailOf opens the trail of a target for reading, and says where it stands; the trail is nil where there is none, and none is made.
func (e *Env) trailOf(ctx context.Context, args []string) (audit.Place, *audit.Trail, error) {
	t, err := e.target(args)
	if err != nil {
		return audit.Place{}, nil, err
	}
	place, err := e.placeOf(ctx, t)
	if err != nil {
		return audit.Place{}, nil, err
	}
	trail, err := e.readTrail(ctx, place)
	return place, trail, err
}

// trailToRead opens the trail of a target for reading; nil where there is none. Trouble is said, and what can be read is read.
func (e *Env) trailToRead(ctx context.Context, args []string) (*audit.Trail, error) {
	place, trail, err := e.trailOf(ctx, args)
	if err != nil {
		return nil, err
	}
	if trail == nil {
		e.talk("idemctl: nothing is recorded yet: no audit trail stands at %s", shownPath(place.Path))
		return nil, nil
	}
	if err := trail.Trouble(); err != nil {
		e.complain(err)
		e.outcome.trailBroken = true
	}
	return trail, nil
}

// decisionsByID are the decisions that records may be about. Of a trail that is damaged as many as can be read come: its records are listed without the rest.
func decisionsByID(ctx context.Context, trail *audit.Trail) map[string]*audit.Decision {
	all := make(map[string]*audit.Decision)
	for d, err := range trail.Decisions(ctx, audit.Query{}) {
		if err != nil {
			break // whoever reads the records is told of it there
		}
		all[d.ID] = &d
	}
	return all
}

func shownEntries(in iter.Seq2[audit.Entry, error], decisions map[string]*audit.Decision) iter.Seq2[report.Entry, error] {
	return func(yield func(report.Entry, error) bool) {
		for a, err := range in {
			out := report.Entry{
				Seq: a.Seq, ID: a.ID, Type: a.Type.String(), At: a.At, Operator: a.Operator, Tool: a.Tool, Case: a.Case, Decision: a.Decision, Signed: a.Signed,
				Action: a.Action, As: a.As, Code: a.Code, Answer: a.Answer, Reason: a.Reason, Ref: a.Ref, To: a.To, Outcome: a.Outcome, Record: a.Body,
			}
			if d := decisions[a.Decision]; d != nil {
				out.Identity = d.Identity
				if a.Type != audit.EventDecided {
					of := shownDecision(d, nil, d.Recorded)
					out.Of = &of
				}
			}
			if err != nil && !errors.Is(err, context.Canceled) {
				err = &trailError{err}
			}
			if !yield(out, err) || err != nil {
				return
			}
		}
	}
}

func newAuditVerify(env *Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify [CONFIG]",
		Short: "check the trail as a whole",
		Long: `Reads every record and holds it against the chain, the tree, its checkpoint, what this machine
remembers of it, the tables beside it and SQLite's own check. Each fault is named with its place.
The exit code is 4 where there is any.`,
		Args: arguments(0, 1, "at most one config"),
		RunE: func(cmd *cobra.Command, args []string) error { return runAuditVerify(cmd.Context(), env, args, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write one JSON object")
	return cmd
}

func runAuditVerify(ctx context.Context, env *Env, args []string, asJSON bool) error {
	trail, err := env.trailToRead(ctx, args)
	if trail == nil || err != nil {
		if err == nil && asJSON {
			err = writeOut(env.Out, func(w io.Writer) error { return report.VerifiedJSON(w, &report.Verified{}) })
		}
		return err
	}
	defer func() { _ = trail.Close() }()
	found, err := trail.Verify(ctx, nil)
	var trouble *audit.Trouble
	if errors.As(err, &trouble) && env.outcome.trailBroken {
		return nil // it was said already, and there is no more to check
	}
	if err != nil {
		return err
	}
	env.outcome.trailBroken = env.outcome.trailBroken || !found.OK()
	v := report.Verified{
		Origin: found.Origin, Records: found.Records, Root: found.Root, Decisions: found.Decisions, Unsigned: found.Unsigned, Backwards: found.Backwards,
		Remembered: found.Remembered,
	}
	for _, f := range found.Faults {
		v.Faults = append(v.Faults, report.TrailFault{Where: f.Where, What: f.What})
	}
	return writeOut(env.Out, func(w io.Writer) error {
		if asJSON {
			return report.VerifiedJSON(w, &v)
		}
		return report.VerifiedText(w, &v, report.Options{Width: env.Width})
	})
}
