package draft

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources"
	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/text"
)

var now = reconcile.At(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC))

// TestPresets reads testdata/presets: tables as their products make them, with rows in each state and at the boundaries; how they are recognised, and which
// records the drafted config reads, without a word of it changed. SQL is tried in SQLite and in PostgreSQL, which must agree.
func TestPresets(t *testing.T) {
	t.Parallel()
	all, err := config.ReadPresets()
	if err != nil {
		t.Fatal(err)
	}
	met := map[string]bool{}
	datadriven.Walk(t, "testdata/presets", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			out := ""
			for _, store := range stores(t, d) {
				found, data := drafted(t, store, all)
				got := recordsOf(t, store, found, data)
				if out != "" && got != out {
					t.Errorf("%s: %s reads\n%sthe other\n%s", d.Pos, store.Spec.Scheme, got, out)
				}
				out = got
				for i := range found.Sources {
					if p := found.Sources[i].Preset; p != nil {
						met[p.Name] = true
					}
				}
			}
			return out
		})
	})
	for _, p := range all {
		if theirs := slices.Contains(p.Formats, "table") || p.Source.Role == reconcile.RoleReceipt; theirs && !met[p.Name] {
			t.Errorf("preset %s is recognised in no example", p.Name)
		}
	}
}

// stores makes what an example describes: both means SQL text for SQLite and for PostgreSQL, file a file of that name.
func stores(t *testing.T, d *datadriven.TestData) []Target {
	t.Helper()
	dir := t.TempDir()
	put := func(name string, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	lite := func() Target {
		path := put("store.sql", d.Input)
		return Target{Spec: sources.Spec{Scheme: sources.SQLite, Path: path}, Open: "sqlite:" + path, Name: "store"}
	}
	server := func() Target {
		dsn := database(t, d.Input)
		return Target{Spec: sources.Spec{Scheme: sources.Postgres, Path: dsn, Shown: "postgres://…"}, Open: dsn, Name: "store"}
	}
	switch d.Cmd {
	case "both":
		return []Target{lite(), server()}
	case "sqlite":
		return []Target{lite()}
	case "postgres":
		return []Target{server()}
	case "file":
		var name string
		d.ScanArgs(t, "name", &name)
		path := put(name, d.Input+"\n")
		scheme, err := SchemeOf(path)
		if err != nil {
			t.Fatal(err)
		}
		return []Target{{Spec: sources.Spec{Scheme: scheme, Path: path}, Open: string(scheme) + ":" + path, Name: "store"}}
	}
	t.Fatalf("%s: %s is no kind of store", d.Pos, d.Cmd)
	return nil
}

func drafted(t *testing.T, store Target, all []*config.Preset) (*Found, []byte) {
	t.Helper()
	found, err := Look(t.Context(), sources.Place{Dir: "."}, []Target{store}, all)
	if err != nil {
		t.Fatal(err)
	}
	data, err := Write("store", found)
	if err != nil {
		t.Fatal(err)
	}
	return found, data
}

// recordsOf shows each source of a drafted config and the records that it reads.
func recordsOf(t *testing.T, store Target, found *Found, data []byte) string {
	t.Helper()
	cfg, err := config.Read("draft", data, nil)
	if err != nil {
		t.Fatal(err)
	}
	set, err := sources.Open(t.Context(), sources.Place{Dir: ".", TempDir: t.TempDir()}, cfg.Sources, now)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := set.Close(); err != nil {
			t.Error(err)
		}
	}()
	var b strings.Builder
	c := cfg.Contracts[0]
	fmt.Fprintf(&b, "scope %s\n", strings.Join(c.Scope, ", "))
	for i, r := range set.Readers() {
		how := "guessed"
		if p := found.Sources[i].Preset; p != nil {
			how = p.Name
		}
		if also := found.Sources[i].Also; len(also) > 0 {
			how += ", also " + strings.Join(also, ", ")
		}
		fmt.Fprintf(&b, "%s: %s, %s\n", cfg.Sources[i].Name, cfg.Sources[i].Role, how)
		if err := r.Scan(context.Background(), func(_ rows.Pos, r *reconcile.Record) error {
			var facts []string
			for _, f := range reconcile.FactsOf(r) {
				facts = append(facts, f.Name+"="+text.Safe(f.Value.Bytes()))
			}
			fmt.Fprintf(&b, "  %s\n", strings.Join(facts, " "))
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		for _, p := range r.Stats().Problems {
			fmt.Fprintf(&b, "  unreadable: %s\n", p.Text)
		}
		if cov := r.Facts().Coverage; !cov.Complete && r.Stats().Unreadable == 0 {
			t.Errorf("%s: %s is incomplete: %s", store.Spec.Scheme, cfg.Sources[i].Name, cov.Reason)
		}
	}
	return b.String()
}
