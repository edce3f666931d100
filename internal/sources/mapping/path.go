package mapping

import (
	"errors"
	"strings"

	"example.com/idemctl/internal/sources/rows"
)

var errPath = errors.New(`not a column path: write column, column.member, or "a name with dots".member`)

// ParsePath reads a column path: names joined by dots. A name that holds a dot, a quote or an opening bracket stands in double quotes, a quote in it doubled.
func ParsePath(s string) (rows.Path, error) {
	names, rest, err := pathNames(s)
	if err != nil {
		return rows.Path{}, err
	}
	if rest != "" {
		return rows.Path{}, errSelector
	}
	return rows.Path{Column: names[0], Members: names[1:]}, nil
}

// pathName cuts the first name off s.
func pathName(s string) (name, rest string, err error) {
	if !strings.HasPrefix(s, `"`) {
		end := strings.IndexAny(s, `."[`)
		if end < 0 {
			end = len(s)
		}
		if end == 0 {
			return "", "", errPath
		}
		return s[:end], s[end:], nil
	}
	var b strings.Builder
	for s = s[1:]; ; s = s[1:] {
		end := strings.IndexByte(s, '"')
		if end < 0 {
			return "", "", errPath
		}
		b.WriteString(s[:end])
		s = s[end+1:]
		if !strings.HasPrefix(s, `"`) {
			return b.String(), s, nil
		}
		b.WriteByte('"')
	}
}

// RowStep is one member on the way to the records of a document.
type RowStep struct {
	Name      string
	Any, List bool
}

// ParseWay reads the way to the records of a document: names joined by dots, * for every member, [] behind a member that must be a list; "." for the value itself.
func ParseWay(s string) ([]RowStep, error) {
	if s == "." {
		return nil, nil
	}
	var out []RowStep
	for {
		name, rest, err := pathName(s)
		if err != nil {
			return nil, err
		}
		step := RowStep{Name: name, Any: s[0] == '*' && name == "*"}
		if tail, ok := strings.CutPrefix(rest, "[]"); ok {
			step.List, rest = true, tail
		}
		out = append(out, step)
		if rest == "" {
			return out, nil
		}
		if rest[0] != '.' {
			return nil, errPath
		}
		s = rest[1:]
	}
}
