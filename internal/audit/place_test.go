package audit_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/reconcile"
)

// TestRights: nobody else can read or write what the trail keeps.
func TestRights(t *testing.T) {
	t.Parallel()
	p := place(t)
	trail := open(t, p, newClock())
	decide(t, trail, proposal("case-a"))
	for _, top := range []string{filepath.Dir(p.Path), p.State} {
		err := filepath.WalkDir(top, func(path string, _ os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := os.Stat(path)
			if err != nil {
				return err
			}
			want := os.FileMode(0o600)
			if info.IsDir() {
				want = 0o700
			}
			if got := info.Mode().Perm(); got != want {
				t.Errorf("%s has mode %04o", path, got)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestPlacesRefused(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(p audit.Place) error{
		"a folder": func(p audit.Place) error { return os.Mkdir(p.Path, 0o700) },
		"a link":   func(p audit.Place) error { return os.Symlink(os.DevNull, p.Path) },
		"written by others": func(p audit.Place) error {
			return errors.Join(os.WriteFile(p.Path, nil, 0o600), os.Chmod(p.Path, 0o666))
		},
		"a folder for all": func(p audit.Place) error { return os.Chmod(filepath.Dir(p.Path), 0o777) },
		"a state for all":  func(p audit.Place) error { return errors.Join(os.Mkdir(p.State, 0o700), os.Chmod(p.State, 0o777)) },
		"a file with two names": func(p audit.Place) error {
			return errors.Join(os.WriteFile(p.Path, nil, 0o600), os.Link(p.Path, filepath.Join(filepath.Dir(p.Path), "other.db")))
		},
		"a locked link": func(p audit.Place) error {
			return os.Symlink("elsewhere", filepath.Join(filepath.Dir(p.Path), "audit.lock"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := place(t)
			if err := os.Mkdir(filepath.Dir(p.Path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := spoil(p); err != nil {
				t.Fatal(err)
			}
			trail, err := audit.Open(t.Context(), p, newClock().env())
			if err == nil {
				_ = trail.Close()
				t.Error("accepted")
			}
		})
	}
}

// TestOddNames: a path is a path, whatever SQLite or its driver would read into it.
func TestOddNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a?mode=memory", "b#c", "d%41", "e;ATTACH 'x' AS y", "f&vfs=none", "g'h\"i", "j k", "l\nm", "ünïcode", "file:n.db", ":memory:", "no extension", "x.lock", `back\slash`} {
		p := audit.Place{Path: filepath.Join(t.TempDir(), name), State: t.TempDir()}
		with(t, p, func(trail *audit.Trail) { decide(t, trail, proposal("case-a")) })
		if info, err := os.Stat(p.Path); err != nil || info.Size() == 0 {
			t.Errorf("%q: %v", name, err)
		}
		with(t, p, func(trail *audit.Trail) { verified(t, trail) })
	}
}

// TestOneFolderTwoNames: a link to the folder is the folder.
func TestOneFolderTwoNames(t *testing.T) {
	t.Parallel()
	p := place(t)
	with(t, p, func(trail *audit.Trail) { decide(t, trail, proposal("case-a")) })
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Dir(p.Path), link); err != nil {
		t.Fatal(err)
	}
	q := p
	q.Path = filepath.Join(link, "audit.db")
	if err := os.Remove(p.Path); err != nil {
		t.Fatal(err)
	}
	troubled(t, q, audit.ErrRolledBack)
}

// TestSelf: the operator is who the process runs as, whatever the environment says.
func TestSelf(t *testing.T) {
	want, err := audit.Self()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("USER", "mallory")
	t.Setenv("LOGNAME", "mallory")
	t.Setenv("HOME", "/home/mallory")
	got, err := audit.Self()
	if err != nil || got != want || got.UID != int64(os.Getuid()) || got.Name == "mallory" || got.Name == "" {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
}

// TestNotes: refusals, reveals and exports are records, and only they are notes.
func TestNotes(t *testing.T) {
	t.Parallel()
	trail := open(t, place(t), newClock())
	events := []audit.Event{
		{Type: audit.EventRefused, Case: "case-a", Decision: reconcile.DecideReplay, Code: "pending", Answer: "Something may still perform it.", Reason: "sure?"},
		{Type: audit.EventRevealed, Case: "case-a", Reason: "params"},
		{Type: audit.EventExported, To: "report.html"},
	}
	for _, e := range events {
		if err := trail.Note(t.Context(), e); err != nil {
			t.Errorf("%s: %v", e.Type, err)
		}
	}
	if err := trail.Note(t.Context(), audit.Event{Type: audit.EventDecided}); err == nil {
		t.Error("a decision was noted")
	}
	i := len(events)
	for e, err := range trail.Log(t.Context(), audit.LogQuery{Reverse: true, Limit: len(events)}) {
		i--
		if w := events[i]; err != nil || e.Type != w.Type || e.Case != w.Case || e.Code != w.Code || e.Answer != w.Answer || e.Reason != w.Reason || e.To != w.To {
			t.Errorf("read %+v, wrote %+v: %v", e, w, err)
		}
	}
	if i != 0 {
		t.Errorf("%d events were not read", i)
	}
	decide(t, trail, proposal("case-a"))
	verified(t, trail)
}
