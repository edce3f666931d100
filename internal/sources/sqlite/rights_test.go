package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"example.com/idemctl/internal/sources/rows"
)

// readerPath names the database that a re-run of this test binary reads as somebody with fewer rights.
const readerPath = "SQLITE_TEST_READER"

// readAs opens the store, counts and prints what came of it.
func readAs(path string) {
	s, err := OpenStore(context.Background(), path, "")
	if err != nil {
		answer("error", errors.Is(err, fs.ErrPermission), rows.HintOf(err) != "")
		return
	}
	if warned(s) {
		answer("warned of a right that it has not")
	}
	tab, err := s.Table("receipts")
	if err == nil {
		err = tab.Bind(columns("key"))
	}
	n := 0
	if err == nil {
		_, err = tab.Scan(context.Background(), func(rows.Pos, []rows.Cell) error { n++; return nil }, nil)
	}
	answer(s.Way(), n, errors.Join(err, s.Close()))
}

// warned reports whether the store's notes say that its reader may write to it.
func warned(s *Store) bool { return strings.Contains(strings.Join(s.Notes(), "\n"), "may write") }

func TestReaderWhoMayWriteIsWarned(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.db")
	create(t, path, receipts)
	s := open(t, path)
	if !warned(s) {
		t.Errorf("notes %q", s.Notes())
	}
	must(t, s.Close())
}

func answer(parts ...any) {
	if _, err := fmt.Fprintln(os.Stdout, parts...); err != nil {
		panic(err)
	}
}

// A reader who may not write, or may not read all of it, gets the right rows or a clear refusal, never old rows.
func TestReaderWithFewerRights(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		mode map[string]fs.FileMode
		dir  fs.FileMode
		wal  bool
		want string
	}{
		{"live, all readable", map[string]fs.FileMode{"": 0o444, "-wal": 0o444, "-shm": 0o444}, 0o555, true, "live 700 <nil>"},
		{"live, -shm unreadable", map[string]fs.FileMode{"": 0o444, "-wal": 0o444, "-shm": 0}, 0o555, true, "copied 700 <nil>"},
		{"live, -wal unreadable", map[string]fs.FileMode{"": 0o444, "-wal": 0, "-shm": 0o444}, 0o555, true, "error true true"},
		{"live, database unreadable", map[string]fs.FileMode{"": 0, "-wal": 0o444, "-shm": 0o444}, 0o555, true, "error true true"},
		{"clean, folder not writable", map[string]fs.FileMode{"": 0o444}, 0o555, false, "immutable 700 <nil>"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			base := t.TempDir()
			must(t, os.Chmod(filepath.Dir(base), 0o755))
			must(t, os.Chmod(base, 0o755))
			binary, dir := filepath.Join(base, "reader"), filepath.Join(base, "data")
			copyTo(t, os.Args[0], binary)
			must(t, os.Chmod(binary, 0o755))
			must(t, os.Mkdir(dir, 0o755))
			path := filepath.Join(dir, "s.db")
			setup := []string{"PRAGMA journal_mode=WAL", receipts, fillRows("receipts", 700)}
			if tc.wal {
				startChild(t, path, setup...)
			} else {
				create(t, path, setup...)
			}
			for suffix, mode := range tc.mode {
				must(t, os.Chmod(path+suffix, mode))
			}
			must(t, os.Chmod(dir, tc.dir))
			t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })

			cmd := exec.Command(binary, "-test.run=^$")
			cmd.Env = append(os.Environ(), readerPath+"="+path, "TMPDIR=/tmp")
			if os.Getuid() == 0 { // rights do not bind root
				cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
			}
			out, err := cmd.CombinedOutput()
			if err != nil || strings.TrimSpace(string(out)) != tc.want {
				t.Errorf("%s (%v), want %s", out, err, tc.want)
			}
		})
	}
}
