package scan_test

import (
	"errors"
	"strings"
	"testing"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/sources"
	"example.com/idemctl/internal/sources/rows"
)

// memories are a thousand ordinary actions held in memory, with some of everything missing.
func memories() []*memory {
	var ms []*memory
	for _, r := range stores(nil, 0, nil) {
		src := r.(*made)
		m := &memory{facts: src.facts}
		for i := range src.n {
			m.recs = append(m.recs, src.row(i))
		}
		ms = append(ms, m)
	}
	return ms
}

// TestBrokenSourceIsTold breaks each source midway: the manifest says which, why and what to do, and nothing is called missing from it.
func TestBrokenSourceIsTold(t *testing.T) {
	t.Parallel()
	absent := map[reconcile.Role]reconcile.Kind{reconcile.RoleReceipt: reconcile.OrphanedEffect, reconcile.RoleEffect: reconcile.ReceiptWithoutEffect, reconcile.RoleProvider: reconcile.ProviderMissing}
	for i := range memories() {
		for _, at := range []int{1, 500, 900} {
			ms := memories()
			ms[i].failAt = at
			got := tell(t, shop(true), scan.Options{MemBudget: 1 << 12}, readersOf(ms)...)
			src := got.manifest.Sources[i]
			if got.manifest.Complete || src.Coverage.Complete || src.Coverage.Reason != "the connection broke" || src.Coverage.Hint == "" || src.Records != int64(at) {
				t.Errorf("%s broken at %d: complete %v, %+v", src.Name, at, got.manifest.Complete, src)
			}
			if n := got.manifest.Counts.Findings[absent[src.Role]]; n > 0 {
				t.Errorf("%s broken at %d: %d of %s", src.Name, at, n, absent[src.Role])
			}
			if n := got.manifest.Counts.Inconclusive; n < int64(900-at)/2 {
				t.Errorf("%s broken at %d: only %d are inconclusive", src.Name, at, n)
			}
		}
	}
}

// TestEverySourceChanges rewrites all of them between reading and reading again: there is an answer, and it finds nothing.
func TestEverySourceChanges(t *testing.T) {
	t.Parallel()
	ms := memories()
	var readers []sources.Reader
	for _, m := range ms {
		readers = append(readers, &faulty{memory: m, row: func() {}, fetch: func(at []rows.Pos, emit sources.Emit) error {
			if err := emit(at[0], m.recs[at[0]].Clone()); err != nil {
				return err
			}
			return errors.New("rewritten by \x1b[2J someone")
		}})
	}
	got := tell(t, shop(true), scan.Options{}, readers...)
	if got.manifest.Complete || len(got.cases) > 0 {
		t.Errorf("complete %v, cases %v", got.manifest.Complete, got.cases)
	}
	for _, src := range got.manifest.Sources {
		if cov := src.Coverage; cov.Complete || !strings.Contains(cov.Reason, "changed while it was read") || strings.Contains(cov.Reason, "\x1b") || cov.Hint == "" {
			t.Errorf("%s: %+v", src.Name, cov)
		}
	}
}
