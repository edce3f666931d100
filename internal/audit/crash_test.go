package audit_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/idemctl/internal/audit"
)

// long makes the trials as many times larger; make trials gives it.
var long = flag.Int("long", 1, "how many times as much the trials do")

// What a plain run does. The trials were also run with -long, without the race detector: see make trials.
const (
	kills     = 20                     // 100 were tried
	killers   = 2                      // trails that are killed at the same time
	longest   = 300 * time.Millisecond // until a child that is ready dies
	writers   = 8                      // processes that decide the same cases
	contended = 20                     // cases that they decide; 2,000 were tried
	everyCall = 8                      // one call of so many is made to fail; all were tried
)

// TestKill: whatever was acknowledged before a kill -9 stands, and the trail is whole.
func TestKill(t *testing.T) {
	t.Parallel()
	for k := range killers {
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			t.Parallel()
			p := place(t)
			acked := 0
			for i := range kills / killers * *long {
				said := kill(t, p, fmt.Sprintf("kill%d", i), rand.N(longest))
				trail := open(t, p, newClock())
				if err := trail.Trouble(); err != nil {
					t.Fatal(err)
				}
				for _, s := range said[1:] {
					if s.what != sayDone {
						t.Errorf("%s: %s %s", s.what, s.id, s.name)
						continue
					}
					acked++
					recorded(t, trail, s, true)
				}
				verified(t, trail)
				if err := trail.Close(); err != nil {
					t.Fatal(err)
				}
			}
			if acked == 0 {
				t.Error("no decision was acknowledged: the trial proves nothing")
			}
		})
	}
}

// TestContend: of all the processes that decide a case at the same time, exactly one does.
func TestContend(t *testing.T) {
	t.Parallel()
	p, n := place(t), contended**long
	var cmds []*exec.Cmd
	for range writers {
		cmd := childOf(t.Context(), p, "contend", "", n)
		cmd.Stdout = &bytes.Buffer{}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmds = append(cmds, cmd)
	}
	trail := open(t, p, newClock())
	done, live := map[string]int{}, 0
	for _, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(cmd.Stdout.(*bytes.Buffer).String()) {
			s := parseSaid(line)
			switch s.what {
			case sayReady:
			case sayDone:
				done[s.name]++
				recorded(t, trail, s, true)
			case sayLive:
				live++
			default:
				t.Errorf("%s %s %s", s.what, s.id, s.name)
			}
		}
	}
	for name, times := range done {
		if times != 1 {
			t.Errorf("%s was decided %d times", name, times)
		}
	}
	if r := verified(t, trail); len(done) != n || r.Decisions != n || live != n*(writers-1) {
		t.Errorf("%d cases: %d decided, %d refused, %d recorded", n, len(done), live, r.Decisions)
	}
}

// faults are the calls that are made to fail, one at a time, while one decision is appended, and how often each is called at most.
var faults = []struct {
	call, with string
	from, to   int // the first calls of a kind are the loader's
}{
	{"fsync", "error=EIO", 1, 12},
	{"pwrite64", "error=ENOSPC", 1, 60},
	{"pwrite64", "error=EIO", 1, 60},
	{"write", "error=ENOSPC", 1, 3},
	{"ftruncate", "error=EIO", 1, 3},
	{"rename,renameat,renameat2", "error=EIO", 1, 2},
	{"pread64", "error=EIO", 20, 60},
}

// TestFaults makes each call of the system fail in turn. The answer is done, not done or in doubt; the first two are true, and the third resolves.
func TestFaults(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("strace"); err != nil {
		t.Fatal("strace is missing: ./test installs it")
	}
	for _, f := range faults {
		t.Run(f.call+" "+f.with, func(t *testing.T) {
			t.Parallel()
			answers := map[string]int{}
			for n := f.from; n <= f.to; n += max(1, everyCall / *long) {
				answers[faulty(t, f.call, fmt.Sprintf("%s:when=%d", f.with, n))]++
			}
			t.Log(answers)
		})
	}
}

// TestDiskFull: from some write on every one fails. Nothing acknowledged is lost, and the trail goes on once there is room again.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	for _, n := range []int{8, 33} {
		faulty(t, "pwrite64,write", fmt.Sprintf("error=ENOSPC:when=%d+", n+20))
	}
}

// TestDoubt: from some sync on none succeeds any more, so nobody may be able to say what became of the commit. It is said so, and not tried again.
func TestDoubt(t *testing.T) {
	t.Parallel()
	answers := map[string]int{}
	for n := 1; n <= 3; n++ {
		answers[faulty(t, "fsync,fdatasync", fmt.Sprintf("error=EIO:when=%d+", n))]++
	}
	if answers[sayDoubt] == 0 {
		t.Errorf("never in doubt: %v", answers)
	}
}

// faulty appends one decision under a fault, and returns the child's answer to it.
func faulty(t *testing.T, call, inject string) string {
	t.Helper()
	p := place(t)
	trail := open(t, p, newClock())
	before := decide(t, trail, proposal("before"))[0]
	if err := trail.Close(); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(filepath.Dir(p.Path), "strace")
	said := run(t, childOf(t.Context(), p, "append", "fault", 1, "strace", "-f", "-qq", "-o", log, "-e", "trace="+call, "-e", "inject="+call+":"+inject))
	trail, err := audit.Open(t.Context(), p, newClock().env())
	if err != nil {
		t.Fatalf("%s %s: %v", call, inject, err)
	}
	defer func() { _ = trail.Close() }()
	if err := trail.Trouble(); err != nil {
		t.Errorf("%s %s: %v: %v", call, inject, err, said)
	}
	if _, err := trail.Decision(t.Context(), before.ID); err != nil {
		t.Errorf("%s %s: what was acknowledged before: %v", call, inject, err)
	}
	last := said[len(said)-1]
	switch last.what {
	case sayDone, sayUnpinned:
		recorded(t, trail, last, true)
	case sayReady: // its answer was what could not be written
	case sayDoubt: // the next opening tells
		_, err := trail.Decision(t.Context(), last.id)
		if err != nil && !strings.Contains(err.Error(), audit.ErrNotFound.Error()) {
			t.Errorf("%s %s: still in doubt: %v", call, inject, err)
		}
	default:
		for d, err := range trail.Decisions(t.Context(), audit.Query{Cases: []string{"fault-0"}}) {
			t.Errorf("%s %s: the child said %v, and it stands: %s %v", call, inject, last, d.ID, err)
		}
	}
	decide(t, trail, proposal("after"))
	verified(t, trail)
	return last.what
}

// TestReadOnlyDisk: a trail on a disk that cannot be written is read, as long as all of it is in its file; where a -wal stands beside it, it is not read without.
func TestReadOnlyDisk(t *testing.T) {
	t.Parallel()
	p := place(t)
	trail := open(t, p, newClock())
	decide(t, trail, proposal("case-a"))
	frozen := func() said {
		log := filepath.Join(p.State, "strace")
		all := run(t, childOf(t.Context(), p, "read", "", 1, "strace", "-f", "-qq", "-o", log, "-P", p.Path+"-shm", "-e", "trace=open,openat", "-e", "inject=open,openat:error=EROFS"))
		return all[len(all)-1]
	}
	if got := frozen(); got.what != sayNot {
		t.Errorf("with a -wal: %v", got)
	}
	if err := trail.Close(); err != nil {
		t.Fatal(err)
	}
	if got := frozen(); got.what != sayReady || got.id != "1" {
		t.Errorf("got %v", got)
	}
}
