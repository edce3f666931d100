package tui

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/report"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/text"
	"example.com/idemctl/internal/tui/paint"
)

// copyLimit is how many bytes are copied at most: terminals drop what is longer, without a word.
const copyLimit = 48 << 10

// copyable is something of a screen that can be copied. It is as safe as what is shown: a clipboard ends in a shell.
type copyable struct {
	key  string // presses it
	name string
	text string
	note string // why text is not quite what stands in the data, "" when it is
}

// copier is a screen of which something can be copied.
type copier interface{ copies() []copyable }

// copied is what became of a copy that another program was asked for.
type copied struct {
	what copyable
	how  string
	err  error
}

// exact is a copyable of data: safe, and with a note where that changes it.
func exact(key, name, s string) copyable {
	c := copyable{key: key, name: name, text: text.SafeString(s)}
	if c.text != s {
		c.note = `what a terminal would obey is written as \u{…}`
	}
	return c
}

// caseCopies are what can be copied of a case: c may be nil while it has not been read.
func (a *app) caseCopies(id string, comps []reconcile.Component, row string, c *scan.Case) []copyable {
	var out []copyable
	for _, comp := range comps {
		if comp.Name == "key" && comp.Value.Known() {
			out = append(out, exact("k", "the key", string(comp.Value.Bytes())))
		}
	}
	out = append(out, exact("i", "the case's id", id), exact("r", "the row", row))
	if c != nil && a.manifest != nil {
		var b bytes.Buffer
		if err := report.Show(&b, a.manifest, c, report.Options{}); err == nil {
			out = append(out, copyable{key: "e", name: "the case with its evidence, payloads masked", text: b.String()})
		}
	}
	return append(out, exact("l", "the command that shows it", "idemctl show "+id+" "+quoted(a.opt.Config)))
}

// quoted is an argument of a shell.
func quoted(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("@%+=:,./_-", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func (q *queue) copies() []copyable {
	id := q.cursorID()
	if id == "" {
		return nil
	}
	r := q.rows.Row(q.cursorRow())
	cell, _ := exposed(r.Exposure, q.now())
	decision, _ := decidedCell(&r.Decided, true)
	row := strings.Join([]string{id, r.Severity.String(), cell, r.Headline.String(), identity(r.Identity, far, q.glyphs.Separator), report.Money(r.Amount), decision}, "  ")
	return q.caseCopies(id, r.Identity, row, q.cases[id])
}

func (v *caseView) copies() []copyable {
	if v.c == nil {
		return nil
	}
	row := strings.Join([]string{v.id, v.c.Severity.String(), v.c.Headline().String(), identity(v.c.Identity, far, v.glyphs.Separator), report.Money(v.c.Amount)}, "  ")
	return v.caseCopies(v.id, v.c.Identity, row, v.c)
}

func (u *trail) copies() []copyable {
	if u.place >= len(u.entries) {
		return nil
	}
	return entryCopies(&u.entries[u.place])
}

func (v *entryView) copies() []copyable { return entryCopies(&v.e) }

func entryCopies(e *audit.Entry) []copyable {
	var out []copyable
	if e.Decision != "" {
		out = append(out, exact("i", "the decision's id", e.Decision))
	}
	if e.Case != "" {
		out = append(out, exact("c", "the case's id", e.Case))
	}
	if e.Reason != "" {
		out = append(out, exact("w", "the reason", e.Reason))
	}
	if len(e.Body) > 0 {
		lines := strings.Split(strings.TrimSuffix(string(e.Body), "\n"), "\n")
		for i := range lines {
			lines[i] = text.SafeString(lines[i])
		}
		out = append(out, copyable{key: "r", name: "the record as it is stored", text: strings.Join(lines, "\n") + "\n"})
	}
	return out
}

// copyMenu is the dialog that asks what to copy.
type copyMenu struct {
	*app
	items []copyable
	at    int
}

// startCopy asks what to copy of the screen on top.
func (r *root) startCopy() {
	var items []copyable
	if c, ok := r.top().(copier); ok {
		items = c.copies()
	}
	if len(items) == 0 {
		r.say(paint.Faint, "nothing here can be copied")
		return
	}
	r.ask(&copyMenu{app: r.app, items: items})
}

func (m *copyMenu) Wary() bool           { return false }
func (m *copyMenu) Hint() string         { return "a letter or enter copies · ↑↓ choose · esc closes" }
func (m *copyMenu) Recv(any) tea.Cmd     { return nil }
func (m *copyMenu) Paste(string) tea.Cmd { return nil }

// Key takes a key.
func (m *copyMenu) Key(k string, _ bool) tea.Cmd {
	switch k {
	case "esc", "q":
		m.close()
	case "up", "shift+tab":
		m.at = max(0, m.at-1)
	case "down", "tab":
		m.at = min(len(m.items)-1, m.at+1)
	case "enter":
		return m.take(m.items[m.at])
	default:
		for _, c := range m.items {
			if c.key == k {
				return m.take(c)
			}
		}
	}
	return nil
}

func (m *copyMenu) take(c copyable) tea.Cmd {
	m.close()
	return m.copy(c)
}

// Draw paints the list.
func (m *copyMenu) Draw(a paint.Area) {
	in := m.box(a, 92, len(m.items), "Copy", "esc closes")
	for y := range min(in.H(), len(m.items)) {
		row, c := in.Sub(0, y, in.W(), 1), m.items[y]
		if y == m.at {
			row.Put(0, 0, paint.Strong, m.glyphs.Cursor)
		}
		x := row.Puts(2, 0, paint.Piece{Style: paint.Hint, Text: c.key}, paint.Piece{Text: "  " + c.name + "  "})
		if !strings.Contains(c.text, "\n") {
			row.Put(x, 0, paint.Faint, c.text)
		}
		if y == m.at {
			row.Select(0)
		}
	}
}

// copy hands a text to the clipboard: to the program that was named for it, else to the terminal itself.
func (a *app) copy(c copyable) tea.Cmd {
	if len(c.text) > copyLimit {
		a.say(paint.Warn, fmt.Sprintf("%s is too long to copy (%s); the command that shows it can be copied instead", c.name, counted(int64(len(c.text)), "byte")))
		return nil
	}
	if a.opt.Copy == nil {
		a.toClipboard(c, "")
		return nil
	}
	return a.do(func(ctx context.Context) any {
		how, err := a.opt.Copy(ctx, c.text)
		return copied{c, how, err}
	})
}

// recvCopied tells what became of a copy. Where the other program could not take it the terminal is asked.
func (a *app) recvCopied(m copied) {
	if m.err != nil {
		a.toClipboard(m.what, " ("+text.Once(m.err.Error())+")")
		return
	}
	a.sayCopied(m.what, m.how)
}

// toClipboard asks the terminal, which does not answer whether it did.
func (a *app) toClipboard(c copyable, because string) {
	a.clip = "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(c.text)) + "\a"
	a.sayCopied(c, "the terminal's clipboard, if it lets programs write there (OSC 52)"+because)
}

func (a *app) sayCopied(c copyable, how string) {
	what := "copied " + c.name + " to " + how
	if c.note != "" {
		what += "; " + c.note
	}
	a.say(paint.Good, what)
}
