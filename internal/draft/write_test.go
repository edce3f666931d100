package draft

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/sources"
	"example.com/idemctl/internal/text/hostile"
)

// TestHostileNames: whatever a store's tables and columns are called, the config that is drafted is one, means the table that was found, and shows nothing that a
// terminal obeys.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	all, err := config.ReadPresets()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"plain", "with space", "a.b", `quo"te`, "new\nline: {x: 1}", "{from: x}", "- dash", "# remark", "\x1b[31mred", "\u202eright", "ключ", "*", "null", "'single'", "a: b", strings.Repeat("long", 60)} {
		quote := func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
		sql := "CREATE TABLE " + quote("t "+name) + " (" + quote(name) + " INTEGER PRIMARY KEY, idempotency_key TEXT, created_at TEXT);\nINSERT INTO " + quote("t "+name) + " VALUES (1, 'k', '2026-11-29 06:00:00');\n" +
			"CREATE TABLE " + quote(name+" idempotency") + " (idempotency_key TEXT, request_hash TEXT, status TEXT);\nINSERT INTO " + quote(name+" idempotency") + " VALUES ('k', 'h', '" + strings.ReplaceAll(name, "'", "''") + "');\n"
		path := filepath.Join(t.TempDir(), "s.sql")
		if err := os.WriteFile(path, []byte(sql), 0o600); err != nil {
			t.Fatal(err)
		}
		target := Target{Spec: sources.Spec{Scheme: sources.SQLite, Path: path}, Open: "sqlite:" + path, Name: "store"}
		found, data := drafted(t, target, all)
		if err := hostile.Check(data); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		if got := recordsOf(t, target, found, data); strings.Contains(got, "unreadable") || strings.Count(got, "key=k") != 2 || !strings.Contains(got, "effect_id=1") {
			t.Errorf("%q reads\n%s\nof\n%s", name, got, data)
		}
	}
}

// TestLike holds the patterns of names to what they say.
func TestLike(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		pattern, text string
		want          bool
	}{
		{"", "", true},
		{"*", "", true},
		{"*", "abc", true},
		{"a*", "abc", true},
		{"*c", "abc", true},
		{"a*c", "abc", true},
		{"a*b*c", "aXbYc", true},
		{"*:*:*", "a:b", false},
		{"a", "ab", false},
		{"ab", "a", false},
		{"evt_*", "evt_1", true},
		{"evt_*", "ev_1", false},
		{"a*a", "a", false},
	} {
		if got := like(tc.pattern, tc.text); got != tc.want {
			t.Errorf("%q of %q: %t", tc.pattern, tc.text, got)
		}
	}
}
