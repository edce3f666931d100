package main

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"example.com/idemctl/internal/reconcile"
)

func newKeys(env *Env) *cobra.Command {
	var codes, asJSON bool
	cmd := &cobra.Command{
		Use:   "keys --codes",
		Short: "list the guard's answers, each with its sentence",
		Args:  arguments(0, 0, "no argument"),
		RunE: func(*cobra.Command, []string) error {
			if !codes {
				return &usageError{what: "keys: what to list is missing", hint: "idemctl keys --codes"}
			}
			return env.writeCodes(asJSON)
		},
	}
	cmd.Flags().BoolVar(&codes, "codes", false, "the codes of the options in a scan")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write one JSON array")
	return cmd
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
