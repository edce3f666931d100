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

// faultStore holds more than fits into the buffers between server and client, so that a fault comes while the server is at work.
const faultStore = `CREATE TABLE receipts (tenant text, idem_key text, order_id int8, at timestamptz, body text, PRIMARY KEY (tenant, idem_key));
CREATE TABLE orders (id int8 PRIMARY KEY, tenant text, idem_key text, at timestamptz, body text);
INSERT INTO orders SELECT i, 't', 'k' || i, now() - interval '1 hour', repeat('x', 2000) FROM generate_series(1, 9000) i;
INSERT INTO receipts SELECT tenant, idem_key, id, at, body FROM orders WHERE id <> 1000;
CREATE TABLE marker (n int);
CREATE ROLE reader LOGIN IN ROLE pg_read_all_stats;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader`

// struck scans over a connection of the role reader, and lets something happen before the server's byte at passes. It is the one case, or an incomplete scan
// without any false one.
func struck(t *testing.T, c *pgtest.Cluster, at int64, what func()) (code int, out string) {
	t.Helper()
	gate, err := c.NewGate(at, what)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	config := strings.ReplaceAll(fmt.Sprintf(cutConfig, gate.DSN("reader", "postgres")), "created_at: at", "created_at: at, params: body")
	if err := os.WriteFile(filepath.Join(dir, "idemctl.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	env := &Env{Args: []string{"scan", "--json", "--quiet", dir}, Out: &stdout, Err: &stderr, Now: time.Now, Getenv: func(string) string { return "" }}
	code = Main(context.Background(), env)
	sent := gate.Sent()
	if err := gate.Close(); err != nil {
		t.Error(err)
	}
	out = stdout.String() + stderr.String()
	whole := strings.Contains(out, `"complete": true`) && strings.Contains(out, `"orphaned-effect":1`)
	// An order that was read before the fault lacks its receipt all the same, where all receipts were read.
	part := strings.Contains(out, `"complete": false`) && (strings.Contains(out, `"findings":{}`) || strings.Contains(out, `"findings":{"orphaned-effect":1}`) && strings.Contains(out, `"key":"k1000"`))
	if honest := code == exitUndecided && whole || code == exitIncomplete && part; !honest || sent < at {
		t.Errorf("struck at byte %d of %d: exit %d\n%.2000s", at, sent, code, out)
	}
	return code, out
}

func ownServer(t *testing.T, extra string) *pgtest.Cluster {
	t.Helper()
	c, err := pgtest.Start(context.Background(), extra)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	if err := c.Exec(context.Background(), "postgres", faultStore); err != nil {
		t.Fatal(err)
	}
	return c
}

// fault is what may happen to a server.
type fault struct {
	do    func() error
	whole bool   // the scan may be whole all the same
	words string // of the source that was not read
}

// TestFaultsOfTheServer go through all scans at several places: a scan that could not go on finds nothing that is not so, and says why.
func TestFaultsOfTheServer(t *testing.T) {
	t.Parallel()
	c := ownServer(t, "")
	ctx := context.Background()
	sql := func(statements ...string) func() error {
		return func() error { return c.Exec(ctx, "postgres", strings.Join(statements, ";")) }
	}
	const backends = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'"
	if code, out := struck(t, c, 0, func() {}); code != exitUndecided {
		t.Fatalf("without a fault: exit %d\n%s", code, out)
	}
	for _, f := range []fault{
		{sql(backends + " AND state = 'active'"), true, "postgres"},
		{sql(backends), false, "cut|ended the connection|snapshot"},
		{sql("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'"), true, "57014"},
		{sql("ALTER ROLE reader CONNECTION LIMIT 1", backends), false, "cut|53300|ended the connection"},
		{func() error { return c.Restart(ctx) }, false, "cut|ended the connection|no server|refused|reset"},
	} {
		for _, at := range []int64{5_000, 1_000_000, 17_000_000, 30_000_000} {
			if err := c.Exec(ctx, "postgres", "ALTER ROLE reader CONNECTION LIMIT -1"); err != nil {
				t.Fatal(err)
			}
			code, out := struck(t, c, at, func() {
				if err := f.do(); err != nil {
					t.Error(err)
				}
			})
			if code != exitIncomplete && !f.whole {
				t.Errorf("at %d a scan was whole after %s", at, f.words)
			}
			if told := strings.ContainsFunc(f.words, func(r rune) bool { return r == '|' }); code == exitIncomplete && told && !anyOf(out, strings.Split(f.words, "|")) {
				t.Errorf("at %d it does not say why: none of %s\n%.1500s", at, f.words, out)
			}
		}
	}
	if err := c.Exec(ctx, "postgres", "ALTER ROLE reader CONNECTION LIMIT -1"); err != nil {
		t.Fatal(err)
	}
	if code, out := struck(t, c, 0, func() {}); code != exitUndecided {
		t.Errorf("after all faults: exit %d\n%s", code, out)
	}
	if err := c.Exec(ctx, "postgres", "ALTER ROLE reader CONNECTION LIMIT 1"); err != nil {
		t.Fatal(err)
	}
	if code, out := struck(t, c, 0, func() {}); code != exitIncomplete || !strings.Contains(out, "53300") {
		t.Errorf("with one connection: exit %d\n%s", code, out)
	}
}

func anyOf(text string, words []string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// TestReplayThatOvertakesAScan: a standby ends who is in the way of its replay; what was read until then is no scan.
func TestReplayThatOvertakesAScan(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	primary := ownServer(t, "")
	standby, err := primary.Standby(ctx, "max_standby_streaming_delay = 100ms\nhot_standby_feedback = off")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := standby.Stop(); err != nil {
			t.Error(err)
		}
	})
	n := 0
	replay := func(most time.Duration) {
		n++
		for _, sql := range []string{
			fmt.Sprintf("UPDATE orders SET body = body || 'y' WHERE id %% 7 = %d", n%7), "VACUUM orders", "VACUUM receipts", fmt.Sprintf("INSERT INTO marker VALUES (%d)", n),
		} {
			if err := primary.Exec(ctx, "postgres", sql); err != nil {
				t.Error(err)
			}
		}
		limit, stop := context.WithTimeout(ctx, most)
		defer stop()
		for limit.Err() == nil && standby.Exec(limit, "postgres", fmt.Sprintf("SELECT 1 / count(*) FROM marker WHERE n = %d", n)) != nil {
			rest, wake := context.WithTimeout(limit, 20*time.Millisecond)
			<-rest.Done()
			wake()
		}
	}
	replay(patience) // before it has replayed any transaction, nobody knows how far it is behind
	if code, out := struck(t, standby, 0, func() {}); code != exitUndecided {
		t.Fatalf("the standby as it is: exit %d\n%s", code, out)
	}
	incomplete := 0
	// A session that stands in the middle of a row is heard only when that goes on, and replay waits for it: so long, and no longer, is replay waited for here.
	// On a busy machine it may not have come to its row by then, so that the scan is done before it: then it is given more time.
	for try := range 6 {
		if try > 1 && incomplete > 0 {
			break
		}
		at, most := []int64{1_000_000, 15_000_000}[try%2], time.Duration(max(1, try))*3*time.Second
		if code, out := struck(t, standby, at, func() { replay(most) }); code == exitIncomplete {
			incomplete++
			if !strings.Contains(out, "hot_standby_feedback") {
				t.Errorf("it does not say what helps: %.2000s", out)
			}
		}
	}
	if incomplete == 0 {
		t.Error("no scan was overtaken: nothing was tried")
	}
}
