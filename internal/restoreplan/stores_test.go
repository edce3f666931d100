package restoreplan_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	_ "modernc.org/sqlite" // makes the stores

	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/restoreplan"
	"example.com/idemctl/internal/sources/postgres/pgtest"
	"example.com/idemctl/internal/text/hostile"
)

// shape is a store of receipts as somebody's service has it: its tables, and its map. Three orders stand, and the receipts of all three are gone; the third
// was cancelled.
type shape struct {
	name     string
	postgres bool
	tables   string // both; effects is the table of orders
	receipts string // what the receipts' source maps
	effects  string // what the orders' source maps, beside the usual
	contract string
	want     string // a query over the receipts after the plan, for the order k-1
	row      string // and what it returns
	refused  string // in place of both: why no receipt can be built
}

const orders = `CREATE TABLE effects (id INTEGER PRIMARY KEY, tenant TEXT, k TEXT, req TEXT, who TEXT, minor INTEGER, st TEXT, at TEXT);
INSERT INTO effects VALUES (1, 'north', 'k-1', '{"qty": 2}', 'u7', 8990, 'ok', '2026-11-29T02:20:00Z'), (2, 'north', 'k-2', '{"qty": 1}', 'u8', 100, 'ok', '2026-11-29T02:21:00Z'), (3, 'north', 'k-3', '{"qty": 1}', 'u8', 100, 'gone', '2026-11-29T02:22:00Z');
`

const usual = "tenant: tenant, operation: {value: buy}, key: k, effect_id: id, params: req, actor: who, amount: {from: minor, unit: minor, currency: {value: EUR}}, status: {from: st, words: {ok: effective, gone: void}}, created_at: at"

var shapes = []shape{
	{
		name:     "prefix, words, milliseconds, no unique key",
		tables:   `CREATE TABLE r (id TEXT, status TEXT, data TEXT, expiration INTEGER);`,
		receipts: `operation: {value: buy}, tenant: {value: north}, key: {from: id, strip_prefix: "fn#"}, state: {from: status, words: {INPROGRESS: in-progress, COMPLETED: completed}}, response_body: data, expires_at: {from: expiration, as: unix-ms}`,
		want:     "SELECT id, status, data, expiration, typeof(expiration) FROM r WHERE id = 'fn#k-1'",
		row:      `fn#k-1|COMPLETED|{"order": 1}|1796005200000|integer`,
	},
	{
		name:     "presence, members, a unit in seconds",
		tables:   `CREATE TABLE r (tenant TEXT NOT NULL, k TEXT NOT NULL, code INTEGER, doc TEXT, locked_at TEXT, completed_at TEXT, made INTEGER NOT NULL, note TEXT DEFAULT 'new', PRIMARY KEY (tenant, k)) WITHOUT ROWID;`,
		receipts: `tenant: tenant, operation: {value: buy}, key: k, response_status: code, effect_id: doc.order, state: {in-progress: locked_at, completed: completed_at}, locked_at: locked_at, completed_at: completed_at, created_at: {from: made, as: unix-s}`,
		want:     "SELECT tenant, code, doc, locked_at IS NULL, completed_at, made, note FROM r WHERE k = 'k-1'",
		row:      `north|201|{"order": 1}|1|2026-11-29T02:20:00Z|1795918800|new`,
	},
	{
		name:     "a document of members alone",
		tables:   `CREATE TABLE r (doc TEXT NOT NULL);`,
		receipts: `tenant: doc.t, operation: doc.op, key: doc.k, state: {from: doc.state.S, words: {done: completed}}, created_at: {from: doc.at.N, as: unix-s}`,
		want:     `SELECT doc FROM r WHERE json_extract(doc, '$.k') = 'k-1'`,
		row:      `{"at":{"N":1795918800},"k":"k-1","op":"buy","state":{"S":"done"},"t":"north"}`,
	},
	{
		name:     "blobs, an amount, an actor",
		tables:   `CREATE TABLE r (k BLOB PRIMARY KEY, minor INTEGER, cur TEXT, who TEXT NOT NULL, req TEXT, st TEXT, at TEXT);`,
		receipts: `tenant: {value: north}, operation: {value: buy}, key: k, amount: {from: minor, unit: minor, currency: cur}, actor: who, params: req, state: {from: st, words: {done: completed}}, created_at: at`,
		effects:  "",
		want:     "SELECT typeof(k), minor, cur, who, req FROM r WHERE k = CAST('k-1' AS BLOB)",
		row:      `blob|8990|EUR|u7|{"qty": 2}`,
	},
	{
		name:     "a layout with a zone",
		tables:   `CREATE TABLE r (k TEXT, op TEXT, at TEXT, until TEXT);`,
		receipts: `tenant: {value: north}, operation: {from: op, words: {B: buy, S: sell}}, key: k, created_at: {from: at, as: "02.01.2006 15:04:05", zone: Europe/Zurich}, expires_at: {from: until, as: "2006-01-02 15:04", zone: UTC}`,
		want:     "SELECT op, at, until FROM r WHERE k = 'k-1'",
		row:      "B|29.11.2026 03:20:00|2026-11-30 02:20",
	},
	{
		name:     "two words for completed",
		tables:   `CREATE TABLE r (k TEXT, st TEXT, at TEXT);`,
		receipts: `tenant: {value: north}, operation: {value: buy}, key: k, state: {from: st, words: {done: completed, COMPLETED: completed}}, created_at: at`,
		refused:  `state: "COMPLETED" and "done" are both read as "completed"`,
	},
	{
		name:     "a hashed key",
		tables:   `CREATE TABLE r (k TEXT, at TEXT);`,
		receipts: `tenant: {value: north}, operation: {value: buy}, key: {from: k, hash: sha256-hex}, created_at: at`,
		effects:  `key: {from: k, hash: sha256-hex}`,
		refused:  "key: only its hash is known",
	},
	{
		name:     "a fingerprint that nobody else has",
		tables:   `CREATE TABLE r (k TEXT, fp TEXT, at TEXT);`,
		receipts: `tenant: {value: north}, operation: {value: buy}, key: k, fingerprint: fp, created_at: at`,
		refused:  "fingerprint: no record tells it, and no contract rebuilds it",
	},
	{
		name:     "a column that must be given and is not mapped",
		tables:   `CREATE TABLE r (k TEXT, worker TEXT NOT NULL, at TEXT);`,
		receipts: `tenant: {value: north}, operation: {value: buy}, key: k, created_at: at`,
		refused:  "column worker must have a value, and no record tells which",
	},
	{
		name:     "a life that ends too early",
		tables:   `CREATE TABLE r (k TEXT, at TEXT);`,
		receipts: `tenant: {value: north}, operation: {value: buy}, key: k, created_at: at`,
		contract: "retention: 24h, retry_window: 48h",
		refused:  "it would live to 2026-11-30T02:20:00Z only, and may be sent again until 2026-12-01T02:20:00Z",
	},
	{
		name:     "cut keys",
		tables:   `CREATE TABLE r (k TEXT, at TEXT);`,
		receipts: `tenant: {value: north}, operation: {value: buy}, key: {from: k, truncate: 3}, created_at: at`,
		effects:  `key: {from: k, truncate: 3}`,
		refused:  "key: only its first 3 characters are known",
	},
	{
		name: "a table of PostgreSQL with a sequence, jsonb and defaults", postgres: true,
		tables: `CREATE TABLE r (id bigserial PRIMARY KEY, "Tenant" text NOT NULL, k varchar(100) NOT NULL, code int, body jsonb, step text NOT NULL, locked_at timestamptz DEFAULT now(), created_at timestamptz NOT NULL DEFAULT now(), until timestamp NOT NULL, UNIQUE ("Tenant", k));`,
		receipts: `tenant: Tenant, operation: {value: buy}, key: k, response_status: code, response_body: body, effect_id: body.order, phase: {from: step, words: {started: received, finished: finished}}, ` +
			`state: {from: step, words: {started: in-progress, finished: completed}}, locked_at: locked_at, created_at: created_at, expires_at: {from: until, zone: UTC}`,
		want: `SELECT "Tenant", code, body, step, locked_at IS NULL, created_at AT TIME ZONE 'UTC', until FROM r WHERE k = 'k-1'`,
		row:  `north|201|{"order": 1}|finished|t|2026-11-29 02:20:00|2026-11-30 02:20:00`,
	},
	{
		name: "bytea, an enumeration, no unique key", postgres: true,
		tables:   `CREATE TYPE word AS ENUM ('running', 'done'); CREATE SCHEMA shop; CREATE TABLE shop.r (k bytea, st word, amount numeric(12,2), cur char(3), at timestamptz);`,
		receipts: `tenant: {value: north}, operation: {value: buy}, key: k, state: {from: st, words: {running: in-progress, done: completed}}, amount: {from: amount, unit: major, currency: cur}, created_at: at`,
		want:     `SELECT convert_from(k, 'UTF8'), st, amount, cur FROM shop.r WHERE k = 'k-1'`,
		row:      `k-1|done|89.90|EUR`,
	},
	{
		name: "a computed column", postgres: true,
		tables:   `CREATE TABLE r (raw text, k text GENERATED ALWAYS AS (lower(raw)) STORED, at timestamptz);`,
		receipts: `tenant: {value: north}, operation: {value: buy}, key: k, created_at: at`,
		refused:  "column k is computed by the store",
	},
}

// cluster is the one server of this package's tests.
var cluster = sync.OnceValues(func() (*pgtest.Cluster, error) {
	started.Store(true)
	return pgtest.Start(context.Background(), "")
})

var started atomic.Bool

func TestMain(m *testing.M) {
	m.Run() // its result is the program's
	if !started.Load() {
		return
	}
	if c, err := cluster(); err == nil {
		if err := c.Stop(); err != nil {
			panic(err)
		}
	}
}

// store is a database with a shape in it.
type store struct {
	t        *testing.T
	postgres bool
	dir, at  string // where its config is; the file, or the database's name
}

func (s *shape) make(t *testing.T, name string) *store {
	t.Helper()
	st := &store{t: t, postgres: s.postgres, dir: t.TempDir()}
	open, table := "sqlite:shop.db", "r"
	if s.postgres {
		c, err := cluster()
		if err != nil {
			t.Fatal(err)
		}
		st.at = name
		if err := c.Exec(t.Context(), "postgres", "CREATE DATABASE "+name); err != nil {
			t.Fatal(err)
		}
		if err := c.Exec(t.Context(), name, strings.ReplaceAll(orders, "INTEGER PRIMARY KEY", "serial PRIMARY KEY")+s.tables); err != nil {
			t.Fatal(err)
		}
		open = c.DSN(pgtest.User, name)
		if strings.Contains(s.tables, "shop.r") {
			table = "shop.r"
		}
	} else {
		st.at = filepath.Join(st.dir, "shop.db")
		st.exec(orders + s.tables)
	}
	contract := s.contract
	if contract == "" {
		contract = "retention: 24h, retry_window: 24h"
	}
	mapped := usual
	if s.effects != "" {
		mapped = strings.Replace(usual, "key: k", s.effects, 1)
	}
	cfg := fmt.Sprintf(`version: 1
name: shop
now: 2026-11-29T06:00:00Z
contracts: [{name: shop, operation: buy, scope: [tenant, operation, key], effect: local, actor: [actor], %s, rebuild: {response_status: 201, response_body: '{"order": {effect_id}}'}}]
restore: [{store: receipts, restored_to: 2026-11-29T02:10:00Z, resumed_at: 2026-11-29T02:44:00Z}]
sources:
  - {name: receipts, role: receipts, open: %q, table: %s, map: {%s}}
  - {name: orders, role: effects, open: %q, table: effects, map: {%s}}
`, contract, open, table, s.receipts, open, mapped)
	if err := os.WriteFile(filepath.Join(st.dir, config.FileName), []byte(cfg), 0o600); err != nil {
		t.Fatal(err)
	}
	return st
}

// exec makes or changes the store, with the values given.
func (s *store) exec(script string, args ...any) {
	s.t.Helper()
	db, err := sql.Open("sqlite", s.at)
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := db.ExecContext(s.t.Context(), script, args...); err != nil {
		s.t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		s.t.Fatal(err)
	}
}

// run runs a script as an operator would, and returns what it printed.
func (s *store) run(script string) string {
	s.t.Helper()
	if !s.postgres {
		return sqlite(s.t, s.at, script)
	}
	c, err := cluster()
	if err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.Command("psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", c.DSN(pgtest.User, s.at))
	cmd.Stdin = strings.NewReader(script)
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("psql: %v\n%s\n%s", err, out, script)
	}
	return strings.TrimSpace(string(out))
}

// TestShapes puts two receipts back into every shape of a store, and none for what was cancelled, or says why it cannot.
func TestShapes(t *testing.T) {
	t.Parallel()
	for i := range shapes {
		s := &shapes[i]
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			st := s.make(t, fmt.Sprintf("shape_%d", i))
			p, _ := planOf(t, load(t, st.dir))
			if s.refused != "" {
				if int(p.Insertable) != 0 || len(p.Refused) != 2 || !strings.Contains(p.Refused[0].Reason, s.refused) {
					t.Errorf("%d receipts, %+v; want %q", int(p.Insertable), p.Refused, s.refused)
				}
				return
			}
			if int(p.Insertable) != 2 || len(p.Refused) != 0 {
				t.Fatalf("%d receipts, %+v", int(p.Insertable), p.Refused)
			}
			script := sqlOf(t, p)
			if got := st.run(script); got != "2|0" {
				t.Errorf("put back and left alone: %s\n%s", got, script)
			}
			if got := st.run(s.want + ";"); got != s.row {
				t.Errorf("the receipt is\n%s, want\n%s", got, s.row)
			}
			if got := st.run(script); got != "0|2" {
				t.Errorf("run twice: %s", got)
			}
			if p, again := planOf(t, load(t, st.dir)); again != 0 || int(p.Insertable)+len(p.Refused) != 0 {
				t.Errorf("then %d keys would run again, %d receipts, %+v", again, int(p.Insertable), p.Refused)
			}
		})
	}
}

// TestGuards runs a plan late: a retry has come for one key, and the order of the other was cancelled. Neither gets a receipt, with a unique key or without.
func TestGuards(t *testing.T) {
	t.Parallel()
	late := []string{
		"INSERT INTO r (id, status) VALUES ('fn#k-1', 'INPROGRESS'); UPDATE effects SET st = 'gone' WHERE k = 'k-2';",
		"INSERT INTO shop.r (k, st) VALUES ('k-1', 'running'); UPDATE effects SET st = 'gone' WHERE k = 'k-2';",
	}
	for i, name := range []string{"prefix, words, milliseconds, no unique key", "bytea, an enumeration, no unique key"} {
		for at := range shapes {
			if shapes[at].name != name {
				continue
			}
			st := shapes[at].make(t, fmt.Sprintf("late_%d", i))
			p, _ := planOf(t, load(t, st.dir))
			st.run(late[i])
			if got := st.run(sqlOf(t, p)); got != "0|2" {
				t.Errorf("%s: put back and left alone: %s", name, got)
			}
		}
	}
}

// TestSequences sets what would hand out known ids again before the first insert, and never back.
func TestSequences(t *testing.T) {
	t.Parallel()
	for i := range shapes {
		s := shapes[i]
		if s.refused != "" || i > 0 && !s.postgres {
			continue
		}
		st := s.make(t, fmt.Sprintf("sequence_%d", i))
		if !s.postgres {
			st.run("ALTER TABLE effects RENAME TO old; CREATE TABLE effects (id INTEGER PRIMARY KEY AUTOINCREMENT, tenant TEXT, k TEXT, req TEXT, who TEXT, minor INTEGER, st TEXT, at TEXT); INSERT INTO effects SELECT * FROM old; DROP TABLE old;")
		} else {
			st.run("SELECT setval('effects_id_seq', 3);")
		}
		p, _ := planOf(t, load(t, st.dir), restoreplan.Reuse{Source: "orders", From: 4, To: 761})
		script := sqlOf(t, p)
		if set, first := strings.Index(script, "761"), strings.Index(script, "INSERT INTO main.\"r\""); first >= 0 && set > first {
			t.Errorf("%s: the sequence is set after the first insert", s.name)
		}
		if got := st.run(script); !strings.HasSuffix(got, "2|0") {
			t.Errorf("%s: %s", s.name, got)
		}
		if got := st.run("INSERT INTO effects (k) VALUES ('next') RETURNING id;"); got != "762" {
			t.Errorf("%s: the next id is %s\n%s", s.name, got, script)
		}
		st.run(script)
		if got := st.run("INSERT INTO effects (k) VALUES ('next') RETURNING id;"); got != "763" {
			t.Errorf("%s: after a second run the next id is %s", s.name, got)
		}
	}
}

// TestHostileKeys puts back receipts of keys and requests that try to break out, byte for byte, and changes nothing else.
func TestHostileKeys(t *testing.T) {
	t.Parallel()
	s := shape{
		tables:   `CREATE TABLE r (k TEXT NOT NULL, who TEXT, at TEXT);`,
		receipts: `tenant: {value: north}, operation: {value: buy}, key: k, actor: who, created_at: at`,
	}
	for _, pg := range []bool{false, true} {
		s.postgres = pg
		st := s.make(t, "hostile")
		n := 2
		for i, h := range hostile.Corpus() {
			if len(h.Bytes) == 0 {
				continue // no key
			}
			if pg {
				if !strings.ContainsRune(string(h.Bytes), 0) && strings.ToValidUTF8(string(h.Bytes), "") == string(h.Bytes) {
					c, err := cluster()
					if err != nil {
						t.Fatal(err)
					}
					conn, err := c.Connect(t.Context(), st.at)
					if err != nil {
						t.Fatal(err)
					}
					res := conn.ExecParams(t.Context(), "INSERT INTO effects VALUES ($1::text::int, 'north', $2, '{}', $2, 1, 'ok', '2026-11-29T02:30:00Z')", [][]byte{fmt.Append(nil, 100+i), h.Bytes}, nil, nil, nil).Read()
					if res.Err != nil {
						t.Fatalf("%q: %v", h.Bytes, res.Err)
					}
					_ = conn.Close(t.Context())
					n++
				}
				continue
			}
			st.exec("INSERT INTO effects VALUES (?, 'north', CAST(? AS TEXT), '{}', CAST(? AS TEXT), 1, 'ok', '2026-11-29T02:30:00Z')", 100+i, h.Bytes, h.Bytes)
			n++
		}
		p, _ := planOf(t, load(t, st.dir))
		script := sqlOf(t, p)
		if err := hostile.Check([]byte(script)); err != nil {
			t.Errorf("the script: %v", err)
		}
		if got := st.run(script); got != fmt.Sprintf("%d|0", n) {
			t.Errorf("%d receipts: %s, refused %+v", n, got, p.Refused)
		}
		const same = "SELECT count(*) FROM effects AS e WHERE st = 'ok' AND EXISTS (SELECT 1 FROM r WHERE r.k = e.k AND r.who = e.who);"
		if got := st.run(same); got != fmt.Sprint(n) {
			t.Errorf("%s of %d came back byte for byte", got, n)
		}
		if p, again := planOf(t, load(t, st.dir)); again != 0 || int(p.Insertable)+len(p.Refused) != 0 {
			t.Errorf("then %d keys would run again, %d receipts", again, int(p.Insertable))
		}
	}
}
