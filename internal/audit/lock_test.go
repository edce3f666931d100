package audit_test

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"example.com/idemctl/internal/audit"
)

const (
	trappers = 3 // processes that drop their own locks while they append
	trapped  = 5 // decisions of each; 40 were tried
)

// TestLockTraps: several processes append, each opening and closing the trail's files under its own feet, while a sqlite3 shell opens and closes the database
// all the time, as a curious person would. Nothing that was acknowledged is lost.
func TestLockTraps(t *testing.T) {
	t.Parallel()
	p := place(t)
	with(t, p, func(*audit.Trail) {})
	over, stop := context.WithCancel(t.Context())
	shell := exec.CommandContext(over, "sh", "-c", `while :; do sqlite3 "$0" 'SELECT count(*) FROM entry' >/dev/null; done`, p.Path)
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	var cmds []*exec.Cmd
	for i := range trappers {
		cmd := childOf(t.Context(), p, "trap", fmt.Sprint("trap", i), trapped**long)
		cmd.Stdout = &bytes.Buffer{}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmds = append(cmds, cmd)
	}
	var all []said
	for _, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
		for line := range strings.Lines(cmd.Stdout.(*bytes.Buffer).String()) {
			all = append(all, parseSaid(line))
		}
	}
	stop()
	_ = shell.Wait() // it was stopped
	trail := open(t, p, newClock())
	if err := trail.Trouble(); err != nil {
		t.Fatal(err)
	}
	done, doubt := 0, 0
	for _, s := range all {
		switch s.what {
		case sayDone:
			done++
			recorded(t, trail, s, true)
		case sayReady:
		case sayNot: // SQLite noticed that its index was cut away under it
			t.Logf("%v", s)
		case sayDoubt:
			doubt++
		default:
			t.Errorf("%v", s)
		}
	}
	if r := verified(t, trail); done == 0 || r.Decisions < done || r.Decisions > done+doubt {
		t.Errorf("%d acknowledged, %d in doubt, %d recorded", done, doubt, r.Decisions)
	}
}
