package reconcile

import (
	"bytes"
	"slices"
)

// Breach is a row to which a receipt points although both tell a component of the scope, and tell it differently.
type Breach struct {
	Value Value       // the effect id
	Row   *Record     // the row of that id
	Scope []Component // what that row's action tells of its scope
}

// tellBreaches tells receipts whose effect id is another scope's row. Where two scopes each have a row of that id, every scope numbers its rows anew, and a
// receipt means one of its own: nothing is breached, whether or not that one still stands.
func (j *joiner) tellBreaches(claims map[string]*claim) {
	for _, cl := range claims {
		if cl.ref.Domain != RefEffect || len(cl.keyed)+len(cl.rows) < 2 {
			continue
		}
		var owners []*unit
		var scope [][]Component
		var pointing []*unit
		seen := make(map[*unit]bool)
		for _, u := range slices.Concat(cl.keyed, cl.rows) {
			if seen[u] {
				continue
			}
			seen[u] = true
			if own := j.ownRow(u, cl.ref); own != nil {
				owners, scope = append(owners, u), append(scope, own)
			} else if namesEffect(u.receipts, cl.ref.Value) {
				pointing = append(pointing, u)
			}
		}
		places := newScopes(j.c, scope)
		if len(owners) == 0 || slices.ContainsFunc(scope, func(own []Component) bool { return len(places.agreeing(own)) < len(owners) }) {
			continue
		}
		for _, u := range pointing {
			if len(places.agreeing(u.id)) == 0 {
				j.breach(u, cl.ref, owners, scope)
			}
		}
	}
}

func namesEffect(receipts []*Record, id Value) bool {
	return slices.ContainsFunc(receipts, func(r *Record) bool { return r.EffectID.Names(id) })
}

// breach notes the row of the least scope: of several, which is named depends on nothing but what they say. Of several references the least counts.
func (j *joiner) breach(u *unit, ref Ref, owners []*unit, scope [][]Component) {
	if b := u.breach; b != nil && bytes.Compare(b.Value.text, ref.Value.text) <= 0 {
		return
	}
	least := 0
	for i := range scope {
		if bytes.Compare(j.c.AppendIdentity(nil, scope[i]), j.c.AppendIdentity(nil, scope[least])) < 0 {
			least = i
		}
	}
	for i := range owners[least].ev {
		if r := owners[least].ev[i].Record; j.owns(r, ref) {
			u.breach = &Breach{Value: ref.Value, Row: r, Scope: scope[least]}
			return
		}
	}
}

// scopeBreach holds where a receipt points at a row of another tenant, account or operation.
func scopeBreach(j *judging) (bool, []string, map[string]string) {
	b := j.s.Breach
	if b == nil {
		return false, nil, nil
	}
	var refs []string
	for _, e := range j.s.Evidence {
		if e.Record.Role == RoleReceipt && e.Record.EffectID.Names(b.Value) {
			refs = append(refs, ref(e.Record))
		}
	}
	name, own, other := j.differing(b.Scope)
	return true, append(refs, ref(b.Row)), map[string]string{"effect": b.Value.String(), "component": name, "own": own, "other": other}
}

// differing names the first component of the scope in which another one differs from the subject's, the key left out.
func (j *judging) differing(scope []Component) (name, own, other string) {
	for i, c := range j.s.Identity {
		if i >= len(scope) || c.Name == "key" {
			continue
		}
		if a, b := c.Value, scope[i].Value; a.known && b.known && !bytes.Equal(j.c.fold(c.Name, a.text), j.c.fold(c.Name, b.text)) {
			return c.Name, a.String(), b.String()
		}
	}
	return "scope", "its own", "another"
}
