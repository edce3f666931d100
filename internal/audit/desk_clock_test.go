package audit_test

import (
	"testing"
	"time"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/reconcile"
)

// TestDeskPinnedClock: a clock that stands still decides nothing that is right only now, unless it is repeated, or the records are a fixture's.
func TestDeskPinnedClock(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		fixture, repeated bool
		decision          reconcile.Decision
		want              string
	}{
		{false, false, reconcile.DecideReplay, audit.CodePinned},
		{false, false, reconcile.DecideResolve, audit.CodePinned},
		{false, false, reconcile.DecideHold, audit.CodePinned},
		{false, false, reconcile.DecideEscalate, "recorded escalate"},
		{false, false, reconcile.DecideRecheck, "recorded recheck"},
		{true, false, reconcile.DecideReplay, "recorded replay"},
		{false, true, reconcile.DecideReplay, "recorded replay"},
	} {
		d, n, c := newDesk(t)
		n.pinned, n.now = true, func() reconcile.Instant { return reconcile.At(start) }
		d.Fixture, d.Repeated = tt.fixture, tt.repeated
		c.forward(48 * time.Hour)
		req := audit.Request{Cases: []string{"K1"}, Decision: tt.decision, Reason: "the shop asks for it"}
		switch tt.decision {
		case reconcile.DecideResolve:
			req.As = reconcile.Accept
		case reconcile.DecideEscalate:
			req.To = "payments"
		case reconcile.DecideRecheck:
			req.At = c.in(time.Hour)
		case reconcile.DecideReplay, reconcile.DecideHold:
		}
		got := decideAt(t, d, req)
		if told(got) != tt.want {
			t.Errorf("%+v: %+v", tt, got)
		}
		if one := got[0].Decision; one != nil && tt.decision == reconcile.DecideReplay && (one.ValidUntil != c.in(4*time.Hour) || !one.Pinned) {
			t.Errorf("%+v: a span that the guard allows counts from now on: until %v", tt, one.ValidUntil.Time())
		}
	}
}

// TestDeskRecheckWhenDue: a recheck without a time looks again when the case becomes due, also by a clock that stands still; where no time alone settles it, a
// time must be named. Until then the decision is live, at that time it no longer is.
func TestDeskRecheckWhenDue(t *testing.T) {
	t.Parallel()
	for _, pinned := range []bool{false, true} {
		d, n, c := newDesk(t)
		n.trails = 2*time.Hour + 59*time.Minute // the attempt of three hours ago has not settled in what they cover
		due := c.in(time.Minute + time.Second)
		if pinned {
			n.pinned, n.now = true, func() reconcile.Instant { return reconcile.At(start) }
			c.forward(48 * time.Hour)
			due = due.Add(48 * time.Hour)
		}
		got := decideAt(t, d, audit.Request{Cases: []string{"K1"}, Decision: reconcile.DecideRecheck, Reason: "not due yet"})
		if told(got) != "recorded recheck" {
			t.Fatalf("%+v", got)
		}
		one := got[0].Decision.Decided()
		if one.At != due || one.ValidUntil != due {
			t.Errorf("pinned %v: looks again at %v, want %v", pinned, one.At.Time(), due.Time())
		}
		if !one.Live(due.Add(-1)) || one.Live(due) || one.Live(due.Add(1)) {
			t.Errorf("pinned %v: it does not wake at %v", pinned, due.Time())
		}
	}
	d, _, _ := newDesk(t)
	if got := decideAt(t, d, audit.Request{Cases: []string{"K1"}, Decision: reconcile.DecideRecheck, Reason: "later"}); told(got) != audit.CodeTime {
		t.Errorf("%+v", got)
	}
}

// TestDeskClockToCome: by a time that is still to come nothing is in flight any more, so nothing is decided by it, whoever repeats it.
func TestDeskClockToCome(t *testing.T) {
	t.Parallel()
	d, n, c := newDesk(t)
	ahead := c.in(24 * time.Hour)
	n.pinned, n.now, d.Repeated = true, func() reconcile.Instant { return ahead }, true
	for _, req := range []audit.Request{
		replay("K1"),
		{Cases: []string{"K1"}, Decision: reconcile.DecideHold, Reason: "unclear"},
		{Cases: []string{"K1"}, Decision: reconcile.DecideResolve, As: reconcile.Release, Reason: "the key is stuck"},
	} {
		if got := decideAt(t, d, req); told(got) != audit.CodePinned {
			t.Errorf("%v: %+v", req.Decision, got)
		}
	}
	n.pinned, n.now = false, func() reconcile.Instant { return reconcile.At(c.now()) }
	if got := decideAt(t, d, replay("K1")); told(got) != "recorded replay" {
		t.Fatalf("by the real clock: %+v", got)
	}
	n.pinned, n.now = true, func() reconcile.Instant { return ahead }
	if handed, err := d.HandOut(t.Context()); err != nil || len(handed) != 1 || handed[0].Code != audit.CodePinned {
		t.Errorf("handed out by a clock to come: %+v, %v", handed, err)
	}
}

// TestHandOutClockSetBack: by a clock that was set back everything that expires seems to live, so nothing is handed out by it.
func TestHandOutClockSetBack(t *testing.T) {
	t.Parallel()
	d, _, c := newDesk(t)
	decideAt(t, d, replay("K1"))
	c.forward(-time.Hour)
	if handed, err := d.HandOut(t.Context()); err != nil || len(handed) != 1 || handed[0].Code != audit.CodeClock {
		t.Errorf("handed out before it was decided: %+v, %v", handed, err)
	}
	c.forward(time.Hour)
	if handed, err := d.HandOut(t.Context()); err != nil || len(handed) != 1 || handed[0].Code != "" {
		t.Errorf("once the clock is right: %+v, %v", handed, err)
	}
}

// TestDeskPinnedClockRunsOut: what would recognise a second send is judged by the real clock alone: it runs out by that one.
func TestDeskPinnedClockRunsOut(t *testing.T) {
	t.Parallel()
	for _, pinned := range []bool{false, true} {
		d, n, c := newDesk(t)
		n.add(reconcile.RoleReceipt, "receipts", "K1", `{"qty":1}`).EffectID = reconcile.Text("9")
		want := "recorded replay"
		if pinned {
			want = audit.CodePinned
			n.pinned, n.now, d.Repeated = true, func() reconcile.Instant { return reconcile.At(start) }, true
			c.forward(48 * time.Hour)
		}
		got := decideAt(t, d, replay("K1"))
		if told(got) != want || !pinned && got[0].Decision.GuardCode != "recognised" {
			t.Errorf("pinned %v: %+v", pinned, got)
		}
	}
}
