package sources

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources/postgres/pgtest"
	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/sources/sourcetest"
)

// server is the PostgreSQL server of this package's tests, from when the first of them asks.
var server = sync.OnceValues(func() (*pgtest.Cluster, error) {
	served.Store(true)
	return pgtest.Start(context.Background(), "")
})

var (
	served    atomic.Bool
	databases atomic.Int64
)

// list is a column's value that is a list of objects.
type list string

// told is what one role's rows are, whatever store they stand in: texts, integers, nulls and lists.
type told struct {
	role    reconcile.Role
	row     string
	columns []string
	rows    [][]any
	fields  []Field
	want    []string // what is read of them, in the rows' order
}

// stores spells rows as a store of each kind.
var stores = map[Scheme]func(t *testing.T, dir string, of *told) Spec{
	SQLite: func(t *testing.T, dir string, of *told) Spec {
		sourcetest.WriteFile(t, dir, "t.sql", []byte(of.sql("TEXT", "TEXT")))
		return Spec{Scheme: SQLite, Path: "t.sql", Table: "t"}
	},
	Postgres: func(t *testing.T, _ string, of *told) Spec {
		c, err := server()
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("db_%d", databases.Add(1))
		if err := cmp.Or(c.Exec(t.Context(), "postgres", "CREATE DATABASE "+name), c.Exec(t.Context(), name, of.sql("text", "jsonb"))); err != nil {
			t.Fatal(err)
		}
		return Spec{Scheme: Postgres, Path: c.DSN(pgtest.User, name), Table: "t"}
	},
	JSONL: func(t *testing.T, dir string, of *told) Spec {
		sourcetest.WriteFile(t, dir, "t.jsonl", []byte(strings.Join(of.objects(), "\n")+"\n"))
		return Spec{Scheme: JSONL, Path: "t.jsonl"}
	},
	JSON: func(t *testing.T, dir string, of *told) Spec {
		sourcetest.WriteFile(t, dir, "t.json", []byte(`{"page": 1, "data": [`+strings.Join(of.objects(), ",")+"]}"))
		return Spec{Scheme: JSON, Path: "t.json", Rows: []string{"data"}}
	},
	CSV: func(t *testing.T, dir string, of *told) Spec {
		out := strings.Join(of.columns, ",") + "\n"
		for _, row := range of.rows {
			cells := make([]string, len(row))
			for i, v := range row {
				if cells[i] = fmt.Sprint(v); v == nil {
					cells[i] = ""
				} else {
					cells[i] = `"` + strings.ReplaceAll(cells[i], `"`, `""`) + `"`
				}
			}
			out += strings.Join(cells, ",") + "\n"
		}
		sourcetest.WriteFile(t, dir, "t.csv", []byte(out))
		return Spec{Scheme: CSV, Path: "t.csv"}
	},
}

// sql makes the table and its rows.
func (of *told) sql(text, document string) string {
	types, values := make([]string, len(of.columns)), make([]string, len(of.rows))
	for i, name := range of.columns {
		types[i] = name + " " + text
	}
	for n, row := range of.rows {
		cells := make([]string, len(row))
		for i, v := range row {
			switch v := v.(type) {
			case nil:
				cells[i] = "NULL"
			case int:
				cells[i], types[i] = fmt.Sprint(v), of.columns[i]+" bigint"
			case list:
				cells[i], types[i] = "'"+string(v)+"'", of.columns[i]+" "+document
			default:
				cells[i] = "'" + strings.ReplaceAll(fmt.Sprint(v), "'", "''") + "'"
			}
		}
		values[n] = "(" + strings.Join(cells, ", ") + ")"
	}
	return "CREATE TABLE t (" + strings.Join(types, ", ") + ");\nINSERT INTO t VALUES " + strings.Join(values, ", ") + ";\n"
}

// objects spells the rows as JSON objects.
func (of *told) objects() []string {
	out := make([]string, len(of.rows))
	for n, row := range of.rows {
		var members []string
		for i, v := range row {
			text, err := json.Marshal(v)
			if l, ok := v.(list); ok {
				text = []byte(l)
			}
			if err != nil {
				panic(err)
			}
			members = append(members, fmt.Sprintf("%q:%s", of.columns[i], text))
		}
		out[n] = "{" + strings.Join(members, ",") + "}"
	}
	return out
}

// say spells what was read of a record.
func say(r *reconcile.Record) string {
	var out []string
	for _, f := range reconcile.FactsOf(r) {
		if len(r.Attempts) == 0 || !strings.HasPrefix(f.Name, "attempt") && f.Name != "target" { // attempts are spelled below
			out = append(out, f.Name+"="+f.Value.String())
		}
	}
	for _, a := range r.Attempts {
		out = append(out, fmt.Sprintf("[%s to %s key %s: %s]", a.At.Time().Format("15:04"), a.Target, a.KeySent, a.Outcome))
	}
	return strings.Join(out, " ")
}

var answers = map[string]string{"200": "confirmed", "timeout": "uncertain", "422": "rejected", "null": "uncertain"}

var roles = map[string]*told{
	"receipts": {
		role: reconcile.RoleReceipt, columns: []string{"tenant", "k", "code", "effect", "at"},
		rows:   [][]any{{"north", "a", 201, 7, "2026-11-29T02:00:00Z"}, {"north", "12", nil, nil, "2026-11-29T02:01:00Z"}},
		fields: []Field{{Name: "tenant", From: "tenant"}, {Name: "key", From: "k"}, {Name: "response_status", From: "code"}, {Name: "effect_id", From: "effect"}, {Name: "created_at", From: "at"}},
		want: []string{
			"tenant=north key=a state=completed response_status=201 effect_id=7 created_at=2026-11-29T02:00:00Z",
			"tenant=north key=12 state=in-progress created_at=2026-11-29T02:01:00Z",
		},
	},
	"outbox": {
		role: reconcile.RoleOutbox, columns: []string{"id", "k", "effect", "sent", "confirmed"},
		rows: [][]any{{1, "a", 7, nil, nil}, {2, "b", 8, "2026-11-29T02:00:00Z", nil}, {3, "c", 9, "2026-11-29T02:00:00Z", "2026-11-29T02:01:00Z"}},
		fields: []Field{
			{Name: "message_id", From: "id"}, {Name: "key", From: "k"}, {Name: "effect_id", From: "effect"}, {Name: "sent_at", From: "sent"}, {Name: "confirmed_at", From: "confirmed"},
		},
		want: []string{
			"key=a sent=unsent effect_id=7 message_id=1",
			"key=b sent=sent effect_id=8 message_id=2 sent_at=2026-11-29T02:00:00Z",
			"key=c sent=confirmed effect_id=9 message_id=3 sent_at=2026-11-29T02:00:00Z confirmed_at=2026-11-29T02:01:00Z",
		},
	},
	"an attempt a row": {
		role: reconcile.RoleIntent, row: "attempt", columns: []string{"k", "at", "upstream", "answer"},
		rows:   [][]any{{"a", "2026-11-29T02:00:00Z", "eu-1", nil}, {"a", "2026-11-29T02:05:00Z", "eu-2", "200"}, {"b", "2026-11-29T02:00:00Z", nil, "422"}},
		fields: []Field{{Name: "key", From: "k"}, {Name: "attempt_at", From: "at"}, {Name: "target", From: "upstream"}, {Name: "outcome", From: "answer", Words: answers}},
		want:   []string{"key=a [02:00 to eu-1 key a: uncertain]", "key=a [02:05 to eu-2 key a: confirmed]", "key=b [02:00 to  key b: rejected]"},
	},
	"a list of attempts": {
		role: reconcile.RoleIntent, columns: []string{"k", "at", "tries"},
		rows: [][]any{
			{"a", "2026-11-29T01:59:00Z", list(`[{"at": "2026-11-29T02:00:00Z", "target": "eu-1", "key": "a-1", "outcome": "timeout"}, {"at": "2026-11-29T02:05:00Z", "key": "a-2", "outcome": 200}]`)},
			{"b", "2026-11-29T01:59:00Z", list(`[]`)},
			{"c", "2026-11-29T01:59:00Z", nil},
		},
		fields: []Field{{Name: "key", From: "k"}, {Name: "created_at", From: "at"}, {Name: "attempts", From: "tries", Words: answers}},
		want: []string{
			"key=a created_at=2026-11-29T01:59:00Z [02:00 to eu-1 key a-1: uncertain] [02:05 to  key a-2: confirmed]",
			"key=b created_at=2026-11-29T01:59:00Z", "key=c created_at=2026-11-29T01:59:00Z",
		},
	},
	"a list of its own shape": {
		role: reconcile.RoleIntent, columns: []string{"k", "job"},
		rows: [][]any{{"a", list(`{"runs": [{"started": 1795917600, "http": {"status": "422"}}]}`)}},
		fields: []Field{{Name: "key", From: "k"}, {Name: "attempts", From: "job.runs", Each: []Field{
			{Name: "attempt_at", From: "started", As: "unix-s"}, {Name: "outcome", From: "http.status", Words: answers},
		}}},
		want: []string{"key=a [02:00 to  key : rejected]"},
	},
	"a provider's lines by reference": {
		role: reconcile.RoleProvider, columns: []string{"object", "kind", "cents", "cur", "at"},
		rows: [][]any{{"ch_1", "paid", 1250, "eur", "2026-11-29T02:00:00Z"}, {"ch_2", "open", 700, "eur", "2026-11-29T02:00:00Z"}},
		fields: []Field{
			{Name: "object_id", From: "object"},
			{Name: "outcome", From: "kind", Words: map[string]string{"paid": "succeeded", "open": "pending"}},
			{Name: "amount", From: "cents", Unit: "minor", Currencies: []string{"cur"}},
			{Name: "created_at", From: "at"},
		},
		want: []string{"outcome=succeeded object_id=ch_1 amount=12.50 EUR created_at=2026-11-29T02:00:00Z", "outcome=pending object_id=ch_2 amount=7.00 EUR created_at=2026-11-29T02:00:00Z"},
	},
	"effects by reference": {
		role: reconcile.RoleEffect, columns: []string{"id", "charge", "st"},
		rows:   [][]any{{7, "ch_1", "paid"}, {8, nil, "gone"}},
		fields: []Field{{Name: "effect_id", From: "id"}, {Name: "provider_ref", From: "charge"}, {Name: "status", From: "st", Words: map[string]string{"paid": "effective", "gone": "void"}}},
		want:   []string{"status=effective effect_id=7 provider_ref=ch_1", "status=void effect_id=8"},
	},
}

// TestEveryRoleInEveryKind reads the rows of each role out of every kind of store: the records are the same.
func TestEveryRoleInEveryKind(t *testing.T) {
	t.Parallel()
	for name, of := range roles {
		for scheme, write := range stores {
			t.Run(name+" in "+string(scheme), func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				spec := write(t, dir, of)
				spec.Name, spec.Role, spec.Row, spec.Map = "s", of.role, of.row, of.fields
				set, err := Open(t.Context(), Place{Dir: dir, TempDir: t.TempDir()}, []Spec{spec}, now)
				if err != nil {
					t.Fatal(err)
				}
				defer func() {
					if err := set.Close(); err != nil {
						t.Error(err)
					}
				}()
				r := set.Readers()[0]
				records, at := scanned(t, r)
				var got, fetched []string
				for _, rec := range records {
					got = append(got, say(rec))
				}
				if err := r.Fetch(t.Context(), at, func(_ rows.Pos, rec *reconcile.Record) error {
					fetched = append(fetched, say(rec))
					return nil
				}); err != nil {
					t.Error(err)
				}
				want := strings.Join(of.want, "\n")
				if s := strings.Join(got, "\n"); s != want || r.Stats().Unreadable > 0 {
					t.Errorf("read:\n%s\nwant:\n%s\n%+v", s, want, r.Stats())
				}
				if s := strings.Join(fetched, "\n"); s != want {
					t.Errorf("read again:\n%s\nwant:\n%s", s, want)
				}
			})
		}
	}
}
