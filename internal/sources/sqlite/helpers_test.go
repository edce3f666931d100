package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/idemctl/internal/sources/rows"
	_ "modernc.org/sqlite" // makes the databases that are read here
)

// create makes a database through the driver and leaves it as a finished writer does.
func create(t testing.TB, path string, statements ...string) {
	t.Helper()
	db := writer(t, path)
	run(t, db, statements...)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// writer is one writing connection, closed when the test ends.
func writer(t testing.TB, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", fileURI(path, "mode=rwc"))
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func run(t testing.TB, db *sql.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// fillRows is a statement that puts n rows (id, key, payload) into a table.
func fillRows(table string, n int) string {
	return fmt.Sprintf("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < %d) INSERT INTO %s SELECT i, 'key-'||i, hex(randomblob(20)) FROM n", n, table)
}

const receipts = "CREATE TABLE receipts (id INTEGER PRIMARY KEY, key TEXT, payload TEXT)"

func open(t testing.TB, path string) *Store {
	t.Helper()
	s, err := OpenStore(t.Context(), path, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func bound(t testing.TB, s *Store, name string, paths ...rows.Path) rows.Table {
	t.Helper()
	tab, err := s.Table(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := tab.Bind(paths); err != nil {
		t.Fatal(err)
	}
	return tab
}

func columns(names ...string) (paths []rows.Path) {
	for _, n := range names {
		paths = append(paths, rows.Path{Column: n})
	}
	return paths
}

// shown is a row as a test compares it.
func shown(pos rows.Pos, cells []rows.Cell) string {
	parts := []string{fmt.Sprint(int64(pos))}
	for _, c := range cells {
		parts = append(parts, showCell(c))
	}
	return strings.Join(parts, " ")
}

func showCell(c rows.Cell) string {
	switch c.Kind {
	case rows.Missing:
		return "missing"
	case rows.Null:
		return "null"
	case rows.Int:
		return fmt.Sprintf("int:%d", c.Num)
	case rows.Real:
		return fmt.Sprintf("real:%s", c.Text)
	case rows.Text:
		return fmt.Sprintf("text:%q", c.Text)
	case rows.Blob:
		return fmt.Sprintf("blob:%x", c.Text)
	case rows.Bad:
		return fmt.Sprintf("bad:%s", c.Text)
	default:
		return fmt.Sprintf("kind%d:%s", c.Kind, c.Text)
	}
}

// scan reads all rows as text.
func scan(t testing.TB, tab rows.Table) (got []string, at []rows.Pos, ext rows.Extent) {
	t.Helper()
	ext, err := tab.Scan(context.Background(), func(pos rows.Pos, cells []rows.Cell) error {
		got = append(got, shown(pos, cells))
		at = append(at, pos)
		return nil
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return got, at, ext
}

// count reads all rows and counts them.
func count(t testing.TB, tab rows.Table) int {
	t.Helper()
	got, _, ext := scan(t, tab)
	if !ext.Complete {
		t.Fatalf("incomplete: %s", ext.Reason)
	}
	return len(got)
}

// listing is every file below dir with its size, times and content.
func listing(t testing.TB, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s %v %d %d", path, info.Mode(), info.Size(), info.ModTime().UnixNano())
		if info.Mode().IsRegular() {
			text, err := os.ReadFile(path)
			if err != nil && !errors.Is(err, fs.ErrPermission) {
				return err
			}
			fmt.Fprintf(&b, " %x", sha256.Sum256(text))
		}
		b.WriteByte('\n')
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func copyTo(t testing.TB, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, text, 0o600); err != nil {
		t.Fatal(err)
	}
}
