package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"example.com/idemctl/fixtures"
	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/report"
	"example.com/idemctl/internal/scenario"
	"example.com/idemctl/internal/spelling"
)

func newTrain(env *Env) *cobra.Command {
	var asJSON, asCSV, results bool
	cmd := &cobra.Command{
		Use:   "train [SCENARIO]",
		Short: "learn on scenarios: nothing here touches a real system",
		Long: `Without a name it lists the scenarios, and how you did. With one it opens the console on it:
the real console, engine and guard, on data that was made up, with a coach beside it. What is
decided is kept in a trail of its own and thrown away; what it was worth is printed at the end,
with what each decision would have caused, and kept with your name.

SCENARIO is a name of the list, or a folder with idemctl.yaml and scenario.yaml. --report lists
every result that is kept here.`,
		Example: "  idemctl train\n  idemctl train provider-timeout\n  idemctl train --report --csv",
		Args:    arguments(0, 1, "at most one scenario"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case asJSON && asCSV:
				return &usageError{what: "train: --json and --csv are two forms of one thing", hint: "leave one of them out"}
			case results && len(args) > 0:
				return &usageError{what: "train: --report lists all results", hint: "leave " + args[0] + " out"}
			case asCSV && !results:
				return &usageError{what: "train: --csv is a form of --report", hint: "idemctl train --report --csv"}
			case results:
				return env.trainReport(asJSON, asCSV)
			case len(args) > 0 && asJSON:
				return &usageError{what: "train: a play has no --json", hint: "idemctl train --report --json lists the results"}
			case len(args) > 0:
				return env.play(cmd.Context(), args[0])
			}
			return env.trainList(asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write one JSON array")
	cmd.Flags().BoolVar(&asCSV, "csv", false, "of --report: write CSV")
	cmd.Flags().BoolVar(&results, "report", false, "list every result, for whoever leads the team")
	cmd.AddCommand(newTrainCheck(env), newTrainNew(env))
	return cmd
}

func newTrainCheck(env *Env) *cobra.Command {
	return &cobra.Command{
		Use:   "check SCENARIO",
		Short: "say what a scenario lacks, and whether a scan of it finds what its key says",
		Args:  arguments(1, 1, "one scenario"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return env.trainCheck(cmd.Context(), args[0])
		},
	}
}

// script loads a scenario: its config and its story.
func (e *Env) script(name string) (*config.Config, *scenario.Scenario, error) {
	all, err := scenario.List(fixtures.FS)
	if err != nil {
		return nil, nil, err
	}
	path := name
	if !isDir(name) {
		names := make([]string, 0, len(all))
		for _, s := range all {
			names = append(names, s.Name)
			if s.Name == name {
				path = "@" + name
			}
		}
		if path == name && path != "" && path[0] != '@' {
			hint := "idemctl train lists them"
			if meant := spelling.Meant(name, names); meant != "" {
				hint = "did you mean " + meant + "?"
			}
			return nil, nil, &usageError{what: fmt.Sprintf("train: there is no scenario %q", name), hint: hint}
		}
	}
	t, err := e.target([]string{path})
	if err != nil {
		return nil, nil, err
	}
	cfg, err := e.load(t, "")
	if err != nil {
		return nil, nil, err
	}
	if !cfg.Fixture {
		return nil, nil, &usageError{what: fmt.Sprintf("train: %s is no scenario: no %s stands beside its config", name, scenario.FileName), hint: "idemctl open " + name + " opens it as it is"}
	}
	s, err := scenario.Parse(cfg.Scenario)
	if err != nil {
		return nil, nil, &config.Error{File: filepath.Join(cfg.Path, scenario.FileName), Msg: err.Error(), Hint: "idemctl train check " + name}
	}
	return cfg, s, nil
}

// play opens the console on a scenario, and keeps what came of it.
func (e *Env) play(ctx context.Context, name string) error {
	cfg, s, err := e.script(name)
	if err != nil {
		return err
	}
	if err := e.screen("train"); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "idemctl-train-")
	if err != nil {
		return fmt.Errorf("making a place for the trail of this play: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	quiet := *e
	quiet.global.quiet = true
	p := scenario.Begin(s, e.Now())
	c := &console{env: &quiet, cfg: cfg, place: audit.Place{Path: filepath.Join(dir, "audit.db"), State: filepath.Join(dir, "state")}}
	if err := e.backstory(ctx, cfg, s, &c.place); err != nil {
		return err
	}
	if err := e.show(ctx, c, name, p); err != nil {
		return err
	}
	d := p.Debrief(e.Now())
	colour, err := e.colour()
	if err != nil {
		return err
	}
	err = writeOut(e.Out, func(w io.Writer) error {
		return report.Debrief(w, s, &d, report.Options{Colour: colour, Width: e.Width})
	})
	if err != nil {
		return err
	}
	if err := e.keepResult(scenario.NewResult(person(), name, p, &d)); err != nil {
		return err
	}
	e.talk("idemctl: kept for idemctl train --report; idemctl train names the next one")
	return nil
}

// person is whose results are kept: the account, as the trail of a real decision would name it.
func person() string {
	who, err := audit.Self()
	if err != nil {
		return ""
	}
	return who.Name
}
