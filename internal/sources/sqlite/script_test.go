package sqlite

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"example.com/idemctl/internal/sources/rows"
)

func TestScript(t *testing.T) {
	t.Parallel()
	temp := t.TempDir()
	s, err := OpenSQL(t.Context(), "orders.sql", []byte("\ufeff"+`PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
-- the receipts; with a semicolon in a comment
CREATE TABLE receipts (id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT UNIQUE);
INSERT INTO receipts (key) VALUES ('a;b'), ('c''d');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('receipts',7);
CREATE INDEX i ON receipts (key);
CREATE VIEW v AS SELECT * FROM receipts;
INSERT INTO receipts (key) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 5) SELECT 'n'||i FROM n;
COMMIT;
/* the end */ `), temp)
	must(t, err)
	a, b := bound(t, s, "receipts", columns("key")...), bound(t, s, "v", columns("key")...)
	got, _, ext := scan(t, a)
	if len(got) != 7 || got[0] != `1 text:"a;b"` || got[2] != `8 text:"n1"` || !ext.Whole {
		t.Errorf("%q %+v", got, ext)
	}
	if n := count(t, b); n != 7 {
		t.Errorf("%d rows in the view", n)
	}
	must(t, s.Close())
	if left := listing(t, temp); left != "" {
		t.Errorf("left behind: %s", left)
	}
}

func TestScriptErrorsNameTheLine(t *testing.T) {
	t.Parallel()
	for text, place := range map[string]string{
		"CREATE TABLE t (a);\n\nINSERT INTO t VALUES (1;\n":                           "f.sql:3:",
		"CREATE TABLE t (a);\n\n-- why\nINSERT INTO u\n  VALUES (1);":                 "f.sql:4:",
		"CREATE TABLE t (a NOT NULL);\n/* x\ny */\nINSERT INTO t VALUES (NULL);":      "f.sql:4:",
		"CREATE TABLE t (a);\nINSERT INTO t VALUES ('\x00');":                         "f.sql:2:",
		"CREATE TABLE t (a);\nATTACH 'other.db' AS o;":                                "f.sql:2:",
		"CREATE TABLE t (a);\nVACUUM INTO 'other.db';":                                "f.sql:2:",
		"CREATE TABLE t (a);\nINSERT INTO t VALUES (1);\nUPDATE t SET a = 2;":         "f.sql:3:",
		"CREATE TABLE t (a);\nDELETE FROM t;":                                         "f.sql:2:",
		"CREATE TABLE t (a);\nPRAGMA temp_store_directory='/';":                       "f.sql:2:",
		"CREATE TABLE t (a);\nPRAGMA writable_schema=1;":                              "f.sql:2:",
		"CREATE TABLE t (a);\nINSERT INTO sqlite_schema VALUES ('','','',0,'');":      "f.sql:2:",
		"CREATE TABLE t (a);\nSELECT load_extension('x');":                            "f.sql:2:",
		"CREATE TABLE t (a);\nDROP TABLE t;":                                          "f.sql:2:",
		"CREATE VIRTUAL TABLE t USING fts5(a);":                                       "f.sql:1:",
		"CREATE TABLE t (a);\n.tables":                                                "f.sql:2:",
		"BEGIN;\nCREATE TABLE t (a);":                                                 "f.sql:",
		"CREATE TABLE t (a);\nINSERT INTO t VALUES ('unterminated);\nSELECT 1;\n":     "f.sql:2:",
		"CREATE TABLE t (a);\nCREATE TRIGGER x AFTER INSERT ON t BEGIN SELECT 1; END": "f.sql:2:",
	} {
		temp := t.TempDir()
		_, err := OpenSQL(t.Context(), "f.sql", []byte(text), temp)
		if err == nil || !strings.HasPrefix(err.Error(), place) {
			t.Errorf("%q: %v, want %s…", text, err, place)
		}
		if left := listing(t, temp); left != "" {
			t.Errorf("left behind: %s", left)
		}
	}
}

func TestScriptStops(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	_, err := OpenSQL(ctx, "f.sql", []byte("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT i FROM n;"), t.TempDir())
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

func FuzzScript(f *testing.F) {
	f.Add("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
	f.Add("-- x\n/* y")
	f.Add("ATTACH 'x' AS y; ' \"")
	f.Fuzz(func(t *testing.T, text string) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		temp := t.TempDir()
		s, err := OpenSQL(ctx, "f.sql", []byte(text), temp)
		if err == nil {
			must(t, s.Close())
		}
		if left := listing(t, temp); left != "" {
			t.Errorf("left behind: %s", left)
		}
	})
}

func FuzzHeader(f *testing.F) {
	f.Add([]byte(magic+"\x10\x00\x02\x02"), int64(4096))
	f.Fuzz(func(t *testing.T, header []byte, size int64) {
		if len(header) < headerSize {
			header = append(header, make([]byte, headerSize-len(header))...)
		}
		s := source{size: size}
		if err := s.parse(header); err == nil && (s.pageSize < smallest || size%s.pageSize != 0) {
			t.Errorf("page size %d of %d bytes", s.pageSize, size)
		} else if err != nil && !errors.Is(err, rows.ErrNotADB) && !errors.Is(err, rows.ErrDamaged) {
			t.Error(err)
		}
	})
}
