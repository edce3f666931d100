package report

import (
	"strings"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/text"
)

// keyFact reports whether a fact holds a key: the client's, or one that was sent.
func keyFact(name string) bool {
	return name == "key" || name == "provider_key" || strings.HasSuffix(name, ".key_sent")
}

// secret reports whether a value is a key whose text has a shape that nobody should read over a shoulder: it is masked like a payload.
func secret(name string, v reconcile.Value) bool {
	return v.Known() && keyFact(name) && reconcile.ShapeOf(v.Bytes()) != reconcile.ShapePlain
}

// ComponentCell writes a component of an identity beside others. No value looks like two.
func ComponentCell(c reconcile.Component) string {
	if secret(c.Name, c.Value) {
		return text.Mask(c.Value.Bytes())
	}
	return cellText(c.Value)
}

// FactText is a fact on a line of its own, as it is shown unless payloads are revealed.
func FactText(name string, v reconcile.Value) string {
	if payload(name) || secret(name, v) {
		return text.Mask(v.Bytes())
	}
	return valueText(v)
}

// Masked returns a case whose texts may be shown to anybody: a key that is a secret is masked in locators, whose row's primary key it may be, and wherever a
// text names one. A case without such a key is returned as it is. Identity and facts stay what they are: FactText and ComponentCell mask them.
func Masked(c *scan.Case) *scan.Case {
	m := masker{}
	for _, comp := range c.Identity {
		m.see(comp.Name, comp.Value)
	}
	for i := range c.Evidence {
		for _, f := range c.Evidence[i].Facts {
			m.see(f.Name, f.Value)
		}
	}
	for _, list := range [][]reconcile.Candidate{c.Candidates, c.Twins, c.Others} {
		for _, other := range list {
			for _, comp := range other.Identity {
				m.see(comp.Name, comp.Value)
			}
		}
	}
	if len(m.pairs) == 0 {
		return c
	}
	return m.hide(c)
}

type masker struct{ pairs []string } // old, new, as strings.NewReplacer takes them

func (m *masker) see(name string, v reconcile.Value) {
	if secret(name, v) {
		m.pairs = append(m.pairs, v.String(), text.Mask(v.Bytes()))
	}
}

func (m *masker) hide(c *scan.Case) *scan.Case {
	in := strings.NewReplacer(m.pairs...).Replace
	out := *c
	out.Evidence = nil
	for _, e := range c.Evidence {
		e.Locator = in(e.Locator)
		out.Evidence = append(out.Evidence, e)
	}
	out.Pending = nil
	for _, p := range c.Pending {
		p.Ref = in(p.Ref)
		out.Pending = append(out.Pending, p)
	}
	out.Reasons = nil
	for _, r := range c.Reasons {
		refs := r.Refs
		r.Text, r.Refs = in(r.Text), nil
		for _, ref := range refs {
			r.Refs = append(r.Refs, in(ref))
		}
		out.Reasons = append(out.Reasons, r)
	}
	out.Differences = nil
	for _, d := range c.Differences {
		d.One, d.Other = in(d.One), in(d.Other)
		out.Differences = append(out.Differences, d)
	}
	out.Candidates, out.Twins, out.Others = hidden(c.Candidates, in), hidden(c.Twins, in), hidden(c.Others, in)
	return &out
}

// hidden masks the locators of other cases' rows, which may be keys of the same kind.
func hidden(cs []reconcile.Candidate, in func(string) string) []reconcile.Candidate {
	var out []reconcile.Candidate
	for _, c := range cs {
		c.Locator = in(c.Locator)
		if at := strings.LastIndexByte(c.Locator, '/'); reconcile.ShapeOf([]byte(c.Locator)) != reconcile.ShapePlain {
			c.Locator = c.Locator[:at+1] + text.Mask([]byte(c.Locator[at+1:]))
		}
		out = append(out, c)
	}
	return out
}
