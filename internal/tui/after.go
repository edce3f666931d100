package tui

import (
	"errors"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/text"
	"example.com/idemctl/internal/tui/paint"
)

// after is the dialog about a decision that stands: it is withdrawn, or its outcome is recorded.
type after struct {
	form
	decision *audit.Decision
	reason   *blank
	ref      *blank
	outcome  bool
}

func newAfter(a *app, d *audit.Decision) *after {
	f := &after{decision: d}
	f.form = form{app: a, chosen: -1, head: f.subject, missing: func() string { return "" }, submit: f.send, label: f.button, written: f.consequence}
	f.reason = &blank{label: "Reason", hint: "why; it is kept for ever, under your name", field: newField(reasonLimit), least: audit.LeastWithdrawal, high: 2}
	f.ref = &blank{label: "Reference", hint: "what proves it: a request id, a log line", field: newField(200), least: 1, high: 1, shown: func() bool { return f.outcome }}
	f.blanks = []*blank{f.reason, f.ref}
	return f
}

// newWithdraw takes a live decision back.
func newWithdraw(a *app, d *audit.Decision) *after {
	f := newAfter(a, d)
	f.title = "Withdraw"
	return f
}

// newOutcome records what came of a decision.
func newOutcome(a *app, d *audit.Decision) *after {
	f := newAfter(a, d)
	f.title, f.outcome = "Outcome", true
	f.reason.least, f.reason.hint = 0, "may be left empty: where there is more to say"
	f.picks = []pick{
		{word: "done", what: "It was carried out."},
		{word: "failed", what: "It was tried, and certainly not carried out."},
		{word: "unknown", what: "It was tried, and nobody knows what came of it. Of a replay nothing more is sent until that is known."},
	}
	return f
}

func (f *after) subject(s *sheet) {
	d := f.decision
	s.line(paint.Piece{Style: paint.Strong, Text: decisionWords(d.Decision, d.As)}, paint.Piece{Text: "  of " + stamp(d.Recorded) + "  by " + text.SafeString(d.Operator)})
	s.line(paint.Piece{Style: paint.Faint, Text: "case " + text.SafeString(d.Case) + "  decision " + text.SafeString(d.ID)})
	s.add(paint.Text, text.SafeString(d.Reason))
	if d.Decision == reconcile.DecideReplay && d.HandedOut.Known() && !f.outcome {
		s.add(paint.Warn, "It was handed out at "+stamp(d.HandedOut)+": it may have been sent already, and it stays pending until its outcome is recorded.")
	}
}

func (f *after) button() string {
	if !f.outcome {
		return "Withdraw 1 decision"
	}
	if f.chosen < 0 {
		return "Record the outcome"
	}
	return "Record outcome " + f.picks[f.chosen].word
}

func (f *after) consequence() string {
	if f.outcome {
		return "Will be written: 1 record in the audit trail, for ever. No request leaves this machine."
	}
	return "Will be written: 1 record in the audit trail, for ever; the decision stays readable in it. No request leaves this machine."
}

func (f *after) send() tea.Cmd {
	f.sending, f.busy = "recording", "a decision is being recorded"
	reason := strings.TrimSpace(f.reason.field.value())
	if !f.outcome {
		return f.withdraw(f.decision.ID, reason)
	}
	o, err := reconcile.ParseDecisionOutcome(f.picks[f.chosen].word)
	if err != nil {
		f.sending, f.busy, f.failed = "", "", err.Error()
		return nil
	}
	return f.report(f.decision.ID, o, strings.TrimSpace(f.ref.field.value()), reason)
}

// Recv takes what became of it.
func (f *after) Recv(msg any) tea.Cmd {
	m, ok := msg.(changed)
	if !ok {
		return nil
	}
	f.sending, f.busy = "", ""
	switch {
	case errors.Is(m.err, audit.ErrInDoubt):
		f.failed = inDoubt(m.err)
	case errors.Is(m.err, audit.ErrUnpinned):
		f.close()
		f.say(paint.Bad, "recorded: the decision is now "+m.decision.State.String()+", but: "+told(m.err))
	case m.err != nil:
		f.failed = "Not recorded: " + told(m.err)
	default:
		f.close()
		f.say(paint.Good, "recorded: the decision is now "+m.decision.State.String())
	}
	return nil
}
