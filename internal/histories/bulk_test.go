package histories_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/histories"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
)

// TestBulkIsFoundExactly scans what was planted: every anomaly with its kinds, and no other.
func TestBulkIsFoundExactly(t *testing.T) {
	t.Parallel()
	for _, shuffled := range []bool{false, true} {
		t.Run(fmt.Sprintf("shuffled=%v", shuffled), func(t *testing.T) {
			t.Parallel()
			n := 20_000
			if shuffled {
				n = 5000
			}
			planted, err := histories.WriteBulk(t.Context(), t.TempDir(), histories.Bulk{N: n, Every: 200, Shuffled: shuffled})
			if err != nil {
				t.Fatal(err)
			}
			if len(planted.Cases) != n/200 {
				t.Errorf("%d anomalies planted, not %d", len(planted.Cases), n/200)
			}
			cfg, err := config.Load(planted.Config, config.Options{})
			if err != nil {
				t.Fatal(err)
			}
			res, err := scan.Run(t.Context(), cfg, scan.Options{Clock: time.Now, TempDir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := res.Close(); err != nil {
					t.Error(err)
				}
			}()
			checkBulk(t, planted, res)
		})
	}
}

func checkBulk(t *testing.T, planted *histories.Planted, res *scan.Result) {
	t.Helper()
	m := res.Manifest()
	if !m.Complete {
		t.Errorf("incomplete: %+v", m.Sources)
	}
	c := m.Counts
	if int(c.Subjects) != planted.Subjects || int(c.Matched) != planted.Subjects-len(planted.Cases) {
		t.Errorf("counts %+v for %d subjects, %d of them anomalous", c, planted.Subjects, len(planted.Cases))
	}
	want := make(map[histories.Identity]string)
	for _, p := range planted.Cases {
		want[p.Identity] = words(p.Kinds)
	}
	for found, err := range res.Cases(t.Context(), scan.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		id := histories.Identity{Tenant: found.Identity[0].Value.String(), Key: found.Identity[2].Value.String()}
		if kinds := words(found.Kinds); kinds != want[id] {
			t.Errorf("%q: found %q, planted %q", id, kinds, want[id])
		}
		delete(want, id)
	}
	for id, kinds := range want {
		t.Errorf("%q: planted %q, not found", id, kinds)
	}
}

func words(kinds []reconcile.Kind) string {
	out := make([]string, len(kinds))
	for i, k := range kinds {
		out[i] = k.String()
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// TestBulkStopsWhenAsked writes nothing for a context that has ended.
func TestBulkStopsWhenAsked(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := histories.WriteBulk(ctx, t.TempDir(), histories.Bulk{N: 10_000}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestBulkIsTheSameAgain writes twice.
func TestBulkIsTheSameAgain(t *testing.T) {
	t.Parallel()
	var logs [2][]byte
	for i := range logs {
		dir := t.TempDir()
		if _, err := histories.WriteBulk(t.Context(), dir, histories.Bulk{N: 1000, Shuffled: true}); err != nil {
			t.Fatal(err)
		}
		var err error
		if logs[i], err = os.ReadFile(filepath.Join(dir, "charges.jsonl")); err != nil {
			t.Fatal(err)
		}
	}
	if string(logs[0]) != string(logs[1]) || len(logs[0])/1000 < 600 {
		t.Errorf("the logs differ, or their lines are short: %d bytes for 1000 lines", len(logs[0]))
	}
}
