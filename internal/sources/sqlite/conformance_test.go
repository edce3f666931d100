package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/sources/sourcetest"
)

// owned closes a table's store with it.
type owned struct {
	rows.Table
	store *Store
}

func (o owned) Close() error { return errors.Join(o.Table.Close(), o.store.Close()) }

func TestConformance(t *testing.T) {
	t.Parallel()
	const plain, keyed = "id INTEGER, key TEXT, body TEXT)", "id INTEGER PRIMARY KEY, key TEXT, body TEXT) WITHOUT ROWID"
	for name, tc := range map[string]struct {
		setup []string
		table string
		whole bool
	}{
		"rollback":      {[]string{"CREATE TABLE t (" + plain}, "t", true},
		"wal":           {[]string{"PRAGMA journal_mode=WAL", "CREATE TABLE t (" + plain}, "t", true},
		"without rowid": {[]string{"CREATE TABLE t (" + keyed}, "t", true},
		"view":          {[]string{"CREATE TABLE t (" + plain, "CREATE INDEX i ON t (key, id, body)", "CREATE VIEW v AS SELECT * FROM t"}, "v", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sourcetest.Run(t, sourcetest.Adapter{
				Write: func(t *testing.T, dir string, rs []sourcetest.Row) {
					t.Helper()
					db := writer(t, filepath.Join(dir, "s.db"))
					run(t, db, tc.setup...)
					insert := "INSERT INTO t (id, key, body) VALUES (?, CAST(? AS TEXT), CAST(? AS TEXT))"
					run(t, db, "BEGIN")
					for _, r := range rs {
						if _, err := db.Exec(insert, r.ID, string(r.Key), string(r.Body)); err != nil {
							t.Fatal(err)
						}
					}
					run(t, db, "COMMIT")
					if err := db.Close(); err != nil {
						t.Fatal(err)
					}
				},
				Open: func(ctx context.Context, dir, temp string) (rows.Table, error) {
					s, err := OpenStore(ctx, filepath.Join(dir, "s.db"), temp)
					if err != nil {
						return nil, err
					}
					table, err := s.Table(tc.table)
					if err != nil {
						return nil, errors.Join(err, s.Close())
					}
					return owned{table, s}, nil
				},
				Cut: func(t *testing.T, dir string) {
					t.Helper()
					path := filepath.Join(dir, "s.db")
					info, err := os.Stat(path)
					if err != nil {
						t.Fatal(err)
					}
					if err := os.Truncate(path, info.Size()-100); err != nil {
						t.Fatal(err)
					}
				},
				Holds:    func([]byte) bool { return true },
				Whole:    tc.whole,
				Columned: true,
			})
		})
	}
}
