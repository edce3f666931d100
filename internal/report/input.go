package report

import (
	"context"
	"iter"

	"example.com/idemctl/internal/scan"
)

// Result is what is written: a scan that has just run, or a saved one.
type Result interface {
	Manifest() *scan.Manifest
	// Cases yields the chosen cases in their fixed order. A case is valid until the next one is asked for.
	Cases(ctx context.Context, f scan.Filter) iter.Seq2[*scan.Case, error]
}
