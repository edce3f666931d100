package main

import (
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
	"example.com/idemctl/internal/restore"
	"example.com/idemctl/internal/scan"
)

type restoreOptions struct {
	asJSON, confirm                           bool
	store, restoredTo, resumedAt, reason, now string
	plan, materialise, last                   string
	only                                      []string
}

func newRestore(env *Env) *cobra.Command {
	var opt restoreOptions
	cmd := &cobra.Command{
		Use:   "restore [CONFIG]",
		Short: "what a restore took, and what to put back before traffic is let in again",
		Long: `Reads every source of the config, and says of each restore gap, declared or inferred from what
other sources show: which records are gone, which effects still stand, which keys would run again
and until when, how much money that is, which ids are handed out twice, what will be sent again.

An inferred gap is a proposal, and changes no conclusion. --confirm records it in the audit trail:
from then on every scan with that trail takes it as declared in the config. A window of one's own
stands in its place: --restored-to, the instant of the backup, and --resumed-at, when writing began
again. A later window of the same store that overlaps an earlier one corrects it. idemctl withdraw
takes one back. Decisions stay.

--plan writes the receipts to put back as guarded inserts in the store's own columns; idemctl
never runs them. What cannot be rebuilt is listed with the reason. --materialise writes a training
fixture out as real databases and files, on which a plan can be tried.`,
		Example: `  idemctl restore @payments-restore
  idemctl restore --confirm --reason "backup of 02:10, INC-81" prod.yaml
  idemctl restore --store receipts --restored-to 2026-11-29T02:10:00Z --resumed-at 2026-11-29T02:44:12Z prod.yaml
  idemctl restore @payments-restore --materialise night && idemctl restore night --plan plan.sql
  sqlite3 -bail night/receipts.sqlite < plan.sql && idemctl scan night`,
		Args: arguments(0, 1, "at most one config"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := aloneAmong(cmd, "materialise", "plan"); err != nil {
				return err
			}
			switch {
			case cmd.Flags().Changed("materialise"):
				return runMaterialise(cmd.Context(), env, opt.materialise, args)
			case cmd.Flags().Changed("plan"):
				return runPlan(cmd.Context(), env, opt.plan, opt.now, args)
			}
			return runRestore(cmd.Context(), env, &opt, args)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&opt.asJSON, "json", false, "write one JSON object")
	f.StringVar(&opt.store, "store", "", "only this `SOURCE`")
	f.StringVar(&opt.restoredTo, "restored-to", "", "the `TIME` of the backup: what was written after it is lost")
	f.StringVar(&opt.resumedAt, "resumed-at", "", "the `TIME` at which writing began again")
	f.StringArrayVar(&opt.only, "only", nil, "only a part was restored: `COMPONENT=VALUE`; may be repeated")
	f.BoolVar(&opt.confirm, "confirm", false, "record the window, or what is inferred, in the audit trail")
	f.StringVar(&opt.reason, "reason", "", "of --confirm: `WHY`, 12 characters or more")
	f.StringVar(&opt.plan, "plan", "", "write the receipts to put back to this `FILE`, .sql or .jsonl")
	f.StringVar(&opt.materialise, "materialise", "", "write a training fixture's databases, files and config to this `DIR`, which must be empty")
	f.StringVar(&opt.last, "last", "", "an earlier saved scan, `FILE.scan`, to compare the stores with")
	f.StringVar(&opt.now, "now", "", "pin the clock at this `TIME`")
	return cmd
}

func runRestore(ctx context.Context, env *Env, opt *restoreOptions, args []string) error {
	colour, err := env.colour()
	if err != nil {
		return err
	}
	t, err := env.target(args)
	if err != nil {
		return err
	}
	window, err := opt.window(env, t)
	if err != nil {
		return err
	}
	res, k, err := env.openWith(ctx, t, opt.now, "", window)
	if err != nil {
		return err
	}
	defer func() { _ = res.Close() }()
	if err := opt.checkStore(len(res.Manifest().Sources), func(i int) string { return res.Manifest().Sources[i].Name }); err != nil {
		return err // a saved scan alone tells which sources it has
	}
	seen := restore.Only(res, opt.store)
	found, err := restore.Of(ctx, seen)
	if err != nil {
		return err
	}
	if opt.last != "" {
		if found.Signs, err = signsSince(ctx, opt.last, seen.Manifest()); err != nil {
			return err
		}
	}
	if opt.asJSON && !t.saved {
		cfg, err := env.load(t, opt.now)
		if err != nil {
			return err
		}
		found.Plan = planned(cfg, res)
	}
	k.tellConfirmed(found)
	env.outcome.undecided = len(found.Gaps) > 0
	if opt.confirm {
		if err := env.confirm(ctx, k.place, res.Manifest(), found, window, opt.reason); err != nil {
			return err
		}
	} else if len(window) > 0 {
		env.talk("idemctl: the window is looked at, and not recorded: --confirm --reason records it")
	}
	return writeOut(env.Out, func(w io.Writer) error {
		if opt.asJSON {
			return report.RestoreJSON(ctx, w, seen, found)
		}
		return report.Restore(w, res.Manifest(), found, report.Options{Colour: colour, Width: env.Width, Config: t.named})
	})
}

// signsSince compares the stores with an earlier scan of them.
func signsSince(ctx context.Context, path string, m *scan.Manifest) (_ []reconcile.Sign, err error) {
	last, err := scan.OpenSaved(ctx, path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, last.Close()) }()
	then := last.Manifest()
	switch {
	case len(then.States) == 0:
		return nil, &usageError{what: "--last " + path + ": it does not say how its stores stood", hint: "it was kept by an older idemctl; name a later one"}
	case !m.Now.After(then.Now):
		return nil, &usageError{what: "--last " + path + ": it is not older than this scan", hint: "name a scan from before the restore"}
	}
	return restore.Signs(m, then), nil
}

// window checks the flags and reads the window that they name, if they name one.
func (o *restoreOptions) window(env *Env, t target) ([]reconcile.Event, error) {
	switch {
	case o.confirm && t.saved:
		return nil, t.noSaved("restore --confirm")
	case o.confirm:
		if err := audit.CheckConfirmation(o.reason); err != nil {
			return nil, err
		}
	case o.reason != "":
		return nil, &usageError{what: "--reason without --confirm", hint: "idemctl restore --confirm --reason \"…\""}
	}
	named := o.restoredTo != "" || o.resumedAt != ""
	if !named && len(o.only) > 0 {
		return nil, &usageError{what: "--only without a window", hint: "say when: --restored-to TIME --resumed-at TIME"}
	}
	if t.saved {
		if named {
			return nil, t.noSaved("restore --restored-to")
		}
		return nil, nil
	}
	cfg, err := env.load(t, "")
	if err != nil {
		return nil, err
	}
	if err := o.checkStore(len(cfg.Sources), func(i int) string { return cfg.Sources[i].Name }); err != nil || !named {
		return nil, err
	}
	ev := reconcile.Event{Store: o.store}
	if ev.From, err = parseTime("--restored-to", o.restoredTo); err != nil {
		return nil, err
	}
	if ev.ResumedAt, err = parseTime("--resumed-at", o.resumedAt); err != nil {
		return nil, err
	}
	if ev.To = ev.ResumedAt; ev.From.After(ev.To) {
		return nil, &usageError{what: "the window ends before it begins", hint: "--restored-to is the instant of the backup, --resumed-at comes after it"}
	}
	if ev.Only, err = parts(o.only); err != nil {
		return nil, err
	}
	if ev.Store == "" {
		if ev.Store, err = oneStore(cfg); err != nil {
			return nil, err
		}
	}
	if len(ev.Only) > 0 {
		ev.Kind = reconcile.EventPartial
	}
	return []reconcile.Event{ev}, nil
}

// checkStore refuses a store that is none of n sources.
func (o *restoreOptions) checkStore(n int, name func(int) string) error {
	names := make([]string, n)
	for i := range names {
		names[i] = name(i)
	}
	if o.store != "" && !slices.Contains(names, o.store) {
		return &usageError{what: fmt.Sprintf("--store %s: there is no such source", o.store), hint: suggest(o.store, names)}
	}
	return nil
}

// oneStore is the store that a window means where none is named: the one of receipts.
func oneStore(cfg *config.Config) (string, error) {
	var names []string
	for i := range cfg.Sources {
		if s := &cfg.Sources[i]; s.Role == reconcile.RoleReceipt {
			names = append(names, s.Name)
		}
	}
	if len(names) == 1 {
		return names[0], nil
	}
	return "", &usageError{what: fmt.Sprintf("which store was restored: the config has %d of receipts", len(names)), hint: "name it: --store SOURCE"}
}

// parts reads COMPONENT=VALUE.
func parts(words []string) (map[string][]string, error) {
	var out map[string][]string
	for _, w := range words {
		name, value, ok := strings.Cut(w, "=")
		if !ok || name == "" || name == "key" {
			return nil, &usageError{what: fmt.Sprintf("--only %s: no component and value", w), hint: "write it as --only tenant=t07"}
		}
		if out == nil {
			out = make(map[string][]string)
		}
		out[name] = append(out[name], value)
	}
	return out, nil
}

// tellConfirmed notes by which record an operator confirmed a gap.
func (k *known) tellConfirmed(found *restore.Audit) {
	for i := range found.Gaps {
		for n := range k.gaps {
			if g := &found.Gaps[i]; g.Declared && g.Name() == k.gaps[n].Event.Name() {
				g.Confirmation = k.gaps[n].ID
			}
		}
	}
}

// confirm records the window, or where none is named every gap that was inferred.
func (e *Env) confirm(ctx context.Context, place audit.Place, m *scan.Manifest, found *restore.Audit, window []reconcile.Event, reason string) error {
	var rs []audit.Restore
	var at []int
	for i := range found.Gaps {
		g := &found.Gaps[i]
		ev := g.Event()
		mine := slices.ContainsFunc(window, func(w reconcile.Event) bool { return w.Name() == ev.Name() })
		if mine || (len(window) == 0 && !g.Declared) {
			at = append(at, i)
			rs = append(rs, audit.Restore{
				Event: ev, Reason: reason, Missing: g.Missing, Present: g.Present, Config: m.Name, ConfigDigest: m.ConfigDigest, ScanNow: m.Now, Pinned: m.Pinned,
			})
		}
	}
	if len(rs) == 0 {
		return &failure{what: "nothing to confirm: no gap is inferred", hint: "name the window: --store SOURCE --restored-to TIME --resumed-at TIME"}
	}
	trail, err := e.openTrail(ctx, place)
	if err != nil {
		return err
	}
	defer func() { _ = trail.Close() }()
	done, err := trail.ConfirmRestores(ctx, rs...)
	e.outcome.recorded = len(done) > 0
	for n := range done {
		found.Gaps[at[n]].Declared, found.Gaps[at[n]].Confirmation = true, done[n].ID
		e.talk("idemctl: recorded as %s: what the restore of %s took", done[n].ID, done[n].Event.Store)
	}
	return err
}
