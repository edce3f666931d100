package json

import "strings"

// Way leads from a value of a file to its records; an empty one says that they stand here.
type Way []Step

// Step is one member on a way.
type Step struct {
	Name string
	Any  bool // every member, whatever its name
	List bool // only where it is a list
}

// only is the one way of a path.
func only(path []string) []Way {
	if len(path) == 0 {
		return nil
	}
	way := make(Way, len(path))
	for i, name := range path {
		way[i].Name = name
	}
	return []Way{way}
}

// here reports whether records may stand where the ways have led.
func here(ways []Way) bool {
	for _, w := range ways {
		if len(w) == 0 {
			return true
		}
	}
	return len(ways) == 0
}

// allHere reports whether records stand nowhere else.
func allHere(ways []Way) bool {
	for _, w := range ways {
		if len(w) > 0 {
			return false
		}
	}
	return true
}

// below are the ways on from a member whose value begins with c.
func below(ways []Way, name string, c byte) []Way {
	var out []Way
	for _, w := range ways {
		if len(w) == 0 || w[0].List && c != '[' || !w[0].Any && w[0].Name != name || w[0].Any && c != '[' && c != '{' {
			continue
		}
		out = append(out, w[1:])
	}
	return out
}

// named lists the members by which the ways go on, for a reason.
func named(ways []Way) string {
	var out []string
	for _, w := range ways {
		switch {
		case len(w) == 0:
		case w[0].Any:
			out = append(out, "that holds records")
		default:
			out = append(out, w[0].Name)
		}
	}
	return strings.Join(out, " or ")
}
