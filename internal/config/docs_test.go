package config

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources/mapping"
)

// TestConfigPage reads docs/config.md: its example is a config that can be read, and it leaves out no field, no fact and no profile.
func TestConfigPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "config.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, example, found := strings.Cut(string(page), "```yaml\n")
	example, _, ended := strings.Cut(example, "```\n")
	if !found || !ended {
		t.Fatal("the page has no example")
	}
	if _, err := parse("config.md", []byte(example), func(string) string { return "" }); err != nil {
		t.Errorf("the example cannot be read: %v", err)
	}
	full, err := os.ReadFile(filepath.Join("testdata", "full.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range regexp.MustCompile(`(?m)([a-z_]+): `).FindAllStringSubmatch(string(full), -1) {
		names = append(names, m[1])
	}
	names = append(names, mapping.KnownFacts()...)
	for i := range reconcile.Profiles {
		names = append(names, reconcile.Profiles[i].Name)
	}
	if len(names) < 100 {
		t.Fatalf("only %d names are looked for", len(names))
	}
	own := map[string]bool{"count": true, "tags": true, "nested": true, "x": true} // what the full config names itself
	for _, name := range names {
		if !own[name] && !regexp.MustCompile(`\b`+regexp.QuoteMeta(name)+`\b`).Match(page) {
			t.Errorf("the page lacks %s", name)
		}
	}
}
