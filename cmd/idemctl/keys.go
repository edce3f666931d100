package main

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/text"
	"example.com/idemctl/internal/tui/keymap"
)

func newKeys(env *Env) *cobra.Command {
	var codes, asJSON bool
	cmd := &cobra.Command{
		Use:   "keys",
		Short: "list the console's keys, or the guard's answers",
		Long: `Lists what each key of the console does, as your settings have it: keys in
$XDG_CONFIG_HOME/idemctl/config.yaml wins over the table. With --codes it lists the guard's
answers instead, each with its sentence.`,
		Example: "  idemctl keys\n  idemctl keys --codes",
		Args:    arguments(0, 0, "no argument"),
		RunE: func(*cobra.Command, []string) error {
			if codes {
				return env.writeCodes(asJSON)
			}
			return env.writeKeys(asJSON)
		},
	}
	cmd.Flags().BoolVar(&codes, "codes", false, "the codes of the options in a scan")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write one JSON array")
	return cmd
}

// writeKeys writes the table of the console's actions with the keys that they have here.
func (e *Env) writeKeys(asJSON bool) error {
	set, err := e.settings()
	if err != nil {
		return err
	}
	if asJSON {
		type key struct {
			Action string   `json:"action"`
			Scope  string   `json:"scope"`
			Keys   []string `json:"keys"`
			Title  string   `json:"title"`
			Help   string   `json:"help"`
		}
		list := make([]key, 0, len(keymap.Actions))
		for i := range keymap.Actions {
			a := &keymap.Actions[i]
			list = append(list, key{string(a.ID), a.Scope.String(), set.keys.Keys(a.ID), a.Title, a.Help})
		}
		return json.NewEncoder(e.Out).Encode(list)
	}
	w := tabwriter.NewWriter(e.Out, 0, 0, 2, ' ', 0)
	for i := range keymap.Actions {
		a := &keymap.Actions[i]
		if _, err := fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", a.Scope, text.SafeString(set.keys.Label(a.ID)), a.ID, a.Help); err != nil {
			return err
		}
	}
	return w.Flush()
}

func (e *Env) writeCodes(asJSON bool) error {
	if asJSON {
		type code struct {
			Decision string `json:"decision"`
			As       string `json:"as"`
			Allowed  bool   `json:"allowed"`
			Code     string `json:"code"`
			Sentence string `json:"sentence"`
		}
		list := make([]code, 0, len(reconcile.Guards))
		for _, g := range reconcile.Guards {
			list = append(list, code{g.Decision.String(), g.As.String(), g.Allowed, g.Code, g.Sentence})
		}
		return json.NewEncoder(e.Out).Encode(list)
	}
	w := tabwriter.NewWriter(e.Out, 0, 0, 2, ' ', 0)
	for _, g := range reconcile.Guards {
		if _, err := fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", answerName(g), allowedWord(g.Allowed), g.Code, g.Sentence); err != nil {
			return err
		}
	}
	return w.Flush()
}

func answerName(g reconcile.Answer) string {
	if g.As == reconcile.ResolutionNone {
		return g.Decision.String()
	}
	return g.Decision.String() + " --as " + g.As.String()
}

func allowedWord(allowed bool) string {
	if allowed {
		return "allowed"
	}
	return "refused"
}
