package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.com/idemctl/internal/sources/postgres/pgtest"
	"example.com/idemctl/internal/sources/rows"
)

// TestNames finds tables and columns as they are written, and says which one is near.
func TestNames(t *testing.T) {
	t.Parallel()
	c := alone(t, "")
	conn := admin(t, c)
	run(t, conn, "CREATE SCHEMA sales", `CREATE SCHEMA "My.Schema"`, "CREATE TABLE orders (id int PRIMARY KEY)", "CREATE TABLE sales.orders (id int)", "CREATE TABLE sales.lines (id int)",
		`CREATE TABLE "My.Schema"."T""x; DROP TABLE orders" ("Id" int, "id" int, "a.b" int, "Only" int)`, `CREATE TABLE "Upper" (id int)`, "CREATE TABLE pg_like (id int)")
	run(t, conn, "INSERT INTO orders VALUES (1)", "INSERT INTO sales.orders VALUES (2)", "INSERT INTO sales.lines VALUES (3)", `INSERT INTO "My.Schema"."T""x; DROP TABLE orders" VALUES (4, 5, 6, 7)`, `INSERT INTO "Upper" VALUES (8)`)
	s := opened(t, c.DSN(pgtest.User, "postgres"))
	ctx := context.Background()
	for name, want := range map[string]string{
		"public.orders": "public.orders:orders/1", "sales.orders": "2", "lines": "3", "LINES": "3", "upper": "8", `"Upper"`: "8", `public."Upper"`: "8",
		`"My.Schema"."T""x; DROP TABLE orders"`: "5", "pg_like": "",
	} {
		table, err := s.Table(ctx, name)
		lines, _, _ := dump(t, bound(t, table, err, pathsOf("id")...))
		_, number, _ := strings.Cut(want, "/")
		if number == "" {
			number = want
		}
		if got := strings.Join(lines, ","); got != strings.TrimSuffix("2:"+number, "2:") {
			t.Errorf("%s: %s, want %s", name, got, number)
		}
	}
	for name, hint := range map[string]string{
		"orders": "public.orders, sales.orders", "order": `did you mean "orders"`, "nothing.at.all": "SCHEMA.NAME", "": "SCHEMA.NAME", "sales.nothing": "there is", "orders\x00": "SCHEMA.NAME", `"open`: "SCHEMA.NAME",
	} {
		if _, err := s.Table(ctx, name); err == nil || !strings.Contains(rows.HintOf(err), hint) {
			t.Errorf("%q: %v, hint %q, want %q", name, err, rows.HintOf(err), hint)
		}
	}
	table, err := s.Table(ctx, `"My.Schema"."T""x; DROP TABLE orders"`)
	lines, _, _ := dump(t, bound(t, table, err, pathsOf("Id", "id", "a.b", "ONLY")...))
	if lines[0] != "2:4 2:5 2:6 2:7" {
		t.Errorf("%v", lines)
	}
	for _, name := range []string{"ID", "ctid", "xmin", "id; DROP"} {
		if err := table.Bind(pathsOf(name)); !errors.Is(err, rows.ErrNoColumn) {
			t.Errorf("column %s: %v", name, err)
		}
	}
}

// TestLocators names a row by its key where there is one, and finds the same row again.
func TestLocators(t *testing.T) {
	t.Parallel()
	schema, role, conn := database(t,
		"CREATE TABLE keyed (tenant text, id int, v text, PRIMARY KEY (id, tenant))", "CREATE TABLE bare (id int, v text)", "CREATE VIEW seen AS SELECT * FROM keyed ORDER BY id",
		"CREATE TABLE parts (id int, at date, v text, PRIMARY KEY (id, at)) PARTITION BY RANGE (at)", "CREATE TABLE late PARTITION OF parts FOR VALUES FROM ('2026-07-01') TO ('2027-01-01')", "CREATE TABLE early PARTITION OF parts FOR VALUES FROM ('2026-01-01') TO ('2026-07-01')",
		"CREATE TABLE parent (id int, v text)", "CREATE TABLE heir () INHERITS (parent)")
	for _, table := range []string{"bare", "parent", "heir"} {
		run(t, conn, fmt.Sprintf("INSERT INTO %s SELECT i, 'v' || i FROM generate_series(1, 700) i", table))
	}
	run(t, conn, "INSERT INTO keyed SELECT 'north', i, 'v' || i FROM generate_series(1, 700) i", "INSERT INTO parts SELECT i, date '2026-01-01' + i % 360, 'v' || i FROM generate_series(1, 700) i", "DELETE FROM bare WHERE id = 1")
	s := opened(t, cluster(t).DSN(role, "postgres"))
	ctx := context.Background()
	for name, want := range map[string]struct {
		first string
		id    []string
		n     int
	}{
		"keyed": {"/1,north", nil, 700}, "keyed ": {"/v1", []string{"v"}, 700}, "bare": {"/(0,2)", nil, 699}, "seen": {"/#0", nil, 700}, "seen ": {"/1,north", []string{"id", "tenant"}, 700},
		"parts": {"/1,2026-01-02", nil, 700}, "parent": {"/(0,1)", nil, 1400},
	} {
		table, err := s.Table(ctx, schema+"."+strings.TrimSpace(name), want.id...)
		lines, at, ext := dump(t, bound(t, table, err, pathsOf("v", "id")...))
		if len(lines) != want.n || !ext.Complete {
			t.Errorf("%s: %d rows, %+v", name, len(lines), ext)
		}
		var some []rows.Pos
		var expect []string
		for i := 0; i < len(at); i += 3 {
			some, expect = append(some, at[i]), append(expect, lines[i])
		}
		n := 0
		err = table.Fetch(ctx, some, func(pos rows.Pos, locator string, cells []rows.Cell, raw []rows.Named) error {
			if got := shownCell(cells[0]) + " " + shownCell(cells[1]); got != expect[n] || pos != some[n] {
				t.Errorf("%s: row %d is %s, want %s", name, n, got, expect[n])
			}
			if n == 0 && !strings.HasSuffix(locator, want.first) {
				t.Errorf("%s: locator %s, want …%s", name, locator, want.first)
			}
			n++
			return nil
		})
		if err != nil || n != len(some) {
			t.Errorf("%s: fetched %d of %d: %v", name, n, len(some), err)
		}
	}
	table, err := s.Table(ctx, schema+".bare")
	bound(t, table, err, pathsOf("v")...)
	if err := table.Fetch(ctx, []rows.Pos{1}, func(rows.Pos, string, []rows.Cell, []rows.Named) error { return nil }); !errors.Is(err, rows.ErrChanged) {
		t.Errorf("a row that was deleted: %v", err)
	}
}

// TestRightsOnSomeColumns reads what the role may read, and says what it may not.
// TestNextNumbers: the server says what it hands out next, as far as a column owns a sequence that the role may read.
func TestNextNumbers(t *testing.T) {
	t.Parallel()
	schema, role, conn := database(t,
		"CREATE TABLE serial (id bigserial PRIMARY KEY)", "INSERT INTO serial SELECT FROM generate_series(1, 9)",
		"CREATE TABLE ident (v text, id int GENERATED ALWAYS AS IDENTITY (INCREMENT BY 10))", "INSERT INTO ident (v) VALUES ('a'), ('b')",
		`CREATE TABLE "put ""; back" (id bigserial PRIMARY KEY)`, `INSERT INTO "put ""; back" VALUES (9)`, `SELECT setval(pg_get_serial_sequence('"put ""; back"', 'id'), 3)`,
		"CREATE TABLE never (id bigserial)", "CREATE TABLE closed (id bigserial)", "INSERT INTO closed DEFAULT VALUES",
		"CREATE TABLE round (id int GENERATED ALWAYS AS IDENTITY (CYCLE))", "INSERT INTO round DEFAULT VALUES",
		"CREATE TABLE last (id bigserial)", "SELECT setval('last_id_seq', 9223372036854775807)",
		"CREATE TABLE own (id int)", "INSERT INTO own VALUES (5)")
	run(t, conn, "GRANT USAGE ON ALL SEQUENCES IN SCHEMA "+schema+" TO "+role, "REVOKE ALL ON SEQUENCE "+schema+".closed_id_seq FROM "+role)
	s := opened(t, cluster(t).DSN(role, "postgres"))
	for name, want := range map[string]int64{"serial": 10, "ident": 21, `"put ""; back"`: 4, "never": 0, "closed": 0, "round": 0, "last": 0, "own": 0} {
		table, err := s.Table(context.Background(), schema+"."+name)
		if err != nil {
			t.Fatal(err)
		}
		columns := table.Columns()
		if got := columns[len(columns)-1].Next; got != want {
			t.Errorf("%s: %d comes next, want %d", name, got, want)
		}
	}
}

func TestRightsOnSomeColumns(t *testing.T) {
	t.Parallel()
	schema, role, conn := database(t, "CREATE TABLE t (id int PRIMARY KEY, v text, secret text)", "INSERT INTO t VALUES (1, 'a', 'canary')", "CREATE TABLE closed (id int)")
	run(t, conn, "REVOKE SELECT ON t, closed FROM "+role, "GRANT SELECT (v) ON t TO "+role)
	s := opened(t, cluster(t).DSN(role, "postgres"))
	ctx := context.Background()
	table, err := s.Table(ctx, schema+".t")
	lines, at, ext := dump(t, bound(t, table, err, pathsOf("v")...))
	if len(lines) != 1 || !ext.Whole || len(table.Columns()) != 1 {
		t.Errorf("%v, %+v, columns %v", lines, ext, table.Columns())
	}
	err = table.Fetch(ctx, at, func(_ rows.Pos, locator string, _ []rows.Cell, raw []rows.Named) error {
		if len(raw) != 1 || !strings.HasSuffix(locator, "/#0") {
			t.Errorf("%s: %v", locator, raw)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if err := table.Bind(pathsOf("secret")); !errors.Is(err, rows.ErrNoColumn) {
		t.Errorf("a column without rights: %v", err)
	}
	if _, err := s.Table(ctx, schema+".closed"); err == nil || !strings.Contains(rows.HintOf(err), "GRANT SELECT") {
		t.Errorf("a table without rights: %v", err)
	}
	for _, sql := range []string{"SELECT id FROM " + schema + ".t", "SELECT 1; DROP TABLE " + schema + ".t", "DELETE FROM " + schema + ".t RETURNING id", "SELEC", "SELECT 1 a, 2 a", "WITH d AS (DELETE FROM " + schema + ".t RETURNING id) SELECT * FROM d"} {
		if _, err := s.Query(ctx, sql, nil); err == nil || rows.HintOf(err) == "" {
			t.Errorf("%s: %v", sql, err)
		}
	}
	query, err := s.Query(ctx, "SELECT v FROM "+schema+".t;  \n", []string{"v"})
	if lines, _, _ := dump(t, bound(t, query, err, pathsOf("v")...)); len(lines) != 1 {
		t.Errorf("after the mistakes: %v", lines)
	}
}

// TestNothingIsWrittenToTheSource compares what the server counts, its log and its files before and after.
func TestNothingIsWrittenToTheSource(t *testing.T) {
	t.Parallel()
	c := alone(t, pgtest.Quiet)
	conn := admin(t, c)
	run(t, conn, "CREATE TABLE t (id int PRIMARY KEY, v text)", "INSERT INTO t SELECT i, 'v' FROM generate_series(1, 5000) i", "CREATE VIEW v AS SELECT a.id, b.v FROM t a JOIN t b USING (id)",
		"CREATE ROLE reader LOGIN IN ROLE pg_read_all_stats", "GRANT SELECT ON t, v TO reader", "VACUUM FREEZE", "CHECKPOINT")
	face := func() string {
		result := conn.ExecParams(context.Background(), `SELECT pg_current_wal_insert_lsn(), (SELECT sum(tup_inserted + tup_updated + tup_deleted) FROM pg_stat_database), txid_current_if_assigned() IS NULL,
 txid_snapshot_xmax(txid_current_snapshot()), (SELECT md5(string_agg(t::text, ',' ORDER BY id)) FROM t t), (SELECT string_agg(relname, ',' ORDER BY oid) FROM pg_class)`, nil, nil, nil, nil).Read()
		if result.Err != nil {
			t.Fatal(result.Err)
		}
		return fmt.Sprintf("%s", result.Rows[0])
	}
	before := face()
	s := opened(t, c.DSN("reader", "postgres"))
	for _, name := range []string{"t", "v"} {
		table, err := s.Table(context.Background(), name)
		_, at, _ := dump(t, bound(t, table, err, pathsOf("id", "v")...))
		if err := table.Fetch(context.Background(), at[:10], func(rows.Pos, string, []rows.Cell, []rows.Named) error { return nil }); err != nil {
			t.Error(err)
		}
	}
	if err := s.hold.exec(context.Background(), "SET TRANSACTION READ WRITE"); err == nil {
		t.Error("the transaction was made a writing one")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if after := face(); after != before {
		t.Errorf("before %s\nafter  %s", before, after)
	}
}
