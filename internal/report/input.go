package report

import (
	"context"
	"iter"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
)

// Result is what is written: a scan that has just run, or a saved one.
type Result interface {
	Manifest() *scan.Manifest
	// Cases yields the cases of a kind (every kind when nil) in their fixed order. A case is valid until the next one is asked for.
	Cases(ctx context.Context, kind *reconcile.Kind) iter.Seq2[*scan.Case, error]
}
