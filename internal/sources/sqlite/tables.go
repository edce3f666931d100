package sqlite

import (
	"errors"

	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/sources/sqlite/engine"
)

// Tables lists the tables and views of the database with their columns and indexes, sorted by name. No row of them is read.
func (s *Store) Tables() (_ []rows.Relation, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	conn, err := s.connect()
	if err != nil {
		return nil, err
	}
	defer func() { err = explain(s.shown, errors.Join(err, conn.Close())) }()
	all, err := relations(conn)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].View {
			continue
		}
		more, err := indexes(conn, all[i].Name)
		if err != nil {
			return nil, err
		}
		all[i].Indexes = append(all[i].Indexes, more...)
	}
	return all, nil
}

func relations(conn *engine.Conn) ([]rows.Relation, error) {
	st, err := conn.Prepare(`SELECT l.name, l.type, x.name, x.type, x.pk, l.wr FROM pragma_table_list AS l JOIN pragma_table_xinfo(l.name) AS x
 WHERE l.schema = 'main' AND l.type IN ('table', 'view') AND l.name NOT LIKE 'sqlite\_%' ESCAPE '\' AND x.hidden <> 1 ORDER BY l.name, x.cid`)
	if err != nil {
		return nil, err
	}
	defer st.Close()
	var all []rows.Relation
	for {
		more, err := st.Step()
		if err != nil || !more {
			return all, err
		}
		name := string(st.Text(0))
		if len(all) == 0 || all[len(all)-1].Name != name {
			all = append(all, rows.Relation{Name: name, View: string(st.Text(1)) == "view"})
		}
		one := &all[len(all)-1]
		c := rows.Column{Name: string(st.Text(2)), Type: string(st.Text(3)), Key: st.Int(4) > 0}
		c.Affinity = affinity(c.Type)
		one.Columns = append(one.Columns, c)
		if c.Key && c.Type == "INTEGER" && st.Int(5) == 0 {
			one.Indexes = append(one.Indexes, rowidIndex(c.Name))
		}
	}
}
