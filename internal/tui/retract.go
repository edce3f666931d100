package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/text"
	"example.com/idemctl/internal/tui/paint"
)

// retract is the dialog in which a person takes back what was confirmed of a restore.
type retract struct {
	form
	of     audit.Restore
	reason *blank
}

func newRetract(a *app, r *audit.Restore) *retract {
	f := &retract{of: *r}
	f.form = form{app: a, title: "Withdraw a confirmed restore", chosen: -1, head: f.subject, missing: func() string { return "" }, written: f.consequence, submit: f.send, label: func() string { return "Withdraw the window" }}
	f.reason = &blank{label: "Reason", hint: "why; it is kept for ever, under your name", field: newField(reasonLimit), least: audit.LeastWithdrawal, high: 2}
	f.blanks = []*blank{f.reason}
	return f
}

func (f *retract) subject(s *sheet) {
	r := &f.of
	s.line(paint.Piece{Style: paint.Strong, Text: text.SafeString(r.Event.Store)}, paint.Piece{Text: "  " + r.Event.Kind.String() + partition(r.Event.Only) + "  " + span(r.Event.From, r.Event.To.Or(r.Event.ResumedAt))})
	s.line(paint.Piece{Style: paint.Faint, Text: "confirmed at " + stamp(r.Recorded) + " by " + text.SafeString(r.Operator) + "  record " + text.SafeString(r.ID)})
	s.add(paint.Text, text.SafeString(r.Reason))
}

func (f *retract) consequence() string {
	return "Will be written: 1 record in the audit trail, for ever; the confirmation stays readable in it. The sources are read anew, and nothing is concluded from this window any more. Decisions stay as they are."
}

func (f *retract) send() tea.Cmd {
	f.sending, f.busy = "recording", "a window is being withdrawn"
	return f.retractRestore(f.of.ID, strings.TrimSpace(f.reason.field.value()))
}

// Recv takes what became of it, as of a confirmation.
func (f *retract) Recv(msg any) tea.Cmd {
	return f.recorded(msg, "withdrawn: what was confirmed of the restore of "+text.SafeString(f.of.Event.Store)+"; the sources are read again")
}
