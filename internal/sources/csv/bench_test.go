package csv

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/sources/sourcetest"
)

// BenchmarkScan reads an export without quotes, which the fast path splits, and the same with all texts quoted.
func BenchmarkScan(b *testing.B) {
	const n = 200_000
	for name, line := range map[string]string{
		"plain":  "%08x-4b1f-9c2e-%04x,%d,t07,8990,EUR,paid,1795917600123\n",
		"quoted": "\"%08x-4b1f-9c2e-%04x\",\"%d\",\"t07\",\"8990\",\"EUR\",\"paid\",\"1795917600123\"\n",
	} {
		b.Run(name, func(b *testing.B) {
			var content bytes.Buffer
			content.WriteString("key,id,tenant,amount,currency,status,at\n")
			for i := range n {
				fmt.Fprintf(&content, line, uint32(i)*2654435761, i&0xffff, i)
			}
			dir := b.TempDir()
			sourcetest.WriteFile(b, dir, "log", content.Bytes())
			table, err := Open(context.Background(), nil, dir, "log", comma, same)
			if err != nil {
				b.Fatal(err)
			}
			if err := table.Bind([]rows.Path{{Column: "key"}, {Column: "id"}, {Column: "tenant"}, {Column: "amount"}, {Column: "at"}}); err != nil {
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
		})
	}
}
