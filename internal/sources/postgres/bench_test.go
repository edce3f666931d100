package postgres

import (
	"context"
	"testing"

	"example.com/idemctl/internal/sources/rows"
)

// BenchmarkScan reads the columns that receipts have, without a map.
func BenchmarkScan(b *testing.B) {
	const n = 200_000
	schema, role, conn := database(b, "CREATE TABLE t (tenant text, key text, status text, order_id int8, body jsonb, at timestamptz)")
	run(b, conn, "INSERT INTO t SELECT 't' || i % 40, md5(i::text), 'COMPLETED', i, jsonb_build_object('order_id', i), now() FROM generate_series(1, "+sprint(n)+") i", "VACUUM ANALYZE t")
	table, err := opened(b, cluster(b).DSN(role, "postgres")).Table(context.Background(), schema+".t")
	bound(b, table, err, append(pathsOf("tenant", "key", "status", "order_id", "at"), rows.Path{Column: "body", Members: []string{"order_id"}})...)
	b.ReportAllocs()
	for b.Loop() {
		seen := 0
		ext, err := table.Scan(context.Background(), func(rows.Pos, []rows.Cell) error { seen++; return nil }, nil)
		if err != nil || !ext.Complete || seen != n {
			b.Fatalf("%d rows, %+v, %v", seen, ext, err)
		}
	}
	b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds(), "rows/s")
}
