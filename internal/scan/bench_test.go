package scan_test

import (
	"runtime"
	"strconv"
	"testing"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/sources"
)

// BenchmarkSieve scans a million healthy rows that are made as they are read, which is part of what is measured. A row is one record that is filled anew.
func BenchmarkSieve(b *testing.B) {
	const n = 500_000
	cfg := shop(false)
	receipts, orders := ordinary("receipts", reconcile.RoleReceipt, n, 0), ordinary("orders", reconcile.RoleEffect, n, 0)
	for _, m := range []*made{receipts, orders} {
		r := good(&m.facts, "")
		var key, id []byte
		m.row = func(i int) *reconcile.Record {
			key = strconv.AppendInt(key[:0], int64(i), 10)
			id = append(append(id[:0], "e-"...), key...)
			r.Components[2].Value, r.EffectID, r.ProviderRef = reconcile.Bytes(key), reconcile.Bytes(id), reconcile.Value{}
			return r
		}
	}
	dir := b.TempDir()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for b.Loop() {
		res, err := scan.RunReaders(b.Context(), cfg, []sources.Reader{receipts, orders}, scan.Options{TempDir: dir})
		if err != nil {
			b.Fatal(err)
		}
		if c := res.Manifest().Counts; c.Matched != n || c.Subjects != n {
			b.Fatalf("%+v", c)
		}
		if err := res.Close(); err != nil {
			b.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	rows := float64(b.N) * 2 * n
	b.ReportMetric(rows/b.Elapsed().Seconds(), "rows/s")
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/rows, "bytes/row")
}
