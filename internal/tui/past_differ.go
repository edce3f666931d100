package tui

import (
	"encoding/json"

	"example.com/idemctl/internal/reconcile"
)

// pastDue is when a case was due, as it was kept.
type pastDue struct{ At, Source, Text string }

// pastDifference is where two requests differed, as it was kept.
type pastDifference struct {
	Kind, One, Other, By, Params, Text string
	More                               int `json:"more_paths"`
	Paths                              []struct {
		Path, Cause, Hint string
		Masked            string `json:"masked_path"`
		One, Other        json.RawMessage
	}
}

func (in *pastDifference) read(p *parsing) reconcile.Difference {
	d := reconcile.Difference{
		Kind: word(p, in.Kind, reconcile.ParseKind), One: in.One, Other: in.Other, By: word(p, in.By, reconcile.ParseBasis),
		Params: word(p, in.Params, reconcile.ParseParamsAnswer), Text: in.Text, More: in.More,
	}
	for _, one := range in.Paths {
		part := reconcile.ParamDifference{Path: one.Path, Masked: one.Masked, Cause: word(p, one.Cause, reconcile.ParseCause), Hint: one.Hint}
		if len(one.One) > 0 {
			part.One = valueOf(one.One)
		}
		if len(one.Other) > 0 {
			part.Other = valueOf(one.Other)
		}
		d.Parts = append(d.Parts, part)
	}
	return d
}
