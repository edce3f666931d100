package scan_test

import (
	"testing"
	"testing/fstest"
	"time"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/sources"
)

// TestRowBetweenTwoSnapshots commits rows of one action after one source was read and before another was. Whichever was read first, whether rows tell
// their time, and however much later it is now, nothing is found. The same rows read in one snapshot are findings: the test can fail.
func TestRowBetweenTwoSnapshots(t *testing.T) {
	t.Parallel()
	const before, between = -time.Second, time.Second // of the row's own time, against the first snapshot
	tried := 0
	for _, late := range []reconcile.Role{reconcile.RoleReceipt, reconcile.RoleEffect, reconcile.RoleProvider} {
		for _, both := range []bool{false, true} {
			for _, atomic := range []bool{false, true} {
				for _, timed := range []bool{false, true} {
					for _, at := range []time.Duration{before, between} {
						for _, age := range []time.Duration{0, time.Hour, 48 * time.Hour} {
							if !both && late == reconcile.RoleProvider {
								continue
							}
							w := snapshots{late: late, both: both, atomic: atomic, timed: timed, at: at, age: age}
							if got := w.scan(t, time.Minute); got.manifest.Counts.Cases > 0 {
								t.Errorf("%+v: %v", w, got.cases)
							}
							if age == time.Hour && timed && w.scan(t, 0).manifest.Counts.Cases > 0 {
								tried++
							}
						}
					}
				}
			}
		}
	}
	if tried < 8 {
		t.Errorf("only %d of these are findings when all is read at once: nothing was tried", tried)
	}
}

// snapshots is a world read at two times, with one row that stands only in the source that was read late.
type snapshots struct {
	late                reconcile.Role
	both, atomic, timed bool
	at, age             time.Duration
}

// scan reads the late source so much later than the others, which are read so long after noon-age that apart = 0 leaves an old action.
func (w snapshots) scan(t *testing.T, apart time.Duration) told {
	t.Helper()
	cfg := shop(w.both)
	cfg.Contracts[0].Atomic = w.atomic
	first := noon.Add(-w.age - apart)
	var readers []sources.Reader
	for _, s := range []struct {
		name string
		role reconcile.Role
	}{{"receipts", reconcile.RoleReceipt}, {"orders", reconcile.RoleEffect}, {"charges", reconcile.RoleProvider}} {
		m := ordinary(s.name, s.role, 3, 0)
		m.facts.Coverage.To = reconcile.At(first)
		if s.role == w.late {
			m.facts.Coverage.To = reconcile.At(first.Add(apart))
			rows := m.row
			m.n++
			m.row = func(i int) *reconcile.Record {
				if i < 3 {
					return rows(i)
				}
				r := good(&m.facts, "between")
				r.CreatedAt = reconcile.Instant{}
				if w.timed {
					r.CreatedAt = reconcile.At(first.Add(w.at))
				}
				if apart == 0 {
					r.CreatedAt = reconcile.At(first.Add(-time.Hour))
				}
				return r
			}
		}
		old := m.row
		m.row = func(i int) *reconcile.Record {
			r := old(i)
			if i < 3 {
				r.CreatedAt = reconcile.At(first.Add(-2 * time.Hour))
			}
			return r
		}
		if s.role != reconcile.RoleProvider || w.both {
			readers = append(readers, m)
		}
	}
	return tell(t, cfg, scan.Options{MemBudget: 1 << 16}, readers...)
}

// TestReceiptRemovedBetweenTheClockAndItsSnapshot: opening took three minutes, in which a reaper removed a receipt whose life had ended. That is no loss; it
// would be one had it been missing at once.
func TestReceiptRemovedBetweenTheClockAndItsSnapshot(t *testing.T) {
	t.Parallel()
	for took, want := range map[time.Duration]int64{0: 1, 3 * time.Minute: 0} {
		cfg := shop(false)
		cfg.Contracts[0].Retention, cfg.Contracts[0].RetryWindow, cfg.Now = reconcile.For(4*time.Hour), reconcile.For(2*time.Hour), reconcile.Instant{}
		born := noon.Add(-4*time.Hour + time.Minute).Format(time.RFC3339)
		fields := func(id string) []sources.Field {
			op := "create"
			return []sources.Field{{Name: "tenant", From: "t"}, {Name: "operation", Const: &op}, {Name: "key", From: "k"}, {Name: "effect_id", From: id}, {Name: "created_at", From: "at"}}
		}
		cfg.Place = sources.Place{Dir: ".", FS: fstest.MapFS{"s.sql": {Data: []byte("CREATE TABLE r (t TEXT, k TEXT, o TEXT, at TEXT); CREATE TABLE o (id TEXT, t TEXT, k TEXT, at TEXT); INSERT INTO o VALUES ('1', 'north', 'K', '" + born + "');")}}}
		cfg.Sources = []sources.Spec{
			{Name: "receipts", Role: reconcile.RoleReceipt, Scheme: sources.SQLite, Path: "s.sql", Table: "r", Map: fields("o")},
			{Name: "orders", Role: reconcile.RoleEffect, Scheme: sources.SQLite, Path: "s.sql", Table: "o", Map: fields("id")},
		}
		at := noon
		res, err := scan.Run(t.Context(), cfg, scan.Options{TempDir: t.TempDir(), Clock: func() time.Time { defer func() { at = at.Add(took) }(); return at }})
		if err != nil {
			t.Fatal(err)
		}
		if c := res.Manifest().Counts; c.Cases != want || c.Explained != 1-want {
			t.Errorf("opened within %v: %+v", took, c)
		}
		if err := res.Close(); err != nil {
			t.Error(err)
		}
	}
}
