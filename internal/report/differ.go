package report

import (
	"encoding/json"
	"fmt"
	"strconv"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/text"
)

type (
	differJSON struct {
		Kind   string     `json:"kind"`
		One    shown      `json:"one"`
		Other  shown      `json:"other"`
		By     string     `json:"by"`     // fingerprint | params | facts
		Params string     `json:"params"` // equal | differ | unknown
		Text   shown      `json:"text"`
		Paths  []pathJSON `json:"paths"`
		More   int        `json:"more_paths,omitempty"`
	}
	pathJSON struct {
		Path   shown           `json:"path"`
		Masked shown           `json:"masked_path,omitempty"` // beside a path that is revealed
		Cause  string          `json:"cause"`
		Counts bool            `json:"counts"`          // the contract's comparison counts it
		One    json.RawMessage `json:"one,omitempty"`   // absent where the record leaves the member out
		Other  json.RawMessage `json:"other,omitempty"` // as JSON text; masked as params are
		Hint   shown           `json:"hint,omitempty"`
	}
)

func newDifferJSON(d *reconcile.Difference, opt Options) differJSON {
	out := differJSON{
		Kind: d.Kind.String(), One: shown(d.One), Other: shown(d.Other), By: d.By.String(), Params: d.Params.String(), Text: shown(d.Text),
		Paths: make([]pathJSON, 0, len(d.Parts)), More: d.More,
	}
	for i := range d.Parts {
		p := &d.Parts[i]
		one := pathJSON{Path: shown(pathText(p, opt.Reveal)), Cause: p.Cause.String(), Counts: p.Cause.Counts(), Hint: shown(p.Hint)}
		if opt.Reveal {
			one.Masked = shown(p.Masked)
		}
		one.One, one.Other = differingValue(p.One, opt), differingValue(p.Other, opt)
		out.Paths = append(out.Paths, one)
	}
	return out
}

// differingValue is a value as the record spells it, nil where it leaves the member out.
func differingValue(v reconcile.Value, opt Options) json.RawMessage {
	switch {
	case !v.Known():
		return nil
	case !opt.Reveal:
		return fmt.Appendf(nil, `{"masked_bytes":%d}`, len(v.Bytes()))
	}
	return bytesValue(v)
}

// pathText is where parameters differ; a name that may be data is masked as values are.
func pathText(p *reconcile.ParamDifference, reveal bool) string {
	if reveal {
		return p.Path
	}
	return p.Place()
}

// DifferenceLine says in one line where two requests differ, and how: values are masked unless they are to be revealed.
func DifferenceLine(p *reconcile.ParamDifference, reveal bool) string {
	said := func(v reconcile.Value) string {
		switch {
		case !v.Known():
			return "left out"
		case reveal:
			return text.Safe(v.Bytes())
		}
		return text.Mask(v.Bytes())
	}
	line := text.SafeString(pathText(p, reveal)) + "  " + p.Cause.String() + ": " + said(p.One) + " | " + said(p.Other)
	if !p.Cause.Counts() {
		line += " (does not count)"
	}
	return line
}

// differences writes where the requests differ that a reason says to differ.
func (s *sheet) differences(all []reconcile.Difference, rule string) {
	for i := range all {
		d := &all[i]
		if d.Kind.String() != rule || len(d.Parts) == 0 {
			continue
		}
		for k := range d.Parts {
			s.flow(10, "        %s", DifferenceLine(&d.Parts[k], s.reveal))
		}
		if d.More > 0 {
			s.flow(10, "        and %s more places", strconv.Itoa(d.More))
		}
	}
}
