package report

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/text"
)

// Entry is one record of the audit trail.
type Entry struct {
	Seq             int64
	ID, Type        string
	At              reconcile.Instant
	Operator, Tool  string
	Case, Decision  string
	Signed          bool
	Action, As      string
	Code, Answer    string // the guard's
	Reason, Ref, To string
	Outcome         string
	Identity        []reconcile.Component // of the case, where a decision of the trail tells it
	Of              *Decision             // what a later record is about: the decision that was withdrawn, handed out, carried out; nil where it is none, or not known
	Record          []byte                // as it is stored
}

// Log writes records for a person, one a line, what was said below it. On a terminal no line is longer than it is wide.
func Log(w io.Writer, entries iter.Seq2[Entry, error], opt Options) error {
	p := newPage(w, opt)
	for e, err := range entries {
		if err != nil {
			return errors.Join(p.flush(), err)
		}
		p.flow(8, "%6d  %s  %s  %s", e.Seq, momentText(e.At), text.SafeString(e.Operator), strings.Join(e.words(), "  "))
		for _, said := range []struct{ name, value string }{{"about", e.about()}, {"reason", e.Reason}, {"to", e.To}, {"ref", e.Ref}, {"guard", e.Answer}} {
			if said.value == "" {
				continue
			}
			p.flow(16, "        %-6s  %s", said.name, text.SafeString(said.value))
		}
	}
	return p.flush()
}

// about names the action that the record's case is of, and the decision that a later record is about.
func (e *Entry) about() string {
	if len(e.Identity) == 0 {
		return ""
	}
	what := shortIdentity(e.Identity)
	if e.Of != nil {
		what = e.Of.name() + " of record " + strconv.FormatInt(e.Of.Seq, 10) + ", about " + what
	}
	return what
}

// words are what the record tells besides who and when.
func (e *Entry) words() []string {
	words := []string{e.Type}
	if e.Action != "" {
		words = append(words, strings.TrimSpace(e.Action+" "+e.As))
	}
	if e.Outcome != "" {
		words = append(words, e.Outcome)
	}
	if e.Code != "" {
		words = append(words, "["+text.SafeString(e.Code)+"]")
	}
	if e.Case != "" {
		words = append(words, "case "+text.SafeString(e.Case))
	}
	if e.Decision != "" {
		words = append(words, "decision "+text.SafeString(e.Decision))
	}
	return words
}

type entryJSON struct {
	Seq      int64   `json:"seq"`
	ID       shown   `json:"id"`
	Type     string  `json:"type"`
	At       instant `json:"at"`
	Operator shown   `json:"operator"`
	Tool     shown   `json:"tool"`
	Case     shown   `json:"case"`
	Decision shown   `json:"decision"`
	Action   string  `json:"action"`
	As       string  `json:"as"`
	Code     shown   `json:"code"`
	Answer   shown   `json:"answer"`
	Reason   shown   `json:"reason"`
	Ref      shown   `json:"ref"`
	To       shown   `json:"to"`
	Outcome  string  `json:"outcome"`
	Signed   bool    `json:"signed"`
	Identity object  `json:"identity"`
	Of       *ofJSON `json:"of"`
	Record   any     `json:"record"`
}

// ofJSON is the decision that a later record is about.
type ofJSON struct {
	Record   int64  `json:"record"`
	Decision string `json:"decision"`
	As       string `json:"as"`
	Operator shown  `json:"operator"`
}

func newEntryJSON(e *Entry) entryJSON {
	var of *ofJSON
	if e.Of != nil {
		of = &ofJSON{e.Of.Seq, e.Of.Decision.String(), e.Of.As.String(), shown(e.Of.Operator)}
	}
	return entryJSON{
		Seq: e.Seq, ID: shown(e.ID), Type: e.Type, At: instant(e.At), Operator: shown(e.Operator), Tool: shown(e.Tool), Case: shown(e.Case), Decision: shown(e.Decision),
		Action: e.Action, As: e.As, Code: shown(e.Code), Answer: shown(e.Answer), Reason: shown(e.Reason), Ref: shown(e.Ref), To: shown(e.To), Outcome: e.Outcome,
		Signed: e.Signed, Identity: identityObject(e.Identity), Of: of, Record: rawValue(e.Record),
	}
}

// LogJSON writes records as one object.
func LogJSON(w io.Writer, entries iter.Seq2[Entry, error]) error {
	before := `{"version": 1, "entries": [` + "\n  "
	some := false
	for e, err := range entries {
		if err != nil {
			return err
		}
		if err := write(w, before, newEntryJSON(&e), ""); err != nil {
			return err
		}
		before, some = ",\n  ", true
	}
	after := "\n ]}\n"
	if !some {
		after = `{"version": 1, "entries": []}` + "\n"
	}
	_, err := io.WriteString(w, after)
	return err
}

// LogLines writes one record a line.
func LogLines(w io.Writer, entries iter.Seq2[Entry, error]) error {
	for e, err := range entries {
		if err != nil {
			return err
		}
		if err := write(w, "", newEntryJSON(&e), "\n"); err != nil {
			return err
		}
	}
	return nil
}

// Verified is what checking a trail has found.
type Verified struct {
	Origin, Root, Remembered string
	Records                  int64
	Decisions                int
	Unsigned, Backwards      int64
	Faults                   []TrailFault
}

// TrailFault is one thing that is not as it was written.
type TrailFault struct{ Where, What string }

// signedText says how many records there are, and how many of them an operator's own key signs: none needs to.
func signedText(records, unsigned int64) string {
	signed := records - unsigned
	if signed == 0 {
		return fmt.Sprintf("%d; operators here have no signing keys of their own, and need none", records)
	}
	return fmt.Sprintf("%d, %d of them signed with an operator's own key, which is optional", records, signed)
}

// VerifiedText writes the result for a person.
func VerifiedText(w io.Writer, v *Verified, opt Options) error {
	p := newPage(w, opt)
	p.printf("%s\n", text.SafeString(v.Origin))
	width := len("remembered")
	p.pair(width, "records", signedText(v.Records, v.Unsigned))
	p.pair(width, "decisions", fmt.Sprint(v.Decisions))
	p.pair(width, "root", text.SafeString(v.Root))
	remembered := text.SafeString(v.Remembered)
	if remembered == "" {
		remembered = "nothing: this machine has not seen the trail before, so that it cannot tell an older copy from the newest"
	}
	p.pair(width, "remembered", remembered)
	if v.Backwards > 0 {
		p.pair(width, "clock", fmt.Sprintf("%d records whose clock stood before that of the record before", v.Backwards))
	}
	if len(v.Faults) == 0 {
		p.printf("Nothing was altered, removed or reordered.\n")
	}
	for _, f := range v.Faults {
		p.flow(2, "FAULT  %s: %s", text.SafeString(f.Where), text.SafeString(f.What))
	}
	return p.flush()
}

// VerifiedJSON writes the result as one object.
func VerifiedJSON(w io.Writer, v *Verified) error {
	type faultJSON struct {
		Where shown `json:"where"`
		What  shown `json:"what"`
	}
	faults := make([]faultJSON, len(v.Faults))
	for i, f := range v.Faults {
		faults[i] = faultJSON{shown(f.Where), shown(f.What)}
	}
	return write(w, "", struct {
		Version    int         `json:"version"`
		OK         bool        `json:"ok"`
		Origin     shown       `json:"origin"`
		Records    int64       `json:"records"`
		Decisions  int         `json:"decisions"`
		Unsigned   int64       `json:"unsigned"`
		Backwards  int64       `json:"clock_backwards"`
		Root       shown       `json:"root"`
		Remembered shown       `json:"remembered"`
		Faults     []faultJSON `json:"faults"`
	}{1, len(v.Faults) == 0, shown(v.Origin), v.Records, v.Decisions, v.Unsigned, v.Backwards, shown(v.Root), shown(v.Remembered), faults}, "\n")
}
