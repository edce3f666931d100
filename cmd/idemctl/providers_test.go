//go:build cases

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
	got := decodeLog(t, scheme+":"+path, r.source)
	if diff := cmp.Diff(r.lines, got.lines); diff != "" {
		t.Errorf("%s\n(-want +got)\n%s", r.source, diff)
	}
	if len(got.problems) > 0 {
		t.Errorf("%s: %s", r.source, strings.Join(got.problems, "; "))
	}
	slices.Sort(r.excluded)
	if diff := cmp.Diff(r.excluded, got.excluded); diff != "" {
		t.Errorf("%s: excluded (-want +got)\n%s", r.source, diff)
	}
	return len(got.lines) + got.left
}
