//go:build cases

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources"
	"example.com/idemctl/internal/sources/rows"
)

// fileReading is one reading of a file, and what it must give.
type fileReading struct {
	source   string // the fields of a source
	counts   bool   // all that do, together, give every record once
	excluded []string
	lines    []string
}

// decoded is a file with its readings.
type decoded struct {
	name     string
	records  int
	readings []*fileReading
}

// TestCasesProviders: every value of every provider's file decodes to what a table says that was written from the file itself. A file or a record that is not in
// the table fails, and so does one that is not in the file.
func TestCasesProviders(t *testing.T) {
	dir := filepath.Join(os.Getenv("IDEMCTL_CASES"), "providers")
	table := readTable(t, filepath.Join("testdata", "cases", "providers.txt"))
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		known := slices.ContainsFunc(table, func(d decoded) bool { return d.name == e.Name() })
		if !known && filepath.Ext(e.Name()) != ".md" {
			t.Errorf("%s is not in the table", e.Name())
		}
	}
	for _, d := range table {
		t.Run(d.name, func(t *testing.T) {
			path := filepath.Join(dir, d.name)
			before, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			found := 0
			for _, r := range d.readings {
				n := r.check(t, path)
				if r.counts {
					found += n
				}
			}
			if found != d.records {
				t.Errorf("its readings give %d records, the file has %d", found, d.records)
			}
			if after, err := os.Stat(path); err != nil || after.ModTime() != before.ModTime() || after.Size() != before.Size() {
				t.Errorf("the file has changed: %v", err)
			}
		})
	}
}

// readTable reads what every file must decode to.
func readTable(t *testing.T, path string) []decoded {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []decoded
	var last *fileReading
	for n, line := range strings.Split(string(data), "\n") {
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case line == "" || word == "#":
		case word == "file":
			name, count, _ := strings.Cut(rest, " ")
			records, err := strconv.Atoi(count)
			if err != nil {
				t.Fatalf("%s:%d: %v", path, n+1, err)
			}
			all, last = append(all, decoded{name: name, records: records}), nil
		case word == "read" || word == "again":
			last = &fileReading{source: strings.TrimSuffix(strings.TrimPrefix(rest, "{"), "}"), counts: word == "read"}
			d := &all[len(all)-1]
			d.readings = append(d.readings, last)
		case last == nil:
			t.Fatalf("%s:%d: a line outside of a reading", path, n+1)
		case word == "excluded":
			last.excluded = append(last.excluded, rest)
		default:
			last.lines = append(last.lines, line)
		}
	}
	return all
}

// check reads the file, compares, and returns how many of its records the reading accounts for.
func (r *fileReading) check(t *testing.T, path string) int {
	t.Helper()
	scheme := map[string]string{".json": "json", ".gz": "json", ".log": "text", ".csv": "csv"}[filepath.Ext(path)]
	text := fmt.Sprintf("version: 1\nname: t\ncontracts: {operation: '*', scope: [operation, key]}\nsources: {name: log, open: '%s:%s', %s}\n", scheme, path, r.source)
	file := filepath.Join(t.TempDir(), "idemctl.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(file, config.Options{})
	if err != nil {
		t.Fatalf("%s: %v", r.source, err)
	}
	set, err := sources.Open(context.Background(), cfg.Place, cfg.Sources, reconcile.At(time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)))
	if err != nil {
		t.Fatalf("%s: %v", r.source, err)
	}
	defer func() {
		if err := set.Close(); err != nil {
			t.Error(err)
		}
	}()
	var got []string
	log := set.Readers()[0]
	if err := log.Scan(context.Background(), func(_ rows.Pos, rec *reconcile.Record) error {
		got = append(got, recordLine(rec))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r.lines, got); diff != "" {
		t.Errorf("%s\n(-want +got)\n%s", r.source, diff)
	}
	stats := log.Stats()
	for _, p := range stats.Problems {
		t.Errorf("%s: %s: %s", r.source, p.Place, p.Text)
	}
	var excluded []string
	n := len(got)
	for _, x := range stats.Excluded {
		excluded = append(excluded, fmt.Sprintf("%s %d", x.Reason, x.Rows))
		n += int(x.Rows)
	}
	slices.Sort(excluded)
	slices.Sort(r.excluded)
	if diff := cmp.Diff(r.excluded, excluded); diff != "" {
		t.Errorf("%s: excluded (-want +got)\n%s", r.source, diff)
	}
	return n
}

// recordLine is a record as the table has it.
func recordLine(r *reconcile.Record) string {
	outcome, at, amount := r.Outcome.String(), r.CreatedAt, "-"
	if r.Role == reconcile.RoleIntent {
		outcome, at = r.Attempts[0].Outcome.String(), r.Attempts[0].At
	}
	for _, f := range reconcile.FactsOf(r) {
		if f.Name == "amount" {
			amount = f.Value.String()
		}
	}
	link := "-"
	switch {
	case r.Key().Known():
		link = "key " + r.Key().String()
		if r.KeyFrom != "" {
			link += " from " + r.KeyFrom
		}
	case r.BusinessRef.Known():
		link = "reference " + r.BusinessRef.String()
	case r.RequestID.Known():
		link = "request " + r.RequestID.String()
	case r.ObjectID.Known():
		link = "object"
	}
	moment := "-"
	if at.Known() {
		moment = at.Time().UTC().Format(time.RFC3339Nano)
	}
	object := "-"
	if r.ObjectID.Known() {
		object = r.ObjectID.String()
	}
	return strings.Join([]string{object, r.Component("operation").String(), outcome, amount, moment, link}, " | ")
}
