package postgres

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"example.com/idemctl/internal/sources/postgres/pgtest"
	"example.com/idemctl/internal/sources/rows"
)

// alone starts a server of a test's own, whose open transactions are the test's.
func alone(t *testing.T, extra string) *pgtest.Cluster {
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
	return c
}

// extent opens a table in a store of its own and reads it to its end.
func extent(t *testing.T, dsn, name string) (rows.Extent, []string) {
	t.Helper()
	s, err := OpenStore(context.Background(), dsn, "postgres://db")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	var table rows.Table
	if query, ok := strings.CutPrefix(name, "query: "); ok {
		table, err = s.Query(context.Background(), query, nil)
	} else {
		table, err = s.Table(context.Background(), name)
	}
	table = bound(t, table, err, rows.Path{Column: "id"})
	_, _, ext := dump(t, table)
	notes := s.Notes()
	if own, ok := table.(interface{ Notes() []string }); ok {
		notes = append(notes, own.Notes()...)
	}
	return ext, notes
}

func clock(t *testing.T, conn *pgconn.PgConn) time.Time {
	t.Helper()
	result := conn.ExecParams(context.Background(), "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::int8", nil, nil, nil, nil).Read()
	if result.Err != nil {
		t.Fatal(result.Err)
	}
	return micros(string(result.Rows[0][0]))
}

// left waits until no session of the roles is there: one that was just closed may still have its transaction.
func left(t *testing.T, conn *pgconn.PgConn, roles ...string) {
	t.Helper()
	for over := time.Now().Add(30 * time.Second); ; {
		result := conn.ExecParams(context.Background(), "SELECT count(*) FROM pg_stat_activity WHERE usename = ANY ($1::text[])", [][]byte{[]byte("{" + strings.Join(roles, ",") + "}")}, nil, nil, nil).Read()
		switch {
		case result.Err != nil:
			t.Fatal(result.Err)
		case string(result.Rows[0][0]) == "0":
			return
		case time.Now().After(over):
			t.Fatalf("sessions of %v are still there", roles)
		}
	}
}

func note(notes []string, part string) bool { return strings.Contains(strings.Join(notes, "\n"), part) }

// TestOpenTransactionsBoundTheCoverage goes through what may still add rows that the snapshot lacks.
func TestOpenTransactionsBoundTheCoverage(t *testing.T) {
	t.Parallel()
	c := alone(t, "")
	conn := admin(t, c)
	run(t, conn, "CREATE TABLE t (id int PRIMARY KEY)", "INSERT INTO t VALUES (1)", "CREATE ROLE seeing LOGIN IN ROLE pg_read_all_stats", "CREATE ROLE blind LOGIN", "CREATE ROLE app LOGIN",
		"GRANT SELECT ON t TO seeing, blind", "GRANT INSERT ON t TO app", "CREATE DATABASE elsewhere")
	other, err := pgconn.Connect(context.Background(), c.DSN("app", "postgres"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Close(context.Background()) })
	seeing, blind := c.DSN("seeing", "postgres"), c.DSN("blind", "postgres")
	// bounded reads as both roles, between two looks at the clock.
	bounded := func(when string, from, to time.Time, doubt string) {
		t.Helper()
		left(t, conn, "seeing", "blind")
		before := clock(t, conn)
		ext, notes := extent(t, seeing, "t")
		if from.IsZero() {
			from, to = before, clock(t, conn)
		}
		if !ext.Whole || !ext.Complete || ext.Limit.To.Before(from) || ext.Limit.To.After(to) || ext.Limit.Doubt != "" {
			t.Errorf("%s: %+v, want a limit from %v to %v", when, ext, from, to)
		}
		if hasNote := note(notes, "has been open since"); hasNote != (from != before) {
			t.Errorf("%s: notes %q", when, notes)
		}
		if ext, _ := extent(t, blind, "t"); !strings.Contains(ext.Limit.Doubt, doubt) || (ext.Limit.Doubt == "") != (doubt == "") {
			t.Errorf("%s, blind: %+v, want doubt %q", when, ext, doubt)
		}
	}
	const hidden = "cannot see since when"
	bounded("nothing open", time.Time{}, time.Time{}, "")

	from := clock(t, conn)
	run(t, other, "BEGIN", "SELECT 1") // idle, without a number of its own yet: it may still write with this start as its rows' time
	bounded("idle in a transaction", from, clock(t, conn), hidden)
	run(t, other, "INSERT INTO t VALUES (2)")
	bounded("writing", from, clock(t, conn), hidden)
	run(t, other, "ROLLBACK")
	bounded("rolled back", time.Time{}, time.Time{}, "")

	away, err := c.Connect(context.Background(), "elsewhere")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = away.Close(context.Background()) }()
	run(t, away, "BEGIN", "SELECT 1")
	bounded("open in another database", time.Time{}, time.Time{}, "")
}

// TestAPreparedTransactionLeavesADoubt has no start that anybody could see.
func TestAPreparedTransactionLeavesADoubt(t *testing.T) {
	t.Parallel()
	c := alone(t, "")
	conn := admin(t, c)
	from := clock(t, conn)
	run(t, conn, "CREATE TABLE t (id int)", "BEGIN", "INSERT INTO t VALUES (1)", "PREPARE TRANSACTION 'canary-gid'")
	to := clock(t, conn)
	ext, notes := extent(t, c.DSN(pgtest.User, "postgres"), "t")
	if !strings.Contains(ext.Limit.Doubt, "prepared transaction") || !strings.Contains(ext.Limit.Hint, "lag") || ext.Limit.To.Before(from) || ext.Limit.To.After(to) {
		t.Errorf("%+v, want a doubt and a limit from %v to %v", ext, from, to)
	}
	if !note(notes, "superuser") || !note(notes, "may write to t") {
		t.Errorf("notes %q", notes)
	}
	run(t, conn, "COMMIT PREPARED 'canary-gid'")
	if ext, _ := extent(t, c.DSN(pgtest.User, "postgres"), "t"); ext.Limit.Doubt != "" {
		t.Errorf("after the commit: %+v", ext)
	}
}

// TestASessionThatHidesItsStart is not taken for one that has none.
func TestASessionThatHidesItsStart(t *testing.T) {
	t.Parallel()
	c := alone(t, "track_activities = off")
	conn := admin(t, c)
	run(t, conn, "CREATE TABLE t (id int)", "BEGIN", "SELECT 1")
	if ext, _ := extent(t, c.DSN(pgtest.User, "postgres"), "t"); ext.Limit.Doubt == "" {
		t.Errorf("%+v, want a doubt", ext)
	}
}

// TestHiddenTransactionsThatEndLeaveNoDoubt: those that are open at the last look began after the first one.
func TestHiddenTransactionsThatEndLeaveNoDoubt(t *testing.T) {
	t.Parallel()
	at := func(n int64) time.Time { return time.UnixMicro(n) }
	first := &activity{at: at(100), open: []open{{id: "3/1", pid: "1"}, {id: "4/1", pid: "2", since: at(40)}}}
	for name, tc := range map[string]struct {
		now   activity
		to    int64
		doubt bool
	}{
		"both ended":           {activity{at: at(200)}, 100, false},
		"another began":        {activity{at: at(200), open: []open{{id: "3/2", pid: "1"}}}, 100, false},
		"the known one stands": {activity{at: at(200), open: []open{{id: "4/1", pid: "2", since: at(40)}}}, 40, false},
		"the hidden one too":   {activity{at: at(200), open: []open{{id: "3/1", pid: "1"}, {id: "4/1", pid: "2", since: at(40)}}}, 40, true},
		"prepared meanwhile":   {activity{at: at(200), prepared: at(30), gid: "x"}, 30, true},
		"a standby":            {activity{at: at(200), standby: true}, 100, true},
	} {
		h := conclude(first, &tc.now)
		if h.limit.To != at(tc.to) || (h.limit.Doubt != "") != tc.doubt {
			t.Errorf("%s: %+v", name, h.limit)
		}
	}
	replayed := *first
	replayed.replayed = at(50)
	if h := conclude(&replayed, &activity{at: at(200), standby: true}); h.limit.To != at(50) || h.limit.Doubt != "" || !note(h.notes, "standby") {
		t.Errorf("a standby that replayed: %+v", h)
	}
}

func TestOnlyATableIsWhole(t *testing.T) {
	t.Parallel()
	schema, role, conn := database(t, "CREATE TABLE plain (id int)", "CREATE VIEW seen AS SELECT * FROM plain", "CREATE MATERIALIZED VIEW old AS SELECT * FROM plain",
		"CREATE TABLE guarded (id int)", "ALTER TABLE guarded ENABLE ROW LEVEL SECURITY", "CREATE TABLE parts (id int) PARTITION BY LIST (id)", "CREATE TABLE one PARTITION OF parts DEFAULT",
		"CREATE TABLE parent (id int)", "CREATE TABLE heir () INHERITS (parent)", "CREATE UNLOGGED TABLE forgetful (id int)")
	run(t, conn, "INSERT INTO guarded VALUES (1)", "INSERT INTO heir VALUES (1)", "INSERT INTO parts VALUES (1)")
	dsn := cluster(t).DSN(role, "postgres")
	for name, doubt := range map[string]string{
		"plain": "", "parts": "", "parent": "", "forgetful": "", "seen": "a view shows only", "old": "last refresh", "guarded": "row security is active",
		"query: SELECT * FROM " + schema + ".plain": "a query shows only",
	} {
		table := name
		if !strings.HasPrefix(name, "query") {
			table = schema + "." + name
		}
		ext, notes := extent(t, dsn, table)
		if !ext.Complete || ext.Whole != (doubt == "") || !ext.Whole && (!strings.Contains(ext.Limit.Doubt, doubt) || ext.Limit.Hint == "") {
			t.Errorf("%s: %+v", name, ext)
		}
		if note(notes, "unlogged") != (name == "forgetful") || note(notes, "superuser") || note(notes, "may write") {
			t.Errorf("%s: notes %q", name, notes)
		}
	}
	run(t, conn, "ALTER ROLE "+role+" BYPASSRLS", "GRANT DELETE ON plain TO "+role)
	if ext, _ := extent(t, dsn, schema+".guarded"); !ext.Whole {
		t.Errorf("a role that no policy binds: %+v", ext)
	}
	if _, notes := extent(t, dsn, schema+".plain"); !note(notes, "may write to "+schema+".plain") {
		t.Errorf("notes of a role that may delete: %q", notes)
	}
}
