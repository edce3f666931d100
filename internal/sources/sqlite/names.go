package sqlite

import "strings"

// fold compares names as the library does: ASCII letters without regard to case, all other bytes as they are.
func fold(name string) string {
	b := []byte(name)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// quote makes a name an identifier, whatever it contains.
func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// affinity is the column affinity that a declared type gives, by the library's own rules, when it may change a stored value: text that looks like a number
// becomes one. TEXT and BLOB keep what was written.
func affinity(declared string) string {
	t := strings.ToUpper(declared)
	has := func(part string) bool { return strings.Contains(t, part) }
	switch {
	case has("INT"):
		return "INTEGER"
	case has("CHAR"), has("CLOB"), has("TEXT"), has("BLOB"), t == "", t == "ANY":
		return ""
	case has("REAL"), has("FLOA"), has("DOUB"): //nolint:misspell // the letters of the library's rule, as in DOUBLE
		return "REAL"
	default:
		return "NUMERIC"
	}
}
