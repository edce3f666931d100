package scan_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
)

// TestEveryFieldIsSaved compares fresh results with reopened ones field by field, hidden fields too. Nothing and an empty list are one in a file.
func TestEveryFieldIsSaved(t *testing.T) {
	t.Parallel()
	same := cmp.Options{
		cmp.Exporter(func(reflect.Type) bool { return true }), cmpopts.EquateEmpty(),
		cmp.Comparer(func(a, b reconcile.Value) bool { return a.Known() == b.Known() && a.String() == b.String() }), // to Equal, two unknown values differ
	}
	cases := 0
	for seed := range uint64(40) {
		cfg, ms := lived(seed)
		name := filepath.Join(t.TempDir(), "night.scan")
		var manifests [2]*scan.Manifest
		var lists [2][]*scan.Case
		for i, out := range []string{"", name} {
			res, err := scan.RunReaders(t.Context(), cfg, readersOf(ms), scan.Options{TempDir: t.TempDir(), Out: out})
			if err != nil {
				t.Fatal(err)
			}
			if out != "" {
				if err := res.Close(); err != nil {
					t.Fatal(err)
				}
				if res, err = scan.OpenSaved(t.Context(), out); err != nil {
					t.Fatal(err)
				}
			}
			manifests[i] = res.Manifest()
			lists[i], err = allCases(res)
			if err = errors.Join(err, res.Close()); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(manifests[0], manifests[1], same); diff != "" {
			t.Errorf("seed %d: the manifest changed: %s", seed, diff)
		}
		if diff := cmp.Diff(lists[0], lists[1], same); diff != "" {
			t.Errorf("seed %d: the cases changed: %s", seed, diff)
		}
		cases += len(lists[0])
	}
	if cases < 20 {
		t.Errorf("only %d cases were compared", cases)
	}
}

// TestCaseByAmbiguousPrefix names two of the cases that a prefix may mean; one more letter tells them apart.
func TestCaseByAmbiguousPrefix(t *testing.T) {
	t.Parallel()
	res, err := scan.RunReaders(t.Context(), shop(true), stores(nil, 0, nil), scan.Options{TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Close() }()
	cases, err := allCases(res)
	if err != nil {
		t.Fatal(err)
	}
	a, b := longestShared(cases)
	n := 0
	for a[n] == b[n] {
		n++
	}
	_, err = res.Case(t.Context(), a[:n])
	if e := (*scan.Error)(nil); !errors.As(err, &e) || e.Hint == "" || !strings.Contains(err.Error(), a) || !strings.Contains(err.Error(), b) {
		t.Errorf("%q: %v", a[:n], err)
	}
	for _, id := range []string{a, b} {
		if c, err := res.Case(t.Context(), id[:n+1]); err != nil || c.CaseID != id {
			t.Errorf("%q: %v, %v", id[:n+1], c, err)
		}
		if c, err := res.Case(t.Context(), id); err != nil || c.CaseID != id {
			t.Errorf("%q: %v, %v", id, c, err)
		}
	}
	for _, odd := range []string{"\x7f", "\xff\xfe", "\x00", a[:n] + "\x00", "é", strings.Repeat("a", 1<<16), "*", "_", "?", " "} {
		c, err := res.Case(t.Context(), odd)
		if e := (*scan.Error)(nil); !errors.As(err, &e) || e.Hint == "" || len(err.Error()) > 500 || strings.ContainsAny(err.Error(), "\x00\x7f") || !utf8.ValidString(err.Error()) {
			t.Errorf("%.20q: %v, %v", odd, c, err)
		}
	}
}

// longestShared returns the two ids that are alike for longest, of which no third is as alike.
func longestShared(cases []*scan.Case) (a, b string) {
	best := 0
	for i := range cases {
		for k := range i {
			n := 0
			for x, y := cases[i].CaseID, cases[k].CaseID; n < len(x) && n < len(y) && x[n] == y[n]; {
				n++
			}
			if n > best {
				best, a, b = n, cases[i].CaseID, cases[k].CaseID
			}
		}
	}
	return a, b
}

// TestOpenSavedRefusesOtherDatabases opens databases that some other program made, one of them with our table's name.
func TestOpenSavedRefusesOtherDatabases(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"another program's":   "CREATE TABLE orders(id INTEGER PRIMARY KEY); INSERT INTO orders VALUES(1)",
		"with a table's name": "CREATE TABLE manifest(body TEXT, sum INTEGER); INSERT INTO manifest VALUES('{}', 0)",
		"marked, and empty":   "PRAGMA application_id=1229213011; PRAGMA user_version=2; CREATE TABLE manifest(body TEXT, sum INTEGER)",
		"marked, and a lie":   "PRAGMA application_id=1229213011; PRAGMA user_version=2; CREATE TABLE manifest(body TEXT, sum INTEGER); INSERT INTO manifest VALUES('{}', 1)",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "other.sqlite")
			db, err := sql.Open("sqlite", file)
			if err != nil {
				t.Fatal(err)
			}
			_, err = db.Exec(script)
			if err = errors.Join(err, db.Close()); err != nil {
				t.Fatal(err)
			}
			before, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			res, err := scan.OpenSaved(t.Context(), file)
			if err == nil {
				_ = res.Close()
				t.Fatal("it was opened")
			}
			if e := (*scan.Error)(nil); !errors.As(err, &e) || e.Hint == "" {
				t.Errorf("an error without a hint: %v", err)
			}
			if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
				t.Errorf("the file was changed, %v", err)
			}
		})
	}
}
