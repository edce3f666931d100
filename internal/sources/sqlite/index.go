package sqlite

import (
	"context"

	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/sources/sqlite/engine"
)

// Indexes lists the indexes that hold every row of a table, none for a view or a query. It is called between scans.
func (t *table) Indexes(context.Context) ([]rows.Index, error) {
	if !t.whole {
		return nil, nil
	}
	all, err := indexes(t.conn, t.name)
	if t.rowid != "" && len(t.id) == 1 && t.cols[t.id[0]].Type == "INTEGER" {
		all = append([]rows.Index{rowidIndex(t.cols[t.id[0]].Name)}, all...)
	}
	return all, explain(t.store.shown, err)
}

// rowidIndex is the rowid itself, which has no index of its own.
func rowidIndex(column string) rows.Index {
	return rows.Index{Columns: []string{column}, Collations: []string{""}, Unique: true}
}

// indexes lists the indexes of a table that hold every row.
func indexes(conn *engine.Conn, table string) ([]rows.Index, error) {
	var all []rows.Index
	st, err := conn.Prepare(`SELECT l.seq, l."unique", coalesce(i.name, ''), coalesce(i.coll, 'BINARY') FROM pragma_index_list(?) AS l JOIN pragma_index_xinfo(l.name) AS i WHERE NOT l.partial AND i.key ORDER BY l.seq, i.seqno`)
	if err != nil {
		return nil, err
	}
	defer st.Close()
	if err := st.BindText(1, table); err != nil {
		return nil, err
	}
	last := int64(-1)
	for {
		more, err := st.Step()
		if err != nil || !more {
			return all, err
		}
		if st.Int(0) != last {
			last = st.Int(0)
			all = append(all, rows.Index{Unique: st.Int(1) != 0})
		}
		one := &all[len(all)-1]
		collation := string(st.Text(3))
		if collation == "BINARY" {
			collation = ""
		}
		one.Columns, one.Collations = append(one.Columns, string(st.Text(2))), append(one.Collations, collation)
	}
}
