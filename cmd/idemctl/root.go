package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/idemctl/internal/spelling"
)

const rootHelp = `idemctl reconciles idempotency receipts with what a service has really done: which
actions stand without a receipt, which receipts promise what is not there, what a
retry would do now, and until when it could do it twice. Decisions are recorded in an audit
trail of its own. It never writes to a source and never sends a request.

CONFIG is the last argument, or -c FILE: a config file, a folder with an idemctl.yaml,
a training fixture such as @payments-restore, or a saved scan. The default is ./idemctl.yaml.`

func newRoot(env *Env) *cobra.Command {
	root := &cobra.Command{
		Use:               "idemctl COMMAND [CONFIG]",
		Short:             "reconcile idempotency receipts with what was really done",
		Long:              rootHelp + "\n\n" + exitHelp(),
		SilenceErrors:     true,
		SilenceUsage:      true,
		Args:              cobra.ArbitraryArgs,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 1 && env.OutTTY && openable(args[0]):
			return runOpen(cmd.Context(), env, "", args)
		case len(args) > 0:
			return unknownCommand(root, args[0])
		case env.configInSight() && env.OutTTY:
			return runOpen(cmd.Context(), env, "", nil)
		case env.configInSight():
			return cmd.Help()
		}
		return env.guide()
	}
	root.DisableFlagsInUseLine = true
	root.SetFlagErrorFunc(flagError)
	root.PersistentFlags().StringVar(&env.global.color, "color", "auto", "colour what goes to standard output: auto, always, never")
	root.PersistentFlags().BoolVarP(&env.global.quiet, "quiet", "q", false, "no progress, no remarks")
	root.PersistentFlags().StringVarP(&env.global.config, "config", "c", "", "the config, instead of the last argument")
	root.AddCommand(
		newOpen(env),
		newScan(env),
		newShow(env),
		newDecide(env),
		newWithdraw(env),
		newOutcome(env),
		newHandout(env),
		newRestore(env),
		newAudit(env),
		newCheck(env),
		newInit(env),
		newTrain(env),
		newPresets(env),
		newKeys(env),
		newVersion(env),
		newCompletion(env),
	)
	return root
}

func exitHelp() string {
	lines := []string{"Exit codes:"}
	for _, x := range exits {
		lines = append(lines, fmt.Sprintf("  %3d  %s", x.Code, x.Means))
	}
	return strings.Join(lines, "\n")
}

// openable reports whether a word in a command's place names what can be opened.
func openable(word string) bool {
	return strings.HasPrefix(word, "@") || strings.HasSuffix(word, ".yaml") || strings.HasSuffix(word, ".scan") || isDir(word)
}

func unknownCommand(root *cobra.Command, word string) error {
	if openable(word) {
		return &usageError{what: fmt.Sprintf("unknown command %q", word), hint: "idemctl scan " + word}
	}
	var names []string
	for _, c := range root.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	return &usageError{what: fmt.Sprintf("unknown command %q", word), hint: suggest(word, names)}
}

// flagError names the nearest flag; every flag error is one of usage.
func flagError(cmd *cobra.Command, err error) error {
	hint := "idemctl " + cmd.Name() + " --help"
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if name := spelling.Meant(unknown.GetSpecifiedName(), names); name != "" {
			hint = "did you mean --" + name + "?"
		}
	}
	return &usageError{what: err.Error(), hint: hint}
}

// arguments says in words which arguments a command takes.
func arguments(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) >= least && len(args) <= most {
			return nil
		}
		return &usageError{what: fmt.Sprintf("%s takes %s, not %d arguments", cmd.Name(), what, len(args)), hint: "idemctl " + cmd.Name() + " --help"}
	}
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
