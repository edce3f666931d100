package postgres

import (
	"context"
	"strings"
	"testing"

	"example.com/idemctl/internal/sources/postgres/pgtest"
)

func newProxy(t testing.TB, cutAt int64, all bool) *pgtest.Proxy {
	t.Helper()
	p, err := cluster(t).NewProxy(cutAt, all)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

const (
	cutRows   = 4000
	cutPlaces = 34 // of three stores, in two ways: 204
)

// cutStore makes what is read while the connection is cut: a table in several parts and a view.
func cutStore(t *testing.T) (schema, role string) {
	t.Helper()
	schema, role, conn := database(t, "CREATE TABLE t (id int PRIMARY KEY, body text)", "CREATE VIEW v AS SELECT * FROM t ORDER BY id",
		"CREATE TABLE p (id int, body text) PARTITION BY RANGE (id)", "CREATE TABLE low PARTITION OF p FOR VALUES FROM (0) TO (2000)", "CREATE TABLE high PARTITION OF p FOR VALUES FROM (2000) TO (5000)")
	run(t, conn, "INSERT INTO t SELECT i, repeat('x', 20) FROM generate_series(1, "+sprint(cutRows)+") i", "INSERT INTO p SELECT * FROM t", "ANALYZE")
	return schema, role
}

// readThrough opens a table over a connection that may be cut, and counts the distinct rows it hands over.
func readThrough(t *testing.T, dsn, name string) (n int, complete bool) {
	t.Helper()
	target, err := parse(dsn, "postgres://db")
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	s, err := opener{target: target, large: 4, part: 8}.open(ctx)
	if err != nil {
		return 0, false
	}
	defer func() { _ = s.Close() }()
	table, err := s.Table(ctx, name)
	if err != nil {
		return 0, false
	}
	bound(t, table, nil, pathsOf("id")...)
	seen := map[int64]bool{}
	ext, err := table.Scan(ctx, collect(t, seen), nil)
	if err != nil && (ext.Complete || ext.Reason == "" || ext.Hint == "") {
		t.Errorf("%s: %+v, %v", name, ext, err)
	}
	return len(seen), ext.Complete
}

// TestNoCutIsTakenForTheEnd cuts the connection at 200 places: one connection only, which is replaced in the same snapshot, or the whole network for good.
func TestNoCutIsTakenForTheEnd(t *testing.T) {
	t.Parallel()
	schema, role := cutStore(t)
	for _, name := range []string{"t", "v", "p"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := newProxy(t, 0, false)
			if n, complete := readThrough(t, whole.DSN(role, "postgres"), schema+"."+name); n != cutRows || !complete {
				t.Fatalf("%d rows, complete %t without a cut", n, complete)
			}
			cutEverywhere(t, role, schema+"."+name, whole.Sent(), false)
			cutEverywhere(t, role, schema+"."+name, whole.Sent(), true)
		})
	}
}

// cutEverywhere reads a table over connections that are cut at ever later places.
func cutEverywhere(t *testing.T, role, name string, total int64, all bool) {
	t.Helper()
	resumed, stopped := 0, 0
	for i := range int64(cutPlaces) {
		at := 1 + i*total/cutPlaces
		n, complete := readThrough(t, newProxy(t, at, all).DSN(role, "postgres"), name)
		switch {
		case complete && n == cutRows:
			resumed++
		case complete:
			t.Errorf("cut at %d of %d: complete after %d rows", at, total, n)
		default:
			stopped++
		}
	}
	view := strings.HasSuffix(name, ".v") // a cursor ends with its connection
	if stopped == 0 || all && resumed > 1 || !all && !view && resumed == 0 {
		t.Errorf("all %t: %d resumed, %d stopped", all, resumed, stopped)
	}
}
