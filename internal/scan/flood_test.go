package scan_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/sources"
)

// floodName names the flood that a re-run of this test binary scans in a process of its own, whose memory is then only the scan's.
const floodName = "SCAN_TEST_FLOOD"

// floodRows are more than may be held or sorted at once.
const floodRows = 100_000

// floodMiB bounds the memory of a scan of one, of which MemBudget is but a small part.
const floodMiB = 64

// TestMain draws alike in every run, unless a seed is given: what a change breaks is told by the change. make draws looks for what only other draws show.
func TestMain(m *testing.M) {
	if name := os.Getenv(floodName); name != "" {
		_, _ = io.WriteString(os.Stdout, scanFlood(name)) // whoever reads it says what is wrong
		return
	}
	flag.Parse()
	if f := flag.Lookup("rapid.seed"); f.Value.String() == "0" { // which means by the clock
		if err := f.Value.Set("1"); err != nil {
			panic(err)
		}
	}
	m.Run()
}

type flood struct {
	receipts, effects, lines int
	row                      func(r *reconcile.Record, i int)
	says                     string
}

var floods = map[string]flood{
	"one row told again and again": {
		receipts: 1, effects: floodRows,
		row:  func(r *reconcile.Record, _ int) { r.EffectID = reconcile.Text("7") },
		says: "1 subject, 0 cases:",
	},
	"one key of many tenants": {
		receipts: floodRows, effects: floodRows - 1,
		row: func(r *reconcile.Record, i int) {
			r.Components[0].Value = reconcile.Text(strconv.Itoa(i))
			r.EffectID = reconcile.Text(strconv.Itoa(i))
		},
		says: fmt.Sprintf("%d subjects, 1 case: receipt-without-effect×1", floodRows),
	},
	"receipts that all name one row": {
		receipts: 20_000, effects: 1,
		row: func(r *reconcile.Record, i int) {
			r.EffectID = reconcile.Text("0")
			if r.Components[2].Value = reconcile.Text(strconv.Itoa(i)); r.Role == reconcile.RoleEffect {
				r.Components[2].Value = reconcile.Value{}
			}
		},
		says: "20001 subjects, 20001 cases: reference-reused×20001",
	},
	"every tenant numbers its rows from 1": {
		receipts: 20_000, effects: 19_999,
		row: func(r *reconcile.Record, i int) {
			r.Components[0].Value = reconcile.Text(strconv.Itoa(i % 10_000))
			r.EffectID = reconcile.Text(strconv.Itoa(i / 10_000))
			if r.Components[2].Value = reconcile.Text(strconv.Itoa(i)); r.Role == reconcile.RoleEffect {
				r.Components[2].Value = reconcile.Value{}
			}
		},
		says: "20000 subjects, 1 case: reference-reused×1 receipt-without-effect×1",
	},
	"keyless lines of one object": {
		receipts: 1, effects: 1, lines: floodRows,
		row: func(r *reconcile.Record, i int) {
			r.EffectID, r.ProviderRef = reconcile.Text("7"), reconcile.Text("ch")
			if r.Role == reconcile.RoleProvider {
				r.EffectID, r.ProviderRef, r.ObjectID, r.EventID = reconcile.Value{}, reconcile.Value{}, reconcile.Text("ch"), reconcile.Text(strconv.Itoa(i))
				r.Components = nil
			}
		},
		says: "1 subject, 0 cases:",
	},
}

// TestFloods scans very many rows of one key or one reference: memory stays bounded and the verdict is the one that all rows give.
func TestFloods(t *testing.T) {
	t.Parallel()
	for name, f := range floods {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
			cmd.Env = append(os.Environ(), floodName+"="+name, "TMPDIR="+t.TempDir())
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			says, mib, _ := strings.Cut(strings.TrimSpace(string(out)), " | ")
			if says != f.says {
				t.Errorf("the scan says %q, want %q", says, f.says)
			}
			if n, err := strconv.Atoi(mib); err != nil || n > floodMiB {
				t.Errorf("it took %s MiB, want at most %d", mib, floodMiB)
			}
		})
	}
}

// BenchmarkFloods scans a million rows of one key or one reference.
func BenchmarkFloods(b *testing.B) {
	const rows = 1_000_000
	for name, f := range floods {
		if max(f.receipts, f.effects, f.lines) != floodRows {
			continue // what must be a case each
		}
		b.Run(name, func(b *testing.B) {
			for _, n := range []*int{&f.receipts, &f.effects, &f.lines} {
				if *n > 1 {
					*n = rows
				}
			}
			for b.Loop() {
				b.Log(f.scan())
			}
		})
	}
}

// scanFlood says what a scan of the flood found, and how much memory it took.
func scanFlood(name string) string { return floods[name].scan() }

func (f flood) scan() string {
	c := &reconcile.Contract{
		Name: "orders", Operations: []string{"create"}, Scope: []string{"tenant", "operation", "key"}, Settle: reconcile.DefaultSettle,
		Effect: reconcile.LegsLocal, Retention: reconcile.For(24 * time.Hour), RetryWindow: reconcile.For(12 * time.Hour), Lease: reconcile.For(5 * time.Minute),
	}
	source := func(name string, role reconcile.Role, n int) sources.Reader {
		return &made{
			n: n, facts: reconcile.SourceFacts{
				Name: name, Role: role, Serves: true, MapsRef: true, MapsTime: true, Components: c.Scope,
				Coverage: reconcile.Coverage{Complete: true, Proves: true, To: reconcile.At(noon)},
			},
			row: func(i int) *reconcile.Record {
				r := &reconcile.Record{
					Role: role, Source: name, Claimed: true, CreatedAt: reconcile.At(noon.Add(-2 * time.Hour)), Outcome: reconcile.OutcomeSucceeded,
					Components: []reconcile.Component{
						{Name: "tenant", Value: reconcile.Text("north")}, {Name: "operation", Value: reconcile.Text("create")}, {Name: "key", Value: reconcile.Text("K")},
					},
				}
				f.row(r, i)
				return r
			},
		}
	}
	readers := []sources.Reader{source("receipts", reconcile.RoleReceipt, f.receipts), source("orders", reconcile.RoleEffect, f.effects)}
	if f.lines > 0 {
		c.Effect = reconcile.LegsBoth
		readers = append(readers, source("charges", reconcile.RoleProvider, f.lines))
	}
	cfg := &config.Config{Name: "flood", Contracts: []*reconcile.Contract{c}, Now: reconcile.At(noon)}
	res, err := scan.RunReaders(context.Background(), cfg, readers, scan.Options{TempDir: os.TempDir(), MemBudget: 1 << 20})
	if err != nil {
		return err.Error()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	counts := res.Manifest().Counts
	found := ""
	for _, k := range slices.Sorted(maps.Keys(counts.Findings)) {
		found += fmt.Sprintf(" %s×%d", k, counts.Findings[k])
	}
	return fmt.Sprintf("%s, %s:%s | %d", plural(counts.Subjects, "subject"), plural(counts.Cases, "case"), found, m.HeapSys>>20)
}

func plural(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
