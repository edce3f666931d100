package tui

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/report"
	"example.com/idemctl/internal/restore"
	"example.com/idemctl/internal/text"
	"example.com/idemctl/internal/tui/keymap"
	"example.com/idemctl/internal/tui/paint"
)

// restoreScreen shows what a restore has left behind: each gap with the counts by time that prove it, the actions that would run again, and what a plan puts
// back. From each slice of time it leads to the cases of it.
type restoreScreen struct {
	*app
	sum     *RestoreSum
	wrong   string
	reading bool
	of      int // the reading that sum is about
	gap     int
	bar     int
	first   int  // the first bar that is seen
	top     int  // the first line of the text below that is seen
	below   bool // keys go to the text below
}

func newRestoreScreen(a *app) *restoreScreen { return &restoreScreen{app: a, of: -1} }

func (v *restoreScreen) Title(int) string    { return "Restore" }
func (v *restoreScreen) Scope() keymap.Scope { return keymap.Restore }

// Hints are the keys of the footer.
func (v *restoreScreen) Hints() []keymap.ID {
	hints := []keymap.ID{keymap.OpenSlice, keymap.ConfirmGap, keymap.NextPane, keymap.GoQueue, keymap.GoSources, keymap.Back}
	if v.confirmation() != nil {
		hints = slices.Insert(hints, 2, keymap.RetractGap)
	}
	if len(v.gaps()) > 1 {
		hints = slices.Insert(hints, 2, keymap.NextGap)
	}
	return hints
}

// State tells what is listed.
func (v *restoreScreen) State(s *keymap.State) {
	s.Rows = len(v.bars())
	s.Gaps, s.Confirmed = len(v.gaps()), v.confirmation() != nil
}

// enter reads what the restore left behind, unless that has been read off this reading.
func (v *restoreScreen) enter() tea.Cmd {
	if v.of == v.load && (v.sum != nil || v.reading) || v.result == nil || v.deps.Restore == nil {
		return nil
	}
	v.of, v.reading, v.wrong, v.sum = v.load, true, "", nil
	v.turnTo(0)
	return v.readRestore()
}

// turnTo chooses a gap. The cursor stands where it begins, the slice before it in sight.
func (v *restoreScreen) turnTo(gap int) {
	v.gap, v.bar, v.top = gap, 0, 0
	for at, b := range v.bars() {
		if within(b, v.chosen()) {
			v.bar = at
			break
		}
	}
	v.first = max(0, v.bar-1)
}

// Recv takes what was read, and reads anew behind a new reading of the sources while the screen is seen.
func (v *restoreScreen) Recv(msg any) tea.Cmd {
	m, ok := msg.(restoreRead)
	if !ok || m.load != v.of {
		return nil
	}
	v.reading = false
	if m.err != nil {
		v.wrong = told(m.err)
		return nil
	}
	v.sum = m.sum
	return nil
}

// gaps are those of the manifest: they are known before the cases have been summed up.
func (v *restoreScreen) gaps() []reconcile.Gap {
	if v.manifest == nil {
		return nil
	}
	return v.manifest.Gaps
}

func (v *restoreScreen) chosen() *reconcile.Gap {
	gaps := v.gaps()
	if len(gaps) == 0 {
		return nil
	}
	return &gaps[min(v.gap, len(gaps)-1)]
}

// confirmation is by what an operator confirmed the chosen gap, nil where nobody did.
func (v *restoreScreen) confirmation() *audit.Restore {
	g := v.chosen()
	for i := range v.restores {
		if g != nil && g.Declared && v.restores[i].Event.Name() == g.Name() {
			return &v.restores[i]
		}
	}
	return nil
}

func (v *restoreScreen) bars() []reconcile.GapSlice {
	if g := v.chosen(); g != nil {
		return g.Slices
	}
	return nil
}

// Do acts.
func (v *restoreScreen) Do(id keymap.ID) tea.Cmd {
	switch id {
	case keymap.OpenSlice:
		return v.open()
	case keymap.ConfirmGap:
		v.ask(newConfirm(v.app, v.chosen()))
	case keymap.RetractGap:
		v.ask(newRetract(v.app, v.confirmation()))
	case keymap.NextGap:
		v.turnTo((v.gap + 1) % max(1, len(v.gaps())))
	case keymap.NextPane, keymap.PriorPane:
		v.below = !v.below
	default:
		if v.below {
			v.top = max(0, v.top+shift(id, 5))
			return nil
		}
		v.bar = min(max(0, v.bar+shift(id, 10)), max(0, len(v.bars())-1))
	}
	return nil
}

// open filters the queue by the time of a bar.
func (v *restoreScreen) open() tea.Cmd {
	s := v.bars()[v.bar]
	var words []string
	if s.From.Known() {
		words = append(words, "since>="+s.From.Time().UTC().Format(time.RFC3339Nano))
	}
	if s.To.Known() {
		words = append(words, "since<"+s.To.Time().UTC().Format(time.RFC3339Nano))
	}
	return v.listBy(strings.Join(words, " "))
}

// Draw paints gaps, bars, and what stands in words.
func (v *restoreScreen) Draw(a paint.Area) {
	in := a.Sub(1, 0, a.W()-2, a.H())
	if v.manifest == nil {
		in.Put(0, 0, paint.Faint, "The sources are being read.")
		return
	}
	if len(v.gaps()) == 0 {
		in.Wrapped(0, 0, paint.Text, "No restore gap is known: none is declared in the config, and no store lacks the counterparts of what others saw for a stretch of time.")
		return
	}
	y := v.head(in)
	rest := a.Sub(0, y, a.W(), a.H()-y)
	words := v.words(rest.W() - 4)
	lower := min(len(words.lines)+1, max(rest.H()/2, rest.H()-len(v.bars())-3))
	upper, lowerArea := rest.Bottom(max(0, lower))
	v.histogram(upper)
	if lowerArea.H() > 1 {
		lowerArea.Rule(0, paint.Border, v.glyphs)
		v.top = words.draw(lowerArea.Sub(1, 1, lowerArea.W()-2, lowerArea.H()-1), v.top, v.glyphs)
	}
}

// head lists the gaps, the chosen one marked. It returns the line behind them.
func (v *restoreScreen) head(a paint.Area) int {
	gaps := v.gaps()
	most := max(1, min(len(gaps), a.H()/4))
	from := max(0, min(v.gap-most+1, len(gaps)-most))
	for y := range most {
		g := &gaps[from+y]
		st, sign := paint.Text, "  "
		if from+y == v.gap {
			st, sign = paint.Strong, v.glyphs.Into+" "
		}
		how, hst := "declared", paint.Faint
		switch {
		case slices.ContainsFunc(v.restores, func(r audit.Restore) bool { return g.Declared && r.Event.Name() == g.Name() }):
			how = "confirmed"
		case !g.Declared:
			how, hst = "PROPOSED, not confirmed", paint.Warn
		}
		when := span(g.From, g.To)
		if a.W() < 100 { // its day stands before each bar
			when = strings.TrimPrefix(when, dayOf(g.From))
		}
		row := a.Sub(0, y, a.W(), 1)
		row.Puts(0, 0, paint.Piece{Style: st, Text: sign + text.SafeString(g.Store)}, paint.Piece{Text: "  " + g.Kind.String() + partition(g.Only) + "  "}, paint.Piece{Style: hst, Text: how + "  "},
			paint.Piece{Style: paint.Time, Text: when}, paint.Piece{Text: fmt.Sprintf("  %s missing, %s present", count(g.Missing), count(g.Present))})
	}
	return most
}

// partition says which part of a store a gap is about, "" where it is the whole.
func partition(only map[string][]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(only)) {
		var values []string
		for _, one := range only[name] {
			values = append(values, text.SafeString(one))
		}
		parts = append(parts, text.SafeString(name)+"="+strings.Join(values, ","))
	}
	if len(parts) == 0 {
		return ""
	}
	return " of " + strings.Join(parts, " ")
}

// span writes two edges, the day once where it is one.
func span(from, to reconcile.Instant) string {
	end := edge(to)
	if from.Known() && to.Known() {
		end = strings.TrimPrefix(end, dayOf(from))
	}
	return edge(from) + " to " + end
}

// dayOf is how a known edge begins.
func dayOf(i reconcile.Instant) string {
	if !i.Known() {
		return ""
	}
	return stamp(i)[:len("2006-01-02 ")]
}

func edge(i reconcile.Instant) string {
	if !i.Known() {
		return "open"
	}
	return stamp(i)
}

// histogram draws a line for each slice of time: what has its counterpart in the store, and what lacks it. The edges of the gap stand between them.
func (v *restoreScreen) histogram(a paint.Area) {
	bars := v.bars()
	if len(bars) == 0 {
		a.Wrapped(1, 0, paint.Faint, "No counts by time: too few records of other sources tell what the store wrote then.")
		return
	}
	head, body := a.Top(1)
	head.Puts(2, 0, paint.Piece{Style: paint.Faint, Text: "FROM (UTC)            "}, paint.Piece{Style: paint.Good, Text: v.glyphs.Empty + " with"}, paint.Piece{Text: "  "}, paint.Piece{Style: paint.Bad, Text: v.glyphs.Full + " without a counterpart in " + text.SafeString(v.chosen().Store)})
	v.first = min(max(v.first, v.bar-body.H()+1), v.bar)
	v.first = max(0, min(v.first, len(bars)-body.H()))
	most, room := int64(1), body.W()
	for _, b := range bars {
		most = max(most, b.With+b.Without)
		room = min(room, body.W()-barAt-2-text.Width(v.counts(b)))
	}
	for y := 0; y < body.H() && v.first+y < len(bars); y++ {
		v.drawBar(body.Sub(0, y, body.W()-2, 1), v.first+y, most, max(4, room))
	}
	scrollbar(body.Sub(body.W()-2, 0, 1, body.H()), v.first, len(bars), v.glyphs)
}

// timeOfDay is an instant's time of day: the day stands at the beginning of the line.
func timeOfDay(i reconcile.Instant) string { return i.Time().UTC().Format("15:04:05") }

// barAt is the cell where bars begin.
const barAt = 24

// counts say what a bar shows.
func (v *restoreScreen) counts(b reconcile.GapSlice) string {
	words := fmt.Sprintf(" %s with, %s without", count(b.With), count(b.Without))
	switch g := v.chosen(); {
	case !within(b, g):
	case g.From.Known() && b.From.Known() && b.From.Before(g.From):
		words += "  lost from " + timeOfDay(g.From)
	case g.To.Known() && b.To.Known() && b.To.After(g.To):
		words += "  lost until " + timeOfDay(g.To)
	default:
		words += "  lost"
	}
	return words
}

// drawBar draws a slice in its share of the room that the largest has. Nothing that is lacking is too little to be seen.
func (v *restoreScreen) drawBar(row paint.Area, at int, most int64, room int) {
	b := v.bars()[at]
	if at == v.bar && !v.below {
		row.Put(0, 0, paint.Strong, v.glyphs.Cursor)
	}
	row.Put(2, 0, paint.Time, edge(b.From))
	share := func(n int64) int { return int(float64(n) / float64(most) * float64(room)) }
	without, all := share(b.Without), share(b.With+b.Without)
	if b.Without > 0 {
		without = max(1, without)
	}
	x := row.Put(barAt, 0, paint.Bad, strings.Repeat(v.glyphs.Full, without))
	x = row.Put(x, 0, paint.Good, strings.Repeat(v.glyphs.Empty, max(0, all-without)))
	row.Put(x, 0, paint.Faint, v.counts(b))
	if at == v.bar && !v.below {
		row.Select(0)
	}
}

// within reports whether a slice lies in the gap, in part at least.
func within(b reconcile.GapSlice, g *reconcile.Gap) bool {
	return (!g.From.Known() || !b.To.Known() || b.To.After(g.From)) && (!g.To.Known() || !b.From.Known() || b.From.Before(g.To))
}

// words say what it comes to: keys at risk, money, ids, what is sent again, and what a plan puts back.
func (v *restoreScreen) words(w int) *sheet {
	s := newSheet(w)
	if g := v.chosen(); !g.Declared {
		s.add(paint.Warn, "This window is a proposal, read off what other sources saw. Until a person confirms it ("+v.keys.Short(keymap.ConfirmGap)+"), nothing is concluded from it.")
	} else if whose := report.WhosePresent(g); whose != "" { // the line above has no room
		s.add(paint.Text, "Missing:"+partition(g.Only)+". Present: in the whole store in that time"+whose+".")
	}
	switch {
	case v.wrong != "":
		s.add(paint.Bad, "It could not be summed up: "+v.wrong)
		return s
	case v.sum == nil:
		s.add(paint.Faint, "The cases are being summed up.")
		return s
	}
	u := v.sum.Audit
	s.line(paint.Piece{Style: paint.Strong, Text: counted(u.AtRisk, "action") + " would run again by a retry"}, paint.Piece{Text: "  " + v.totals(u.Totals)})
	if len(u.Resends) > 0 {
		s.add(paint.Bad, report.ResendText(u)+".")
	}
	for i := range u.Gaps {
		if g := &u.Gaps[i]; i == v.gap {
			s.add(paint.Text, fmt.Sprintf("In this gap: %s. In %s some effect stands; %s would, or might, run again.", counted(g.Cases, "case"), count(g.Standing), count(g.AtRisk)))
		}
	}
	v.next(s, u)
	v.signs(s, u)
	v.again(s, u)
	v.plan(s)
	return s
}

func (v *restoreScreen) totals(all []restore.Total) string {
	var parts []string
	for i := range all {
		parts = append(parts, report.Total(&all[i]))
	}
	return strings.Join(parts, ", ")
}

func (v *restoreScreen) next(s *sheet, u *restore.Audit) {
	if len(u.Next) == 0 {
		return
	}
	s.gap()
	s.add(paint.Title, "First of them, by deadline")
	for i := range u.Next[:min(5, len(u.Next))] {
		c := &u.Next[i]
		cell, st := exposed(c.Exposure, v.now())
		s.line(paint.Piece{Text: "  "}, paint.Piece{Style: st, Text: text.Pad(cell, 9)}, paint.Piece{Text: identity(c.Identity, max(20, s.w-30), v.glyphs.Separator) + "  "}, paint.Piece{Style: paint.Money, Text: report.Money(c.Amount)})
	}
}

// signs tell what in the data speaks of a restore, of whichever store.
func (v *restoreScreen) signs(s *sheet, u *restore.Audit) {
	if len(u.Signs) == 0 {
		return
	}
	s.gap()
	s.add(paint.Title, "Signs in the data")
	for _, one := range u.Signs {
		s.add(paint.Warn, text.SafeString(one.Store)+"  "+one.Kind.String()+": "+text.SafeString(one.Text))
	}
}

// again tells what is handed out a second time.
func (v *restoreScreen) again(s *sheet, u *restore.Audit) {
	if len(u.Reused) == 0 {
		return
	}
	s.gap()
	for i := range u.Reused[:min(3, len(u.Reused))] {
		r := &u.Reused[i]
		s.add(paint.Bad, "Id "+text.Safe(r.ID.Bytes())+" of "+text.SafeString(r.Source)+" was handed out twice: "+text.SafeString(r.Witness)+" says it is another's.")
	}
	if n := len(u.Reused); n > 3 {
		s.add(paint.Bad, "And "+counted(int64(n-3), "more id")+" handed out twice.")
	}
}

func (v *restoreScreen) plan(s *sheet) {
	s.gap()
	s.add(paint.Title, "A plan")
	if v.sum.PlanOff != "" {
		s.add(paint.Faint, v.sum.PlanOff)
		return
	}
	s.add(paint.Text, fmt.Sprintf("idemctl restore --plan FILE.sql puts back %s before traffic is let in again; it is written, never run.", counted(v.sum.Insertable, "receipt")))
	if n := v.sum.Unbuildable; n > 0 {
		s.add(paint.Warn, count(n)+" cannot be rebuilt:")
	}
	for _, r := range v.sum.Refused[:min(3, len(v.sum.Refused))] {
		s.indent(2, paint.Warn, text.Truncate(text.SafeString(r.Case), 12)+"  "+text.Once(r.Reason))
	}
}
