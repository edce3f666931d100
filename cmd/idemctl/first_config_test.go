package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// fewer is how many lines a person may have to write into what init drafted.
const fewer = 10

// TestFirstConfig runs the session of the README word for word, with a real PostgreSQL server: init's own output, the lines that a person writes, check
// and scan. A line "…" stands for lines left out.
func TestFirstConfig(t *testing.T) {
	t.Parallel()
	page := readmeSection(t, "Your own data")
	stores, err := os.ReadFile(filepath.Join("testdata", "first-config.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	script := filepath.Join(dir, "first-config.txtar")
	if err := os.WriteFile(script, []byte(firstScript(t, page)+string(stores)), 0o600); err != nil {
		t.Fatal(err)
	}
	cmds := commands()
	maps.Copy(cmds, map[string]func(ts *testscript.TestScript, neg bool, args []string){"finish": finishCommand, "shows": showsCommand})
	testscript.Run(t, testscript.Params{
		Files:               []string{script},
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("GORACE", noWait)
			env.Setenv("XDG_STATE_HOME", filepath.Join(dir, "state"))
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "config"))
			env.Values[sessionsKey{}] = &sessions{}
			return nil
		},
		Cmds: cmds,
	})
}

// firstScript makes a script of the section's blocks: commands with what they print, and the lines that a person writes.
func firstScript(t *testing.T, page string) string {
	t.Helper()
	codes := map[string]int{"init": exitClean, "check": exitClean, "scan": exitUndecided}
	var script, files strings.Builder
	script.WriteString("database service.sql\nenv DATABASE_URL=$DSN\nexec sh -c 'sqlite3 orders.sqlite <orders.sql'\nexec sh -c 'gzip logs/*CloudTrail*'\n")
	file := func(text string) string {
		name := fmt.Sprintf("block-%d", strings.Count(files.String(), "\n-- block-"))
		fmt.Fprintf(&files, "\n-- %s --\n%s\n", name, text)
		return name
	}
	met := map[string]bool{}
	for i, block := range strings.Split(page, "```") {
		if i%2 == 0 {
			continue
		}
		if diff, ok := strings.CutPrefix(block, "diff\n"); ok {
			script.WriteString("finish idemctl.yaml " + file(diff) + "\n")
			met["diff"] = true
			continue
		}
		for _, c := range strings.Split(block, "\n$ ")[1:] {
			line, want, _ := strings.Cut(c, "\n")
			words := strings.Fields(line)
			if words[0] == "export" { // which host it is differs
				continue
			}
			code, known := codes[words[1]]
			if words[0] != "idemctl" || !known {
				t.Fatalf("%s: no command that this test knows", line)
			}
			met[words[1]] = true
			fmt.Fprintf(&script, "exits %d %s\nshows %s\n", code, line, file(want))
		}
	}
	for _, part := range []string{"init", "diff", "check", "scan"} {
		if !met[part] {
			t.Fatalf("the section shows no %s", part)
		}
	}
	return script.String() + files.String()
}

// finishCommand is "finish FILE DIFF": writes a person's lines into a file. Each hunk must stand in it exactly once.
func finishCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: finish FILE DIFF")
	}
	text, added := ts.ReadFile(args[0]), 0
	for _, hunk := range strings.Split(strings.Trim(ts.ReadFile(args[1]), "\n"), "\n@@\n") {
		var before, after []string
		for _, line := range strings.Split(hunk, "\n") {
			switch line[0] {
			case '-':
				before = append(before, line[1:])
			case '+':
				after = append(after, line[1:])
				added++
			default:
				before, after = append(before, line[1:]), append(after, line[1:])
			}
		}
		old := "\n" + strings.Join(before, "\n") + "\n"
		if strings.Count(text, old) != 1 {
			ts.Fatalf("what init drafted holds not exactly once:%s\nit is\n%s", old, text)
		}
		text = strings.Replace(text, old, "\n"+strings.Join(after, "\n")+"\n", 1)
	}
	if added == 0 || added >= fewer {
		ts.Fatalf("a person writes %d lines", added)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

// showsCommand is "shows FILE": the last command printed these lines in this order. A line "…" stands for any lines; where none stands between two, none was
// printed between them.
func showsCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: shows FILE")
	}
	var printed []string
	for line := range strings.Lines(ts.ReadFile("stdout") + ts.ReadFile("stderr")) {
		printed = append(printed, strings.TrimRight(line, " \n"))
	}
	for _, part := range strings.Split("\n"+ts.ReadFile(args[0])+"\n", "\n…\n") {
		part = strings.Trim(part, "\n")
		if part == "" {
			continue
		}
		want := strings.Split(part, "\n")
		at := 0
		for at < len(printed) && !slices.Equal(printed[at:min(len(printed), at+len(want))], want) {
			at++
		}
		if at == len(printed) {
			ts.Fatalf("after what stands before it in the README, this is not printed:\n%s", part)
		}
		printed = printed[at+len(want):]
	}
}
