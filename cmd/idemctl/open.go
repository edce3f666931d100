package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/restore"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/scenario"
	"example.com/idemctl/internal/tui"
)

func newOpen(env *Env) *cobra.Command {
	var now string
	cmd := &cobra.Command{
		Use:   "open [CONFIG]",
		Short: "the console: look at cases, decide them, read the trail",
		Long: `Opens the console on a terminal. It reads the sources first, unless it is given a saved scan,
which shows the past and decides nothing. ? lists the keys, q leaves. Nothing is recorded without
a dialog that says what will be written; nothing is sent from here at all.`,
		Example: "  idemctl open @payments-restore\n  idemctl open prod.yaml",
		Args:    arguments(0, 1, "at most one config"),
		RunE:    func(cmd *cobra.Command, args []string) error { return runOpen(cmd.Context(), env, now, args) },
	}
	cmd.Flags().StringVar(&now, "now", "", "pin the clock at this `TIME`")
	return cmd
}

func runOpen(ctx context.Context, env *Env, now string, args []string) error {
	t, err := env.target(args)
	if err != nil {
		return err
	}
	if err := env.screen("open"); err != nil {
		return err
	}
	c, err := newConsole(ctx, env, t, now)
	if err != nil {
		return err
	}
	return env.show(ctx, c, c.named(t), nil)
}

// screen refuses a command that needs a terminal where there is none that can show a console.
func (e *Env) screen(command string) error {
	switch {
	case e.OutTTY && e.Getenv("TERM") == "dumb":
		return &usageError{what: command + ": TERM=dumb says that this terminal can show no console", hint: "set TERM to what it is, such as xterm; idemctl scan prints the cases"}
	case !e.OutTTY:
		return &usageError{what: command + ": standard output is no terminal that can show a console", hint: "idemctl scan prints the cases; idemctl show prints one"}
	}
	return nil
}

// show runs the console until it is left. play is the scenario that is played, nil outside training.
func (e *Env) show(ctx context.Context, c *console, named string, play *scenario.Play) error {
	set, err := e.settings()
	if err != nil {
		return err
	}
	resized := make(chan os.Signal, 1)
	signal.Notify(resized, syscall.SIGWINCH)
	defer signal.Stop(resized)
	opt := tui.Options{
		In: os.Stdin, Out: os.Stdout, Resized: resized, Now: e.Now, Env: e.Getenv, Err: e.Err, Config: named, Play: play, Fixture: c.cfg != nil && c.cfg.Fixture, Faults: os.TempDir(),
		Theme: set.theme, Glyphs: set.glyphs, Keys: set.keys,
	}
	if who, err := audit.Self(); err == nil {
		opt.Actor = who.Name
	}
	opt.Copy, opt.Suspend = clipboard(e.Getenv), suspension()
	err = tui.Run(ctx, c.deps(), opt)
	var fault *tui.FaultError
	if errors.As(err, &fault) && fault.File != "" {
		return &failure{what: fault.Error(), hint: "the terminal was given back; the stack is in " + fault.File + ". What was recorded stays recorded"}
	}
	return err
}

// console is what the screen asks of the rest of the program. Each question opens the trail and closes it again, so that nothing is made before the first
// decision, and no lock is held while a person thinks.
type console struct {
	env      *Env
	path     string         // of a saved scan, "" otherwise
	cfg      *config.Config // nil for a saved scan
	repeated bool           // --now names the clock that decisions may go by
	place    audit.Place
	nowhere  error // why there is no place for a trail
}

func newConsole(ctx context.Context, env *Env, t target, now string) (*console, error) {
	quiet := *env // whatever it said would stand across the screen
	quiet.global.quiet = true
	c := &console{env: &quiet}
	if t.saved {
		if now != "" {
			return nil, &usageError{what: "--now cannot move the clock of a saved scan", hint: "open the config with --now " + now}
		}
		c.path = t.path
		if c.place, c.nowhere = quiet.placeOf(ctx, t); c.nowhere != nil {
			var saved *scan.Error
			if errors.As(c.nowhere, &saved) {
				return nil, c.nowhere // it is not a saved scan at all
			}
		}
		return c, nil
	}
	var err error
	if c.cfg, c.repeated, err = quiet.loadToDecide(t, now); err != nil {
		return nil, err
	}
	c.place, c.nowhere = quiet.trailPlace(ctx, c.cfg)
	return c, nil
}

func (c *console) named(t target) string {
	if t.named != "" {
		return t.named
	}
	return t.path
}

func (c *console) deps() tui.Deps {
	d := tui.Deps{Load: c.load, Decide: c.decide, Withdraw: c.withdraw, Outcome: c.outcome, Standing: c.standing, Log: c.log, Evidence: c.evidence, Verify: c.verify, Restore: c.restore, Confirm: c.confirm, Retract: c.retract}
	if c.path != "" {
		d.SourceOff = "this is a saved scan: open its config to read the sources"
		d.DeskOff = "this is a saved scan, which shows the past: open its config to decide"
	}
	if c.nowhere != nil {
		d.DeskOff, d.TrailOff = c.nowhere.Error(), c.nowhere.Error()
		d.Standing = nil
	}
	return d
}

func (c *console) load(ctx context.Context, p *scan.Progress) (tui.Result, error) {
	res, err := c.scan(ctx, p)
	if err != nil {
		return nil, err // a nil result of its own type would not be nil
	}
	return res, nil
}

func (c *console) scan(ctx context.Context, p *scan.Progress) (*scan.Result, error) {
	if c.path != "" {
		return scan.OpenSaved(ctx, c.path)
	}
	opt := scan.Options{Clock: c.env.Now, Progress: p, Trail: absolute(c.place.Path), Tool: "idemctl " + version()}
	if c.nowhere == nil {
		s, err := c.standing(ctx)
		if err != nil {
			return nil, err
		}
		k := known{cases: s.Decisions}
		opt.Decided, opt.Restores, opt.Unsure = k.decided(), eventsOf(s.Restores), s.Trouble != nil
	}
	res, err := scan.Run(ctx, c.cfg, opt)
	if err != nil {
		return nil, inConfig(c.cfg, err)
	}
	return res, nil
}

// restore sums up what a restore has left behind, and what a plan would put back.
func (c *console) restore(ctx context.Context, r tui.Result) (*tui.RestoreSum, error) {
	res, ok := r.(*scan.Result)
	if !ok {
		return nil, errors.New("the result is no scan of this program")
	}
	u, err := restore.Of(ctx, res)
	if err != nil {
		return nil, err
	}
	sum := &tui.RestoreSum{Audit: u}
	if c.cfg == nil {
		sum.PlanOff = "This is a saved scan: a plan is made from the sources themselves."
		return sum, nil
	}
	const few = 3
	sum.Insertable, err = planned(c.cfg, res)(ctx, func(u restore.Unbuildable) error {
		if sum.Unbuildable++; sum.Unbuildable <= few {
			sum.Refused = append(sum.Refused, u)
		}
		return nil
	})
	return sum, err
}

// standing reads what was decided. A trail that cannot be trusted is said so, with what can be read of it.
func (c *console) standing(ctx context.Context) (tui.Standing, error) {
	out := tui.Standing{Decisions: make(map[string][]audit.Decision)}
	trail, err := c.env.readTrail(ctx, c.place)
	var untrusted *trailError
	switch {
	case errors.As(err, &untrusted):
		out.Trouble = err
		return out, nil
	case err != nil || trail == nil:
		return out, err
	}
	defer func() { _ = trail.Close() }()
	out.Trouble = trail.Trouble()
	for d, err := range trail.Decisions(ctx, audit.Query{}) {
		if err != nil {
			if ctx.Err() != nil {
				return out, ctx.Err()
			}
			if out.Trouble == nil {
				out.Trouble = err
			}
			break
		}
		out.Decisions[d.Case] = append(out.Decisions[d.Case], d)
	}
	if out.Restores, err = trail.Restores(ctx); err != nil && out.Trouble == nil {
		out.Trouble = err
	}
	return out, nil
}

func (c *console) decide(ctx context.Context, r audit.Request) ([]audit.Answer, error) {
	trail, err := c.env.openTrail(ctx, c.place)
	if err != nil {
		return nil, err
	}
	defer func() { _ = trail.Close() }()
	return c.env.desk(c.cfg, trail, c.repeated).Decide(ctx, r)
}

func (c *console) withdraw(ctx context.Context, id, reason string) (audit.Decision, error) {
	return c.change(ctx, func(trail *audit.Trail) (audit.Decision, error) { return trail.Withdraw(ctx, id, reason) })
}

func (c *console) outcome(ctx context.Context, id string, o reconcile.DecisionOutcome, ref, reason string) (audit.Decision, error) {
	return c.change(ctx, func(trail *audit.Trail) (audit.Decision, error) { return trail.Outcome(ctx, id, o, ref, reason) })
}

func (c *console) confirm(ctx context.Context, r audit.Restore) (audit.Restore, error) {
	trail, err := c.env.openTrail(ctx, c.place)
	if err != nil {
		return audit.Restore{}, err
	}
	defer func() { _ = trail.Close() }()
	done, err := trail.ConfirmRestores(ctx, r)
	if len(done) == 0 {
		return audit.Restore{}, err
	}
	return done[0], err
}

func (c *console) retract(ctx context.Context, id, reason string) (audit.Restore, error) {
	trail, err := c.env.openTrail(ctx, c.place)
	if err != nil {
		return audit.Restore{}, err
	}
	defer func() { _ = trail.Close() }()
	return trail.WithdrawRestore(ctx, id, reason)
}

func (c *console) change(ctx context.Context, record func(*audit.Trail) (audit.Decision, error)) (audit.Decision, error) {
	trail, err := c.env.openTrail(ctx, c.place)
	if err != nil {
		return audit.Decision{}, err
	}
	defer func() { _ = trail.Close() }()
	return record(trail)
}

// asked asks one question of the trail. Where there is none, nothing is recorded yet.
func asked[T any](ctx context.Context, c *console, ask func(*audit.Trail) (T, error)) (T, error) {
	var none T
	trail, err := c.env.readTrail(ctx, c.place)
	if err != nil || trail == nil {
		return none, err
	}
	defer func() { _ = trail.Close() }()
	return ask(trail)
}

// log reads entries backwards from one, or from the newest where from is below zero.
func (c *console) log(ctx context.Context, from int64, limit int) ([]audit.Entry, error) {
	return asked(ctx, c, func(trail *audit.Trail) ([]audit.Entry, error) {
		if from == 0 { // the query's 0 means the newest
			first, err := trail.Entry(ctx, 0)
			return []audit.Entry{first}, err
		}
		var out []audit.Entry
		for e, err := range trail.Log(ctx, audit.LogQuery{From: max(from, 0), Limit: limit, Reverse: true}) {
			if err != nil {
				return out, err
			}
			out = append(out, e)
		}
		return out, nil
	})
}

func (c *console) evidence(ctx context.Context, seq int64) ([]byte, error) {
	return asked(ctx, c, func(trail *audit.Trail) ([]byte, error) { return trail.Evidence(ctx, seq) })
}

func (c *console) verify(ctx context.Context, progress func(done, of int64)) (audit.Report, error) {
	trail, err := c.env.readTrail(ctx, c.place)
	switch {
	case err != nil:
		return audit.Report{}, err
	case trail == nil:
		return audit.Report{}, fmt.Errorf("%w: nothing is recorded", audit.ErrNone)
	}
	defer func() { _ = trail.Close() }()
	return trail.Verify(ctx, progress)
}
