package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// pane is the program in a tmux of its own: a terminal that people use.
type pane struct {
	t    *testing.T
	home string
	env  []string
}

func inTmux(t *testing.T, env ...string) *pane {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Fatal("tmux is missing: ./test installs it")
	}
	home := t.TempDir()
	p := &pane{t: t, home: home, env: append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_STATE_HOME=" + home, "XDG_CONFIG_HOME=" + home, "TMPDIR=" + home, "TMUX_TMPDIR=" + home,
		"LANG=C.UTF-8", "GORACE=" + noWait,
	}, env...)}
	t.Cleanup(func() { _ = p.command("tmux", "kill-server").Run() }) // it may have ended by itself
	return p
}

func (p *pane) command(name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(p.t.Context(), name, args...)
	if p.t.Context().Err() != nil { // cleaning up
		cmd = exec.Command(name, args...)
	}
	cmd.Env, cmd.Dir = p.env, os.TempDir()
	return cmd
}

func (p *pane) tmux(args ...string) string {
	p.t.Helper()
	out, err := p.command("tmux", append([]string{"-f", "/dev/null", "-u"}, args...)...).CombinedOutput()
	if err != nil {
		p.t.Fatalf("tmux %v: %v: %s", args, err, out)
	}
	return string(out)
}

func (p *pane) open(w, h int, command ...string) {
	p.t.Helper()
	p.tmux(append([]string{"new-session", "-d", "-x", strconv.Itoa(w), "-y", strconv.Itoa(h), "--"}, command...)...)
	p.tmux("set-option", "-g", "remain-on-exit", "on")
}

func (p *pane) keys(keys ...string) {
	p.t.Helper()
	p.tmux(append([]string{"send-keys"}, keys...)...)
}

func (p *pane) types(s string) {
	p.t.Helper()
	p.tmux("send-keys", "-l", s)
}

func (p *pane) screen() string { p.t.Helper(); return p.tmux("capture-pane", "-p") }

// until waits until done holds, or fails with what is wrong.
func (p *pane) until(wrong string, done func() bool) {
	p.t.Helper()
	look, over := time.NewTicker(20*time.Millisecond), time.After(patience)
	defer look.Stop()
	for !done() {
		select {
		case <-look.C:
		case <-over:
			p.t.Fatalf("%s:\n%s", wrong, p.screen())
		}
	}
}

// shows waits until the screen shows each text.
func (p *pane) shows(texts ...string) {
	p.t.Helper()
	for _, s := range texts {
		p.until(fmt.Sprintf("the screen does not show %q", s), func() bool { return strings.Contains(p.screen(), s) })
	}
}

// gone waits until the screen does not show a text any more.
func (p *pane) gone(text string) {
	p.t.Helper()
	p.until("the screen still shows "+text, func() bool { return !strings.Contains(p.screen(), text) })
}

// noting is a command whose exit code is noted where ended looks for it: tmux does not always learn the one of a pane that was resized, nor show it.
func (p *pane) noting(command ...string) []string {
	return append([]string{"sh", "-c", `"$@"; echo $? >"$HOME/ended"`, "sh"}, command...)
}

// ended waits until a noting command has ended, and requires its exit code.
func (p *pane) ended(code string) {
	p.t.Helper()
	var got []byte
	p.until("the program has not ended", func() (ok bool) {
		var err error
		got, err = os.ReadFile(filepath.Join(p.home, "ended"))
		return err == nil && len(got) > 0
	})
	if s := strings.TrimSpace(string(got)); s != code {
		p.t.Errorf("exit code %s, want %s", s, code)
	}
}

// pause is as long as a dialog keeps keys in flight away from itself.
func (p *pane) pause() { <-time.After(700 * time.Millisecond) }

func (p *pane) cli(args ...string) string {
	p.t.Helper()
	out, err := p.command("idemctl", args...).CombinedOutput()
	if err != nil {
		p.t.Fatalf("idemctl %v: %v: %s", args, err, out)
	}
	return string(out)
}

// TestStoryInTmux is the story of the README in a terminal that people use: the console is opened and filtered, a replay is refused with its reason, the case
// is resolved, the process is killed in the moment in which it says so, and the decision stands in the list, in order, with the evidence as it was.
func TestStoryInTmux(t *testing.T) {
	t.Parallel()
	p := inTmux(t)
	p.open(120, 36, "idemctl", "open", "@payments-restore")
	p.shows("13 cases")
	p.types("jjjjj") // in one read
	p.keys("g")
	p.types("/")
	p.types("kyoto")
	p.keys("Enter")
	p.shows("4 of 13 cases")
	p.keys("Enter")
	p.shows("What may be decided", "already-executed")
	p.types("d")
	p.shows("choose one of the above first")
	p.pause()
	p.keys("Tab", "Space")
	p.shows("replay is refused: It was executed, and a second send is not surely recognised")
	p.keys("Down", "Down", "Space")
	p.shows("(x) resolve: backfill-receipt")
	p.keys("Tab")
	p.types("order 4112 stands and so does the charge")
	p.shows("so does the charge")
	p.keys("Tab")
	p.shows("[ Record backfill-receipt for 1 case ]")
	pid, err := strconv.Atoi(strings.TrimSpace(p.tmux("display-message", "-p", "#{pane_pid}")))
	if err != nil {
		t.Fatal(err)
	}
	p.keys("Enter")
	p.shows("recorded: backfill-receipt, decision ")
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if log := p.cli("audit", "log", "@payments-restore"); !strings.Contains(log, "so does the charge") || !strings.Contains(log, "resolve backfill-receipt") {
		t.Errorf("the decision is not in the trail:\n%s", log)
	}
	if said := p.cli("audit", "verify", "@payments-restore"); !strings.Contains(said, "Nothing was altered, removed or reordered.") {
		t.Error(said)
	}
	p.tmux(append([]string{"respawn-pane", "-k"}, p.noting("idemctl", "open", "@payments-restore")...)...)
	p.shows("13 cases", "backfill-receipt")
	p.types("2")
	p.shows("resolve: backfill-receipt")
	p.types("v")
	p.shows("verified: ")
	p.keys("Enter")
	p.shows("As it was on the screen when this was recorded", "enter opens it: 2 records")
	p.keys("Enter")
	p.shows("AS IT WAS on ")
	p.keys("Escape")
	p.gone("AS IT WAS on ") // else the letters that follow belong to the escape
	p.types("qqq")
	p.ended("0")
}

// TestTrapsInTmux: pasted text acts nowhere, a copy reaches tmux's buffer, and another size is followed.
func TestTrapsInTmux(t *testing.T) {
	t.Parallel()
	p := inTmux(t)
	p.open(80, 24, p.noting("idemctl", "open", "@payments-restore")...)
	p.shows("13 cases")
	p.tmux("set-buffer", "dq\rj")
	p.tmux("paste-buffer", "-p")
	p.shows("pasted text does nothing here (4 characters)")
	p.types("y")
	p.shows("the case's id")
	p.types("k")
	p.shows("copied the key to tmux's buffer")
	if got := p.tmux("show-buffer"); got != "cart-e1c5-1" {
		t.Errorf("tmux holds %q", got)
	}
	p.tmux("resize-window", "-x", "60", "-y", "15")
	p.shows("▌  20h 10m")
	p.tmux("resize-window", "-x", "40", "-y", "10")
	p.shows("idemctl needs 60 x 15")
	p.tmux("resize-window", "-x", "200", "-y", "50")
	p.shows("Preview", "receipt-missing-after-restore kyoto-tea · cart-e1c5-1")
	p.types("q")
	p.ended("0")
}
