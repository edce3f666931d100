package audit_test

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/idemctl/internal/audit"
)

// The trials of this package need processes that are killed, starved and misled: the test binary starts itself anew as one of these children.
const (
	childVar   = "IDEMCTL_AUDIT_CHILD" // what the child does
	childPath  = "IDEMCTL_AUDIT_PATH"
	childState = "IDEMCTL_AUDIT_STATE"
	childName  = "IDEMCTL_AUDIT_NAME"  // begins the ids of its cases
	childCount = "IDEMCTL_AUDIT_COUNT" // how many decisions it makes
)

func TestMain(m *testing.M) {
	if what := os.Getenv(childVar); what != "" {
		child(what)
		return
	}
	if flag.Parse(); *long == 1 {
		_ = flag.Set("rapid.checks", "10") // every check writes to a disk
	}
	m.Run()
}

// The lines that a child writes: ready, then one a decision.
const (
	sayReady    = "ready"
	sayDone     = "done"     // acknowledged
	sayUnpinned = "unpinned" // recorded, but not remembered by the machine
	sayLive     = "live"     // another decision stands
	sayNot      = "not"      // nothing was recorded
	sayDoubt    = "doubt"    // nobody knows; the id follows
	sayTrouble  = "trouble"  // the trail takes no records
)

func child(what string) {
	runtime.LockOSThread() // strace counts calls by thread
	say := func(words ...string) { _, _ = io.WriteString(os.Stdout, strings.Join(words, " ")+"\n") }
	n, err := strconv.Atoi(os.Getenv(childCount))
	if err != nil {
		n = 1 << 30
	}
	env := newClock().env()
	env.Now = time.Now
	place := audit.Place{Path: os.Getenv(childPath), State: os.Getenv(childState)}
	if what == "read" {
		readAll(place, env, say)
		return
	}
	trail, err := audit.Open(context.Background(), place, env)
	for errors.Is(err, audit.ErrBusy) { // on a slow machine seven others can keep it for longer than one waits
		trail, err = audit.Open(context.Background(), place, env)
	}
	if err != nil {
		say(sayNot, "-", err.Error())
		return
	}
	defer func() { _ = trail.Close() }()
	if err := trail.Trouble(); err != nil {
		say(sayTrouble, "-", err.Error())
		return
	}
	say(sayReady)
	order := make([]int, n)
	if what == "contend" {
		order = rand.Perm(n)
	}
	for i := range n {
		name := os.Getenv(childName) + "-" + strconv.Itoa(i)
		switch what {
		case "contend":
			name = "case-" + strconv.Itoa(order[i])
		case "trap":
			if i%3 == 1 {
				spring(place)
			}
		}
		decideOne(trail, name, say)
	}
}

// readAll opens a trail for reading and says what it holds.
func readAll(place audit.Place, env audit.Env, say func(...string)) {
	trail, err := audit.OpenReading(context.Background(), place, env)
	if err != nil {
		say(sayNot, "-", err.Error())
		return
	}
	defer func() { _ = trail.Close() }()
	r, err := trail.Verify(context.Background(), nil)
	if err != nil || !r.OK() {
		say(sayTrouble, "-", fmt.Sprint(err, r.Faults))
		return
	}
	say(sayReady, strconv.Itoa(r.Decisions))
}

func decideOne(trail *audit.Trail, name string, say func(...string)) {
	for {
		ds, err := trail.Decide(context.Background(), proposal(name))
		var live *audit.LiveError
		var doubt *audit.DoubtError
		var trouble *audit.Trouble
		switch {
		case err == nil:
			say(sayDone, ds[0].ID, name)
		case errors.Is(err, audit.ErrUnpinned):
			say(sayUnpinned, ds[0].ID, name)
		case errors.As(err, &doubt):
			say(sayDoubt, doubt.IDs[0], name, err.Error())
		case errors.As(err, &live):
			say(sayLive, live.Decision.ID, name)
		case errors.As(err, &trouble):
			say(sayTrouble, "-", err.Error())
		case errors.Is(err, audit.ErrBusy):
			continue
		default:
			say(sayNot, "-", err.Error())
		}
		return
	}
}

// spring opens and closes the trail's files in the very process that writes them, as a careless library would: that drops every POSIX lock of the process.
func spring(p audit.Place) {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if f, err := os.Open(p.Path + suffix); err == nil {
			_ = f.Close()
		}
	}
}

// childOf is a child of this test on a trail; wrap stands before its command, as strace does.
func childOf(ctx context.Context, p audit.Place, what, name string, count int, wrap ...string) *exec.Cmd {
	self, _ := filepath.Abs(os.Args[0])
	args := append(append([]string{}, wrap...), self)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(os.Environ(), childVar+"="+what, childPath+"="+p.Path, childState+"="+p.State, childName+"="+name, "GOMAXPROCS=2")
	if count > 0 {
		cmd.Env = append(cmd.Env, childCount+"="+strconv.Itoa(count))
	}
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// said is one line of a child.
type said struct{ what, id, name string }

func parseSaid(line string) said {
	part := append(strings.SplitN(strings.TrimSpace(line), " ", 3), "", "")
	return said{part[0], part[1], part[2]}
}

// run runs a child to its end and returns what it said.
func run(t *testing.T, cmd *exec.Cmd) []said {
	t.Helper()
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("child: %v\n%s%s", err, out, exit.Stderr)
		}
		t.Fatal(err)
	}
	var all []said
	for line := range strings.Lines(string(out)) {
		all = append(all, parseSaid(line))
	}
	return all
}

// kill runs a child until it is ready, kills it without warning within a time, and returns what it said.
func kill(t *testing.T, p audit.Place, name string, within time.Duration) []said {
	t.Helper()
	cmd := childOf(t.Context(), p, "append", name, 0)
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var all []said
	lines := bufio.NewScanner(pipe)
	for lines.Scan() {
		s := parseSaid(lines.Text())
		all = append(all, s)
		if s.what == sayReady {
			ctx, cancel := context.WithTimeout(t.Context(), within)
			defer cancel()
			context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
		}
	}
	_ = cmd.Wait() // it was killed
	if len(all) == 0 || all[0].what != sayReady {
		t.Fatalf("the child did not begin: %v", all)
	}
	return all
}

// recorded requires that a decision stands, or does not.
func recorded(t *testing.T, trail *audit.Trail, s said, want bool) {
	t.Helper()
	_, err := trail.Decision(t.Context(), s.id)
	if stands := err == nil; stands != want {
		t.Errorf("%s %s %s: %v", s.what, s.id, s.name, err)
	}
}
