package histories

import (
	"slices"

	"example.com/idemctl/internal/reconcile"
)

// collision asks for a key of the provider's that two tenants' actions were sent under.
func (g *sight) collision(id Identity) Fault {
	if !g.svc.SameKey || !g.svc.external() || !g.svc.Dedup {
		return Fault{}
	}
	for other := range g.h.Truth {
		if other.Key != id.Key || other.Tenant == id.Tenant || !g.tellsKey(other) || !g.tellsKey(id) {
			continue
		}
		apart := len(g.shown[id][Charges]) > 0 && len(g.shown[other][Charges]) > 0 // an object for each: the provider may keep them apart, or have forgotten
		return Fault{
			Name: "the provider was sent one key for two actions", Kinds: []reconcile.Kind{reconcile.ProviderKeyCollision},
			Hidden: hidden(!g.keyed(Charges), notJoined, apart || g.svc.Promises == reconcile.RetentionNone, otherStore),
		}
	}
	return Fault{}
}

// tellsKey reports whether some record of an action that is shown carries its key.
func (g *sight) tellsKey(id Identity) bool {
	for _, rs := range g.shown[id] {
		if slices.ContainsFunc(rs, func(r *reconcile.Record) bool { return r.Key().Known() }) {
			return true
		}
	}
	return false
}

// overtaken asks for rows that workers of two generations made of one action.
func (g *sight) overtaken(id Identity) Fault {
	rows := g.standing(id, Orders)
	r := g.receipt(id)
	if !g.svc.GenRows || r == nil || len(rows) < 2 || rows[0].Generation == rows[1].Generation {
		return Fault{}
	}
	late := slices.ContainsFunc(rows, func(row *reconcile.Record) bool {
		return row.Generation.N < r.Generation.N && row.CreatedAt.After(r.LockedAt.Add(2*g.svc.Clocks.Service.Abs()))
	})
	if !late {
		return Fault{}
	}
	return Fault{Name: "a worker went on after another took over", Kinds: []reconcile.Kind{reconcile.StaleGeneration}}
}

// twin asks for a wish that its client asked for again under a new key, soon after it got no answer.
func (g *sight) twin(id Identity) Fault {
	if !g.svc.Actors || g.attempts(id, reconcile.AttemptConfirmed)+g.attempts(id, reconcile.AttemptRejected) > 0 {
		return Fault{}
	}
	for other, w := range g.h.wishes {
		if other == id || w != g.h.wishes[id] || len(g.requests(id)) != 1 || len(g.requests(other)) != 1 {
			continue
		}
		for _, r := range g.shown[other][Clients] {
			soon := func(first *reconcile.Record) bool {
				return slices.ContainsFunc(first.Attempts, func(a reconcile.Attempt) bool {
					return a.Outcome == reconcile.AttemptUncertain && !r.CreatedAt.Before(a.At) && r.CreatedAt.Before(a.At.Add(reconcile.DefaultTwinWindow-skew))
				})
			}
			if slices.ContainsFunc(g.shown[id][Clients], soon) {
				return Fault{Name: "a wish came again under a new key", Kinds: []reconcile.Kind{reconcile.SuspectedDuplicateIntent}}
			}
		}
	}
	return Fault{}
}

// ruled lists the actions of which the stores tell for certain that no receipt answers a retry, and that the database would refuse its row before anything else
// is done.
func (g *sight) ruled() (out []Identity) {
	if !g.svc.Unique || !g.svc.local() || g.svc.ProviderFirst {
		return nil
	}
	for _, id := range sortedIDs(g.h.Truth) {
		rows := g.standing(id, Orders)
		if len(rows) != 1 || g.receipt(id) != nil || len(g.shown[id][Clients]) > 1 || !g.settled(id, Receipts) || !g.keyed(Orders) {
			continue
		}
		if f := g.place(Orders); f.Retained.Valid && !rows[0].CreatedAt.Add(f.Retained.D).After(g.h.World.Now.Add(margin+2*skew)) {
			continue // it may be moved away soon
		}
		out = append(out, id)
	}
	return out
}

// toldTwice asks for an event of which the log holds two lines that contradict each other.
func (g *sight) toldTwice(id Identity) Fault {
	for _, r := range g.shown[id][Charges] {
		if g.told(r, otherAmount) != nil || g.told(r, otherEnd) != nil {
			return Fault{Name: "the provider's log tells one event in two ways", At: r, Kinds: []reconcile.Kind{reconcile.ProviderMismatch}}
		}
	}
	return Fault{}
}

// moved asks for a wish that its client sent to two regions.
func (g *sight) moved(id Identity) Fault {
	for _, r := range g.shown[id][Clients] {
		for _, a := range r.Attempts {
			if !a.Target.Equal(r.Attempts[0].Target) {
				return Fault{Name: "a retry went to another region", Kinds: []reconcile.Kind{reconcile.ScopeMoved}}
			}
		}
	}
	return Fault{}
}
