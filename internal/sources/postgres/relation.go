package postgres

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"example.com/idemctl/internal/sources/mapping"
	"example.com/idemctl/internal/sources/rows"
)

// quote makes a name an identifier, whatever it contains.
func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// split takes a table's name apart: NAME or SCHEMA.NAME, each in double quotes where it holds a dot.
func split(name string) (schema, relation string, ok bool) {
	p, err := mapping.ParsePath(name)
	switch {
	case err != nil || len(p.Members) > 1 || p.Column == "" || strings.ContainsRune(name, 0):
		return "", "", false
	case len(p.Members) == 1:
		return p.Column, p.Members[0], p.Members[0] != ""
	}
	return "", p.Column, true
}

// relation is what the catalog says of a table.
type relation struct {
	oid          string
	schema, name string
	kind         byte // r table, p partitioned table, v view, m materialised view, f foreign table
	heap         bool
	unlogged     bool
	guarded      bool // row security is active for this role
	readable     bool // as a whole, not column by column only
	writable     bool
}

const askRelation = `SELECT c.oid, n.nspname, c.relname, c.relkind, coalesce(a.amname = 'heap', false), c.relpersistence = 'u', row_security_active(c.oid),
 has_table_privilege(c.oid, 'SELECT'), has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_am a ON a.oid = c.relam
 WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND lower(c.relname) = lower($1) AND ($2 = '' AND n.nspname NOT LIKE 'pg\_%' AND n.nspname <> 'information_schema' OR n.nspname = $2)
 ORDER BY n.nspname, c.relname`

// find looks a table up. Without a schema the name must be the only one of its kind in the database: no search path decides which one is read.
func (t *table) find(ctx context.Context, written string) error {
	shown := t.store.target.shown
	schema, name, ok := split(written)
	if !ok {
		return hinted(`write NAME or SCHEMA.NAME, a name with a dot in it in double quotes`, "%s: %q names no table", shown, written)
	}
	var exact, folded []relation
	err := t.store.hold.each(ctx, askRelation, []string{name, schema}, nil, func(v [][]byte) error {
		is := func(i int) bool { return string(v[i]) == "t" }
		r := relation{oid: string(v[0]), schema: string(v[1]), name: string(v[2]), kind: v[3][0], heap: is(4), unlogged: is(5), guarded: is(6), readable: is(7), writable: is(8)}
		folded = append(folded, r)
		if r.name == name {
			exact = append(exact, r)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(exact) > 0 {
		folded = exact
	}
	switch len(folded) {
	case 0:
		return t.noTable(ctx, written)
	case 1:
		t.relation = folded[0]
		t.from = quote(t.relation.schema) + "." + quote(t.relation.name)
		t.name = t.relation.name
		if t.relation.schema != "public" {
			t.name = t.relation.schema + "." + t.name
		}
		return t.readTree(ctx)
	}
	var names []string
	for _, r := range folded {
		names = append(names, r.schema+"."+r.name)
	}
	return hinted("write SCHEMA.TABLE: there are "+strings.Join(names, ", "), "%s: several tables are named %q", shown, written)
}

func (t *table) noTable(ctx context.Context, written string) error {
	const most = 1000
	var known []string
	err := t.store.hold.each(ctx, `SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT LIKE 'pg\_%' AND n.nspname <> 'information_schema' ORDER BY c.relname LIMIT `+strconv.Itoa(most), nil, nil, func(v [][]byte) error {
		known = append(known, string(v[0]))
		return nil
	})
	if err != nil {
		return err
	}
	return hinted(cmp.Or(rows.Suggest("table", written, known), "there is no table that this role may see"), "%s: %w: %q", t.store.target.shown, rows.ErrNoTable, written)
}

// readTree looks at what stands below a table, and settles how its rows are found again and what the table proves.
func (t *table) readTree(ctx context.Context) error {
	foreign, heap := t.relation.kind == 'f', true
	t.children = map[uint32]string{}
	err := t.store.hold.each(ctx, `WITH RECURSIVE tree(oid) AS (SELECT $1::oid UNION SELECT i.inhrelid FROM pg_inherits i JOIN tree ON i.inhparent = tree.oid)
 SELECT c.oid, c.relname, c.relkind, coalesce(a.amname = 'heap', false), greatest(c.reltuples, 0)::int8, pg_relation_size(c.oid)
 FROM tree JOIN pg_class c ON c.oid = tree.oid LEFT JOIN pg_am a ON a.oid = c.relam`, []string{t.relation.oid}, nil, func(v [][]byte) error {
		oid, err := strconv.ParseUint(string(v[0]), 10, 32)
		if err != nil {
			return err
		}
		t.children[uint32(oid)] = string(v[1])
		kind := v[2][0]
		foreign = foreign || kind == 'f'
		heap = heap && (kind == 'p' || string(v[3]) == "t")
		estimate, _ := strconv.ParseInt(string(v[4]), 10, 64) // an estimate for the progress only
		size, _ := strconv.ParseInt(string(v[5]), 10, 64)
		t.total += estimate
		t.blocks += size / t.store.server.blockSize
		return nil
	})
	if err != nil {
		return err
	}
	switch {
	case !heap || foreign || !t.relation.readable || t.relation.kind == 'v':
		t.way = ordinal
	case len(t.children) > 1 || t.relation.kind == 'p':
		t.way = tree
	default:
		t.way = place
	}
	t.prove(foreign)
	return nil
}

// prove says whether the table shows all that the store holds.
func (t *table) prove(foreign bool) {
	r := &t.relation
	const declare = "declare it: coverage: {from: …, to: …}"
	t.limit = t.store.horizon.limit
	doubt := func(why, hint string) { t.whole, t.limit.Doubt, t.limit.Hint = false, why, hint }
	t.whole = true
	switch {
	case r.guarded:
		doubt("row security is active for this role: it may hide rows", "read as a role with BYPASSRLS, or declare what the policy lets through: coverage: {from: …, to: …}")
	case r.kind == 'v':
		doubt("a view shows only what it selects", declare)
	case r.kind == 'm':
		doubt("a materialised view shows what there was at its last refresh", declare)
	case foreign:
		doubt("a foreign table is another server's, which this snapshot does not cover", "read that server itself, or declare what it covers: coverage: {from: …, to: …}")
	}
	if r.unlogged {
		t.notes = append(t.notes, t.name+" is unlogged: a crash of the server empties it")
	}
	if r.writable {
		t.notes = append(t.notes, "this role may write to "+t.name+": reading needs SELECT only")
	}
}

// column is one column of what is read.
type column struct {
	rows.Column
	oid   uint32 // the type in which values come; a domain's is the one below it
	long  bool   // its values have no fixed length
	place int    // in the primary key, from 1; 0 is none
}

// fills are the words in which the catalog is asked what fills a column.
var fills = map[string]rows.Fill{"": rows.FillNull, "default": rows.FillDefault, "sequence": rows.FillSequence, "computed": rows.FillComputed}

// readColumns lists the columns that the role may read.
func (t *table) readColumns(ctx context.Context) error {
	err := t.store.hold.each(ctx, `SELECT a.attname, format_type(a.atttypid, a.atttypmod), coalesce(array_position(i.indkey::int2[], a.attnum) + 1, 0),
  a.attnotnull, CASE WHEN a.attgenerated <> '' THEN 'computed' WHEN a.attidentity <> '' OR pg_get_expr(d.adbin, d.adrelid) LIKE 'nextval(%' THEN 'sequence' WHEN a.atthasdef THEN 'default' ELSE '' END
 FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary
 WHERE a.attrelid = $1::oid AND a.attnum > 0 AND NOT a.attisdropped AND has_column_privilege(a.attrelid, a.attnum, 'SELECT') ORDER BY a.attnum`,
		[]string{t.relation.oid}, nil, func(v [][]byte) error {
			at, err := strconv.Atoi(string(v[2]))
			c := column{Column: rows.Column{Name: string(v[0]), Type: string(v[1]), NotNull: string(v[3]) == "t", Fill: fills[string(v[4])]}, place: at}
			t.cols = append(t.cols, c)
			return err
		})
	if err != nil {
		return err
	}
	if len(t.cols) == 0 {
		return hinted(byCode[codeNoRights].hint, "%s: this role may read no column of %s", t.store.target.shown, t.name)
	}
	fields, err := t.describe(ctx, t.from)
	if err != nil {
		return err
	}
	for i := range t.cols {
		t.cols[i].take(fields[i])
	}
	if err := t.nextNumbers(ctx); err != nil {
		return err
	}
	return t.primaryKey(ctx)
}

// nextNumbers asks what the sequences that columns own hand out next, as far as the role may read them. A sequence knows no snapshot: it stands no lower than
// that shows. Servers that only speak PostgreSQL's protocol may not have the view.
func (t *table) nextNumbers(ctx context.Context) error {
	if !slices.ContainsFunc(t.cols, func(c column) bool { return c.Fill == rows.FillSequence }) {
		return nil
	}
	row, err := t.store.hold.one(ctx, "SELECT pg_catalog.to_regclass('pg_catalog.pg_sequences') IS NOT NULL")
	if err != nil || row[0] != "t" {
		return err
	}
	return t.store.hold.each(ctx, `SELECT a.attname, v.last_value::numeric + v.increment_by FROM pg_catalog.pg_depend d
 JOIN pg_catalog.pg_class s ON s.oid = d.objid AND s.relkind = 'S' AND s.relpersistence = 'p' JOIN pg_catalog.pg_namespace n ON n.oid = s.relnamespace
 JOIN pg_catalog.pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
 JOIN pg_catalog.pg_sequences v ON v.schemaname = n.nspname AND v.sequencename = s.relname
 WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.refclassid = 'pg_catalog.pg_class'::regclass AND d.refobjid = $1::oid AND d.deptype IN ('a', 'i')
 AND v.last_value IS NOT NULL AND v.increment_by > 0 AND NOT v.cycle`, []string{t.relation.oid}, nil, func(v [][]byte) error {
		for i := range t.cols {
			next, err := strconv.ParseInt(string(v[1]), 10, 64)
			if c := &t.cols[i]; err == nil && c.Name == string(v[0]) && c.Fill == rows.FillSequence { // else all numbers are handed out
				c.Next = next
			}
		}
		return nil
	})
}

// primaryKey takes the key's columns for locators, in the key's own order, where the role may read all of them.
func (t *table) primaryKey(ctx context.Context) error {
	row, err := t.store.hold.one(ctx, "SELECT coalesce(max(indnkeyatts), 0) FROM pg_index WHERE indrelid = $1::oid AND indisprimary", t.relation.oid)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(row[0])
	if err != nil {
		return err
	}
	for at := 1; at <= n; at++ {
		i := slices.IndexFunc(t.cols, func(c column) bool { return c.place == at })
		if i < 0 {
			t.id = nil
			return nil
		}
		t.id = append(t.id, i)
	}
	for i := range t.cols {
		t.cols[i].Key = slices.Contains(t.id, i)
	}
	return nil
}

// describe asks for the types of all columns without running anything.
func (t *table) describe(ctx context.Context, from string) ([]pgconn.FieldDescription, error) {
	what := "*"
	if len(t.cols) > 0 {
		what = ""
		for i, c := range t.cols {
			if i > 0 {
				what += ", "
			}
			what += quote(c.Name)
		}
	}
	d, err := t.store.hold.conn.Prepare(ctx, "", "SELECT "+what+" FROM "+from, nil)
	if err != nil {
		return nil, err
	}
	if len(t.cols) > 0 && len(d.Fields) != len(t.cols) {
		return nil, fmt.Errorf("%d columns where %d are expected", len(d.Fields), len(t.cols))
	}
	return d.Fields, nil
}

func (c *column) take(f pgconn.FieldDescription) {
	c.oid, c.long = f.DataTypeOID, f.DataTypeSize < 0
	if c.oid == oidFloat4 || c.oid == oidFloat8 {
		c.Affinity = "REAL"
	}
}

// describeQuery lets the server say which columns a query has.
func (t *table) describeQuery(ctx context.Context, sql string) error {
	// On lines of its own, so that a comment at the query's end does not swallow the parenthesis.
	t.from = "(\n" + strings.TrimRight(sql, "; \t\r\n") + "\n) AS q"
	t.name, t.way = "query", ordinal
	t.limit = t.store.horizon.limit
	t.limit.Doubt, t.limit.Hint = "a query shows only what it selects", "declare it: coverage: {from: …, to: …}"
	fields, err := t.describe(ctx, t.from)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, f := range fields {
		if seen[f.Name] {
			return hinted("give it a name of its own with AS", "%s: the query returns two columns named %q", t.store.target.shown, f.Name)
		}
		seen[f.Name] = true
		row, err := t.store.hold.one(ctx, "SELECT format_type($1::oid, $2::int4)", strconv.FormatUint(uint64(f.DataTypeOID), 10), strconv.FormatInt(int64(f.TypeModifier), 10))
		if err != nil {
			return err
		}
		c := column{Column: rows.Column{Name: f.Name, Type: row[0]}}
		c.take(f)
		t.cols = append(t.cols, c)
	}
	return nil
}

// identify takes the columns that the config names for locators.
func (t *table) identify(id []string) error {
	if len(id) == 0 {
		return nil
	}
	t.id = nil
	for _, name := range id {
		i := t.column(name)
		if i < 0 {
			return t.noColumn(name)
		}
		t.id = append(t.id, i)
	}
	return nil
}

// column finds a column by its name as it is, else as the one name that differs in case only; -1 when there is none.
func (t *table) column(name string) int {
	folded, count := -1, 0
	for i, c := range t.cols {
		if c.Name == name {
			return i
		}
		if strings.EqualFold(c.Name, name) {
			folded = i
			count++
		}
	}
	if count != 1 {
		return -1
	}
	return folded
}

func (t *table) noColumn(name string) error {
	var known []string
	for _, c := range t.cols {
		known = append(known, c.Name)
	}
	return hinted(cmp.Or(rows.Suggest("column", name, known), "there is no column that this role may see"), "%s: %s: %w: %q", t.store.target.shown, t.name, rows.ErrNoColumn, name)
}
