package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"example.com/idemctl/internal/sources/postgres/pgtest"
)

// face is what a server could tell of having been written to: its log's end, the next transaction's number, what transactions did in any table, the tables
// themselves, and what a session may leave behind.
const face = `SELECT concat_ws(' ', pg_current_wal_insert_lsn(), pg_current_xact_id_if_assigned(), pg_snapshot_xmax(pg_current_snapshot()),
 (SELECT sum(tup_inserted + tup_updated + tup_deleted + conflicts + deadlocks) FROM pg_stat_database),
 (SELECT sum(n_tup_ins + n_tup_upd + n_tup_del + n_dead_tup + vacuum_count + analyze_count) FROM pg_stat_user_tables),
 (SELECT md5(string_agg(t::text, ',' ORDER BY id)) FROM orders t), (SELECT md5(string_agg(t::text, ',' ORDER BY idem_key)) FROM receipts t),
 (SELECT md5(string_agg(c::text, ',' ORDER BY oid)) FROM pg_class c), (SELECT count(*) FROM pg_largeobject_metadata), (SELECT count(*) FROM pg_prepared_xacts),
 (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'), (SELECT sum(last_value) FROM pg_sequences), pg_notification_queue_usage(),
 (SELECT count(*) FROM pg_stat_activity WHERE usename = 'reader'))`

// TestNoCommandWritesToPostgres runs every command that reads a source, as a role that may write nothing and as one that may write everything: the server's
// counters stay as they are, and nobody but the trail learns of it. What connects, and as whom, is kept nowhere.
func TestNoCommandWritesToPostgres(t *testing.T) {
	t.Parallel()
	c := ownServer(t, pgtest.Quiet)
	ctx := context.Background()
	// The second takes away the rows of the catalogue that the first one replaced: else whoever reads them next makes the server tidy up, and write of it.
	for _, tidy := range []string{"VACUUM (FREEZE, ANALYZE)", "VACUUM (FREEZE)"} {
		if err := c.Exec(ctx, "postgres", tidy); err != nil {
			t.Fatal(err)
		}
	}
	look := func() string {
		conn, err := c.Connect(ctx, "postgres")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close(ctx) }()
		alone(t, conn)
		result := conn.ExecParams(ctx, face, nil, nil, nil, nil).Read()
		if result.Err != nil {
			t.Fatal(result.Err)
		}
		return string(result.Rows[0][0])
	}
	if err := c.Exec(ctx, "postgres", "CHECKPOINT"); err != nil {
		t.Fatal(err)
	}
	for _, role := range []string{"reader", pgtest.User} {
		before := look()
		dir := t.TempDir()
		dsn := strings.Replace(c.DSN(role, "postgres"), role+"@", role+":canary-pass@", 1) + "&sslpassword=canary-key"
		config := fmt.Sprintf(cutConfig, "${DSN}") + "audit: sqlite:trail/audit.db\n"
		if err := os.WriteFile(filepath.Join(dir, "idemctl.yaml"), []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		told := ""
		run := func(want int, line ...string) string {
			t.Helper()
			var out, errOut bytes.Buffer
			env := &Env{Args: line, Out: &out, Err: &errOut, Now: time.Now, Getenv: func(name string) string { return map[string]string{"DSN": dsn, "HOME": dir}[name] }}
			if code := Main(ctx, env); code != want {
				t.Errorf("%s %q: exit %d, want %d\n%.1000s%.1000s", role, line, code, want, out.String(), errOut.String())
			}
			told += out.String() + errOut.String()
			return out.String()
		}
		kept := filepath.Join(dir, "night.scan")
		run(exitUndecided, "scan", "--quiet", "--out", kept, dir)
		run(exitUndecided, "scan", "--quiet", "--csv", dir)
		var seen struct{ Cases []struct{ ID string } }
		if err := json.Unmarshal([]byte(run(exitUndecided, "scan", "--quiet", "--json", dir)), &seen); err != nil || len(seen.Cases) != 1 {
			t.Fatalf("%v, %+v", err, seen)
		}
		run(0, "check", dir)
		run(0, "check", "--json", dir)
		run(0, "show", "--quiet", seen.Cases[0].ID, dir)
		run(0, "show", "--quiet", "--json", seen.Cases[0].ID, kept)
		run(0, "decide", "--quiet", seen.Cases[0].ID, "escalate", "--to", "payments", "--reason", "the receipt is gone", dir)
		run(0, "handout", "--quiet", dir)
		run(0, "audit", "log", dir)
		run(0, "audit", "verify", dir)
		if after := look(); after != before {
			t.Errorf("as %s: the server is not as it was\n%s\n%s", role, before, after)
		}
		if i := strings.Index(told, "canary"); i >= 0 {
			t.Errorf("as %s: told %.200s", role, told[max(0, i-100):])
		}
		kept = holds(t, dir, "canary")
		if kept != "" {
			t.Errorf("as %s: %s keeps what connected", role, kept)
		}
	}
}

// alone waits until no other session is there: one that was closed is for a while, and tells what it did as it goes.
func alone(t *testing.T, conn *pgconn.PgConn) {
	t.Helper()
	const others = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
	for over := time.Now().Add(patience); ; {
		result := conn.ExecParams(t.Context(), others, nil, nil, nil, nil).Read()
		switch {
		case result.Err != nil:
			t.Fatal(result.Err)
		case string(result.Rows[0][0]) == "0":
			return
		case time.Now().After(over):
			t.Fatal("other sessions are still there")
		}
	}
}

// holds names a file below a folder that holds a text, "" when none does.
func holds(t *testing.T, dir, text string) (found string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if bytes.Contains(content, []byte(text)) {
			found = path
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return found
}
