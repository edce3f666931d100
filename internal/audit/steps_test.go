package audit_test

import (
	"database/sql"
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/reconcile"
)

// TestLife walks trails through random decisions, withdrawals, outcomes, hand-outs and waits, beside a model that knows only the rules.
func TestLife(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) { newLife(t, rt).live(rt) })
}

// TestEveryStep goes every step of the table once.
func TestEveryStep(t *testing.T) {
	t.Parallel()
	c := newClock()
	trail := open(t, place(t), c)
	for i, s := range audit.Steps {
		p := proposal(fmt.Sprint("case-", i))
		p.ValidUntil = c.in(time.Minute)
		d := decide(t, trail, p)[0]
		if s.From == reconcile.DecisionUnknown {
			if _, err := trail.Outcome(t.Context(), d.ID, reconcile.ReportedUnknown, "", ""); err != nil {
				t.Fatal(err)
			}
		}
		next := proposal(p.Case)
		switch s.By {
		case audit.EventOutcome:
			o, err := reconcile.ParseDecisionOutcome(s.To.String())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := trail.Outcome(t.Context(), d.ID, o, "run 1", ""); err != nil {
				t.Errorf("%s to %s: %v", s.From, s.To, err)
			}
		case audit.EventWithdrawn:
			if _, err := trail.Withdraw(t.Context(), d.ID, "a mistake"); err != nil {
				t.Errorf("%s to %s: %v", s.From, s.To, err)
			}
		case audit.EventDecided:
			next.Supersedes = d.ID
			decide(t, trail, next)
		case audit.EventExpired:
			c.forward(time.Minute)
			decide(t, trail, next)
		default:
			t.Errorf("no record of type %s makes a step", s.By)
		}
		if got, err := trail.Decision(t.Context(), d.ID); err != nil || got.State != s.To {
			t.Errorf("%s to %s: %s, %v", s.From, s.To, got.State, err)
		}
	}
	verified(t, trail)
}

// TestLateOutcome: what was handed out may have been sent, whatever became of the decision.
func TestLateOutcome(t *testing.T) {
	t.Parallel()
	trail := open(t, place(t), newClock())
	ds := decide(t, trail, proposal("case-a"), proposal("case-b"))
	if _, err := trail.HandOut(t.Context(), ds[0].ID); err != nil {
		t.Fatal(err)
	}
	for _, d := range ds {
		if _, err := trail.Withdraw(t.Context(), d.ID, "a mistake"); err != nil {
			t.Fatal(err)
		}
	}
	late, err := trail.Outcome(t.Context(), ds[0].ID, reconcile.ReportedDone, "run 1", "")
	if err != nil || late.State != reconcile.DecisionWithdrawn || late.Outcome != reconcile.ReportedDone {
		t.Errorf("handed out: %+v, %v", late, err)
	}
	var step *audit.StepError
	if _, err := trail.Outcome(t.Context(), ds[1].ID, reconcile.ReportedDone, "run 1", ""); !errors.As(err, &step) {
		t.Errorf("never handed out: %v", err)
	}
	verified(t, trail)
}

// life is a trail under trial with its model.
type life struct {
	trail *audit.Trail
	clock *clock
	all   []audit.Decision
}

func newLife(t *testing.T, rt *rapid.T) *life {
	p := place(t)
	c := newClock()
	trail, err := audit.Open(t.Context(), p, c.env())
	if err != nil {
		rt.Fatal(err)
	}
	rt.Cleanup(func() { _ = trail.Close() })
	return &life{trail: trail, clock: c}
}

func (l *life) live(rt *rapid.T) {
	for range rapid.IntRange(6, 20).Draw(rt, "steps") {
		switch rapid.SampledFrom([]string{"decide", "supersede", "withdraw", "outcome", "outcome", "outcome", "hand out", "wait"}).Draw(rt, "what") {
		case "decide":
			l.decide(rt, false)
		case "supersede":
			l.decide(rt, true)
		case "withdraw":
			l.withdraw(rt)
		case "outcome":
			l.outcome(rt)
		case "hand out":
			l.handOut(rt)
		case "wait":
			l.clock.forward(40 * time.Second)
		}
	}
	l.compare(rt)
}

func (l *life) now() reconcile.Instant { return reconcile.At(l.clock.now()) }

func (l *life) pick(rt *rapid.T) *audit.Decision {
	if len(l.all) == 0 {
		return nil
	}
	return &l.all[rapid.IntRange(max(0, len(l.all)-3), len(l.all)-1).Draw(rt, "which")]
}

func (l *life) step(d *audit.Decision, to reconcile.DecisionState) {
	d.State, d.StateAt = to, l.now()
}

func (l *life) decide(rt *rapid.T, supersede bool) {
	p := proposal(rapid.SampledFrom([]string{"case-a", "case-a", "case-b"}).Draw(rt, "case"))
	if rapid.Bool().Draw(rt, "ends") {
		p.ValidUntil = l.clock.in(time.Minute)
	}
	var old *audit.Decision
	for i := range l.all {
		if d := &l.all[i]; d.Case == p.Case && d.State.Live() {
			old = d
		}
	}
	if supersede && old != nil {
		p.Supersedes = old.ID
	}
	ds, err := l.trail.Decide(rt.Context(), p)
	var live *audit.LiveError
	switch {
	case old == nil, !old.Live(l.now()), supersede:
		if err != nil {
			rt.Fatalf("decide: %v", err)
		}
	default:
		if !errors.As(err, &live) || live.Decision.ID != old.ID {
			rt.Fatalf("decide beside %s: %v", old.ID, err)
		}
		return
	}
	switch {
	case old == nil:
	case !old.Live(l.now()):
		l.step(old, reconcile.DecisionExpired)
	default:
		l.step(old, reconcile.DecisionSuperseded)
	}
	l.all = append(l.all, ds[0])
}

func (l *life) withdraw(rt *rapid.T) {
	d := l.pick(rt)
	if d == nil {
		return
	}
	_, err := l.trail.Withdraw(rt.Context(), d.ID, "a mistake")
	if ok := d.State.Live(); ok != (err == nil) {
		rt.Fatalf("withdraw %s: %v", d.State, err)
	}
	if err == nil {
		l.step(d, reconcile.DecisionWithdrawn)
	}
}

func (l *life) outcome(rt *rapid.T) {
	d := l.pick(rt)
	if d == nil {
		return
	}
	o := rapid.SampledFrom([]reconcile.DecisionOutcome{reconcile.ReportedUnknown, reconcile.ReportedUnknown, reconcile.ReportedDone, reconcile.ReportedFailed}).Draw(rt, "outcome")
	_, err := l.trail.Outcome(rt.Context(), d.ID, o, "run 1", "")
	ok := (d.State.Live() || d.HandedOut.Known()) && (d.Outcome == reconcile.ReportedNone || d.Outcome == reconcile.ReportedUnknown && o != reconcile.ReportedUnknown)
	if ok != (err == nil) {
		rt.Fatalf("outcome %s of %s %s: %v", o, d.State, d.Outcome, err)
	}
	if err != nil {
		return
	}
	d.Outcome, d.OutcomeRef, d.OutcomeAt = o, "run 1", l.now()
	if d.State.Live() {
		to, err := reconcile.ParseDecisionState(o.String())
		if err != nil {
			rt.Fatal(err)
		}
		l.step(d, to)
	}
}

func (l *life) handOut(rt *rapid.T) {
	d := l.pick(rt)
	if d == nil {
		return
	}
	_, err := l.trail.HandOut(rt.Context(), d.ID)
	if ok := d.State == reconcile.DecisionDecided && d.Live(l.now()) && !d.HandedOut.Known(); ok != (err == nil) {
		rt.Fatalf("hand out %s: %v", d.State, err)
	}
	if err == nil {
		d.HandedOut = l.now()
	}
}

func (l *life) compare(rt *rapid.T) {
	i := 0
	for got, err := range l.trail.Decisions(rt.Context(), audit.Query{}) {
		if err != nil {
			rt.Fatal(err)
		}
		if fmt.Sprint(got) != fmt.Sprint(l.all[i]) {
			rt.Fatalf("decision %d\n got %+v\nwant %+v", i, got, l.all[i])
		}
		i++
	}
	r, err := l.trail.Verify(rt.Context(), nil)
	if err != nil || !r.OK() || i != len(l.all) {
		rt.Fatalf("%d of %d decisions, %v %v", i, len(l.all), r.Faults, err)
	}
}

// TestStepTriggers tries every pair of states on the file itself: the triggers allow exactly the steps of the table.
func TestStepTriggers(t *testing.T) {
	t.Parallel()
	p := place(t)
	with(t, p, func(trail *audit.Trail) { decide(t, trail, proposal("case-a")) })
	legal := map[string]bool{}
	for _, s := range audit.Steps {
		legal[s.From.String()+" "+s.To.String()] = true
	}
	err := raw(t, p.Path, func(db *sql.DB) error {
		var text string
		if err := db.QueryRowContext(t.Context(), `SELECT sql FROM sqlite_schema WHERE name='decision_step'`).Scan(&text); err != nil {
			return err
		}
		for from := reconcile.DecisionProposed; from <= reconcile.DecisionRejected; from++ {
			for to := reconcile.DecisionProposed; to <= reconcile.DecisionRejected; to++ {
				if _, err := db.ExecContext(t.Context(), `DROP TRIGGER decision_step; UPDATE decision SET state='`+from.String()+`';`+text); err != nil {
					return err
				}
				_, err := db.ExecContext(t.Context(), `UPDATE decision SET state=?`, to.String())
				if want := from == to || legal[from.String()+" "+to.String()]; want != (err == nil) {
					t.Errorf("%s to %s: %v", from, to, err)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
