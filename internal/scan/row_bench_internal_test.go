package scan

import (
	"fmt"
	"path/filepath"
	"testing"

	"example.com/idemctl/internal/reconcile"
)

// BenchmarkRows tells what listing a saved scan costs, a row, and how long its first page takes.
func BenchmarkRows(b *testing.B) {
	const cases = 100_000
	out := filepath.Join(b.TempDir(), "many.scan")
	k, err := newKeeper(b.TempDir(), out)
	if err != nil {
		b.Fatal(err)
	}
	for i := range cases {
		c := &Case{Contract: "checkout", Identity: []reconcile.Component{{Name: "tenant", Value: reconcile.Text("north")}, {Name: "key", Value: reconcile.Text(fmt.Sprintf("cart-%08x-1", i))}}}
		c.CaseID, c.Kinds = fmt.Sprintf("case%012d", i), []reconcile.Kind{reconcile.OrphanedEffect}
		for range 3 {
			c.Evidence = append(c.Evidence, Evidence{Source: "orders", Locator: "orders/1", Facts: []reconcile.Fact{{Name: "key", Value: reconcile.Text("cart")}}})
		}
		if err := k.add(c); err != nil {
			b.Fatal(err)
		}
	}
	m := &Manifest{Complete: true}
	m.Counts.Cases = cases
	if err := k.finish(m); err != nil {
		b.Fatal(err)
	}
	res, err := OpenSaved(b.Context(), out)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = res.Close() }()
	b.Run("all", func(b *testing.B) {
		for b.Loop() {
			n := 0
			for _, err := range res.Rows(b.Context()) {
				if err != nil {
					b.Fatal(err)
				}
				n++
			}
			if n != cases {
				b.Fatalf("%d rows are listed", n)
			}
		}
	})
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			for _, err := range res.Rows(b.Context()) {
				if err != nil {
					b.Fatal(err)
				}
				break
			}
		}
	})
}
