package audit_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/reconcile"
)

// night is the evidence that a desk reads: two orders that never arrived, one of them asked for under two keys.
type night struct {
	book    reconcile.Book
	sources []reconcile.SourceFacts
	records []*reconcile.Record
	pinned  bool
	now     func() reconcile.Instant
	reads   int
	trails  time.Duration // behind the clock, every source
}

func newNight(c *clock) *night {
	n := &night{now: func() reconcile.Instant { return reconcile.At(c.now()) }}
	n.book = reconcile.Book{{
		Name: "orders", Operations: []string{"create"}, Scope: []string{"tenant", "operation", "key"}, Settle: 2 * time.Minute, Margin: time.Hour,
		Effect: reconcile.LegsLocal, Atomic: true, Retention: reconcile.For(24 * time.Hour), RetryWindow: reconcile.For(72 * time.Hour), Params: &reconcile.ParamSpec{},
		ApprovalLife: reconcile.For(4 * time.Hour),
	}}
	for name, role := range map[string]reconcile.Role{"receipts": reconcile.RoleReceipt, "orders": reconcile.RoleEffect, "clients": reconcile.RoleIntent} {
		n.sources = append(n.sources, reconcile.SourceFacts{Name: name, Role: role, Serves: true, MapsRef: true, MapsTime: true, Components: []string{"tenant", "operation", "key"}})
	}
	n.add(reconcile.RoleIntent, "clients", "K1", `{"qty":1}`)
	n.add(reconcile.RoleIntent, "clients", "K2", `{"qty":2}`)
	n.add(reconcile.RoleIntent, "clients", "K3", `{"qty":2}`)
	return n
}

func (n *night) add(role reconcile.Role, source, key, params string) *reconcile.Record {
	r := &reconcile.Record{
		Role: role, Source: source, Locator: fmt.Sprint(source, "/", len(n.records)), Claimed: true, CreatedAt: reconcile.At(start.Add(-3 * time.Hour)), Params: reconcile.Text(params),
		Components: []reconcile.Component{{Name: "tenant", Value: reconcile.Text("north")}, {Name: "operation", Value: reconcile.Text("create")}, {Name: "key", Value: reconcile.Text(key)}},
	}
	if role == reconcile.RoleIntent {
		r.Attempts = []reconcile.Attempt{{At: r.CreatedAt, Outcome: reconcile.AttemptUncertain}}
	}
	n.records = append(n.records, r)
	return r
}

func (n *night) read(_ context.Context, decided map[string][]reconcile.Decided) (audit.Reading, error) {
	n.reads++
	w := &reconcile.World{Now: n.now(), Decided: decided, Sources: slices.Clone(n.sources)}
	for i := range w.Sources {
		w.Sources[i].Coverage = reconcile.Coverage{Complete: true, Proves: true, To: w.Now.Add(-n.trails)}
	}
	subjects := reconcile.Assemble(n.records, n.book, w)
	reconcile.Relate(subjects, w)
	return audit.Reading{
		Now: w.Now, Pinned: n.pinned, Config: "orders", ConfigDigest: "sha256:cc", Close: func() error { return nil },
		Case: func(_ context.Context, prefix string) (*audit.Seen, error) {
			for _, s := range subjects {
				j := reconcile.Judge(s, w)
				if j.Class == reconcile.ClassCase && (strings.HasPrefix(s.ID, prefix) || s.Identity[2].Value.String() == prefix) {
					return &audit.Seen{Judgement: j, Contract: "orders", Identity: s.Identity, Twins: s.Twins, Others: s.Candidates, Evidence: []byte(`{"as":"shown"}`)}, nil
				}
			}
			return nil, fmt.Errorf("%w: no case begins with %s", audit.ErrNoCase, prefix)
		},
	}, nil
}

func (n *night) id(t *testing.T, key string) string {
	t.Helper()
	r, err := n.read(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	seen, err := r.Case(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	return seen.Judgement.CaseID
}

func newDesk(t *testing.T) (*audit.Desk, *night, *clock) {
	t.Helper()
	c := newClock()
	n := newNight(c)
	return &audit.Desk{Trail: open(t, place(t), c), Now: c.now, Read: n.read}, n, c
}

func replay(cases ...string) audit.Request {
	return audit.Request{Cases: cases, Decision: reconcile.DecideReplay, Reason: "the shop asks for it, INC-81"}
}

func decideAt(t *testing.T, d *audit.Desk, r audit.Request) []audit.Answer {
	t.Helper()
	answers, err := d.Decide(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return answers
}

// told sums answers up: what was recorded, or the code of each refusal.
func told(answers []audit.Answer) string {
	var out []string
	for _, a := range answers {
		if a.Decision != nil {
			out = append(out, "recorded "+a.Decision.Decision.String())
		} else {
			out = append(out, a.Code)
		}
	}
	return strings.Join(out, ", ")
}

func TestDeskRecordsWhatTheGuardAllows(t *testing.T) {
	t.Parallel()
	d, n, c := newDesk(t)
	answers := decideAt(t, d, replay("K1"))
	if told(answers) != "recorded replay" {
		t.Fatalf("%+v", answers)
	}
	got := answers[0].Decision
	if got.Case != n.id(t, "K1") || got.GuardCode != "not-executed" || got.Digest == "" || got.Executed != reconcile.ExecutedNo || got.ValidUntil != c.in(4*time.Hour) || got.ConfigDigest != "sha256:cc" {
		t.Errorf("recorded %+v", got)
	}
	if evidence, err := d.Trail.Evidence(t.Context(), got.Seq); err != nil || string(evidence) != `{"as":"shown"}` {
		t.Errorf("evidence %s, %v", evidence, err)
	}
	again := decideAt(t, d, replay("K1"))
	if told(again) != audit.CodeLive || !strings.Contains(again[0].Reason, got.ID) || !strings.Contains(again[0].Reason, "kim") {
		t.Errorf("a second decision: %+v", again)
	}
	verified(t, d.Trail)
}

// TestDeskRecordsRefusals: what the guard refuses is no decision, and stands in the trail all the same.
func TestDeskRecordsRefusals(t *testing.T) {
	t.Parallel()
	d, n, _ := newDesk(t)
	answers := decideAt(t, d, replay("K1", "K2", "K1"))
	if told(answers) != "recorded replay, twin-exists" {
		t.Errorf("%+v", answers)
	}
	if got := answers[1].Reason; !strings.Contains(got, "The other: ") || !strings.Contains(got, "tenant north, operation create, key ") || !strings.Contains(got, ", begun 20") {
		t.Errorf("nothing says which other action it is: %s", got)
	}
	if !audit.Refused(answers) || audit.Refused(answers[:1]) {
		t.Error("a refusal is not told from a decision")
	}
	want := []string{n.id(t, "K2") + " replay twin-exists the shop asks for it, INC-81"}
	if refusals := refusalsOf(t, d.Trail); !slices.Equal(refusals, want) {
		t.Errorf("refusals %q, want %q", refusals, want)
	}
	verified(t, d.Trail)
}

// TestDeskRecordsNoSlip: a name that nobody knows is an error and leaves no mark, not even of the cases beside it; a case that was decided before or was on the
// screen, and is none any more, is refused under its whole id, and that is recorded.
func TestDeskRecordsNoSlip(t *testing.T) {
	t.Parallel()
	d, n, _ := newDesk(t)
	once, shown := n.id(t, "K1"), n.id(t, "K2")
	escalate := func(cases ...string) audit.Request {
		return audit.Request{Cases: cases, Decision: reconcile.DecideEscalate, Reason: "who knows of them", To: "payments"}
	}
	for _, name := range []string{"no such", once + "x"} {
		if answers, err := d.Decide(t.Context(), escalate("K1", name)); !errors.Is(err, audit.ErrNoCase) || len(answers) > 0 {
			t.Errorf("%q: %+v, %v", name, answers, err)
		}
	}
	if got := decideAt(t, d, escalate("K1")); told(got) != "recorded escalate" { // nothing was recorded of it before
		t.Fatalf("%+v", got)
	}
	n.records = n.records[2:]
	if got := decideAt(t, d, escalate(once[:6])); told(got) != "no-case" || got[0].Case != once {
		t.Errorf("a case that was decided: %+v", got)
	}
	seen := escalate(shown)
	seen.Seen = map[string]string{shown: ""}
	if got := decideAt(t, d, seen); told(got) != "no-case" {
		t.Errorf("a case that was on the screen: %+v", got)
	}
	want := []string{once + " escalate no-case who knows of them", shown + " escalate no-case who knows of them"}
	if refusals := refusalsOf(t, d.Trail); !slices.Equal(refusals, want) {
		t.Errorf("refusals %q, want %q", refusals, want)
	}
	verified(t, d.Trail)
}

// TestDeskTellsUnreadFromUnknown: where a source was not read wholly, a name that nobody knows is still an error, which says so, and a case that was decided
// before is refused as not judged, never as gone.
func TestDeskTellsUnreadFromUnknown(t *testing.T) {
	t.Parallel()
	d, n, _ := newDesk(t)
	once := n.id(t, "K1")
	escalate := audit.Request{Cases: []string{once}, Decision: reconcile.DecideEscalate, Reason: "who knows", To: "payments"}
	decideAt(t, d, escalate)
	n.records = n.records[1:]
	d.Read = func(ctx context.Context, decided map[string][]reconcile.Decided) (audit.Reading, error) {
		r, err := n.read(ctx, decided)
		r.Incomplete = true
		return r, err
	}
	if got := decideAt(t, d, escalate); told(got) != audit.CodeIncomplete || got[0].Case != once {
		t.Errorf("a case that was decided: %+v", got)
	}
	slip := escalate
	slip.Cases = []string{"no such"}
	if _, err := d.Decide(t.Context(), slip); !errors.Is(err, audit.ErrNoCase) || !strings.Contains(err.Error(), "could not be read") {
		t.Errorf("a slip: %v", err)
	}
	if refusals := refusalsOf(t, d.Trail); len(refusals) != 1 {
		t.Errorf("refusals %q", refusals)
	}
}

func refusalsOf(t *testing.T, trail *audit.Trail) []string {
	t.Helper()
	var refusals []string
	for e, err := range trail.Log(t.Context(), audit.LogQuery{}) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Type == audit.EventRefused {
			refusals = append(refusals, e.Case+" "+e.Action+" "+e.Code+" "+e.Reason)
		}
	}
	return refusals
}

// TestDeskHoldsAgainstWhatWasSeen: a decision is about what the operator looked at; one that rests on what has changed is replaced.
func TestDeskHoldsAgainstWhatWasSeen(t *testing.T) {
	t.Parallel()
	d, n, _ := newDesk(t)
	id := n.id(t, "K1")
	first := decideAt(t, d, audit.Request{Cases: []string{id}, Decision: reconcile.DecideEscalate, Reason: "who knows", To: "payments"})[0].Decision
	seen := audit.Request{Cases: []string{id}, Decision: reconcile.DecideEscalate, Reason: "who knows", To: "payments", Seen: map[string]string{id: first.Digest}}
	if got := decideAt(t, d, seen); told(got) != audit.CodeLive {
		t.Errorf("unchanged: %+v", got)
	}
	n.records[0].Attempts = append(n.records[0].Attempts, reconcile.Attempt{At: reconcile.At(start.Add(-2 * time.Hour)), Outcome: reconcile.AttemptUncertain})
	got := decideAt(t, d, seen)
	if told(got) != audit.CodeChanged || !strings.Contains(got[0].Reason, "executed no, local no") {
		t.Errorf("changed: %+v", got)
	}
	seen.Seen = nil
	second := decideAt(t, d, seen)
	if told(second) != "recorded escalate" || second[0].Decision.Supersedes != first.ID {
		t.Errorf("what rests on changed evidence is not replaced: %+v", second)
	}
	if old, err := d.Trail.Decision(t.Context(), first.ID); err != nil || old.State != reconcile.DecisionSuperseded {
		t.Errorf("the first one is %v, %v", old.State, err)
	}
}

// TestHandOutUnderAnotherConfig: a replay is handed out under the rules and the sources that it was decided by. Another config may read an older copy, in
// which what has been done since is missing.
func TestHandOutUnderAnotherConfig(t *testing.T) {
	t.Parallel()
	d, n, _ := newDesk(t)
	if got := decideAt(t, d, replay("K1")); told(got) != "recorded replay" {
		t.Fatalf("%+v", got)
	}
	d.Read = func(ctx context.Context, decided map[string][]reconcile.Decided) (audit.Reading, error) {
		r, err := n.read(ctx, decided)
		r.ConfigDigest = "sha256:dd"
		return r, err
	}
	if handed, err := d.HandOut(t.Context()); err != nil || len(handed) != 1 || handed[0].Code != audit.CodeConfig {
		t.Errorf("handed out under another config: %+v, %v", handed, err)
	}
	d.Read = n.read
	if handed, err := d.HandOut(t.Context()); err != nil || len(handed) != 1 || handed[0].Code != "" {
		t.Errorf("refused under its own: %+v, %v", handed, err)
	}
}

// TestDeskAsksForWhatIsMissing: nothing is read, and nothing recorded, for a request that lacks something.
func TestDeskAsksForWhatIsMissing(t *testing.T) {
	t.Parallel()
	d, n, c := newDesk(t)
	soon, past := c.in(time.Hour), c.in(-time.Hour)
	for i, tt := range []struct {
		field string
		req   audit.Request
	}{
		{"cases", audit.Request{Decision: reconcile.DecideHold, Reason: "unclear"}},
		{"reason", audit.Request{Decision: reconcile.DecideHold, Reason: " \t\n"}},
		{"reason", audit.Request{Decision: reconcile.DecideHold, Reason: " no "}},
		{"reason", audit.Request{Decision: reconcile.DecideHold, Reason: "eleven char", Cases: []string{"K1", "K2"}}},
		{"reason", audit.Request{Decision: reconcile.DecideReplay, Reason: "too short"}},
		{"reason", audit.Request{Decision: reconcile.DecideResolve, As: reconcile.Accept, Reason: "  eleven char  "}},
		{"reason", audit.Request{Decision: reconcile.DecideHold, Reason: strings.Repeat("x", 4001)}},
		{"reason", audit.Request{Decision: reconcile.DecideHold, Reason: "k\xff"}},
		{"as", audit.Request{Decision: reconcile.DecideResolve, Reason: "it is explained"}},
		{"as", audit.Request{Decision: reconcile.DecideHold, As: reconcile.Accept, Reason: "unclear"}},
		{"to", audit.Request{Decision: reconcile.DecideEscalate, Reason: "unclear"}},
		{"to", audit.Request{Decision: reconcile.DecideHold, Reason: "unclear", To: "payments"}},
		{"ref", audit.Request{Decision: reconcile.DecideResolve, As: reconcile.Distinct, Reason: "two orders indeed"}},
		{"ref", audit.Request{Decision: reconcile.DecideResolve, As: reconcile.ConfirmExecuted, Reason: "they told us so", At: past}},
		{"ref", audit.Request{Decision: reconcile.DecideResolve, As: reconcile.Compensated, Reason: "it was refunded", Ref: " "}},
		{"ref", audit.Request{Decision: reconcile.DecideHold, Reason: "unclear", Ref: "\xff"}},
		{"at", audit.Request{Decision: reconcile.DecideResolve, As: reconcile.ConfirmNotExecuted, Reason: "they told us so", Ref: "call 9"}},
		{"at", audit.Request{Decision: reconcile.DecideResolve, As: reconcile.ConfirmNotExecuted, Reason: "they told us so", Ref: "call 9", At: soon}},
		{"at", audit.Request{Decision: reconcile.DecideRecheck, Reason: "later", At: past}},
		{"at", audit.Request{Decision: reconcile.DecideHold, Reason: "unclear", At: soon}},
	} {
		if tt.field != "cases" && tt.req.Cases == nil {
			tt.req.Cases = []string{"K1"}
		}
		var lacking *audit.RequestError
		if _, err := d.Decide(t.Context(), tt.req); !errors.As(err, &lacking) || lacking.Field != tt.field || lacking.Hint() == "" {
			t.Errorf("%d: %v, want one about %s", i, err, tt.field)
		}
	}
	if n.reads > 0 {
		t.Errorf("the evidence was read %d times", n.reads)
	}
	if r := verified(t, d.Trail); r.Records != 1 {
		t.Errorf("%d records, want the first one only", r.Records)
	}
}

// TestDeskDistinct: what an operator calls distinct is named by its whole id, and lets the replay through once it is settled.
func TestDeskDistinct(t *testing.T) {
	t.Parallel()
	d, n, c := newDesk(t)
	k2, k3 := n.id(t, "K2"), n.id(t, "K3")
	distinct := func(ref string) audit.Request {
		return audit.Request{Cases: []string{k2}, Decision: reconcile.DecideResolve, As: reconcile.Distinct, Reason: "two orders, said the shop", Ref: ref}
	}
	for _, ref := range []string{"order 7", k2, k2[:6]} {
		if got := decideAt(t, d, distinct(ref)); told(got) != audit.CodeReference {
			t.Errorf("--ref %s: %+v", ref, got)
		}
	}
	one := decideAt(t, d, distinct(k3[:6]))[0].Decision
	if one == nil || one.Ref != k3 {
		t.Fatalf("%+v", one)
	}
	if got := decideAt(t, d, replay(k2)); told(got) != audit.CodeLive {
		t.Errorf("beside a decision that stands: %+v", got)
	}
	if got := decideAt(t, d, replay(k3)); told(got) != "recorded replay" {
		t.Errorf("the other of two distinct actions: %+v", got)
	}
	if _, err := d.Trail.Outcome(t.Context(), one.ID, reconcile.ReportedDone, "said and done", ""); err != nil {
		t.Fatal(err)
	}
	c.forward(time.Minute)
	if got := decideAt(t, d, replay(k2)); told(got) != "recorded replay" {
		t.Errorf("after distinct: %+v", got)
	}
}

func TestHandOut(t *testing.T) {
	t.Parallel()
	d, n, c := newDesk(t)
	if got, err := d.HandOut(t.Context()); err != nil || len(got) > 0 {
		t.Fatalf("nothing was decided: %+v, %v", got, err)
	}
	one := decideAt(t, d, replay("K1"))[0].Decision
	c.forward(time.Minute)
	got, err := d.HandOut(t.Context())
	if err != nil || len(got) != 1 || got[0].Code != "" {
		t.Fatalf("%+v, %v", got, err)
	}
	h := got[0]
	if h.Decision.ID != one.ID || h.Send.Params.String() != `{"qty":1}` || h.Send.ProviderKey.Known() || h.ValidUntil != one.ValidUntil || h.Identity[2].Value.String() != "K1" {
		t.Errorf("%+v", h)
	}
	if kept, err := d.Trail.Decision(t.Context(), one.ID); err != nil || kept.HandedOut != reconcile.At(c.now()) {
		t.Errorf("what is handed out is not recorded: %+v, %v", kept, err)
	}
	// Whoever lost it cannot know that nobody sends it.
	if got, err = d.HandOut(t.Context()); err != nil || len(got) != 1 || got[0].Code != audit.CodeHandedOut {
		t.Errorf("a second time: %+v, %v", got, err)
	}
	if got := decideAt(t, d, replay("K1")); told(got) != audit.CodeLive {
		t.Errorf("a second decision: %+v", got)
	}
	// The worker failed; once the sources show that time, it may be decided again.
	if _, err := d.Trail.Outcome(t.Context(), one.ID, reconcile.ReportedFailed, "run 7", ""); err != nil {
		t.Fatal(err)
	}
	if got := decideAt(t, d, replay("K1")); told(got) != "pending" {
		t.Errorf("before the sources cover the failure: %+v", got)
	}
	c.forward(3 * time.Minute)
	if got := decideAt(t, d, replay("K1")); told(got) != "recorded replay" {
		t.Errorf("after the sources cover the failure: %+v", got)
	}
	// It went through by itself meanwhile.
	n.add(reconcile.RoleReceipt, "receipts", "K1", `{"qty":1}`).State = reconcile.StateCompleted
	n.add(reconcile.RoleEffect, "orders", "K1", `{"qty":1}`)
	if got, err = d.HandOut(t.Context()); err != nil || len(got) != 1 || got[0].Code != audit.CodeNoCase {
		t.Errorf("what needs no replay any more: %+v, %v", got, err)
	}
	verified(t, d.Trail)
}

func TestHandOutAsksAgain(t *testing.T) {
	t.Parallel()
	d, n, c := newDesk(t)
	decideAt(t, d, replay("K1"))
	n.add(reconcile.RoleIntent, "clients", "K9", `{"qty":1}`)
	if got, err := d.HandOut(t.Context()); err != nil || got[0].Code != "twin-exists" {
		t.Errorf("a twin has come: %+v, %v", got, err)
	}
	n.records = n.records[:3]
	n.records[0].Attempts = append(n.records[0].Attempts, reconcile.Attempt{At: reconcile.At(start.Add(-time.Hour)), Outcome: reconcile.AttemptUncertain})
	if got, err := d.HandOut(t.Context()); err != nil || got[0].Code != audit.CodeChanged {
		t.Errorf("the records changed: %+v, %v", got, err)
	}
	c.forward(5 * time.Hour)
	if got, err := d.HandOut(t.Context()); err != nil || got[0].Code != audit.CodeExpired {
		t.Errorf("its time is over: %+v, %v", got, err)
	}
	for e, err := range d.Trail.Log(t.Context(), audit.LogQuery{}) {
		if err != nil || e.Type == audit.EventHandedOut {
			t.Errorf("handed out: %+v, %v", e, err)
		}
	}
}

// TestTwoDesksHandOutOnce: two workers ask at once, and one of them gets it.
func TestTwoDesksHandOutOnce(t *testing.T) {
	t.Parallel()
	c, p := newClock(), place(t)
	n := newNight(c)
	first := &audit.Desk{Trail: open(t, p, c), Now: c.now, Read: n.read}
	second := &audit.Desk{Trail: open(t, p, c), Now: c.now}
	second.Read = func(ctx context.Context, decided map[string][]reconcile.Decided) (audit.Reading, error) {
		if got, err := first.HandOut(ctx); err != nil || got[0].Code != "" {
			t.Errorf("the faster one: %+v, %v", got, err)
		}
		return n.read(ctx, decided)
	}
	decideAt(t, first, replay("K1"))
	if got, err := second.HandOut(t.Context()); err != nil || got[0].Code != audit.CodeHandedOut {
		t.Errorf("the slower one: %+v, %v", got, err)
	}
}

// TestTwoDesksDecideOnce: two operators decide one case at once, and one of them is told of the other.
func TestTwoDesksDecideOnce(t *testing.T) {
	t.Parallel()
	c, p := newClock(), place(t)
	n := newNight(c)
	first := &audit.Desk{Trail: open(t, p, c), Now: c.now, Read: n.read}
	second := &audit.Desk{Trail: open(t, p, c), Now: c.now}
	second.Read = func(ctx context.Context, decided map[string][]reconcile.Decided) (audit.Reading, error) {
		decideAt(t, first, replay("K1"))
		return n.read(ctx, decided)
	}
	got := decideAt(t, second, audit.Request{Cases: []string{"K1", "K2"}, Decision: reconcile.DecideEscalate, Reason: "unclear to all of us", To: "payments"})
	if told(got) != audit.CodeLive+", recorded escalate" || !strings.Contains(got[0].Reason, "kim") {
		t.Errorf("%+v", got)
	}
}
