package sources

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/idemctl/internal/reconcile"
)

// TestCheckMissesIndexes looks at tables with every kind of index that a key may have, and none.
func TestCheckMissesIndexes(t *testing.T) {
	t.Parallel()
	const none = "no index finds a row by its key (tenant, k): each lookup reads the whole table, and nothing in the store keeps two receipts of one key apart"
	const slow = "no index finds a row by its key (tenant, k): each lookup of a row by its key reads the whole table"
	const shared = "no unique index on the key (tenant, k): nothing in the store keeps two receipts of one key apart"
	for _, tt := range []struct{ name, columns, after, want, effects string }{
		{"none", "tenant TEXT, k TEXT", "", none, slow},
		{"primary key", "tenant TEXT, k TEXT, PRIMARY KEY (tenant, k)", "", "", ""},
		{"without rowid", "tenant TEXT, k TEXT, x, PRIMARY KEY (K, tenant)) WITHOUT ROWID; CREATE TABLE other (x", "", "", ""},
		{"key alone", "tenant TEXT, k TEXT UNIQUE", "", "", ""},
		{"the rowid", "tenant TEXT, k INTEGER PRIMARY KEY", "", "", ""},
		{"not unique", "tenant TEXT, k TEXT", "CREATE INDEX i ON r (tenant, K)", shared, ""},
		{"unique with more", "tenant TEXT, k TEXT, x", "CREATE UNIQUE INDEX i ON r (tenant, k, x)", shared, ""},
		{"behind another column", "tenant TEXT, k TEXT, x", "CREATE UNIQUE INDEX i ON r (x, k)", none, slow},
		{"tenant alone", "tenant TEXT, k TEXT", "CREATE UNIQUE INDEX i ON r (tenant)", none, slow},
		{"an expression", "tenant TEXT, k TEXT", "CREATE UNIQUE INDEX i ON r (lower(k))", none, slow},
		{"partial", "tenant TEXT, k TEXT", "CREATE UNIQUE INDEX i ON r (tenant, k) WHERE tenant > 'm'", none, slow},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if notes := notesOf(t, reconcile.RoleReceipt, tt.columns, tt.after); !strings.Contains(notes, tt.want) || tt.want == "" && strings.Contains(notes, "index") {
				t.Errorf("receipts: notes %q, want %q", notes, tt.want)
			}
			if notes := notesOf(t, reconcile.RoleEffect, tt.columns, tt.after); !strings.Contains(notes, tt.effects) || tt.effects == "" && strings.Contains(notes, "index") ||
				strings.Contains(notes, "apart") {
				t.Errorf("effects: notes %q, want %q", notes, tt.effects)
			}
		})
	}
}

// notesOf is what check notes of a table of a role.
func notesOf(t *testing.T, role reconcile.Role, columns, after string) string {
	t.Helper()
	dir := t.TempDir()
	script := "CREATE TABLE r (" + columns + "); INSERT INTO r (tenant, k) VALUES ('north', 7);" + after
	if err := os.WriteFile(filepath.Join(dir, "r.sql"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	spec := Spec{
		Name: "r", Role: role, Scheme: SQLite, Path: "r.sql", Shown: "sqlite:r.sql", Table: "r", Components: []string{"tenant", "key"},
		Map: []Field{{Name: "tenant", From: "tenant"}, {Name: "key", From: "k"}},
	}
	set, err := Open(context.Background(), Place{Dir: dir, TempDir: dir}, []Spec{spec}, reconcile.Instant{})
	if err != nil {
		t.Fatal(err)
	}
	checked := set.Check(context.Background())[0]
	if err := set.Close(); err != nil {
		t.Error(err)
	}
	if !checked.Opened {
		t.Errorf("the table of %s was not opened", role)
	}
	return strings.Join(checked.Notes, "\n")
}
