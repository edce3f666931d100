package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"example.com/idemctl/internal/config"
)

func TestExitCode(t *testing.T) {
	t.Parallel()
	everything := outcome{undecided: true, incomplete: true, trailBroken: true}
	for _, tt := range []struct {
		name    string
		outcome outcome
		err     error
		want    int
	}{
		{"nothing to decide", outcome{}, nil, exitClean},
		{"a case", outcome{undecided: true}, nil, exitUndecided},
		{"incomplete wins over a case", outcome{undecided: true, incomplete: true}, nil, exitIncomplete},
		{"a broken trail wins over all", everything, nil, exitTrail},
		{"a failure tells nothing of cases", everything, errors.New("disk full"), exitFailure},
		{"usage", everything, fmt.Errorf("reading flags: %w", &usageError{what: "x"}), exitUsage},
		{"config", everything, fmt.Errorf("loading: %w", &config.Error{}), exitUsage},
		{"interrupted", everything, fmt.Errorf("reading receipts: %w", context.Canceled), exitInterrupted},
		{"the reader had enough: what was found counts", outcome{undecided: true}, fmt.Errorf("writing: %w", syscall.EPIPE), exitUndecided},
	} {
		if got := exitCode(tt.outcome, tt.err); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

func TestExitsCoverEveryCode(t *testing.T) {
	t.Parallel()
	for i, code := range []int{0, 1, 2, 3, 4, 5, 130} {
		if exits[i].Code != code || exits[i].Means == "" {
			t.Errorf("exits[%d] = %+v, want code %d", i, exits[i], code)
		}
	}
}

// faulty panics on the first write.
type faulty struct{}

func (faulty) Write([]byte) (int, error) { panic("key \x1b[2J") }

func TestPanicIsOneLine(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	code := Main(context.Background(), &Env{Args: []string{"version"}, Out: faulty{}, Err: &out})
	got := out.String()
	if code != exitFailure || !strings.HasPrefix(got, `idemctl: error: internal fault: key \u{1b}[2J`) || strings.Count(got, "\n") != 2 {
		t.Errorf("exit code %d, %q", code, got)
	}
}

func TestInterruptedBeforeItBegan(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out, errOut bytes.Buffer
	if code := Main(ctx, &Env{Args: []string{"scan", "nowhere.yaml"}, Out: &out, Err: &errOut}); code != exitInterrupted {
		t.Errorf("exit code %d: %s", code, errOut.String())
	}
	if errOut.String() != "idemctl: interrupted\n" {
		t.Errorf("%q", errOut.String())
	}
}

func TestColour(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		flag, noColor, term string
		tty, want           bool
	}{
		{"auto", "", "xterm", true, true},
		{"auto", "", "xterm", false, false},
		{"auto", "1", "xterm", true, false},
		{"auto", "", "dumb", true, false},
		{"always", "1", "dumb", false, true},
		{"never", "", "xterm", true, false},
	} {
		vars := map[string]string{"NO_COLOR": tt.noColor, "TERM": tt.term}
		env := &Env{OutTTY: tt.tty, Getenv: func(name string) string { return vars[name] }, global: globals{color: tt.flag}}
		if got, err := env.colour(); err != nil || got != tt.want {
			t.Errorf("%+v: %v, %v", tt, got, err)
		}
	}
}

func TestParseNow(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"60":                        "1970-01-01T00:01:00Z",
		"-1":                        "1969-12-31T23:59:59Z",
		"2026-11-29T06:00:00Z":      "2026-11-29T06:00:00Z",
		"2026-11-29T07:00:00+01:00": "2026-11-29T06:00:00Z",
	} {
		got, err := parseNow(in)
		if err != nil || got.Time().Format("2006-01-02T15:04:05Z") != want {
			t.Errorf("parseNow(%s) = %v, %v", in, got.Time(), err)
		}
	}
	for _, in := range []string{"yesterday", "2026-11-29", "1796000000000", "99999999999999999999", "2026-11-29 06:00:00"} {
		var usage *usageError
		if _, err := parseNow(in); !errors.As(err, &usage) {
			t.Errorf("parseNow(%s): %v", in, err)
		}
	}
	if got, err := parseNow(""); err != nil || got.Known() {
		t.Errorf("no --now: %v, %v", got, err)
	}
}
