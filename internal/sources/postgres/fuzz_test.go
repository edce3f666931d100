package postgres

import (
	"strings"
	"testing"

	"example.com/idemctl/internal/sources/rows"
)

// FuzzURL parses whatever stands in a config: it never fails in a way that repeats a piece of it, and what it accepts sends the server no setting.
func FuzzURL(f *testing.F) {
	for _, dsn := range []string{
		"postgres://u:canary@h/db", "postgres://u:can@ary/x@h/db?sslmode=disable", "postgresql:///db?host=/run&port=1", "postgres://h/db?options=-c%20x", "postgres:host=h password = canary",
		"postgres://u:1#canary@h", "postgres://[::1]:5432/db", "postgres://h/db?service=canary", "postgres://h/db?passfile=canary&sslrootcert=canary",
	} {
		f.Add(dsn)
	}
	f.Fuzz(func(t *testing.T, dsn string) {
		target, err := parse(dsn, "postgres:…")
		if err != nil {
			if text := err.Error() + rows.HintOf(err); strings.Contains(text, "canary") {
				t.Fatalf("%q tells what it holds", text)
			}
			return
		}
		for name := range target.config.RuntimeParams {
			if name != "application_name" && name != "client_encoding" {
				t.Fatalf("the server is sent %s", name)
			}
		}
		for _, note := range target.notes {
			if strings.Contains(note, "password") {
				t.Fatalf("note %q", note)
			}
		}
	})
}

// FuzzName takes a table's name apart and puts it together again.
func FuzzName(f *testing.F) {
	for _, name := range []string{"orders", "sales.orders", `"a.b"."c""d"`, `"`, "a.b.c", ".", ""} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		schema, relation, ok := split(name)
		if !ok {
			return
		}
		again := quote(relation)
		if schema != "" {
			again = quote(schema) + "." + again
		}
		if s, r, ok := split(again); !ok || s != schema || r != relation {
			t.Fatalf("%q: %q and %q, then %q and %q", name, schema, relation, s, r)
		}
	})
}
