package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/idemctl/internal/sources/postgres/pgtest"
)

// apart is five stores of one service that nobody can read at one moment: a log, a SQLite database, and three databases of a PostgreSQL server, one of them
// behind a gate. They are opened in another order than they are named: intents, outbox, log, orders, receipts.
type apart struct {
	dir   string
	c     *pgtest.Cluster
	dbs   map[string]string // of orders, outbox, receipts
	timed bool
	w     *writer
}

const (
	apartTables = `CREATE TABLE t (k text PRIMARY KEY, ref text, at timestamptz)`
	apartConfig = `version: 1
name: apart
contracts: [{name: orders, operation: buy, scope: [operation, key], effect: both, retention: 48h, retry_window: 24h, settle: 1m}]
sources:
  - {name: charges, role: provider, open: "jsonl:charges.jsonl", coverage: {from: 2020-01-01T00:00:00Z, to: 2100-01-01T00:00:00Z}, map: {operation: {value: buy}, key: k, object_id: ref, outcome: {value: succeeded}AT}}
  - {name: wishes, role: intents, open: "sqlite:wishes.db", table: t, map: {operation: {value: buy}, key: k, outcome: {value: confirmed}AT}}
  - {name: orders, role: effects, open: "ORDERS", table: t, map: {operation: {value: buy}, key: k, effect_id: k, provider_ref: refAT}}
  - {name: outbox, role: outbox, open: "OUTBOX", table: t, map: {operation: {value: buy}, key: k, message_id: k, state: {value: confirmed}AT}}
  - {name: receipts, role: receipts, open: "RECEIPTS", table: t, map: {operation: {value: buy}, key: k, effect_id: k, provider_ref: refAT}}
`
)

func newApart(t *testing.T, timed bool) *apart {
	t.Helper()
	c, err := servers()
	if err != nil {
		t.Fatal(err)
	}
	a := &apart{dir: t.TempDir(), c: c, dbs: map[string]string{}, timed: timed}
	for _, source := range []string{"orders", "outbox", "receipts"} {
		a.dbs[source] = fmt.Sprintf("db_%d", databases.Add(1))
		if err := c.Exec(t.Context(), "postgres", "CREATE DATABASE "+a.dbs[source]); err != nil {
			t.Fatal(err)
		}
		if err := c.Exec(t.Context(), a.dbs[source], apartTables); err != nil {
			t.Fatal(err)
		}
	}
	a.w = newWriter(t, filepath.Join(a.dir, "wishes.db"))
	a.w.do(t, "PRAGMA journal_mode = WAL; CREATE TABLE t (k TEXT PRIMARY KEY, at TEXT)")
	a.act(t, "early", time.Now().Add(-time.Hour))
	return a
}

// writer is the service's own connection to its SQLite database, which stays open.
type writer struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Scanner
	gone bool
}

func newWriter(t *testing.T, path string) *writer {
	t.Helper()
	cmd := exec.Command("sqlite3", "-bail", path)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w := &writer{cmd: cmd, in: in, out: bufio.NewScanner(out)}
	t.Cleanup(func() { w.leave(t) })
	return w
}

// leave closes the connection: the program ends with its input.
func (w *writer) leave(t *testing.T) {
	if w.gone {
		return
	}
	w.gone = true
	if err := errors.Join(w.in.Close(), w.cmd.Wait()); err != nil {
		t.Error(err)
	}
}

// do commits a statement.
func (w *writer) do(t *testing.T, sql string) {
	if _, err := io.WriteString(w.in, sql+";\n.print done\n"); err != nil {
		t.Error(err)
	}
	for w.out.Scan() {
		if w.out.Text() == "done" {
			return
		}
	}
	t.Errorf("%s: the writer ended", sql)
}

// act carries an action out in all stores, each in a transaction of its own.
func (a *apart) act(t *testing.T, key string, at time.Time) {
	stamp := at.UTC().Format(time.RFC3339)
	f, err := os.OpenFile(filepath.Join(a.dir, "charges.jsonl"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = fmt.Fprintf(f, `{"k":%q,"ref":"ch_%s","at":%q}`+"\n", key, key, stamp)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Error(err)
	}
	a.w.do(t, fmt.Sprintf("INSERT INTO t VALUES ('%s', '%s')", key, stamp))
	for _, db := range a.dbs {
		if err := a.c.Exec(context.Background(), db, fmt.Sprintf("INSERT INTO t VALUES ('%s', 'ch_%s', '%s')", key, key, stamp)); err != nil {
			t.Error(err)
		}
	}
}

// seen is what a scan says.
type seen struct {
	code     int
	Complete bool
	Counts   struct{ Subjects, Matched, Cases int }
	Sources  []struct {
		Name    string
		Records int
	}
}

// scan reads the stores; gate leads to one of the databases.
func (a *apart) scan(t *testing.T, source string, gate *pgtest.Proxy) (seen, string) {
	t.Helper()
	at := ""
	if a.timed {
		at = ", created_at: at"
	}
	config := strings.ReplaceAll(apartConfig, "AT}", at+"}")
	for name, db := range a.dbs {
		dsn := a.c.DSN(pgtest.User, db)
		if name == source {
			dsn = gate.DSN(pgtest.User, db)
		}
		config = strings.ReplaceAll(config, strings.ToUpper(name), dsn)
	}
	if err := os.WriteFile(filepath.Join(a.dir, "idemctl.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errOut bytes.Buffer
	env := &Env{Args: []string{"scan", "--json", "--quiet", a.dir}, Out: &out, Err: &errOut, Now: time.Now, Getenv: func(string) string { return "" }}
	code := Main(t.Context(), env)
	var s seen
	if err := json.Unmarshal(out.Bytes(), &s); err != nil {
		t.Fatalf("exit %d: %v\n%s%s", code, err, out.String(), errOut.String())
	}
	s.code = code
	return s, out.String()
}

// TestActionBetweenSnapshotsOfRealStores carries an action out after some stores were opened and before the others were. Those show it and these do not,
// which is no finding, whether its rows tell their time or not. A row that is really gone is one, where the others tell that they are old.
func TestActionBetweenSnapshotsOfRealStores(t *testing.T) {
	t.Parallel()
	for _, timed := range []bool{true, false} {
		for late, shows := range map[string][]int{"outbox": {2, 1, 2, 2, 2}, "orders": {1, 1, 2, 1, 2}, "receipts": {1, 1, 1, 1, 2}} {
			t.Run(fmt.Sprintf("%s %t", late, timed), func(t *testing.T) {
				t.Parallel()
				a := newApart(t, timed)
				gate, err := a.c.NewGate(0, func() { a.act(t, "late", time.Now()) })
				if err != nil {
					t.Fatal(err)
				}
				got, out := a.scan(t, late, gate)
				if err := gate.Close(); err != nil {
					t.Error(err)
				}
				for i, s := range got.Sources {
					if s.Records != shows[i] {
						t.Errorf("%s shows %d rows, want %d", s.Name, s.Records, shows[i])
					}
				}
				if !got.Complete || got.Counts.Cases > 0 || got.Counts.Subjects != 2 {
					t.Errorf("%+v\n%s", got.Counts, out)
				}
				if got, out := a.scan(t, "", nil); !got.Complete || got.Counts.Cases > 0 {
					t.Errorf("read again: %+v\n%s", got.Counts, out)
				}
				a.act(t, "lost", time.Now().Add(-time.Hour))
				if err := a.c.Exec(t.Context(), a.dbs["orders"], "DELETE FROM t WHERE k = 'lost'"); err != nil {
					t.Fatal(err)
				}
				want := map[bool]int{true: 1}[timed] // without a time, what was read after the orders may be younger than they
				if got, out := a.scan(t, "", nil); !got.Complete || got.Counts.Cases != want {
					t.Errorf("a row is really gone: %+v\n%s", got.Counts, out)
				}
			})
		}
	}
}

// TestSQLiteWrittenWhileNothingProtectsIt: a database in WAL mode that nobody had open when it was opened, and that is written before its rows were read, makes
// the scan incomplete; nothing is concluded from what it may lack.
func TestSQLiteWrittenWhileNothingProtectsIt(t *testing.T) {
	t.Parallel()
	a := newApart(t, true)
	a.act(t, "lost", time.Now().Add(-time.Hour))
	if err := a.c.Exec(t.Context(), a.dbs["orders"], "DELETE FROM t WHERE k = 'lost'"); err != nil {
		t.Fatal(err)
	}
	a.w.leave(t)
	gate, err := a.c.NewGate(0, func() { newWriter(t, filepath.Join(a.dir, "wishes.db")).do(t, "DELETE FROM t") })
	if err != nil {
		t.Fatal(err)
	}
	got, out := a.scan(t, "orders", gate)
	if err := gate.Close(); err != nil {
		t.Error(err)
	}
	if got.Complete || got.Counts.Cases > 0 || got.code != exitIncomplete || !strings.Contains(out, "wishes.db: changed while it was read") {
		t.Errorf("exit %d, %+v\n%s", got.code, got.Counts, out)
	}
}
