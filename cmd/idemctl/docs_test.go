package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/tui/keymap"
	"example.com/idemctl/internal/tui/paint"
)

var update = flag.Bool("update", false, "write the generated pages of docs/ anew")

// TestDocs fails while a page of docs/ that is made from a table in the code says something else than the table.
func TestDocs(t *testing.T) {
	t.Parallel()
	for name, page := range map[string]string{
		"findings.md":   findingsPage(),
		"guard.md":      guardPage(),
		"exit-codes.md": exitPage(),
		"commands.md":   commandsPage(),
		"keys.md":       keysPage(),
		"presets.md":    presetsPage(t),
		"principles.md": principlesPage(t),
	} {
		path := filepath.Join("..", "..", "docs", name)
		if *update {
			if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		have, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(have), page); diff != "" {
			t.Errorf("docs/%s is stale, run make docs (-page +table)\n%s", name, diff)
		}
	}
}

const generated = "<!-- made by `make docs` from %s; edit the table, not this page -->\n\n"

func findingsPage() string {
	var b strings.Builder
	b.WriteString("# Findings\n\n")
	fmt.Fprintf(&b, generated, "`reconcile.Findings` and `reconcile.ContractFindings`")
	b.WriteString("One case may have several kinds; its headline is the first of them in this order, gravest first. Severity is that of a case with this headline; " +
		"any exposure with money raises it to critical, any other exposure to high. A kind that rests on an absence needs a source that covers the time, " +
		"and an age above settle.\n\n| kind | holds when | not when | severity | rests on an absence | judged |\n|---|---|---|---|---|---|\n")
	for _, f := range reconcile.Findings {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", f.Word, cell(f.Means), cell(f.NotWhen), f.Severity, yes(f.Absence), yes(f.Judged))
	}
	b.WriteString("\n## Of a contract\n\nWhat is found of a contract as a whole is one finding, never a case for each key: with its count, and where they are known its span, its money by currency and an example. " +
		"That money is not in the scan's money at risk, which is that of the cases.\n\n" +
		"| kind | holds when | not when | the scan is then incomplete |\n|---|---|---|---|\n")
	for _, f := range reconcile.ContractFindings {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.Word, cell(f.Means), cell(f.NotWhen), yes(f.Incomplete))
	}
	return b.String()
}

func guardPage() string {
	var b strings.Builder
	b.WriteString("# The guard\n\n")
	fmt.Fprintf(&b, generated, "`reconcile.Guards`")
	b.WriteString("For each decision the first row that applies is the answer; the last row of each always applies. `idemctl keys --codes` prints this table.\n")
	last := ""
	for _, g := range reconcile.Guards {
		if name := answerName(g); name != last {
			fmt.Fprintf(&b, "\n## %s\n\n| answer | code | because |\n|---|---|---|\n", name)
			last = name
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s |\n", allowedWord(g.Allowed), g.Code, cell(g.Sentence))
	}
	b.WriteString("\n## Refusals of decide and handout that are not the guard's\n\n| code | means |\n|---|---|\n")
	for _, r := range audit.Refusals {
		fmt.Fprintf(&b, "| `%s` | %s |\n", r.Code, cell(r.Means))
	}
	return b.String()
}

func exitPage() string {
	var b strings.Builder
	b.WriteString("# Exit codes\n\n")
	fmt.Fprintf(&b, generated, "the table `exits` in `cmd/idemctl`")
	b.WriteString("| code | means |\n|---|---|\n")
	for _, x := range exits {
		fmt.Fprintf(&b, "| %d | %s |\n", x.Code, cell(x.Means))
	}
	b.WriteString("\nThe tail inside a declared lag is in flight, not incomplete. Contract findings alone change no exit code, `join-broken` excepted.\n")
	return b.String()
}

func commandsPage() string {
	var b strings.Builder
	b.WriteString("# Commands\n\n")
	fmt.Fprintf(&b, generated, "the commands' own help")
	root := newRoot(&Env{})
	root.InitDefaultHelpCmd()
	b.WriteString(rootHelp + "\n\nFlags of every command:\n\n```\n" + root.PersistentFlags().FlagUsages() + "```\n")
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\n", c.Name())
		if c.Long != "" {
			b.WriteString(c.Long + "\n\n")
		} else {
			b.WriteString(strings.ToUpper(c.Short[:1]) + c.Short[1:] + ".\n\n")
		}
		fmt.Fprintf(&b, "```\nidemctl %s\n", c.Use)
		if flags := c.LocalNonPersistentFlags().FlagUsages(); flags != "" {
			b.WriteString("\n" + flags)
		}
		b.WriteString("```\n")
	}
	return b.String()
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

func yes(b bool) string {
	if b {
		return "yes"
	}
	return ""
}

func keysPage() string {
	var b strings.Builder
	b.WriteString("# Keys of the console\n\n")
	fmt.Fprintf(&b, generated, "`keymap.Actions` and `keymap.Signs`")
	b.WriteString("Keys are changed in `$XDG_CONFIG_HOME/idemctl/config.yaml`, by action:\n\n```yaml\ntheme: mono          # " + strings.Join(paint.Palettes(), ", ") +
		"; NO_COLOR wins\nglyphs: ascii        # or unicode\nkeys:\n  queue.mark: [space, ins]\n```\n\n" +
		"A key has one meaning on a screen; what would clash is refused with its line. An action whose title ends in … opens a dialog and records nothing by itself.\n")
	last := ""
	for i := range keymap.Actions {
		a := &keymap.Actions[i]
		if name := a.Scope.String(); name != last {
			fmt.Fprintf(&b, "\n## %s\n\n| keys | action | does |\n|---|---|---|\n", strings.ToUpper(name[:1])+name[1:])
			last = name
		}
		var ks []string
		for _, k := range a.Keys {
			ks = append(ks, "`"+keymap.Spell(k)+"`")
		}
		fmt.Fprintf(&b, "| %s | `%s` %s | %s |\n", strings.Join(ks, " "), a.ID, cell(a.Title), cell(a.Help))
	}
	b.WriteString("\n## Short words\n\n| screen | shows | which means |\n|---|---|---|\n")
	for _, s := range keymap.Signs {
		fmt.Fprintf(&b, "| %s | `%s` | %s |\n", s.Scope, s.Word, cell(s.Means))
	}
	return b.String()
}
