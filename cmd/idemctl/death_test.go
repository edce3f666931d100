package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// desk is a config with one case, and a trail of its own.
type deskDir struct{ dir, state string }

func newDeskDir(t *testing.T) deskDir {
	t.Helper()
	d := deskDir{t.TempDir(), t.TempDir()}
	for name, text := range map[string]string{
		"idemctl.yaml": `version: 1
name: death
contracts: [{operation: o, scope: [operation, key], effect: local, atomic: true, retention: 876000h, retry_window: 876000h, params: {from: body}}]
sources:
  - {name: orders, role: effects, open: "jsonl:orders.jsonl", coverage: {from: 2026-01-01T00:00:00Z, to: 2100-01-01T00:00:00Z}, map: {operation: {value: o}, key: k, created_at: at, params: p}}
  - {name: receipts, role: receipts, open: "jsonl:orders.jsonl", coverage: {from: 2026-01-01T00:00:00Z, to: 2100-01-01T00:00:00Z}, map: {operation: {value: o}, key: k, created_at: at, params: p}}
  - {name: clients, role: intents, open: "jsonl:clients.jsonl", map: {operation: {value: o}, key: k, created_at: at, attempt_at: at, outcome: o, params: p}, row: attempt}
`,
		"orders.jsonl":  `{"k":"fine","at":"2026-11-29T02:00:00Z","p":"2"}` + "\n",
		"clients.jsonl": `{"k":"lost","at":"2026-11-29T02:00:00Z","o":"uncertain","p":"1"}` + "\n",
	} {
		if err := os.WriteFile(filepath.Join(d.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

func (d deskDir) command(args ...string) *exec.Cmd {
	cmd := exec.Command("idemctl", append(args, d.dir)...)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(d.state, "state"), "XDG_CONFIG_HOME="+filepath.Join(d.state, "config"), "GORACE="+noWait)
	return cmd
}

func (d deskDir) run(t *testing.T, want int, args ...string) string {
	t.Helper()
	var out, errOut bytes.Buffer
	cmd := d.command(args...)
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	var ended *exec.ExitError
	code := 0
	if errors.As(err, &ended) {
		code = ended.ExitCode()
	}
	if code != want {
		t.Fatalf("%v: exit code %d, want %d: %s", args, code, want, errOut.String())
	}
	return out.String()
}

// anyCase is the first case to decide.
func (d deskDir) anyCase(t *testing.T) string {
	t.Helper()
	line, _, _ := strings.Cut(d.run(t, exitUndecided, "scan", "-q", "--jsonl"), "\n")
	var c struct{ ID string }
	if err := json.Unmarshal([]byte(line), &c); err != nil {
		t.Fatal(err)
	}
	return c.ID
}

// kept lists the decisions that the trail holds, and which of them stand.
func (d deskDir) kept(t *testing.T) (all map[string]bool, live []string) {
	t.Helper()
	all = make(map[string]bool)
	gone := make(map[string]bool)
	for _, line := range strings.Split(strings.TrimSpace(d.run(t, 0, "audit", "log", "-q", "--jsonl")), "\n") {
		if line == "" {
			continue
		}
		var e struct{ Type, Decision string }
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		switch e.Type {
		case "decision.made":
			all[e.Decision] = true
		case "decision.withdrawn":
			gone[e.Decision] = true
		}
	}
	for id := range all {
		if !gone[id] {
			live = append(live, id)
		}
	}
	return all, live
}

// TestKilledWhileDeciding kills a deciding process at random moments, and right after it said "recorded". What it said is in the trail; the trail is whole;
// and a case never has two decisions that stand.
func TestKilledWhileDeciding(t *testing.T) {
	t.Parallel()
	d := newDeskDir(t)
	id := d.anyCase(t)
	moments := rand.New(rand.NewPCG(4, 9))
	acknowledged := 0
	for round := range 24 {
		cmd := d.command("decide", "-q", id, "escalate", "--to", "nobody", "--reason", fmt.Sprint("round ", round))
		said := decideAndKill(t, cmd, round%3 == 0, time.Duration(moments.IntN(int(120*time.Millisecond))))
		all, live := d.kept(t)
		if said != "" {
			acknowledged++
			if !all[said] {
				t.Fatalf("round %d: %s was acknowledged, and is not in the trail", round, said)
			}
		}
		if len(live) > 1 {
			t.Fatalf("round %d: %d decisions of one case stand", round, len(live))
		}
		if len(all) > 0 {
			d.run(t, 0, "audit", "verify", "-q")
		}
		if len(live) == 1 {
			if got := d.run(t, 0, "scan", "-q"); !strings.Contains(got, "escalate") {
				t.Fatalf("round %d: the next scan does not show it:\n%s", round, got)
			}
			d.run(t, 0, "withdraw", "-q", "--reason", "again", live[0])
		}
	}
	if acknowledged < 8 {
		t.Errorf("%d decisions only were acknowledged: nothing was tried", acknowledged)
	}
}

// decideAndKill returns the id that was acknowledged before the process was killed, "" where none was.
func decideAndKill(t *testing.T, cmd *exec.Cmd, atOnce bool, after time.Duration) string {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if !atOnce {
		timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() }) // it may have ended just now
		defer timer.Stop()
	}
	said := ""
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if words := strings.Fields(lines.Text()); len(words) >= 4 && words[0] == "recorded" {
			said = words[3]
			if atOnce {
				_ = cmd.Process.Kill() // as above
			}
		}
	}
	_ = cmd.Wait() // however it ended
	return said
}

// TestInterruptedWhileDeciding stops deciding processes at random moments: one that ends with 130 has recorded nothing, one that recorded does not say 130,
// and neither leaves a file behind.
func TestInterruptedWhileDeciding(t *testing.T) {
	t.Parallel()
	d := deskDir{t.TempDir(), t.TempDir()}
	writeBulk(t, d.dir, 30_000)
	id := d.anyCase(t)
	moments := rand.New(rand.NewPCG(3, 1))
	within, stopped := 400*time.Millisecond, 0
	for range 8 {
		cmd := d.command("decide", "-q", id, "escalate", "--to", "nobody", "--reason", "who knows of it")
		tmp := t.TempDir()
		cmd.Env = append(cmd.Env, "TMPDIR="+tmp)
		var errOut bytes.Buffer
		cmd.Stderr = &errOut
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(time.Duration(moments.Int64N(int64(within))), func() { _ = cmd.Process.Signal(os.Interrupt) })
		err := cmd.Wait()
		timer.Stop()
		switch {
		case err == nil:
			within /= 2 // on a fast machine it is done soon
		case interrupted(err):
			stopped++
		default:
			t.Errorf("it ended with %v: %s", err, errOut.String())
		}
		_, live := d.kept(t)
		if (err == nil) != (len(live) == 1) {
			t.Errorf("it ended with %v, and %d decisions are recorded", err, len(live))
		}
		for _, id := range live {
			d.run(t, 0, "withdraw", "-q", "--reason", "again", id)
		}
		if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
			t.Errorf("left behind %v, %v", left, err)
		}
	}
	if stopped < 2 {
		t.Errorf("%d processes only were stopped while they worked: nothing was tried", stopped)
	}
	d.run(t, 0, "audit", "verify", "-q")
}

// TestHandOutToNobody: a worker that is gone has not got what was handed out to it, and whoever started it is told.
func TestHandOutToNobody(t *testing.T) {
	t.Parallel()
	d := newDeskDir(t)
	id := d.anyCase(t)
	d.run(t, exitClean, "decide", id, "replay", "--reason", "the shop asks for it, INC-81")
	r, w, err := os.Pipe()
	if err := errors.Join(err, r.Close()); err != nil {
		t.Fatal(err)
	}
	var errOut bytes.Buffer
	cmd := d.command("handout", "-q")
	cmd.Stdout, cmd.Stderr = w, &errOut
	var ended *exec.ExitError
	if err := cmd.Run(); !errors.As(err, &ended) || ended.ExitCode() != exitFailure || !strings.Contains(errOut.String(), "not all of it was written") {
		t.Errorf("%v: %s", err, errOut.String())
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}
