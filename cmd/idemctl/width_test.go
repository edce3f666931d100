package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"example.com/idemctl/internal/text"
)

// TestTerminalWidth reads what a person sees in a small terminal: no line is wider than it.
func TestTerminalWidth(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"scan"}, {"show", "dbfi"}, {"check"}} {
		for _, width := range []int{80, 120} {
			var out, errOut bytes.Buffer
			Main(context.Background(), &Env{
				Args: append(args, "@payments-restore"), Out: &out, Err: &errOut, OutTTY: true, Width: width, Now: time.Now, Getenv: func(string) string { return "" },
			})
			if !strings.Contains(out.String(), "\x1b[1m") {
				t.Errorf("%q: no colour on a terminal", args)
			}
			for line := range strings.Lines(out.String()) {
				bare := strings.TrimSuffix(uncolour.Replace(line), "\n")
				if text.Width(bare) > width {
					t.Errorf("%q at %d: %d cells: %s", args, width, text.Width(bare), bare)
				}
			}
		}
	}
}

var uncolour = strings.NewReplacer("\x1b[0m", "", "\x1b[1m", "", "\x1b[2m", "", "\x1b[1;31m", "", "\x1b[33m", "", "\x1b[32m", "", "\x1b[36m", "")

// TestTrailWidth: the trail's own lists fit a small terminal too.
func TestTrailWidth(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	run := func(args ...string) string {
		var out, errOut bytes.Buffer
		code := Main(context.Background(), &Env{Args: args, Out: &out, Err: &errOut, OutTTY: true, Width: 80, Now: time.Now, Getenv: func(name string) string {
			return map[string]string{"HOME": home}[name]
		}})
		if code != exitClean {
			t.Fatalf("%q: exit code %d: %s", args, code, errOut.String())
		}
		return out.String()
	}
	run("decide", "dbfi", "resolve", "--as", "backfill-receipt", "--reason", "order 4112 stands and so does charge ch_4112, as the shop and the bank both confirm", "@payments-restore")
	for _, args := range [][]string{{"audit", "log"}, {"audit", "verify"}} {
		out := run(append(args, "@payments-restore")...)
		for line := range strings.Lines(out) {
			if bare := strings.TrimSuffix(line, "\n"); text.Width(bare) > 80 {
				t.Errorf("%q: %d cells: %s", args, text.Width(bare), bare)
			}
		}
		if strings.Count(out, "\n") < 5 {
			t.Errorf("%q tells nothing:\n%s", args, out)
		}
	}
}

// TestTrainingListFits begins the list of scenarios on a small terminal with its head and the first of them, and names the next one at its end.
func TestTrainingListFits(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{80, 24}, {120, 36}, {60, 15}, {120, 200}} {
		var out, errOut bytes.Buffer
		state := t.TempDir()
		Main(context.Background(), &Env{Args: []string{"train"}, Out: &out, Err: &errOut, OutTTY: true, Width: size[0], Height: size[1], Now: time.Now, Getenv: func(name string) string {
			return map[string]string{"XDG_STATE_HOME": state, "NO_COLOR": "1"}[name]
		}})
		got := out.String()
		if lines := strings.Count(got, "\n"); lines > size[1]-2 {
			t.Errorf("%v: %d lines:\n%s", size, lines, got)
		}
		for _, want := range []string{"  SCENARIO", "To begin with", "bought-twice", "Next: idemctl train bought-twice"} {
			if !strings.Contains(got, want) {
				t.Errorf("%v: no %q:\n%s", size, want, got)
			}
		}
		if cut := strings.Contains(got, "more: idemctl train | less"); cut != !strings.Contains(got, "payments-restore") {
			t.Errorf("%v: what is left out is not told:\n%s", size, got)
		}
	}
}
