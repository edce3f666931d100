package sqlite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"example.com/idemctl/internal/sources/jsonwalk"
	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/sources/sqlite/engine"
)

// table implements rows.Table for a table, a view or a query. What it reads it reads on its own connection, in the store's state.
type table struct {
	store *Store
	conn  *engine.Conn
	name  string // as it stands in locators
	from  string // what follows FROM
	order string // ORDER BY …, "" for a query, whose order is its own
	rowid string // the name under which the rowid can be selected, "" when rows are found again by their ordinal
	whole bool   // a table, which holds all there is
	cols  []column
	id    []int // the columns that name a row in its locator, when there is no rowid
	total int64 // an estimate of the rows, 0 when not known

	paths   int
	wanted  []jsonwalk.Column
	current current
	scratch []byte // the text of doubles, for one row

	progress struct{ rows, bytes atomic.Int64 }
	closing  sync.Once
}

var _ rows.Table = (*table)(nil)

// column is one column of what is read.
type column struct {
	rows.Column
	virtual bool // computed when it is read
}

// Table opens a table or a view by name, as SQLite compares names. The columns id name a row of a view, or of a table without rowid instead of its primary
// key. Rows of a table with a rowid are found again by it.
func (s *Store) Table(name string, id ...string) (rows.Table, error) {
	return s.add(func(t *table) error {
		kind, err := t.find(name)
		if err != nil {
			return err
		}
		if err := t.readColumns(); err != nil {
			return err
		}
		t.from = quote(t.name)
		t.whole = kind != "view"
		if kind == "table" || kind == "shadow" {
			t.rowid = t.freeRowid()
		}
		if t.rowid != "" {
			t.order = " ORDER BY " + t.rowid
			return t.estimate()
		}
		if kind == "without-rowid" {
			t.orderByKey()
		}
		if len(id) > 0 {
			return t.identify(id)
		}
		return nil
	})
}

// Query opens the rows of one SELECT. The columns id name a row in its locator.
func (s *Store) Query(sql string, id []string) (rows.Table, error) {
	return s.add(func(t *table) error {
		st, err := t.conn.Prepare(sql)
		if err != nil {
			return err
		}
		defer st.Close()
		if st.Columns() == 0 || !st.ReadOnly() {
			return hinted("write one SELECT", "%s: the query returns no rows", s.shown)
		}
		t.name = "query"
		seen := map[string]bool{}
		for i := range st.Columns() {
			c := column{Column: rows.Column{Name: st.Name(i), Type: st.Declared(i), Affinity: affinity(st.Declared(i))}}
			if seen[fold(c.Name)] {
				return hinted("give it a name of its own with AS", "%s: the query returns two columns named %q", s.shown, c.Name)
			}
			seen[fold(c.Name)] = true
			t.cols = append(t.cols, c)
		}
		// On a line of its own, so that a comment at the query's end does not swallow the parenthesis.
		t.from = "(\n" + strings.TrimRight(st.SQL(), "; \t\r\n") + "\n)"
		return t.identify(id)
	})
}

// add opens a table's connection, lets describe fill it in and takes it into the store's care.
func (s *Store) add(describe func(*table) error) (rows.Table, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.connect()
	if err != nil {
		return nil, err
	}
	t := &table{store: s, conn: c}
	if err := describe(t); err != nil {
		return nil, errors.Join(explain(s.shown, err), c.Close())
	}
	s.tables = append(s.tables, t)
	return t, nil
}

// find looks the table up and returns its kind: table, without-rowid, view, virtual or shadow.
func (t *table) find(name string) (string, error) {
	st, err := t.conn.Prepare("SELECT name, type, wr FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name")
	if err != nil {
		return "", err
	}
	defer st.Close()
	var known []string
	for {
		more, err := st.Step()
		if err != nil {
			return "", err
		}
		if !more {
			return "", hinted(cmp.Or(rows.Suggest("table", name, known), "there is no table at all"), "%s: %w: %q", t.store.shown, rows.ErrNoTable, name)
		}
		found, kind := string(st.Text(0)), string(st.Text(1))
		if fold(found) != fold(name) {
			known = append(known, found)
			continue
		}
		t.name = found
		if kind == "table" && st.Int(2) != 0 {
			kind = "without-rowid"
		}
		return kind, nil
	}
}

func (t *table) readColumns() error {
	st, err := t.conn.Prepare("SELECT name, type, pk, hidden, \"notnull\", dflt_value IS NOT NULL FROM pragma_table_xinfo(?)")
	if err != nil {
		return err
	}
	defer st.Close()
	if err := st.BindText(1, t.name); err != nil {
		return err
	}
	const hiddenColumn, virtualColumn, storedColumn = 1, 2, 3
	var key []int64
	for {
		more, err := st.Step()
		if err != nil || !more {
			t.keyOrder(key)
			return errors.Join(err, t.numbered())
		}
		if st.Int(3) == hiddenColumn {
			continue
		}
		c := rows.Column{Name: string(st.Text(0)), Type: string(st.Text(1)), Key: st.Int(2) > 0, NotNull: st.Int(4) != 0}
		c.Affinity = affinity(c.Type)
		switch hidden := st.Int(3); {
		case hidden == virtualColumn, hidden == storedColumn:
			c.Fill = rows.FillComputed
		case st.Int(5) != 0:
			c.Fill = rows.FillDefault
		}
		t.cols = append(t.cols, column{Column: c, virtual: st.Int(3) == virtualColumn})
		key = append(key, st.Int(2))
	}
}

// numbered says how the column that is the rowid itself gets its numbers.
func (t *table) numbered() error {
	if len(t.id) != 1 || !strings.EqualFold(t.cols[t.id[0]].Type, "INTEGER") {
		return nil
	}
	st, err := t.conn.Prepare("SELECT wr, (SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1) LIKE '%autoincrement%' FROM pragma_table_list WHERE schema = 'main' AND name = ?1")
	if err != nil {
		return err
	}
	defer st.Close()
	if err := st.BindText(1, t.name); err != nil {
		return err
	}
	more, err := st.Step()
	if err != nil || !more || st.Int(0) != 0 {
		return err
	}
	c := &t.cols[t.id[0]]
	c.Fill = rows.FillHighest
	if st.Int(1) != 0 {
		c.Fill = rows.FillSequence
	}
	c.Next, err = t.next(c)
	return err
}

// next is the number that the store hands out next: one more than the highest there is, or ever was where the column is declared so.
func (t *table) next(c *column) (int64, error) {
	ever := "0"
	if c.Fill == rows.FillSequence {
		ever = "coalesce((SELECT max(seq) FROM main.sqlite_sequence WHERE name = ?1), 0)"
	}
	st, err := t.conn.Prepare(fmt.Sprintf("SELECT max(coalesce((SELECT max(%s) FROM main.%s), 0), %s), ?1", quote(c.Name), quote(t.name), ever))
	if err != nil {
		return 0, err
	}
	defer st.Close()
	if err := st.BindText(1, t.name); err != nil {
		return 0, err
	}
	more, err := st.Step()
	if err != nil || !more || st.Type(0) != engine.Integer || st.Int(0) == math.MaxInt64 {
		return 0, err
	}
	return st.Int(0) + 1, nil
}

// keyOrder lists the primary key's columns in the key's own order; at[i] is the place of column i in it, 0 for none.
func (t *table) keyOrder(at []int64) {
	for i, place := range at {
		if place > 0 {
			t.id = append(t.id, i)
		}
	}
	slices.SortFunc(t.id, func(a, b int) int { return int(at[a] - at[b]) })
}

// freeRowid is a name for the rowid that no column has taken, "" when all are taken.
func (t *table) freeRowid() string {
	for _, name := range []string{"rowid", "_rowid_", "oid"} {
		if t.column(name) < 0 {
			return name
		}
	}
	return ""
}

// orderByKey makes the natural order explicit for a table whose primary key orders its rows; that needs no sorting.
func (t *table) orderByKey() {
	var names []string
	for _, i := range t.id {
		names = append(names, quote(t.cols[i].Name))
	}
	t.order = " ORDER BY " + strings.Join(names, ", ")
}

func (t *table) identify(id []string) error {
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

// estimate takes the span of the rowids for the number of rows: exact for most logs, and free.
func (t *table) estimate() error {
	const absurd = 1 << 40
	st, err := t.conn.Prepare(fmt.Sprintf("SELECT (SELECT max(%[1]s) FROM %[2]s) - (SELECT min(%[1]s) FROM %[2]s) + 1", t.rowid, t.from))
	if err != nil {
		return err
	}
	defer st.Close()
	more, err := st.Step()
	if more && st.Type(0) == engine.Integer && st.Int(0) < absurd {
		t.total = st.Int(0)
	}
	return err
}

func (t *table) column(name string) int {
	return slices.IndexFunc(t.cols, func(c column) bool { return fold(c.Name) == fold(name) })
}

func (t *table) noColumn(name string) error {
	var known []string
	for _, c := range t.cols {
		known = append(known, c.Name)
	}
	return hinted(cmp.Or(rows.Suggest("column", name, known), "there is no column at all"), "%s: %s: %w: %q", t.store.shown, t.name, rows.ErrNoColumn, name)
}

// Columns implements rows.Table.
func (t *table) Columns() []rows.Column {
	out := make([]rows.Column, len(t.cols))
	for i, c := range t.cols {
		out[i] = c.Column
	}
	return out
}

// current is the row that is being handed over.
type current struct {
	pos       rows.Pos
	row       row
	selection selection
	known     bool
}

// Locator implements rows.Table. A row without rowid is named by its key while it is handed over, else by its place.
func (t *table) Locator(pos rows.Pos) string {
	b := append([]byte(t.name), '/')
	if t.rowid != "" {
		return string(strconv.AppendInt(b, int64(pos), 10))
	}
	if len(t.id) == 0 || !t.current.known || t.current.pos != pos {
		return string(strconv.AppendUint(append(b, '#'), uint64(pos), 10))
	}
	for i, c := range t.id {
		if i > 0 {
			b = append(b, ',')
		}
		var cell rows.Cell
		t.read(t.current.row, slices.Index(t.current.selection.columns, c), &cell)
		b = appendKey(b, cell)
	}
	return string(b)
}

// Progress implements rows.Table.
func (t *table) Progress() rows.Progress {
	return rows.Progress{Rows: t.progress.rows.Load(), Bytes: t.progress.bytes.Load(), Total: t.total, Unit: "rows"}
}

// Close implements rows.Table. The store's private copy, which other tables share, goes with the store.
func (t *table) Close() error {
	t.store.mu.Lock()
	t.store.tables = slices.DeleteFunc(t.store.tables, func(o *table) bool { return o == t })
	t.store.mu.Unlock()
	return t.release()
}

func (t *table) release() (err error) {
	t.closing.Do(func() { err = t.conn.Close() })
	return err
}

// failed says why a pass over the table ended early.
func (t *table) failed(ctx context.Context, err error) (rows.Extent, error) {
	if ctx.Err() != nil {
		return rows.Extent{Reason: "interrupted", Hint: "run the scan to its end"}, ctx.Err()
	}
	err = explain(t.store.shown, err)
	return rows.Extent{Reason: err.Error(), Hint: rows.HintOf(err)}, err
}
