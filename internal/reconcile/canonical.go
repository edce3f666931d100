package reconcile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Canonical returns the one text of a JSON value that all its spellings share, after RFC 8785: no white space, members in the order of their
// names' UTF-16 code units, strings with the shortest escapes. The contract's defaults stand where a top-level member is absent, and the
// members it excludes are left out; both act on objects alone. spec may be nil.
//
// It departs from RFC 8785 in one point: a number is never a double. Its decimal value is kept to the last digit and printed in RFC 8785's
// notation, so 1, 1.0 and 10e-1 are one text, while 9007199254740993 and …992 stay two, 0.1000000000000000055 is not 0.1, and 1e400 is a
// number. Wherever a number's shortest digits are those that its double prints, which holds for every integer of up to 15 digits, the texts agree.
//
// It is an error when params is not one strict JSON text: a repeated member (even an excluded one), bytes that are not UTF-8, half a surrogate
// pair, anything after the value, more than 512 levels, a number beyond 10^±999999999. The error names a byte and never quotes the text.
func Canonical(params []byte, spec *ParamSpec) ([]byte, error) {
	v, err := parseJSON(params)
	if err != nil {
		return nil, fmt.Errorf("reading parameters: %w", err)
	}
	if spec != nil && v.kind == '{' {
		if err := v.fill(spec.Defaults); err != nil {
			return nil, err
		}
		for _, path := range spec.Exclude {
			v.drop(path)
		}
	}
	return v.appendTo(make([]byte, 0, len(params))), nil
}

// jsonValue is one parsed value. Its kind is the byte that it prints first: { [ " or, for numbers and literals, 0.
type jsonValue struct {
	kind     byte
	text     []byte // a string's characters, or the canonical text of a number or literal
	members  []jsonMember
	items    []jsonValue
	from, to int // where it stands in its document
}

type jsonMember struct {
	name  string
	value jsonValue
}

// at returns where a member stands, or where it would.
func (v *jsonValue) at(name string) (int, bool) {
	return slices.BinarySearchFunc(v.members, name, func(m jsonMember, name string) int { return compareUTF16(m.name, name) })
}

// fill puts the contract's defaults where a member is absent. A member that is null is there.
func (v *jsonValue) fill(defaults map[string]string) error {
	for name, text := range defaults {
		i, found := v.at(name)
		if found {
			continue
		}
		d, err := parseJSON([]byte(text))
		if err != nil {
			return fmt.Errorf("reading the default of %q: %w", name, err)
		}
		v.members = slices.Insert(v.members, i, jsonMember{name, d})
	}
	return nil
}

// drop leaves out the member that path names.
func (v *jsonValue) drop(path string) {
	v.find(path, func(object *jsonValue, i int) { object.members = slices.Delete(object.members, i, i+1) })
}

// find visits the members that path names. A dot leads into an object, and a name that contains a dot itself is found as it is: where both stand both are
// meant, so that what a path names does not hang on which of them one record happens to have.
func (v *jsonValue) find(path string, visit func(object *jsonValue, i int)) {
	if i, found := v.at(path); found {
		visit(v, i)
	}
	for dot := range len(path) {
		if path[dot] != '.' {
			continue
		}
		if i, found := v.at(path[:dot]); found && v.members[i].value.kind == '{' {
			v.members[i].value.find(path[dot+1:], visit)
		}
	}
}

func (v *jsonValue) appendTo(out []byte) []byte {
	switch v.kind {
	case '{':
		out = append(out, '{')
		for i := range v.members {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(appendQuoted(out, v.members[i].name), ':')
			out = v.members[i].value.appendTo(out)
		}
		return append(out, '}')
	case '[':
		out = append(out, '[')
		for i := range v.items {
			if i > 0 {
				out = append(out, ',')
			}
			out = v.items[i].appendTo(out)
		}
		return append(out, ']')
	case '"':
		return appendQuoted(out, string(v.text))
	}
	return append(out, v.text...)
}

// appendQuoted writes a string with the only escapes that RFC 8785 knows: the short ones, and \u00xx for other control characters.
func appendQuoted(out []byte, s string) []byte {
	const hex = "0123456789abcdef"
	out = append(out, '"')
	for i := range len(s) {
		c := s[i]
		short := strings.IndexByte("\b\t\n\f\r\"\\", c)
		switch {
		case short >= 0:
			out = append(out, '\\', `btnfr"\`[short])
		case c < ' ':
			out = append(out, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			out = append(out, c)
		}
	}
	return append(out, '"')
}

// compareUTF16 orders two texts by their UTF-16 code units. It differs from the order of their bytes where a character beyond U+FFFF, whose first
// unit is a surrogate, meets one from U+E000 up.
func compareUTF16(a, b string) int {
	for a != "" && b != "" {
		x, n := utf8.DecodeRuneInString(a)
		y, m := utf8.DecodeRuneInString(b)
		if x != y {
			return cmp.Or(cmp.Compare(firstUnit(x), firstUnit(y)), cmp.Compare(x, y))
		}
		a, b = a[n:], b[m:]
	}
	return cmp.Compare(len(a), len(b))
}

func firstUnit(r rune) rune {
	if r < 0x10000 {
		return r
	}
	return 0xD800 + (r-0x10000)>>10
}

// sortMembers orders an object's members and reports whether every name stands once.
func sortMembers(ms []jsonMember) bool {
	slices.SortFunc(ms, func(a, b jsonMember) int { return compareUTF16(a.name, b.name) })
	for i := 1; i < len(ms); i++ {
		if ms[i].name == ms[i-1].name {
			return false
		}
	}
	return true
}
