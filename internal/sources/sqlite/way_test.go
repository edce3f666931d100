package sqlite

import (
	"os"
	"path/filepath"
	"testing"
)

func TestReadsWhatTheWriterSees(t *testing.T) {
	t.Parallel()
	const n = 2000
	wal := []string{"PRAGMA journal_mode=WAL", receipts, fillRows("receipts", n)}
	for _, tc := range []struct {
		name string
		make func(t *testing.T, path string)
		way  Way
	}{
		{"rollback mode", func(t *testing.T, path string) { create(t, path, receipts, fillRows("receipts", n)) }, Copied},
		{"clean WAL mode", func(t *testing.T, path string) { create(t, path, wal...) }, Immutable},
		{"live WAL", func(t *testing.T, path string) { startChild(t, path, wal...) }, Live},
		{"live WAL, checkpointed in part", func(t *testing.T, path string) {
			startChild(t, path, wal[0], receipts, fillRows("receipts", n-1), "PRAGMA wal_checkpoint(FULL)", "INSERT INTO receipts VALUES (99999, 'k', 'p')")
		}, Live},
		{"live WAL, checkpointed whole", func(t *testing.T, path string) {
			startChild(t, path, append(wal, "PRAGMA wal_checkpoint(FULL)")...)
		}, Live},
		{"live WAL, started anew", func(t *testing.T, path string) {
			startChild(t, path, wal[0], receipts, fillRows("receipts", n-1), "PRAGMA wal_checkpoint(RESTART)", "INSERT INTO receipts VALUES (99999, 'k', 'p')")
		}, Live},
		{"live WAL, emptied", func(t *testing.T, path string) {
			startChild(t, path, append(wal, "PRAGMA wal_checkpoint(TRUNCATE)")...)
		}, Immutable},
		{"WAL, writer crashed", func(t *testing.T, path string) { startChild(t, path, wal...).kill() }, Copied},
		{"WAL of an exclusive writer", func(t *testing.T, path string) {
			startChild(t, path, append([]string{"PRAGMA locking_mode=EXCLUSIVE"}, wal...)...)
		}, Copied},
		{"database and -wal copied", func(t *testing.T, path string) {
			from := filepath.Join(t.TempDir(), "from.db")
			startChild(t, from, wal...)
			copyTo(t, from, path)
			copyTo(t, from+"-wal", path+"-wal")
		}, Copied},
		{"database, -wal and an older -shm copied", func(t *testing.T, path string) {
			from := filepath.Join(t.TempDir(), "from.db")
			w := startChild(t, from, wal[0], receipts, fillRows("receipts", n-1))
			copyTo(t, from+"-shm", path+"-shm")
			w.exec("INSERT INTO receipts VALUES (99999, 'k', 'p')")
			copyTo(t, from, path)
			copyTo(t, from+"-wal", path+"-wal")
		}, Copied},
		{"persisted journal", func(t *testing.T, path string) {
			create(t, path, "PRAGMA journal_mode=PERSIST", receipts, fillRows("receipts", n))
			if _, err := os.Stat(path + "-journal"); err != nil {
				t.Fatal(err)
			}
		}, Copied},
		{"UTF-16", func(t *testing.T, path string) {
			create(t, path, "PRAGMA encoding='UTF-16le'", receipts, fillRows("receipts", n))
		}, Copied},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "s.db")
			tc.make(t, path)
			before := listing(t, dir)
			s := open(t, path)
			if s.Way() != tc.way {
				t.Errorf("way %v, want %v; notes %q", s.Way(), tc.way, s.Notes())
			}
			for range 2 {
				if got := count(t, bound(t, s, "receipts", columns("key", "payload")...)); got != n {
					t.Errorf("%d rows, want %d", got, n)
				}
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if after := listing(t, dir); after != before {
				t.Errorf("the source changed:\n%s\nwas\n%s", after, before)
			}
		})
	}
}

// Two tables are one state, whatever is committed between the two scans and however the log is checkpointed.
func TestTablesShareOneSnapshot(t *testing.T) {
	t.Parallel()
	const n = 2000
	effects := "CREATE TABLE effects (id INTEGER PRIMARY KEY, key TEXT, payload TEXT)"
	setup := []string{receipts, effects, fillRows("receipts", n), fillRows("effects", n)}
	more := []string{
		"INSERT INTO receipts SELECT id+10000, key, payload FROM receipts",
		"INSERT INTO effects SELECT id+10000, key, payload FROM effects",
		"DELETE FROM effects WHERE id < 100",
	}
	for name, tc := range map[string]struct {
		mode   string
		before []string
		after  string
		way    Way
		crash  bool
	}{
		"rollback":         {mode: "DELETE", way: Copied},
		"live":             {mode: "WAL", way: Live, after: "PRAGMA wal_checkpoint(PASSIVE)"},
		"live, backfilled": {mode: "WAL", way: Live, before: []string{"PRAGMA wal_checkpoint(FULL)"}, after: "PRAGMA wal_checkpoint(TRUNCATE)"},
		"revived":          {mode: "WAL", way: Copied, after: "PRAGMA wal_checkpoint(TRUNCATE)", crash: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "s.db")
			w := startChild(t, path, append(append([]string{"PRAGMA journal_mode=" + tc.mode}, setup...), tc.before...)...)
			if tc.crash {
				w.kill()
			}
			s := open(t, path)
			if s.Way() != tc.way {
				t.Errorf("way %v, want %v; notes %q", s.Way(), tc.way, s.Notes())
			}
			first := bound(t, s, "effects", columns("key")...)
			if tc.crash {
				w = startChild(t, path)
			}
			w.exec(more...)
			if tc.after != "" {
				w.try(tc.after) // may be busy, because we read
			}
			if got := count(t, first); got != n {
				t.Errorf("first table: %d rows, want %d", got, n)
			}
			w.exec("INSERT INTO receipts SELECT id+50000, key, payload FROM receipts")
			if got := count(t, bound(t, s, "receipts", columns("key")...)); got != n {
				t.Errorf("second table: %d rows, want %d", got, n)
			}
			if got := count(t, first); got != n {
				t.Errorf("first table again: %d rows, want %d", got, n)
			}
		})
	}
}
