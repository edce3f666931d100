package sources

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources/postgres/pgtest"
	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/sources/sourcetest"
)

// alike are keys that something or other takes for the same, and that are all different.
var alike = []string{
	"order-1", "ORDER-1", "order-1 ", " order-1", "order-1\x00", "order-1\x00\x00", "order\u200b-1", "оrder-1", "order‐1", "caf\u00e9", "cafe\u0301", "Å", "\u212b", "ﬁ", "fi",
	"7", "07", "7.0", "+7", "７", "", "null", "NULL", "true", "a,b", `a"b`, `a""b`, "a\nb", "a\r\nb", "a;b", "\ufeffa", "a", "\ufffd", `a\u0000`, "=1+1", "'7",
}

// bytesOnly are keys that no text in UTF-8 is.
var bytesOnly = []string{"k\xff", "k\xfe", "k\xed\xa0\x80", "k\xc0\xaf"}

// kinds spells keys as a store of each kind.
var kinds = map[Scheme]func(keys []string) string{
	SQLite: func(keys []string) string {
		out := "CREATE TABLE t (k TEXT);\n"
		for _, k := range keys {
			out += fmt.Sprintf("INSERT INTO t VALUES (CAST(x'%x' AS TEXT));\n", k)
		}
		return out
	},
	JSONL: func(keys []string) string { return strings.Join(objects(keys), "\n") + "\n" },
	JSON:  func(keys []string) string { return "[" + strings.Join(objects(keys), ",") + "]" },
	CSV: func(keys []string) string {
		out := "k,n\n"
		for _, k := range keys {
			out += `"` + strings.ReplaceAll(k, `"`, `""`) + "\",1\n"
		}
		return out
	},
}

// objects spells keys as JSON objects; bytes that are no text stand as they are.
func objects(keys []string) []string {
	out := make([]string, len(keys))
	for i, k := range keys {
		quoted := []byte(`"` + k + `"`)
		if utf8.ValidString(k) {
			quoted, _ = json.Marshal(k)
		}
		out[i] = fmt.Sprintf(`{"k":%s,"n":1}`, quoted)
	}
	return out
}

// keysOf reads a source's keys.
func keysOf(t *testing.T, scheme Scheme, content string) (keys []string, stats Stats, facts reconcile.SourceFacts) {
	t.Helper()
	dir := t.TempDir()
	name, table := "store."+string(scheme), ""
	if scheme == SQLite {
		name, table = "store.sql", "t"
	}
	sourcetest.WriteFile(t, dir, name, []byte(content))
	spec := Spec{Name: "s", Role: reconcile.RoleEffect, Scheme: scheme, Path: name, Table: table, Map: []Field{{Name: "key", From: "k"}}}
	set, err := Open(context.Background(), Place{Dir: dir, TempDir: t.TempDir()}, []Spec{spec}, now)
	if err != nil {
		t.Fatal(err)
	}
	r := set.Readers()[0]
	if err := r.Scan(context.Background(), func(_ rows.Pos, rec *reconcile.Record) error {
		keys = append(keys, string(rec.Key().Bytes()))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	stats, facts = r.Stats(), r.Facts()
	if err := set.Close(); err != nil {
		t.Fatal(err)
	}
	return keys, stats, facts
}

// TestKeysAreBytesInEveryKind reads the same keys out of every kind of store: each has the same bytes in all of them, and no two become one.
func TestKeysAreBytesInEveryKind(t *testing.T) {
	t.Parallel()
	for scheme, spell := range kinds {
		keys, stats, _ := keysOf(t, scheme, spell(alike))
		if !slices.Equal(keys, alike) || stats.Unreadable > 0 {
			t.Errorf("%s: %q, %+v", scheme, keys, stats)
		}
		all := append(slices.Clone(bytesOnly), "k", "k\ufffd")
		keys, stats, facts := keysOf(t, scheme, spell(all))
		if scheme == SQLite {
			if !slices.Equal(keys, all) {
				t.Errorf("%s: %q", scheme, keys)
			}
			continue
		}
		// Text that is not UTF-8 is refused, each line of it, and never taken for something else.
		if !slices.Equal(keys, []string{"k", "k\ufffd"}) || stats.Unreadable != int64(len(bytesOnly)) || facts.Coverage.Complete {
			t.Errorf("%s: %q, %+v, %+v", scheme, keys, stats, facts.Coverage)
		}
	}
}

// TestNumbersAndTheirDigits reads an integer and its digits: they are one key wherever they stand, and nothing else is.
func TestNumbersAndTheirDigits(t *testing.T) {
	t.Parallel()
	contents := map[Scheme][2]string{
		SQLite: {"CREATE TABLE t (k);INSERT INTO t VALUES (7),('07'),(9007199254740993),(-1);", "CREATE TABLE t (k);INSERT INTO t VALUES ('7'),('07'),('9007199254740993'),('-1');"},
		JSONL:  {"{\"k\":7}\n{\"k\":\"07\"}\n{\"k\":9007199254740993}\n{\"k\":-1}\n", "{\"k\":\"7\"}\n{\"k\":\"07\"}\n{\"k\":\"9007199254740993\"}\n{\"k\":\"-1\"}\n"},
		JSON:   {`[{"k":7},{"k":"07"},{"k":9007199254740993},{"k":-1}]`, `{"k":"7"}{"k":"07"}{"k":"9007199254740993"}{"k":"-1"}`},
		CSV:    {"k\n7\n07\n9007199254740993\n-1\n", "k\n\"7\"\n\"07\"\n\"9007199254740993\"\n\"-1\"\n"},
	}
	for scheme, both := range contents {
		for _, content := range both {
			if keys, _, _ := keysOf(t, scheme, content); strings.Join(keys, " ") != "7 07 9007199254740993 -1" {
				t.Errorf("%s: %q", scheme, keys)
			}
		}
	}
	for scheme, content := range map[Scheme]string{JSON: `[{"k":7},{"k":"7"}]`, JSONL: "{\"k\":7}\n{\"k\":\"7\"}\n"} {
		if _, _, facts := keysOf(t, scheme, content); facts.Coverage.Complete || !strings.Contains(facts.Coverage.Reason, "mixed-type key") {
			t.Errorf("%s: %+v", scheme, facts.Coverage)
		}
	}
}

// TestKeysAreBytesInPostgres reads the same keys out of a text column, where the server can hold them, and all of them out of a binary one.
func TestKeysAreBytesInPostgres(t *testing.T) {
	t.Parallel()
	texts := slices.DeleteFunc(slices.Clone(alike), func(k string) bool { return strings.Contains(k, "\x00") })
	all := append(slices.Clone(alike), bytesOnly...)
	c, err := server()
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("db_%d", databases.Add(1))
	sql := "CREATE TABLE texts (k text PRIMARY KEY); CREATE TABLE bytes (k bytea PRIMARY KEY);"
	for _, k := range texts {
		sql += fmt.Sprintf("INSERT INTO texts VALUES (convert_from('\\x%x', 'UTF8'));", k)
	}
	for _, k := range all {
		sql += fmt.Sprintf("INSERT INTO bytes VALUES ('\\x%x');", k)
	}
	if err := errors.Join(c.Exec(t.Context(), "postgres", "CREATE DATABASE "+name), c.Exec(t.Context(), name, sql)); err != nil {
		t.Fatal(err)
	}
	for table, want := range map[string][]string{"texts": texts, "bytes": all} {
		spec := Spec{Name: "s", Role: reconcile.RoleEffect, Scheme: Postgres, Path: c.DSN(pgtest.User, name), Table: table, Map: []Field{{Name: "key", From: "k"}}}
		set, err := Open(t.Context(), Place{TempDir: t.TempDir()}, []Spec{spec}, now)
		if err != nil {
			t.Fatal(err)
		}
		records, _ := scanned(t, set.Readers()[0])
		var got []string
		for _, r := range records {
			got = append(got, string(r.Key().Bytes()))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", table, got, want)
		}
		if err := set.Close(); err != nil {
			t.Error(err)
		}
	}
}
