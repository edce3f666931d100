package restoreplan_test

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.com/idemctl/fixtures"
	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/materialise"
	"example.com/idemctl/internal/restoreplan"
	"example.com/idemctl/internal/scan"
)

// planOf scans a config and makes the plan of its cases. again is how many keys a retry would, or might, execute again.
func planOf(t *testing.T, cfg *config.Config, reuse ...restoreplan.Reuse) (p *restoreplan.Plan, again int) {
	t.Helper()
	res, err := scan.Run(t.Context(), cfg, scan.Options{TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Close() }()
	p = restoreplan.New(restoreplan.Input{Manifest: res.Manifest(), Contracts: cfg.Contracts, Sources: cfg.Sources, Dir: cfg.Place.Dir, Reuse: reuse})
	for c, err := range res.Cases(t.Context(), scan.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		p.Add(c)
		if strings.Contains(c.RetryNow.String(), "again") {
			again++
		}
	}
	return p, again
}

func load(t *testing.T, dir string) *config.Config {
	t.Helper()
	cfg, err := config.Load(filepath.Join(dir, config.FileName), config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func sqlOf(t *testing.T, p *restoreplan.Plan) string {
	t.Helper()
	var b bytes.Buffer
	if err := p.SQL(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// sqlite runs a script on a database as an operator would.
func sqlite(t *testing.T, db, script string) string {
	t.Helper()
	cmd := exec.Command("sqlite3", "-bail", db)
	cmd.Stdin = strings.NewReader(script)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("sqlite3: %v\n%s\n%s", err, out, script)
	}
	return strings.TrimSpace(string(out))
}

func made(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "made")
	if err := materialise.Write(t.Context(), fixtures.FS, name, dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestReceiptsPutBack(t *testing.T) {
	t.Parallel()
	dir := made(t, "payments-restore")
	p, again := planOf(t, load(t, dir))
	script := sqlOf(t, p)
	t.Log(script)
	if len(p.Inserts) != 12 || len(p.Refused) != 0 || again != 12 {
		t.Fatalf("%d receipts, %+v, %d keys would run again", len(p.Inserts), p.Refused, again)
	}
	if got := sqlite(t, filepath.Join(dir, "receipts.sqlite"), script); got != "12|0" {
		t.Errorf("put back: %s", got)
	}
	if p, again = planOf(t, load(t, dir)); again != 0 || len(p.Inserts) != 0 {
		t.Errorf("%d keys would run again, %d receipts to put back", again, len(p.Inserts))
	}
	if got := sqlite(t, filepath.Join(dir, "receipts.sqlite"), script); got != "0|12" {
		t.Errorf("run twice: %s", got)
	}
}
