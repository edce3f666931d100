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
	const none, shared = "no index finds a row by its key (tenant, k)", "no unique index on the key (tenant, k)"
	for _, tt := range []struct{ name, columns, after, want string }{
		{"none", "tenant TEXT, k TEXT", "", none},
		{"primary key", "tenant TEXT, k TEXT, PRIMARY KEY (tenant, k)", "", ""},
		{"without rowid", "tenant TEXT, k TEXT, x, PRIMARY KEY (K, tenant)) WITHOUT ROWID; CREATE TABLE other (x", "", ""},
		{"key alone", "tenant TEXT, k TEXT UNIQUE", "", ""},
		{"the rowid", "tenant TEXT, k INTEGER PRIMARY KEY", "", ""},
		{"not unique", "tenant TEXT, k TEXT", "CREATE INDEX i ON r (tenant, K)", shared},
		{"unique with more", "tenant TEXT, k TEXT, x", "CREATE UNIQUE INDEX i ON r (tenant, k, x)", shared},
		{"behind another column", "tenant TEXT, k TEXT, x", "CREATE UNIQUE INDEX i ON r (x, k)", none},
		{"tenant alone", "tenant TEXT, k TEXT", "CREATE UNIQUE INDEX i ON r (tenant)", none},
		{"an expression", "tenant TEXT, k TEXT", "CREATE UNIQUE INDEX i ON r (lower(k))", none},
		{"partial", "tenant TEXT, k TEXT", "CREATE UNIQUE INDEX i ON r (tenant, k) WHERE tenant > 'm'", none},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			script := "CREATE TABLE r (" + tt.columns + "); INSERT INTO r (tenant, k) VALUES ('north', 7);" + tt.after
			if err := os.WriteFile(filepath.Join(dir, "r.sql"), []byte(script), 0o600); err != nil {
				t.Fatal(err)
			}
			spec := Spec{
				Name: "r", Role: reconcile.RoleReceipt, Scheme: SQLite, Path: "r.sql", Shown: "sqlite:r.sql", Table: "r", Components: []string{"tenant", "key"},
				Map: []Field{{Name: "tenant", From: "tenant"}, {Name: "key", From: "k"}},
			}
			set, err := Open(context.Background(), Place{Dir: dir, TempDir: dir}, []Spec{spec}, reconcile.Instant{})
			if err != nil {
				t.Fatal(err)
			}
			checked := set.Check()[0]
			if err := set.Close(); err != nil {
				t.Error(err)
			}
			notes := strings.Join(checked.Notes, "\n")
			if !checked.Opened || !strings.Contains(notes, tt.want) || tt.want == "" && strings.Contains(notes, "index") {
				t.Errorf("opened %v, notes %q, want %q", checked.Opened, notes, tt.want)
			}
		})
	}
}
