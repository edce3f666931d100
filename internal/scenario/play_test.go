package scenario

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/idemctl/internal/reconcile"
)

const story = `title: Two bookings
story: Something happened.
teaches: [to look]
principles: [timeout-is-unknown]
steps:
  - {do: scan, until: scan}
  - {do: look at b, until: {show: {key: b}}, hint: it is the second}
  - {do: decide b, until: {decide: {tenant: t, key: b}}}
counts: {matched: 0, in_flight: 0, explained: 0, inconclusive: 0, unclaimed: 0, cases: 2}
contract_findings: []
cases:
  - identity: {tenant: t, key: a}
    kinds: [not-executed]
    executed: "no"
    because: nothing was done
    right: [{decision: replay}]
    harmful: [{decision: resolve, as: confirm-executed, would: lie}]
  - identity: {tenant: t, key: b}
    kinds: [unknown-outcome]
    executed: undetermined
    because: nobody knows
    right: [{decision: recheck}, {decision: hold}]
    harmful: [{decision: replay, would: charge twice, twice: {minor: 8990, exponent: 2, currency: EUR}}]
`

func parsed(t *testing.T) *Scenario {
	t.Helper()
	s, err := Parse([]byte(story))
	if err != nil {
		t.Fatal(err)
	}
	if found := Lint(s); len(found) > 0 {
		t.Fatal(found)
	}
	return s
}

func identity(key string) []reconcile.Component {
	return []reconcile.Component{{Name: "tenant", Value: reconcile.Text("t")}, {Name: "key", Value: reconcile.Text(key)}}
}

// walker plays: each of its events is a minute after the one before.
type walker struct {
	*Play
	now time.Time
}

func start(t *testing.T) *walker {
	t.Helper()
	now := time.Date(2026, 11, 29, 3, 0, 0, 0, time.UTC)
	return &walker{Begin(parsed(t), now), now}
}

func (w *walker) see(e Event) {
	w.now = w.now.Add(time.Minute)
	e.At = w.now
	w.See(e)
}

func (w *walker) decide(key string, d reconcile.Decision, as reconcile.Resolution, id string) {
	w.see(Event{Sight: Decided, Identity: identity(key), Decision: d, As: as, ID: id})
}

// TestStepsEndOnWhatIsSeen requires that a step waits for its own action, and that one done early is not asked for again.
func TestStepsEndOnWhatIsSeen(t *testing.T) {
	t.Parallel()
	w := start(t)
	at := func(want int) {
		t.Helper()
		if n, of := w.Step(); n != want || of != 3 {
			t.Errorf("step %d of %d, want %d of 3", n, of, want)
		}
	}
	at(1)
	w.see(Event{Sight: Shown, Identity: identity("b")})
	at(1)
	w.see(Event{Sight: Scanned})
	at(3)
	if w.Awaits() {
		t.Error("nothing was decided, and something is awaited")
	}
	w.decide("a", reconcile.DecideReplay, 0, "1")
	if !w.Awaits() {
		t.Error("a replay stands, and nothing is awaited")
	}
	w.see(Event{Sight: TakenBack, Identity: identity("a"), ID: "1"})
	if w.Awaits() {
		t.Error("a replay that was taken back is awaited")
	}
	w.decide("a", reconcile.DecideReplay, 0, "3")
	at(3)
	w.see(Event{Sight: Refused, Identity: identity("b"), Decision: reconcile.DecideReplay})
	at(3)
	w.decide("b", reconcile.DecideHold, 0, "2")
	at(4)
	if !w.Done() || w.Now() != nil || w.Hint() != "" {
		t.Error("the play has not ended")
	}
	if d := w.Debrief(w.now.Add(time.Hour)); d.Took != 7*time.Minute || d.Steps != 3 || !d.Finished {
		t.Errorf("took %s, %d steps, finished %v", d.Took, d.Steps, d.Finished)
	}
}

// TestHintsAndGivingUp counts what was asked for, each step once.
// TestLeave: a case of which nothing can be recorded is right when it was looked at and left, and open until then.
func TestLeave(t *testing.T) {
	t.Parallel()
	s, err := Parse([]byte(strings.Replace(story, "right: [{decision: recheck}, {decision: hold}]", "leave: true", 1)))
	if err != nil || len(Lint(s)) > 0 {
		t.Fatal(err, Lint(s))
	}
	p := Begin(s, time.Unix(0, 0))
	marks := func() (out []string) {
		for _, f := range p.Debrief(time.Unix(0, 0)).Findings {
			out = append(out, f.Mark.String())
		}
		return out
	}
	if got := marks(); !slices.Equal(got, []string{"undecided", "undecided"}) || len(p.Open()) != 2 {
		t.Errorf("before anything: %v, %d open", got, len(p.Open()))
	}
	p.See(Event{Sight: Shown, Identity: identity("b")})
	if got := marks(); !slices.Equal(got, []string{"undecided", "right"}) || len(p.Open()) != 1 {
		t.Errorf("looked at: %v, %d open", got, len(p.Open()))
	}
	p.See(Event{Sight: Decided, Identity: identity("b"), Decision: reconcile.DecideReplay, ID: "1"})
	if got := marks(); !slices.Equal(got, []string{"undecided", "harmful"}) {
		t.Errorf("decided all the same: %v", got)
	}
}

func TestHintsAndGivingUp(t *testing.T) {
	t.Parallel()
	w := start(t)
	if w.Hint() != "" || w.Hints() != 0 {
		t.Error("a step without a hint counts one")
	}
	w.see(Event{Sight: Scanned})
	if w.Hint() != "it is the second" || w.Hint() == "" || w.Hints() != 1 || !w.Hinted() {
		t.Errorf("%d hints", w.Hints())
	}
	w.GiveUp(w.now)
	w.GiveUp(w.now)
	w.GiveUp(w.now)
	if d := w.Debrief(w.now); d.Given != 2 || d.Steps != 1 || d.Finished {
		t.Errorf("given up %d, done %d, finished %v", d.Given, d.Steps, d.Finished)
	}
}

// TestDebrief tells what decisions are worth: those that stand, those that were taken back, and those that the guard refused.
func TestDebrief(t *testing.T) {
	t.Parallel()
	replay, confirm := reconcile.DecideReplay, reconcile.ConfirmExecuted
	shown := func(key string) Event { return Event{Sight: Shown, Identity: identity(key)} }
	tests := []struct {
		name    string
		play    func(w *walker)
		marks   []Mark
		stopped int
		back    int
		twice   []Money
		score   int
	}{
		{name: "nothing was decided", play: func(*walker) {}, marks: []Mark{Missed, Missed}},
		{name: "all is right", play: func(w *walker) {
			w.see(shown("a"))
			w.decide("a", replay, 0, "1")
			w.see(shown("b"))
			w.decide("b", reconcile.DecideHold, 0, "2")
		}, marks: []Mark{Right, Right}, score: 100},
		{name: "right, and nobody looked", play: func(w *walker) {
			w.decide("a", replay, 0, "1")
			w.decide("b", reconcile.DecideHold, 0, "2")
			w.see(shown("b"))
		}, marks: []Mark{Right, Right}, score: 50},
		{name: "harm stands", play: func(w *walker) {
			w.see(shown("b"))
			w.decide("b", replay, 0, "1")
		}, marks: []Mark{Missed, Harmful}, twice: []Money{{8990, 2, "EUR"}}},
		{name: "harm was taken back, and decided anew", play: func(w *walker) {
			w.see(shown("b"))
			w.decide("b", replay, 0, "1")
			w.see(Event{Sight: TakenBack, Identity: identity("b"), ID: "1"})
			w.decide("b", reconcile.DecideRecheck, 0, "2")
		}, marks: []Mark{Missed, Right}, back: 1, score: 50},
		{name: "the guard stopped it, twice the same", play: func(w *walker) {
			for range 2 {
				w.see(Event{Sight: Refused, Identity: identity("a"), Decision: reconcile.DecideResolve, As: confirm, Sent: true})
			}
		}, marks: []Mark{Missed, Missed}, stopped: 1},
		{name: "refused choices were looked at", play: func(w *walker) {
			w.see(Event{Sight: Refused, Identity: identity("a"), Decision: reconcile.DecideResolve, As: confirm})
			w.see(Event{Sight: Refused, Identity: identity("b"), Decision: replay})
		}, marks: []Mark{Missed, Missed}},
		{name: "handed over, and put aside", play: func(w *walker) {
			w.decide("a", reconcile.DecideEscalate, 0, "1")
			w.decide("b", reconcile.DecideResolve, reconcile.Distinct, "2")
		}, marks: []Mark{NeedlessHelp, NotBest}, score: 25},
		{name: "the latest decision counts", play: func(w *walker) {
			w.see(shown("b"))
			w.decide("b", replay, 0, "1")
			w.decide("b", reconcile.DecideHold, 0, "2")
		}, marks: []Mark{Missed, Right}, back: 1, score: 50},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := start(t)
			tt.play(w)
			d := w.Debrief(w.now)
			var marks []Mark
			back := 0
			for i := range d.Findings {
				marks = append(marks, d.Findings[i].Mark)
				back += len(d.Findings[i].TakenBack)
			}
			if diff := cmp.Diff(tt.marks, marks); diff != "" {
				t.Errorf("marks (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(tt.twice, d.Twice()); diff != "" {
				t.Errorf("money (-want +got)\n%s", diff)
			}
			if d.Stopped() != tt.stopped || back != tt.back || d.Score() != tt.score {
				t.Errorf("stopped %d, taken back %d, score %d; want %d, %d, %d", d.Stopped(), back, d.Score(), tt.stopped, tt.back, tt.score)
			}
		})
	}
}
