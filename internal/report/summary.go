package report

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/text"
)

// tally adds up what the manifest does not say of the cases written.
type tally struct {
	cases    int64
	severity [reconcile.SeverityLow + 1]int64
	exposed  int64
	endless  int64 // exposed without a known end
	money    map[denomination]*big.Int
	first    string // id of the first case to decide
	settled  int64  // decided, on what the records still say
	changed  int64  // decided, on what they no longer say
}

type denomination struct {
	currency string
	exponent uint8
}

func (t *tally) add(c *scan.Case, decisions []Decision) {
	t.cases++
	switch last := lastOf(decisions); {
	case last != nil && last.Settled():
		t.settled++
	case t.first == "":
		t.first = c.CaseID
	}
	if last := lastOf(decisions); last != nil && last.Live && last.Changed {
		t.changed++
	}
	t.severity[min(c.Severity, reconcile.SeverityLow)]++
	if c.Exposure.State == reconcile.ExposureNone {
		return
	}
	t.exposed++
	if c.Exposure.State != reconcile.ExposureUntil {
		t.endless++
	}
	t.addMoney(c.Amount)
}

func (t *tally) addMoney(a reconcile.Amount) {
	if !a.Valid {
		return
	}
	d := denomination{a.Currency, a.Exponent}
	if t.money == nil {
		t.money = map[denomination]*big.Int{}
	}
	if t.money[d] == nil {
		t.money[d] = new(big.Int)
	}
	t.money[d].Add(t.money[d], big.NewInt(a.Minor))
}

// toDecide says how many cases there are, and how many of them nobody has decided as they stand now.
func (t *tally) toDecide() string {
	if t.settled == 0 {
		return counted(t.cases, "case") + " to decide"
	}
	return fmt.Sprintf("%s, %d to decide", counted(t.cases, "case"), t.cases-t.settled)
}

func (t *tally) moneyText() string {
	keys := slices.SortedFunc(maps.Keys(t.money), func(a, b denomination) int {
		return strings.Compare(a.currency+strconv.Itoa(int(a.exponent)), b.currency+strconv.Itoa(int(b.exponent)))
	})
	parts := make([]string, 0, len(keys))
	for _, d := range keys {
		parts = append(parts, strings.TrimSpace(decimal(t.money[d].String(), int(d.exponent))+" "+text.SafeString(d.currency)))
	}
	return strings.Join(parts, ", ")
}

func (p *page) summary(m *scan.Manifest, seen *tally, opt Options) {
	if seen.cases > 0 {
		p.printf("\n")
	}
	p.verdict(m, seen, opt)
	c := m.Counts
	p.flow(2, "%d %s = %d matched + %d in flight + %d explained + %d inconclusive + %d unclaimed + %d %s",
		c.Subjects, plural(c.Subjects, "subject"), c.Matched, c.InFlight, c.Explained, c.Inconclusive, c.Unclaimed, c.Cases, plural(c.Cases, "case"))
	p.notDue(m.Watermarks)
	for _, line := range NotJudged(c.NotJudged) {
		p.flow(2, "%s, see idemctl check", line)
	}
	p.contracts(m.Contracts)
	p.gaps(m.Gaps)
	p.sources(m)
	p.loose(opt.Loose)
	p.next(m, seen, opt)
}

// NotJudged says of each rule that could not be applied to how many subjects, and what is lacking for it.
func NotJudged(counts map[string]int64) []string {
	var out []string
	for _, rule := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, fmt.Sprintf("%d not judged for %s: %s", counts[rule], text.SafeString(rule), undeclared(rule)))
	}
	return out
}

// undeclared says what a contract lacks that a rule rests on.
func undeclared(rule string) string {
	switch rule {
	case reconcile.FingerprintConflict.String():
		return "the contract compares requests only with params: {} (or fingerprint), and parameters only as strict JSON"
	case reconcile.SuspectedDuplicateIntent.String():
		return "the contract declares no actor"
	}
	return "the contract lacks a declaration"
}

func (p *page) verdict(m *scan.Manifest, seen *tally, opt Options) {
	switch {
	case seen.cases == 0 && opt.Kind != nil:
		p.flow(2, "No case of kind %s; %d %s of other kinds.", opt.Kind, m.Counts.Cases, plural(m.Counts.Cases, "case"))
	case seen.cases == 0 && m.Complete:
		p.printf("%s\n", p.in(green, "Nothing to decide."))
	case seen.cases == 0:
		p.printf("%s\n", p.in(yellow, "No case, but the scan is incomplete."))
	default:
		var grades []string
		for sev, n := range seen.severity {
			if n > 0 {
				grades = append(grades, fmt.Sprintf("%d %s", n, reconcile.Severity(sev)))
			}
		}
		p.flow(2, "%s: %s", p.in(bold, seen.toDecide()), strings.Join(grades, ", "))
		if seen.changed > 0 {
			p.flow(2, "%s", p.in(yellow, counted(seen.changed, "case")+" changed since the decision: look again."))
		}
		if opt.Kind != nil {
			p.printf("only kind %s is shown: %d cases in all\n", opt.Kind, m.Counts.Cases)
		}
	}
	if seen.exposed > 0 {
		line := fmt.Sprintf("%d exposed to a second execution", seen.exposed)
		if seen.endless > 0 {
			line += fmt.Sprintf(", %d of them without a known end", seen.endless)
		}
		if money := seen.moneyText(); money != "" {
			line += "; money at risk: " + money
		}
		p.flow(2, "%s", line)
	}
}

func (p *page) contracts(findings []scan.ContractFinding) {
	if len(findings) == 0 {
		return
	}
	p.title("Contract findings")
	for _, f := range findings {
		p.flow(4, "  %s  %s  %s  %s", p.in(yellow, text.SafeString(f.Kind)), text.SafeString(f.Contract), counted(f.Count, "subject"), text.SafeString(f.Text))
		p.measures(&f)
	}
}

// measures says over what span a finding about a contract reaches, how much money it concerns, and one of its identities, as the case table shows them. Its
// subjects are no cases, so that their money is not what is at risk above.
func (p *page) measures(f *scan.ContractFinding) {
	span := ""
	if f.From.Known() {
		span = " from " + momentText(f.From)
	}
	if f.To.Known() {
		span += " to " + momentText(f.To)
	}
	if span != "" && f.Kind == reconcile.RetentionGap {
		span = " their receipts' lives ended" + span
	}
	if span != "" {
		p.flow(4, "   %s", span)
	}
	var sum tally
	for _, a := range f.Money {
		sum.addMoney(a)
	}
	if money := sum.moneyText(); money != "" {
		p.flow(4, "    concerns %s: of no case, so not part of the money at risk", money)
	}
	if len(f.Example) > 0 {
		p.flow(4, "    for example %s", shortIdentity(f.Example))
	}
}

func (p *page) gaps(gaps []reconcile.Gap) {
	if len(gaps) == 0 {
		return
	}
	p.title("Restore gaps")
	for _, g := range gaps {
		how := "inferred"
		if g.Declared {
			how = "declared"
		}
		p.flow(4, "  %s  %s, %s, %s: %d missing, %d present%s",
			placeOf(&g), g.Kind, how, spanText(g.From, g.To), g.Missing, g.Present, WhosePresent(&g))
	}
}

func (p *page) sources(m *scan.Manifest) {
	p.title("Sources")
	name, role, count := 0, 0, 0
	for _, s := range m.Sources {
		name = max(name, text.Width(text.SafeString(s.Name)))
		role = max(role, len(s.Role.String()))
		count = max(count, len(recordsText(s)))
	}
	for _, s := range m.Sources {
		p.flow(name+role+count+8, "  %s  %s  %s  %s",
			text.Pad(text.SafeString(s.Name), name), text.Pad(s.Role.String(), role), text.Pad(recordsText(s), count), p.coverage(s.Coverage))
		if s.Coverage.Hint != "" {
			p.flow(name+10, "  %s  hint: %s", strings.Repeat(" ", name), text.Once(s.Coverage.Hint))
		}
	}
}

func recordsText(s scan.Source) string {
	out := counted(s.Records, "record")
	if s.Unreadable > 0 {
		out += fmt.Sprintf(", %d unreadable", s.Unreadable)
	}
	return out
}

func (p *page) coverage(c reconcile.Coverage) string {
	reach := "from the beginning"
	if c.From.Known() {
		reach = "from " + momentText(c.From)
	}
	if c.To.Known() {
		reach += " to " + momentText(c.To)
	}
	switch {
	case !c.Complete:
		return p.in(red, "incomplete") + ": " + text.Once(c.Reason)
	case !c.Proves:
		return "proves no absence: " + text.Once(c.Reason)
	case c.Lag > 0:
		return fmt.Sprintf("%s, late by up to %s", reach, lasts(c.Lag))
	default:
		return reach
	}
}

func (p *page) next(m *scan.Manifest, seen *tally, opt Options) {
	var next [][2]string
	at := ""
	if opt.Config != "" {
		at = " " + text.SafeString(opt.Config)
	}
	if id := text.SafeString(seen.first); id != "" {
		next = append(next, [2]string{"idemctl show " + id[:min(len(id), shortID)] + at, "the first case with its evidence and its reasons"})
	}
	if !m.Complete || unreadable(m) {
		next = append(next, [2]string{"idemctl check" + at, "what of each source could not be read, and where"})
	}
	if len(next) == 0 {
		return
	}
	p.title("Next")
	for _, n := range next {
		p.flow(48, "  %-44s  %s", n[0], n[1])
	}
}

func unreadable(m *scan.Manifest) bool {
	return slices.ContainsFunc(m.Sources, func(s scan.Source) bool { return s.Unreadable > 0 })
}

func counted(n int64, noun string) string { return fmt.Sprintf("%d %s", n, plural(n, noun)) }

func plural(n int64, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}
