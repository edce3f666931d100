package postgres

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources/mapping"
	"example.com/idemctl/internal/sources/rows"
)

const askTables = `SELECT n.nspname, c.relname, c.relkind IN ('v', 'm'), a.attname, format_type(a.atttypid, a.atttypmod), coalesce(a.attnum = ANY (i.indkey), false)
 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
 WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition AND n.nspname NOT LIKE 'pg\_%' AND n.nspname <> 'information_schema'
 AND a.attnum > 0 AND NOT a.attisdropped AND has_column_privilege(a.attrelid, a.attnum, 'SELECT') ORDER BY n.nspname, c.relname, a.attnum`

const askIndexes = `SELECT c.oid, n.nspname, c.relname, i.indexrelid, i.indisunique, coalesce(a.attname, ''),
 CASE WHEN t.typname = 'citext' THEN 'citext' WHEN NOT coalesce(o.collisdeterministic, true) THEN o.collname ELSE '' END
 FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
 CROSS JOIN LATERAL unnest(i.indkey::int2[], i.indcollation::oid[]) WITH ORDINALITY AS k(attnum, coll, place)
 LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum AND k.attnum > 0
 LEFT JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_collation o ON o.oid = k.coll
 WHERE i.indpred IS NULL AND i.indisvalid AND k.place <= i.indnkeyatts AND n.nspname NOT LIKE 'pg\_%' AND n.nspname <> 'information_schema' AND ($1 = '' OR c.oid::text = $1)
 ORDER BY n.nspname, c.relname, i.indexrelid, k.place`

// Tables lists the tables and views that the role may read, with their columns and indexes, sorted by schema and name. No row of them is read.
func (s *Store) Tables(ctx context.Context) ([]rows.Relation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []rows.Relation
	err := s.hold.guarded(ctx, func() (err error) {
		all, err = s.relations(ctx)
		return err
	})
	return all, s.target.explain("", err)
}

func (s *Store) relations(ctx context.Context) ([]rows.Relation, error) {
	type place struct{ schema, name string }
	var all []rows.Relation
	var places []place
	err := s.hold.each(ctx, askTables, nil, nil, func(v [][]byte) error {
		at := place{string(v[0]), string(v[1])}
		if len(places) == 0 || places[len(places)-1] != at {
			places = append(places, at)
			all = append(all, rows.Relation{View: string(v[2]) == "t"})
		}
		one := &all[len(all)-1]
		one.Columns = append(one.Columns, rows.Column{Name: string(v[3]), Type: string(v[4]), Key: string(v[5]) == "t"})
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i, at := range places {
		alone := !slices.ContainsFunc(places, func(o place) bool { return o != at && strings.EqualFold(o.name, at.name) })
		all[i].Name = dotted(at.name)
		if at.schema != "public" || !alone {
			all[i].Name = dotted(at.schema) + "." + dotted(at.name)
		}
	}
	err = s.indexes(ctx, "", func(schema, name string) *[]rows.Index {
		if i := slices.Index(places, place{schema, name}); i >= 0 {
			return &all[i].Indexes
		}
		return nil
	})
	return all, err
}

// dotted writes a name as a source's table does.
func dotted(name string) string {
	if p, err := mapping.ParsePath(name); err == nil && len(p.Members) == 0 && p.Column == name {
		return name
	}
	return quote(name)
}

// indexes hands each index, column by column, to the list that of returns for its table.
func (s *Store) indexes(ctx context.Context, oid string, of func(schema, name string) *[]rows.Index) error {
	last := ""
	return s.hold.each(ctx, askIndexes, []string{oid}, nil, func(v [][]byte) error {
		list := of(string(v[1]), string(v[2]))
		if list == nil {
			return nil
		}
		if index := string(v[3]); index != last {
			last = index
			*list = append(*list, rows.Index{Unique: string(v[4]) == "t"})
		}
		one := &(*list)[len(*list)-1]
		one.Columns, one.Collations = append(one.Columns, string(v[5])), append(one.Collations, string(v[6]))
		return nil
	})
}

// Indexes lists the indexes that hold every row of a table, none for a view or a query. It is called between scans.
func (t *table) Indexes(ctx context.Context) ([]rows.Index, error) {
	if t.relation.oid == "" || t.relation.kind != 'r' && t.relation.kind != 'p' {
		return nil, nil
	}
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	var all []rows.Index
	err := t.store.hold.guarded(ctx, func() error {
		return t.store.indexes(ctx, t.relation.oid, func(string, string) *[]rows.Index { return &all })
	})
	return all, t.store.target.explain(t.name, err)
}

// Clock asks the server for its own time. It is called between scans.
func (s *Store) Clock(ctx context.Context) (reconcile.Instant, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var at reconcile.Instant
	err := s.hold.guarded(ctx, func() error {
		row, err := s.hold.one(ctx, "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::int8")
		if err != nil {
			return err
		}
		us, err := strconv.ParseInt(row[0], 10, 64)
		at = reconcile.At(time.UnixMicro(us))
		return err
	})
	return at, s.target.explain("", err)
}
