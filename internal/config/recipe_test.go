package config

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.com/idemctl/internal/sources"
	"example.com/idemctl/internal/sources/mapping"
)

const recipeHead = `version: 1
name: shop
contracts: [{operation: pay, scope: [tenant, operation, key], effect: local}]
sources:
  - {name: log, role: intents, open: "jsonl:log.jsonl", map: {tenant: t, operation: {value: pay}, key: `

// TestRecipesAreRead: parts are columns or constants, a separator may be any text, NUL included.
func TestRecipesAreRead(t *testing.T) {
	t.Parallel()
	word := "POST"
	for text, want := range map[string]sources.Field{
		`{parts: [a, b.c], join: "\0", hash: md5-hex}`:                 {Parts: []mapping.Part{{Column: "a"}, {Column: "b.c"}}, Join: "\x00", Hash: "md5-hex"},
		`{parts: [{value: POST}, path], join: " ", truncate: 50}`:      {Parts: []mapping.Part{{Const: &word}, {Column: "path"}}, Join: " ", Truncate: 50},
		`{from: body, json: python, hash: md5-hex, prefix: "f.main#"}`: {From: "body", JSON: "python", Hash: "md5-hex", Prefix: "f.main#"},
	} {
		want.Name = "key"
		cfg, err := loadText(t, recipeHead+text+"}}\n")
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if diff := cmp.Diff(want, cfg.Sources[0].Map[2], cmpopts.IgnoreFields(sources.Field{}, "Line", "Col")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

func TestRecipesThatAreRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{parts: [a, {}]}`, `{parts: [a, {from: b}]}`, `{parts: [a, {value: ""}]}`, `{parts: [a, b], join: ""}`, `{from: a, json: yaml}`, `{parts: [a], from: b}`,
		`{parts: [[a]]}`, `{parts: [a, b], join: [x]}`,
	} {
		if _, err := loadText(t, recipeHead+text+"}}\n"); err == nil {
			t.Errorf("%s was taken", text)
		}
	}
}

func loadText(t *testing.T, text string) (*Config, error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "idemctl.yaml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Load(name, Options{})
}
