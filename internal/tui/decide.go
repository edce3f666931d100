package tui

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/report"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/text"
	"example.com/idemctl/internal/tui/paint"
)

// reasonLimit is how many characters a reason may have here.
const reasonLimit = 1000

// decide is the dialog in which a decision is taken. It freezes what it is about: case ids, and the digests of the evidence that was on the screen.
type decide struct {
	form
	cases   []*scan.Case
	options []reconcile.Option // one for each pick; Allowed when some case allows it
	fit     []int              // how many cases allow each pick
	reason  *blank
	ref     *blank
	to      *blank
	when    *blank
	phrase  *blank
	// settledBeside counts marked cases that are left out, since a decision stands on them.
	settledBeside int
}

func newDecide(a *app, cases []*scan.Case) *decide {
	d := &decide{cases: cases}
	d.form = form{app: a, title: "Decide", chosen: -1, head: d.subject, label: d.button, missing: d.wants, written: d.consequence, submit: d.send}
	if len(cases) > 1 {
		d.title = fmt.Sprintf("Decide %d cases at once", len(cases))
	}
	d.collect()
	d.reason = &blank{label: "Reason", hint: a.kept("why; it is kept for ever, under your name", "why; it is thrown away when the training ends"), field: newField(reasonLimit), high: 2}
	d.ref = &blank{label: "Reference", hint: anyRef, field: newField(200), least: 1, high: 1, shown: d.asksRef}
	d.to = &blank{label: "To", hint: "who takes it over", field: newField(100), least: 1, high: 1, shown: d.is(reconcile.DecideEscalate)}
	d.when = &blank{label: "When", hint: whenHint, field: newField(40), least: 1, high: 1, shown: d.asksWhen}
	d.phrase = &blank{label: "Type", field: newField(60), least: 1, high: 1, sealed: true, shown: func() bool { return len(cases) > 1 && d.chosen >= 0 }}
	d.blanks = []*blank{d.reason, d.ref, d.to, d.when, d.phrase} // the reason stays where it is, whatever is chosen
	d.reason.field.set(a.drafts[d.key()])
	return d
}

// key names the plan, for the draft of its reason.
func (d *decide) key() string {
	ids := make([]string, 0, len(d.cases))
	for _, c := range d.cases {
		ids = append(ids, c.CaseID)
	}
	return strings.Join(ids, " ")
}

// advice says that the cases are to be handed over, where that holds of all of them.
func (d *decide) advice() string {
	said := report.HandOver(d.cases[0])
	for _, c := range d.cases[1:] {
		if report.HandOver(c) == "" {
			return ""
		}
	}
	return said
}

// merged are the first case's answers, each allowed where some case allows it.
func (d *decide) merged() []reconcile.Option {
	out := slices.Clone(d.cases[0].Options)
	for i := range out {
		for _, c := range d.cases {
			if at := optionOf(c, out[i].Decision, out[i].As); at != nil && at.Allowed && !out[i].Allowed {
				out[i] = *at
			}
		}
	}
	return out
}

// collect joins the guard's answers for all cases: what no case allows is refused, with the reason of the first.
func (d *decide) collect() {
	for _, first := range report.InOrder(d.merged(), d.advice() != "") {
		o, n := first, 0
		for _, c := range d.cases {
			if at := optionOf(c, o.Decision, o.As); at != nil && at.Allowed {
				if n == 0 {
					o = *at
				}
				n++
			}
		}
		p := pick{word: decisionWords(o.Decision, o.As), what: text.Once(o.Reason)}
		switch {
		case n == 0:
			p.off = report.ReasonOf(d.cases[0], o)
		case len(d.cases) > 1:
			p.what = fmt.Sprintf("%d of %d allow it. %s", n, len(d.cases), p.what)
		}
		d.picks, d.options, d.fit = append(d.picks, p), append(d.options, o), append(d.fit, n)
	}
}

func optionOf(c *scan.Case, dec reconcile.Decision, as reconcile.Resolution) *reconcile.Option {
	at := slices.IndexFunc(c.Options, func(o reconcile.Option) bool { return o.Decision == dec && o.As == as })
	if at < 0 {
		return nil
	}
	return &c.Options[at]
}

// choice is the option that was chosen.
func (d *decide) choice() (reconcile.Option, bool) {
	if d.chosen < 0 {
		return reconcile.Option{}, false
	}
	return d.options[d.chosen], true
}

func (d *decide) is(want reconcile.Decision) func() bool {
	return func() bool {
		o, ok := d.choice()
		return ok && o.Decision == want
	}
}

func (d *decide) asksRef() bool {
	o, ok := d.choice()
	return ok && slices.Contains([]reconcile.Resolution{
		reconcile.Distinct, reconcile.DuplicateOf, reconcile.Compensated, reconcile.Repoint, reconcile.ConfirmExecuted, reconcile.ConfirmNotExecuted,
	}, o.As)
}

func (d *decide) asksWhen() bool {
	o, ok := d.choice()
	return ok && (o.Decision == reconcile.DecideRecheck || o.As == reconcile.ConfirmExecuted || o.As == reconcile.ConfirmNotExecuted)
}

const whenHint = "2026-11-29T06:00:00Z, or 45m and 6h from now"

// due says when a recheck looks again that names no time, "" where a time must be named.
func (d *decide) due() string {
	if !d.is(reconcile.DecideRecheck)() || slices.ContainsFunc(d.able(), func(c *scan.Case) bool { return !c.Due.At.Known() }) {
		return ""
	}
	if len(d.cases) > 1 {
		return "left empty: when each of them becomes due"
	}
	return "left empty: when it becomes due, " + stamp(d.cases[0].Due.At)
}

// able are the cases that allow the choice: those that will be recorded.
func (d *decide) able() []*scan.Case {
	o, ok := d.choice()
	if !ok {
		return nil
	}
	var out []*scan.Case
	for _, c := range d.cases {
		if at := optionOf(c, o.Decision, o.As); at != nil && at.Allowed {
			out = append(out, c)
		}
	}
	return out
}

// wanted is the phrase to be typed for several cases.
func (d *decide) wanted() string {
	o, _ := d.choice()
	return fmt.Sprintf("%s %d", decisionWord(o.Decision, o.As), len(d.able()))
}

func (d *decide) wants() string {
	o, _ := d.choice()
	d.reason.least = audit.LeastReason(o.Decision, len(d.able()))
	d.reason.because = fullReason(o.Decision, len(d.able()))
	d.ref.hint = d.refHint(o.As)
	d.when.least, d.when.hint = 1, whenHint
	if o.Decision == reconcile.DecideResolve {
		d.when.hint = "when somebody looked: " + stamp(d.now())
	}
	if due := d.due(); due != "" {
		d.when.least, d.when.hint = 0, due
	}
	if d.asksWhen() {
		if _, err := parseWhen(d.when.field.value(), d.real()); err != nil && d.when.field.value() != "" {
			return err.Error()
		}
	}
	if len(d.cases) > 1 && d.phrase.field.value() != d.wanted() {
		d.phrase.hint = "type  " + d.wanted() + "  here"
		return "type  " + d.wanted() + "  to arm the button"
	}
	return ""
}

const anyRef = "the other case's id, the refund, the proof"

// refHint names the action that is most likely meant, where the decision is about another one: nobody knows its id by heart.
func (d *decide) refHint(as reconcile.Resolution) string {
	if as != reconcile.Distinct && as != reconcile.DuplicateOf || len(d.cases) > 1 {
		return anyRef
	}
	c := d.cases[0]
	for _, list := range [][]reconcile.Candidate{c.Twins, c.Others, c.Candidates} {
		if len(list) > 0 {
			return "such as " + text.SafeString(list[0].Case) + ", " + report.NeighbourName(list[0], false)
		}
	}
	return "the other case's id"
}

// fullReason says why a decision asks for more than a word or two, "" where it does not.
func fullReason(dec reconcile.Decision, cases int) string {
	switch {
	case cases > 1:
		return "it stands for several cases"
	case dec == reconcile.DecideReplay:
		return "it lets something be sent"
	case dec == reconcile.DecideResolve:
		return "it says what happened"
	}
	return ""
}

func (d *decide) button() string {
	o, ok := d.choice()
	if !ok {
		return "Record"
	}
	return fmt.Sprintf("Record %s for %s", decisionWord(o.Decision, o.As), counted(int64(len(d.able())), "case"))
}

// subject says what the plan is about.
func (d *decide) subject(s *sheet) {
	if n := int64(d.settledBeside); n > 0 {
		s.add(paint.Warn, counted(n, "marked case")+" left out: a decision stands, on the evidence as it is")
	}
	if len(d.cases) > 1 {
		d.plan(s)
		return
	}
	c := d.cases[0]
	s.line(paint.Piece{Style: paint.Strong, Text: identity(c.Identity, max(20, s.w-28), d.glyphs.Separator)}, paint.Piece{Text: "  "}, paint.Piece{Style: paint.Money, Text: report.Money(c.Amount)})
	s.line(paint.Piece{Text: c.Headline().String() + "  "}, paint.Piece{Style: paint.Faint, Text: "case " + text.SafeString(c.CaseID) + "  evidence " + text.Truncate(text.SafeString(c.Digest), 19)})
	if advice := d.advice(); advice != "" {
		s.add(paint.Warn, advice)
	}
	if !d.wasOpened(c) {
		s.add(paint.Warn, "It was not opened: a list shows no evidence."+d.kept("", halves))
	}
	if d.touched[c.CaseID] {
		s.add(paint.Warn, "Something was recorded of this case after it was read: the answers below are older. The guard is asked anew before anything is recorded.")
	}
	if live := d.live(c.CaseID); live != nil {
		s.line(paint.Piece{Style: paint.Warn, Text: "This replaces the live decision " + decisionWords(live.Decision, live.As) + " of " + stamp(live.Recorded)})
	}
}

// plan lists the frozen cases: all of them where they fit, else the first and the last, and what they are about in sum.
func (d *decide) plan(s *sheet) {
	able := d.able()
	s.line(paint.Piece{Style: paint.Strong, Text: counted(int64(len(d.cases)), "case")}, paint.Piece{Text: " frozen with the evidence that was listed; " + d.money(d.cases)})
	if _, ok := d.choice(); ok && len(able) < len(d.cases) {
		s.line(paint.Piece{Style: paint.Warn, Text: fmt.Sprintf("%d will be recorded; left out, since the guard refuses them: %d", len(able), len(d.cases)-len(able))})
	}
	if n := d.unopened(); n > 0 {
		s.add(paint.Warn, fmt.Sprintf("%d of %d not opened: a list shows no evidence.", n, len(d.cases))+d.kept("", halves))
	}
	for _, c := range d.cases {
		st, word := paint.Text, "  "
		if o, ok := d.choice(); ok {
			word = d.glyphs.Present + " "
			if at := optionOf(c, o.Decision, o.As); at == nil || !at.Allowed {
				st, word = paint.Faint, d.glyphs.Absent+" "
			}
		}
		s.line(paint.Piece{Style: st, Text: word + identity(c.Identity, max(20, s.w-30), d.glyphs.Separator) + "  " + report.Money(c.Amount)}, paint.Piece{Style: paint.Warn, Text: d.unopenedWord(c)})
	}
	if advice := d.advice(); advice != "" {
		s.add(paint.Warn, advice)
	}
}

// halves is what a decision unseen costs in a training.
const halves = " Unseen counts half."

// unopened counts the cases of which the evidence was not looked at.
func (d *decide) unopened() int {
	n := 0
	for _, c := range d.cases {
		if !d.wasOpened(c) {
			n++
		}
	}
	return n
}

func (d *decide) unopenedWord(c *scan.Case) string {
	if d.wasOpened(c) {
		return ""
	}
	return "  not opened"
}

// money sums what cases are about, by currency; a sum that would not fit is not shown.
func (a *app) money(cases []*scan.Case) string {
	type unit struct {
		code     string
		exponent uint8
	}
	sums, order, wrong := make(map[unit]int64), []unit(nil), false
	for _, c := range cases {
		if !c.Amount.Valid {
			continue
		}
		u := unit{c.Amount.Currency, c.Amount.Exponent}
		if _, ok := sums[u]; !ok {
			order = append(order, u)
		}
		sum := sums[u] + c.Amount.Minor
		wrong = wrong || (sum > sums[u]) != (c.Amount.Minor > 0) && c.Amount.Minor != 0
		sums[u] = sum
	}
	if wrong || len(order) == 0 {
		return "money: not known"
	}
	var parts []string
	for _, u := range order {
		parts = append(parts, report.Money(reconcile.Amount{Minor: sums[u], Exponent: u.exponent, Currency: u.code, Valid: true}))
	}
	return "money: " + strings.Join(parts, ", ")
}

// Key keeps the reason as a draft when the dialog is left.
func (d *decide) Key(k string, presses bool) tea.Cmd {
	if d.choosing(k) && d.picks[d.at].off != "" {
		d.coach.looked(d.cases, &d.options[d.at])
	}
	cmd := d.form.Key(k, presses)
	d.drafts[d.key()] = d.reason.field.value()
	return cmd
}

// send asks for the record.
func (d *decide) send() tea.Cmd {
	o, _ := d.choice()
	r := audit.Request{Decision: o.Decision, As: o.As, Reason: strings.TrimSpace(d.reason.field.value()), Seen: make(map[string]string)}
	for _, c := range d.able() {
		r.Cases = append(r.Cases, c.CaseID)
		r.Seen[c.CaseID] = c.Digest
	}
	if d.asksRef() {
		r.Ref = strings.TrimSpace(d.ref.field.value())
	}
	if o.Decision == reconcile.DecideEscalate {
		r.To = strings.TrimSpace(d.to.field.value())
	}
	if d.asksWhen() && (d.due() == "" || d.when.field.value() != "") {
		at, err := parseWhen(d.when.field.value(), d.real())
		if err != nil {
			d.failed = err.Error()
			return nil
		}
		r.At = at
	}
	d.sending = "reading the sources anew, asking the guard, recording"
	d.busy = "a decision is being recorded"
	return d.record(r)
}

// Recv takes what became of it.
func (d *decide) Recv(msg any) tea.Cmd {
	m, ok := msg.(answered)
	if !ok {
		return nil
	}
	d.sending, d.busy = "", ""
	recorded, refused := 0, ""
	for _, one := range m.answers {
		if one.Decision != nil {
			recorded++
		} else if refused == "" {
			refused = text.SafeString(one.Case) + ": " + text.Once(one.Reason) + " (" + one.Code + ")"
		}
	}
	switch {
	case errors.Is(m.err, audit.ErrInDoubt):
		d.failed = inDoubt(m.err)
	case m.err != nil && recorded == 0:
		d.failed = "Not recorded: " + told(m.err)
	case recorded == 0:
		d.failed = "Not recorded. The guard, asked on the evidence as it is now, refuses. " + refused
	default:
		delete(d.drafts, d.key())
		d.close()
		d.settledWell(m, recorded, refused)
	}
	return nil
}

// settledWell tells what stands, and what was refused beside it.
func (d *decide) settledWell(m answered, recorded int, refused string) {
	o, _ := d.choice()
	what := fmt.Sprintf("recorded: %s for %s", decisionWord(o.Decision, o.As), counted(int64(recorded), "case"))
	if len(m.answers) == 1 {
		what = "recorded: " + decisionWord(o.Decision, o.As) + ", decision " + text.SafeString(m.answers[0].Decision.ID)
	}
	if m.err != nil {
		d.say(paint.Bad, what+", but: "+told(m.err))
		return
	}
	if refused != "" {
		d.say(paint.Warn, fmt.Sprintf("%s; %d refused on the evidence as it is now, first %s", what, len(m.answers)-recorded, refused))
		return
	}
	d.say(paint.Good, what)
}
