package report

import "example.com/idemctl/internal/restore"

type (
	planJSON struct {
		Insertable  int               `json:"insertable"`
		Unbuildable []unbuildableJSON `json:"unbuildable"`
	}
	unbuildableJSON struct {
		Case   shown `json:"case"`
		Reason shown `json:"reason"`
	}
)

// newPlanJSON says what can be put back; null of a saved scan, which does not hold how its stores are mapped.
func newPlanJSON(p *restore.Plan) *planJSON {
	if p == nil {
		return nil
	}
	out := &planJSON{Insertable: p.Insertable, Unbuildable: make([]unbuildableJSON, len(p.Unbuildable))}
	for i, u := range p.Unbuildable {
		out.Unbuildable[i] = unbuildableJSON{shown(u.Case), shown(u.Reason)}
	}
	return out
}
