package sqlite

import (
	"errors"

	"example.com/idemctl/internal/sources/rows"
)

// Indexes lists the indexes that hold every row of a table, none for a view or a query. It is called between scans.
func (t *table) Indexes() ([]rows.Index, error) {
	if !t.whole {
		return nil, nil
	}
	var all []rows.Index
	if t.rowid != "" && len(t.id) == 1 && t.cols[t.id[0]].Type == "INTEGER" {
		all = append(all, rows.Index{Columns: []string{t.cols[t.id[0]].Name}, Unique: true}) // the rowid itself, which has no index of its own
	}
	st, err := t.conn.Prepare(`SELECT l.seq, l."unique", coalesce(i.name, '') FROM pragma_index_list(?) AS l JOIN pragma_index_info(l.name) AS i WHERE NOT l.partial ORDER BY l.seq, i.seqno`)
	if err != nil {
		return nil, explain(t.store.shown, err)
	}
	if err := st.BindText(1, t.name); err != nil {
		return nil, errors.Join(err, st.Close())
	}
	last := int64(-1)
	for {
		more, err := st.Step()
		if err != nil || !more {
			return all, errors.Join(explain(t.store.shown, err), st.Close())
		}
		if st.Int(0) != last {
			last = st.Int(0)
			all = append(all, rows.Index{Unique: st.Int(1) != 0})
		}
		one := &all[len(all)-1]
		one.Columns = append(one.Columns, string(st.Text(2)))
	}
}
