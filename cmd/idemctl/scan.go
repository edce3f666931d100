package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/report"
)

type scanOptions struct {
	asJSON, asLines, asCSV bool
	out, kind, now         string
	reveal                 bool
}

func newScan(env *Env) *cobra.Command {
	var opt scanOptions
	cmd := &cobra.Command{
		Use:   "scan [CONFIG]",
		Short: "reconcile, and list the cases to decide",
		Long: `Reads every source of the config in one snapshot each, and lists the cases: what each
action's records say, whether it was executed, what a retry would do now. A table; with
--json one object, with --jsonl a case a line, with --csv a view for a spreadsheet.`,
		Example: "  idemctl scan @payments-restore\n  idemctl scan --out night.scan prod.yaml && idemctl scan --json night.scan",
		Args:    arguments(0, 1, "at most one config"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("out") && opt.out == "" {
				return &usageError{what: "--out names no file", hint: "a variable in its place may be empty: scan --out FILE.scan"}
			}
			return runScan(cmd.Context(), env, &opt, args)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&opt.asJSON, "json", false, "write one JSON object")
	f.BoolVar(&opt.asLines, "jsonl", false, "write one JSON object a case")
	f.BoolVar(&opt.asCSV, "csv", false, "write CSV for a spreadsheet")
	f.StringVar(&opt.out, "out", "", "also keep the scan in this `FILE.scan`")
	f.StringVar(&opt.kind, "kind", "", "only cases with this `KIND` of finding")
	f.StringVar(&opt.now, "now", "", "pin the clock at this `TIME`")
	f.BoolVar(&opt.reveal, "reveal", false, "show payloads as stored")
	return cmd
}

func runScan(ctx context.Context, env *Env, opt *scanOptions, args []string) error {
	shape, err := opt.report(env)
	if err != nil {
		return err
	}
	t, err := env.target(args)
	if err != nil {
		return err
	}
	shape.Config = t.named
	res, known, err := env.open(ctx, t, opt.now, opt.out)
	if err != nil {
		return err
	}
	defer func() { _ = res.Close() }()
	shape.Decisions, shape.Loose = known.shown(), known.loose
	if opt.reveal {
		if err := env.reveal(ctx, t, known, res.Manifest(), ""); err != nil {
			return err
		}
	}
	return writeOut(env.Out, func(w io.Writer) error {
		switch {
		case opt.asJSON:
			return report.JSON(ctx, w, res, shape)
		case opt.asLines:
			return report.JSONLines(ctx, w, res, shape)
		case opt.asCSV:
			return report.CSV(ctx, w, res, shape)
		}
		return report.Table(ctx, w, res, shape)
	})
}

// report checks the flags before anything is opened.
func (o *scanOptions) report(env *Env) (report.Options, error) {
	var chosen []string
	for name, on := range map[string]bool{"--json": o.asJSON, "--jsonl": o.asLines, "--csv": o.asCSV} {
		if on {
			chosen = append(chosen, name)
		}
	}
	if len(chosen) > 1 {
		return report.Options{}, &usageError{what: "one output at a time: --json, --jsonl or --csv", hint: "keep the scan with --out FILE.scan and print it as often as needed"}
	}
	colour, err := env.colour()
	if err != nil {
		return report.Options{}, err
	}
	kind, err := parseKind(o.kind)
	return report.Options{Kind: kind, Reveal: o.reveal, Colour: colour, Width: env.Width}, err
}

func parseKind(word string) (*reconcile.Kind, error) {
	if word == "" {
		return nil, nil // no kind asked for is every kind
	}
	kind, err := reconcile.ParseKind(word)
	if err == nil {
		return &kind, nil
	}
	var words []string
	for _, f := range reconcile.Findings {
		if f.Word != "" {
			words = append(words, f.Word)
		}
	}
	return nil, &usageError{what: fmt.Sprintf("--kind %s: no such kind of finding", strings.TrimSpace(word)), hint: suggest(word, words)}
}

// writeOut buffers what write writes; a failed write is told once, at the end.
func writeOut(out io.Writer, write func(io.Writer) error) error {
	w := bufio.NewWriterSize(out, 1<<16)
	if err := write(w); err != nil {
		_ = w.Flush() // what is known so far; the error that stopped it is the one to tell
		return err
	}
	return w.Flush()
}
