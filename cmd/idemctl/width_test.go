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
