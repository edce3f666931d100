package restoreplan_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/idemctl/internal/config"
)

// drawn is a store of receipts with its map, made by lot of what presets are made of.
type drawn struct {
	columns []string
	fields  []string
	whole   bool // nothing in it keeps a receipt from being built
}

func (d *drawn) add(column, field string) {
	if column != "" {
		d.columns = append(d.columns, column)
	}
	d.fields = append(d.fields, field)
}

func draw(t *rapid.T) drawn {
	d := drawn{whole: true}
	pick := func(label string, n int) int { return rapid.IntRange(0, n-1).Draw(t, label) }
	switch pick("tenant", 3) {
	case 0:
		d.add("tenant TEXT NOT NULL", "tenant: tenant")
	case 1:
		d.add("", "tenant: {value: north}")
	case 2:
		d.add("t INTEGER NOT NULL", "tenant: {from: t, words: {7: north, 8: south}}")
	}
	switch pick("key", 4) {
	case 0:
		d.add("k TEXT NOT NULL", "key: k")
	case 1:
		d.add("k BLOB NOT NULL", "key: k")
	case 2:
		d.add("k VARCHAR(80) NOT NULL", `key: {from: k, strip_prefix: "shop#buy#"}`)
	case 3:
		d.add("k TEXT NOT NULL", `key: {parts: [{value: "v1"}, k], join: "/", strip_prefix: "v1/"}`)
		d.whole = false // a prefix that is put on and taken off again
	}
	d.add("", "operation: {value: buy}")
	switch pick("state", 3) {
	case 0:
		d.add("st TEXT NOT NULL", "state: {from: st, words: {RUN: in-progress, OK: completed, ERR: failed-final}}")
	case 1:
		d.add("locked TEXT", "locked_at: locked")
		d.add("finished TEXT", "completed_at: finished")
		d.fields = append(d.fields, "state: {in-progress: locked, completed: finished}")
	case 2:
		d.add("code INTEGER", "response_status: code")
	}
	switch pick("effect", 3) {
	case 0:
		d.add("order_id INTEGER", "effect_id: order_id")
	case 1:
		d.add("answer TEXT NOT NULL", "effect_id: answer.order.id")
	case 2:
		d.add("answer TEXT", "response_body: answer")
		d.fields = append(d.fields, "effect_id: answer.order.id")
	}
	as := []string{"rfc3339", "unix-s", "unix-ms", "unix-us", `"2006-01-02 15:04:05-07:00"`}
	typ := map[bool]string{true: "INTEGER", false: "TEXT"}
	made := as[pick("made", len(as))]
	d.add("made "+typ[strings.HasPrefix(made, "unix")]+" NOT NULL", "created_at: {from: made, as: "+made+"}")
	if pick("expires", 2) == 0 {
		until := as[pick("until", len(as))]
		d.add("until "+typ[strings.HasPrefix(until, "unix")]+" NOT NULL", "expires_at: {from: until, as: "+until+"}")
	}
	switch pick("more", 4) {
	case 0:
		d.columns = append(d.columns, "note TEXT DEFAULT 'x'", "seen INTEGER")
	case 1:
		d.columns = append(d.columns, "worker TEXT NOT NULL")
		d.whole = false
	case 2:
		d.columns = append(d.columns, "id INTEGER PRIMARY KEY AUTOINCREMENT")
	}
	return d
}

// TestGenerated puts receipts back into stores and keys made by lot, through another client than the shell: afterwards no key would run again that was planned,
// what was there is as it was, and a second run changes nothing. Nothing is refused of a store that keeps nothing from being built.
func TestGenerated(t *testing.T) {
	t.Parallel()
	above, n := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		d := draw(rt)
		keys := rapid.SliceOfNDistinct(rapid.StringN(1, 12, 40), 1, 6, rapid.ID).Draw(rt, "keys")
		n++
		dir := filepath.Join(above, fmt.Sprint(n))
		if err := os.Mkdir(dir, 0o700); err != nil {
			rt.Fatal(err)
		}
		db, err := sql.Open("sqlite", filepath.Join(dir, "shop.db"))
		if err != nil {
			rt.Fatal(err)
		}
		defer func() { _ = db.Close() }()
		db.SetMaxOpenConns(1)
		exec := func(script string, args ...any) {
			if _, err := db.ExecContext(t.Context(), script, args...); err != nil {
				rt.Fatalf("%v\n%s", err, script)
			}
		}
		exec("CREATE TABLE r (" + strings.Join(d.columns, ", ") + "); CREATE TABLE effects (id INTEGER PRIMARY KEY, k TEXT, st TEXT, at TEXT);")
		for i, k := range keys {
			exec("INSERT INTO effects VALUES (?, ?, 'ok', ?)", i+1, k, fmt.Sprintf("2026-11-29T02:2%d:00Z", i))
		}
		cfg := fmt.Sprintf(`version: 1
name: shop
now: 2026-11-29T06:00:00Z
contracts: [{name: shop, operation: buy, scope: [tenant, operation, key], effect: local, retention: 24h, retry_window: 24h, rebuild: {response_status: 201, response_body: '{"order": {"id": {effect_id}}, "at": "{created_at}"}'}}]
restore: [{store: receipts, restored_to: 2026-11-29T02:10:00Z, resumed_at: 2026-11-29T02:44:00Z}]
sources:
  - {name: receipts, role: receipts, open: "sqlite:shop.db", table: r, map: {%s}}
  - {name: orders, role: effects, open: "sqlite:shop.db", table: effects, map: {tenant: {value: north}, operation: {value: buy}, key: k, effect_id: id, status: {from: st, words: {ok: effective}}, created_at: at}}
`, strings.Join(d.fields, ", "))
		if err := os.WriteFile(filepath.Join(dir, config.FileName), []byte(cfg), 0o600); err != nil {
			rt.Fatal(err)
		}
		p, _ := planOf(t, load(t, dir))
		if int(p.Insertable)+len(p.Refused) != len(keys) || d.whole && len(p.Refused) > 0 {
			rt.Fatalf("%d keys, %d receipts, %+v", len(keys), int(p.Insertable), p.Refused)
		}
		script := sqlOf(t, p)
		for range 2 {
			exec(script)
			var receipts, effects int
			if err := db.QueryRowContext(t.Context(), "SELECT (SELECT count(*) FROM r), (SELECT count(*) FROM effects WHERE st = 'ok')").Scan(&receipts, &effects); err != nil {
				rt.Fatal(err)
			}
			if receipts != int(p.Insertable) || effects != len(keys) {
				rt.Fatalf("%d receipts of %d, %d effects of %d", receipts, int(p.Insertable), effects, len(keys))
			}
		}
		if _, again := planOf(t, load(t, dir)); again != len(p.Refused) {
			rt.Fatalf("%d keys would run again, %d could not be put back\n%s", again, len(p.Refused), script)
		}
	})
}
