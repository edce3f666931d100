package scan_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/sources"
	"example.com/idemctl/internal/sources/rows"
)

// faulty is a source whose rows are counted, and fail, from some row on.
type faulty struct {
	*memory
	row   func() // before every row that is scanned or fetched
	fetch func(at []rows.Pos, emit sources.Emit) error
}

func (f *faulty) Scan(ctx context.Context, emit sources.Emit) error {
	return f.memory.Scan(ctx, func(pos rows.Pos, r *reconcile.Record) error {
		f.row()
		return emit(pos, r)
	})
}

func (f *faulty) Fetch(ctx context.Context, at []rows.Pos, emit sources.Emit) error {
	if f.fetch != nil {
		return f.fetch(at, emit)
	}
	return f.memory.Fetch(ctx, at, func(pos rows.Pos, r *reconcile.Record) error {
		f.row()
		return emit(pos, r)
	})
}

// TestCancelAtAnyRow cancels a scan at twenty random rows, read or read again: it ends with the context's error before much more is read, and leaves no
// file of any kind.
func TestCancelAtAnyRow(t *testing.T) {
	t.Parallel()
	cfg, ms := lived(355)
	for _, m := range ms {
		m.repeated = 20
	}
	var total, met atomic.Int64
	var stop context.CancelFunc
	at := int64(-1)
	readers := make([]sources.Reader, len(ms))
	for i, m := range ms {
		readers[i] = &faulty{memory: m, row: func() {
			if met.Add(1) == at {
				stop()
			}
		}}
	}
	temp, out := t.TempDir(), t.TempDir()
	try := func(ctx context.Context) error {
		met.Store(0)
		res, err := scan.RunReaders(ctx, cfg, readers, scan.Options{TempDir: temp, Out: filepath.Join(out, "night.scan"), MemBudget: 1})
		if err == nil {
			err = errors.Join(res.Close(), os.Remove(filepath.Join(out, "night.scan")))
		}
		return err
	}
	if err := try(t.Context()); err != nil {
		t.Fatal(err)
	}
	total.Store(met.Load())
	rng := rand.New(rand.NewPCG(20, 20)) // moments that repeat, not a secret
	stopped := 0
	for range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		stop, at = cancel, 1+rng.Int64N(total.Load())
		err := try(ctx)
		cancel()
		if met.Load() < at && err == nil {
			continue // how often a row is visited hangs on the hashes of a run: this one visited fewer
		}
		stopped++
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled at row %d of %d: %v", at, total.Load(), err)
		}
		if n := met.Load() - at; n > 512 {
			t.Errorf("cancelled at row %d: %d more were read", at, n)
		}
		for _, dir := range []string{temp, out} {
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("cancelled at row %d: %v is left, %v", at, left, err)
			}
		}
	}
	if stopped < 15 {
		t.Errorf("%d of 20 scans only were stopped", stopped)
	}
}

// TestSourceFailsMidway holds a scan whose source breaks against judging what was read of it, and draws no conclusion from what was not.
func TestSourceFailsMidway(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for seed := range uint64(150) {
		_, probe := lived(seed)
		for broken := range probe {
			cfg, ms := lived(seed)
			m := ms[broken]
			m.failAt = len(m.recs) / 2
			if m.failAt == 0 {
				continue
			}
			got, err := pipeline(context.Background(), cfg, ms, dir, 1)
			if err != nil {
				t.Fatal(err)
			}
			m.recs = m.recs[:m.failAt]
			if want := oracle(cfg, ms); got.String() != want.String() {
				t.Fatalf("seed %d without half of %s: the sieve says\n%s\njudging all says\n%s", seed, m.facts.Name, got, want)
			}
		}
	}
}

// TestRowsVanish rewrites a source between reading and reading again: its subjects are inconclusive, the scan is incomplete and says why, and no case rests
// on what is gone.
func TestRowsVanish(t *testing.T) {
	t.Parallel()
	changed := errors.New("charges.jsonl: the file was rewritten")
	for name, fetch := range map[string]func([]rows.Pos, sources.Emit) error{
		"rows are gone":   func([]rows.Pos, sources.Emit) error { return nil },
		"the file shrank": func([]rows.Pos, sources.Emit) error { return changed },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cases := 0
			for seed := range uint64(150) {
				cfg, ms := lived(seed)
				whole := oracle(cfg, ms).counts
				for broken := range ms {
					readers := readersOf(ms)
					readers[broken] = &faulty{memory: ms[broken], row: func() {}, fetch: fetch}
					res, err := scan.RunReaders(t.Context(), cfg, readers, scan.Options{TempDir: t.TempDir()})
					if err != nil {
						t.Fatal(err)
					}
					m := res.Manifest()
					if cov := m.Sources[broken].Coverage; m.Complete != cov.Complete || (!cov.Complete && (!strings.Contains(cov.Reason, "changed while it was read") || cov.Hint == "")) {
						t.Errorf("seed %d: complete %v, %+v", seed, m.Complete, cov)
					}
					if m.Complete && m.Counts.Cases != whole.Cases {
						t.Errorf("seed %d: nothing was read again of %s, yet it made a difference", seed, m.Sources[broken].Name)
					}
					found, err := allCases(res)
					if err = errors.Join(err, res.Close()); err != nil {
						t.Fatal(err)
					}
					cases += len(found)
					for _, c := range found {
						noAbsence(t, c, m)
					}
				}
			}
			if cases == 0 {
				t.Error("no case at all: nothing was tried")
			}
		})
	}
}

// noAbsence fails where a kind rests on the absence of a record in a source that could not be read.
func noAbsence(t *testing.T, c *scan.Case, m *scan.Manifest) {
	t.Helper()
	rests := map[reconcile.Kind]reconcile.Role{
		reconcile.OrphanedEffect: reconcile.RoleReceipt, reconcile.ReceiptMissingAfterRestore: reconcile.RoleReceipt, reconcile.ReceiptWithoutEffect: reconcile.RoleEffect,
		reconcile.EffectMissingAfterRestore: reconcile.RoleEffect, reconcile.ProviderMissing: reconcile.RoleProvider, reconcile.LostAfterRestore: reconcile.RoleEffect,
	}
	for _, k := range c.Kinds {
		for _, s := range m.Sources {
			if role, ok := rests[k]; ok && s.Role == role && !s.Coverage.Complete && serves(s.Name) {
				t.Errorf("%s %s: %s, though %s could not be read", c.CaseID, k, c.Legs, s.Name)
			}
		}
	}
}

func serves(name string) bool {
	return name != "old_disk" && name != "orders-old" && name != "orders-archive"
}
