package main

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"example.com/idemctl/internal/text/hostile"
)

func TestMain(m *testing.M) {
	testscript.Main(stopping{m}, map[string]func(){"idemctl": func() { os.Exit(start()) }})
}

// noWait keeps a program under the race detector from waiting a second before it ends.
const noWait = "atexit_sleep_ms=0"

// TestScript runs every script of testdata/script: a story of command lines, each with its exit code and its words.
func TestScript(t *testing.T) {
	t.Parallel()
	states := t.TempDir()
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("GORACE", noWait)
			env.Setenv("TMPDIR", filepath.Join(env.WorkDir, "tmpdir"))
			if err := os.Mkdir(filepath.Join(env.WorkDir, "tmpdir"), 0o700); err != nil {
				return err
			}
			state := filepath.Join(states, filepath.Base(env.WorkDir)) // where trails are kept: no file of a script's own
			env.Setenv("EVIL", evilText)
			env.Setenv("BROKEN", brokenText)
			env.Setenv("XDG_STATE_HOME", filepath.Join(state, "state"))
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(state, "config"))
			env.Values[before{}] = listing(env.WorkDir)
			env.Values[sessionsKey{}] = &sessions{}
			env.Values[rememberedKey], env.Values[holdersKey] = &remembered{}, &holders{}
			return nil
		},
		Cmds: commands(),
	})
}

func commands() map[string]func(ts *testscript.TestScript, neg bool, args []string) {
	all := attacks()
	maps.Copy(all, decisionCommands())
	all["database"], all["sql"] = databaseCommand, sqlCommand
	all["exits"], all["nothing"], all["harmless"] = exitsCommand, nothingCommand, harmlessCommand
	return all
}

// exitsCommand is "exits CODE COMMAND…": the command must end with exactly this code, and show no stack and no way out of the terminal.
func exitsCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARG…]")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		code = ended.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if want, _ := strconv.Atoi(args[0]); code != want {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
	if errOut := ts.ReadFile("stderr"); strings.Contains(errOut, "goroutine ") {
		ts.Fatalf("a stack is shown")
	}
}

// before is the key of the files that a script begins with.
type before struct{}

// nothingCommand is "nothing new [FILE…]": no file but these has come or gone since the script began.
func nothingCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 || args[0] != "new" {
		ts.Fatalf("usage: nothing new [FILE…]")
	}
	want, _ := ts.Value(before{}).(string)
	for _, f := range args[1:] {
		if !strings.Contains(listing(ts.Getenv("WORK")), f+"\n") {
			ts.Fatalf("%s is not there", f)
		}
	}
	have := listing(ts.Getenv("WORK"), args[1:]...)
	if have != want {
		ts.Fatalf("files before:\n%s\nfiles now:\n%s", want, have)
	}
}

// harmlessCommand is "harmless (stdout|stderr)": what was printed holds nothing that a terminal obeys.
func harmlessCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: harmless (stdout|stderr)")
	}
	if err := hostile.Check([]byte(ts.ReadFile(args[0]))); err != nil {
		ts.Fatalf("%s: %v", args[0], err)
	}
}

// listing names every file below dir, but those in except.
func listing(dir string, except ...string) string {
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		for _, e := range except {
			if name == e {
				return nil
			}
		}
		b.WriteString(filepath.ToSlash(name) + "\n")
		return nil
	})
	if err != nil {
		return err.Error()
	}
	return b.String()
}
