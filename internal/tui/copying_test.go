package tui

import (
	"context"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"example.com/idemctl/internal/text/hostile"
)

// given is the text that the terminal was asked to put into its clipboard.
func (c *console) given() string {
	c.t.Helper()
	coded, ok := strings.CutPrefix(c.r.clip, "\x1b]52;c;")
	coded, ok2 := strings.CutSuffix(coded, "\a")
	s, err := base64.StdEncoding.DecodeString(coded)
	if !ok || !ok2 || err != nil {
		c.t.Fatalf("%q is no request to a clipboard: %v", c.r.clip, err)
	}
	c.r.clip = ""
	return string(s)
}

func TestCopy(t *testing.T) {
	t.Parallel()
	d := &desk{res: fixture(t, "payments-restore")}
	c := start(t, d.deps(), 120, 36, fixtureOption)
	id := d.res.cases[0].CaseID
	c.press("y").shows("k  the key  cart-e1c5-1", "i  the case's id  "+id, "the command that shows it  idemctl show "+id+" @payments-restore")
	c.press("k").shows("copied the key to the terminal's clipboard, if it lets programs write there (OSC 52)").selected("cart-e1c5-1")
	for keys, want := range map[string]string{"k": "cart-e1c5-1", "i": id, "l": "idemctl show " + id + " @payments-restore"} {
		c.press("y", keys)
		if got := c.given(); got != want {
			t.Errorf("%s copies %q, not %q", keys, got, want)
		}
	}
	c.press("y", "e")
	if got := c.given(); !strings.Contains(got, "What may be decided") || !strings.Contains(got, "•••") {
		t.Errorf("the case is copied as %q", got)
	}
	c.press("enter", "y", "down", "enter")
	if got := c.given(); got != id {
		t.Errorf("on the case's own screen %q is copied", got)
	}
	c.press("d", "tab", "down", " ", "tab").typeText("y is typed here").press("tab", "enter")
	c.press("2", "enter", "y", "i")
	if got := c.given(); got != d.decisions[0].ID {
		t.Errorf("of a record %q is copied", got)
	}
	c.press("1", "3", "y").shows("nothing here can be copied")
	if c.r.clip != "" || d.decisions[0].Reason != "y is typed here" {
		t.Error("something was copied that nobody asked for")
	}
}

// Whatever stands in the data, what is copied obeys nothing and ends no line of a shell: a clipboard is pasted somewhere.
func TestCopiesAreHarmless(t *testing.T) {
	t.Parallel()
	c := start(t, hostileDesk(t).deps(), 120, 36, func(o *Options) { o.Config = "a';\n\x1b[2Jrm -rf '" })
	seen := 0
	look := func() {
		items := c.r.top().(copier).copies()
		for _, item := range items {
			seen++
			if err := hostile.Check([]byte(strings.ReplaceAll(item.text, "\n", ""))); err != nil {
				t.Errorf("%s: %v", item.name, err)
			}
			if strings.Contains(item.text, "\n") && item.key != "e" && item.key != "r" {
				t.Errorf("%s holds a line feed: %q", item.name, item.text)
			}
		}
	}
	for range 40 {
		look()
		c.press("enter")
		look()
		c.press("esc", "j")
	}
	c.press("2")
	for range 20 {
		look()
		c.press("j")
	}
	if seen < 300 {
		t.Errorf("%d texts only were looked at", seen)
	}
}

func TestQuoted(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"@clean": "@clean", "a/b-c.yaml": "a/b-c.yaml", "": "''", "a b": "'a b'", "a'b": `'a'\''b'`, "$(x)": "'$(x)'", "a\nb": "'a\nb'"} {
		if got := quoted(in); got != want {
			t.Errorf("%q becomes %s, not %s", in, got, want)
		}
	}
}

// Another program takes the copy where one is named; where it fails the terminal is asked, and it is said so. What is too long is not cut.
func TestCopyElsewhere(t *testing.T) {
	t.Parallel()
	d := &desk{res: fixture(t, "payments-restore")}
	var taken []string
	var fail error
	c := start(t, d.deps(), 120, 36, func(o *Options) {
		o.Copy = func(_ context.Context, s string) (string, error) { taken = append(taken, s); return "a buffer", fail }
	})
	c.press("y", "k").shows("copied the key to a buffer")
	fail = errors.New("no server\x1b[2J")
	c.press("y", "i").shows("the terminal's clipboard", "(no server")
	if got := c.given(); got != d.res.cases[0].CaseID || len(taken) != 2 || taken[0] != "cart-e1c5-1" {
		t.Errorf("%q, and %q was taken", got, taken)
	}
	c.r.copy(copyable{name: "the case", text: strings.Repeat("x", copyLimit+1)})
	c.send(nil)
	c.shows("the case is too long to copy")
	if c.r.clip != "" {
		t.Error("it was copied in part")
	}
}

// The terminal is given to the shell as it was found and taken again; what was shown is written anew, and nothing that was typed is lost.
func TestSuspend(t *testing.T) {
	t.Parallel()
	own, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = own.Close(), tty.Close() })
	out, err := os.Create(filepath.Join(t.TempDir(), "terminal"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = out.Close() })
	term, err := openTerminal(tty, out)
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{res: fixture(t, "payments-restore")}
	c := start(t, d.deps(), 120, 36)
	s := &shell{root: c.r, term: term, ctx: t.Context()}
	written := func() string {
		b, err := os.ReadFile(out.Name())
		if err := errors.Join(err, out.Truncate(0)); err != nil {
			t.Fatal(err)
		}
		_, err = out.Seek(0, 0)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	_, _ = s.Update(nil)
	written()
	_, _ = s.Update(message("ctrl+z"))
	c.shows("there is no shell here")
	lent := ""
	c.r.opt.Suspend = func() error { lent = written(); return nil }
	_, _ = s.Update(message("ctrl+z"))
	if !strings.HasSuffix(lent, leaveScreen) {
		t.Errorf("while it is away the terminal shows %q", lent)
	}
	if back := written(); !strings.HasPrefix(back, enterScreen) || !strings.Contains(back, "cart-e1c5-1") || c.r.away {
		t.Errorf("coming back writes %q", back)
	}
	c.r.opt.Suspend = func() error { lent = written(); return nil }
	for _, keys := range [][]string{{"d", "tab", "down", " ", "tab"}, {"/"}} { // from a text box too, which keeps its text
		for _, k := range append(keys, "x") {
			c.wait(time.Second)
			_, cmd := s.Update(message(k))
			c.give(cmd)
			c.drain()
		}
		lent = ""
		_, _ = s.Update(message("ctrl+z"))
		if lent == "" {
			t.Errorf("%v: it did not go away", keys)
		}
		c.shows("x").press("esc")
	}
	c.r.busy = "a decision is being recorded"
	lent = ""
	_, _ = s.Update(message("ctrl+z"))
	if c.shows("suspend is off: a decision is being recorded"); lent != "" {
		t.Error("it went away while it recorded")
	}
	c.r.busy = ""
	c.r.opt.Suspend = func() error { return errors.New("no") }
	_, _ = s.Update(message("ctrl+z"))
	c.shows("not suspended: no")
	if err := term.close(); err != nil {
		t.Fatal(err)
	}
}
