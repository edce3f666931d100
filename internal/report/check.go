package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/sources"
	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/text"
)

// Checkup is how the sources of a config were opened and understood.
type Checkup struct {
	Name      string
	Sources   []CheckedSource
	Missing   []MissingSource
	NotJudged []Unjudged
}

// MissingSource is a kind of record that a contract rests on and that no source holds.
type MissingSource struct {
	Contract string
	Role     reconcile.Role
	Why      string // what stays unknown without it
}

// CheckedSource is one source after it was read to its end.
type CheckedSource struct {
	sources.Checked
	Facts    reconcile.SourceFacts
	Stats    sources.Stats
	Unmapped []string // components of a scope that it does not map: unknown for all its records
	Samples  []string // of each field, masked; "" where no record had it
	Differs  []PresetDifference
	ClockOff time.Duration // how far the server's clock is ahead of this machine's; 0 where there is none, or it was not asked
	Now      reconcile.Instant
}

// PresetDifference is a field in which a contract says something else than the source's preset suggests.
type PresetDifference struct{ Contract, Field, Declared, Suggested string }

// clockOff is from when on a difference of clocks is told: less is the way there and back.
const clockOff = time.Second

// Unjudged is a rule that cannot be judged under a contract, and why.
type Unjudged struct{ Rule, Contract, Why string }

// Complete reports whether every source was read as far as it was declared to reach.
func (c *Checkup) Complete() bool {
	return !slices.ContainsFunc(c.Sources, func(s CheckedSource) bool { return !s.Facts.Coverage.Complete })
}

// Check writes a checkup for a person.
func Check(w io.Writer, c *Checkup, opt Options) error {
	p := newPage(w, opt)
	p.printf("%s\n", p.in(bold, text.SafeString(c.Name)))
	for i := range c.Sources {
		p.checked(&c.Sources[i])
	}
	if len(c.Missing) > 0 {
		p.title("Unknown, for want of a source")
		for _, m := range c.Missing {
			p.flow(4, "  %s  no source of role %s: %s", text.SafeString(m.Contract), m.Role, text.SafeString(m.Why))
		}
	}
	if len(c.NotJudged) > 0 {
		p.title("Not judged, for want of a declaration")
		for _, u := range c.NotJudged {
			p.flow(4, "  %s  %s: %s", u.Rule, text.SafeString(u.Contract), text.SafeString(u.Why))
		}
	}
	return p.flush()
}

func (p *page) checked(s *CheckedSource) {
	p.title(text.SafeString(s.Spec.Name))
	const width = len("coverage")
	p.pair(width, "role", s.Spec.Role.String()+serving(s))
	p.pair(width, "from", text.SafeString(place(s.Spec)))
	if !s.Opened {
		p.pair(width, "opened", p.in(red, "no"))
	}
	p.pair(width, "rows", recordsText(scan.Source{Records: s.Stats.Records, Unreadable: s.Stats.Unreadable})+foreign(s.Stats.Foreign)+skipped(s.Stats.Skipped)+excluded(s.Stats.Excluded))
	p.pair(width, "coverage", p.coverage(s.Facts.Coverage))
	if hint := s.Facts.Coverage.Hint; hint != "" {
		p.pair(width, "hint", text.Once(hint))
	}
	if t := s.Stats.Last; t.Known() {
		p.pair(width, "newest", newest(s))
	}
	if s.ClockOff >= clockOff || s.ClockOff <= -clockOff {
		p.pair(width, "clock", p.in(yellow, clockText(s.ClockOff)))
	}
	p.fields(s)
	for _, d := range s.Differs {
		p.flow(4, "  %s  contract %s says %s: %s, preset %s suggests %s", p.in(yellow, "differs"), text.SafeString(d.Contract), d.Field, text.SafeString(d.Declared), s.Spec.Preset, text.SafeString(d.Suggested))
	}
	for _, name := range s.Unmapped {
		p.flow(4, "  %s %s: unknown for all its records", p.in(yellow, "not mapped"), text.SafeString(name))
	}
	for _, note := range s.Notes {
		p.flow(8, "  note  %s", text.Once(note))
	}
	for _, bad := range s.Stats.Problems {
		p.flow(4, "  %s  %s: %s", p.in(red, "unreadable"), text.Once(bad.Place), text.Once(bad.Text))
	}
	if more := s.Stats.Unreadable - int64(len(s.Stats.Problems)); more > 0 {
		p.printf("  and %d more unreadable\n", more)
	}
}

// widestPlace is how many cells the places that facts are read from may take beside each other; several alternatives take more, and stand for themselves.
const widestPlace = 44

func (p *page) fields(s *CheckedSource) {
	fact, column := 0, 0
	for _, f := range s.Fields {
		fact = max(fact, text.Width(text.SafeString(f.Fact)))
		if w := text.Width(text.SafeString(columnText(f))); w <= widestPlace {
			column = max(column, w)
		}
	}
	for i, f := range s.Fields {
		how := text.SafeString(f.How)
		if f.Unseen {
			how += ", " + p.in(yellow, "in no record")
		}
		if i < len(s.Samples) && s.Samples[i] != "" {
			how += ", like " + text.SafeString(s.Samples[i])
		}
		place := text.SafeString(columnText(f))
		if text.Width(place) <= column {
			place = text.Pad(place, column)
		}
		p.flow(fact+8, "    %s  %s  %s", text.Pad(text.SafeString(f.Fact), fact), place, how)
	}
	if free := freeColumns(s); len(free) > 0 {
		p.flow(6, "    read but not mapped: %s", text.SafeString(strings.Join(free, ", ")))
	}
}

// newest says when the newest record was written: one that is old tells of a copy, or of a relay that stands still.
func newest(s *CheckedSource) string {
	t := s.Stats.Last
	out := t.Time().Format(time.RFC3339)
	if s.Now.Known() && s.Now.After(t) {
		out += ", " + lasts(s.Now.Time().Sub(t.Time())) + " before now"
	}
	return out
}

func clockText(off time.Duration) string {
	way := "ahead of"
	if off < 0 {
		off, way = -off, "behind"
	}
	return "the server's clock is " + off.Truncate(time.Millisecond).String() + " " + way + " this machine's: leases and expiries are judged by this machine's; skew allows for it"
}

func columnText(f sources.CheckedField) string {
	switch {
	case f.Column == "":
		return "(constant)"
	case f.Type == "":
		return f.Column
	}
	return f.Column + " " + f.Type
}

// freeColumns names the columns from which no fact is read.
func freeColumns(s *CheckedSource) []string {
	var free []string
	for _, col := range s.Columns {
		used := slices.ContainsFunc(s.Fields, func(f sources.CheckedField) bool {
			return strings.EqualFold(f.Column, col.Name) || strings.HasPrefix(f.Column, col.Name+".")
		})
		if !used {
			free = append(free, col.Name)
		}
	}
	return free
}

func serving(s *CheckedSource) string {
	switch {
	case s.Spec.Role != reconcile.RoleReceipt && s.Spec.Role != reconcile.RoleEffect:
		return ""
	case s.Facts.Serves:
		return ", serving"
	}
	return ", not serving: it proves what was handled, never that a retry would be recognised"
}

func place(spec *sources.Spec) string {
	out := spec.Shown
	if spec.Preset != "" {
		out += ", preset " + spec.Preset
	}
	switch {
	case spec.Table != "":
		out += ", table " + spec.Table
	case spec.Query != "":
		out += ", a query"
	}
	return out
}

// foreign says how many records are somebody else's: a claim that fits none is easily misspelt.
func foreign(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d not ours by claim or operation", n)
}

func skipped(n int64) string {
	if n == 0 {
		return ""
	}
	return ", " + counted(n, "row") + " left out by where"
}

// excluded says how many rows say nothing of an action, and why.
func excluded(all []sources.Excluded) string {
	out := ""
	for _, x := range all {
		out += ", " + counted(x.Rows, "row") + " excluded as " + text.SafeString(x.Reason)
	}
	return out
}

// excludedJSON are exclusions by reason.
func excludedJSON(all []sources.Excluded) map[string]int64 {
	out := make(map[string]int64, len(all))
	for _, x := range all {
		out[text.SafeString(x.Reason)] = x.Rows
	}
	return out
}

type (
	checkedJSON struct {
		Name       shown            `json:"name"`
		Role       string           `json:"role"`
		Open       shown            `json:"open"`
		Opened     bool             `json:"opened"`
		Serves     bool             `json:"serves"`
		Records    int64            `json:"records"`
		Unreadable int64            `json:"unreadable"`
		Skipped    int64            `json:"skipped"`
		Excluded   map[string]int64 `json:"excluded"`
		Foreign    int64            `json:"not_ours"`
		Coverage   coverageJSON     `json:"coverage"`
		Fields     []fieldJSON      `json:"fields"`
		Unmapped   []shown          `json:"not_mapped"`
		Free       []shown          `json:"columns_not_mapped"`
		Preset     string           `json:"preset"`
		Differs    []differsJSON    `json:"preset_differs"`
		Newest     *string          `json:"newest"`
		ClockOffMS int64            `json:"clock_ahead_ms"`
		Notes      []shown          `json:"notes"`
		Problems   []problemJSON    `json:"problems"`
	}
	fieldJSON struct {
		Fact   shown `json:"fact"`
		Column shown `json:"column"`
		Type   shown `json:"type"`
		How    shown `json:"how"`
		Unseen bool  `json:"in_no_record"`
		Sample shown `json:"sample"`
	}
	differsJSON struct {
		Contract  shown  `json:"contract"`
		Field     string `json:"field"`
		Declared  shown  `json:"declared"`
		Suggested shown  `json:"suggested"`
	}
	problemJSON struct {
		Place shown `json:"place"`
		Text  shown `json:"text"`
	}
	unjudgedJSON struct {
		Rule     string `json:"rule"`
		Contract shown  `json:"contract"`
		Why      shown  `json:"why"`
	}
	missingJSON struct {
		Contract shown  `json:"contract"`
		Role     string `json:"role"`
		Why      shown  `json:"why"`
	}
	checkupJSON struct {
		Version   int            `json:"version"`
		Name      shown          `json:"name"`
		Complete  bool           `json:"complete"`
		Sources   []checkedJSON  `json:"sources"`
		Missing   []missingJSON  `json:"missing_sources"`
		NotJudged []unjudgedJSON `json:"not_judged"`
	}
)

// CheckJSON writes a checkup as one object.
func CheckJSON(w io.Writer, c *Checkup) error {
	out := checkupJSON{Version: 1, Name: shown(c.Name), Complete: c.Complete(), Sources: []checkedJSON{}, Missing: []missingJSON{}, NotJudged: []unjudgedJSON{}}
	for i := range c.Sources {
		out.Sources = append(out.Sources, newCheckedJSON(&c.Sources[i]))
	}
	for _, m := range c.Missing {
		out.Missing = append(out.Missing, missingJSON{shown(m.Contract), m.Role.String(), shown(m.Why)})
	}
	for _, u := range c.NotJudged {
		out.NotJudged = append(out.NotJudged, unjudgedJSON{u.Rule, shown(u.Contract), shown(u.Why)})
	}
	return write(w, "", out, "\n")
}

func newCheckedJSON(s *CheckedSource) checkedJSON {
	out := checkedJSON{
		Name: shown(s.Spec.Name), Role: s.Spec.Role.String(), Open: shown(place(s.Spec)), Opened: s.Opened, Serves: s.Facts.Serves,
		Records: s.Stats.Records, Unreadable: s.Stats.Unreadable, Skipped: s.Stats.Skipped, Excluded: excludedJSON(s.Stats.Excluded), Foreign: s.Stats.Foreign, Coverage: newCoverageJSON(s.Facts.Coverage),
		Preset: s.Spec.Preset, Differs: []differsJSON{}, ClockOffMS: s.ClockOff.Milliseconds(),
		Fields: []fieldJSON{}, Unmapped: allShown(s.Unmapped), Free: allShown(freeColumns(s)), Notes: allShown(s.Notes), Problems: []problemJSON{},
	}
	for i, f := range s.Fields {
		field := fieldJSON{shown(f.Fact), shown(f.Column), shown(f.Type), shown(f.How), f.Unseen, ""}
		if i < len(s.Samples) {
			field.Sample = shown(s.Samples[i])
		}
		out.Fields = append(out.Fields, field)
	}
	for _, d := range s.Differs {
		out.Differs = append(out.Differs, differsJSON{shown(d.Contract), d.Field, shown(d.Declared), shown(d.Suggested)})
	}
	if t := s.Stats.Last; t.Known() {
		newest := t.Time().Format(time.RFC3339Nano)
		out.Newest = &newest
	}
	for _, bad := range s.Stats.Problems {
		out.Problems = append(out.Problems, newProblemJSON(bad))
	}
	return out
}

func newProblemJSON(p rows.Problem) problemJSON { return problemJSON{shown(p.Place), shown(p.Text)} }

func allShown(in []string) []shown {
	out := make([]shown, 0, len(in))
	for _, s := range in {
		out = append(out, shown(s))
	}
	return out
}
