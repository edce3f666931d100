package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.com/idemctl/internal/sources/rows"
)

// dump scans a table and shows every cell of every row.
func dump(t testing.TB, table rows.Table) (lines []string, at []rows.Pos, ext rows.Extent) {
	t.Helper()
	ext, err := table.Scan(context.Background(), func(pos rows.Pos, cells []rows.Cell) error {
		var parts []string
		for _, c := range cells {
			parts = append(parts, shownCell(c))
		}
		lines, at = append(lines, strings.Join(parts, " ")), append(at, pos)
		return nil
	}, func(p rows.Problem) { t.Errorf("problem: %+v", p) })
	if err != nil {
		t.Fatal(err)
	}
	return lines, at, ext
}

func shownCell(c rows.Cell) string {
	switch c.Kind {
	case rows.Int, rows.Bool:
		return fmt.Sprintf("%d:%d", c.Kind, c.Num)
	case rows.Missing, rows.Null:
		return "null"
	default:
		return fmt.Sprintf("%d:%q", c.Kind, c.Text)
	}
}

func bound(t testing.TB, table rows.Table, err error, paths ...rows.Path) rows.Table {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if err := table.Bind(paths); err != nil {
		t.Fatal(err)
	}
	return table
}

// TestEveryTypeIsExact reads one value of each type through a table and through a query, once plainly and once by its locator.
func TestEveryTypeIsExact(t *testing.T) {
	t.Parallel()
	schema, role, conn := database(t, "CREATE TYPE mood AS ENUM ('so-so')", "CREATE DOMAIN dom AS text", "CREATE DOMAIN numdom AS int4 CHECK (VALUE > 0)", "CREATE TYPE pair AS (a int, b text)")
	text := func(s string) rows.Cell { return rows.Cell{Kind: rows.Text, Text: []byte(s)} }
	cases := []struct {
		kind, value string
		want        rows.Cell
	}{
		{"int2", "-32768", rows.Cell{Kind: rows.Int, Num: -32768}},
		{"int4", "2147483647", rows.Cell{Kind: rows.Int, Num: 2147483647}},
		{"int8", "'-9223372036854775808'", rows.Cell{Kind: rows.Int, Num: -9223372036854775808}},
		{"bool", "true", rows.Cell{Kind: rows.Bool, Num: 1}},
		{"text", "E'caf\\u00e9 \\n\\t'", text("café \n\t")},
		{"varchar(9)", "' a '", text(" a ")},
		{"char(5)", "'ab'", text("ab")},
		{"name", "'Abc'", text("Abc")},
		{`"char"`, "'x'", text("x")},
		{"bytea", `'\x00ff10'`, rows.Cell{Kind: rows.Blob, Text: []byte("\x00\xff\x10")}},
		{"uuid", "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'", text("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11")},
		{"numeric", "12345678901234567890.1234567890", rows.Cell{Kind: rows.Number, Text: []byte("12345678901234567890.1234567890")}},
		{"numeric(10,2)", "19.9", rows.Cell{Kind: rows.Number, Text: []byte("19.90")}},
		{"numeric", "'NaN'", text("NaN")},
		{"numeric", "'-Infinity'", text("-Infinity")},
		{"float8", "0.1", rows.Cell{Kind: rows.Real, Text: []byte("0.1")}},
		{"float8", "1e300", rows.Cell{Kind: rows.Real, Text: []byte("1e+300")}},
		{"float8", "'-Infinity'", rows.Cell{Kind: rows.Real, Text: []byte("-Infinity")}},
		{"float4", "0.1", rows.Cell{Kind: rows.Real, Text: []byte("0.1")}},
		{"float4", "'NaN'", rows.Cell{Kind: rows.Real, Text: []byte("NaN")}},
		{"money", "'1234.5'", text("$1,234.50")},
		{"bit(4)", "B'0101'", text("0101")},
		{"varbit", "B'011'", text("011")},
		{"interval", "'1 year 2 mons -3 days 04:05:06.7'", text("1 year 2 mons -3 days +04:05:06.7")},
		{"timestamptz", "'2026-11-29 06:00:00.123456+02'", text("2026-11-29T04:00:00.123456Z")},
		{"timestamptz", "'1999-12-31 23:59:59.5Z'", text("1999-12-31T23:59:59.5Z")},
		{"timestamptz", "'infinity'", text("infinity")},
		{"timestamptz", "'-infinity'", text("-infinity")},
		{"timestamp", "'2026-11-29 06:00:00.12'", text("2026-11-29 06:00:00.12")},
		{"date", "'2026-11-29'", text("2026-11-29")},
		{"time", "'06:00'", text("06:00:00")},
		{"jsonb", `'{"b": 12345678901234567890, "a": [1, null]}'`, rows.Cell{Kind: rows.JSON, Text: []byte(`{"a": [1, null], "b": 12345678901234567890}`)}},
		{"json", `'{"b":1, "a":2}'`, rows.Cell{Kind: rows.JSON, Text: []byte(`{"b":1, "a":2}`)}},
		{"jsonb", `'"k\u00e9y"'`, text("kéy")},
		{"jsonb", `'12.50'`, rows.Cell{Kind: rows.Number, Text: []byte("12.50")}},
		{"jsonb", `'7'`, rows.Cell{Kind: rows.Int, Num: 7}},
		{"jsonb", `'null'`, rows.Cell{Kind: rows.Null}},
		{"text[]", `ARRAY['a','b c',NULL,'"']`, text(`{a,"b c",NULL,"\""}`)},
		{"int4[]", "'{{1,2},{3,4}}'", text("{{1,2},{3,4}}")},
		{"inet", "'10.0.0.1/8'", text("10.0.0.1/8")},
		{"int4range", "'[1,5)'", text("[1,5)")},
		{"tsvector", "'a b'", text("'a' 'b'")},
		{"xml", "'<a/>'", text("<a/>")},
		{"oid", "4294967295", text("4294967295")},
		{"mood", "'so-so'", text("so-so")},
		{"dom", "'x'", text("x")},
		{"numdom", "42", rows.Cell{Kind: rows.Int, Num: 42}},
		{"pair", "ROW(1,'a b')", text(`(1,"a b")`)},
		{"text", "NULL", rows.Cell{Kind: rows.Null}},
		{"text", "''", text("")},
		{"text", "repeat('x', 1048577)", rows.Cell{Kind: rows.Bad, Text: []byte("1048577 bytes, longer than the 1048576 that are read of one value")}},
	}
	for i, tc := range cases {
		run(t, conn, fmt.Sprintf("CREATE TABLE t%d (v %s)", i, tc.kind), fmt.Sprintf("INSERT INTO t%d VALUES (%s)", i, tc.value))
	}
	s := opened(t, cluster(t).DSN(role, "postgres"))
	for i, tc := range cases {
		ctx, from := context.Background(), fmt.Sprintf("%s.t%d", schema, i)
		table, err := s.Table(ctx, from)
		query, qerr := s.Query(ctx, "SELECT v FROM "+from, nil)
		for name, table := range map[string]rows.Table{"table": bound(t, table, err, pathsOf("v")...), "query": bound(t, query, qerr, pathsOf("v")...)} {
			where := name + " of " + tc.kind + " " + tc.value[:min(len(tc.value), 20)]
			lines, at, _ := dump(t, table)
			if len(lines) != 1 || lines[0] != shownCell(tc.want) {
				t.Errorf("%s: %v, want %s", where, lines, shownCell(tc.want))
			}
			err := table.Fetch(ctx, at, func(_ rows.Pos, _ string, cells []rows.Cell, raw []rows.Named) error {
				if shownCell(cells[0]) != shownCell(tc.want) || shownCell(raw[0].Cell) != shownCell(tc.want) {
					t.Errorf("%s: fetched %s, raw %s, want %s", where, shownCell(cells[0]), shownCell(raw[0].Cell), shownCell(tc.want))
				}
				return nil
			})
			if err = errors.Join(err, table.Close()); err != nil {
				t.Errorf("%s: %v", where, err)
			}
		}
	}
}

func TestMembersOfJSON(t *testing.T) {
	t.Parallel()
	schema, role, conn := database(t, "CREATE TABLE t (b jsonb, x text)")
	run(t, conn, `INSERT INTO t VALUES ('{"effect_id": 12345678901234567890, "deep": {"id": "7"}}', '{"effect_id": 1.50}'), (NULL, 'rubbish'), ('"{\"effect_id\":1}"', NULL), ('[1]', '[]')`)
	table, err := opened(t, cluster(t).DSN(role, "postgres")).Table(context.Background(), schema+".t")
	table = bound(t, table, err, rows.Path{Column: "b", Members: []string{"effect_id"}}, rows.Path{Column: "b", Members: []string{"deep", "id"}}, rows.Path{Column: "x", Members: []string{"effect_id"}})
	lines, _, _ := dump(t, table)
	want := []string{`4:"12345678901234567890" 5:"7" 4:"1.50"`, `null null 9:"not JSON: expected a value at byte 0"`, "null null null", "null null null"}
	if strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}
