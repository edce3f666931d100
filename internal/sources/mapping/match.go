package mapping

import (
	"regexp"
	"slices"
	"strings"

	"example.com/idemctl/internal/sources/rows"
)

// Condition says which texts a column may have: one of Want. "null" stands for null and missing, and "~" before a regular expression for every text that it
// matches as a whole.
type Condition struct {
	Path string
	Want []string
}

// Exclusion leaves out rows that say nothing of an action, under a reason by which they are counted. All of its conditions must hold.
type Exclusion struct {
	Reason string
	When   []Condition
	Line   int
	Col    int
}

// condition is a compiled Condition.
type condition struct {
	expr     *expr
	exact    []string
	patterns []*regexp.Regexp
	null     bool
}

// exclusion is a compiled Exclusion.
type exclusion struct {
	reason string
	when   []condition
}

// pattern compiles the regular expression behind a "~"; nil where s is a plain text.
func pattern(f *Field, s string) (*regexp.Regexp, error) {
	source, ok := strings.CutPrefix(s, "~")
	if !ok {
		return nil, nil // a plain text
	}
	re, err := regexp.Compile(`\A(?s:` + source + `)\z`)
	if err != nil {
		return nil, f.at("the syntax is RE2's; a text that begins with ~ is written ~\\~", "%q is no regular expression", s)
	}
	return re, nil
}

// conditions turns a mapping of columns and texts into conditions in a fixed order, so that the first that fails is the same each time.
func conditions(pairs map[string]string) []Condition {
	out := make([]Condition, 0, len(pairs))
	for path, want := range pairs {
		out = append(out, Condition{Path: path, Want: []string{want}})
	}
	slices.SortFunc(out, func(a, b Condition) int { return strings.Compare(a.Path, b.Path) })
	return out
}

func (m *Mapper) conditions(f *Field, given []Condition) ([]condition, error) {
	out := make([]condition, 0, len(given))
	for _, c := range given {
		e, err := m.column(f, c.Path)
		if err != nil {
			return nil, err
		}
		e.composite = true
		compiled := condition{expr: e}
		if err := compiled.want(f, c.Want); err != nil {
			return nil, err
		}
		out = append(out, compiled)
	}
	return out, nil
}

// want adds the texts that meet the condition.
func (c *condition) want(f *Field, texts []string) error {
	for _, text := range texts {
		re, err := pattern(f, text)
		switch {
		case err != nil:
			return err
		case re != nil:
			c.patterns = append(c.patterns, re)
		case text == "null":
			c.null = true
		default:
			c.exact = append(c.exact, text)
		}
	}
	return nil
}

func (m *Mapper) exclusions(in *Input) error {
	for _, x := range in.Exclude {
		f := Field{Name: "exclude", Line: x.Line, Col: x.Col}
		when, err := m.conditions(&f, x.When)
		if err != nil {
			return err
		}
		m.exclude = append(m.exclude, exclusion{reason: x.Reason, when: when})
	}
	return nil
}

// excluded reports whether an exclusion leaves the row out, and notes which.
func (m *Mapper) excluded(cells []rows.Cell) (bool, *Unreadable) {
	for i := range m.exclude {
		x := &m.exclude[i]
		if out, bad := m.holds(x.when, cells); bad != nil || out {
			m.leftOut = x.reason
			return out, bad
		}
	}
	return false, nil
}

// holds reports whether all conditions hold.
func (m *Mapper) holds(all []condition, cells []rows.Cell) (bool, *Unreadable) {
	for i := range all {
		c := &all[i]
		b, known, bad := m.eval(c.expr, cells)
		if bad != nil {
			return false, bad
		}
		if !c.met(b, known) {
			return false, nil
		}
	}
	return true, nil
}

func (c *condition) met(b []byte, known bool) bool {
	if !known {
		return c.null
	}
	return slices.Contains(c.exact, string(b)) || slices.ContainsFunc(c.patterns, func(re *regexp.Regexp) bool { return re.Match(b) })
}
