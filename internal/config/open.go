package config

import (
	"net/url"
	"strings"

	"example.com/idemctl/internal/sources"
)

// open reads where a source is: SCHEME:PATH with ${ENV} expanded. What a variable held, and a connection's password, reach no error and no Shown.
func (v value) open() (scheme sources.Scheme, path, shown string) {
	written := v.text()
	s, ok := v.expand(written)
	if !ok {
		return "", "", ""
	}
	name, rest, found := strings.Cut(s, ":")
	schemes := []string{string(sources.SQLite), string(sources.Postgres), string(sources.JSONL), string(sources.JSON), string(sources.CSV)}
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
			return sources.Postgres, s, shownDSN(written)
		}
		return sources.Scheme(name), rest, written
	}
	v.fail(openHint(written, name, found, schemes), "%s must begin with one of sqlite: postgres: jsonl: json: csv:", v.name)
	return "", "", ""
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
		{".sqlite", "sqlite"}, {".sqlite3", "sqlite"}, {".db", "sqlite"}, {".sql", "sqlite"}, {".jsonl", "jsonl"}, {".ndjson", "jsonl"}, {".json", "json"}, {".csv", "csv"},
	} {
		if strings.HasSuffix(bare, kind.ending) {
			return "write " + quote(kind.scheme+":"+written)
		}
	}
	return "write sqlite:PATH, jsonl:GLOB, json:GLOB, csv:GLOB or postgres://…"
}

// expand replaces each ${NAME} by the variable of that name.
func (v value) expand(s string) (string, bool) {
	var out strings.Builder
	for {
		before, tail, found := strings.Cut(s, "${")
		out.WriteString(before)
		if !found {
			return out.String(), true
		}
		name, rest, closed := strings.Cut(tail, "}")
		if !closed || !variable(name) {
			v.fail("write ${NAME}", "%s holds ${ without a variable's name", v.name)
			return "", false
		}
		held := v.d.getenv(name)
		if held == "" {
			v.fail("set it before you start idemctl", "the environment variable %s is not set", name)
			return "", false
		}
		if strings.ContainsRune(held, 0) {
			v.fail("set it to text", "the environment variable %s holds a NUL", name)
			return "", false
		}
		out.WriteString(held)
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

// shownDSN is what may be printed of a connection: host and database, never who or with what.
func shownDSN(written string) string {
	u, err := url.Parse(strings.NewReplacer("${", "$", "}", "").Replace(written))
	if err != nil || u.Host == "" {
		return "postgres:…"
	}
	if u.User != nil || u.RawQuery != "" {
		return "postgres://…@" + u.Host + u.Path
	}
	return "postgres://" + u.Host + u.Path
}
