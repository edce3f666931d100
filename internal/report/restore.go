package report

import (
	"context"
	"fmt"
	"io"
	"math/big"
	"strings"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/restore"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/text"
)

// Restore writes the restore audit for a person: first what is systematic, then what stands and what would run again, then what proves it. m is that of the
// whole scan, also where a is of one store.
func Restore(w io.Writer, m *scan.Manifest, a *restore.Audit, opt Options) error {
	p := newPage(w, opt)
	p.restoreHead(m)
	if len(a.Gaps) == 0 {
		p.printf("%s\n", p.in(green, noGap(len(m.Gaps))))
		if !m.Complete {
			p.flow(2, "%s", p.in(yellow, "But not everything could be read: a gap may hide there."))
		}
	}
	for i := range a.Gaps {
		p.restoreGap(&a.Gaps[i])
	}
	p.atRisk(m, a)
	p.resends(a)
	for i := range a.Gaps {
		p.proof(&a.Gaps[i])
	}
	p.signs(a)
	p.restoreNext(a, opt)
	return p.flush()
}

// noGap says that there is none, or none of the store that was asked for, while others have so many.
func noGap(others int) string {
	switch others {
	case 0:
		return "No restore gap: none is declared, and no source shows one."
	case 1:
		return "No restore gap of the store that was asked for; 1 of another is left out."
	}
	return fmt.Sprintf("No restore gap of the store that was asked for; %d of others are left out.", others)
}

func (p *page) restoreHead(m *scan.Manifest) {
	p.printf("%s  restore audit as of %s\n", p.in(bold, text.SafeString(m.Name)), judgedAt(m))
	if !m.Complete {
		p.flow(0, "%s", p.in(red, "INCOMPLETE: not everything could be read as declared, so nothing was concluded from an absence there: idemctl check."))
	}
	p.printf("\n")
}

// restoreGap says of one gap what happened, what is gone, what stands and what would run again.
func (p *page) restoreGap(g *restore.GapCounts) {
	how := "inferred, not confirmed"
	switch {
	case g.Confirmation != "":
		how = "confirmed as " + text.SafeString(g.Confirmation)
	case g.Declared:
		how = "declared"
	}
	p.flow(2, "%s: a restore gap of %s %s (%s, %s)", p.in(bold, "systematic"), p.in(bold, placeOf(&g.Gap)), spanText(g.From, g.To), g.Kind, how)
	p.flow(4, "  %s %s gone, %s there in that time%s", counted(g.Missing, "record"), isAre(g.Missing), counted(g.Present, "record")+" "+isAre(g.Present), WhosePresent(&g.Gap))
	p.flow(4, "  %s in it: of %d some effect still stands, %d would or might run again", counted(g.Cases, "case"), g.Standing, g.AtRisk)
}

func isAre(n int64) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func spanText(from, to reconcile.Instant) string {
	out := "from an unknown time"
	if from.Known() {
		out = "from " + momentText(from)
	}
	if to.Known() {
		return out + " to " + momentText(to)
	}
	return out + " on"
}

// atRisk lists the keys that would run again, those first whose retry can come soonest or for ever.
func (p *page) atRisk(m *scan.Manifest, a *restore.Audit) {
	if len(a.Gaps) == 0 {
		return
	}
	p.title("Keys that would run again")
	if a.AtRisk == 0 {
		if len(a.Resends) > 0 {
			p.flow(2, "  %s", p.in(yellow, "none by a retry; but "+ResendText(a)+": see below"))
			return
		}
		p.printf("  %s\n", p.in(green, "none"))
		return
	}
	line := counted(a.AtRisk, "key")
	var sums []string
	for _, t := range a.Totals {
		sums = append(sums, fmt.Sprintf("%s (%d)", totalText(t), t.Count))
	}
	if len(sums) > 0 {
		line += "; money at risk: " + strings.Join(sums, ", ")
	}
	p.flow(2, "  %s", line)
	wide := 0
	for i := range a.Next {
		wide = max(wide, text.Width(shortIdentity(a.Next[i].Identity)))
	}
	for i := range a.Next {
		c := &a.Next[i]
		until := shortExposure(c.Exposure, m.Now)
		if c.Exposure.State == reconcile.ExposureUntil {
			until = endText(c.Exposure.Until) + " (" + until + ")"
		}
		p.flow(6, "  %s  %-30s  %s  %-19s  %s", c.CaseID[:min(len(c.CaseID), shortID)], until, text.Pad(shortIdentity(c.Identity), wide), c.RetryNow, amountText(c.Amount))
	}
	if more := a.AtRisk - int64(len(a.Next)); more > 0 {
		p.flow(2, "  and %d more: idemctl restore --json lists all", more)
	}
}

// ResendText says how much is done again by itself, whatever a retry does.
func ResendText(a *restore.Audit) string {
	if len(a.Resends) == 1 {
		return "1 unsent message or job will be sent again by itself, though its effect stands"
	}
	return fmt.Sprintf("%d unsent messages or jobs will be sent again by themselves, though their effects stand", len(a.Resends))
}

func totalText(t restore.Total) string {
	return strings.TrimSpace(decimal(t.Minor.String(), int(t.Exponent)) + " " + text.SafeString(t.Currency))
}

// proof shows, slice by slice, how many actions have their record and how many lack it.
func (p *page) proof(g *restore.GapCounts) {
	if len(g.Slices) == 0 {
		return
	}
	p.title("What shows the gap of " + placeOf(&g.Gap))
	var most int64 = 1
	for _, s := range g.Slices {
		most = max(most, s.With+s.Without)
	}
	for _, s := range g.Slices {
		const wide = 30
		kept, lost := int(s.With*wide/most), int(s.Without*wide/most)
		p.printf("  %s  %5d with  %5d without  %s%s\n", momentText(s.From), s.With, s.Without, strings.Repeat("=", kept), p.in(red, strings.Repeat("x", lost)))
	}
}

func (p *page) signs(a *restore.Audit) {
	if len(a.Signs) > 0 {
		p.title("Signs in the data")
	}
	for _, s := range a.Signs {
		p.flow(4, "  %s  %s: %s", text.SafeString(s.Store), p.in(yellow, s.Kind.String()), text.SafeString(s.Text))
	}
	if len(a.Reused) == 0 {
		return
	}
	p.title("Ids handed out twice")
	for i := range a.Reused {
		if i == mostShown {
			p.flow(2, "  and %d more: idemctl restore --json lists all", len(a.Reused)-i)
			break
		}
		r := &a.Reused[i]
		p.flow(4, "  %s %s: %s names it for another action", text.SafeString(r.Source), valueText(r.ID), text.SafeString(r.Witness))
	}
}

// mostShown is how many lines of one kind a person is shown.
const mostShown = 20

func (p *page) resends(a *restore.Audit) {
	if len(a.Resends) == 0 {
		return
	}
	p.title("Will be sent again")
	for i := range a.Resends {
		if i == mostShown {
			p.flow(2, "  and %d more: idemctl restore --json lists all", len(a.Resends)-i)
			break
		}
		p.flow(4, "  %s  %s  case %s", text.SafeString(a.Resends[i].Source), text.SafeString(a.Resends[i].Locator), a.Resends[i].Case[:min(len(a.Resends[i].Case), shortID)])
	}
}

func (p *page) restoreNext(a *restore.Audit, opt Options) {
	at := ""
	if opt.Config != "" {
		at = " " + text.SafeString(opt.Config)
	}
	var next [][2]string
	for i := range a.Gaps {
		if !a.Gaps[i].Declared {
			next = append(next, [2]string{`idemctl restore --confirm --reason "…"` + at, "take the gap as a fact: cases are named by it, decisions stay"})
			break
		}
	}
	for i := range a.Gaps {
		if id := a.Gaps[i].Confirmation; id != "" {
			next = append(next, [2]string{"idemctl withdraw " + text.SafeString(id) + ` --reason "…"` + at, "take that confirmation back, where it was a mistake"})
			break
		}
	}
	if len(a.Next) > 0 {
		next = append(next, [2]string{"idemctl show " + a.Next[0].CaseID[:min(len(a.Next[0].CaseID), shortID)] + at, "the first of them with its evidence and its reasons"})
		if !strings.HasSuffix(opt.Config, ".scan") {
			next = append(next, [2]string{"idemctl restore --plan plan.sql" + at, "the receipts to put back, to read and to run yourself"})
		}
	}
	if len(next) == 0 {
		return
	}
	p.title("Next")
	for _, n := range next {
		p.flow(48, "  %-44s  %s", n[0], n[1])
	}
}

type (
	restoreGapJSON struct {
		gapJSON
		Confirmation shown       `json:"confirmation,omitempty"`
		Slices       []sliceJSON `json:"slices"`
	}
	sliceJSON struct {
		From    instant `json:"from"`
		To      instant `json:"to"`
		With    int64   `json:"with"`
		Without int64   `json:"without"`
	}
	riskJSON struct {
		Case     shown        `json:"case"`
		Gap      shown        `json:"gap"`
		Identity object       `json:"identity"`
		RetryNow string       `json:"retry_now"`
		Exposure exposureJSON `json:"exposure"`
		Amount   *amountJSON  `json:"amount"`
	}
	totalJSON struct {
		Count    int64    `json:"count"`
		Minor    *big.Int `json:"minor"`
		Exponent uint8    `json:"exponent"`
	}
	reusedJSON struct {
		Source  shown `json:"source"`
		ID      any   `json:"id"`
		Witness shown `json:"witness"`
		Case    shown `json:"case"`
	}
	rangeJSON struct {
		Source shown `json:"source"`
		From   int64 `json:"from"`
		To     int64 `json:"to"`
	}
	signJSON struct {
		Store shown  `json:"store"`
		Kind  string `json:"kind"`
		Text  shown  `json:"text"`
	}
	resendJSON struct {
		Source  shown `json:"source"`
		Locator shown `json:"locator"`
		Case    shown `json:"case"`
	}
)

// RestoreJSON writes the restore audit as one object; the keys at risk, and what cannot be put back, are read again and written one by one.
func RestoreJSON(ctx context.Context, w io.Writer, r restore.Scan, a *restore.Audit) error {
	m := r.Manifest()
	gaps := make([]restoreGapJSON, 0, len(a.Gaps))
	for i := range a.Gaps {
		g := restoreGapJSON{gapJSON: newGapJSON(&a.Gaps[i].Gap), Confirmation: shown(a.Gaps[i].Confirmation), Slices: make([]sliceJSON, 0, len(a.Gaps[i].Slices))}
		for _, s := range a.Gaps[i].Slices {
			g.Slices = append(g.Slices, sliceJSON{instant(s.From), instant(s.To), s.With, s.Without})
		}
		gaps = append(gaps, g)
	}
	head := []struct {
		name  string
		value any
	}{
		{"version", 1},
		{"name", shown(m.Name)},
		{"now", instant(m.Now)},
		{"config_digest", shown(m.ConfigDigest)},
		{"complete", m.Complete},
		{"gaps", gaps},
		{"totals", totalsJSON(a.Totals)},
		{"ids_reused", reusedIDsJSON(a.Reused)},
		{"ids_to_be_reused", idRangesJSON(a.Coming)},
		{"signs", signsJSON(a.Signs)},
		{"will_resend", resendsJSON(a.Resends)},
		{"not_listed", a.More},
	}
	before := "{"
	for _, part := range head {
		if err := write(w, before+`"`+part.name+`": `, part.value, ",\n"); err != nil {
			return err
		}
		before = " "
	}
	if err := writePlanJSON(ctx, w, a.Plan); err != nil {
		return err
	}
	before, after := ` "at_risk": [`+"\n  ", ` "at_risk": []}`+"\n"
	for c, err := range restore.CasesAtRisk(ctx, r) {
		if err != nil {
			return err
		}
		if err := write(w, before, newRiskJSON(c), ""); err != nil {
			return err
		}
		before, after = ",\n  ", "\n ]}\n"
	}
	_, err := io.WriteString(w, after)
	return err
}

// WithdrawnRestoreJSON writes that a confirmed window was taken back.
func WithdrawnRestoreJSON(w io.Writer, id string, ev *reconcile.Event) error {
	return write(w, "", struct {
		ID    shown   `json:"id"`
		State string  `json:"state"`
		Store shown   `json:"store"`
		Kind  string  `json:"kind"`
		From  instant `json:"from"`
		To    instant `json:"to"`
	}{shown(id), reconcile.DecisionWithdrawn.String(), shown(ev.Store), ev.Kind.String(), instant(ev.From), instant(ev.To.Or(ev.ResumedAt))}, "\n")
}

func newRiskJSON(c *scan.Case) riskJSON {
	out := riskJSON{
		Case: shown(c.CaseID), Gap: shown(c.InGap), Identity: identityObject(c.Identity), RetryNow: c.RetryNow.String(),
		Exposure: exposureJSON{State: c.Exposure.State.String(), Until: instant(c.Exposure.Until)},
	}
	if c.Amount.Valid {
		amount := newAmountJSON(c.Amount)
		out.Amount = &amount
	}
	return out
}

// totalsJSON has a member for each currency; of one that sources write with several exponents, each has its own, named by it.
func totalsJSON(ts []restore.Total) object {
	out := object{}
	for i, t := range ts {
		name := t.Currency
		if i > 0 && ts[i-1].Currency == t.Currency {
			name = fmt.Sprintf("%s/%d", t.Currency, t.Exponent)
		}
		doc, err := encode(totalJSON{t.Count, t.Minor, t.Exponent})
		if err == nil {
			out = append(out, member{name, doc})
		}
	}
	return out
}

func reusedIDsJSON(in []restore.ReusedID) []reusedJSON {
	out := make([]reusedJSON, 0, len(in))
	for i := range in {
		out = append(out, reusedJSON{shown(in[i].Source), bytesValue(in[i].ID), shown(in[i].Witness), shown(in[i].Case)})
	}
	return out
}

func resendsJSON(in []restore.Resend) []resendJSON {
	out := make([]resendJSON, 0, len(in))
	for i := range in {
		out = append(out, resendJSON{shown(in[i].Source), shown(in[i].Locator), shown(in[i].Case)})
	}
	return out
}

func idRangesJSON(in []restore.IDRange) []rangeJSON {
	out := make([]rangeJSON, 0, len(in))
	for _, r := range in {
		out = append(out, rangeJSON{shown(r.Source), r.From, r.To})
	}
	return out
}

func signsJSON(in []reconcile.Sign) []signJSON {
	out := make([]signJSON, 0, len(in))
	for _, s := range in {
		out = append(out, signJSON{shown(s.Store), s.Kind.String(), shown(s.Text)})
	}
	return out
}
