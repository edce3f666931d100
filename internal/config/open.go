package config

import (
	"net/url"
	"strings"

	"example.com/idemctl/internal/sources"
)

// open reads where a source is: SCHEME:PATH with ${ENV} expanded. What a variable held, and a connection's password, reach no error and no Shown.
func (v value) open(spec *sources.Spec) {
	written := v.text()
	s, held, ok := v.expand(written)
	if !ok {
		return
	}
	spec.Variables = held
	name, rest, found := strings.Cut(s, ":")
	schemes := []string{string(sources.SQLite), string(sources.Postgres), string(sources.JSONL), string(sources.JSON), string(sources.CSV), string(sources.Text)}
	if name == "postgresql" {
		name = string(sources.Postgres)
	}
	for _, known := range schemes {
		if name != known || !found {
			continue
		}
		if rest == "" {
			v.fail("write "+name+":PATH", "%s names no path", v.name)
		}
		if name == string(sources.Postgres) {
			spec.Scheme, spec.Path, spec.Shown = sources.Postgres, s, shownDSN(written)
			return
		}
		spec.Scheme, spec.Path, spec.Shown = sources.Scheme(name), rest, written
		return
	}
	v.fail(openHint(written, name, found, schemes), "%s must begin with one of sqlite: postgres: jsonl: json: csv: text:", v.name)
}

// openHint looks at what stands in the file only, never at what a variable held.
func openHint(written, name string, found bool, schemes []string) string {
	if strings.Contains(written, "${") {
		return "look at what the variable holds: it is not shown here"
	}
	if found && !strings.ContainsAny(name, `./\`) {
		return suggest(name, schemes)
	}
	bare := strings.TrimSuffix(strings.ToLower(written), ".gz")
	for _, kind := range []struct{ ending, scheme string }{
		{".sqlite", "sqlite"}, {".sqlite3", "sqlite"}, {".db", "sqlite"}, {".sql", "sqlite"}, {".jsonl", "jsonl"}, {".ndjson", "jsonl"}, {".json", "json"}, {".csv", "csv"}, {".log", "text"},
	} {
		if strings.HasSuffix(bare, kind.ending) {
			return "write " + quote(kind.scheme+":"+written)
		}
	}
	return "write sqlite:PATH, jsonl:GLOB, json:GLOB, csv:GLOB, text:GLOB or postgres://…"
}

// expand replaces each ${NAME} by what the variable of that name holds, and says what that was.
func (v value) expand(s string) (expanded string, variables []sources.Variable, ok bool) {
	var out strings.Builder
	for {
		before, tail, found := strings.Cut(s, "${")
		out.WriteString(before)
		if !found {
			return out.String(), variables, true
		}
		name, rest, closed := strings.Cut(tail, "}")
		if !closed || !variable(name) {
			v.fail("write ${NAME}", "%s holds ${ without a variable's name", v.name)
			return "", nil, false
		}
		held := v.d.getenv(name)
		if held == "" {
			v.fail("set it before you start idemctl", "the environment variable %s is not set", name)
			return "", nil, false
		}
		if strings.ContainsRune(held, 0) {
			v.fail("set it to text", "the environment variable %s holds a NUL", name)
			return "", nil, false
		}
		out.WriteString(held)
		variables = append(variables, sources.Variable{Name: name, Held: held})
		s = rest
	}
}

func variable(name string) bool {
	for i, r := range name {
		letter := r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r == '_'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}

// shownDSN is what may be printed of a connection: host and database, never who or with what. A reserved character that is not encoded puts a piece of a
// password where the host or the database is read, so then nothing is shown.
func shownDSN(written string) string {
	u, err := url.Parse(strings.NewReplacer("${", "$", "}", "").Replace(written))
	if err != nil || u.Host == "" || u.Fragment != "" || strings.ContainsAny(u.EscapedPath(), "@:") || strings.Contains(u.RawQuery, "@") {
		return "postgres:…"
	}
	if u.User != nil || u.RawQuery != "" {
		return "postgres://…@" + u.Host + u.Path
	}
	return "postgres://" + u.Host + u.Path
}
