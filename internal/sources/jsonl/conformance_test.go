package jsonl

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/sources/sourcetest"
)

// encoded spells rows as JSON lines.
func encoded(t *testing.T, rs []sourcetest.Row) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, r := range rs {
		key, err := json.Marshal(string(r.Key))
		if err != nil {
			t.Fatal(err)
		}
		body, err := json.Marshal(string(r.Body))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, `{"id":%d,"key":%s,"body":%s}`+"\n", r.ID, key, body)
	}
	return b.Bytes()
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func halve(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, info.Size()/2+3); err != nil {
		t.Fatal(err)
	}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	open := func(ctx context.Context, dir, _ string) (rows.Table, error) { return Open(ctx, nil, dir, "logs/*") }
	folder := func(t *testing.T, dir string) string {
		t.Helper()
		p := filepath.Join(dir, "logs")
		if err := os.Mkdir(p, 0o700); err != nil {
			t.Fatal(err)
		}
		return p
	}
	holds := func(b []byte) bool { return utf8.Valid(b) }
	kinds := map[string]sourcetest.Adapter{
		"plain": {
			Write: func(t *testing.T, dir string, rs []sourcetest.Row) {
				t.Helper()
				write(t, filepath.Join(folder(t, dir), "a.jsonl"), encoded(t, rs))
			},
			Cut: func(t *testing.T, dir string) { halve(t, filepath.Join(dir, "logs", "a.jsonl")) },
		},
		"gzip": {
			Write: func(t *testing.T, dir string, rs []sourcetest.Row) {
				t.Helper()
				write(t, filepath.Join(folder(t, dir), "named.txt"), sourcetest.Zipped(t, encoded(t, rs)))
			},
			Cut: func(t *testing.T, dir string) { halve(t, filepath.Join(dir, "logs", "named.txt")) },
		},
		"members": {
			Write: func(t *testing.T, dir string, rs []sourcetest.Row) {
				t.Helper()
				half := len(rs) / 2
				write(t, filepath.Join(folder(t, dir), "a.gz"), append(sourcetest.Zipped(t, encoded(t, rs[:half])), sourcetest.Zipped(t, encoded(t, rs[half:]))...))
			},
			Cut: func(t *testing.T, dir string) { halve(t, filepath.Join(dir, "logs", "a.gz")) },
		},
		"files": {
			Write: func(t *testing.T, dir string, rs []sourcetest.Row) {
				t.Helper()
				third := len(rs) / 3
				p := folder(t, dir)
				write(t, filepath.Join(p, "1.jsonl"), encoded(t, rs[:third]))
				write(t, filepath.Join(p, "2.jsonl.gz"), sourcetest.Zipped(t, encoded(t, rs[third:2*third])))
				write(t, filepath.Join(p, "3.jsonl"), bytes.TrimRight(encoded(t, rs[2*third:]), "\n"))
			},
			Cut: func(t *testing.T, dir string) { halve(t, filepath.Join(dir, "logs", "3.jsonl")) },
		},
	}
	for name, a := range kinds {
		a.Open, a.Holds = open, holds
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sourcetest.Run(t, a)
		})
	}
}
