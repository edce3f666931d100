package tui

import (
	"slices"
	"strings"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/report"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/text"
	"example.com/idemctl/internal/tui/keymap"
	"example.com/idemctl/internal/tui/paint"
)

// factRow is one fact that some records carry, on the same line in all of them.
type factRow struct {
	name    string
	differs bool
	told    []string // the records that differ, where the judgement says which; nil: all that have it
}

// factRevoked is the fact that whoever asked may no longer ask.
const factRevoked = "revoked_at"

// sameFact joins what names one thing in two kinds of record.
func sameFact(name string) string {
	if name == "object_id" {
		return "provider_ref"
	}
	return name
}

// aligned lists the facts of all records in one order, each fact once.
func (v *caseView) aligned() []factRow {
	var rows []factRow
	values := make(map[string][]reconcile.Value)
	for i := range v.c.Evidence {
		e := &v.c.Evidence[i]
		at := 0
		for _, f := range e.Facts {
			name := sameFact(f.Name)
			if !e.History {
				values[name] = append(values[name], f.Value)
			}
			if known := slices.IndexFunc(rows, func(r factRow) bool { return r.name == name }); known >= 0 {
				at = known + 1
				continue
			}
			if name == factRevoked { // what is to be known before anything else is not below the fold
				at = 0
			}
			rows = slices.Insert(rows, min(at, len(rows)), factRow{name: name})
			at++
		}
	}
	for i := range rows {
		r := &rows[i]
		r.told = v.told(r.name)
		r.differs = len(r.told) > 0 || v.comparable(r.name) && differ(values[r.name])
	}
	if v.only {
		rows = slices.DeleteFunc(rows, func(r factRow) bool { return !r.differs })
	}
	return rows
}

// told lists the records whose requests the judgement found to differ in what counts. Bytes say nothing of it: they differ in spelling too.
func (v *caseView) told(name string) []string {
	var refs []string
	for i := range v.c.Differences {
		d := &v.c.Differences[i]
		if name == "params" && d.Params == reconcile.ParamsDiffer || name == "fingerprint" && d.By == reconcile.ByFingerprint {
			refs = append(refs, d.One, d.Other)
		}
	}
	return refs
}

// comparable reports whether two records of one action should agree in a fact.
func (v *caseView) comparable(name string) bool {
	if slices.Contains([]string{"amount", "effect_id", "provider_ref", "business_ref", "provider_key", "mode"}, name) {
		return true
	}
	return slices.ContainsFunc(v.c.Identity, func(c reconcile.Component) bool { return c.Name == name })
}

func differ(vs []reconcile.Value) bool {
	for i := 1; i < len(vs); i++ {
		if vs[i].Differs(vs[0]) {
			return true
		}
	}
	return false
}

// abreast reports whether records stand side by side, so that a fact is on the same line in all. Where one is seen at a time, lines left free for the others
// would only push what it says itself out of sight.
func (v *caseView) abreast() bool { return !v.zoom && !v.alone && v.width-2 >= 2*columnWidth }

// facts writes a record's facts and reports whether some differ from those of others.
func (v *caseView) facts(e *scan.Evidence, s *sheet) (remark string) {
	rows := v.aligned()
	wide := 0
	for _, r := range rows {
		wide = max(wide, text.Width(text.SafeString(r.name)))
	}
	if v.only { // all of them have the sign, which would touch the longest name
		wide++
	}
	wide = min(wide, max(8, s.w/2-2))
	if v.only && len(rows) == 0 {
		s.add(paint.Faint, "no value differs")
	}
	pointed := false
	for _, r := range rows {
		at := slices.IndexFunc(e.Facts, func(f reconcile.Fact) bool { return sameFact(f.Name) == r.name })
		if at < 0 {
			if v.abreast() {
				s.line() // another record says it, this one does not
			}
			continue
		}
		f := e.Facts[at]
		sign, st := " ", paint.Text
		if f.Name == factRevoked {
			st = paint.Warn
		}
		if r.differs && (r.told == nil || slices.Contains(r.told, e.Source+":"+e.Locator)) {
			pointed = pointed || r.told != nil
			sign, st, remark = v.glyphs.Differs, paint.Differs, v.glyphs.Differs+" differs"
		}
		s.line(paint.Piece{Style: paint.Faint, Text: text.Pad(text.SafeString(f.Name), wide)}, paint.Piece{Style: paint.Differs, Text: sign}, paint.Piece{Style: st, Text: report.FactText(f.Name, f.Value)})
	}
	if pointed {
		s.line(paint.Piece{Style: paint.Differs, Text: v.glyphs.Differs + " requests: see Why"})
	}
	return remark
}

// stored writes a record's columns as they are stored; what may be a payload is masked.
func (v *caseView) stored(e *scan.Evidence, s *sheet) {
	wide := 0
	for _, col := range e.Raw {
		wide = max(wide, text.Width(text.SafeString(col.Name)))
	}
	wide = min(wide, max(8, s.w/2-2))
	for _, col := range e.Raw {
		value := text.Mask(col.Text)
		switch {
		case col.Kind == "null":
			value = "null"
		case report.Plain(e, col):
			value = text.Safe(col.Text)
		}
		s.line(paint.Piece{Style: paint.Faint, Text: text.Pad(text.SafeString(col.Name), wide) + " "}, paint.Piece{Text: value})
	}
}

// why writes the reasons with the rows that prove them, then what stands near.
func (v *caseView) why(s *sheet) {
	for i, r := range v.c.Reasons {
		if i > 0 {
			s.gap()
		}
		s.add(paint.Strong, text.SafeString(r.Rule))
		s.add(paint.Text, text.Once(r.Text))
		for _, ref := range r.Refs {
			s.indent(2, paint.Faint, text.SafeString(ref))
		}
		v.differences(r.Rule, s)
	}
	if due := report.DueSentence(v.c.Due); due != "" {
		s.gap()
		s.add(paint.Time, due)
	}
	v.near(s, "Candidates: they prove nothing, look at them together", v.c.Candidates, v.c.MoreCands)
	v.near(s, "Twins: the same wish, perhaps, under another key", v.c.Twins, v.c.MoreTwins)
	v.near(s, report.OthersTitle, v.c.Others, 0)
	if v.c.More > 0 {
		s.gap()
		s.add(paint.Faint, "and "+counted(v.c.More, "record")+" of this action that are not shown")
	}
}

// differences writes where the requests differ that a reason says to differ.
func (v *caseView) differences(rule string, s *sheet) {
	for i := range v.c.Differences {
		d := &v.c.Differences[i]
		if d.Kind.String() != rule {
			continue
		}
		for k := range d.Parts {
			s.indent(2, paint.Text, report.DifferenceLine(&d.Parts[k], false))
		}
		if d.More > 0 {
			s.indent(2, paint.Faint, "and "+count(int64(d.More))+" more places")
		}
	}
}

func (v *caseView) near(s *sheet, title string, found []reconcile.Candidate, more int) {
	if len(found) == 0 {
		return
	}
	s.gap()
	s.add(paint.Strong, title)
	for _, c := range found {
		if len(c.Identity) > 0 { // a picture of the past may have kept its id only
			s.add(paint.Text, report.NeighbourName(c, false))
		}
		s.indent(2, paint.Faint, strings.TrimSpace(text.SafeString(c.Case)+" "+text.SafeString(c.Locator)))
		s.indent(2, paint.Faint, text.Once(c.Why))
	}
	if more > 0 {
		s.add(paint.Faint, "and "+count(int64(more))+" more")
	}
}

// options writes what is advised, then the guard's answers in the order in which they are read. Each has its reason.
func (v *caseView) options(s *sheet) {
	if v.touched[v.id] && v.past == "" {
		s.add(paint.Warn, "These answers are older than what you have recorded of this case: "+v.keys.Short(keymap.Rescan)+" reads the sources anew and asks again.")
	}
	advice := ""
	if v.past == "" && v.live(v.id) == nil {
		advice = report.HandOver(v.c)
	}
	if advice != "" {
		s.add(paint.Warn, advice)
	}
	for _, o := range report.InOrder(v.c.Options, advice != "") {
		word, st := "allowed", paint.Good
		if !o.Allowed {
			word, st = "refused", paint.Bad
		}
		s.line(paint.Piece{Style: st, Text: word + "  "}, paint.Piece{Style: paint.Strong, Text: decisionWords(o.Decision, o.As)}, paint.Piece{Style: paint.Faint, Text: "  " + o.Code})
		s.indent(9, paint.Text, report.ReasonOf(v.c, o))
		if o.ValidUntil.Known() {
			s.indent(9, paint.Time, "until "+stamp(o.ValidUntil))
		}
	}
}
