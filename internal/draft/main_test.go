package draft

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"example.com/idemctl/internal/sources/postgres/pgtest"
)

// server is the PostgreSQL server of all tests, started by the first that asks.
var server = sync.OnceValues(func() (*pgtest.Cluster, error) {
	started.Store(true)
	return pgtest.Start(context.Background(), "")
})

var (
	started   atomic.Bool
	databases atomic.Int64
)

func TestMain(m *testing.M) {
	m.Run() // whose code the process ends with
	if started.Load() {
		if c, err := server(); err == nil {
			if err := c.Stop(); err != nil {
				panic(err)
			}
		}
	}
}

// database makes a PostgreSQL database of a SQL text and returns how it is reached.
func database(t *testing.T, sql string) (dsn string) {
	t.Helper()
	c, err := server()
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("db_%d", databases.Add(1))
	if err := c.Exec(t.Context(), "postgres", "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	if err := c.Exec(t.Context(), name, sql); err != nil {
		t.Fatal(err)
	}
	return c.DSN(pgtest.User, name)
}
