package materialise_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"example.com/idemctl/fixtures"
	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/materialise"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/scenario"
	"example.com/idemctl/internal/sources"
)

// TestEveryFixture writes every fixture out, and scans what was written: it finds what the key of the fixture counts.
func TestEveryFixture(t *testing.T) {
	t.Parallel()
	all, err := scenario.List(fixtures.FS)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "out")
			if err := materialise.Write(t.Context(), fixtures.FS, f.Name, dir); err != nil {
				t.Fatal(err)
			}
			cfg, err := config.Load(filepath.Join(dir, config.FileName), config.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range cfg.Sources {
				if s.Scheme == sources.SQLite && filepath.Ext(s.Path) != ".sqlite" {
					t.Errorf("%s is read from %s, not from a database", s.Name, s.Path)
				}
			}
			res, err := scan.Run(t.Context(), cfg, scan.Options{TempDir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = res.Close() }()
			if c := res.Manifest().Counts; c.Cases != int64(f.Counts["cases"]) || c.Matched != int64(f.Counts["matched"]) || !cfg.Fixture {
				t.Errorf("%d cases, %d matched; the key counts %v", c.Cases, c.Matched, f.Counts)
			}
		})
	}
}

// broken is a fixture whose second file cannot be made.
var broken = fstest.MapFS{
	"night/a.jsonl":      {Data: []byte("{}\n")},
	"night/b.sql":        {Data: []byte("CREATE TABLE t (a; INSERT")},
	"night/idemctl.yaml": {Data: []byte("version: 1\n")},
}

// TestNothingIsLeftBehind fails half way, in a folder that was made for it and in one that was there.
func TestNothingIsLeftBehind(t *testing.T) {
	t.Parallel()
	above := t.TempDir()
	if err := materialise.Write(t.Context(), broken, "night", filepath.Join(above, "out")); err == nil {
		t.Error("a broken fixture was written")
	}
	if left, err := os.ReadDir(above); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	there := t.TempDir()
	if err := materialise.Write(t.Context(), broken, "night", there); err == nil {
		t.Error("a broken fixture was written")
	}
	if left, err := os.ReadDir(there); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestOnlyIntoNothing refuses whatever holds something already, and changes nothing of it.
func TestOnlyIntoNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "orders.sqlite")
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, into := range []string{dir, file} {
		if err := materialise.Write(t.Context(), fixtures.FS, "payments-restore", into); !errors.Is(err, materialise.ErrNotEmpty) {
			t.Errorf("%s: %v", into, err)
		}
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != "mine" {
		t.Errorf("it holds %q, %v", data, err)
	}
	if found, err := os.ReadDir(dir); err != nil || len(found) != 1 {
		t.Errorf("there are %v, %v", found, err)
	}
}
