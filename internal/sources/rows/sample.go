package rows

import "strings"

// Sample collects the members that the first rows of a file show, which declares none.
type Sample struct {
	columns []Column
	index   map[string]int
}

// Note adds what one row has under a name.
func (s *Sample) Note(name []byte, c Cell) {
	kind := kindName(c.Kind)
	i, ok := s.index[string(name)]
	switch {
	case !ok:
		if s.index == nil {
			s.index = map[string]int{}
		}
		s.index[string(name)] = len(s.columns)
		s.columns = append(s.columns, Column{Name: string(name), Type: kind})
	case kind == kindNull || strings.Contains(s.columns[i].Type, kind):
	case s.columns[i].Type == kindNull:
		s.columns[i].Type = kind
	default:
		s.columns[i].Type += "|" + kind
	}
}

// Columns lists the members in the order of their first appearance, each with the types seen.
func (s *Sample) Columns() []Column { return s.columns }

const kindNull = "null"

func kindName(k Kind) string {
	switch k {
	case Int, Number, Real:
		return "number"
	case Text:
		return "text"
	case Bool:
		return "bool"
	case JSON:
		return "json"
	case Missing, Null, Blob, Bad:
	}
	return kindNull
}
