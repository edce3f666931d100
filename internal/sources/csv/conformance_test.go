package csv

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"

	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/sources/sourcetest"
)

func same(name string) string { return name }

var comma = Shape{Delimiter: ',', Header: true}

// quote spells a cell with quotes.
func quote(b []byte) string { return `"` + strings.ReplaceAll(string(b), `"`, `""`) + `"` }

// spelled spells rows with all texts quoted.
func spelled(rs []sourcetest.Row, header, delimiter, end string) []byte {
	var b bytes.Buffer
	b.WriteString(header)
	for _, r := range rs {
		fmt.Fprintf(&b, "%d%s%s%s%s%s", r.ID, delimiter, quote(r.Key), delimiter, quote(r.Body), end)
	}
	return b.Bytes()
}

// written is what encoding/csv makes of rows. It leaves empty texts unquoted, which are nulls here.
func written(t *testing.T, rs []sourcetest.Row) []byte {
	t.Helper()
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	records := [][]string{{"body", "id", "key"}}
	for _, r := range rs {
		records = append(records, []string{string(r.Body), strconv.FormatInt(r.ID, 10), string(r.Key)})
	}
	if err := w.WriteAll(records); err != nil {
		t.Fatal(err)
	}
	return bytes.ReplaceAll(bytes.ReplaceAll(b.Bytes(), []byte("\n,"), []byte("\n\"\",")), []byte(",\n"), []byte(",\"\"\n"))
}

func TestConformance(t *testing.T) {
	t.Parallel()
	const a, header = "logs/a.csv", "id,key,body\n"
	one := func(spell func(t *testing.T, rs []sourcetest.Row) []byte) sourcetest.Adapter {
		return sourcetest.Adapter{
			Write: func(t *testing.T, dir string, rs []sourcetest.Row) { sourcetest.WriteFile(t, dir, a, spell(t, rs)) },
			Cut:   func(t *testing.T, dir string) { sourcetest.Halve(t, dir, a) },
		}
	}
	plain := func(_ *testing.T, rs []sourcetest.Row) []byte { return spelled(rs, header, ",", "\n") }
	kinds := map[string]struct {
		sourcetest.Adapter
		shape Shape
	}{
		"quoted":    {one(plain), comma},
		"as needed": {one(func(t *testing.T, rs []sourcetest.Row) []byte { return written(t, rs) }), comma},
		"semicolons, CR LF, a mark": {one(func(_ *testing.T, rs []sourcetest.Row) []byte {
			return spelled(rs, "\xef\xbb\xbfnotes\r\n\"more, notes\r\n\"id\";key;\"body\"\r\n", ";", "\r\n")
		}), Shape{Delimiter: ';', Header: true, Skip: 2}},
		"gzip": {one(func(t *testing.T, rs []sourcetest.Row) []byte { return sourcetest.Zipped(t, plain(t, rs)) }), comma},
		"members": {one(func(t *testing.T, rs []sourcetest.Row) []byte {
			whole := plain(t, rs)
			half := len(whole) / 2
			return append(sourcetest.Zipped(t, whole[:half]), sourcetest.Zipped(t, whole[half:])...)
		}), comma},
		"UTF-16": {one(func(t *testing.T, rs []sourcetest.Row) []byte {
			b, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().Bytes(spelled(rs, "id\tkey\tbody\n", "\t", "\n"))
			if err != nil {
				t.Fatal(err)
			}
			return b
		}), Shape{Delimiter: '\t', Header: true, Encoding: unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)}},
		"files": {sourcetest.Adapter{
			Write: func(t *testing.T, dir string, rs []sourcetest.Row) {
				third := len(rs) / 3
				sourcetest.WriteFile(t, dir, "logs/1.csv", plain(t, rs[:third]))
				sourcetest.WriteFile(t, dir, "logs/2.csv.gz", sourcetest.Zipped(t, written(t, rs[third:2*third])))
				sourcetest.WriteFile(t, dir, "logs/3.csv", plain(t, rs[2*third:]))
			},
			Cut: func(t *testing.T, dir string) { sourcetest.Halve(t, dir, "logs/3.csv") },
		}, comma},
	}
	for name, k := range kinds {
		k.Open = func(ctx context.Context, dir, _ string) (rows.Table, error) {
			return Open(ctx, nil, dir, "logs/*", k.shape, same)
		}
		k.Holds, k.Texts, k.Columned = utf8.Valid, true, true
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sourcetest.Run(t, k.Adapter)
		})
	}
}
