package mapping

import (
	"bytes"
	"encoding/base64"
	"errors"
	"slices"
	"strconv"
	"strings"

	"example.com/idemctl/internal/sources/jsonwalk"
	"example.com/idemctl/internal/sources/rows"
)

// A path may go on into lists and packed texts by selectors in brackets, which no source knows of: they are followed here, over the cell of the path before them.
//
//	LIST[0]          one element
//	LIST[]           every element: several values are put together, sorted, with a comma
//	LIST[key=NAME]   the element whose member key is NAME
//	OBJECT[*]        any member, whatever its name
//	TEXT[json]       the JSON that stands in a text
//	TEXT[base64]     what a text stands for
//	LIST[bytes]      the text that a list of bytes, signed or not, spells
type selector uint8

const (
	selectMember selector = iota
	selectIndex
	selectEvery
	selectWhere
	selectAny
	selectJSON
	selectBase64
	selectBytes
)

// step is one selector, or the members between two of them.
type step struct {
	kind   selector
	index  int
	want   string           // selectWhere
	walker *jsonwalk.Walker // selectMember: to the member; selectWhere: to the member that is compared
}

// derived is a cell that the Mapper makes of a source's cell.
type derived struct {
	from  int // the source's cell
	steps []step
	list  *jsonwalk.Walker
	whole *jsonwalk.Walker
	many  bool // several values are wanted
}

// maxSelected is how many values a selector may find in one row, and how long the texts may be that it makes.
const maxSelected = 1 << 12

var errSelector = errors.New(`not a column path: selectors are [0], [], [*], [member=text], [json], [base64] and [bytes]; a name that holds a bracket stands in double quotes`)

// CheckPath reports whether s is a path as a map may give it: a column path, with selectors or without.
func CheckPath(s string) error {
	_, _, err := cutPath(s)
	return err
}

// cutPath reads a path up to its first selector, and the selectors behind.
func cutPath(s string) (rows.Path, []step, error) {
	names, rest, err := pathNames(s)
	if err != nil {
		return rows.Path{}, nil, err
	}
	p := rows.Path{Column: names[0], Members: names[1:]}
	var steps []step
	for rest != "" {
		if rest[0] == '.' {
			if names, rest, err = pathNames(rest[1:]); err != nil {
				return rows.Path{}, nil, err
			}
			steps = append(steps, step{kind: selectMember, walker: jsonwalk.Compile([][]string{names})})
			continue
		}
		var st step
		if st, rest, err = cutSelector(rest); err != nil {
			return rows.Path{}, nil, err
		}
		steps = append(steps, st)
	}
	return p, steps, nil
}

// pathNames cuts names joined by dots off s, up to a selector or the end.
func pathNames(s string) (names []string, rest string, err error) {
	for {
		name, rest, err := pathName(s)
		if err != nil {
			return nil, "", err
		}
		names = append(names, name)
		if rest == "" || rest[0] == '[' {
			return names, rest, nil
		}
		if rest[0] != '.' {
			return nil, "", errPath
		}
		s = rest[1:]
	}
}

// cutSelector reads the selector with which s begins.
func cutSelector(s string) (step, string, error) {
	end := strings.IndexByte(s, ']')
	if end < 0 || len(s) > end+1 && s[end+1] != '.' && s[end+1] != '[' {
		return step{}, "", errSelector
	}
	inside, rest := s[1:end], s[end+1:]
	switch inside {
	case "":
		return step{kind: selectEvery}, rest, nil
	case "*":
		return step{kind: selectAny}, rest, nil
	case "json":
		return step{kind: selectJSON}, rest, nil
	case "base64":
		return step{kind: selectBase64}, rest, nil
	case "bytes":
		return step{kind: selectBytes}, rest, nil
	}
	if member, want, ok := strings.Cut(inside, "="); ok {
		names, tail, err := pathNames(member)
		if err != nil || tail != "" {
			return step{}, "", errSelector
		}
		return step{kind: selectWhere, want: want, walker: jsonwalk.Compile([][]string{names})}, rest, nil
	}
	n, err := strconv.ParseUint(inside, 10, 16)
	if err != nil {
		return step{}, "", errSelector
	}
	return step{kind: selectIndex, index: int(n)}, rest, nil
}

// follow makes the derived cell of one row; texts go into the Mapper's arena.
func (m *Mapper) follow(d *derived, cell rows.Cell) rows.Cell {
	values := []rows.Cell{cell}
	for i := range d.steps {
		var next []rows.Cell
		for _, v := range values {
			if v.Kind == rows.Bad {
				return v
			}
			found, why := m.take(d, i, v)
			if why != "" {
				return rows.Cell{Kind: rows.Bad, Text: []byte(why)}
			}
			if next = append(next, found...); len(next) > maxSelected {
				return rows.Cell{Kind: rows.Bad, Text: []byte("more than " + strconv.Itoa(maxSelected) + " values")}
			}
		}
		values = next
	}
	return m.gather(d, values)
}

// gather makes one cell of all that was found.
func (m *Mapper) gather(d *derived, values []rows.Cell) rows.Cell {
	if len(values) == 0 {
		return rows.Cell{}
	}
	if len(values) == 1 && values[0].Kind != rows.Text {
		return values[0]
	}
	e := &expr{composite: true}
	texts := make([][]byte, 0, len(values))
	for i := range values {
		b, known, bad := m.cellText(e, &values[i])
		if bad != nil {
			return rows.Cell{Kind: rows.Bad, Text: values[i].Text}
		}
		if known {
			texts = append(texts, b)
		}
	}
	slices.SortFunc(texts, bytes.Compare)
	texts = slices.CompactFunc(texts, bytes.Equal)
	switch {
	case len(texts) == 0:
		return rows.Cell{Kind: rows.Null}
	case len(texts) > 1 && !d.many:
		return rows.Cell{Kind: rows.Bad, Text: []byte("it has " + strconv.Itoa(len(texts)) + " different values where one is meant")}
	}
	cell := rows.Cell{Kind: rows.Text, Text: m.hold(bytes.Join(texts, []byte(",")))}
	if !slices.ContainsFunc(texts, func(b []byte) bool { return bytes.IndexByte(b, ',') >= 0 }) {
		cell.Num = int64(len(texts)) // they can be told apart again
	}
	return cell
}

// isSet reports whether the text that an expr gave for the row is several values as they stand, put together by a selector.
func (m *Mapper) isSet(e *expr, cells []rows.Cell) bool {
	if len(e.first) > 0 && !e.changed {
		e = e.took
	}
	return e != nil && e.plain && m.slots[e.at].derived != nil && cells[e.at].Kind == rows.Text && cells[e.at].Num > 1
}

// hold copies a text into the arena.
func (m *Mapper) hold(b []byte) []byte {
	from := len(m.arena)
	m.arena = append(m.arena, b...)
	return m.arena[from:len(m.arena):len(m.arena)]
}

// take follows the i-th step from a value. What is missing, null, or not of the step's kind leads nowhere; what cannot be read is told. A text is looked into
// where it is a column of its own, which may hold JSON, or was unpacked.
func (m *Mapper) take(d *derived, i int, v rows.Cell) (found []rows.Cell, why string) {
	st := &d.steps[i]
	packed := st.kind == selectJSON || st.kind == selectBase64
	switch v.Kind {
	case rows.Missing, rows.Null:
		return nil, ""
	case rows.Text, rows.Blob:
		if !packed && i > 0 && d.steps[i-1].kind != selectJSON && d.steps[i-1].kind != selectBase64 {
			return nil, ""
		}
	case rows.JSON:
	case rows.Int, rows.Real, rows.Number, rows.Bool, rows.Bad:
		return nil, "" // has no members
	}
	switch st.kind {
	case selectJSON:
		return []rows.Cell{v}, ""
	case selectBase64:
		return m.unpacked(v)
	case selectBytes:
		return m.spelled(d, v)
	case selectMember:
		return m.walked(st.walker, v.Text)
	case selectAny:
		return m.members(d, v.Text)
	case selectIndex, selectEvery, selectWhere:
	}
	n := -1
	err := d.list.Elements(v.Text, func(element []byte) error {
		n++
		if st.kind == selectIndex && n != st.index || st.kind == selectWhere && !m.fits(st, element) {
			return nil
		}
		cells, bad := m.walked(d.whole, element)
		if bad != "" {
			return errors.New(bad)
		}
		found = append(found, cells...)
		return nil
	})
	if err != nil {
		return nil, "no list: " + err.Error()
	}
	return found, ""
}

// derive returns what follows a path's selectors, nil where it has none.
func derive(from int, steps []step) *derived {
	if len(steps) == 0 {
		return nil
	}
	d := &derived{from: from, steps: steps, list: jsonwalk.Compile(nil), whole: jsonwalk.Compile([][]string{{}})}
	for i := range steps {
		d.many = d.many || steps[i].kind == selectEvery
	}
	return d
}

// walked reads one value below a text's JSON.
func (m *Mapper) walked(w *jsonwalk.Walker, doc []byte) (found []rows.Cell, why string) {
	var one [1]rows.Cell
	if err := w.Walk(doc, one[:]); err != nil {
		return nil, "not JSON: " + err.Error()
	}
	if one[0].Kind == rows.Missing {
		return nil, ""
	}
	one[0].Text = m.hold(one[0].Text)
	return one[:], ""
}

// members lists the values of an object's members.
func (m *Mapper) members(d *derived, doc []byte) (found []rows.Cell, why string) {
	err := d.list.Members(doc, func(_ []byte, c rows.Cell) error {
		c.Text = m.hold(c.Text)
		found = append(found, c)
		return nil
	})
	if err != nil {
		return nil, "no object: " + err.Error()
	}
	return found, ""
}

func (m *Mapper) fits(st *step, element []byte) bool {
	var one [1]rows.Cell
	if st.walker.Walk(element, one[:]) != nil {
		return false
	}
	b, known, bad := m.cellText(&expr{}, &one[0])
	return bad == nil && known && string(b) == st.want
}

// unpacked reads base64 in either alphabet, padded or not.
func (m *Mapper) unpacked(v rows.Cell) (found []rows.Cell, why string) {
	s := bytes.TrimRight(v.Text, "=")
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if b, err := encoding.AppendDecode(nil, s); err == nil {
			return []rows.Cell{{Kind: rows.Text, Text: m.hold(b)}}, ""
		}
	}
	return nil, "not base64"
}

// spelled reads a list of bytes, as Java writes them: from -128 to 255.
func (m *Mapper) spelled(d *derived, v rows.Cell) (found []rows.Cell, why string) {
	var out []byte
	err := d.list.Elements(v.Text, func(element []byte) error {
		n, err := strconv.Atoi(string(element))
		if err != nil || n < -128 || n > 255 {
			return errors.New("an element is no byte")
		}
		out = append(out, byte(n))
		return nil
	})
	if err != nil {
		return nil, "no list of bytes: " + err.Error()
	}
	return []rows.Cell{{Kind: rows.Text, Text: m.hold(out)}}, ""
}
