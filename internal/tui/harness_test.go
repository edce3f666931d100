package tui

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/vt"

	"example.com/idemctl/fixtures"
	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/report"
	"example.com/idemctl/internal/scan"
)

// console drives the root as bubbletea does, without a program: messages one after the other, a View behind each, commands run to their end where they are
// asked for. Time stands still until it is moved. What is on the screen is what an emulated terminal shows of the frame.
type console struct {
	t      *testing.T
	r      *root
	clock  *clock
	queue  []tea.Cmd
	timers []timer
	quit   bool
	held   bool // commands wait
	sent   int  // messages
}

type timer struct {
	at  time.Time
	msg tea.Msg
}

type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) read() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// night is when the tests play: the clock that the fixtures pin.
var night = time.Date(2026, 11, 29, 6, 0, 0, 0, time.UTC)

func start(t *testing.T, deps Deps, w, h int, change ...func(*Options)) *console {
	t.Helper()
	c := hold(t, deps, w, h, change...)
	c.release()
	return c
}

// hold starts the console with its commands waiting.
func hold(t *testing.T, deps Deps, w, h int, change ...func(*Options)) *console {
	t.Helper()
	c := &console{t: t, clock: &clock{now: night}, held: true}
	opt := Options{Now: c.clock.read, Config: "orders-prod", Actor: "ada (uid 1000)", Theme: "mono"}
	for _, f := range change {
		f(&opt)
	}
	r, err := newRoot(t.Context(), deps, opt)
	if err != nil {
		t.Fatal(err)
	}
	r.after = func(d time.Duration, msg tea.Msg) tea.Cmd {
		at := c.clock.read().Add(d)
		return func() tea.Msg { return timerMsg{timer{at, msg}} }
	}
	c.r = r
	c.give(r.Init())
	c.send(tea.WindowSizeMsg{Width: w, Height: h})
	return c
}

type timerMsg struct{ timer }

func (c *console) release() {
	c.held = false
	c.drain()
}

func (c *console) give(cmd tea.Cmd) {
	if cmd != nil {
		c.queue = append(c.queue, cmd)
	}
}

func (c *console) send(msg tea.Msg) {
	c.sent++
	_, cmd := c.r.Update(msg)
	c.r.View()
	if c.r.fault != nil {
		c.t.Fatalf("panic: %s\n%s", c.r.fault.what, c.r.fault.stack)
	}
	c.give(cmd)
	c.drain()
}

// drain runs commands until none is left, so that every question has its answer.
func (c *console) drain() {
	for !c.held && len(c.queue) > 0 {
		cmd := c.queue[0]
		c.queue = c.queue[1:]
		c.take(cmd())
	}
	if !c.held && c.r.inflight != 0 {
		c.t.Fatalf("%d commands have not come back", c.r.inflight)
	}
}

func (c *console) take(msg tea.Msg) {
	switch m := msg.(type) {
	case nil:
	case tea.BatchMsg:
		for _, cmd := range m {
			c.give(cmd)
		}
	case timerMsg:
		c.timers = append(c.timers, m.timer)
	case tea.QuitMsg:
		c.quit = true
	default:
		if strings.HasPrefix(reflect.TypeOf(msg).PkgPath(), "github.com/charmbracelet/bubbletea") {
			return // such as clearing the screen: the program's own
		}
		c.send(m)
	}
}

// wait moves the clock and lets the timers run that are due, in their order.
func (c *console) wait(d time.Duration) *console {
	c.t.Helper()
	end := c.clock.read().Add(d)
	for {
		slices.SortStableFunc(c.timers, func(a, b timer) int { return a.at.Compare(b.at) })
		if len(c.timers) == 0 || c.timers[0].at.After(end) {
			break
		}
		next := c.timers[0]
		c.timers = c.timers[1:]
		c.clock.move(next.at.Sub(c.clock.read()))
		c.send(next.msg)
	}
	c.clock.move(end.Sub(c.clock.read()))
	return c
}

// press sends keys by their names, each in a read of its own and a second apart, so that none is taken for a repetition.
func (c *console) press(keys ...string) *console {
	c.t.Helper()
	for _, k := range keys {
		c.wait(time.Second)
		c.send(message(k))
		if k == "esc" {
			c.wait(60 * time.Millisecond)
		}
	}
	return c
}

// burst sends what the terminal had in one read.
func (c *console) burst(s string) *console {
	c.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(s)})
	return c
}

// type sends text a letter at a time.
func (c *console) typeText(s string) *console {
	for _, r := range s {
		c.wait(50 * time.Millisecond)
		if r == ' ' {
			c.send(tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}})
			continue
		}
		c.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}})
	}
	return c.wait(time.Second)
}

func message(k string) tea.KeyMsg {
	types := map[string]tea.KeyType{
		"enter": tea.KeyEnter, "esc": tea.KeyEsc, "tab": tea.KeyTab, "shift+tab": tea.KeyShiftTab, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft,
		"right": tea.KeyRight, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "home": tea.KeyHome, "end": tea.KeyEnd, "backspace": tea.KeyBackspace,
		"ctrl+c": tea.KeyCtrlC, "ctrl+d": tea.KeyCtrlD, "ctrl+u": tea.KeyCtrlU, "ctrl+r": tea.KeyCtrlR, "ctrl+x": tea.KeyCtrlX, "ctrl+l": tea.KeyCtrlL, "ctrl+z": tea.KeyCtrlZ, "f1": tea.KeyF1, "f3": tea.KeyF3,
	}
	if kind, ok := types[k]; ok {
		return tea.KeyMsg{Type: kind}
	}
	if k == " " || k == "space" {
		return tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(k)}
}

func (c *console) resize(w, h int) *console {
	c.send(tea.WindowSizeMsg{Width: w, Height: h})
	return c
}

// screen is what a terminal shows of the frame.
func (c *console) screen() string {
	c.t.Helper()
	e := vt.NewEmulator(c.r.w, c.r.h)
	defer func() { _ = e.Close() }()
	if _, err := e.WriteString(strings.ReplaceAll(c.r.View(), "\n", "\r\n")); err != nil {
		c.t.Fatal(err)
	}
	lines := strings.Split(e.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// shows fails unless every text is on the screen.
func (c *console) shows(texts ...string) *console {
	c.t.Helper()
	screen := c.screen()
	for _, s := range texts {
		if !strings.Contains(screen, s) {
			c.t.Errorf("the screen does not show %q:\n%s", s, screen)
		}
	}
	return c
}

func (c *console) hides(texts ...string) *console {
	c.t.Helper()
	screen := c.screen()
	for _, s := range texts {
		if strings.Contains(screen, s) {
			c.t.Errorf("the screen shows %q:\n%s", s, screen)
		}
	}
	return c
}

// selected fails unless the cursor's line holds the text.
func (c *console) selected(want string) *console {
	c.t.Helper()
	for _, l := range strings.Split(c.screen(), "\n") {
		if strings.HasPrefix(l, "▌") || strings.HasPrefix(l, ">") {
			if !strings.Contains(l, want) {
				c.t.Errorf("the cursor is on %q, not on %q", l, want)
			}
			return c
		}
	}
	c.t.Errorf("no cursor on the screen:\n%s", c.screen())
	return c
}

// memory is a result held in memory.
type memory struct {
	manifest scan.Manifest
	cases    []*scan.Case
	closed   *int
}

func (m *memory) Manifest() *scan.Manifest { return &m.manifest }

func (m *memory) Rows(context.Context) iter.Seq2[*scan.Row, error] {
	return func(yield func(*scan.Row, error) bool) {
		for _, c := range m.cases {
			if row := scan.RowOf(c); !yield(&row, nil) {
				return
			}
		}
	}
}

func (m *memory) Case(_ context.Context, prefix string) (*scan.Case, error) {
	for _, c := range m.cases {
		if strings.HasPrefix(c.CaseID, prefix) {
			return c, nil
		}
	}
	return nil, fmt.Errorf("no case begins with %s", prefix)
}

func (m *memory) Close() error {
	if m.closed != nil {
		*m.closed++
	}
	return nil
}

// fixture is an embedded fixture, scanned.
func fixture(t *testing.T, name string) *memory {
	t.Helper()
	cfg, err := config.Load("@"+name, config.Options{Fixtures: fixtures.FS, Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	return scanOf(t, cfg)
}

// scanOf is what a scan finds, held in memory.
func scanOf(t *testing.T, cfg *config.Config) *memory {
	t.Helper()
	res, err := scan.Run(t.Context(), cfg, scan.Options{Clock: func() time.Time { return night }, TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	m := &memory{manifest: *res.Manifest()}
	for c, err := range res.Cases(t.Context(), scan.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		m.cases = append(m.cases, c)
	}
	if err := res.Close(); err != nil {
		t.Fatal(err)
	}
	return m
}

// desk is a trail in memory: it keeps what is decided, and refuses what the case's own options refuse.
type desk struct {
	res       *memory
	decisions []audit.Decision
	entries   []audit.Entry
	evidence  []byte
	asked     []audit.Request
	fail      error
	trouble   error
	report    audit.Report
}

func (d *desk) deps() Deps {
	return Deps{
		Load:   func(context.Context, *scan.Progress) (Result, error) { return d.res, nil },
		Decide: d.decide, Withdraw: d.withdraw, Outcome: d.outcome, Log: d.log,
		Standing: func(context.Context) (Standing, error) {
			out := Standing{Decisions: make(map[string][]audit.Decision), Trouble: d.trouble}
			for _, one := range d.decisions {
				out.Decisions[one.Case] = append(out.Decisions[one.Case], one)
			}
			return out, nil
		},
		Evidence: d.shown,
		Verify: func(_ context.Context, progress func(done, of int64)) (audit.Report, error) {
			progress(int64(len(d.entries)), int64(len(d.entries)))
			d.report.Records = int64(len(d.entries))
			return d.report, nil
		},
	}
}

// shown is what was on the screen when an entry was made, unmasked as the trail keeps it.
func (d *desk) shown(ctx context.Context, seq int64) ([]byte, error) {
	if d.evidence != nil {
		return d.evidence, nil
	}
	c, err := d.res.Case(ctx, d.entries[seq].Case)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = report.ShowJSON(&b, c, report.Options{Reveal: true})
	return b.Bytes(), err
}

func (d *desk) log(_ context.Context, from int64, limit int) ([]audit.Entry, error) {
	var out []audit.Entry
	for i := len(d.entries) - 1; i >= 0 && len(out) < limit; i-- {
		if from < 0 || d.entries[i].Seq <= from {
			out = append(out, d.entries[i])
		}
	}
	return out, d.fail
}

func (d *desk) decide(ctx context.Context, r audit.Request) ([]audit.Answer, error) {
	d.asked = append(d.asked, r)
	if d.fail != nil {
		return nil, d.fail
	}
	if err := r.Check(reconcile.At(night)); err != nil {
		return nil, err
	}
	var out []audit.Answer
	for _, id := range r.Cases {
		c, err := d.res.Case(ctx, id)
		if err != nil {
			return nil, err
		}
		o := optionOf(c, r.Decision, r.As)
		if !o.Allowed {
			out = append(out, audit.Answer{Case: id, Code: o.Code, Reason: o.Reason})
			d.entries = append(d.entries, audit.Entry{Seq: int64(len(d.entries)), Type: audit.EventRefused, At: reconcile.At(night), Case: id, Action: r.Decision.String(), Code: o.Code, Answer: o.Reason})
			continue
		}
		one := audit.Decision{
			Proposal: audit.Proposal{Case: id, Decision: r.Decision, As: r.As, Reason: r.Reason, Ref: r.Ref, To: r.To, At: r.At, Executed: c.Found.Executed, Legs: c.Found.Legs, Digest: c.Digest},
			ID:       fmt.Sprintf("d%07d", len(d.decisions)+1), Seq: int64(len(d.entries)), Operator: "ada", Recorded: reconcile.At(night), State: reconcile.DecisionDecided,
		}
		d.decisions = append(d.decisions, one)
		d.note(audit.EventDecided, &one)
		out = append(out, audit.Answer{Case: id, Decision: &one})
	}
	return out, nil
}

func (d *desk) note(kind audit.EventType, one *audit.Decision) {
	d.entries = append(d.entries, audit.Entry{
		Seq: int64(len(d.entries)), Type: kind, Action: one.Decision.String(), As: one.As.String(), At: reconcile.At(night), Operator: "ada", Case: one.Case, Decision: one.ID,
		Reason: one.Reason, Outcome: one.Outcome.String(), Body: []byte(`{"case":"` + one.Case + `"}`), HasEvidence: kind == audit.EventDecided,
	})
}

func (d *desk) find(id string) *audit.Decision {
	for i := range d.decisions {
		if d.decisions[i].ID == id {
			return &d.decisions[i]
		}
	}
	return nil
}

func (d *desk) withdraw(_ context.Context, id, reason string) (audit.Decision, error) {
	one := d.find(id)
	one.State = reconcile.DecisionWithdrawn
	said := *one
	said.Reason = reason
	d.note(audit.EventWithdrawn, &said)
	return *one, d.fail
}

func (d *desk) outcome(_ context.Context, id string, o reconcile.DecisionOutcome, ref, reason string) (audit.Decision, error) {
	one := d.find(id)
	one.Outcome, one.OutcomeRef = o, ref
	one.State = map[reconcile.DecisionOutcome]reconcile.DecisionState{
		reconcile.ReportedDone: reconcile.DecisionDone, reconcile.ReportedFailed: reconcile.DecisionFailed, reconcile.ReportedUnknown: reconcile.DecisionUnknown,
	}[o]
	said := *one
	said.Reason = reason
	d.note(audit.EventOutcome, &said)
	return *one, d.fail
}
