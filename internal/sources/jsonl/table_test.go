package jsonl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/sources/sourcetest"
)

// read scans a table bound to the member k; it returns the texts, the problems and the extent.
func read(t *testing.T, table *Table) (keys, problems []string, ext rows.Extent) {
	t.Helper()
	if err := table.Bind([]rows.Path{{Column: "k"}}); err != nil {
		t.Fatal(err)
	}
	ext, err := table.Scan(context.Background(), func(pos rows.Pos, cells []rows.Cell) error {
		keys = append(keys, string(cells[0].Text))
		return nil
	}, func(p rows.Problem) { problems = append(problems, p.Place+" "+p.Text) })
	if err != nil {
		t.Fatal(err)
	}
	return keys, problems, ext
}

// opened writes one file and opens it.
func opened(t *testing.T, content []byte) *Table {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "log"), content)
	table, err := Open(context.Background(), nil, dir, "log")
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestScanIsHonest(t *testing.T) {
	t.Parallel()
	good := []byte(`{"k":"a"}` + "\n" + `{"k":"b"}` + "\n")
	long := `{"k":"` + strings.Repeat("x", MaxLine) + `"}`
	packed := sourcetest.Zipped(t, good)
	wrongSum := bytes.Clone(packed)
	wrongSum[len(wrongSum)-8] ^= 1
	tests := []struct {
		name     string
		content  []byte
		keys     string
		problems string // parts of them, joined
		cut      string // part of the reason, "" = complete
	}{
		{"good", good, "a b", "", ""},
		{"no last newline", good[:len(good)-1], "a b", "", ""},
		{"blank lines and CR LF", []byte("\n  \r\n{\"k\":\"a\"}\r\n\n"), "a", "", ""},
		{"byte order mark", append([]byte("\xef\xbb\xbf"), good...), "a b", "", ""},
		{"cut in a line", good[:len(good)-3], "a", "", "log:2 ends in the middle of a line"},
		{"empty", nil, "", "", "log is empty"},
		{"a bad line", []byte("{\"k\":\"a\"}\n{\"k\":\n{\"k\":\"c\"}\n"), "a c", "log:2 not strict JSON", ""},
		{"no object", []byte("[1]\n\"x\"\n{\"k\":\"c\"}\n"), "c", "log:1 not a JSON object|log:2 not a JSON object", ""},
		{"repeated name", []byte("{\"k\":\"a\",\"k\":\"b\"}\n"), "", "given twice", ""},
		{"invalid UTF-8", []byte("{\"k\":\"\xff\"}\n"), "", "invalid UTF-8", ""},
		{"a long line", []byte("{\"k\":\"a\"}\n" + long + "\n{\"k\":\"c\"}\n"), "a c", "log:2 the line is longer", ""},
		{"a long line without end", []byte("{\"k\":\"a\"}\n" + long), "a", "log:2 the line is longer", "log:2 ends in the middle"},
		{"gzip", packed, "a b", "", ""},
		{"two members", append(bytes.Clone(packed), packed...), "a b a b", "", ""},
		{"gzip cut in its trailer", packed[:len(packed)-4], "", "", "ends early or is damaged after line 0"},
		{"second member cut", append(bytes.Clone(packed), packed[:len(packed)-4]...), "a b", "", "ends early or is damaged after line 2"},
		{"second member damaged", append(bytes.Clone(packed), wrongSum...), "a b", "", "ends early or is damaged after line 2"},
		{"a line across members", append(sourcetest.Zipped(t, good[:len(good)-3]), wrongSum...), "a", "", "ends early or is damaged after line 1"},
		{"gzip cut in its header", packed[:5], "", "", "ends early or is damaged after line 0"},
		{"wrong checksum", wrongSum, "", "", "ends early or is damaged"},
		{"rubbish after gzip", append(bytes.Clone(packed), "rubbish and more"...), "a b", "", "ends early or is damaged"},
		{"gzip of nothing", sourcetest.Zipped(t, nil), "", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			keys, problems, ext := read(t, opened(t, tt.content))
			if got := strings.Join(keys, " "); got != tt.keys {
				t.Errorf("rows %q, want %q", got, tt.keys)
			}
			got := strings.Join(problems, "|")
			for part := range strings.SplitSeq(tt.problems, "|") {
				if !strings.Contains(got, part) || tt.problems == "" && got != "" {
					t.Errorf("problems %q, want %q", got, tt.problems)
				}
			}
			if ext.Complete != (tt.cut == "") || !strings.Contains(ext.Reason, tt.cut) || !ext.Complete && ext.Hint == "" || ext.Whole {
				t.Errorf("extent %+v, want %q", ext, tt.cut)
			}
		})
	}
}

func TestBombIsRefused(t *testing.T) {
	t.Parallel()
	member := sourcetest.Zipped(t, make([]byte, 1<<20))
	bomb := bytes.Repeat(member, 66) // as if one file had been compressed in parts; a small one may expand as it likes
	if _, _, ext := read(t, opened(t, bomb)); ext.Complete || !strings.Contains(ext.Reason, "expands more than") {
		t.Errorf("extent %+v", ext)
	}
}

// TestEveryFlippedBit damages every byte of a compressed log: what is handed over is true, and when it is not all the scan says so.
func TestEveryFlippedBit(t *testing.T) {
	t.Parallel()
	var content []byte
	var want []string
	for part := range 3 {
		var lines []byte
		for i := range 20 {
			key := fmt.Sprintf("order-%d", part*100+i*7)
			want = append(want, key)
			lines = fmt.Appendf(lines, "{\"k\":%q,\"n\":%d}\n", key, i*i)
		}
		content = append(content, sourcetest.Zipped(t, lines)...)
	}
	for at := range content {
		damaged := bytes.Clone(content)
		damaged[at] ^= 1 << (at % 8)
		keys, _, ext := read(t, opened(t, damaged))
		if len(keys) > len(want) || !slices.Equal(keys, want[:len(keys)]) {
			t.Errorf("byte %d: %v", at, keys)
		}
		if ext.Complete && len(keys) != len(want) {
			t.Errorf("byte %d: claimed complete with %d of %d lines", at, len(keys), len(want))
		}
	}
}

func TestGlobs(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a[b]")
	for _, name := range []string{"logs/2.jsonl", "logs/10.jsonl", "logs/deep/3.jsonl", "log[1].jsonl", "log1.jsonl"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, name), fmt.Appendf(nil, "{\"k\":%q}\n", name))
	}
	embedded := fstest.MapFS{"fx/logs/2.jsonl": {Data: []byte("{\"k\":\"two\"}\n")}, "fx/logs/1.jsonl": {Data: []byte("{\"k\":\"one\"}\n")}}
	tests := []struct{ glob, want, place string }{
		{"logs/*.jsonl", "logs/10.jsonl logs/2.jsonl", "logs/10.jsonl:1"},
		{"logs/**/*.jsonl", "logs/10.jsonl logs/2.jsonl logs/deep/3.jsonl", "logs/10.jsonl:1"},
		{"log[1].jsonl", "log[1].jsonl", "log[1].jsonl:1"},
		{"log?.jsonl", "log1.jsonl", "log1.jsonl:1"},
		{"./logs/../log1.jsonl", "log1.jsonl", "./logs/../log1.jsonl:1"},
		{filepath.Join(filepath.Dir(dir), "a?b?", "log1.jsonl"), "log1.jsonl", filepath.Join(filepath.Dir(dir), "a[b]/log1.jsonl:1")},
	}
	for _, tt := range tests {
		table, err := Open(context.Background(), nil, dir, tt.glob)
		if err != nil {
			t.Errorf("%s: %v", tt.glob, err)
			continue
		}
		keys, _, _ := read(t, table)
		if got := strings.Join(keys, " "); got != tt.want || table.Locator(0) != tt.place {
			t.Errorf("%s: got %q at %s, want %q at %s", tt.glob, got, table.Locator(0), tt.want, tt.place)
		}
	}
	table, err := Open(context.Background(), embedded, "fx", "logs/*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if keys, _, ext := read(t, table); strings.Join(keys, " ") != "one two" || !ext.Complete || table.Locator(0) != "logs/1.jsonl:1" {
		t.Errorf("embedded: %q, %+v, %s", keys, ext, table.Locator(0))
	}
	for _, glob := range []string{"nothing/*.jsonl", "nothing.jsonl", "logs"} {
		if _, err := Open(context.Background(), nil, dir, glob); err == nil || rows.HintOf(err) == "" {
			t.Errorf("%s: %v", glob, err)
		}
	}
}

func TestChangedFilesAreNoticed(t *testing.T) {
	t.Parallel()
	content := []byte(strings.Repeat("{\"k\":\"a\"}\n", 100))
	longAgo := time.Unix(1, 0)
	tests := []struct {
		name   string
		change func(t *testing.T, path string)
		want   bool
	}{
		{"appended", func(t *testing.T, path string) { write(t, path, append(bytes.Clone(content), "{\"k\":"...)) }, false},
		{"shrunk", func(t *testing.T, path string) { write(t, path, content[:50]) }, true},
		{"rewritten", func(t *testing.T, path string) {
			if err := os.Chtimes(path, longAgo, longAgo); err != nil {
				t.Fatal(err)
			}
		}, true},
		{"replaced", func(t *testing.T, path string) {
			write(t, path+".new", append(bytes.Clone(content), content...))
			if err := os.Rename(path+".new", path); err != nil {
				t.Fatal(err)
			}
		}, true},
		{"removed", func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}, true},
	}
	for _, tt := range tests {
		path := filepath.Join(t.TempDir(), "log")
		write(t, path, content)
		table, err := Open(context.Background(), nil, filepath.Dir(path), "log")
		if err != nil {
			t.Fatal(err)
		}
		if keys, _, _ := read(t, table); len(keys) != 100 {
			t.Fatalf("%s: %d rows", tt.name, len(keys))
		}
		tt.change(t, path)
		n := 0
		err = table.Fetch(context.Background(), []rows.Pos{50}, func(rows.Pos, string, []rows.Cell, []rows.Named) error { n++; return nil })
		if (err != nil) != tt.want || tt.want == (n == 1) {
			t.Errorf("%s: fetched %d, %v", tt.name, n, err)
		}
		if keys, _, ext := read(t, table); ext.Complete == tt.want || !tt.want && len(keys) != 100 {
			t.Errorf("%s: a second scan gave %d rows, %+v", tt.name, len(keys), ext)
		}
	}
	table := opened(t, content)
	if _, _, ext := read(t, table); !ext.Complete {
		t.Fatal(ext)
	}
	if err := table.Fetch(context.Background(), []rows.Pos{51}, func(rows.Pos, string, []rows.Cell, []rows.Named) error { return nil }); !errors.Is(err, rows.ErrChanged) {
		t.Errorf("a position in the middle of a line: %v", err)
	}
}

// FuzzLines holds the splitter against bytes.Split, whatever the sizes of the reads.
func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nb\n\nc"), 1, uint16(3))
	f.Add([]byte("\n"), 2, uint16(0))
	f.Add([]byte("x"), 3, uint16(2000))
	f.Fuzz(func(t *testing.T, data []byte, step int, repeat uint16) {
		if len(data) > 1<<12 {
			return
		}
		data = bytes.Repeat(data, 1+int(repeat)%3000)
		if len(data) > 4<<20 {
			return
		}
		s := newSplitter()
		s.reset(&steps{r: bytes.NewReader(data), n: 1 + (step&0x7fffffff)%70000}, 0, 1)
		want := bytes.SplitAfter(data, []byte("\n"))
		if len(want[len(want)-1]) == 0 {
			want = want[:len(want)-1]
		}
		var offset int64
		for i, w := range want {
			l, ok := s.next()
			body := bytes.TrimSuffix(w, []byte("\n"))
			if !ok || l.offset != offset || l.number != int64(i)+1 || l.terminated != (len(body) < len(w)) || l.tooLong != (len(body) > MaxLine) {
				t.Fatalf("line %d: %t at %d, number %d, terminated %t, too long %t", i+1, ok, l.offset, l.number, l.terminated, l.tooLong)
			}
			if !l.tooLong && !bytes.Equal(l.text, body) {
				t.Fatalf("line %d differs", i+1)
			}
			offset += int64(len(w))
		}
		if l, ok := s.next(); ok || s.failed() != nil {
			t.Fatalf("after the end: %+v, %v", l, s.failed())
		}
	})
}

// steps reads at most n bytes at once.
type steps struct {
	r io.Reader
	n int
}

func (s *steps) Read(p []byte) (int, error) { return s.r.Read(p[:min(len(p), s.n)]) }

func BenchmarkScan(b *testing.B) {
	path := filepath.Join(b.TempDir(), "log")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	const n = 200_000
	nested := `,"billing":{"address":{"city":null,"country":"CH","line1":null,"zip":"8001"},"email":null,"name":"Anna"},"card":{"brand":"visa","last4":"4242","exp_month":11,` +
		`"exp_year":2029,"checks":{"cvc":"pass","zip":null}},"livemode":true,"pending_webhooks":1,"metadata":{"app":"orders","tenant":"north"},"description":"` + strings.Repeat("two books ", 22) + `"`
	for i := range n {
		if _, err := fmt.Fprintf(f, `{"id":"evt_%08d","type":"charge.succeeded","created":%d,"request":{"idempotency_key":"order-%08d"},"data":{"object":{"id":"ch_%08d","amount":8990,"currency":"eur"}}%s}`+"\n", i, i, i, i, nested); err != nil {
			b.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	table, err := Open(context.Background(), nil, filepath.Dir(path), "log")
	if err != nil {
		b.Fatal(err)
	}
	paths := []rows.Path{{Column: "type"}, {Column: "created"}, {Column: "request", Members: []string{"idempotency_key"}}, {Column: "data", Members: []string{"object", "id"}}, {Column: "data", Members: []string{"object", "amount"}}}
	if err := table.Bind(paths); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(table.set.Total)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := table.Scan(context.Background(), func(rows.Pos, []rows.Cell) error { return nil }, func(rows.Problem) {}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
}
