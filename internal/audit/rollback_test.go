package audit_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/idemctl/internal/audit"
)

const (
	copies  = 50 // older files that are put back
	opens   = 10 // without a false alarm; 1,000 were tried
	appends = 10 // after each, without a false alarm
)

// slurp reads the file of a trail that nobody has open.
func slurp(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// put writes the file of a trail that nobody has open, and removes what an earlier one left beside it.
func put(t *testing.T, path string, b []byte) {
	t.Helper()
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// with opens a trail for a moment.
func with(t *testing.T, p audit.Place, do func(*audit.Trail)) {
	t.Helper()
	trail, err := audit.Open(t.Context(), p, newClock().env())
	if err != nil {
		t.Fatal(err)
	}
	do(trail)
	if err := trail.Close(); err != nil {
		t.Fatal(err)
	}
}

// troubled requires a trail that says why it takes no records, takes none, and can still be read.
func troubled(t *testing.T, p audit.Place, kind error) {
	t.Helper()
	for name, open := range map[string]func() (*audit.Trail, error){
		"open":         func() (*audit.Trail, error) { return audit.Open(t.Context(), p, newClock().env()) },
		"open reading": func() (*audit.Trail, error) { return audit.OpenReading(t.Context(), p, newClock().env()) },
	} {
		trail, err := open()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var trouble *audit.Trouble
		if err := trail.Trouble(); !errors.Is(err, kind) || !errors.As(err, &trouble) || trouble.Hint() == "" {
			t.Errorf("%s: trouble %v, want %v", name, err, kind)
		}
		if _, err := trail.Decide(t.Context(), proposal("too-late")); !errors.Is(err, kind) {
			t.Errorf("%s: an append: %v", name, err)
		}
		r, err := trail.Verify(t.Context(), nil)
		if err != nil || r.OK() {
			t.Errorf("%s: verify found nothing: %v", name, err)
		}
		if err := trail.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestOlderCopy(t *testing.T) {
	t.Parallel()
	p := place(t)
	var older [][]byte
	for i := range copies {
		with(t, p, func(trail *audit.Trail) { decide(t, trail, proposal(fmt.Sprint("case-", i))) })
		older = append(older, slurp(t, p.Path))
	}
	pinned := "remembered: 52 records"
	with(t, p, func(trail *audit.Trail) { decide(t, trail, proposal("newest")) })
	newest := slurp(t, p.Path)
	for i, b := range older {
		put(t, p.Path, b)
		if i%10 == 0 {
			troubled(t, p, audit.ErrRolledBack)
			continue
		}
		with(t, p, func(trail *audit.Trail) {
			want := fmt.Sprintf("found: %d records", i+2)
			if err := trail.Trouble(); !errors.Is(err, audit.ErrRolledBack) || !strings.Contains(err.Error(), pinned) || !strings.Contains(err.Error(), want) {
				t.Errorf("copy %d: %v", i, err)
			}
		})
	}
	put(t, p.Path, newest)
	with(t, p, func(trail *audit.Trail) {
		if err := trail.Trouble(); err != nil {
			t.Errorf("the newest file is in its place again: %v", err)
		}
		verified(t, trail)
	})
}

// TestExchangedWhileOpen: the file is replaced under a process that has it open.
func TestExchangedWhileOpen(t *testing.T) {
	t.Parallel()
	p := place(t)
	with(t, p, func(trail *audit.Trail) { decide(t, trail, proposal("case-a")) })
	old := slurp(t, p.Path)
	with(t, p, func(trail *audit.Trail) { decide(t, trail, proposal("case-b")) })
	trail := open(t, p, newClock())
	if err := os.Rename(p.Path, p.Path+".away"); err != nil {
		t.Fatal(err)
	}
	put(t, p.Path, old)
	if _, err := trail.Decide(t.Context(), proposal("case-c")); err == nil {
		t.Error("acknowledged into a file that is no longer there")
	}
}

// TestFork: somebody without our memory continues an older copy, until it is longer than ours.
func TestFork(t *testing.T) {
	t.Parallel()
	p := place(t)
	with(t, p, func(trail *audit.Trail) { decide(t, trail, proposal("case-a")) })
	old := slurp(t, p.Path)
	with(t, p, func(trail *audit.Trail) { decide(t, trail, proposal("case-b")) })
	elsewhere := audit.Place{Path: filepath.Join(t.TempDir(), "audit.db"), State: t.TempDir(), Keys: filepath.Join(p.State, "keys")}
	put(t, elsewhere.Path, old)
	with(t, elsewhere, func(trail *audit.Trail) {
		for i := range 5 {
			decide(t, trail, proposal(fmt.Sprint("other-", i)))
		}
		verified(t, trail)
	})
	put(t, p.Path, slurp(t, elsewhere.Path))
	troubled(t, p, audit.ErrForked)
}

func TestMissingFile(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(path string) error{
		"gone":  os.Remove,
		"empty": func(path string) error { return os.Truncate(path, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := place(t)
			with(t, p, func(trail *audit.Trail) { decide(t, trail, proposal("case-a")) })
			if err := spoil(p.Path); err != nil {
				t.Fatal(err)
			}
			troubled(t, p, audit.ErrRolledBack)
		})
	}
}

// TestWalLeft: the database was removed, what it had not taken over yet was not.
func TestWalLeft(t *testing.T) {
	t.Parallel()
	p := place(t)
	if err := os.MkdirAll(filepath.Dir(p.Path), 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, p.Path+"-wal", []byte("pages"))
	trail, err := audit.Open(t.Context(), p, newClock().env())
	if err != nil {
		t.Fatal(err)
	}
	if err := trail.Trouble(); !errors.Is(err, audit.ErrRolledBack) {
		t.Errorf("trouble %v", err)
	}
}

func TestForeign(t *testing.T) {
	t.Parallel()
	p, q := place(t), place(t)
	q.State = p.State
	for _, at := range []audit.Place{p, q} {
		with(t, at, func(trail *audit.Trail) { decide(t, trail, proposal("case-a")) })
	}
	put(t, p.Path, slurp(t, q.Path))
	troubled(t, p, audit.ErrForeign)
}

func TestOtherKey(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(file string) error{
		"gone":     os.Remove,
		"replaced": func(file string) error { return copyKey(t, file) },
		"broken":   func(file string) error { return os.WriteFile(file, []byte("key"), 0o600) },
		"open":     func(file string) error { return os.Chmod(file, 0o666) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := place(t)
			with(t, p, func(trail *audit.Trail) { decide(t, trail, proposal("case-a")) })
			if err := spoil(filepath.Join(p.State, "keys", "checkpoint.key")); err != nil {
				t.Fatal(err)
			}
			trail := open(t, p, newClock())
			if err := trail.Trouble(); !errors.Is(err, audit.ErrKey) {
				t.Errorf("trouble %v", err)
			}
			if _, err := trail.Decide(t.Context(), proposal("case-b")); !errors.Is(err, audit.ErrKey) {
				t.Errorf("an append: %v", err)
			}
		})
	}
}

func copyKey(t *testing.T, file string) error {
	other := place(t)
	with(t, other, func(*audit.Trail) {})
	return os.WriteFile(file, slurp(t, filepath.Join(other.State, "keys", "checkpoint.key")), 0o600)
}

// TestMemory spoils what this machine remembers.
func TestMemory(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(t *testing.T, pin, journal string) error{
		"pin gone":    func(_ *testing.T, pin, _ string) error { return os.Remove(pin) },
		"pin cut":     func(t *testing.T, pin, _ string) error { return os.Truncate(pin, int64(len(slurp(t, pin))/2)) },
		"pin emptied": func(_ *testing.T, pin, _ string) error { return os.Truncate(pin, 0) },
		"pin forged":  forge,
		"pin a link": func(_ *testing.T, pin, _ string) error {
			return errors.Join(os.Rename(pin, pin+".x"), os.Symlink(pin+".x", pin))
		},
		"pin for all":  func(_ *testing.T, pin, _ string) error { return os.Chmod(pin, 0o666) },
		"journal gone": func(_ *testing.T, _, journal string) error { return os.Remove(journal) },
		"journal shorter": func(t *testing.T, _, journal string) error {
			return os.Truncate(journal, int64(len(slurp(t, journal))-1))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := place(t)
			with(t, p, func(trail *audit.Trail) { decide(t, trail, proposal("case-a")) })
			pins, err := filepath.Glob(filepath.Join(p.State, "*", "pin"))
			if err != nil || len(pins) != 1 {
				t.Fatal(pins, err)
			}
			if err := spoil(t, pins[0], filepath.Join(filepath.Dir(pins[0]), "journal")); err != nil {
				t.Fatal(err)
			}
			troubled(t, p, audit.ErrDamaged)
		})
	}
}

// forge takes the newest checkpoint out of the pin, so that an older file would do.
func forge(t *testing.T, pin, _ string) error {
	line := strings.Split(string(slurp(t, pin)), "\n")
	line[3] = strings.Replace(line[3], "checkpoint aWRl", "checkpoint aWRm", 1)
	return os.WriteFile(pin, []byte(strings.Join(line, "\n")), 0o600)
}

// TestJournalChanged: the bytes that the machine kept differ from the file's.
func TestJournalChanged(t *testing.T) {
	t.Parallel()
	p := place(t)
	with(t, p, func(trail *audit.Trail) { decide(t, trail, proposal("case-a")) })
	journals, err := filepath.Glob(filepath.Join(p.State, "*", "journal"))
	if err != nil || len(journals) != 1 {
		t.Fatal(journals, err)
	}
	b := slurp(t, journals[0])
	b[len(b)/2] ^= 1
	put(t, journals[0], b)
	with(t, p, func(trail *audit.Trail) {
		r, err := trail.Verify(t.Context(), nil)
		if err != nil || r.OK() {
			t.Errorf("nothing found: %v", err)
		}
	})
}

// TestAdopt: a machine that remembers nothing takes a whole trail as it is, and records that it did.
func TestAdopt(t *testing.T) {
	t.Parallel()
	p := place(t)
	with(t, p, func(trail *audit.Trail) { decide(t, trail, proposal("case-a")) })
	moved := audit.Place{Path: filepath.Join(t.TempDir(), "audit.db"), State: t.TempDir(), Keys: filepath.Join(p.State, "keys")}
	put(t, moved.Path, slurp(t, p.Path))
	with(t, moved, func(trail *audit.Trail) {
		decide(t, trail, proposal("case-b"))
		e, err := trail.Entry(t.Context(), 2)
		if err != nil || e.Type != audit.EventAdopted {
			t.Errorf("record 2 is %v, %v", e.Type, err)
		}
		verified(t, trail)
	})
	with(t, moved, func(trail *audit.Trail) {
		decide(t, trail, proposal("case-c"))
		if r := verified(t, trail); r.Records != 5 {
			t.Errorf("%d records", r.Records)
		}
	})
}

func TestNoFalseAlarm(t *testing.T) {
	t.Parallel()
	p := place(t)
	for i := range opens * *long {
		with(t, p, func(trail *audit.Trail) {
			for k := range appends {
				decide(t, trail, proposal(fmt.Sprint("case-", i, "-", k)))
			}
			if err := trail.Trouble(); err != nil {
				t.Error(err)
			}
		})
	}
	with(t, p, func(trail *audit.Trail) { verified(t, trail) })
}

// TestHandOutAfterAdoption: a machine that remembers nothing cannot tell an older copy of the trail from the newest, so what was decided before it took the
// trail over may be with a worker already. It is decided again, once.
func TestHandOutAfterAdoption(t *testing.T) {
	t.Parallel()
	c, p := newClock(), place(t)
	n := newNight(c)
	desk := func() *audit.Desk { return &audit.Desk{Trail: open(t, p, c), Now: c.now, Read: n.read} }
	codes := func(d *audit.Desk) (out []string) {
		handed, err := d.HandOut(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i := range handed {
			out = append(out, handed[i].Code)
		}
		return out
	}
	d := desk()
	was := decideAt(t, d, replay("K1"))[0].Decision
	if err := d.Trail.Close(); err != nil {
		t.Fatal(err)
	}
	moved := audit.Place{Path: filepath.Join(t.TempDir(), "audit.db"), State: t.TempDir(), Keys: filepath.Join(p.State, "keys")}
	put(t, moved.Path, slurp(t, p.Path))
	p = moved
	d = desk()
	for range 2 { // the second time this machine remembers the trail, and yet not what came before
		if got := codes(d); !slices.Equal(got, []string{audit.CodeTaken}) {
			t.Fatalf("handed out after the trail was taken over: %q", got)
		}
	}
	if _, err := d.Trail.Withdraw(t.Context(), was.ID, "nobody sent it"); err != nil {
		t.Fatal(err)
	}
	c.forward(10 * time.Minute)
	if got := told(decideAt(t, d, replay("K1"))); got != "recorded replay" {
		t.Fatalf("decided again: %s", got)
	}
	if got := codes(d); !slices.Equal(got, []string{""}) {
		t.Errorf("handed out once decided again: %q", got)
	}
}
