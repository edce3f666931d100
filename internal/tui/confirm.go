package tui

import (
	"errors"
	"fmt"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/report"
	"example.com/idemctl/internal/text"
	"example.com/idemctl/internal/tui/paint"
)

// confirm is the dialog in which a person says what a restore took: the window as it was proposed, or corrected.
type confirm struct {
	form
	gap    reconcile.Gap
	from   *blank
	to     *blank
	reason *blank
}

func newConfirm(a *app, g *reconcile.Gap) *confirm {
	f := &confirm{gap: *g}
	f.form = form{app: a, title: "Confirm a restore", chosen: -1, head: f.subject, missing: f.wants, written: f.consequence, submit: f.send, label: func() string { return "Record the window" }}
	f.from = &blank{label: "Lost from", hint: "the instant of the backup, such as 2026-11-29T02:10:00Z; empty: not known", field: newField(40), high: 1}
	f.to = &blank{label: "Resumed", hint: "when writing began again; empty: not known", field: newField(40), high: 1}
	f.reason = &blank{label: "Reason", hint: "how you know; it is kept for ever, under your name", field: newField(reasonLimit), least: audit.LeastConfirmation, because: "conclusions rest on it", high: 2}
	f.blanks = []*blank{f.from, f.to, f.reason}
	for b, at := range map[*blank]reconcile.Instant{f.from: g.From, f.to: g.To} {
		if at.Known() {
			b.field.set(at.Time().UTC().Format(time.RFC3339Nano))
		}
	}
	return f
}

func (f *confirm) subject(s *sheet) {
	g := &f.gap
	s.line(paint.Piece{Style: paint.Strong, Text: text.SafeString(g.Store)}, paint.Piece{Text: "  " + g.Kind.String() + partition(g.Only) + "  " + span(g.From, g.To)})
	s.add(paint.Text, fmt.Sprintf("%s missing, %s present%s. Correct the edges where you know them better: the backup's own time, and when traffic was let in again.", count(g.Missing), count(g.Present), report.WhosePresent(g)))
}

// edge reads a box, an empty one as not known.
func (f *confirm) edge(b *blank) (reconcile.Instant, error) {
	s := strings.TrimSpace(b.field.value())
	if s == "" {
		return reconcile.Instant{}, nil
	}
	at, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return reconcile.Instant{}, fmt.Errorf("%s: %q is no time such as 2026-11-29T02:10:00Z", strings.ToLower(b.label), s)
	}
	return reconcile.At(at), nil
}

func (f *confirm) wants() string {
	_, err := f.event()
	if err != nil {
		return err.Error()
	}
	return ""
}

// event is the window as it stands in the boxes.
func (f *confirm) event() (reconcile.Event, error) {
	ev := f.gap.Event()
	var err error
	if ev.From, err = f.edge(f.from); err != nil {
		return ev, err
	}
	if ev.To, err = f.edge(f.to); err != nil {
		return ev, err
	}
	if ev.From.Known() && ev.To.Known() && ev.From.After(ev.To) {
		return ev, errors.New("the window ends before it begins")
	}
	return ev, nil
}

func (f *confirm) consequence() string {
	return "Will be written: 1 record in the audit trail, for ever; a later one corrects it. The sources are read anew, and cases in the window are named by it. Decisions stay as they are."
}

func (f *confirm) send() tea.Cmd {
	ev, err := f.event()
	if err != nil {
		f.failed = err.Error()
		return nil
	}
	f.sending, f.busy = "recording", "a window is being recorded"
	m := f.manifest
	return f.confirmRestore(audit.Restore{
		Event: ev, Reason: strings.TrimSpace(f.reason.field.value()), Missing: f.gap.Missing, Present: f.gap.Present, Config: m.Name, ConfigDigest: m.ConfigDigest, ScanNow: m.Now, Pinned: m.Pinned,
	})
}

// Recv takes what became of it. What was concluded before rests on other windows: the sources are read anew.
func (f *confirm) Recv(msg any) tea.Cmd {
	return f.recorded(msg, "recorded: what the restore of "+text.SafeString(f.gap.Store)+" took; the sources are read again")
}

// recorded takes what became of a record about a window, and reads anew.
func (f *form) recorded(msg any, done string) tea.Cmd {
	m, ok := msg.(confirmed)
	if !ok {
		return nil
	}
	f.sending, f.busy = "", ""
	switch {
	case errors.Is(m.err, audit.ErrInDoubt):
		f.failed = inDoubt(m.err)
		return nil
	case m.err != nil && !errors.Is(m.err, audit.ErrUnpinned):
		f.failed = "Not recorded: " + told(m.err)
		return nil
	}
	f.close()
	if m.err != nil {
		f.say(paint.Bad, "recorded, but: "+told(m.err))
	} else {
		f.say(paint.Good, done)
	}
	return f.read()
}
