package mapping

import (
	"slices"

	"example.com/idemctl/internal/sources/rows"
)

// match is one condition of where or claim: a column has this text; "null" stands for null and missing.
type match struct {
	expr *expr
	want string
}

// matches compiles conditions in a fixed order, so that the first that fails is the same each time.
func (m *Mapper) matches(in *Input, name string, conditions map[string]string) ([]match, error) {
	paths := make([]string, 0, len(conditions))
	for path := range conditions {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	f := Field{Name: name, Line: in.Line, Col: in.Col}
	out := make([]match, 0, len(paths))
	for _, path := range paths {
		e, err := m.column(&f, path)
		if err != nil {
			return nil, err
		}
		e.composite = true
		out = append(out, match{expr: e, want: conditions[path]})
	}
	return out, nil
}

// holds reports whether all conditions hold.
func (m *Mapper) holds(conditions []match, cells []rows.Cell) (bool, *Unreadable) {
	for i := range conditions {
		c := &conditions[i]
		b, known, bad := m.eval(c.expr, cells)
		if bad != nil {
			return false, bad
		}
		if !known && c.want != "null" || known && string(b) != c.want {
			return false, nil
		}
	}
	return true, nil
}
