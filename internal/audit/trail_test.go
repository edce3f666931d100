package audit_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/reconcile"
)

var start = time.Date(2026, 11, 29, 6, 0, 0, 0, time.UTC)

// place is a trail of its own.
func place(t testing.TB) audit.Place {
	t.Helper()
	dir := t.TempDir()
	return audit.Place{Path: filepath.Join(dir, "trail", "audit.db"), State: filepath.Join(dir, "state")}
}

// clock is a clock that a test moves.
type clock struct{ ns atomic.Int64 }

func newClock() *clock                                { c := &clock{}; c.ns.Store(start.UnixNano()); return c }
func (c *clock) now() time.Time                       { return time.Unix(0, c.ns.Load()).UTC() }
func (c *clock) forward(d time.Duration)              { c.ns.Add(int64(d)) }
func (c *clock) in(d time.Duration) reconcile.Instant { return reconcile.At(c.now().Add(d)) }

func (c *clock) env() audit.Env {
	return audit.Env{Now: c.now, NewID: newID, Tool: "idemctl test", Operator: audit.Operator{Name: "kim", UID: 1000, LoginUID: 1000, Host: "night"}}
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

func open(t testing.TB, p audit.Place, c *clock) *audit.Trail {
	t.Helper()
	trail, err := audit.Open(t.Context(), p, c.env())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = trail.Close() })
	return trail
}

func proposal(c string) audit.Proposal {
	return audit.Proposal{
		Case: c, Contract: "checkout", Identity: []reconcile.Component{{Name: "tenant", Value: reconcile.Text("north")}, {Name: "key", Value: reconcile.Bytes([]byte("k\xff"))}},
		Decision: reconcile.DecideReplay, Reason: "the provider has nothing", Executed: reconcile.ExecutedNo,
		Legs: []reconcile.Leg{{Name: reconcile.LegLocal, State: reconcile.LegNo, Code: "absent"}}, Digest: "sha256:aa", GuardCode: "not-executed", GuardReason: "Nothing was executed.",
		Config: "orders", ConfigDigest: "sha256:cc", ScanNow: reconcile.At(start), Evidence: []byte(`{"case":"` + c + `"}`),
	}
}

func decide(t testing.TB, trail *audit.Trail, ps ...audit.Proposal) []audit.Decision {
	t.Helper()
	ds, err := trail.Decide(t.Context(), ps...)
	if err != nil {
		t.Fatal(err)
	}
	return ds
}

func verified(t testing.TB, trail *audit.Trail) audit.Report {
	t.Helper()
	r, err := trail.Verify(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Faults {
		t.Errorf("%s: %s", f.Where, f.What)
	}
	return r
}

func TestDecide(t *testing.T) {
	t.Parallel()
	p, c := place(t), newClock()
	trail := open(t, p, c)
	d := decide(t, trail, proposal("case-a"))[0]
	if d.State != reconcile.DecisionDecided || d.Operator != "kim" || d.Case != "case-a" || d.Recorded != reconcile.At(start) || d.Evidence != nil {
		t.Errorf("recorded %+v", d)
	}
	var live *audit.LiveError
	if _, err := trail.Decide(t.Context(), proposal("case-a")); !errors.As(err, &live) || live.Decision.ID != d.ID {
		t.Errorf("a second decision: %v", err)
	}
	if _, err := trail.Decide(t.Context(), proposal("case-b"), proposal("case-a")); !errors.As(err, &live) {
		t.Errorf("a plan with a case that is taken: %v", err)
	}
	got, err := trail.Evidence(t.Context(), d.Seq)
	if err != nil || string(got) != `{"case":"case-a"}` {
		t.Errorf("evidence %s, %v", got, err)
	}
	if r := verified(t, trail); r.Records != 2 || r.Decisions != 1 || r.Unsigned != 2 {
		t.Errorf("report %+v", r)
	}
	if err := trail.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := audit.OpenReading(t.Context(), p, c.env())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = again.Close() }()
	back, err := again.Decision(t.Context(), d.ID[:20])
	if err != nil || fmt.Sprint(back) != fmt.Sprint(d) {
		t.Errorf("reopened: %v\n got %+v\nwant %+v", err, back, d)
	}
	verified(t, again)
	if _, err := again.Decide(t.Context(), proposal("case-b")); !errors.Is(err, audit.ErrReading) {
		t.Errorf("an append to a trail that was opened for reading: %v", err)
	}
}

func TestNone(t *testing.T) {
	t.Parallel()
	p := place(t)
	if _, err := audit.OpenReading(t.Context(), p, newClock().env()); !errors.Is(err, audit.ErrNone) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(filepath.Dir(p.Path)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("opening for reading made something: %v", err)
	}
	if _, err := os.Stat(p.State); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("opening for reading made something: %v", err)
	}
}

func TestExpiredStandsInNobodysWay(t *testing.T) {
	t.Parallel()
	c := newClock()
	trail := open(t, place(t), c)
	first := proposal("case-a")
	first.ValidUntil = c.in(time.Hour)
	old := decide(t, trail, first)[0]
	c.forward(time.Hour) // at the instant itself it no longer stands
	next := decide(t, trail, proposal("case-a"))[0]
	back, err := trail.Decision(t.Context(), old.ID)
	if err != nil || back.State != reconcile.DecisionExpired || back.StateAt != next.Recorded {
		t.Errorf("the old one: %+v, %v", back, err)
	}
	if r := verified(t, trail); r.Records != 4 {
		t.Errorf("%d records: the expiry is one of its own", r.Records)
	}
}
