package postgres

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"example.com/idemctl/internal/sources/postgres/pgtest"
	"example.com/idemctl/internal/sources/rows"
)

// failing scans a table and runs once after the given row; it returns how far the scan got.
func failing(t *testing.T, table rows.Table, after int, once func()) (n int, ext rows.Extent, err error) {
	t.Helper()
	ext, err = table.Scan(context.Background(), func(rows.Pos, []rows.Cell) error {
		if n++; n == after {
			once()
		}
		return nil
	}, nil)
	return n, ext, err
}

// stopped checks an incomplete reading: its words, its hint, its kind, and that it says nothing of who connected.
func stopped(t *testing.T, ext rows.Extent, err error, words string, is error) {
	t.Helper()
	if err == nil || ext.Complete || !strings.Contains(ext.Reason, words) || ext.Hint == "" || is != nil && !errors.Is(err, is) {
		t.Errorf("%+v, %v; want %q, %v", ext, err, words, is)
	}
	silent(t, ext.Reason+ext.Hint)
}

// silent checks that words hold nothing of the connection.
func silent(t *testing.T, words string) {
	t.Helper()
	for _, part := range []string{"user=", "canary", "/tmp/", "host=", "failed to connect"} {
		if strings.Contains(words, part) {
			t.Errorf("%q tells %q", words, part)
		}
	}
}

// bulky makes rows that do not fit into the buffers between server and client.
const bulky = "INSERT INTO t SELECT i, repeat('x', 500) FROM generate_series(1, 20000) i"

func TestABackendThatIsTerminated(t *testing.T) {
	t.Parallel()
	schema, role, conn := database(t, "CREATE TABLE t (id int PRIMARY KEY, body text)", bulky, "CREATE VIEW v AS SELECT * FROM t ORDER BY id")
	kill := func(which string) func() {
		return func() {
			run(t, conn, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '"+role+"' AND "+which)
		}
	}
	const reader = "state = 'active'"
	for _, tc := range []struct{ table, which, words string }{
		{"t", reader, ""},
		{"t", "true", "snapshot"},
		{"v", "true", "cut"},
	} {
		s := opened(t, cluster(t).DSN(role, "postgres"))
		table, err := s.Table(context.Background(), schema+"."+tc.table)
		bound(t, table, err, pathsOf("id", "body")...)
		n, ext, err := failing(t, table, 600, kill(tc.which))
		if tc.words == "" {
			if n != 20000 || !ext.Complete || err != nil {
				t.Errorf("%s: %d rows, %+v, %v: the same snapshot was still held", tc.table, n, ext, err)
			}
			continue
		}
		if n >= 20000 {
			t.Errorf("%s: all rows came", tc.table)
		}
		stopped(t, ext, err, "", nil)
	}
}

func TestAServerThatRestarts(t *testing.T) {
	t.Parallel()
	c := alone(t, "")
	run(t, admin(t, c), "CREATE TABLE t (id int, body text)", bulky)
	s := opened(t, c.DSN(pgtest.User, "postgres"))
	table, err := s.Table(context.Background(), "t")
	bound(t, table, err, pathsOf("id", "body")...)
	_, ext, err := failing(t, table, 600, func() {
		if err := c.Restart(context.Background()); err != nil {
			t.Error(err)
		}
	})
	stopped(t, ext, err, "", nil)
	if _, ext := again(t, c.DSN(pgtest.User, "postgres"), "t"); !ext.Complete {
		t.Errorf("a scan after the restart: %+v", ext)
	}
	if err := c.Halt(); err != nil {
		t.Fatal(err)
	}
	_, err = OpenStore(context.Background(), c.DSN(pgtest.User, "postgres"), "postgres://db")
	if !errors.Is(err, rows.ErrUnreachable) || !strings.Contains(err.Error(), "no server listens") || rows.HintOf(err) == "" {
		t.Errorf("a server that is down: %v", err)
	}
	silent(t, err.Error())
}

func again(t *testing.T, dsn, name string) (int, rows.Extent) {
	t.Helper()
	table, err := opened(t, dsn).Table(context.Background(), name)
	lines, _, ext := dump(t, bound(t, table, err, pathsOf("id")...))
	return len(lines), ext
}

func TestTheRolesOwnTimeLimit(t *testing.T) {
	t.Parallel()
	schema, role, conn := database(t, "CREATE TABLE t (id int)", "INSERT INTO t VALUES (1)", "CREATE VIEW slow AS SELECT id FROM t, pg_sleep(30)")
	run(t, conn, "ALTER ROLE "+role+" SET statement_timeout = '1s'")
	table, err := opened(t, cluster(t).DSN(role, "postgres")).Table(context.Background(), schema+".slow")
	bound(t, table, err, pathsOf("id")...)
	_, ext, err := failing(t, table, 0, nil)
	stopped(t, ext, err, "(57014)", rows.ErrCut)
	if !strings.Contains(ext.Hint, "statement_timeout") {
		t.Errorf("hint %q", ext.Hint)
	}
}

func TestALockedTable(t *testing.T) {
	t.Parallel()
	schema, role, conn := database(t, "CREATE TABLE t (id int)", "CREATE TABLE free (id int)")
	run(t, conn, "BEGIN", "LOCK TABLE t")
	s := opened(t, cluster(t).DSN(role, "postgres"))
	_, err := s.Table(context.Background(), schema+".t")
	if !errors.Is(err, rows.ErrLocked) || !strings.Contains(err.Error(), "55P03") || rows.HintOf(err) == "" {
		t.Errorf("%v", err)
	}
	table, err := s.Table(context.Background(), schema+".free") // the store outlives a table that fails
	dump(t, bound(t, table, err, pathsOf("id")...))
}

func TestNoConnectionToSpare(t *testing.T) {
	t.Parallel()
	schema, role, conn := database(t, "CREATE TABLE t (id int)", "INSERT INTO t SELECT generate_series(1, 5000)")
	run(t, conn, "ALTER ROLE "+role+" CONNECTION LIMIT 2")
	ctx := context.Background()
	target, err := parse(cluster(t).DSN(role, "postgres"), "postgres://db")
	if err != nil {
		t.Fatal(err)
	}
	o := opener{target: target, pause: time.Millisecond, large: 1, part: 2}
	s, err := o.open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	table, err := s.Table(ctx, schema+".t")
	if lines, _, ext := dump(t, bound(t, table, err, pathsOf("id")...)); len(lines) != 5000 || !ext.Complete {
		t.Errorf("without a second session: %d rows, %+v", len(lines), ext)
	}
	if _, err := s.Table(ctx, schema+".t"); err == nil || !strings.Contains(err.Error(), "53300") || rows.HintOf(err) == "" {
		t.Errorf("a third session: %v", err)
	}
	if _, err := o.open(ctx); err == nil || !strings.Contains(err.Error(), "53300") {
		t.Errorf("a second store: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestATableRewrittenAfterTheSnapshot looks empty, or holds its rows elsewhere, and is refused.
func TestATableRewrittenAfterTheSnapshot(t *testing.T) {
	t.Parallel()
	for _, rewrite := range []string{"TRUNCATE t", "VACUUM FULL t", "TRUNCATE p"} {
		schema, role, conn := database(t, "CREATE TABLE t (id int)", "INSERT INTO t VALUES (1)", "CREATE TABLE p (id int) PARTITION BY LIST (id)", "CREATE TABLE one PARTITION OF p DEFAULT", "INSERT INTO p VALUES (1)", "CREATE VIEW v AS SELECT t.id FROM t JOIN p USING (id)")
		s := opened(t, cluster(t).DSN(role, "postgres"))
		run(t, conn, rewrite)
		for _, name := range []string{"." + rewrite[len(rewrite)-1:], ".v"} {
			if _, err := s.Table(context.Background(), schema+name); !errors.Is(err, rows.ErrChanged) || rows.HintOf(err) == "" {
				t.Errorf("%s, %s: %v", rewrite, name, err)
			}
		}
		table, err := opened(t, cluster(t).DSN(role, "postgres")).Table(context.Background(), schema+".t")
		bound(t, table, err, pathsOf("id")...)
		run(t, conn, "SET lock_timeout = '100ms'")
		if _, err := conn.Exec(context.Background(), "TRUNCATE t").ReadAll(); err == nil || !strings.Contains(err.Error(), "55P03") {
			t.Errorf("a table that is being read was truncated: %v", err)
		}
	}
}

// TestATableThatTookANameOrLostAPart after the snapshot is refused: what is read now is not what the snapshot knows.
func TestATableThatTookANameOrLostAPart(t *testing.T) {
	t.Parallel()
	for table, change := range map[string][]string{
		"t": {"ALTER TABLE t RENAME TO old", "CREATE TABLE t (id int)"},
		"p": {"ALTER TABLE p DETACH PARTITION one"},
		"q": {"ALTER TABLE heir NO INHERIT q"},
		"v": {"ALTER VIEW v RENAME TO w", "CREATE VIEW v AS SELECT 1 AS id"},
	} {
		schema, role, conn := database(t, "CREATE TABLE t (id int)", "INSERT INTO t VALUES (1)", "CREATE VIEW v AS SELECT * FROM t", "CREATE TABLE p (id int) PARTITION BY LIST (id)",
			"CREATE TABLE one PARTITION OF p DEFAULT", "INSERT INTO p VALUES (1)", "CREATE TABLE q (id int)", "CREATE TABLE heir () INHERITS (q)", "INSERT INTO heir VALUES (1)")
		s := opened(t, cluster(t).DSN(role, "postgres"))
		run(t, conn, change...)
		if _, err := s.Table(context.Background(), schema+"."+table); !errors.Is(err, rows.ErrChanged) || rows.HintOf(err) == "" {
			t.Errorf("%s: %v", change, err)
		}
	}
}

// TestARowLongerThanIsTaken is read all the same where it has a place, without its long value.
func TestARowLongerThanIsTaken(t *testing.T) {
	t.Parallel()
	schema, role, conn := database(t, "CREATE TABLE t (id int PRIMARY KEY, body text, other jsonb)", "CREATE VIEW v AS SELECT * FROM t", "CREATE TABLE p (LIKE t) PARTITION BY LIST (id)", "CREATE TABLE one PARTITION OF p DEFAULT")
	run(t, conn, "INSERT INTO t SELECT i, CASE WHEN i = 700 THEN repeat('x', 70000000) END, '{}' FROM generate_series(1, 1400) i", "INSERT INTO p SELECT * FROM t")
	for _, name := range []string{"t", "v", "p"} {
		table, err := opened(t, cluster(t).DSN(role, "postgres")).Table(context.Background(), schema+"."+name, "id")
		lines, at, ext := dump(t, bound(t, table, err, pathsOf("id", "body")...))
		if len(lines) != 1400 || !ext.Complete || !strings.Contains(lines[699], "70000000 bytes") || lines[700] != "2:701 null" {
			t.Fatalf("%s: %d rows, %+v", name, len(lines), ext)
		}
		err = table.Fetch(context.Background(), at[699:701], func(_ rows.Pos, _ string, cells []rows.Cell, _ []rows.Named) error {
			if cells[0].Num == 700 && cells[1].Kind != rows.Bad {
				t.Errorf("%s: fetched %v", name, cells[1].Kind)
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestACancelledScanLeavesNothingBehind on the server, neither at work nor waiting.
func TestACancelledScanLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	schema, role, _ := database(t, "CREATE TABLE t (id int)", "INSERT INTO t SELECT generate_series(1, 5000)", "CREATE VIEW slow AS SELECT id FROM t, pg_sleep(0.1)")
	s := opened(t, cluster(t).DSN(role, "postgres"))
	for _, name := range []string{".t", ".slow"} {
		table, err := s.Table(context.Background(), schema+name)
		bound(t, table, err, pathsOf("id")...)
		ctx, cancel := context.WithTimeout(context.Background(), 150*time.Millisecond)
		ext, err := table.Scan(ctx, func(rows.Pos, []rows.Cell) error { <-ctx.Done(); return nil }, nil)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || ext.Complete {
			t.Errorf("%s: %+v, %v", name, ext, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	reach(t, cluster(t), "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM pg_stat_activity WHERE usename = '"+role+"')")
}

func TestWhatTheSnapshotDoesNotShow(t *testing.T) {
	t.Parallel()
	schema, role, conn := database(t, "CREATE TABLE t (id int)", "CREATE TABLE u (id int)", "INSERT INTO t VALUES (1)")
	s := opened(t, cluster(t).DSN(role, "postgres"))
	run(t, conn, "INSERT INTO t VALUES (2)", "INSERT INTO u VALUES (2)")
	for name, want := range map[string]int{".t": 1, ".u": 0} {
		table, err := s.Table(context.Background(), schema+name)
		if lines, _, _ := dump(t, bound(t, table, err, pathsOf("id")...)); len(lines) != want {
			t.Errorf("%s: %v, want %d rows", name, lines, want)
		}
	}
}

// TestAClassForEveryState goes through the table of what is retried and what is said.
func TestAClassForEveryState(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]class{
		"40001": anew, "40P01": anew, "57P01": gone, "57P02": gone, "57P03": gone, "08006": gone, "08P01": gone, "53300": crowded, "53100": crowded, "57014": verdicts,
		"55P03": verdicts, "42501": verdicts, "25006": verdicts, "22P02": verdicts, "25P03": verdicts, "XX001": verdicts, "28P01": verdicts,
	} {
		err := &pgconn.PgError{Code: code, Message: "said"}
		if got := classOf(err); got != want {
			t.Errorf("%s is of class %d, want %d", code, got, want)
		}
		explained := (&target{shown: "postgres://db"}).explain("t", err)
		if text := explained.Error(); !strings.Contains(text, "("+code+")") || !strings.HasPrefix(text, "postgres://db: t: ") || code[:2] == "22" && strings.Contains(text, "said") {
			t.Errorf("%s: %q", code, text)
		}
	}
}
