package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scenario"
	"example.com/idemctl/internal/text"
)

// Tone is how a line of a debrief is meant.
type Tone uint8

// The tones.
const (
	ToneText Tone = iota
	ToneHead
	ToneGood
	ToneWarn
	ToneBad
	ToneFaint
)

// DebriefLine is one paragraph of a debrief, of safe text.
type DebriefLine struct {
	Tone   Tone
	Indent int // cells
	Text   string
}

// DebriefLines tell what a play amounts to: in sum first, then each case, what was decided about it, what that would have caused, and what is right and why.
// The gravest come first. Cases of which all the same is to be said are told as one, and a rule or a principle is spelled out where it is met first.
func DebriefLines(s *scenario.Scenario, d *scenario.Debrief) []DebriefLine {
	out := debriefText{told: make(map[string]bool)}
	out.add(ToneHead, 0, "%s", text.SafeString(s.Title))
	out.sum(d)
	for _, same := range alike(d.Findings) {
		out.gap()
		out.finding(same)
	}
	if len(s.Teaches) > 0 {
		out.gap()
		out.add(ToneHead, 0, "What this teaches")
		for _, t := range s.Teaches {
			out.add(ToneText, 2, "%s", text.SafeString(t))
		}
	}
	return out.lines
}

// alike puts findings of which all the same is to be said side by side, the gravest first, each in the order of the key.
func alike(all []scenario.Finding) [][]*scenario.Finding {
	var out [][]*scenario.Finding
	for i := range all {
		f := &all[i]
		at := slices.IndexFunc(out, func(g []*scenario.Finding) bool { return sameFinding(g[0], f) })
		if at < 0 {
			out = append(out, []*scenario.Finding{f})
			continue
		}
		out[at] = append(out[at], f)
	}
	slices.SortStableFunc(out, func(a, b []*scenario.Finding) int { return cmp.Compare(a[0].Mark, b[0].Mark) })
	return out
}

// sameFinding reports whether the same is to be said of two findings. What would have done harm is always told by itself.
func sameFinding(a, b *scenario.Finding) bool {
	for _, f := range []*scenario.Finding{a, b} {
		if f.Harm != nil || len(f.Stopped) > 0 || len(f.TakenBack) > 0 {
			return false
		}
	}
	return a.Mark == b.Mark && a.Looked == b.Looked && saidOf(a) == saidOf(b) && a.Answer.Because == b.Answer.Because && a.Answer.By == b.Answer.By &&
		slices.Equal(a.Answer.Kinds, b.Answer.Kinds) && choices(a.Answer.Right) == choices(b.Answer.Right)
}

// saidOf is what was decided.
func saidOf(f *scenario.Finding) string {
	if e := f.Decided; e != nil {
		return "decided: " + decisionText(e.Decision, e.As)
	}
	if f.Mark == scenario.Right {
		return "left as it is"
	}
	return "nothing was decided"
}

// Debrief writes the same for a terminal or a file.
func Debrief(w io.Writer, s *scenario.Scenario, d *scenario.Debrief, opt Options) error {
	p := newPage(w, opt)
	colours := map[Tone]sgr{ToneHead: bold, ToneGood: green, ToneWarn: yellow, ToneBad: red, ToneFaint: dim}
	for _, l := range DebriefLines(s, d) {
		if l.Text == "" {
			p.printf("\n")
			continue
		}
		said := l.Text
		if set, ok := colours[l.Tone]; ok {
			said = p.in(set, said)
		}
		p.flow(l.Indent+2, "%s%s", strings.Repeat(" ", l.Indent), said)
	}
	return p.flush()
}

type debriefText struct {
	lines []DebriefLine
	told  map[string]bool // rules and principles that have been spelled out
}

func (t *debriefText) add(tone Tone, indent int, format string, args ...any) {
	t.lines = append(t.lines, DebriefLine{tone, indent, fmt.Sprintf(format, args...)})
}

func (t *debriefText) gap() { t.lines = append(t.lines, DebriefLine{}) }

// sum says how it went as a whole: harm first.
func (t *debriefText) sum(d *scenario.Debrief) {
	cases := int64(len(d.Findings))
	switch twice, harm := d.Twice(), d.Count(scenario.Harmful); {
	case len(twice) > 0:
		t.add(ToneBad, 0, "HARM: this would have moved %s a second time.", moneyOf(twice))
	case harm > 0:
		t.add(ToneBad, 0, "HARM: %s would have done harm.", counted(int64(harm), "decision"))
	default:
		t.add(ToneGood, 0, "No harm was done.")
	}
	if n := d.Stopped(); n > 0 {
		t.add(ToneWarn, 0, "The guard stopped %s.", counted(int64(n), "harmful decision"))
	}
	switch cases {
	case 0:
		t.add(ToneText, 0, "Nothing had to be decided.")
	default:
		t.add(ToneText, 0, "%s: %d decided right, %d safe but not what settles it, %d handed over without need, %d harmful, %d undecided.",
			counted(cases, "case"), d.Count(scenario.Right), d.Count(scenario.NotBest), d.Count(scenario.NeedlessHelp), d.Count(scenario.Harmful), d.Count(scenario.Missed))
		t.add(ToneText, 0, "%d of them were opened before they were decided.", d.Looked())
	}
	t.add(ToneText, 0, "Score %d of 100%s · %s · %d of %s · %s · %d given up", d.Score(), lost(d), lasts(d.Took), d.Steps, counted(int64(d.Of), "step"), counted(int64(d.Hints), "hint"), d.Given)
}

// lost says what took points away.
func lost(d *scenario.Debrief) string {
	if d.Count(scenario.Harmful) > 0 {
		return ": harm makes it 0"
	}
	unseen := 0
	for i := range d.Findings {
		if f := &d.Findings[i]; f.Mark == scenario.Right && !f.Looked {
			unseen++
		}
	}
	var why []string
	if unseen > 0 {
		why = append(why, fmt.Sprintf("half each for %d decided unseen", unseen))
	}
	if n := d.Count(scenario.NotBest); n > 0 {
		why = append(why, fmt.Sprintf("half each for %d safe, not settled", n))
	}
	if n := d.Count(scenario.NeedlessHelp) + d.Count(scenario.Missed); n > 0 {
		why = append(why, fmt.Sprintf("nothing for %d handed over or undecided", n))
	}
	if len(why) == 0 {
		return ""
	}
	return ": " + strings.Join(why, ", ")
}

var markTones = map[scenario.Mark]Tone{
	scenario.Right: ToneGood, scenario.NotBest: ToneWarn, scenario.NeedlessHelp: ToneWarn, scenario.Missed: ToneWarn, scenario.Harmful: ToneBad,
}

// finding tells one case, or several of which all the same is to be said.
func (t *debriefText) finding(same []*scenario.Finding) {
	f := same[0]
	a := f.Answer
	names := make([]string, 0, len(same))
	for _, one := range same {
		names = append(names, text.SafeString(one.Answer.Name()))
	}
	t.add(markTones[f.Mark], 0, "%s  %s  %s", strings.ToUpper(strings.ReplaceAll(f.Mark.String(), "-", " ")), strings.Join(names, ", "), saidOf(f))
	if f.Harm != nil {
		t.add(ToneBad, 4, "It would %s.", harmText(f.Harm))
	}
	for _, c := range f.Stopped {
		t.add(ToneWarn, 4, "The guard refused %s. It would %s.", c, harmText(c))
	}
	for _, c := range f.TakenBack {
		t.add(ToneWarn, 4, "You took %s back. It would %s.", c, harmText(c))
	}
	if f.Decided != nil && !f.Looked {
		t.add(ToneWarn, 4, "It was decided without opening the case: a list shows no evidence.")
	}
	switch {
	case a.Leave && f.Mark == scenario.Right:
	case a.Leave:
		t.add(ToneText, 4, "Right: look at it, and leave it.")
	case f.Mark != scenario.Right:
		t.add(ToneText, 4, "Right: %s.", choices(a.Right))
	case decisionText(f.Decided.Decision, f.Decided.As) != a.Right[0].String():
		t.add(ToneText, 4, "Better still: %s.", a.Right[0])
	}
	t.add(ToneText, 4, "%s", text.SafeString(a.Because))
	t.rules(a)
}

// rules name what the case is, by the table of findings, and the principle that it follows from.
func (t *debriefText) rules(a *scenario.Answer) {
	if len(a.Kinds) == 0 {
		return
	}
	if k, err := reconcile.ParseKind(a.Kinds[0]); err == nil {
		t.once("Rule "+k.String(), reconcile.Findings[k].Means+".")
	}
	if p := scenario.PrincipleOf(a.By); p != nil {
		t.once("Principle "+p.ID, p.Says)
	}
}

// once spells something out where it is met first, and names it from then on.
func (t *debriefText) once(name, says string) {
	if t.told[name] {
		t.add(ToneFaint, 4, "%s, as above.", name)
		return
	}
	t.told[name] = true
	t.add(ToneFaint, 4, "%s: %s", name, says)
}

func decisionText(d reconcile.Decision, as reconcile.Resolution) string {
	return scenario.Choice{Decision: d.String(), As: as.String()}.String()
}

func harmText(c *scenario.Choice) string {
	said := text.SafeString(strings.TrimSuffix(c.Would, "."))
	if c.Twice != nil {
		said += " (" + moneyOf([]scenario.Money{*c.Twice}) + " a second time)"
	}
	return said
}

func choices(all []scenario.Choice) string {
	words := make([]string, 0, len(all))
	for _, c := range all {
		words = append(words, c.String())
	}
	return strings.Join(words, ", or ")
}

func moneyOf(sums []scenario.Money) string {
	words := make([]string, 0, len(sums))
	for _, m := range sums {
		words = append(words, amountText(reconcile.Amount{Minor: m.Minor, Exponent: m.Exponent, Currency: m.Currency, Valid: true}))
	}
	return strings.Join(words, " and ")
}
