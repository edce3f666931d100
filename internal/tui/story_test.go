package tui

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/query"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/tui/caselist"
	"example.com/idemctl/internal/tui/keymap"
	"example.com/idemctl/internal/tui/paint"
)

func TestQueueOpensAndMoves(t *testing.T) {
	t.Parallel()
	d := &desk{res: fixture(t, "payments-restore")}
	c := start(t, d.deps(), 120, 36, func(o *Options) { o.Fixture = true })
	c.shows("TRAINING", "PINNED", "13 cases", "receipt-missing-after-r").selected("cart-e1c5-1")
	c.press("j", "j").selected("cart-46d8-1")
	c.burst("jjjjj").selected("cart-ad35-2")
	c.press("G").selected("cart-52a8-1").press("g").selected("cart-e1c5-1")
	c.press("enter").hides("EXPOSED").shows("It would execute the action a second time.", "already-executed", "resolve: backfill-receipt")
}

func TestDecideStory(t *testing.T) {
	t.Parallel()
	d := &desk{res: fixture(t, "payments-restore")}
	c := start(t, d.deps(), 120, 36)
	c.press("enter", "d").wait(time.Second)
	c.shows("Record", "choose one of the above first")
	c.press("tab", " ").shows("replay is refused")
	c.press("down", "down", " ").shows("(x) resolve: backfill-receipt")
	c.press("tab").typeText("the order stands and the charge is there")
	c.press("tab").shows("[ Record backfill-receipt for 1 case ]").press("enter")
	c.shows("recorded: backfill-receipt, decision ")
	if len(d.asked) != 1 || len(d.decisions) != 1 || d.asked[0].Seen[d.asked[0].Cases[0]] == "" {
		t.Fatalf("asked %+v", d.asked)
	}
	c.press("esc").selected("backfill-").press("2").shows("resolve: backfill-receipt", "the order stands").press("v").shows("verified: 1 record")
	c.press("enter").shows("As it was on the screen")
}

// A replay that the guard refuses is refused with its reason, wherever it is asked for, and nothing is recorded.
func TestReplayIsRefusedWithItsReason(t *testing.T) {
	t.Parallel()
	d := &desk{res: fixture(t, "payments-restore")}
	c := start(t, d.deps(), 120, 36)
	c.press("enter").shows("refused  replay  already-executed")
	c.press("d", "tab").shows("replay is refused: It was executed, and a second send is not surely recognised")
	c.press("enter", " ").shows("replay is refused").hides("(x) replay")
	c.press("tab").typeText("send it again please").press("tab").shows("choose one of the above first", "( Record )")
	c.press("enter").shows("choose one of the above first")
	if len(d.asked) != 0 {
		t.Errorf("asked for %+v", d.asked)
	}
}

// The guard is asked again on evidence read anew; what it refuses then stays in the dialog with the reason.
func TestDeskRefusesAnew(t *testing.T) {
	t.Parallel()
	d := &desk{res: fixture(t, "payments-restore")}
	deps := d.deps()
	deps.Decide = func(_ context.Context, r audit.Request) ([]audit.Answer, error) {
		return []audit.Answer{{Case: r.Cases[0], Code: audit.CodeChanged, Reason: "The records of this case changed since it was shown."}}, nil
	}
	c := start(t, deps, 120, 36)
	c.press("d", "tab", "down", " ", "tab").typeText("until it is clear").press("tab", "enter")
	c.shows("Not recorded. The guard, asked on the evidence as it is now, refuses.", "(evidence-changed)", "until it is clear")
}

func TestInDoubt(t *testing.T) {
	t.Parallel()
	d := &desk{res: fixture(t, "payments-restore"), fail: &audit.DoubtError{IDs: []string{"d1"}, Err: errors.New("disk gone")}}
	c := start(t, d.deps(), 120, 36)
	c.press("d", "tab", "down", " ", "tab").typeText("until it is clear").press("tab", "enter")
	c.shows("IN DOUBT: it is not known whether this was kept.").hides("recorded: hold")
}

// While a decision is being recorded, no key decides again or leaves.
func TestNothingBesideARecord(t *testing.T) {
	t.Parallel()
	d := &desk{res: fixture(t, "payments-restore")}
	c := start(t, d.deps(), 120, 36)
	c.press("d", "tab", "down", " ", "tab").typeText("until it is clear").press("tab")
	c.held = true
	c.press("enter").shows("reading the sources anew, asking the guard, recording")
	c.press("enter", "enter", "esc").shows("Decide", "recording")
	c.send(message("ctrl+c"))
	c.shows("wait for the answer")
	c.release()
	c.shows("recorded: hold, decision ")
	if len(d.asked) != 1 || c.quit {
		t.Errorf("asked %d times, quit %v", len(d.asked), c.quit)
	}
	c.press("d").shows("decide… is off: a decision stands and its evidence has not changed")
}

// Keys in flight and keys that repeat by themselves confirm nothing.
func TestKeysInFlight(t *testing.T) {
	t.Parallel()
	d := &desk{res: fixture(t, "payments-restore")}
	c := start(t, d.deps(), 120, 36)
	c.press("d")
	for range 8 {
		c.wait(30 * time.Millisecond)
		c.send(message("tab"))
	}
	c.shows("just opened")
	c.wait(2 * time.Second)
	c.press("tab", "down", " ", "tab").typeText("until it is clear").press("tab")
	c.press("shift+tab").shows("type ·").press("tab")
	for range 20 { // Enter held down since before the button had the focus
		c.wait(30 * time.Millisecond)
		c.send(message("right"))
	}
	c.send(message("left"))
	c.send(message("enter"))
	if len(d.asked) != 1 {
		t.Fatalf("asked %d times", len(d.asked))
	}
	held := start(t, (&desk{res: d.res}).deps(), 120, 36)
	held.press("enter") // opens the case, and the key stays down
	for range 40 {
		held.wait(30 * time.Millisecond)
		held.send(message("enter"))
	}
	held.hides("Decide")
}

func TestEnterHeldOnTheButton(t *testing.T) {
	t.Parallel()
	d := &desk{res: fixture(t, "payments-restore")}
	c := start(t, d.deps(), 120, 36)
	c.press("d", "tab", "down", " ", "tab").typeText("until it is clear").press("shift+tab")
	c.send(message("enter")) // chooses once more, and stays down
	c.send(message("tab"))
	c.send(message("tab"))
	c.shows("▌[ Record hold for 1 case ]")
	c.wait(30 * time.Millisecond)
	c.send(message("enter")) // another key came between: it is meant
	c.shows("recorded: hold")
}

func TestPasteNeverActs(t *testing.T) {
	t.Parallel()
	paste := func(s string) tea.KeyMsg { return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(s), Paste: true} }
	d := &desk{res: fixture(t, "payments-restore")}
	c := start(t, d.deps(), 120, 36)
	c.send(paste("qdd\n\ryG"))
	c.shows("pasted text does nothing here (7 characters)").selected("cart-e1c5-1")
	c.press("/")
	c.send(paste("cart-3b90\x1b[2J\u202e"))
	c.wait(time.Second).shows("2 characters that cannot be shown were left out").press("esc")
	c.press(" ", " ", "d", "tab", "down", " ", "tab")
	c.send(paste("a reason of\ntwo lines"))
	c.shows("a reason of two lines").press("tab")
	c.send(paste("hold 2"))
	c.shows("this is typed, not pasted", "to arm the button")
	c.typeText("hold 2").press("tab", "enter").shows("recorded: hold for 2 cases")
	if d.asked[0].Reason != "a reason of two lines" || len(d.asked[0].Cases) != 2 {
		t.Errorf("asked %+v", d.asked[0])
	}
}

func TestSplitEscape(t *testing.T) {
	t.Parallel()
	d := &desk{res: fixture(t, "payments-restore")}
	c := start(t, d.deps(), 120, 36)
	c.send(tea.KeyMsg{Type: tea.KeyEsc})
	c.wait(10 * time.Millisecond).burst("[B").selected("cart-3b90-1")
	c.send(tea.KeyMsg{Type: tea.KeyEsc})
	c.wait(10*time.Millisecond).burst("[200~ddd").selected("cart-3b90-1").hides("Decide", "does nothing")
	c.press("enter").shows("known").press("esc").selected("cart-3b90-1")
}

func TestStrayKeysLock(t *testing.T) {
	t.Parallel()
	d := &desk{res: fixture(t, "payments-restore")}
	c := start(t, d.deps(), 120, 36)
	c.burst("XY").shows("Y does nothing here").burst("Zdq").shows("keys are locked until you press esc").hides("Decide")
	c.press("j").selected("cart-e1c5-1").press("esc", "j").selected("cart-3b90-1")
}

// Cursor, marks, focus and typed text outlive a change of the size, an order, a filter and another reading.
func TestWhatStays(t *testing.T) {
	t.Parallel()
	d := &desk{res: fixture(t, "payments-restore")}
	c := start(t, d.deps(), 120, 36)
	c.press("j", "j", " ").selected("cart-f207-1")
	c.press("s").selected("cart-f207-1").press("S").selected("cart-f207-1")
	c.press("ctrl+r").selected("cart-f207-1").shows("1 marked")
	c.resize(80, 24).selected("cart-f207-1").resize(40, 10).shows("idemctl needs 60 x 15").press("d", "x").resize(120, 36).selected("cart-f207-1").hides("Decide")
	c.press("/").typeText("cart-f207").press("enter").selected("cart-f207-1").shows("1 of 13 cases")
	c.press("esc").shows("13 cases").selected("cart-f207-1")
	c.press("u", "d", "tab", "down", " ", "tab").typeText("half a rea").resize(60, 15).resize(120, 36).shows("half a rea", "(x) hold")
	c.press("esc", "d").shows("half a rea")
}

func TestNothingIsDecidedWhileReading(t *testing.T) {
	t.Parallel()
	d := &desk{res: fixture(t, "payments-restore")}
	c := hold(t, d.deps(), 120, 36)
	c.hides("Nothing to decide").press("d").shows("decide… is off: sources are still being read").press("m").shows("mark all is off")
	c.release()
	c.press("p").hides("still being read").press("d").shows("Cancel")
}

func TestNothingIsDecidedOnAnOlderFilter(t *testing.T) {
	t.Parallel()
	d := &desk{res: fixture(t, "payments-restore")}
	c := start(t, d.deps(), 120, 36)
	c.press("/").typeText("cart-3b90")
	c.held = true
	c.burst("-").wait(time.Second)
	c.press("enter").shows("filtering…").press("d").shows("decide… is off: the list still shows an older filter")
	c.release()
	c.shows("1 of 13 cases").press("d").shows("Cancel")
}

// A result of an older question is dropped, whenever it comes.
func TestLateResults(t *testing.T) {
	t.Parallel()
	d := &desk{res: fixture(t, "payments-restore")}
	c := start(t, d.deps(), 120, 36)
	old := c.r.queue.gen
	rows, err := c.r.rows.List(t.Context(), caselist.Choice{Query: mustQuery(t, "nowhere")})
	if err != nil {
		t.Fatal(err)
	}
	c.press("/").typeText("cart-3b90").press("enter")
	c.r.inflight++
	c.send(done{listed{gen: old, load: c.r.load, view: rows, rows: c.r.rows}})
	c.shows("1 of 13 cases")
	c.r.inflight++
	c.send(done{loaded{gen: c.r.load - 1, err: errors.New("too late")}})
	c.hides("too late").selected("cart-3b90-1")
	c.r.queue.planGen++
	c.r.inflight++
	c.send(done{casesRead{load: c.r.load, gen: c.r.queue.planGen - 1, cases: d.res.cases[:1]}})
	c.hides("Decide")
}

func mustQuery(t *testing.T, s string) *query.Query {
	t.Helper()
	q, err := query.Parse(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func TestWithdrawAndOutcome(t *testing.T) {
	t.Parallel()
	d := &desk{res: fixture(t, "payments-restore")}
	c := start(t, d.deps(), 120, 36)
	c.press("enter", "w").shows("withdraw… is off: no live decision stands on this case")
	c.press("d", "tab", "down", " ", "tab").typeText("until it is clear").press("tab", "enter").shows("recorded: hold")
	c.press("w", "tab").typeText("it is clear now").press("tab").shows("[ Withdraw 1 decision ]").press("enter").shows("recorded: the decision is now withdrawn", "hold (withdrawn)")
	c.press("d", "tab", "down", " ", "tab").typeText("not so clear").press("tab", "enter").shows("recorded: hold")
	c.press("o", "tab", " ")
	if _, behind, _ := strings.Cut(c.screen(), "Reason  "); !strings.Contains(behind, "Reference") {
		t.Errorf("the outcome does not ask for the reason first, as every dialog does:\n%s", c.screen())
	}
	c.press("tab").typeText("the worker says so").press("tab").typeText("run 17").press("tab", "enter").shows("recorded: the decision is now done")
	c.press("2").shows("outcome done", "withdrawn", "until it is clear")
}

// A changed case says so and may be decided again; its older decision is told.
func TestChangedEvidence(t *testing.T) {
	t.Parallel()
	d := &desk{res: fixture(t, "payments-restore")}
	c := start(t, d.deps(), 120, 36)
	c.press("d", "tab", "down", " ", "tab").typeText("until it is clear").press("tab", "enter")
	d.decisions[0].Digest = "sha256:other"
	c.press("ctrl+r").shows("changed!").press("enter").shows("the evidence has changed since").press("d").shows("This replaces the live decision hold")
}

func TestFailures(t *testing.T) {
	t.Parallel()
	d := &desk{res: fixture(t, "payments-restore")}
	deps := d.deps()
	deps.Load = func(context.Context, *scan.Progress) (Result, error) {
		return nil, &scan.Error{Msg: "x.scan: not a saved scan", Hint: "scan again"}
	}
	start(t, deps, 120, 36).shows("NOT READ: x.scan: not a saved scan · hint: scan again").press("d").shows("decide… is off: nothing could be read")

	d.trouble = errors.New("rolled back")
	start(t, d.deps(), 120, 36).shows("AUDIT TRAIL IN TROUBLE").press("enter", "d").shows("decide… is off: the audit trail is in trouble")

	d.report = audit.Report{Faults: []audit.Fault{{Where: "record 17", What: "its hash is another"}}}
	start(t, d.deps(), 120, 36).press("2", "v").shows("FAILED: 1 fault", "record 17: its hash is another")

	d.trouble, d.report = nil, audit.Report{}
	closed := 0
	d.res.closed = &closed
	c := start(t, d.deps(), 120, 36).press("ctrl+r")
	if closed != 1 {
		t.Errorf("the result of the reading before was closed %d times", closed)
	}
	if c.press("q"); !c.quit {
		t.Error("q on the queue does not quit")
	}
}

// A panic wherever it is becomes an end in order, with the stack kept.
func TestPanics(t *testing.T) {
	t.Parallel()
	d := &desk{res: fixture(t, "clean")}
	deps := d.deps()
	deps.Load = func(context.Context, *scan.Progress) (Result, error) { panic("in a command") }
	for name, want := range map[string]string{"command": "in a command", "update": "in update", "drawing": "in drawing"} {
		r, err := newRoot(t.Context(), deps, Options{Now: func() time.Time { return night }, Faults: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		var cmd tea.Cmd
		switch name {
		case "command":
			_, cmd = r.Update(r.readFirst()())
		case "update":
			r.dialogs = append(r.dialogs, raised{faulty{}, keymap.NewGrace(night)})
			r.w, r.h = 120, 36
			_, cmd = r.Update(message("j"))
		case "drawing":
			r.dialogs = append(r.dialogs, raised{faulty{}, keymap.NewGrace(night)})
			_, cmd = r.Update(tea.WindowSizeMsg{Width: 120, Height: 36})
		}
		if _, quits := cmd().(tea.QuitMsg); !quits {
			t.Errorf("%s: the program goes on", name)
		}
		var fault *FaultError
		if !errors.As(r.keepFault(), &fault) || fault.What != want {
			t.Fatalf("%s: %v", name, fault)
		}
		if b, err := os.ReadFile(fault.File); err != nil || !strings.Contains(string(b), "goroutine") {
			t.Errorf("%s: the stack is not kept: %v", name, err)
		}
	}
}

// readFirst is the command that reads the sources.
func (r *root) readFirst() tea.Cmd {
	batch := r.read()().(tea.BatchMsg)
	return batch[0]
}

// faulty is a dialog with a defect.
type faulty struct{ dialog }

func (faulty) Wary() bool               { return false }
func (faulty) Hint() string             { return "" }
func (faulty) Key(string, bool) tea.Cmd { panic("in update") }
func (faulty) Draw(paint.Area)          { panic("in drawing") }

// Help runs what it lists, and says why the rest is off.
func TestHelpAndCommands(t *testing.T) {
	t.Parallel()
	d := &desk{res: fixture(t, "payments-restore")}
	c := start(t, d.deps(), 120, 36)
	c.press("?").shows("On this screen: queue", "off: nothing is marked").typeText("mark all").press("enter").shows("13 marked")
	c.press(":").typeText("unmark").press("enter").hides("marked ·", "13 marked")
	c.press("f1").typeText("zzz").shows("no command matches").press("esc")
	c.press("?").typeText("chg!").shows("chg!       a decision stands, but the evidence has changed since").press("enter").shows("Help").press("esc")
	c.press("enter", "?").typeText("withdraw").press("enter").shows("withdraw… is off: no live decision").press("esc").press("3").shows("Sources", "Restore gaps").press("1").selected("cart-")
}

// A case to look at again later stands behind the others until its time has come, which the running clock notices by itself.
func TestRecheckWakes(t *testing.T) {
	t.Parallel()
	d := &desk{res: fixture(t, "payments-restore")}
	d.res.manifest.Pinned = false
	first := d.res.cases[0]
	d.decisions = []audit.Decision{{
		Proposal: audit.Proposal{
			Case: first.CaseID, Decision: reconcile.DecideRecheck, Executed: first.Found.Executed, Legs: first.Found.Legs, Digest: first.Digest,
			ValidUntil: reconcile.At(night.Add(3 * time.Minute)),
		},
		ID: "d1", State: reconcile.DecisionDecided, Recorded: reconcile.At(night),
	}}
	c := start(t, d.deps(), 120, 36)
	at := func() int {
		q := c.r.queue
		for place := range q.view.Len() {
			if q.rows.ID(q.view.At(place)) == first.CaseID {
				return place
			}
		}
		return -1
	}
	if last := len(d.res.cases) - 1; at() != last {
		t.Errorf("it stands at %d, want %d while it rests", at(), last)
	}
	if c.wait(2 * time.Minute); at() == 0 {
		t.Error("it came back before its time")
	}
	if c.wait(2 * time.Minute); at() != 0 {
		t.Errorf("it stands at %d when its time has come", at())
	}
	if d.decisions[0].State != reconcile.DecisionDecided || len(c.timers) != 1 {
		t.Errorf("%v, %d timers", d.decisions[0].State, len(c.timers))
	}
}

// An idle console asks for no timer, and one on a running clock for one a minute.
func TestIdle(t *testing.T) {
	t.Parallel()
	d := &desk{res: fixture(t, "payments-restore")}
	c := start(t, d.deps(), 120, 36)
	c.wait(time.Minute)
	if len(c.timers) != 0 {
		t.Errorf("an idle console on a pinned clock waits for %d timers", len(c.timers))
	}
	d.res.manifest.Pinned = false
	c = start(t, d.deps(), 120, 36)
	c.wait(10 * time.Second).shows("20h 10m").wait(time.Minute).shows("20h 9m")
	if len(c.timers) != 1 {
		t.Errorf("a running clock has %d timers", len(c.timers))
	}
}

// A case on which a decision stands is left out of the next plan, and said to be; what was decided is marked no more. Who only meant to look again may decide.
func TestPlansLeaveOutWhatIsDecided(t *testing.T) {
	t.Parallel()
	d := &desk{res: fixture(t, "payments-restore")}
	c := start(t, d.deps(), 120, 36)
	c.press(" ", " ", "d", "tab", "down", " ", "tab").typeText("until it is clear").press("tab").typeText("hold 2").press("tab", "enter").shows("recorded: hold for 2 cases").hides("marked")
	c.press("g", " ", " ", "d").shows("all that is marked is decided").hides("Cancel")
	c.press("u", "m", "d").shows("Decide 11 cases at once", "2 marked cases left out: a decision stands").press("esc", "u")
	if got := len(d.asked); got != 1 {
		t.Errorf("asked %d times", got)
	}
	d.decisions = d.decisions[:1]
	d.decisions[0].Decision = reconcile.DecideRecheck
	c.press("ctrl+r", "G", "enter", "d").shows("Cancel", "This replaces the live decision recheck")
}

// Cancel and the choices answer every key that a hurried person presses.
func TestDialogAnswers(t *testing.T) {
	t.Parallel()
	d := &desk{res: fixture(t, "payments-restore")}
	c := start(t, d.deps(), 80, 24)
	for _, keys := range [][]string{{"enter"}, {"esc"}} {
		c.press("d").wait(time.Second)
		c.press(keys...).shows("cancelled: nothing was recorded")
	}
	c.press("d").wait(time.Second)
	c.press("tab", "down", "enter").shows("chosen: tab goes on, and enter presses buttons only", "(x) hold").press("enter").shows("chosen: tab goes on")
	if len(d.asked) > 0 {
		t.Error("something was asked for")
	}
}

// The reason of a refusal stands whole under the choices, and what may still perform an action stands whole under its legs, where there is as little room as 80x24.
func TestReasonsAreWhole(t *testing.T) {
	t.Parallel()
	d := &desk{res: fixture(t, "provider-timeout")}
	c := start(t, d.deps(), 80, 24)
	c.press("/").typeText("bk-1005").press("enter", "enter", "d").wait(time.Second)
	c.press("tab").shows("as distinct first.")
	c = start(t, d.deps(), 80, 24)
	c.press("/").typeText("bk-2004").press("enter", "enter").shows("pending: provider-open charges:charges.jsonl:8")
}
