package mapping

import (
	"strings"

	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/text"
)

// alternative is one of several places that may give a fact.
type alternative struct {
	expr *expr
	when []condition
	name string // its columns, as the config spells them
}

// alternatives compiles the alternatives of a field. What stands for no value in the field does so in each of them.
func (m *Mapper) alternatives(e *expr, f *Field) error {
	for i := range f.First {
		a := f.First[i]
		a.Name, a.Line, a.Col = f.Name, f.Line, f.Col
		a.Absent = append(append([]string(nil), a.Absent...), f.Absent...)
		if a.As+a.Zone+a.ZoneFrom+a.Unit+a.CurrencyIs != "" || len(a.Currencies)+len(a.First)+len(a.Each)+len(a.Presence) > 0 {
			return f.at("give as, zone, unit and currency beside from: they hold for all alternatives", "%s: an alternative says more than where its text comes from", text.SafeString(f.Name))
		}
		when, err := m.conditions(&a, a.When)
		if err != nil {
			return err
		}
		of, err := m.textExpr(&a)
		if err != nil {
			return err
		}
		names := a.columns()
		if a.From != "" {
			names = []string{a.From}
		}
		e.first = append(e.first, alternative{expr: of, when: when, name: strings.Join(names, " + ")})
		if e.column = strings.Join(f.alternatives(), " or "); a.Const != nil && len(a.When) == 0 && i < len(f.First)-1 {
			return f.at("put it last", "%s: a constant without when leaves nothing to the alternatives behind it", text.SafeString(f.Name))
		}
	}
	return nil
}

// firstOf returns the value of the first alternative that has one, and notes which that is.
func (m *Mapper) firstOf(e *expr, cells []rows.Cell) (b []byte, known bool, bad *Unreadable) {
	e.picked, e.took = "", nil
	for i := range e.first {
		a := &e.first[i]
		a.expr.exact, a.expr.composite, a.expr.mixed = e.exact, e.composite, e.mixed
		if met, bad := m.holds(a.when, cells); bad != nil || !met {
			if bad != nil {
				return nil, false, bad
			}
			continue
		}
		if b, known, bad = m.evalWords(a.expr, cells); bad != nil || known {
			e.picked, e.took = a.name, a.expr
			return b, known, bad
		}
	}
	return nil, false, nil
}
