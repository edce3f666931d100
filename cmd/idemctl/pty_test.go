package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/term"
)

// session is the program on a terminal of its own, which is its controlling terminal and answers nothing.
type session struct {
	t      *testing.T
	cmd    *exec.Cmd
	tty    *os.File
	screen *vt.Emulator
	raw    strings.Builder
	before *term.State
	got    chan []byte // what the program writes; closed when nobody holds the terminal any more
}

// patience is how long a program may keep a test waiting before it is taken to hang. No machine is so busy.
const patience = 4 * time.Minute

func onTerminal(t *testing.T, env []string, args ...string) *session {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Args = append([]string{"idemctl"}, args...)
	return onTerminalAs(t, cmd, env)
}

// onTerminalAs is onTerminal for a command, such as a shell that starts the program.
func onTerminalAs(t *testing.T, cmd *exec.Cmd, env []string) *session {
	t.Helper()
	s := &session{t: t, cmd: cmd, screen: vt.NewEmulator(120, 36), got: make(chan []byte)}
	home, err := t.TempDir(), error(nil)
	s.cmd.Env = append([]string{"TERM=xterm-256color", "LANG=C.UTF-8", "HOME=" + home, "XDG_STATE_HOME=" + home, "XDG_CONFIG_HOME=" + home, "TMPDIR=" + home}, env...)
	s.cmd.Dir = home
	if s.tty, err = pty.StartWithSize(s.cmd, &pty.Winsize{Rows: 36, Cols: 120}); err != nil {
		t.Fatal(err)
	}
	hung := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	t.Cleanup(func() { hung.Stop() })
	answers := s.screen.InputPipe().(io.Closer) // closing it ends the copy below; closing the emulator would race with it
	t.Cleanup(func() { _, _ = s.tty.Close(), answers.Close() })
	go s.read()
	go func() { _, _ = io.Copy(io.Discard, s.screen) }() // what the emulator would answer; nobody does
	if s.before, err = cooked(s.tty); err != nil {
		t.Fatal(err)
	}
	return s
}

// cooked is a terminal's state as a shell leaves it, whatever the program has made of this one by now.
func cooked(*os.File) (*term.State, error) {
	own, tty, err := pty.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _, _ = own.Close(), tty.Close() }()
	return term.GetState(int(own.Fd()))
}

func (s *session) read() {
	defer close(s.got)
	for {
		buf := make([]byte, 1<<14)
		n, err := s.tty.Read(buf)
		if err != nil {
			return
		}
		s.got <- buf[:n]
	}
}

func (s *session) take(b []byte) {
	s.raw.Write(b)
	_, _ = s.screen.Write(b)
}

// until reads what the program writes until done holds. It fails when the program ends before.
func (s *session) until(what string, done func() bool) {
	s.t.Helper()
	for !done() {
		b, ok := <-s.got
		if !ok {
			s.t.Fatalf("the program ended before %s:\n%s", what, s.screen.String())
		}
		s.take(b)
	}
}

func (s *session) shows(text string) {
	s.t.Helper()
	s.until("it showed "+text, func() bool { return strings.Contains(s.screen.String(), text) })
}

func (s *session) press(keys string) {
	s.t.Helper()
	if _, err := s.tty.WriteString(keys); err != nil {
		s.t.Fatal(err)
	}
}

// quiet waits until the program has written nothing for a while.
func (s *session) quiet() {
	for {
		select {
		case b := <-s.got:
			s.take(b)
		case <-time.After(500 * time.Millisecond):
			return
		}
	}
}

// ends reads the rest and returns the exit code. The terminal must be as it was found.
func (s *session) ends() int {
	s.t.Helper()
	for b := range s.got {
		s.take(b)
	}
	err := s.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	if s.screen.IsAltScreen() {
		s.t.Error("the alternate screen was not left")
	}
	if s.screen.CursorHidden() {
		s.t.Error("the cursor was not given back")
	}
	after, err := term.GetState(int(s.tty.Fd()))
	if err != nil {
		s.t.Fatal(err)
	}
	if !reflect.DeepEqual(after, s.before) {
		s.t.Error("the terminal's modes were not restored")
	}
	return s.cmd.ProcessState.ExitCode()
}

// The terminal is asked nothing: one that does not answer would be waited for, before main, in every command.
func TestTerminalIsAskedNothing(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"version"}, {"open", "@clean"}} {
		s := onTerminal(t, nil, args...)
		if args[0] == "open" {
			s.shows("Nothing to decide.")
			s.press("q")
		}
		if code := s.ends(); code != 0 {
			t.Errorf("%v: exit code %d", args, code)
		}
		for name, query := range map[string]string{"OSC 11": "\x1b]11;?", "OSC 10": "\x1b]10;?", "CSI 6n": "\x1b[6n", "CSI c": "\x1b[c"} {
			if strings.Contains(s.raw.String(), query) {
				t.Errorf("%v: %s is asked: %q", args, name, s.raw.String())
			}
		}
		if args[0] == "version" && strings.Contains(s.raw.String(), "\x1b") {
			t.Errorf("version writes escapes: %q", s.raw.String())
		}
	}
}

func TestConsoleOnATerminal(t *testing.T) {
	t.Parallel()
	s := onTerminal(t, nil, "open", "@payments-restore")
	s.shows("13 cases")
	if strings.Contains(s.raw.String(), "Nothing to decide") {
		t.Error("before anything was read it says that there is nothing to decide")
	}
	s.press("jjj\r")
	s.shows("cart-f207-1 ")
	s.shows("What may be decided")
	if err := pty.Setsize(s.tty, &pty.Winsize{Rows: 10, Cols: 50}); err != nil {
		t.Fatal(err)
	}
	s.screen.Resize(50, 10)
	s.shows("idemctl needs 60 x 15 cells, now 50 x 10")
	if err := pty.Setsize(s.tty, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	s.screen.Resize(80, 24)
	s.shows("4 of 13")
	s.press("qq")
	if code := s.ends(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// What was typed while the program was still being started was meant for the shell.
func TestTypedBeforeTheConsole(t *testing.T) {
	t.Parallel()
	s := onTerminalAs(t, exec.Command("sh", "-c", "read -r go; exec idemctl open @payments-restore"), []string{"PATH=" + os.Getenv("PATH")})
	s.press("go\njj\n\n")
	s.shows("13 cases")
	s.quiet()
	if seen := s.screen.String(); strings.Contains(seen, "does nothing here") || !strings.Contains(seen, "▌  20h 10m") {
		t.Errorf("a key typed before did something:\n%s", seen)
	}
	s.press("q")
	if code := s.ends(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestConsoleEndedFromOutside(t *testing.T) {
	t.Parallel()
	caught := make(chan os.Signal, 1) // a signal that is caught here is not ignored by the programs started from here, not even under nohup
	signal.Notify(caught, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(caught) })
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT} {
		s := onTerminal(t, nil, "open", "@payments-restore")
		s.shows("13 cases")
		if err := s.cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		if code := s.ends(); code != exitInterrupted {
			t.Errorf("%v: exit code %d", sig, code)
		}
	}
}

// Without colours the cursor is still seen, and marks are.
func TestConsoleWithoutColours(t *testing.T) {
	t.Parallel()
	s := onTerminal(t, []string{"NO_COLOR=1"}, "open", "@payments-restore")
	s.shows("13 cases")
	s.press(" ")
	s.shows("1 marked")
	s.shows("▌")
	s.shows("✓")
	s.press("q")
	s.ends()
	for _, set := range strings.Split(s.raw.String(), "\x1b[")[1:] {
		if end := strings.IndexByte(set, 'm'); end >= 0 && end < 12 {
			for _, p := range strings.Split(set[:end], ";") {
				if len(p) == 2 && (p[0] == '3' || p[0] == '4') {
					t.Fatalf("a colour is set: %q", set[:end])
				}
			}
		}
	}
}

// What was recorded is there, although the console is killed at once.
func TestRecordedIsKept(t *testing.T) {
	t.Parallel()
	s := onTerminal(t, nil, "open", "@payments-restore")
	s.shows("13 cases")
	s.press("d")
	s.shows("choose one of the above first")
	s.quiet() // the dialog takes keys only after a pause
	s.press("\t")
	s.shows("space chooses")
	s.press("\x1b[B ")
	s.shows("(x) hold")
	s.press("\t")
	s.shows("type ·")
	s.press("nobody knows yet")
	s.shows("nobody knows yet")
	s.press("\t")
	s.shows("[ Record hold for 1 case ]")
	s.press("\r")
	s.shows("recorded: hold, decision ")
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = s.cmd.Wait()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	log := exec.CommandContext(t.Context(), self)
	log.Args, log.Env, log.Dir = []string{"idemctl", "audit", "log", "@payments-restore"}, s.cmd.Env, s.cmd.Dir
	out, err := log.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "nobody knows yet") {
		t.Errorf("%v\n%s", err, out)
	}
}

// However fast the size changes, what is shown in the end fits the last one, and nothing was decided by it.
func TestResizeStorm(t *testing.T) {
	t.Parallel()
	s := onTerminal(t, nil, "open", "@payments-restore")
	s.shows("13 cases")
	s.press("\r")
	s.shows("What may be decided")
	for i := range 200 {
		if err := pty.Setsize(s.tty, &pty.Winsize{Rows: uint16(5 + i*7%60), Cols: uint16(20 + i*31%190)}); err != nil {
			t.Fatal(err)
		}
	}
	s.quiet()
	s.screen.Resize(100, 30)
	if err := pty.Setsize(s.tty, &pty.Winsize{Rows: 30, Cols: 100}); err != nil {
		t.Fatal(err)
	}
	s.shows("1 of 13")
	s.shows("decision    none is recorded")
	s.press("qq")
	if code := s.ends(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// Suspended it stands still behind the shell's prompt; the shell brings it back, with everything that was on the screen.
func TestSuspend(t *testing.T) {
	t.Parallel()
	s := onTerminalAs(t, exec.Command("sh", "-c", "set -m; idemctl open @payments-restore; echo THE-SHELL; fg; echo ENDED $?"), []string{"PATH=" + os.Getenv("PATH")})
	s.shows("13 cases")
	s.press(" j")
	s.shows("1 marked")
	s.press("\x1a")
	s.until("the console was back", func() bool {
		_, back, away := strings.Cut(s.raw.String(), "THE-SHELL")
		return away && strings.Contains(back, "1 marked") // drawn again, behind what the shell said
	})
	s.press("u")
	s.until("the mark was taken away", func() bool { return !strings.Contains(s.screen.String(), "1 marked") })
	s.press("q")
	s.shows("ENDED 0")
	s.ends()
	if n := strings.Count(s.raw.String(), "\x1b[?1049h"); n != 2 {
		t.Errorf("the other screen was entered %d times", n)
	}
}

// Where no shell would wake it, it does not stop.
func TestSuspendWithoutShell(t *testing.T) {
	t.Parallel()
	s := onTerminal(t, nil, "open", "@clean")
	s.shows("Nothing to decide.")
	s.press("\x1a")
	s.shows("there is no shell here that could take the terminal")
	s.press("q")
	if code := s.ends(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
