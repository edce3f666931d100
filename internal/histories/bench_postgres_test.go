package histories_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/idemctl/internal/sources/postgres/pgtest"
)

const pgRows = 1_000_000

// pgStore makes a million receipts and a million orders, one in a thousand of which lacks its receipt, in rows that are displaced a little.
const pgStore = `CREATE TABLE receipts (tenant text NOT NULL, idem_key text NOT NULL, request_hash text, status text, order_id bigint, created_at timestamptz NOT NULL, PRIMARY KEY (tenant, idem_key));
CREATE TABLE orders (id bigint PRIMARY KEY, tenant text NOT NULL, idem_key text, amount bigint, currency text, status text, created_at timestamptz NOT NULL);
INSERT INTO orders SELECT i, 't' || i % 40, md5(i::text), 100 + i % 9000, 'EUR', 'paid', now() - interval '20 hours' + i * interval '50 ms' FROM generate_series(1, ROWS) i ORDER BY i + (i::bigint * 7919) % 50;
INSERT INTO receipts SELECT 't' || i % 40, md5(i::text), md5((i + 1)::text), 'COMPLETED', i, now() - interval '20 hours' + i * interval '50 ms' FROM generate_series(1, ROWS) i WHERE i % 1000 <> 0 ORDER BY i + (i::bigint * 104729) % 50;
VACUUM (FREEZE, ANALYZE);`

const pgConfig = `version: 1
name: bulk
contracts: [{name: orders, operation: create-order, scope: [tenant, operation, key], effect: local, atomic: true, retention: 48h, retry_window: 24h, settle: 1m}]
sources:
  - {name: receipts, role: receipts, open: "%[1]s", table: receipts, map: {tenant: tenant, operation: {value: create-order}, key: idem_key, state: {from: status, words: {COMPLETED: completed}}, effect_id: order_id, created_at: created_at}}
  - {name: orders, role: effects, open: "%[1]s", table: orders, map: {tenant: tenant, operation: {value: create-order}, key: idem_key, effect_id: id, status: {from: status, words: {paid: effective}}, amount: {from: amount, unit: minor, currency: currency}, created_at: created_at}}
`

// pgJoin is what a person would ask in psql: the same two anti-joins and the duplicates.
const pgJoin = `SELECT count(*) FROM (SELECT r.idem_key, o.id FROM receipts r FULL JOIN orders o ON o.tenant = r.tenant AND o.idem_key = r.idem_key WHERE r.idem_key IS NULL OR o.id IS NULL
 UNION ALL SELECT idem_key, min(id) FROM orders GROUP BY tenant, idem_key HAVING count(*) > 1) q`

// BenchmarkPostgres1M scans a million receipts and a million orders out of PostgreSQL with the built program, beside a bare read by the same readers, psql
// copying out the same columns, and PostgreSQL's own join.
func BenchmarkPostgres1M(b *testing.B) {
	ctx := b.Context()
	c, err := pgtest.Start(ctx, "shared_buffers = 256MB\nwork_mem = 64MB\nmax_wal_size = 4GB\n")
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := c.Stop(); err != nil {
			b.Error(err)
		}
	}()
	for _, statement := range strings.Split(strings.ReplaceAll(pgStore, "ROWS", strconv.Itoa(pgRows)), ";\n") {
		if err := c.Exec(ctx, "postgres", statement); err != nil {
			b.Fatal(err)
		}
	}
	dir := b.TempDir()
	path, program := filepath.Join(dir, "idemctl.yaml"), filepath.Join(dir, "idemctl")
	if err := os.WriteFile(path, fmt.Appendf(nil, pgConfig, c.DSN(pgtest.User, "postgres")), 0o600); err != nil {
		b.Fatal(err)
	}
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", program, "example.com/idemctl/cmd/idemctl").CombinedOutput(); err != nil {
		b.Fatalf("building the program: %v\n%s", err, out)
	}
	b.ResetTimer()
	for b.Loop() {
		bare := measured(b, c, func() time.Duration { return readBare(b, path).cpu })
		copied := measured(b, c, func() time.Duration {
			return psql(b, c, "COPY (SELECT tenant, idem_key, status, order_id, created_at FROM receipts) TO STDOUT", "COPY (SELECT id, tenant, idem_key, amount, currency, status, created_at FROM orders) TO STDOUT")
		})
		joined := measured(b, c, func() time.Duration { return psql(b, c, pgJoin) })
		scan := measured(b, c, func() time.Duration { return scanned(b, program, path) })
		b.ReportMetric((scan.client+scan.server).Seconds()/(bare.client+bare.server).Seconds(), "cpu/read")
		b.ReportMetric((scan.client+scan.server).Seconds()/(joined.client+joined.server).Seconds(), "cpu/join")
		b.ReportMetric(scan.wall.Seconds()/bare.wall.Seconds(), "wall/read")
		b.ReportMetric(scan.wall.Seconds()/joined.wall.Seconds(), "wall/join")
		b.ReportMetric(scan.client.Seconds(), "cpu-s")
		b.ReportMetric(scan.wall.Seconds(), "wall-s")
		b.Logf("by the clock (CPU of the client, of the server): scan %s; bare read %s; psql COPY %s; psql FULL JOIN %s", scan, bare, copied, joined)
	}
}

// spent is what one way of reading took.
type spent struct{ wall, client, server time.Duration }

func (s spent) String() string {
	return fmt.Sprintf("%.2f s (%.2f, %.2f)", s.wall.Seconds(), s.client.Seconds(), s.server.Seconds())
}

// measured runs do, which returns the CPU time of the client.
func measured(b *testing.B, c *pgtest.Cluster, do func() time.Duration) spent {
	b.Helper()
	before, err := c.CPU()
	if err != nil {
		b.Fatal(err)
	}
	began := b.Elapsed()
	s := spent{client: do()}
	s.wall = b.Elapsed() - began
	psql(b, c, "SELECT 1") // by when the server has counted the sessions that ended
	after, err := c.CPU()
	if err != nil {
		b.Fatal(err)
	}
	s.server = after - before
	return s
}

// scanned runs the program, which must find the planted cases, and returns its CPU time.
func scanned(b *testing.B, program, path string) time.Duration {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), program, "scan", "--json", "--quiet", path)
	out, err := cmd.Output()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 3 || !strings.Contains(string(out), fmt.Sprintf(`"cases":%d`, pgRows/1000)) {
		b.Fatalf("the scan: %v\n%.2000s", err, out)
	}
	if peak := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10; peak > mostMemory {
		b.Errorf("the scan held %d MiB at its peak, %d are allowed", peak>>20, mostMemory>>20)
	} else {
		b.ReportMetric(float64(peak>>10)/1024, "peak-MiB")
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// psql runs statements in the shell, one after the other, and returns its CPU time.
func psql(b *testing.B, c *pgtest.Cluster, statements ...string) time.Duration {
	b.Helper()
	args := []string{"-X", "-q", "-v", "ON_ERROR_STOP=1", "-o", os.DevNull, "-h", c.Dir, "-U", pgtest.User, "-d", "postgres"}
	for _, s := range statements {
		args = append(args, "-c", s)
	}
	cmd := exec.CommandContext(b.Context(), "psql", args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("psql: %v\n%s", err, out)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}
