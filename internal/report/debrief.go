package report

import (
	"fmt"
	"io"
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
func DebriefLines(s *scenario.Scenario, d *scenario.Debrief) []DebriefLine {
	var out debriefText
	out.add(ToneHead, 0, "%s", text.SafeString(s.Title))
	out.sum(d)
	for i := range d.Findings {
		out.gap()
		out.finding(&d.Findings[i])
	}
	if len(s.Teaches) > 0 {
		out.gap()
		out.add(ToneHead, 0, "What this teaches")
		for _, t := range s.Teaches {
			out.add(ToneText, 2, "%s", text.SafeString(t))
		}
	}
	return out
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

type debriefText []DebriefLine

func (t *debriefText) add(tone Tone, indent int, format string, args ...any) {
	*t = append(*t, DebriefLine{tone, indent, fmt.Sprintf(format, args...)})
}

func (t *debriefText) gap() { *t = append(*t, DebriefLine{}) }

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
	t.add(ToneText, 0, "%s: %d decided right, %d safe but not what settles it, %d handed over without need, %d harmful, %d undecided.",
		counted(cases, "case"), d.Count(scenario.Right), d.Count(scenario.NotBest), d.Count(scenario.NeedlessHelp), d.Count(scenario.Harmful), d.Count(scenario.Missed))
	if cases > 0 {
		t.add(ToneText, 0, "%d of them were opened before they were decided.", d.Looked())
	}
	t.add(ToneText, 0, "Score %d of 100 · %s · %d of %s · %s · %d given up", d.Score(), lasts(d.Took), d.Steps, counted(int64(d.Of), "step"), counted(int64(d.Hints), "hint"), d.Given)
}

var markTones = map[scenario.Mark]Tone{
	scenario.Right: ToneGood, scenario.NotBest: ToneWarn, scenario.NeedlessHelp: ToneWarn, scenario.Missed: ToneWarn, scenario.Harmful: ToneBad,
}

func (t *debriefText) finding(f *scenario.Finding) {
	a := f.Answer
	said := "nothing was decided"
	if e := f.Decided; e != nil {
		said = "decided: " + decisionText(e.Decision, e.As)
	}
	t.add(markTones[f.Mark], 0, "%s  %s  %s", strings.ToUpper(f.Mark.String()), text.SafeString(a.Name()), said)
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
	if f.Mark != scenario.Right {
		t.add(ToneText, 4, "Right: %s.", choices(a.Right))
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
		t.add(ToneFaint, 4, "Rule %s: %s.", k, reconcile.Findings[k].Means)
	}
	if p := scenario.PrincipleOf(a.By); p != nil {
		t.add(ToneFaint, 4, "Principle %s: %s", p.ID, p.Says)
	}
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
