package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources"
	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/text"
)

// logPresets are the presets that read files, with the scheme by which each is tried.
func logPresets(tb testing.TB) (names []string, specs map[string]sources.Spec) {
	tb.Helper()
	all, err := config.ReadPresets()
	if err != nil {
		tb.Fatal(err)
	}
	specs = map[string]sources.Spec{}
	for _, p := range all {
		i := slices.IndexFunc(p.Formats, func(f string) bool { return f != "table" })
		if i < 0 {
			continue
		}
		s := *p.Source
		s.Name, s.Path, s.Shown, s.Scheme = "log", "log", p.Formats[i]+":log", sources.Scheme(p.Formats[i])
		s.Components = p.Contract.Scope
		names, specs[p.Name] = append(names, p.Name), s
	}
	slices.Sort(names)
	return names, specs
}

// readOnce scans a log and fetches all its records again.
func readOnce(t *testing.T, spec sources.Spec, content []byte) (lines []string, stats sources.Stats) {
	t.Helper()
	place := sources.Place{FS: fstest.MapFS{"log": &fstest.MapFile{Data: content}}, Dir: "."}
	set, err := sources.Open(context.Background(), place, []sources.Spec{spec}, reconcile.At(time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := set.Close(); err != nil {
			t.Error(err)
		}
	}()
	var at []rows.Pos
	log := set.Readers()[0]
	if err := log.Scan(context.Background(), func(pos rows.Pos, r *reconcile.Record) error {
		lines, at = append(lines, fmt.Sprintf("%q %v", recordTexts(r), r.Claimed)), append(at, pos)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if len(at) == 0 {
		return nil, log.Stats() // a log that could not be opened has nothing to fetch
	}
	n := 0
	if err := log.Fetch(context.Background(), at, func(pos rows.Pos, r *reconcile.Record) error {
		if got := fmt.Sprintf("%q %v", recordTexts(r), r.Claimed); pos != at[n] || got != lines[n] {
			t.Errorf("scanned %s\nfetched %s", lines[n], got)
		}
		n++
		return nil
	}); err != nil || n != len(at) {
		t.Errorf("fetched %d of %d: %v", n, len(at), err)
	}
	return lines, log.Stats()
}

func recordTexts(r *reconcile.Record) []string {
	var out []string
	for _, f := range reconcile.FactsOf(r) {
		out = append(out, f.Name+"="+f.Value.String())
	}
	return out
}

// FuzzFormats: whatever a log holds, every preset reads it without a panic, twice alike, finds each record again, and says only what may be shown of what it refuses.
func FuzzFormats(f *testing.F) {
	names, specs := logPresets(f)
	for i, name := range names {
		for _, seed := range []string{"", "{}", "[{}]", "null", `{"id":{},"created":"x","data":{"object":[]}}`, `{"Records":[{"requestParameters":"text","responseElements":{"instancesSet":{"items":{}}}}]}`, "a,b\n1,2\n", "\x1f\x8b\x08", "\xef\xbb\xbf{}", `{"a":1}{"a"`, "\u202e\x1b[31m\n"} {
			f.Add(uint8(i), []byte(seed))
		}
		files, err := filepath.Glob("testdata/formats/*")
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			for _, block := range strings.Split(string(data), "\n----\n") {
				if _, rest, ok := strings.Cut(block, "preset: "+name); ok {
					_, content, _ := strings.Cut(rest, "\n")
					f.Add(uint8(i), []byte(strings.ReplaceAll(content, "\\\n", "")+"\n"))
				}
			}
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, content []byte) {
		spec := specs[names[int(which)%len(names)]]
		lines, stats := readOnce(t, spec, content)
		again, other := readOnce(t, spec, content)
		if !slices.Equal(lines, again) || stats.Unreadable != other.Unreadable {
			t.Errorf("read twice:\n%s\n%s", lines, again)
		}
		for _, p := range stats.Problems {
			if p.Place == "" || p.Text == "" || text.SafeString(p.Place) != p.Place || text.SafeString(p.Text) != p.Text {
				t.Errorf("a problem that may not be shown, or without a place: %q %q", p.Place, p.Text)
			}
		}
	})
}
