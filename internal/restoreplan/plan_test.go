package restoreplan_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/idemctl/fixtures"
	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/materialise"
	"example.com/idemctl/internal/restoreplan"
	"example.com/idemctl/internal/scan"
)

// plan is a plan and what cannot be rebuilt.
type plan struct {
	*restoreplan.Plan
	Refused []restoreplan.Unbuildable
}

// planOf scans a config and makes the plan of its cases. again is how many keys a retry would, or might, execute again.
func planOf(t *testing.T, cfg *config.Config, reuse ...restoreplan.Reuse) (p *plan, again int) {
	t.Helper()
	res, err := scan.Run(t.Context(), cfg, scan.Options{TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Close() })
	cases := res.Cases(t.Context(), scan.Filter{})
	for c, err := range cases {
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(c.RetryNow.String(), "again") {
			again++
		}
	}
	p = &plan{Plan: restoreplan.New(restoreplan.Input{Manifest: res.Manifest(), Contracts: cfg.Contracts, Sources: cfg.Sources, Dir: cfg.Place.Dir, Reuse: reuse, Cases: cases})}
	if err := p.Count(func(u restoreplan.Unbuildable) error { p.Refused = append(p.Refused, u); return nil }); err != nil {
		t.Fatal(err)
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

func sqlOf(t *testing.T, p *plan) string {
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

// nights are the fixtures that tell of a restore: the database of the receipts, how many of them can be put back, how many cannot, and how many keys a retry
// would, or might, execute again before and after.
var nights = []struct {
	name, db         string
	inserts, refused int
	before, after    int
}{
	{name: "payments-restore", db: "receipts.sqlite", inserts: 12, before: 12},
	{name: "tenant-restore", db: "invoices.sqlite", inserts: 5, before: 5},
	{name: "receipts-switched", db: "receipts.sqlite", inserts: 7, before: 7},
	{name: "replica-promoted", db: "receipts.sqlite", inserts: 2, before: 2},
	{name: "two-points-restore", db: "receipts.sqlite", inserts: 3, refused: 4, before: 7, after: 4},
	{name: "clinic-restore", db: "clinic.sqlite", refused: 5, before: 7, after: 7},
	{name: "seats-restore", db: "receipts.sqlite"},
	{name: "scheduler-awake", db: "payroll.sqlite"},
}

// TestNights puts back what every fixture has lost, and scans again: nothing that was put back runs again, and a second run changes nothing.
func TestNights(t *testing.T) {
	t.Parallel()
	for _, night := range nights {
		t.Run(night.name, func(t *testing.T) {
			t.Parallel()
			dir := made(t, night.name)
			p, again := planOf(t, load(t, dir))
			if int(p.Insertable) != night.inserts || len(p.Refused) != night.refused || again != night.before {
				t.Fatalf("%d receipts, %d keys would run again, refused %+v", int(p.Insertable), again, p.Refused)
			}
			script, db := sqlOf(t, p), filepath.Join(dir, night.db)
			want := ""
			if night.inserts > 0 {
				want = fmt.Sprintf("%d|0", night.inserts)
			}
			if got := sqlite(t, db, script); got != want {
				t.Errorf("put back and left alone: %q, want %q", got, want)
			}
			whole := sqlite(t, db, ".dump")
			if night.inserts > 0 {
				want = fmt.Sprintf("0|%d", night.inserts)
			}
			if got := sqlite(t, db, script); got != want || sqlite(t, db, ".dump") != whole {
				t.Errorf("run twice: %q", got)
			}
			if p, again = planOf(t, load(t, dir)); again != night.after || int(p.Insertable) != 0 {
				t.Errorf("then %d keys would run again, want %d, and %d receipts are to be put back", again, night.after, int(p.Insertable))
			}
		})
	}
}

// TestSequenceOfAnotherFile sets the sequence of the orders from the script for the receipts, before it puts any of them back.
func TestSequenceOfAnotherFile(t *testing.T) {
	t.Parallel()
	dir := made(t, "two-points-restore")
	p, _ := planOf(t, load(t, dir), restoreplan.Reuse{Source: "orders", From: 814, To: 815})
	script := sqlOf(t, p)
	if strings.Index(script, "UPDATE idemctl_1.sqlite_sequence") > strings.Index(script, "INSERT INTO main") {
		t.Errorf("the sequence is set too late:\n%s", script)
	}
	if got := sqlite(t, filepath.Join(dir, "receipts.sqlite"), script); got != "3|0" {
		t.Errorf("put back: %s", got)
	}
	const next = "INSERT INTO orders (customer, idem_key, item, count, request, price, currency, status, created_at) VALUES ('x', 'x', 'x', 1, '{}', 1, 'EUR', 'new', '2026-11-29T07:00:00Z') RETURNING id;"
	if got := sqlite(t, filepath.Join(dir, "orders.sqlite"), next); got != "816" {
		t.Errorf("the next order is %s", got)
	}
}

// TestList writes the plan of a store that no SQL reaches as lines, which say the same.
func TestList(t *testing.T) {
	t.Parallel()
	p, _ := planOf(t, load(t, made(t, "receipts-cleared")))
	if err := p.SQL(io.Discard); !errors.Is(err, restoreplan.ErrFiles) {
		t.Errorf("as SQL: %v", err)
	}
	var b bytes.Buffer
	if err := p.JSONL(&b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	var first struct {
		Columns  map[string]any
		Unless   []map[string]any
		Requires []map[string]any
	}
	if err := json.Unmarshal([]byte(lines[1]), &first); err != nil || len(lines) != 9 {
		t.Fatalf("%v, %d lines\n%s", err, len(lines), b.String())
	}
	want := map[string]any{
		"shop": "atelier", "key": "g-501", "state": "done", "status": 201.0, "body": `{"voucher": "V-1XNB"}`, "made": 1795849533.0, "ttl_until": 1795935933.0,
	}
	if diff := cmp.Diff(want, first.Columns); diff != "" || len(first.Unless) != 2 || len(first.Requires) != 1 {
		t.Errorf("the first receipt (-want +got):\n%s\n%s", diff, lines[1])
	}
}
