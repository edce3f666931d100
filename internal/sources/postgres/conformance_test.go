package postgres

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgconn"

	"example.com/idemctl/internal/sources/postgres/pgtest"
	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/sources/sourcetest"
)

// owned closes a table's store with it.
type owned struct {
	rows.Table
	store *Store
}

func (o owned) Close() error { return errors.Join(o.Table.Close(), o.store.Close()) }

func TestConformance(t *testing.T) {
	t.Parallel()
	const columns = "(id int8, key text, body text"
	for name, tc := range map[string]struct {
		setup string
		files string // where the rows are, when not in the table itself
		query string
		whole bool
	}{
		"table":        {"CREATE TABLE t " + columns + ")", "", "", true},
		"keyed":        {"CREATE TABLE t " + columns + ", PRIMARY KEY (id))", "", "", true},
		"partitioned":  {"CREATE TABLE t " + columns + ") PARTITION BY RANGE (id); CREATE TABLE low PARTITION OF t FOR VALUES FROM (MINVALUE) TO (1000); CREATE TABLE high PARTITION OF t FOR VALUES FROM (1000) TO (MAXVALUE)", "low high", "", true},
		"view":         {"CREATE TABLE r " + columns + "); CREATE VIEW t AS SELECT * FROM r", "", "", false},
		"materialised": {"CREATE TABLE r " + columns + "); CREATE MATERIALIZED VIEW t AS SELECT * FROM r", "", "", false},
		"query":        {"CREATE TABLE t " + columns + ")", "", "SELECT * FROM SCHEMA.t ORDER BY ctid -- as it stands", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var made sync.Map
			server := cluster(t)
			sourcetest.Run(t, sourcetest.Adapter{
				Write: func(t *testing.T, dir string, rs []sourcetest.Row) {
					t.Helper()
					schema, role, conn := database(t, strings.Split(tc.setup, "; ")...)
					target := map[bool]string{true: "r", false: "t"}[strings.Contains(tc.setup, "TABLE r")]
					var copied bytes.Buffer
					for _, r := range rs {
						copied.WriteString(copyLine(r))
					}
					if _, err := conn.CopyFrom(context.Background(), &copied, "COPY "+target+" FROM STDIN"); err != nil {
						t.Fatal(err)
					}
					for _, file := range strings.Split(cmp.Or(tc.files, target), " ") {
						inOrder(t, conn, file)
					}
					if strings.Contains(tc.setup, "MATERIALIZED") {
						run(t, conn, "REFRESH MATERIALIZED VIEW t")
					}
					made.Store(dir, [2]string{schema, role})
				},
				Open: func(ctx context.Context, dir, _ string) (rows.Table, error) {
					name, role, database := "t", pgtest.User, "missing"
					query := tc.query
					if v, ok := made.Load(dir); ok {
						name, role, database = v.([2]string)[0]+".t", v.([2]string)[1], "postgres"
						query = strings.ReplaceAll(query, "SCHEMA", v.([2]string)[0])
					}
					s, err := OpenStore(ctx, server.DSN(role, database), "postgres://db")
					if err != nil {
						return nil, err
					}
					var table rows.Table
					if query != "" {
						table, err = s.Query(ctx, query, []string{"id"})
					} else {
						table, err = s.Table(ctx, name)
					}
					if err != nil {
						return nil, errors.Join(err, s.Close())
					}
					return owned{table, s}, nil
				},
				Holds:    func(b []byte) bool { return utf8.Valid(b) && !bytes.ContainsRune(b, 0) },
				Whole:    tc.whole,
				Columned: true,
			})
		})
	}
}

// inOrder writes a table anew in the order of its ids; the server puts short rows into holes otherwise.
func inOrder(t *testing.T, conn *pgconn.PgConn, table string) {
	t.Helper()
	run(t, conn, "CREATE INDEX by_id_of_"+table+" ON "+table+" (id)", "CLUSTER "+table+" USING by_id_of_"+table, "DROP INDEX by_id_of_"+table)
}

// copyLine writes a row in the text form of COPY.
func copyLine(r sourcetest.Row) string {
	escape := strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`, "\t", `\t`)
	return strings.Join([]string{sprint(r.ID), escape.Replace(string(r.Key)), escape.Replace(string(r.Body))}, "\t") + "\n"
}
