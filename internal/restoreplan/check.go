package restoreplan

import (
	"errors"
	"fmt"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources/mapping"
	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/text"
)

// columns are the values to insert, in the order of the table; what the store fills by itself is left to it.
func (r *row) columns(in *insert) error {
	add := func(name string, c *cell, k kind) error {
		if !c.null {
			if _, err := r.to.literal(c.text, k); err != nil {
				return fmt.Errorf("column %s: %w", text.SafeString(name), err)
			}
		}
		in.columns = append(in.columns, column{name: name, null: c.null, text: c.text, kind: k, number: c.number || k == integer && whole(c.text), made: c.made})
		return nil
	}
	if len(r.to.columns) == 0 || r.to.dialect == noSQL {
		for _, name := range r.order {
			if err := add(name, r.cells[name], textual); err != nil {
				return err
			}
		}
		return nil
	}
	seen := 0
	for i := range r.to.columns {
		col := &r.to.columns[i]
		c := r.cells[col.Name]
		switch {
		case c == nil || !c.set:
			if col.NotNull && col.Fill == rows.FillNull {
				return fmt.Errorf("column %s must have a value, and no record tells which", text.SafeString(col.Name))
			}
			continue
		case col.Fill == rows.FillComputed:
			return fmt.Errorf("column %s is computed by the store", text.SafeString(col.Name))
		case c.null && col.NotNull:
			return fmt.Errorf("column %s must have a value, and a completed receipt has none there", text.SafeString(col.Name))
		}
		seen++
		if err := add(col.Name, c, r.to.dialect.kindOf(col)); err != nil {
			return err
		}
	}
	if seen < len(r.order) {
		return errors.New("the map names a column that its table does not have")
	}
	return nil
}

func (s *store) literal(b []byte, k kind) (string, error) {
	if s.dialect == noSQL {
		return "", nil
	}
	return s.dialect.literal(b, k)
}

// readBack reads the row as the next scan will, and compares it with what it was built to say.
func (r *row) readBack(end reconcile.Instant) error {
	spec := r.to.spec
	m, err := mapping.Compile(mapping.Input{
		Source: spec.Name, Role: spec.Role, Fields: spec.Map, Row: spec.Row, Where: spec.Where, Exclude: spec.Exclude, Claim: spec.Claim, Components: spec.Components, Extra: spec.Extra,
	})
	if err != nil {
		return fmt.Errorf("its map: %w", err)
	}
	cells := make([]rows.Cell, 0, len(m.Paths()))
	for _, p := range m.Paths() {
		cells = append(cells, r.cell(p))
	}
	rec, bad := m.Map(cells)
	switch {
	case bad != nil:
		return fmt.Errorf("the map could not read it back: %s", bad.Reason)
	case rec == nil:
		return errors.New("where would leave it out")
	}
	for _, c := range r.k.c.Identity {
		if v := rec.Component(c.Name); v.Differs(c.Value) {
			return fmt.Errorf("%s would be read back as another", text.SafeString(c.Name))
		}
	}
	if r.k.contract.StateOf(rec) != reconcile.StateCompleted {
		return fmt.Errorf("it would be read back as %s", r.k.contract.StateOf(rec))
	}
	if id, err := r.k.text("effect_id", r.to); err != nil || rec.EffectID.Differs(id) {
		return errors.New("effect_id would be read back as another")
	}
	if held := r.k.contract.HeldTo(rec); held.Before(end) {
		return fmt.Errorf("it would live to %s only, and may be sent again until %s", shownTime(held), shownTime(end))
	}
	return nil
}

func shownTime(i reconcile.Instant) string { return i.Time().Format("2006-01-02T15:04:05.999999999Z") }

// cell is what a reader finds at a path of the row.
func (r *row) cell(p rows.Path) rows.Cell {
	c := r.cells[r.name(p.Column)]
	switch {
	case c == nil || !c.set || c.null:
		return rows.Cell{Kind: rows.Null}
	case len(p.Members) > 0:
		v, _ := at(c.text, p.Members)
		return v
	}
	return rows.Cell{Kind: rows.Text, Text: c.text}
}
