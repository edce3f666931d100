package json

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"unicode/utf8"

	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/sources/sourcetest"
)

func same(name string) string { return name }

// spelled spells rows as JSON objects, with this between them.
func spelled(t *testing.T, rs []sourcetest.Row, before, between, after string) []byte {
	t.Helper()
	var b bytes.Buffer
	b.WriteString(before)
	for i, r := range rs {
		if i > 0 {
			b.WriteString(between)
		}
		key, err := json.Marshal(string(r.Key))
		if err != nil {
			t.Fatal(err)
		}
		body, err := json.Marshal(string(r.Body))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, `{"id":%d,"key":%s,"body":%s}`, r.ID, key, body)
	}
	b.WriteString(after)
	return b.Bytes()
}

func TestConformance(t *testing.T) {
	t.Parallel()
	const a = "logs/a.json"
	one := func(spell func(t *testing.T, rs []sourcetest.Row) []byte) sourcetest.Adapter {
		return sourcetest.Adapter{
			Write: func(t *testing.T, dir string, rs []sourcetest.Row) { sourcetest.WriteFile(t, dir, a, spell(t, rs)) },
			Cut:   func(t *testing.T, dir string) { sourcetest.Halve(t, dir, a) },
		}
	}
	array := func(t *testing.T, rs []sourcetest.Row) []byte { return spelled(t, rs, "[", ",", "]") }
	kinds := map[string]struct {
		sourcetest.Adapter
		path []string
	}{
		"array":        {Adapter: one(array)},
		"indented":     {Adapter: one(func(t *testing.T, rs []sourcetest.Row) []byte { return spelled(t, rs, " [\n  ", ",\r\n\t", "\n]\n") })},
		"concatenated": {Adapter: one(func(t *testing.T, rs []sourcetest.Row) []byte { return spelled(t, rs, "", "\n", "") })},
		"glued":        {Adapter: one(func(t *testing.T, rs []sourcetest.Row) []byte { return spelled(t, rs, "", "", "\n") })},
		"nested": {Adapter: one(func(t *testing.T, rs []sourcetest.Row) []byte {
			return spelled(t, rs, `{"next":null,"data":{"a.b":[],"Records":[`, ",", `]},"links":[{"self":"é\n"}]}`)
		}), path: []string{"data", "Records"}},
		"pages": {Adapter: one(func(t *testing.T, rs []sourcetest.Row) []byte {
			half := len(rs) / 2
			return append(spelled(t, rs[:half], `[{"data":[`, ",", `]},`), spelled(t, rs[half:], `{"more":false,"data":[`, ",", `]}]`)...)
		}), path: []string{"data"}},
		"wrapped one by one": {Adapter: one(func(t *testing.T, rs []sourcetest.Row) []byte {
			return spelled(t, rs, `[{"event":`, `},{"event":`, `}]`)
		}), path: []string{"event"}},
		"gzip": {Adapter: one(func(t *testing.T, rs []sourcetest.Row) []byte { return sourcetest.Zipped(t, array(t, rs)) })},
		"members": {Adapter: one(func(t *testing.T, rs []sourcetest.Row) []byte {
			whole := array(t, rs)
			half := len(whole) / 2
			return append(sourcetest.Zipped(t, whole[:half]), sourcetest.Zipped(t, whole[half:])...)
		})},
		"files": {Adapter: sourcetest.Adapter{
			Write: func(t *testing.T, dir string, rs []sourcetest.Row) {
				third := len(rs) / 3
				sourcetest.WriteFile(t, dir, "logs/1.json", array(t, rs[:third]))
				sourcetest.WriteFile(t, dir, "logs/2.json.gz", sourcetest.Zipped(t, array(t, rs[third:2*third])))
				sourcetest.WriteFile(t, dir, "logs/3.json", array(t, rs[2*third:]))
			},
			Cut: func(t *testing.T, dir string) { sourcetest.Halve(t, dir, "logs/3.json") },
		}},
	}
	for name, k := range kinds {
		k.Open = func(ctx context.Context, dir, _ string) (rows.Table, error) {
			return Open(ctx, nil, dir, "logs/*", k.path, same)
		}
		k.Holds = utf8.Valid
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sourcetest.Run(t, k.Adapter)
		})
	}
}
