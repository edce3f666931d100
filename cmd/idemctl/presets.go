package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"example.com/idemctl/internal/config"
)

func newPresets(env *Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "presets",
		Short: "list the shipped mappings of known stores and logs",
		Long: `Lists the mappings that a source may take by preset: NAME, each with the table or the format
that it reads and where that is known from. docs/presets.md has each in full; idemctl init
recognises them in a store.`,
		Example: "  idemctl presets\n  idemctl presets --json",
		Args:    arguments(0, 0, "no argument"),
		RunE: func(*cobra.Command, []string) error {
			all, err := config.ReadPresets()
			if err != nil {
				return err
			}
			if asJSON {
				return env.presetsJSON(all)
			}
			return env.presetsTable(all)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write one JSON array")
	return cmd
}

func (e *Env) presetsTable(all []*config.Preset) error {
	w := tabwriter.NewWriter(e.Out, 0, 0, 2, ' ', 0)
	if _, err := fmt.Fprintln(w, "PRESET\tROLE\tSTORE\tREADS\tKNOWN FROM"); err != nil {
		return err
	}
	for _, p := range all {
		if _, err := fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", p.Name, p.Source.Role, p.Store, readsShort(p), p.Origins[0].Site()); err != nil {
			return err
		}
	}
	return w.Flush()
}

// readsShort names the table that a preset reads, or the formats.
func readsShort(p *config.Preset) string {
	var out []string
	for _, f := range p.Formats {
		if f == "table" {
			f += " " + p.TableName()
		}
		out = append(out, f)
	}
	return strings.Join(out, ", ")
}

func (e *Env) presetsJSON(all []*config.Preset) error {
	type fact struct {
		From string `json:"from"`
		Read string `json:"read"`
	}
	type preset struct {
		Name     string   `json:"name"`
		Title    string   `json:"title"`
		Store    string   `json:"store"`
		Versions string   `json:"versions"`
		Role     string   `json:"role"`
		Table    *string  `json:"table"`
		Formats  []string `json:"formats"`
		Facts    []fact   `json:"facts"`
		Notes    []string `json:"notes"`
	}
	list := make([]preset, 0, len(all))
	for _, p := range all {
		out := preset{Name: p.Name, Title: p.Title, Store: p.Store, Versions: p.Versions, Role: p.Source.Role.String(), Formats: p.Formats, Notes: p.Notes}
		if name := p.TableName(); name != "" {
			out.Table = &name
		}
		for _, o := range p.Origins {
			out.Facts = append(out.Facts, fact{o.From, o.Read.Format(time.DateOnly)})
		}
		list = append(list, out)
	}
	return json.NewEncoder(e.Out).Encode(list)
}
