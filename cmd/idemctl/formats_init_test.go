package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/draft"
	"example.com/idemctl/internal/sources"
)

// TestInitKnowsFormats: init recognises the format of every provider's preset by the made-up logs of TestFormats, and takes none of them for another's. A preset
// without such a log fails.
func TestInitKnowsFormats(t *testing.T) {
	t.Parallel()
	all, err := config.ReadPresets()
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`preset: ([a-z0-9-]+)`)
	met := map[string]bool{}
	datadriven.Walk(t, "testdata/formats", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			fields := d.Input[:strings.IndexByte(d.Input, '\n')]
			preset := named.FindStringSubmatch(fields)
			if preset == nil {
				return d.Expected
			}
			scheme := d.CmdArgs[0].String()
			file := filepath.Join(t.TempDir(), "log")
			if err := os.WriteFile(file, []byte(logOf(d.Input)), 0o600); err != nil {
				t.Fatal(err)
			}
			target := draft.Target{Spec: sources.Spec{Scheme: sources.Scheme(scheme), Path: file}, Open: scheme + ":" + file, Name: "log"}
			found, err := draft.Look(t.Context(), sources.Place{Dir: "."}, []draft.Target{target}, all)
			if err != nil {
				t.Fatal(err)
			}
			if len(found.Sources) == 0 {
				t.Logf("%s: %s is not recognised", d.Pos, preset[1])
				return d.Expected
			}
			first := found.Sources[0]
			if met[preset[1]] = met[preset[1]] || first.Preset.Name == preset[1]; first.Preset.Name != preset[1] && !slices.Contains(first.Also, preset[1]) {
				t.Errorf("%s: a log of %s is taken for one of %s", d.Pos, preset[1], first.Preset.Name)
			}
			return d.Expected
		})
	})
	for _, p := range all {
		if !slices.Contains(p.Formats, "table") && !met[p.Name] && p.Source.Role.String() != "receipts" {
			t.Errorf("no made-up log of %s is recognised", p.Name)
		}
	}
}
