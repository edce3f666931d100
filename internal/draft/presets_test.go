package draft

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/google/go-cmp/cmp"

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
				if d.Cmd != "file" && (store.Spec.Scheme == sources.SQLite || d.Cmd == "postgres") {
					exportsAgree(t, d.Pos, store, found, got, all)
				}
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

// TestOneDatabase puts the tables of all examples into one PostgreSQL database, a schema for each: every one is recognised as what it is where it stands alone.
func TestOneDatabase(t *testing.T) {
	t.Parallel()
	all, err := config.ReadPresets()
	if err != nil {
		t.Fatal(err)
	}
	var sql strings.Builder
	var want []string
	heading := regexp.MustCompile(`(?m)^[^ :]+: ([a-z]+, .*)$`)
	datadriven.Walk(t, "testdata/presets", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(_ *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "both" || d.Cmd == "postgres" {
				fmt.Fprintf(&sql, "CREATE SCHEMA example_%d; SET search_path TO example_%[1]d;\n%s\n", len(want), strings.ReplaceAll(d.Input, "CREATE SCHEMA ", "CREATE SCHEMA IF NOT EXISTS "))
				for _, m := range heading.FindAllStringSubmatch(d.Expected, -1) {
					want = append(want, m[1])
				}
			}
			return d.Expected
		})
	})
	dsn := database(t, sql.String())
	found, err := Look(t.Context(), sources.Place{Dir: "."}, []Target{{Spec: sources.Spec{Scheme: sources.Postgres, Path: dsn, Shown: "postgres://…"}, Open: dsn, Name: "store"}}, all)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range found.Sources {
		got = append(got, found.Sources[i].Role.String()+", "+found.Sources[i].how())
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-alone +together)\n%s", diff)
	}
	data, err := Write("all", found)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := config.Read("draft", data, nil); err != nil {
		t.Errorf("the config of all is none: %v", err)
	}
}

// how says by what a source was recognised.
func (s *Source) how() string {
	how := "guessed"
	if s.Preset != nil {
		how = s.Preset.Name
	}
	if len(s.Also) > 0 {
		how += ", also " + strings.Join(s.Also, ", ")
	}
	return how
}

// exportsAgree: an export of each recognised table, as CSV and as JSON lines under the table's name, is recognised and read as the table is.
func exportsAgree(t *testing.T, pos string, store Target, found *Found, read string, all []*config.Preset) {
	t.Helper()
	done := map[string]bool{}
	for i := range found.Sources {
		s := &found.Sources[i]
		if s.Preset == nil || done[s.Table] {
			continue
		}
		done[s.Table] = true
		for _, ending := range []string{".csv", ".jsonl"} {
			path := filepath.Join(t.TempDir(), s.Table+ending)
			if err := os.WriteFile(path, export(t, store, s.Table, ending), 0o600); err != nil {
				t.Fatal(err)
			}
			file := Target{Spec: sources.Spec{Scheme: sources.Scheme(ending[1:]), Path: path}, Open: ending[1:] + ":" + path, Name: s.Table}
			theirs, data := drafted(t, file, all)
			_, got, _ := strings.Cut(recordsOf(t, file, theirs, data), "\n")
			var want strings.Builder
			for j := range found.Sources {
				if found.Sources[j].Table == s.Table {
					want.WriteString(partOf(read, found.Sources[j].Name))
				}
			}
			also := regexp.MustCompile(`, also [^\n]*`) // a file's types are not known: more presets may fit
			if also.ReplaceAllString(got, "") != also.ReplaceAllString(want.String(), "") {
				t.Errorf("%s: table %s reads\n%sits export %s\n%s", pos, s.Table, want.String(), ending, got)
			}
		}
	}
}

// partOf is what recordsOf shows of one source.
func partOf(read, name string) string {
	var b strings.Builder
	inside := false
	for line := range strings.Lines(read) {
		if !strings.HasPrefix(line, "  ") {
			inside = strings.HasPrefix(line, name+": ")
		}
		if inside {
			b.WriteString(line)
		}
	}
	return b.String()
}

// export writes every row of a table: texts as they are, null as nothing in CSV.
func export(t *testing.T, store Target, table, ending string) []byte {
	t.Helper()
	tables, _, err := sources.Survey(t.Context(), sources.Place{Dir: "."}, &store.Spec)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(tables, func(r rows.Relation) bool { return r.Name == table })
	var names []string
	var paths []rows.Path
	for _, c := range tables[i].Columns {
		names, paths = append(names, c.Name), append(paths, rows.Path{Column: c.Name})
	}
	var b strings.Builder
	if ending == ".csv" {
		b.WriteString(`"` + strings.Join(names, `","`) + "\"\n")
	}
	spec := store.Spec
	spec.Table = table
	if _, err := sources.Peek(t.Context(), sources.Place{Dir: "."}, &spec, paths, 1000, func(cells []rows.Cell) {
		for i, c := range cells {
			if ending == ".csv" {
				b.WriteString([]string{"", ","}[min(i, 1)] + csvCell(c))
				continue
			}
			name, _ := json.Marshal(names[i])
			b.WriteString([]string{"{", ","}[min(i, 1)] + string(name) + ":" + jsonCell(t, c))
		}
		b.WriteString(map[string]string{".csv": "\n", ".jsonl": "}\n"}[ending])
	}); err != nil {
		t.Fatal(err)
	}
	return []byte(b.String())
}

func csvCell(c rows.Cell) string {
	switch c.Kind {
	case rows.Missing, rows.Null, rows.Bad:
		return ""
	case rows.Int, rows.Bool:
		return strconv.FormatInt(c.Num, 10)
	case rows.Real, rows.Number, rows.Text, rows.Blob, rows.JSON:
	}
	return `"` + strings.ReplaceAll(string(c.Text), `"`, `""`) + `"`
}

func jsonCell(t *testing.T, c rows.Cell) string {
	t.Helper()
	switch c.Kind {
	case rows.Missing, rows.Null, rows.Bad:
		return "null"
	case rows.Int, rows.Bool:
		return strconv.FormatInt(c.Num, 10)
	case rows.Real, rows.Number:
		return string(c.Text)
	case rows.Text, rows.Blob, rows.JSON:
	}
	if s := string(c.Text); json.Valid(c.Text) && (strings.HasPrefix(s, "{") || strings.HasPrefix(s, "[")) {
		return s // as databases write a JSON column
	}
	text, err := json.Marshal(string(c.Text))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
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
		fmt.Fprintf(&b, "%s: %s, %s\n", cfg.Sources[i].Name, cfg.Sources[i].Role, found.Sources[i].how())
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
