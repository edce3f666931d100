package config

import "example.com/idemctl/internal/spelling"

// suggest names the known name that is nearest to got, for a hint.
func suggest(got string, known []string) string {
	name, near := spelling.Nearest(got, known)
	switch {
	case name == "":
		return ""
	case near:
		return `did you mean "` + name + `"?`
	}
	return `the nearest known name is "` + name + `"`
}
