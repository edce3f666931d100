package sqlite

import (
	"fmt"
	"strings"
)

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

const listed = 8

// suggest names the known name nearest to the wanted one, or lists what there is.
func suggest(what, wanted string, known []string) string {
	best, least := "", 1+max(2, len(wanted)/3)
	for _, k := range known {
		if d := distance(fold(wanted), fold(k)); d < least {
			best, least = k, d
		}
	}
	switch {
	case best != "":
		return fmt.Sprintf("did you mean %q?", best)
	case len(known) == 0:
		return "there is no " + what + " at all"
	case len(known) > listed:
		return fmt.Sprintf("there are %d %ss: %s …", len(known), what, strings.Join(known[:listed], ", "))
	default:
		return fmt.Sprintf("there is: %s", strings.Join(known, ", "))
	}
}

// distance is how many bytes must be put in, taken out or replaced.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

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
	case has("REAL"), has("FLOA"), has("DOUB"): //nolint:misspell // as in DOUBLE
		return "REAL"
	default:
		return "NUMERIC"
	}
}
