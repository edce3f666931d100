package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/text"
)

// Answer is what became of a decision about one case: it was recorded, or refused with a code and a reason.
type Answer struct {
	Case         string
	Decision     *Decision // nil where it was refused
	Code, Reason string
}

// Answers writes what was recorded, one decision a line.
func Answers(w io.Writer, answers []Answer) error {
	for _, a := range answers {
		if a.Decision == nil {
			continue
		}
		until := ""
		if a.Decision.ValidUntil.Known() {
			until = "  until " + momentText(a.Decision.ValidUntil)
		}
		if _, err := fmt.Fprintf(w, "recorded  %s  %s  %s%s\n", text.SafeString(a.Case), a.Decision.name(), text.SafeString(a.Decision.ID), until); err != nil {
			return err
		}
		if a.Reason != "" {
			if _, err := fmt.Fprintf(w, "          %s\n", text.SafeString(a.Reason)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Refusals says of each refusal why it was refused.
func Refusals(answers []Answer) []string {
	var out []string
	for _, a := range answers {
		if a.Decision == nil {
			out = append(out, fmt.Sprintf("refused  %s  %s [%s]", text.SafeString(a.Case), text.SafeString(a.Reason), a.Code))
		}
	}
	return out
}

// AnswersJSON writes all answers as one object.
func AnswersJSON(w io.Writer, answers []Answer) error {
	type answerJSON struct {
		Case     shown         `json:"case"`
		Recorded bool          `json:"recorded"`
		Code     string        `json:"code"`
		Reason   shown         `json:"reason"`
		Decision *decisionJSON `json:"decision"`
	}
	list := make([]answerJSON, len(answers))
	for i, a := range answers {
		list[i] = answerJSON{Case: shown(a.Case), Code: a.Code, Reason: shown(a.Reason)}
		if a.Decision != nil {
			list[i].Recorded, list[i].Decision = true, newDecisionJSON(a.Decision)
		}
	}
	return write(w, `{"version": 1, "answers": `, list, "}\n")
}

// DecisionJSON writes one decision of a case.
func DecisionJSON(w io.Writer, caseID string, d *Decision) error {
	return write(w, "", struct {
		Case     shown         `json:"case"`
		Decision *decisionJSON `json:"decision"`
	}{shown(caseID), newDecisionJSON(d)}, "\n")
}

// Handed is a replay as it is handed to the service's worker.
type Handed struct {
	Decision, Case, Contract    string
	Identity                    []reconcile.Component
	Params, Target, ProviderKey reconcile.Value
	ValidUntil, HandedOut       reconcile.Instant
}

type handedJSON struct {
	Decision    shown   `json:"decision"`
	Case        shown   `json:"case"`
	Contract    shown   `json:"contract"`
	Identity    object  `json:"identity"`
	Params      any     `json:"parameters"`      // as JSON where they are an object or a list
	ParamsText  any     `json:"parameters_text"` // exactly as the records hold them: what is parsed and written anew may differ
	Target      any     `json:"target"`
	ProviderKey any     `json:"provider_key"`
	ValidUntil  instant `json:"valid_until"`
	HandedOut   instant `json:"handed_out"`
}

// HandOut writes what the worker is to send: one object a line, or one object with all.
func HandOut(w io.Writer, handed []Handed, whole bool) error {
	list := make([]handedJSON, len(handed))
	for i := range handed {
		h := &handed[i]
		list[i] = handedJSON{
			Decision: shown(h.Decision), Case: shown(h.Case), Contract: shown(h.Contract), Identity: identityObject(h.Identity), Params: jsonValue(h.Params), ParamsText: bytesValue(h.Params),
			Target: bytesValue(h.Target), ProviderKey: bytesValue(h.ProviderKey), ValidUntil: instant(h.ValidUntil), HandedOut: instant(h.HandedOut),
		}
	}
	if whole {
		return write(w, `{"version": 1, "handed_out": `, list, "}\n")
	}
	for i := range list {
		if err := write(w, "", &list[i], "\n"); err != nil {
			return err
		}
	}
	return nil
}

// jsonValue is a value as the JSON that it holds, else as a text.
func jsonValue(v reconcile.Value) json.RawMessage {
	b := bytes.TrimSpace(v.Bytes())
	if len(b) > 0 && (b[0] == '{' || b[0] == '[') && utf8.Valid(b) && json.Valid(b) {
		return b
	}
	return bytesValue(v)
}

// NotHanded says of a decision why it is not handed out.
func NotHanded(id, caseID, code, reason string) string {
	return fmt.Sprintf("not handed out  %s  case %s  %s [%s]", text.SafeString(id), text.SafeString(caseID), text.SafeString(reason), code)
}
