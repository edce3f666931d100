package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/idemctl/internal/sources/postgres/pgtest"
)

const (
	cutPlaces = 24
	cutStore  = `CREATE TABLE receipts (tenant text, idem_key text, order_id int8, at timestamptz, PRIMARY KEY (tenant, idem_key));
CREATE TABLE orders (id int8 PRIMARY KEY, tenant text, idem_key text, at timestamptz);
INSERT INTO orders SELECT i, 't', 'k' || i, now() - interval '1 hour' FROM generate_series(1, 2000) i;
INSERT INTO receipts SELECT tenant, idem_key, id, at FROM orders WHERE id <> 1000;`

	cutConfig = `version: 1
name: cut
contracts: [{name: orders, operation: create-order, scope: [tenant, operation, key], effect: local, atomic: true, retention: 48h, retry_window: 24h, settle: 1m}]
sources:
  - {name: receipts, role: receipts, open: %[1]q, table: receipts, map: {tenant: tenant, operation: {value: create-order}, key: idem_key, effect_id: order_id, created_at: at}}
  - {name: orders, role: effects, open: %[1]q, table: orders, map: {tenant: tenant, operation: {value: create-order}, key: idem_key, effect_id: id, created_at: at}}
`
)

// TestNoFindingOutOfACutConnection scans while the network is cut at ever later places: the one case, or an incomplete scan without any.
func TestNoFindingOutOfACutConnection(t *testing.T) {
	t.Parallel()
	c, err := servers()
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	name := fmt.Sprintf("db_%d", databases.Add(1))
	if err := c.Exec(ctx, "postgres", "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	if err := c.Exec(ctx, name, cutStore); err != nil {
		t.Fatal(err)
	}
	code, out, total := scanThrough(t, c, name, 0, false)
	if code != exitUndecided || !strings.Contains(out, `"orphaned-effect":1`) {
		t.Fatalf("without a cut: exit %d\n%s", code, out)
	}
	ends := map[int]int{}
	for _, all := range []bool{false, true} {
		for i := range int64(cutPlaces / 2) {
			at := 1 + i*total*2/cutPlaces
			code, out, _ := scanThrough(t, c, name, at, all)
			ends[code]++
			whole := strings.Contains(out, `"complete": true`) && strings.Contains(out, `"orphaned-effect":1`)
			nothing := strings.Contains(out, `"complete": false`) && strings.Contains(out, `"findings":{}`)
			if honest := code == exitUndecided && whole || code == exitIncomplete && nothing; !honest {
				t.Errorf("cut at %d of %d, all %t: exit %d\n%s", at, total, all, code, out)
			}
		}
	}
	if ends[exitIncomplete] == 0 {
		t.Errorf("exit codes %v: no scan was cut", ends)
	}
}

// scanThrough scans over a connection that is cut after so many bytes.
func scanThrough(t *testing.T, c *pgtest.Cluster, database string, cutAt int64, all bool) (code int, out string, sent int64) {
	t.Helper()
	p, err := c.NewProxy(cutAt, all)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "idemctl.yaml"), fmt.Appendf(nil, cutConfig, p.DSN(pgtest.User, database)), 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	env := &Env{Args: []string{"scan", "--json", "--quiet", dir}, Out: &stdout, Err: &stderr, Now: time.Now, Getenv: func(string) string { return "" }}
	code = Main(context.Background(), env)
	sent = p.Sent()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	return code, stdout.String() + stderr.String(), sent
}
