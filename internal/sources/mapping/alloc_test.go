package mapping

import (
	"testing"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources/rows"
)

func benchmarkMapper(tb testing.TB) (*Mapper, []rows.Cell) {
	tb.Helper()
	m, err := Compile(Input{Role: reconcile.RoleProvider, Claim: map[string]string{"app": "orders"}, Fields: []Field{
		{Name: "operation", From: "type", Words: map[string]string{"charge.succeeded": "create-order"}},
		{Name: "key", From: "key", StripPrefix: "fn#"},
		{Name: "object_id", From: "id"},
		{Name: "tenant", From: "n"},
		{Name: "outcome", From: "type", Words: map[string]string{"charge.succeeded": "succeeded"}},
		{Name: "amount", From: "amount", Unit: "minor", Currencies: []string{"currency"}},
		{Name: "created_at", From: "created", As: "unix-s"},
		{Name: "updated_at", From: "updated"},
	}})
	if err != nil {
		tb.Fatal(err)
	}
	return m, cellsOf(tb, m, `{"app":"orders","type":"charge.succeeded","key":"fn#order-1","id":"ch_1","n":7,"amount":8990,"currency":"eur","created":1761000000,"updated":"2026-01-02T03:04:05Z"}`)
}

func TestMapAllocatesNothing(t *testing.T) { // not parallel: the counter counts every goroutine's allocations
	m, cells := benchmarkMapper(t)
	if n := testing.AllocsPerRun(100, func() {
		if _, bad := m.Map(cells); bad != nil {
			t.Fatal(bad)
		}
	}); n != 0 {
		t.Errorf("%v allocations a row, want 0", n)
	}
}

func BenchmarkMap(b *testing.B) {
	m, cells := benchmarkMapper(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, bad := m.Map(cells); bad != nil {
			b.Fatal(bad)
		}
	}
}
