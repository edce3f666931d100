package sources

import (
	"context"
	"errors"
	"slices"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources/rows"
)

// Survey lists the tables of the database that a spec opens, with their columns and indexes, and remarks on how it is read. No row is read.
func Survey(ctx context.Context, place Place, spec *Spec) (_ []rows.Relation, notes []string, err error) {
	db, err := place.openStore(ctx, spec)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	all, err := db.Tables(ctx)
	return all, db.Notes(), err
}

// errEnough ends a peek.
var errEnough = errors.New("enough rows were seen")

// Peek hands over the cells at these paths of the first rows, most of them, of the table or the files that a spec opens; its map is not used. It returns the
// columns or, for files, the members that the first rows show. A row that cannot be read is passed over.
func Peek(ctx context.Context, place Place, spec *Spec, paths []rows.Path, most int, see func(cells []rows.Cell)) (_ []rows.Column, err error) {
	records, err := spec.recordPath()
	if err != nil {
		return nil, err
	}
	pattern, err := spec.linePattern()
	if err != nil {
		return nil, err
	}
	set := &Set{stores: map[string]*store{}}
	defer func() { err = errors.Join(err, set.Close()) }()
	s := &Source{spec: spec, place: place, records: records, pattern: pattern, now: reconcile.Instant{}}
	table, err := set.unbound(ctx, place, s)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, table.Close()) }()
	columns := table.Columns()
	there, at := bindable(spec, columns, paths)
	if err := table.Bind(there); err != nil {
		return columns, err
	}
	cells := make([]rows.Cell, len(paths)) // what is not there stays missing
	n := 0
	_, err = table.Scan(ctx, func(_ rows.Pos, row []rows.Cell) error {
		for i, cell := range row {
			cells[at[i]] = cell
		}
		see(cells)
		if n++; n >= most {
			return errEnough
		}
		return nil
	}, func(rows.Problem) {})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return columns, err
}

// bindable leaves out the paths whose column a table or a CSV file does not have; at tells of each that is left which one it was. A header that is to be found is
// the line that names them all.
func bindable(spec *Spec, columns []rows.Column, paths []rows.Path) (there []rows.Path, at []int) {
	find := spec.Scheme == CSV && spec.CSV != nil && spec.CSV.Find
	for i, p := range paths {
		if find || spec.Scheme == JSONL || spec.Scheme == JSON || slices.ContainsFunc(columns, func(c rows.Column) bool { return c.Name == p.Column }) {
			there, at = append(there, p), append(at, i)
		}
	}
	return there, at
}
