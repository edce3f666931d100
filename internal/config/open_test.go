package config

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.com/idemctl/internal/sources"
)

func openOf(t *testing.T, open string, env map[string]string) (sources.Spec, error) {
	t.Helper()
	in := "version: 1\nname: t\ncontracts: {operation: pay, scope: [tenant, operation, key]}\nsources: {name: r, role: receipts, open: '" + open + "', map: {key: id}%s}\n"
	cfg, err := parse("c.yaml", []byte(fmt.Sprintf(in, "")), func(n string) string { return env[n] })
	if err != nil && strings.Contains(err.Error(), "needs a table") {
		cfg, err = parse("c.yaml", []byte(fmt.Sprintf(in, ", table: t")), func(n string) string { return env[n] })
	}
	if err != nil {
		return sources.Spec{}, err
	}
	return cfg.Sources[0], nil
}

func TestOpen(t *testing.T) {
	t.Parallel()
	env := map[string]string{"DIR": "/data", "PW": "hunter2", "DSN": "postgres://u:hunter2@db/x", "HOST": "db"}
	for _, tt := range []struct {
		open   string
		scheme sources.Scheme
		path   string
		shown  string
	}{
		{"sqlite:orders.sqlite", sources.SQLite, "orders.sqlite", "sqlite:orders.sqlite"},
		{"sqlite:${DIR}/a?mode=rw;ATTACH", sources.SQLite, "/data/a?mode=rw;ATTACH", "sqlite:${DIR}/a?mode=rw;ATTACH"},
		{"jsonl:logs/*.jsonl.gz", sources.JSONL, "logs/*.jsonl.gz", "jsonl:logs/*.jsonl.gz"},
		{"jsonl:C:/x", sources.JSONL, "C:/x", "jsonl:C:/x"},
		{"jsonl:$DIR", sources.JSONL, "$DIR", "jsonl:$DIR"},
		{"postgres://u:${PW}@db:5432/x?sslmode=require", sources.Postgres, "postgres://u:hunter2@db:5432/x?sslmode=require", "postgres://…@db:5432/x"},
		{"postgresql://db/x", sources.Postgres, "postgresql://db/x", "postgres://db/x"},
		{"postgres://u:literal@${HOST}/x", sources.Postgres, "postgres://u:literal@db/x", "postgres://…@$HOST/x"},
		{"postgres:host=db password=literal", sources.Postgres, "postgres:host=db password=literal", "postgres:…"},
		{"postgres://u:lit@eral/x@db/x", sources.Postgres, "postgres://u:lit@eral/x@db/x", "postgres:…"},
		{"postgres://u:12?eral@db/x", sources.Postgres, "postgres://u:12?eral@db/x", "postgres:…"},
		{"postgres://u:12/eral@db/x", sources.Postgres, "postgres://u:12/eral@db/x", "postgres:…"},
		{"postgres://u:12#eral@db/x", sources.Postgres, "postgres://u:12#eral@db/x", "postgres:…"},
		{"postgres://db:12/er:al", sources.Postgres, "postgres://db:12/er:al", "postgres:…"},
		{"${DSN}", sources.Postgres, "postgres://u:hunter2@db/x", "postgres:…"},
	} {
		s, err := openOf(t, tt.open, env)
		if err != nil || s.Scheme != tt.scheme || s.Path != tt.path || s.Shown != tt.shown {
			t.Errorf("open %q: %q %q %q, %v", tt.open, s.Scheme, s.Path, s.Shown, err)
		}
		if strings.Contains(s.Shown, "hunter2") || strings.Contains(s.Shown, "literal") {
			t.Errorf("open %q shows a secret: %q", tt.open, s.Shown)
		}
	}
}

func TestNoErrorShowsASecret(t *testing.T) {
	t.Parallel()
	const canary = "c4n4ry"
	for _, held := range []string{canary, "mysql://u:" + canary + "@h", canary + ":", "sqlite:" + canary + "\x00", "\x1b]0;" + canary} {
		for _, open := range []string{"${S}", "${S}${NOPE}", "x${S}", "${S}:x", "sqlite:${S}", "sqlite:${S}${"} {
			_, err := openOf(t, open, map[string]string{"S": held})
			var bad *Error
			if !errors.As(err, &bad) {
				continue
			}
			if out := bad.Error() + bad.Hint; strings.Contains(out, canary) {
				t.Errorf("open %q with %q: %s", open, held, out)
			}
		}
	}
}

func TestExpansionStaysInOpen(t *testing.T) {
	t.Parallel()
	cfg, err := parse("c.yaml", []byte(strings.Replace(small, "name: t", "name: ${S}", 1)), func(string) string { return "secret" })
	if err != nil || cfg.Name != "${S}" {
		t.Errorf("%+v, %v", cfg, err)
	}
}
