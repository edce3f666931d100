package postgres

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"example.com/idemctl/internal/sources/postgres/pgtest"
	"example.com/idemctl/internal/sources/rows"
)

// started is the server of this package's tests, from when the first of them asks; each makes schemas and roles of its own in it.
var started = sync.OnceValues(func() (*pgtest.Cluster, error) {
	asked.Store(true)
	return pgtest.Start(context.Background(), "")
})

var asked atomic.Bool

func TestMain(m *testing.M) {
	m.Run()
	if !asked.Load() {
		return
	}
	if c, err := started(); err == nil {
		_ = c.Stop()
	}
}

func cluster(t testing.TB) *pgtest.Cluster {
	t.Helper()
	c, err := started()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// names numbers what tests create.
var names atomic.Int64

func unique(prefix string) string { return fmt.Sprintf("%s_%d", prefix, names.Add(1)) }

// admin is a superuser's connection, closed when the test ends.
func admin(t testing.TB, c *pgtest.Cluster) *pgconn.PgConn {
	t.Helper()
	conn, err := c.Connect(context.Background(), "postgres")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func run(t testing.TB, conn *pgconn.PgConn, statements ...string) {
	t.Helper()
	for _, sql := range statements {
		if _, err := conn.Exec(context.Background(), sql).ReadAll(); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}

// database makes a schema and a role that may read it, and see other sessions; it returns the schema, the role and a connection to write with.
func database(t testing.TB, statements ...string) (schema, role string, conn *pgconn.PgConn) {
	t.Helper()
	conn = admin(t, cluster(t))
	schema, role = unique("s"), unique("reader")
	run(t, conn, "CREATE SCHEMA "+schema, "CREATE ROLE "+role+" LOGIN IN ROLE pg_read_all_stats", "GRANT USAGE ON SCHEMA "+schema+" TO "+role,
		"ALTER DEFAULT PRIVILEGES IN SCHEMA "+schema+" GRANT SELECT ON TABLES TO "+role, "SET search_path = "+schema)
	run(t, conn, statements...)
	return schema, role, conn
}

func opened(t testing.TB, dsn string) *Store {
	t.Helper()
	s, err := OpenStore(context.Background(), dsn, "postgres://db")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func sprint(v any) string { return fmt.Sprint(v) }

func pathsOf(columns ...string) []rows.Path {
	var out []rows.Path
	for _, c := range columns {
		out = append(out, rows.Path{Column: c})
	}
	return out
}

// collect notes the first cell of each row, which must be met once.
func collect(t testing.TB, seen map[int64]bool) rows.Yield {
	return func(_ rows.Pos, cells []rows.Cell) error {
		if seen[cells[0].Num] {
			t.Errorf("row %d was handed over twice", cells[0].Num)
		}
		seen[cells[0].Num] = true
		return nil
	}
}
