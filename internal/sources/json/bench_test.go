package json

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/sources/sourcetest"
)

// BenchmarkScan reads one document of a provider's events.
func BenchmarkScan(b *testing.B) {
	const n = 100_000
	var content bytes.Buffer
	content.WriteString(`{"object":"list","data":[`)
	for i := range n {
		if i > 0 {
			content.WriteByte(',')
		}
		fmt.Fprintf(&content, `{"id":"evt_%08d","type":"charge.succeeded","created":%d,"request":{"idempotency_key":"order-%08d"},"data":{"object":{"id":"ch_%08d","amount":8990,"currency":"eur"}},"description":"%s"}`,
			i, i, i, i, strings.Repeat("two books ", 50))
	}
	content.WriteString(`]}`)
	dir := b.TempDir()
	sourcetest.WriteFile(b, dir, "log", content.Bytes())
	table, err := Open(context.Background(), nil, dir, "log", []string{"data"}, same)
	if err != nil {
		b.Fatal(err)
	}
	if err := table.Bind([]rows.Path{{Column: "type"}, {Column: "created"}, {Column: "request", Members: []string{"idempotency_key"}}, {Column: "data", Members: []string{"object", "id"}}}); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(table.Total)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := table.Scan(context.Background(), func(rows.Pos, []rows.Cell) error { return nil }, func(rows.Problem) {}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
}
