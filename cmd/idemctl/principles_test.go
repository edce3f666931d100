package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/idemctl/fixtures"
	"example.com/idemctl/internal/scenario"
)

// rules is where the scenarios of the core stand.
var rules = filepath.Join("internal", "reconcile", "testdata", "scenarios")

// principlesPage is the table from each statement to the scenarios that show it and the tests that hold the program to it.
func principlesPage(t *testing.T) string {
	t.Helper()
	all, err := scenario.List(fixtures.FS)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("# Principles\n\n")
	fmt.Fprintf(&b, generated, "`scenario.Principles` and the scenarios that name them")
	b.WriteString("What must happen, statement by statement, with the scenarios that show it: `idemctl train NAME` plays one, `idemctl scan @NAME` scans its data. The answer key of every scenario is held " +
		"against a scan, against judging it all in memory, and against the decisions that are recorded and refused: `go test ./fixtures`. The rules are files of `" + filepath.ToSlash(rules) + "`, which `go test " +
		"./internal/reconcile` holds the core to.\n")
	last := ""
	for i := range scenario.Principles {
		p := &scenario.Principles[i]
		if about := p.From.About(); about != last {
			fmt.Fprintf(&b, "\n## %s\n\n| statement | id | scenarios | rules |\n|---|---|---|---|\n", about)
			last = about
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s |\n", cell(p.Says), p.ID, shownBy(p, all), rulesOf(t, p))
	}
	b.WriteString("\n## Scenarios\n\n| scenario | tells of | cases |\n|---|---|---|\n")
	for _, s := range all {
		fmt.Fprintf(&b, "| `%s` | %s | %d |\n", s.Name, cell(s.Title), len(s.Cases))
	}
	return b.String()
}

func shownBy(p *scenario.Principle, all []scenario.Named) string {
	if p.Not != "" {
		return "none: " + cell(p.Not)
	}
	var names []string
	for _, s := range all {
		if slices.Contains(s.Principles, p.ID) {
			names = append(names, "`"+s.Name+"`")
		}
	}
	return strings.Join(names, " ")
}

func rulesOf(t *testing.T, p *scenario.Principle) string {
	t.Helper()
	var names []string
	for _, name := range p.Rules {
		if _, err := os.Stat(filepath.Join("..", "..", rules, name)); err != nil {
			t.Errorf("%s: %v", p.ID, err)
		}
		names = append(names, "`"+name+"`")
	}
	return strings.Join(names, " ")
}
