package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/report"
	"example.com/idemctl/internal/scan"
)

type decideOptions struct {
	asJSON                       bool
	reason, as, ref, to, at, now string
}

var decisionWords = []string{"replay", "resolve", "escalate", "hold", "recheck"}

func newDecide(env *Env) *cobra.Command {
	var opt decideOptions
	cmd := &cobra.Command{
		Use:   "decide CASE… (" + strings.Join(decisionWords, "|") + ") --reason REASON [CONFIG]",
		Short: "record a decision about one or more cases",
		Long: `Reads the sources anew, asks the guard, and records the decision in the audit trail: who,
when, why, and what the records said. It sends nothing and writes to no source. What the guard
refuses is not recorded as a decision; the refusal is, and the exit code is 1. Of several cases
each is guarded and reported by itself.

replay      the service's own worker may send the action again; see handout
resolve     close it, --as one of: ` + strings.Join(resolutionWords(), ", ") + `
escalate    hand it over: --to WHOM
hold        no retry is to run while it is unclear
recheck     look again: --at TIME; without it, when the case becomes due, if time alone settles it

A case has one decision that stands. Take it back with withdraw, or record what came of it with
outcome, before deciding otherwise. One that rests on evidence that has changed is replaced.`,
		Example: `  idemctl decide dbfidmg7 resolve --as backfill-receipt --reason "order 4112 stands, INC-81" @payments-restore
  idemctl decide dbfidmg7 4o2xkqpa escalate --to payments-lead --reason "two orders for one key"`,
		Args: func(_ *cobra.Command, args []string) error {
			_, err := splitDecide(args)
			return err
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return decisionWords, cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runDecide(cmd.Context(), env, &opt, args) },
	}
	f := cmd.Flags()
	f.StringVar(&opt.reason, "reason", "", "`WHY`; 3 characters or more, 12 for replay, resolve and several cases at once")
	f.StringVar(&opt.as, "as", "", "how it is resolved: a `RESOLUTION`")
	f.StringVar(&opt.ref, "ref", "", "what it rests on: a `REFERENCE`; of distinct and duplicate-of the other case")
	f.StringVar(&opt.to, "to", "", "to `WHOM` it is escalated")
	f.StringVar(&opt.at, "at", "", "of recheck when to look again, of confirm-… as of when: a `TIME`")
	f.StringVar(&opt.now, "now", "", "the `TIME` at which the clock is pinned, repeated for this decision")
	f.BoolVar(&opt.asJSON, "json", false, "write one JSON object")
	// The error would mean that no such flag stands above.
	_ = cmd.RegisterFlagCompletionFunc("as", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return resolutionWords(), cobra.ShellCompDirectiveNoFileComp
	})
	return cmd
}

func resolutionWords() []string {
	var out []string
	for as := reconcile.BackfillReceipt; as <= reconcile.Accept; as++ {
		out = append(out, as.String())
	}
	return out
}

// decideArgs are the arguments of decide: cases, then the decision, then perhaps a config.
type decideArgs struct {
	cases    []string
	decision reconcile.Decision
	rest     []string
}

func splitDecide(args []string) (decideArgs, error) {
	at := -1
	for i := len(args) - 1; i >= max(0, len(args)-2); i-- {
		if slices.Contains(decisionWords, args[i]) {
			at = i
			break
		}
	}
	switch {
	case at < 0 && len(args) == 0:
		return decideArgs{}, &usageError{what: "decide: what to decide is missing", hint: "idemctl decide CASE hold --reason \"…\""}
	case at < 0:
		return decideArgs{}, &usageError{what: "decide: no decision stands last, or last before the config", hint: suggest(args[len(args)-1], decisionWords)}
	case at == 0:
		return decideArgs{}, &usageError{what: "decide: no case is named", hint: "idemctl decide CASE " + args[at] + " --reason \"…\"; `idemctl scan` lists the cases"}
	}
	decision, err := reconcile.ParseDecision(args[at])
	return decideArgs{args[:at], decision, args[at+1:]}, err
}

// request reads the flags into a request.
func (o *decideOptions) request(args decideArgs) (audit.Request, error) {
	req := audit.Request{Cases: args.cases, Decision: args.decision, Reason: o.reason, Ref: o.ref, To: o.to}
	var err error
	if o.as != "" {
		if req.As, err = reconcile.ParseResolution(o.as); err != nil {
			return req, &usageError{what: fmt.Sprintf("--as %s: no such resolution", o.as), hint: suggest(o.as, resolutionWords())}
		}
	}
	req.At, err = parseTime("--at", o.at)
	return req, err
}

func runDecide(ctx context.Context, env *Env, opt *decideOptions, args []string) error {
	words, err := splitDecide(args)
	if err != nil {
		return err
	}
	req, err := opt.request(words)
	if err != nil {
		return err
	}
	if err := req.Check(reconcile.At(env.Now())); err != nil {
		return err
	}
	desk, done, err := env.toDesk(ctx, "decide", words.rest, opt.now, words.cases)
	if err != nil {
		return err
	}
	defer done()
	answers, err := desk.Decide(ctx, req)
	env.outcome.recorded = slices.ContainsFunc(answers, func(a audit.Answer) bool { return a.Decision != nil })
	if failed := env.writeAnswers(&req, answers, opt.asJSON); err == nil {
		err = failed
	}
	return err
}

// toDesk opens what a command needs that decides: the config's trail, and the desk before it. Without cases only what stands is wanted, and there is no desk
// where nothing was ever recorded. A first decision makes the trail; one about no case at all makes none.
func (e *Env) toDesk(ctx context.Context, command string, args []string, now string, cases []string) (*audit.Desk, func(), error) {
	t, err := e.target(args)
	if err != nil {
		return nil, nil, err
	}
	if err := t.noSaved(command); err != nil {
		return nil, nil, err
	}
	cfg, repeated, err := e.loadToDecide(t, now)
	if err != nil {
		return nil, nil, err
	}
	place, err := e.trailPlace(ctx, cfg)
	if err != nil {
		return nil, nil, err
	}
	trail, err := e.readTrail(ctx, place)
	switch {
	case trail != nil:
		_ = trail.Close()
	case len(cases) == 0:
		return nil, func() {}, err
	case err == nil:
		if err := e.someCase(ctx, cfg, cases); err != nil {
			return nil, nil, err
		}
	}
	trail, err = e.openTrail(ctx, place)
	if err != nil {
		return nil, nil, err
	}
	return e.desk(cfg, trail, repeated), func() { _ = trail.Close() }, nil
}

// someCase reports an error where none of the names is a case's, and every source could be read as declared.
func (e *Env) someCase(ctx context.Context, cfg *config.Config, names []string) (err error) {
	res, err := e.scan(ctx, cfg, scan.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, res.Close()) }()
	for _, name := range names {
		_, failed := res.Case(ctx, name)
		if failed == nil || !res.Manifest().Complete {
			return nil
		}
		err = cmp.Or(err, failed)
	}
	return err
}

// writeAnswers writes what was recorded to standard output, and what was refused, and why, to standard error; as JSON both stand in one object.
func (e *Env) writeAnswers(req *audit.Request, answers []audit.Answer, asJSON bool) error {
	shown := make([]report.Answer, len(answers))
	refused := 0
	for i, a := range answers {
		shown[i] = report.Answer{Case: a.Case, Code: a.Code, Reason: a.Reason}
		if a.Decision != nil {
			d := shownDecision(a.Decision, nil, a.Decision.Recorded)
			shown[i].Decision = &d
			continue
		}
		refused++
	}
	err := writeOut(e.Out, func(w io.Writer) error {
		if asJSON {
			return report.AnswersJSON(w, shown)
		}
		return report.Answers(w, shown)
	})
	if err != nil || refused == 0 {
		return err
	}
	if !asJSON {
		for _, line := range report.Refusals(shown) {
			_, _ = fmt.Fprintln(e.Err, "idemctl: "+line)
		}
	}
	return &failure{what: fmt.Sprintf("%s refused for %d of %d %s", req.Decision, refused, len(answers), plural(len(answers), "case")), hint: "`idemctl show CASE` says what may be decided, and why not"}
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}
