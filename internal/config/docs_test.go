package config

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources/mapping"
)

// TestConfigPageDefaults: the page says of every setting of a contract what leaving it out means; a default that it spells is what the code takes, and whatever
// else is left out is undeclared.
func TestConfigPageDefaults(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "config.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "## What a contract may leave out")
	table, _, _ = strings.Cut(table, "\n## ")
	defaults := make(map[string]string)
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| (.+?) \\|").FindAllStringSubmatch(table, -1) {
		defaults[row[1]] = row[2]
	}
	c, d := &reconcile.Contract{}, &decoder{}
	for _, group := range []map[string]func(value){identityFields(c), legFields(c), spanFields(c), businessFields(c), decisionFields(c), d.providerFields(c)} {
		for name := range group {
			if defaults[name] == "" && name != "operation" && name != "scope" {
				t.Errorf("the page does not say what leaving out %s means", name)
			}
		}
	}
	bare := contractOf(t, "")
	want := &reconcile.Contract{
		Name: "buy", Operations: []string{"buy"}, Scope: []string{"operation", "key"}, Effect: reconcile.LegsLocal, EffectWithin: reconcile.For(reconcile.DefaultSettle),
		Settle: reconcile.DefaultSettle, Margin: reconcile.DefaultMargin, TwinWindow: reconcile.DefaultTwinWindow,
	}
	if !reflect.DeepEqual(bare, want) {
		t.Errorf("a contract that leaves everything out is %+v, want %+v", bare, want)
	}
	spelled := 0
	for name, word := range defaults {
		yaml, found := strings.CutPrefix(word, "`")
		yaml, _, ended := strings.Cut(yaml, "`")
		if !found || !ended {
			continue
		}
		spelled++
		if got := contractOf(t, name+": "+yaml); !reflect.DeepEqual(got, bare) {
			t.Errorf("%s: %s is not the default: %+v", name, yaml, got)
		}
	}
	if spelled < 8 {
		t.Errorf("only %d defaults are spelled", spelled)
	}
}

// contractOf is a contract with one setting beside what it must have.
func contractOf(t *testing.T, setting string) *reconcile.Contract {
	t.Helper()
	text := "version: 1\nname: x\ncontracts:\n  - operation: buy\n    scope: [operation, key]\n    " + setting +
		"\nsources: [{name: r, role: receipts, open: \"jsonl:r.jsonl\", map: {key: k}}]\n"
	cfg, err := parse("idemctl.yaml", []byte(text), nil)
	if err != nil {
		t.Fatalf("%s: %v", setting, err)
	}
	return cfg.Contracts[0]
}

// TestConfigPage reads docs/config.md: its examples are configs that can be read, and it leaves out no field, no fact and no profile.
func TestConfigPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "config.md"))
	if err != nil {
		t.Fatal(err)
	}
	whole := 0
	for _, example := range strings.Split(string(page), "```yaml\n")[1:] {
		example, _, _ = strings.Cut(example, "```\n")
		if !strings.HasPrefix(example, "version:") {
			continue // a part of one
		}
		whole++
		if _, err := parse("config.md", []byte(example), func(string) string { return "" }); err != nil {
			t.Errorf("the example cannot be read: %v\n%s", err, example)
		}
	}
	if whole < 2 {
		t.Errorf("the page has %d whole examples, a small one and one of every field are meant", whole)
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
