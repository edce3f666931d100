package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.com/idemctl/internal/text/hostile"
)

// hostilePlaces is a config in which each § in turn holds a hostile text.
const hostilePlaces = `version: 1
name: §
now: 2026-11-29T06:00:00Z
contracts: [{name: §, operation: §, scope: [§, operation, key], effect: local, aliases: {§: o}, actor: [§]}]
sources:
  - {name: §, role: receipts, open: §, table: §, where: {§: §}, map: {tenant: §, operation: {from: o, words: {§: o}}, key: {from: k, strip_prefix: §}, created_at: {from: t, as: §}}}
  - {name: orders, role: effects, open: §, query: §, id: [§], map: {operation: {value: §}, key: k, §: x}, coverage: {from: §}}
  - {name: log, role: provider, open: §, claim: {§: §}, map: {operation: {value: o}, key: §, amount: {from: a, unit: minor, currency: {value: §}}, outcome: {value: §}}}
§: §
`

// harmlessPlaces are what stands in the other places, in the order of hostilePlaces.
var harmlessPlaces = []string{
	"n", "c", "o", "tenant", "O", "a",
	"receipts", "sqlite:shop.db", "r", "x", "y", "tenant", "w", "p", "unix-s",
	"sqlite:shop.db", "SELECT 1", "k", "o", "business_ref", "2026-11-29T06:00:00Z",
	"jsonl:log.jsonl", "c", "d", "k", "EUR", "succeeded",
	"audit", "sqlite:audit.db",
}

// TestHostileConfig puts hostile texts into every place of a config, as a name, a path and a wrong word, and reads what is said of it.
func TestHostileConfig(t *testing.T) {
	t.Parallel()
	parts := strings.Split(hostilePlaces, "§")
	if len(parts) != len(harmlessPlaces)+1 {
		t.Fatalf("%d places, %d texts", len(parts)-1, len(harmlessPlaces))
	}
	dir := t.TempDir()
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	made, err := exec.Command("sqlite3", filepath.Join(dir, "shop.db"), "CREATE TABLE r (tenant TEXT, o TEXT, k TEXT, t INTEGER, x TEXT)").CombinedOutput()
	if err != nil {
		t.Fatalf("sqlite3: %v\n%s", err, made)
	}
	write("idemctl.yaml", filled(parts, -1, nil))
	if out := quietly(t, "check", dir); !strings.Contains(out, "shop.db") {
		t.Fatalf("the config is wrong without any hostile text: %s", out)
	}
	write("log.jsonl", `{"k":"k","a":1,"c":"d"}`+"\n")
	commands := [][]string{{"check"}, {"scan"}, {"scan", "--json"}, {"check", "--json"}}
	for i, bad := range hostile.Corpus() {
		for turn := range placesEach {
			at := (i*placesEach + turn) % len(harmlessPlaces)
			doc := filled(parts, at, bad.Bytes)
			write("idemctl.yaml", doc)
			quietly(t, append(commands[(i+turn)%len(commands)], dir)...)
			if t.Failed() {
				t.Fatalf("%s, in place %d:\n%s", bad.Name, at, doc)
			}
		}
	}
}

// placesEach is in how many places each text is tried: every place has its share of every kind of text.
const placesEach = 3

// filled is the config with a hostile text in one place.
func filled(parts []string, at int, bad []byte) string {
	var doc strings.Builder
	for j, part := range parts[:len(parts)-1] {
		word := quoted(harmlessPlaces[j])
		if j == at {
			word = hostileWord(harmlessPlaces[j], bad)
		}
		doc.WriteString(part + word)
	}
	return doc.String() + parts[len(parts)-1]
}

// hostileWord keeps the scheme of a path, so that the text is taken for a file's name.
func hostileWord(harmless string, bad []byte) string {
	scheme, _, found := strings.Cut(harmless, ":")
	if found && (scheme == "sqlite" || scheme == "jsonl") {
		return quoted(scheme + ":" + string(bad))
	}
	return quoted(string(bad))
}

// quoted spells a text as YAML does in double quotes; what JSON cannot spell stands there raw.
func quoted(s string) string {
	if strings.ToValidUTF8(s, "") != s {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
	}
	out, err := json.Marshal(s)
	if err != nil {
		return err.Error()
	}
	return string(out)
}
