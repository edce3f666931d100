package jsonwalk

import "example.com/idemctl/internal/sources/rows"

// Column is one column that a caller's paths need, with all that is taken from it: its cell may serve several paths, and its members are found in one walk
// over its text.
type Column struct {
	Name  string // as the first path spells it
	At    int    // its place, as Columns was told
	Whole []int  // the paths that are the column itself

	members [][]string
	slots   []int // slots[i] is the path of members[i]
	walker  *Walker
	found   []rows.Cell
}

// Columns groups paths by the place of their column, in the order in which each is met first.
func Columns(paths []rows.Path, place func(column string) (int, error)) ([]Column, error) {
	var all []Column
	met := map[int]int{}
	for i, p := range paths {
		at, err := place(p.Column)
		if err != nil {
			return nil, err
		}
		n, ok := met[at]
		if !ok {
			n = len(all)
			met[at] = n
			all = append(all, Column{Name: p.Column, At: at})
		}
		c := &all[n]
		if len(p.Members) == 0 {
			c.Whole = append(c.Whole, i)
			continue
		}
		c.slots, c.members = append(c.slots, i), append(c.members, p.Members)
	}
	for i := range all {
		c := &all[i]
		c.walker, c.found = Compile(c.members), make([]rows.Cell, len(c.members))
	}
	return all, nil
}

// Members lists the paths that lead into the column's JSON, without its name.
func (c *Column) Members() [][]string { return c.members }

// Fill gives the column's cell to the paths that are the column, and what stands in its JSON to those that lead into it. What is no text has no members.
func (c *Column) Fill(cell rows.Cell, cells []rows.Cell) {
	for _, slot := range c.Whole {
		cells[slot] = cell
	}
	c.Dig(cell, cells)
}

// Dig fills the paths that lead into the JSON of a cell.
func (c *Column) Dig(cell rows.Cell, cells []rows.Cell) {
	if len(c.slots) == 0 {
		return
	}
	switch cell.Kind {
	case rows.JSON, rows.Text, rows.Blob:
		if err := c.walker.Walk(cell.Text, c.found); err != nil {
			c.spread(rows.Cell{Kind: rows.Bad, Text: []byte("not JSON: " + err.Error())})
		}
	case rows.Bad:
		c.spread(cell)
	case rows.Missing, rows.Null, rows.Int, rows.Real, rows.Number, rows.Bool:
		clear(c.found)
	}
	for i, slot := range c.slots {
		cells[slot] = c.found[i]
	}
}

func (c *Column) spread(cell rows.Cell) {
	for i := range c.found {
		c.found[i] = cell
	}
}
