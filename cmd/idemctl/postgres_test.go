package main

import (
	"context"
	"fmt"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/rogpeppe/go-internal/testscript"

	"example.com/idemctl/internal/sources/postgres/pgtest"
)

// servers is the PostgreSQL server of all scripts, started by the first that asks.
var servers = sync.OnceValues(func() (*pgtest.Cluster, error) {
	serverStarted.Store(true)
	return pgtest.Start(context.Background(), "")
})

var (
	serverStarted atomic.Bool
	databases     atomic.Int64
)

// stopping runs the tests and stops the server afterwards, when one was started.
type stopping struct{ *testing.M }

func (s stopping) Run() int {
	code := s.M.Run()
	if serverStarted.Load() {
		if c, err := servers(); err == nil && c.Stop() != nil && code == 0 {
			code = 1
		}
	}
	return code
}

// sessionsKey is the key of a script's sessions as superuser.
type sessionsKey struct{}

// sessions are a script's connections to its database, by the names that the script gives them.
type sessions struct {
	database string
	open     map[string]*pgconn.PgConn
}

// databaseCommand is "database FILE": a new database with what the SQL text makes, and a role that may read it. DSN leads to it; SERVER is the folder of
// the server's socket as a URL writes it, READER the role, DATABASE the name.
func databaseCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: database FILE")
	}
	c, err := servers()
	ts.Check(err)
	n := databases.Add(1)
	name, role := fmt.Sprintf("db_%d", n), fmt.Sprintf("reader_%d", n)
	ts.Check(c.Exec(context.Background(), "postgres", "CREATE DATABASE "+name))
	s := ts.Value(sessionsKey{}).(*sessions)
	s.database, s.open = name, map[string]*pgconn.PgConn{}
	ts.Check(s.run(ts, "a", ts.ReadFile(args[0])))
	ts.Check(s.run(ts, "a", "CREATE ROLE "+role+" LOGIN IN ROLE pg_read_all_stats; GRANT SELECT ON ALL TABLES IN SCHEMA public TO "+role))
	ts.Setenv("DSN", c.DSN(role, name))
	ts.Setenv("SERVER", url.QueryEscape(c.Dir))
	ts.Setenv("READER", role)
	ts.Setenv("DATABASE", name)
}

// sqlCommand is "sql SESSION STATEMENT…": the superuser runs each in a session that stays open.
func sqlCommand(ts *testscript.TestScript, neg bool, args []string) {
	s := ts.Value(sessionsKey{}).(*sessions)
	if neg || len(args) < 2 || s.open == nil {
		ts.Fatalf("usage: database FILE, then sql SESSION STATEMENT…")
	}
	for _, statement := range args[1:] {
		ts.Check(s.run(ts, args[0], statement))
	}
}

func (s *sessions) run(ts *testscript.TestScript, session, sql string) error {
	ctx := context.Background()
	conn, ok := s.open[session]
	if !ok {
		c, err := servers()
		ts.Check(err)
		conn, err = c.Connect(ctx, s.database)
		ts.Check(err)
		ts.Defer(func() { _ = conn.Close(ctx) })
		s.open[session] = conn
	}
	_, err := conn.Exec(ctx, sql).ReadAll()
	return err
}
