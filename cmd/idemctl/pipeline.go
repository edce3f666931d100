package main

import (
	"context"

	"example.com/idemctl/internal/report"
	"example.com/idemctl/internal/scan"
)

// result is a scan that can be written, and asked for one case.
type result interface {
	report.Result
	Case(ctx context.Context, prefix string) (*scan.Case, error)
	Close() error
}

// open scans a config, or opens a saved scan, and notes what its exit code must tell.
func (e *Env) open(ctx context.Context, t target, now, out string) (result, error) {
	return nil, &failure{what: "not wired yet"}
}
