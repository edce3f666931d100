package scan

import (
	"maps"
	"slices"

	"example.com/idemctl/internal/reconcile"
)

// shapeOf is one shape that keys of one contract have.
type shapeOf struct {
	contract uint16
	shape    reconcile.KeyShape
}

// shaped counts the keys of one shape.
type shaped struct {
	keys     int64
	from, to reconcile.Instant
}

// shapeFlags is the shape of a row's key.
func shapeFlags(r *reconcile.Record) flags {
	return flags(reconcile.ShapeOf(r.Key().Bytes())) << shapeShift
}

// seeShape keeps the least identity of each shape, for its example.
func (n *tally) seeShape(c *reconcile.Contract, t *trace, r *reconcile.Record) {
	shape := t.fl.shape()
	if shape == reconcile.ShapePlain {
		return
	}
	if n.shapes == nil {
		n.shapes = make(map[shapeOf][]reconcile.Component)
	}
	of := shapeOf{t.ci, shape}
	n.shapes[of] = exampleOf(n.shapes[of], c.IdentityOf(r))
}

// shapesOf joins what each source's goroutine kept.
func shapesOf(all []tally) map[shapeOf][]reconcile.Component {
	out := make(map[shapeOf][]reconcile.Component)
	for i := range all {
		for of, id := range all[i].shapes {
			out[of] = exampleOf(out[of], id)
		}
	}
	return out
}

// countShape counts the rows of one key text, once.
func (c *common) countShape(rows []trace) {
	for i := range rows {
		shape := rows[i].fl.shape()
		if shape == reconcile.ShapePlain {
			continue
		}
		of := shapeOf{rows[i].ci, shape}
		s := c.shapes[of]
		if s == nil {
			s = &shaped{}
			c.shapes[of] = s
		}
		s.keys++
		for n := range rows {
			at := instantOf(rows[n].t)
			s.from, s.to = reconcile.Earliest(s.from, at), reconcile.Latest(s.to, at)
		}
		return
	}
}

// shapeFindings are the findings of a contract's sensitive keys, with an example whose key is masked.
func (c *common) shapeFindings(contract uint16, name string) []ContractFinding {
	var out []ContractFinding
	for _, of := range slices.SortedFunc(maps.Keys(c.shapes), func(a, b shapeOf) int { return int(a.shape) - int(b.shape) }) {
		if s := c.shapes[of]; of.contract == contract {
			out = append(out, ContractFinding{
				Kind: reconcile.SensitiveKeys, Contract: name, Count: s.keys, From: s.from, To: s.to,
				Example: reconcile.Masked(c.examples[of], of.shape), Text: reconcile.SensitiveText(of.shape, s.keys),
			})
		}
	}
	return out
}
