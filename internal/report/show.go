package report

import (
	"io"
	"slices"
	"strings"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/text"
)

// Show writes one case for a person: first what is known in four sentences, then the evidence row by row, the reasons and what may be decided.
func Show(w io.Writer, m *scan.Manifest, c *scan.Case, opt Options) error {
	s := &sheet{page: newPage(w, opt), reveal: opt.Reveal}
	if !opt.Reveal {
		c = Masked(c)
	}
	s.identity(m, c)
	s.sentences(m, c)
	s.decisions(opt.decisions(c))
	s.verdicts(c)
	s.evidence(c)
	s.neighbours("Candidates: they prove nothing, look at them together", c.Candidates, c.MoreCands)
	s.neighbours("Twins: the same wish, perhaps, under another key", c.Twins, c.MoreTwins)
	s.neighbours(OthersTitle, c.Others, 0)
	s.why(c)
	s.options(c)
	return s.flush()
}

// ShowJSON writes one case as it stands in JSON.
func ShowJSON(w io.Writer, c *scan.Case, opt Options) error {
	return write(w, "", newCaseJSON(c, opt), "\n")
}

type sheet struct {
	*page
	reveal bool
}

func (s *sheet) line(format string, a ...any) { s.flow(4, "  "+format, a...) }

func (s *sheet) identity(m *scan.Manifest, c *scan.Case) {
	s.printf("%s  %s\n", s.in(bold, c.Headline().String()), s.severity(c.Severity, c.Severity.String()))
	width := len("contract")
	for _, comp := range c.Identity {
		width = max(width, text.Width(text.SafeString(comp.Name)))
	}
	s.pair(width, "case", text.SafeString(c.CaseID))
	s.pair(width, "as of", judgedAt(m))
	s.pair(width, "contract", text.SafeString(c.Contract))
	for _, comp := range c.Identity {
		s.pair(width, text.SafeString(comp.Name), s.fact(comp.Name, comp.Value))
	}
	if c.Amount.Valid {
		s.pair(width, "amount", amountText(c.Amount))
	}
	if len(c.Kinds) > 1 {
		s.pair(width, "also", strings.ReplaceAll(kindsText(c.Kinds[1:]), " ", ", "))
	}
}

func (s *sheet) sentences(m *scan.Manifest, c *scan.Case) {
	s.printf("\n")
	if !m.Complete {
		s.line("%s", s.in(red, "The scan is incomplete: not everything could be read as declared."))
	}
	const width = len("What is known    ")
	s.pair(width, "What is known", knownSentence(c))
	s.pair(width, "What is not", unknownSentence(c))
	s.pair(width, "A retry now", retrySentences[c.RetryNow])
	s.pair(width, "Until when", exposureSentence(c, m.Now))
	if due := DueSentence(c.Due); due != "" {
		s.pair(width, "Look again", due)
	}
	for _, f := range m.Contracts {
		if f.Contract == c.Contract && ofCase(&f) {
			s.pair(width, "Of the contract", text.SafeString(f.Kind+": "+f.Text))
		}
	}
}

// ofCase reports whether a finding about a contract says something of each of its cases. Of keys that are secrets the case's own rule tells where it has one.
func ofCase(f *scan.ContractFinding) bool { return f.Kind != reconcile.SensitiveKeys }

// knownSentence says whether the action was executed, and whether more than once.
func knownSentence(c *scan.Case) string {
	if c.Executed == reconcile.ExecutedYes && (slices.Contains(c.Kinds, reconcile.DuplicateEffect) || slices.Contains(c.Kinds, reconcile.ReexecutedAfterExpiry)) {
		return "The action was executed more than once." + revokedSentence(c)
	}
	lost, stands := false, false
	for _, l := range c.Legs {
		lost, stands = lost || l.State == reconcile.LegLost, stands || l.State == reconcile.LegYes
	}
	if c.Executed == reconcile.ExecutedYes && lost && !stands {
		return "The action is recorded as executed, and what it made is not there now." + revokedSentence(c)
	}
	return executedSentences[c.Executed] + revokedSentence(c)
}

// revokedSentence says that whoever asked may no longer ask; "" where nothing says so.
func revokedSentence(c *scan.Case) string {
	if slices.ContainsFunc(c.Reasons, func(r reconcile.Reason) bool { return r.Rule == reconcile.PrincipalRevoked }) {
		return " Whoever asked may no longer ask."
	}
	return ""
}

func unknownSentence(c *scan.Case) string {
	var open []string
	for _, l := range c.Legs {
		if l.State == reconcile.LegUndetermined {
			open = append(open, "the "+l.Name.String()+" leg")
		}
	}
	for _, comp := range c.Identity {
		if !comp.Value.Known() {
			open = append(open, "its "+text.SafeString(comp.Name))
		}
	}
	if !c.Since.Known() {
		open = append(open, "its age")
	}
	if len(open) == 0 {
		return "Nothing that the verdict rests on."
	}
	sentence := strings.Join(open, ", ") + "."
	return strings.ToUpper(sentence[:1]) + sentence[1:]
}

func (s *sheet) verdicts(c *scan.Case) {
	s.title("Legs")
	for _, l := range c.Legs {
		state := l.State.String()
		if l.Code != "" {
			state += " (" + text.SafeString(l.Code) + ")"
		}
		s.pair(8, l.Name.String(), state)
	}
	if len(c.Pending) == 0 {
		s.pair(8, "pending", "nothing is known that may still perform it")
	}
	for _, p := range c.Pending {
		till := ""
		if p.Till.Known() {
			till = ", until " + endText(p.Till)
		}
		s.pair(8, "pending", text.SafeString(p.What)+"  "+text.SafeString(p.Ref)+till)
	}
}

func (s *sheet) evidence(c *scan.Case) {
	s.title("Evidence")
	for i := range c.Evidence {
		e := &c.Evidence[i]
		past := ""
		if e.History {
			past = ", superseded"
		}
		s.flow(4, "  %s  %s  link: %s%s", s.in(cyan, e.Role.String()), text.SafeString(e.Source+":"+e.Locator), e.Link, past)
		width := 0
		for _, f := range e.Facts {
			width = max(width, text.Width(text.SafeString(f.Name)))
		}
		for _, f := range e.Facts {
			s.pair(width+4, "    "+text.SafeString(f.Name), s.fact(f.Name, f.Value))
		}
		s.raw(e)
	}
	if c.More > 0 {
		s.line("and %d more records of this action", c.More)
	}
}

// raw writes the row's columns as stored. A column that says no more than a fact above it needs no mask.
func (s *sheet) raw(e *scan.Evidence) {
	if len(e.Raw) == 0 {
		return
	}
	told := told(e)
	width := 0
	for _, col := range e.Raw {
		width = max(width, text.Width(text.SafeString(col.Name)))
	}
	s.line("  %s", s.in(dim, "as stored"))
	for _, col := range e.Raw {
		value := s.payload(col.Text)
		switch {
		case col.Kind == "null":
			value = "null"
		case told[string(col.Text)], smallNumber(col):
			value = text.Safe(col.Text)
		}
		s.pair(width+4, "    "+text.SafeString(col.Name), value)
	}
}

// told are the texts that the facts of a record show anyhow.
func told(e *scan.Evidence) map[string]bool {
	out := make(map[string]bool)
	for _, f := range e.Facts {
		if !payload(f.Name) && !secret(f.Name, f.Value) {
			out[f.Value.String()] = true
		}
	}
	return out
}

// smallDigits is how long a number may be that is shown unmasked: a quantity or a flag, never a card or an account.
const smallDigits = 6

// smallNumber reports whether a column is a number too short to be anybody's secret.
func smallNumber(col reconcile.Column) bool {
	return (col.Kind == "integer" || col.Kind == "bool") && len(col.Text) <= smallDigits
}

func (s *sheet) fact(name string, v reconcile.Value) string {
	switch {
	case !s.reveal:
		return FactText(name, v)
	case payload(name):
		return text.Safe(v.Bytes())
	}
	return valueText(v)
}

func (s *sheet) payload(b []byte) string {
	if !s.reveal {
		return text.Mask(b)
	}
	return text.Safe(b)
}

func (s *sheet) neighbours(title string, found []reconcile.Candidate, more int) {
	if len(found) == 0 {
		return
	}
	s.title(title)
	for _, cand := range found {
		s.line("%s", NeighbourName(cand, s.reveal))
		s.flow(6, "      %s  %s  %s", text.SafeString(cand.Case), text.SafeString(cand.Locator), text.SafeString(cand.Why))
	}
	if more > 0 {
		s.line("and %d more", more)
	}
}

func (s *sheet) why(c *scan.Case) {
	s.title("Why")
	for _, r := range c.Reasons {
		s.line("%s: %s", text.SafeString(r.Rule), text.SafeString(r.Text))
		for _, ref := range r.Refs {
			s.flow(8, "      %s", text.SafeString(ref))
		}
		s.differences(c.Differences, r.Rule)
	}
}

// options writes what is advised, then the answers in the order in which they are read.
func (s *sheet) options(c *scan.Case) {
	s.title("What may be decided")
	advice := HandOver(c)
	if advice != "" {
		s.line("%s", s.in(yellow, advice))
	}
	for _, o := range InOrder(c.Options, advice != "") {
		answer := o.Decision.String()
		if o.As != reconcile.ResolutionNone {
			answer += " --as " + o.As.String()
		}
		word := s.in(green, "allowed")
		if !o.Allowed {
			word = s.in(dim, "refused")
		}
		const name = len("resolve --as confirm-not-executed")
		s.flow(len("  allowed  ")+name+2, "  %s  %s  %s %s", word, text.Pad(answer, name), ReasonOf(c, o), s.in(dim, "["+text.SafeString(o.Code)+"]"))
	}
}
