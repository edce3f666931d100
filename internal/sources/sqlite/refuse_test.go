package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/idemctl/internal/sources/rows"
)

func TestRefuses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		make func(t *testing.T, path string)
		want error
	}{
		{"nothing there", func(*testing.T, string) {}, rows.ErrMissing},
		{"dangling link", func(t *testing.T, path string) { must(t, os.Symlink(path+"-not-there", path)) }, rows.ErrMissing},
		{"empty", func(t *testing.T, path string) { write(t, path, nil) }, rows.ErrEmpty},
		{"one byte", func(t *testing.T, path string) { write(t, path, []byte{7}) }, rows.ErrEmpty},
		{"text", func(t *testing.T, path string) { write(t, path, []byte(strings.Repeat("key,amount\n", 500))) }, rows.ErrNotADB},
		{"later format", func(t *testing.T, path string) {
			create(t, path, receipts)
			patch(t, path, 18, 3, 3)
		}, rows.ErrNotADB},
		{"pipe", func(t *testing.T, path string) { must(t, syscall.Mkfifo(path, 0o600)) }, rows.ErrUnusable},
		{"link to a pipe", func(t *testing.T, path string) {
			must(t, syscall.Mkfifo(path+".pipe", 0o600))
			must(t, os.Symlink(path+".pipe", path))
		}, rows.ErrUnusable},
		{"directory", func(t *testing.T, path string) { must(t, os.Mkdir(path, 0o700)) }, rows.ErrUnusable},
		{"device", func(t *testing.T, path string) { must(t, os.Symlink("/dev/zero", path)) }, rows.ErrUnusable},
		{"-wal is a directory", func(t *testing.T, path string) {
			create(t, path, receipts)
			must(t, os.Mkdir(path+"-wal", 0o700))
		}, rows.ErrUnusable},
		{"hot journal", func(t *testing.T, path string) {
			w := startChild(t, path, receipts, fillRows("receipts", 20000), "PRAGMA cache_size=5", "BEGIN", "UPDATE receipts SET payload = 'changed'")
			w.kill()
		}, rows.ErrHot},
		{"hot journal of a mode switch", func(t *testing.T, path string) {
			create(t, path, "PRAGMA journal_mode=WAL", receipts)
			write(t, path+"-journal", []byte("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"))
		}, rows.ErrHot},
		{"locked by a writer", func(t *testing.T, path string) {
			startChild(t, path, receipts, fillRows("receipts", 100), "BEGIN EXCLUSIVE")
		}, rows.ErrLocked},
		{"journal not copied", func(t *testing.T, path string) {
			from := filepath.Join(t.TempDir(), "from.db")
			startChild(t, from, receipts, fillRows("receipts", 20000), "PRAGMA cache_size=5", "BEGIN", "DELETE FROM receipts", fillRows("receipts", 30000))
			copyTo(t, from, path)
		}, rows.ErrDamaged},
		{"cut at a page", func(t *testing.T, path string) {
			create(t, path, receipts, fillRows("receipts", 2000))
			must(t, os.Truncate(path, 3*4096))
		}, rows.ErrDamaged},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir, temp := t.TempDir(), t.TempDir()
			path := filepath.Join(dir, "s.db")
			tc.make(t, path)
			var before string
			if !errors.Is(tc.want, rows.ErrUnusable) {
				before = listing(t, dir)
			}
			o := opener{shown: path, tempDir: temp, patience: 50 * time.Millisecond, copyBelow: copyBelow}
			s, err := o.open(t.Context())
			if err == nil {
				t.Fatalf("opened: %v", s.Notes())
			}
			if !errors.Is(err, tc.want) || rows.HintOf(err) == "" && !strings.Contains(tc.name, "-wal") {
				t.Errorf("%v with hint %q, want %v", err, rows.HintOf(err), tc.want)
			}
			if before != "" && listing(t, dir) != before {
				t.Errorf("the source changed:\n%s\nwas\n%s", listing(t, dir), before)
			}
			if left := listing(t, temp); left != "" {
				t.Errorf("left behind: %s", left)
			}
		})
	}
}

func TestWaitsForALockUntilCancelled(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.db")
	w := startChild(t, path, receipts, "BEGIN EXCLUSIVE")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := OpenStore(ctx, path, t.TempDir()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("cancelled while waiting: %v", err)
	}
	w.exec("COMMIT")
	open(t, path)
}

// A name is a name, whatever it would mean in a URI or a statement.
func TestOddNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"a?mode=rwc", "b#c", "d%41", "e;ATTACH 'x' AS y", "f&immutable=1", "g'h\"i", "j k", "l\nm", "\xff\xfe", "ünïcode", "file:n.db", ":memory:", "-o",
	} {
		for _, mode := range []string{"DELETE", "WAL"} {
			dir := t.TempDir()
			path := filepath.Join(dir, name)
			create(t, path, "PRAGMA journal_mode="+mode, receipts, fillRows("receipts", 10))
			link := filepath.Join(t.TempDir(), "link")
			must(t, os.Symlink(path, link))
			before := listing(t, dir)
			for _, p := range []string{path, link} {
				s := open(t, p)
				if n := count(t, bound(t, s, "RECEIPTS", columns("Key")...)); n != 10 {
					t.Errorf("%q: %d rows", p, n)
				}
				must(t, s.Close())
			}
			if after := listing(t, dir); after != before {
				t.Errorf("%q: changed:\n%s\nwas\n%s", path, after, before)
			}
		}
	}
}

func TestLargeWithoutWAL(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "s.db")
	w := startChild(t, path, receipts, fillRows("receipts", 3000))
	o := opener{shown: path, tempDir: t.TempDir(), patience: patience, copyBelow: 0}
	s, err := o.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if s.Way() != Locked {
		t.Errorf("way %v", s.Way())
	}
	a := bound(t, s, "receipts", columns("key")...)
	if answer := w.try("DELETE FROM receipts"); answer == "ok" {
		t.Error("a writer committed under the shared lock")
	}
	b := bound(t, s, "receipts", columns("key")...)
	if m, n := count(t, a), count(t, b); m != 3000 || n != 3000 {
		t.Errorf("%d and %d rows", m, n)
	}
	must(t, s.Close())
	w.exec("DELETE FROM receipts")
}

func TestImmutableNoticesAChange(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.db")
	create(t, path, "PRAGMA journal_mode=WAL", receipts, fillRows("receipts", 3000))
	s, err := OpenStore(t.Context(), path, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tab := bound(t, s, "receipts", columns("key")...)
	startChild(t, path, "INSERT INTO receipts VALUES (99999, 'k', 'p')")
	ext, err := tab.Scan(t.Context(), func(rows.Pos, []rows.Cell) error { return nil }, nil)
	if !errors.Is(err, rows.ErrChanged) || ext.Complete || ext.Reason == "" {
		t.Errorf("extent %+v, error %v", ext, err)
	}
	if err := tab.Fetch(t.Context(), []rows.Pos{1}, func(rows.Pos, string, []rows.Cell, []rows.Named) error { return nil }); !errors.Is(err, rows.ErrChanged) {
		t.Errorf("fetch: %v", err)
	}
	must(t, s.Close())
}

func TestPrivateCopyGoesAway(t *testing.T) {
	t.Parallel()
	temp := t.TempDir()
	path := filepath.Join(t.TempDir(), "s.db")
	create(t, path, receipts, fillRows("receipts", 3000))
	s, err := OpenStore(t.Context(), path, temp)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(s.private)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("private folder: %v, %v", info.Mode(), err)
	}
	tab := bound(t, s, "receipts", columns("key")...)
	must(t, s.Detach())
	if left, err := os.ReadDir(temp); err != nil || len(left) != 0 {
		t.Errorf("after Detach: %v, %v", left, err)
	}
	if n := count(t, tab); n != 3000 {
		t.Errorf("%d rows", n)
	}
	if _, err := s.Table("receipts"); err == nil {
		t.Error("a table was opened after Detach")
	}
	must(t, s.Close())
}

// Copying does not starve under a writer that commits between any two steps.
func TestCopiesUnderWrites(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.db")
	w := startChild(t, path, "CREATE TABLE n (v)", "INSERT INTO n VALUES (0)", receipts, fillRows("receipts", 60000))
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				w.try("UPDATE n SET v = v + 1")
			}
		}
	}()
	s, err := OpenStore(t.Context(), path, t.TempDir())
	close(stop)
	<-stopped
	if err != nil {
		t.Fatal(err)
	}
	if n := count(t, bound(t, s, "receipts", columns("key")...)); n != 60000 {
		t.Errorf("%d rows", n)
	}
	must(t, s.Close())
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t testing.TB, path string, text []byte) {
	t.Helper()
	must(t, os.WriteFile(path, text, 0o600))
}

// patch overwrites bytes of a file.
func patch(t testing.TB, path string, at int64, b ...byte) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteAt(b, at)
	must(t, errors.Join(err, f.Close()))
}
