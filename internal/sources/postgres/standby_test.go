package postgres

import (
	"context"
	"strings"
	"testing"
	"time"

	"example.com/idemctl/internal/sources/postgres/pgtest"
	"example.com/idemctl/internal/sources/rows"
)

// TestAStandby proves what its primary had committed by its replay time, and no more; a reading that its replay overtakes is incomplete.
func TestAStandby(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	primary := alone(t, "")
	writer := admin(t, primary)
	run(t, writer, "CREATE TABLE t (id int)", "INSERT INTO t SELECT generate_series(1, 20000)", "CREATE VIEW v AS SELECT * FROM t")
	standby, err := primary.Standby(ctx, "max_standby_streaming_delay = 100ms\nhot_standby_feedback = off")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := standby.Stop(); err != nil {
			t.Error(err)
		}
	})
	dsn := standby.DSN(pgtest.User, "postgres")
	before := clock(t, writer)
	run(t, writer, "INSERT INTO t VALUES (0)")
	after := clock(t, writer)
	reach(t, standby, "SELECT 1 FROM t WHERE id = 0")
	ext, notes := extent(t, dsn, "t")
	if !ext.Whole || ext.Limit.To.Before(before) || ext.Limit.To.After(after) || ext.Limit.Doubt != "" || !note(notes, "this is a standby") {
		t.Errorf("%+v, %q, want a limit from %v to %v", ext, notes, before, after)
	}

	open := admin(t, primary)
	run(t, open, "BEGIN", "INSERT INTO t VALUES (-1)")
	run(t, writer, "INSERT INTO t VALUES (-2)", "CHECKPOINT")
	reach(t, standby, "SELECT 1 FROM t WHERE id = -2")
	if ext, _ := extent(t, dsn, "t"); !strings.Contains(ext.Limit.Doubt, "open on the primary") {
		t.Errorf("with a transaction open on the primary: %+v", ext)
	}
	run(t, open, "ROLLBACK")

	for i, name := range []string{"t", "v"} {
		target, err := parse(dsn, "postgres://db")
		if err != nil {
			t.Fatal(err)
		}
		s, err := opener{target: target, large: 4, part: 8}.open(ctx) // parts that fit into a buffer: the server does not stand in the middle of one
		if err != nil {
			t.Fatal(err)
		}
		table, err := s.Table(ctx, name)
		bound(t, table, err, pathsOf("id")...)
		_, ext, err = failing(t, table, 600, func() {
			marker := sprint(-10 - i)
			run(t, writer, "DELETE FROM t WHERE id BETWEEN 10000 AND "+sprint(11000+1000*i), "VACUUM t", "INSERT INTO t VALUES ("+marker+")")
			reach(t, standby, "SELECT 1 FROM t WHERE id = "+marker)
		})
		stopped(t, ext, err, "", rows.ErrCut)
		if !strings.Contains(ext.Hint, "hot_standby_feedback") {
			t.Errorf("hint %q", ext.Hint)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if n, ext := again(t, dsn, "t"); n == 0 || !ext.Complete {
		t.Errorf("a new snapshot: %d rows, %+v", n, ext)
	}
}

// reach waits until a standby shows a row.
func reach(t *testing.T, c *pgtest.Cluster, sql string) {
	t.Helper()
	conn := admin(t, c)
	limit, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	for {
		result := conn.ExecParams(limit, sql, nil, nil, nil, nil).Read()
		if result.Err != nil && classOf(result.Err) != anew {
			t.Fatal(result.Err)
		}
		if len(result.Rows) > 0 {
			return
		}
		rest(limit, 10*time.Millisecond)
	}
}
