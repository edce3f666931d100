package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"example.com/idemctl/internal/sources/rows"
)

func TestReadsWhatTheWriterSees(t *testing.T) {
	t.Parallel()
	const n = 2000
	for _, tc := range []struct {
		name string
		make func(t *testing.T, path string)
		way  Way
	}{
		{"rollback mode", func(t *testing.T, path string) { create(t, path, receipts, fillRows("receipts", n)) }, Copied},
		{"clean WAL mode", func(t *testing.T, path string) {
			create(t, path, "PRAGMA journal_mode=WAL", receipts, fillRows("receipts", n))
		}, Immutable},
		{"live WAL", func(t *testing.T, path string) {
			run(t, writer(t, path), "PRAGMA journal_mode=WAL", receipts, fillRows("receipts", n))
		}, Live},
		{"live WAL, checkpointed in part", func(t *testing.T, path string) {
			db := writer(t, path)
			run(t, db, "PRAGMA journal_mode=WAL", receipts, fillRows("receipts", n-1), "PRAGMA wal_checkpoint(FULL)", "INSERT INTO receipts VALUES (99999, 'k', 'p')")
		}, Live},
		{"live WAL, checkpointed whole", func(t *testing.T, path string) {
			run(t, writer(t, path), "PRAGMA journal_mode=WAL", receipts, fillRows("receipts", n), "PRAGMA wal_checkpoint(FULL)")
		}, Live},
		{"live WAL, emptied", func(t *testing.T, path string) {
			run(t, writer(t, path), "PRAGMA journal_mode=WAL", receipts, fillRows("receipts", n), "PRAGMA wal_checkpoint(TRUNCATE)")
		}, Immutable},
		{"database and -wal copied", func(t *testing.T, path string) {
			from := filepath.Join(t.TempDir(), "from.db")
			run(t, writer(t, from), "PRAGMA journal_mode=WAL", receipts, fillRows("receipts", n))
			copyTo(t, from, path)
			copyTo(t, from+"-wal", path+"-wal")
		}, Copied},
		{"database, -wal and -shm copied", func(t *testing.T, path string) {
			from := filepath.Join(t.TempDir(), "from.db")
			run(t, writer(t, from), "PRAGMA journal_mode=WAL", receipts, fillRows("receipts", n))
			for _, suffix := range []string{"", "-wal", "-shm"} {
				copyTo(t, from+suffix, path+suffix)
			}
		}, Copied},
		{"persisted journal", func(t *testing.T, path string) {
			create(t, path, "PRAGMA journal_mode=PERSIST", receipts, fillRows("receipts", n))
			if _, err := os.Stat(path + "-journal"); err != nil {
				t.Fatal(err)
			}
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
			if got := count(t, bound(t, s, "receipts", columns("key", "payload")...)); got != n {
				t.Errorf("%d rows, want %d", got, n)
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

var (
	_ = errors.Is
	_ = rows.ErrHot
)
