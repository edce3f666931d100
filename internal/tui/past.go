package tui

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
)

// pastCase reads a case as it was kept with a decision. What this version does not know of it is an error: half a picture would mislead.
func pastCase(body []byte) (*scan.Case, error) {
	var in struct {
		ID, Contract, Headline string
		Kinds                  []string
		Severity               string
		Identity               object
		Executed               string
		Legs                   object
		Pending                []struct{ What, Ref, Till string }
		RetryNow               string `json:"retry_now"`
		Exposure               struct{ State, Until string }
		Amount                 *struct {
			Minor    int64
			Exponent uint8
			Currency string
		}
		Evidence []struct {
			Role, Source, Locator, Link string
			History                     bool
			Facts, Raw                  object
		}
		Due                       *pastDue
		ProviderTo                string `json:"provider_knows_until"`
		Differences               []pastDifference
		Candidates, Twins, Others []pastNeighbour
		Why                       []struct {
			Rule, Text string
			Refs       []string
		}
		Options []struct {
			Decision, As, Code, Reason string
			Other                      string
			Allowed                    bool
			ValidUntil                 string `json:"valid_until"`
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, fmt.Errorf("reading the evidence as it was: %w", err)
	}
	p := &parsing{}
	c := &scan.Case{Contract: in.Contract, Identity: in.Identity.components()}
	c.CaseID = in.ID
	for _, k := range in.Kinds {
		c.Kinds = append(c.Kinds, word(p, k, reconcile.ParseKind))
	}
	c.Severity, c.Executed = word(p, in.Severity, reconcile.ParseSeverity), word(p, in.Executed, reconcile.ParseExecuted)
	c.RetryNow = word(p, in.RetryNow, reconcile.ParseRetryVerdict)
	c.Exposure = reconcile.Exposure{State: word(p, in.Exposure.State, reconcile.ParseExposureState), Until: p.instant(in.Exposure.Until)}
	for _, l := range in.Legs {
		c.Legs = append(c.Legs, reconcile.Leg{Name: word(p, l.name, reconcile.ParseLegName), State: word(p, l.value.String(), reconcile.ParseLegState)})
	}
	for _, one := range in.Pending {
		c.Pending = append(c.Pending, reconcile.Pending{What: one.What, Ref: one.Ref, Till: p.instant(one.Till)})
	}
	if in.Amount != nil {
		c.Amount = reconcile.Amount{Minor: in.Amount.Minor, Exponent: in.Amount.Exponent, Currency: in.Amount.Currency, Valid: true}
	}
	for _, e := range in.Evidence {
		one := scan.Evidence{Role: word(p, e.Role, reconcile.ParseRole), Source: e.Source, Locator: e.Locator, Link: word(p, e.Link, parseLink), History: e.History}
		for _, f := range e.Facts.components() {
			one.Facts = append(one.Facts, reconcile.Fact(f))
		}
		for _, col := range e.Raw.components() {
			one.Raw = append(one.Raw, reconcile.Column{Name: col.Name, Kind: "text", Text: col.Value.Bytes()})
		}
		c.Evidence = append(c.Evidence, one)
	}
	c.ProviderTo = p.instant(in.ProviderTo)
	if in.Due != nil {
		c.Due = reconcile.Due{At: p.instant(in.Due.At), Source: in.Due.Source, Text: in.Due.Text}
	}
	for i := range in.Differences {
		c.Differences = append(c.Differences, in.Differences[i].read(p))
	}
	c.Candidates, c.Twins, c.Others = neighbours(p, in.Candidates), neighbours(p, in.Twins), neighbours(p, in.Others)
	for _, r := range in.Why {
		c.Reasons = append(c.Reasons, reconcile.Reason{Rule: r.Rule, Text: r.Text, Refs: r.Refs})
	}
	for _, o := range in.Options {
		c.Options = append(c.Options, reconcile.Option{
			Decision: word(p, o.Decision, reconcile.ParseDecision), As: word(p, o.As, reconcile.ParseResolution), Allowed: o.Allowed, Code: o.Code, Reason: o.Reason, Other: o.Other,
			ValidUntil: p.instant(o.ValidUntil),
		})
	}
	for i := range c.Evidence {
		for _, f := range c.Evidence[i].Facts {
			if f.Name == "created_at" {
				c.Since = reconcile.Earliest(c.Since, p.instant(f.Value.String()))
			}
		}
	}
	if len(c.Kinds) == 0 || c.CaseID == "" {
		p.err = errors.New("it is no case") // whatever else it is not
	}
	if p.err != nil {
		return nil, fmt.Errorf("reading the evidence as it was: %w", p.err)
	}
	return c, nil
}

// pastNeighbour is another action as it was named then; early records named its id and row only.
type pastNeighbour struct {
	Case, Locator, Why, Began string
	Identity                  object
}

func neighbours(p *parsing, in []pastNeighbour) []reconcile.Candidate {
	var out []reconcile.Candidate
	for _, n := range in {
		out = append(out, reconcile.Candidate{Case: n.Case, Locator: n.Locator, Why: n.Why, Identity: n.Identity.components(), Began: p.instant(n.Began)})
	}
	return out
}

// parsing keeps the first word that is not known.
type parsing struct{ err error }

func word[T any](p *parsing, s string, parse func(string) (T, error)) T {
	v, err := parse(s)
	if err != nil && p.err == nil {
		p.err = err
	}
	return v
}

func (p *parsing) instant(s string) reconcile.Instant {
	if s == "" {
		return reconcile.Instant{}
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil && p.err == nil {
		p.err = err
	}
	return reconcile.At(t)
}

// object is a JSON object whose members keep their order.
type object []member

type member struct {
	name  string
	value reconcile.Value
}

func (o object) components() []reconcile.Component {
	out := make([]reconcile.Component, 0, len(o))
	for _, m := range o {
		out = append(out, reconcile.Component{Name: m.name, Value: m.value})
	}
	return out
}

// UnmarshalJSON reads the members in their order. A value is text, bytes in base64, unknown as null, or what else it is in its own spelling.
func (o *object) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(b))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return errors.New("not an object")
	}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return err
		}
		name, ok := t.(string)
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil || !ok {
			return errors.Join(err, errors.New("not a member"))
		}
		*o = append(*o, member{name, valueOf(raw)})
	}
	return nil
}

func valueOf(raw []byte) reconcile.Value {
	var s string
	var coded struct{ Base64 []byte }
	switch {
	case string(raw) == "null":
		return reconcile.Value{}
	case raw[0] == '"' && json.Unmarshal(raw, &s) == nil:
		return reconcile.Text(s)
	case raw[0] == '{' && json.Unmarshal(raw, &coded) == nil && coded.Base64 != nil:
		return reconcile.Bytes(coded.Base64)
	}
	return reconcile.Bytes(raw)
}

func parseLink(s string) (reconcile.Link, error) {
	for l := reconcile.LinkNone; l.String() != ""; l++ {
		if l.String() == s {
			return l, nil
		}
	}
	return reconcile.LinkNone, fmt.Errorf("%q is not a link", s)
}

// scanNow is the clock of the scan that a record rests on, as its stored lines say it; unknown where they do not.
func scanNow(body []byte) reconcile.Instant {
	for _, line := range bytes.Split(body, []byte("\n")) {
		var in struct {
			ScanNow string `json:"scan_now"`
		}
		if json.Unmarshal(line, &in) != nil || in.ScanNow == "" {
			continue
		}
		if t, err := time.Parse(time.RFC3339Nano, in.ScanNow); err == nil {
			return reconcile.At(t)
		}
	}
	return reconcile.Instant{}
}
