package tui

import (
	"fmt"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/report"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/text"
	"example.com/idemctl/internal/tui/keymap"
	"example.com/idemctl/internal/tui/paint"
)

// reach says how far a source was read, in the words of the table.
func reach(c reconcile.Coverage) string {
	if c.To.Known() {
		c.To = reconcile.At(c.To.Time().Truncate(time.Second)) // never further than it is
	}
	return report.Reach(c)
}

// sourcesScreen shows what is read, how far each source reaches, and what holds for contracts and stores as a whole.
type sourcesScreen struct {
	*app
	top int
}

func newSources(a *app) *sourcesScreen { return &sourcesScreen{app: a} }

func (s *sourcesScreen) Title(int) string       { return "Sources" }
func (s *sourcesScreen) Scope() keymap.Scope    { return keymap.Sources }
func (s *sourcesScreen) State(st *keymap.State) { st.Rows = 1 }
func (s *sourcesScreen) Recv(any) tea.Cmd       { return nil }
func (s *sourcesScreen) Hints() []keymap.ID {
	hints := []keymap.ID{keymap.GoQueue, keymap.Down, keymap.Rescan}
	if s.loading {
		hints = append(hints, keymap.Interrupt)
	}
	return append(hints, keymap.Back)
}

// Do scrolls.
func (s *sourcesScreen) Do(id keymap.ID) tea.Cmd {
	s.top = max(0, s.top+shift(id, 10))
	return nil
}

// Draw paints one sheet.
func (s *sourcesScreen) Draw(a paint.Area) {
	in := a.Sub(1, 0, a.W()-2, a.H())
	sh := newSheet(in.W() - 2)
	if s.loading {
		s.running(sh)
	}
	if s.manifest != nil {
		if s.loading {
			sh.gap()
			sh.add(paint.Strong, "As read before")
		}
		s.read(sh)
	} else if s.failed != "" {
		sh.add(paint.Bad, s.failed)
	}
	s.top = sh.draw(in, s.top, s.glyphs)
}

// running shows how far the reading is.
func (s *sourcesScreen) running(sh *sheet) {
	sh.add(paint.Strong, s.loadingWords())
	sh.add(paint.Faint, "Decisions open when all sources are in; "+s.keys.Short(keymap.Interrupt)+" stops the reading.")
	snap := s.progress.Snapshot()
	for i, p := range snap.Sources {
		sh.line(paint.Piece{Text: "  "}, paint.Piece{Style: paint.Text, Text: s.bar(readSoFar(snap.Phase, p))}, paint.Piece{Text: "  " + text.PadLeft(count(p.Rows), 14) + " rows  "}, paint.Piece{Text: text.SafeString(snap.Names[i])})
	}
}

// readSoFar is how far a source is read, of a thousand. How many rows a table holds is estimated: once all are read it is the whole, whatever was thought.
func readSoFar(ph scan.Phase, p rows.Progress) int64 {
	if ph > scan.PhaseReading {
		return 1000
	}
	return p.Permille()
}

func (s *sourcesScreen) bar(permille int64) string {
	const w = 20
	n := int(permille) * w / 1000
	return strings.Repeat(s.glyphs.Full, n) + strings.Repeat(s.glyphs.Empty, w-n) + fmt.Sprintf(" %3d %%", permille/10)
}

// loadingWords says how far a reading is, in numbers.
func (a *app) loadingWords() string {
	if a.progress == nil {
		return "Opening"
	}
	snap := a.progress.Snapshot()
	var read, done int64
	for _, p := range snap.Sources {
		read += p.Rows
		done += p.Permille()
	}
	words := strings.ToUpper(snap.Phase.String()[:1]) + snap.Phase.String()[1:] + ": " + counted(read, "row")
	if n := int64(len(snap.Sources)); n > 0 && snap.Phase == scan.PhaseReading {
		done /= n
		words += fmt.Sprintf(", %d %%", done/10)
		if took := a.took(); done > 10 && took > 2*time.Second {
			words += ", about " + report.Lasts(took*time.Duration(1000-done)/time.Duration(done)) + " left"
		}
	}
	if snap.Judged > 0 {
		words += ", " + count(snap.Judged) + " judged"
	}
	return words
}

// read shows what was read.
func (s *sourcesScreen) read(sh *sheet) {
	m := s.manifest
	sh.line(paint.Piece{Style: paint.Strong, Text: text.SafeString(m.Name)}, paint.Piece{Style: paint.Faint, Text: "  as of " + stamp(m.Now) + "  config " + text.Truncate(text.SafeString(m.ConfigDigest), 19)})
	c := m.Counts
	sh.add(paint.Text, fmt.Sprintf("%s = %s matched + %s in flight + %s explained + %s inconclusive + %s unclaimed + %s",
		counted(c.Subjects, "subject"), count(c.Matched), count(c.InFlight), count(c.Explained), count(c.Inconclusive), count(c.Unclaimed), counted(c.Cases, "case")))
	sh.gap()
	sh.add(paint.Title, "Sources")
	for i := range m.Sources {
		s.source(sh, &m.Sources[i])
	}
	s.wholes(sh)
}

func (s *sourcesScreen) source(sh *sheet, src *scan.Source) {
	sign, st := s.glyphs.Present, paint.Good
	switch {
	case !src.Coverage.Complete:
		sign, st = s.glyphs.Absent, paint.Bad
	case !src.Coverage.Proves, src.Unreadable > 0:
		sign, st = s.glyphs.Unknown, paint.Warn
	}
	what := "  " + counted(src.Records, "record")
	if src.Unreadable > 0 {
		what += ", " + count(src.Unreadable) + " unreadable"
	}
	if src.Skipped > 0 {
		what += ", " + counted(src.Skipped, "row") + " left out by where"
	}
	for _, x := range src.Excluded {
		what += ", " + counted(x.Rows, "row") + " excluded as " + text.SafeString(x.Reason)
	}
	sh.line(paint.Piece{Style: st, Text: sign + " "}, paint.Piece{Style: paint.Strong, Text: text.SafeString(src.Name)}, paint.Piece{Style: paint.Faint, Text: "  " + src.Role.String()}, paint.Piece{Text: what})
	sh.indent(4, paint.Text, reach(src.Coverage))
	if src.Coverage.Hint != "" {
		sh.indent(4, paint.Warn, "hint: "+text.Once(src.Coverage.Hint))
	}
	for _, p := range src.Problems {
		sh.indent(4, paint.Bad, strings.TrimSpace(text.SafeString(p.Place)+" "+text.Once(p.Text)))
		if p.Hint != "" {
			sh.indent(6, paint.Faint, "hint: "+text.Once(p.Hint))
		}
	}
	if more := src.Unreadable - int64(len(src.Problems)); more > 0 && len(src.Problems) > 0 {
		sh.indent(4, paint.Bad, "and "+count(more)+" more unreadable")
	}
}

// wholes shows findings about contracts, restore gaps, and what was not judged.
func (s *sourcesScreen) wholes(sh *sheet) {
	m := s.manifest
	if len(m.Contracts) > 0 {
		sh.gap()
		sh.add(paint.Title, "Findings about contracts: they are no cases, and each concerns many subjects")
	}
	for i := range m.Contracts {
		f := &m.Contracts[i]
		sh.line(paint.Piece{Style: paint.Caution, Text: text.SafeString(f.Kind)}, paint.Piece{Style: paint.Strong, Text: "  " + text.SafeString(f.Contract)}, paint.Piece{Text: "  " + counted(f.Count, "subject")})
		sh.indent(4, paint.Text, text.Once(f.Text))
	}
	lines := report.NotJudged(m.Counts.NotJudged)
	if len(lines) > 0 {
		sh.gap()
		sh.add(paint.Title, "Rules that could not be applied: idemctl check says what to declare")
	}
	for _, line := range lines {
		sh.add(paint.Text, line)
	}
	if len(m.Gaps) > 0 {
		sh.gap()
		sh.add(paint.Title, "Restore gaps")
	}
	for _, g := range m.Gaps {
		how := "inferred"
		if g.Declared {
			how = "declared"
		}
		sh.add(paint.Text, fmt.Sprintf("%s  %s%s, %s, from %s to %s: %s missing, %s present%s",
			text.SafeString(g.Store), g.Kind, partition(g.Only), how, stamp(g.From), stamp(g.To), count(g.Missing), count(g.Present), report.WhosePresent(&g)))
	}
	if len(m.Notes) > 0 {
		sh.gap()
	}
	for _, n := range m.Notes {
		sh.add(paint.Warn, text.Once(n))
	}
}
