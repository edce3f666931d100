package histories

import (
	"slices"

	"example.com/idemctl/internal/reconcile"
)

// lost asks for what somebody has in writing, and the service has neither in its receipts nor in its rows any more.
func (g *sight) lost(id Identity) Fault {
	if !g.svc.local() || g.h.Truth[id].Done.Local == 0 || !g.none(id, Orders) || g.named(id) != nil || g.receipt(id) != nil || !g.recordedDone(id) {
		return Fault{}
	}
	return Fault{
		Name: "a confirmed action is gone from the service's stores", Kinds: []reconcile.Kind{reconcile.LostAfterRestore},
		Hidden: hidden(!g.keyed(Orders) || !g.settled(id, Orders) || !g.settled(id, Receipts), uncovered, g.disputed(id) || len(g.requests(id)) > 1 || !g.keyed(Charges) && g.twoAmounts(id), notJoined),
	}
}

// disputed reports whether another action names a row or an object that this one names.
func (g *sight) disputed(id Identity) bool {
	for _, rs := range g.shown[id] {
		for _, r := range rs {
			if slices.ContainsFunc(idsOf(r), func(name string) bool { return len(g.naming[name]) > 1 }) {
				return true
			}
		}
	}
	return false
}

// effectGone asks for a finished receipt whose row is gone.
func (g *sight) effectGone(id Identity) Fault {
	if !g.svc.local() || !g.receiptIn(id, reconcile.StateCompleted) || !g.none(id, Orders) || g.named(id) != nil || len(g.requests(id)) > 1 {
		return Fault{}
	}
	f := Fault{Name: "a finished receipt's row is gone", Kinds: []reconcile.Kind{reconcile.ReceiptWithoutEffect, reconcile.EffectMissingAfterRestore}}
	f.Hidden = hidden(!g.keyed(Orders) && len(g.naming[Orders+"/"+g.receipt(id).EffectID.String()]) > 1, notJoined, (!g.keyed(Orders) || !g.keyed(Charges)) && g.twoAmounts(id), notJoined, !g.settled(id, Orders), uncovered)
	if !g.lostBy(Orders) {
		f.Kinds = f.Kinds[:1]
	}
	return f
}

// unpaid asks for what is recorded as done, and never reached the provider.
func (g *sight) unpaid(id Identity) Fault {
	if !g.svc.external() || g.h.Truth[id].Done.Remote > 0 || !g.none(id, Charges) || !g.receiptIn(id, reconcile.StateCompleted) || g.later(id) {
		return Fault{}
	}
	waits := len(g.shown[id][Messages]) > 0
	return Fault{
		Name: "recorded as done, and the provider was never called", Kinds: []reconcile.Kind{reconcile.ProviderMissing},
		Hidden: hidden(waits || g.due(id), young, !g.covers(id, Charges), uncovered),
	}
}

// mismatch asks for a row and an object of one action that differ.
func (g *sight) mismatch(id Identity) Fault {
	rows, objects := g.once(id, Orders), g.once(id, Charges)
	if g.svc.Mail || len(rows) != 1 || len(objects) != 1 || len(g.requests(id)) > 1 || rows[0].Amount == objects[0].Amount || g.told(objects[0], otherAmount) != nil {
		return Fault{}
	}
	f := Fault{Name: "the provider charged another amount", Kinds: []reconcile.Kind{reconcile.ProviderMismatch}}
	if !g.keyed(Orders) || !g.keyed(Charges) { // a reference that differs leads nowhere
		f.Kinds, f.Hidden = []reconcile.Kind{reconcile.ReferenceReused, reconcile.ProviderMismatch}, hidden(!g.joined(rows[0]), notJoined)
	}
	return f
}

// once lists the shown rows or objects of an action that stand, each once, whether or not they say whose they are.
func (g *sight) once(id Identity, source string) (out []*reconcile.Record) {
	seen := make(map[string]bool)
	for _, r := range g.shown[id][source] {
		if name := r.EffectID.String() + r.ObjectID.String(); stands(r) && !seen[name] && !g.paidBack(r) && g.told(r, otherEnd) == nil {
			seen[name] = true
			out = append(out, r)
		}
	}
	return out
}

// orphan asks for a row whose receipt is gone before its time.
func (g *sight) orphan(id Identity) Fault {
	if g.receipt(id) != nil || len(g.shown[id][Orders]) == 0 {
		return Fault{}
	}
	i := slices.IndexFunc(g.shown[id][Orders], stands)
	if i < 0 {
		return Fault{}
	}
	row := g.shown[id][Orders][i]
	aged := !row.CreatedAt.Add(g.svc.Retention - margin).After(g.h.World.Now)
	if aged {
		return Fault{}
	}
	f := Fault{Name: "a row's receipt is gone", At: row, Kinds: []reconcile.Kind{reconcile.ReceiptMissingAfterRestore, reconcile.OrphanedEffect}}
	if !g.lostBy(Receipts) {
		f.Kinds = f.Kinds[1:]
	}
	f.Hidden = hidden(!g.joined(row) && !g.onlyStray(id), notJoined, len(g.naming[Orders+"/"+row.EffectID.String()]) > 1, notJoined, !g.settled(id, Receipts), uncovered)
	return f
}

// onlyStray reports whether no action of the tenant lacks a row that this one might be, nor an object that it might name.
func (g *sight) onlyStray(id Identity) bool {
	for other := range g.h.Truth {
		if other.Tenant == id.Tenant && (len(g.standing(other, Orders)) == 0 || g.svc.external() && len(g.standing(other, Charges)) == 0) {
			return false
		}
	}
	return true
}

// undone asks for an action whose client got no answer, or whose worker never came back, and which nobody executed, nor will.
func (g *sight) undone(id Identity) Fault {
	t := g.h.Truth[id]
	lapsed := g.receiptIn(id, reconcile.StateInProgress)
	if t.Done != (Count{}) || t.Later != (Count{}) || g.attempts(id, reconcile.AttemptConfirmed) > 0 || (g.attempts(id, reconcile.AttemptUncertain) == 0 && !lapsed) {
		return Fault{}
	}
	return Fault{
		Name: "the client has no answer, and nothing was executed", Kinds: []reconcile.Kind{reconcile.NotExecuted},
		Hidden: hidden(g.due(id), young, g.asOf(id), asOf, !g.provedUndone(id), uncovered),
	}
}

// provedUndone reports whether every place shows that the action was not executed.
func (g *sight) provedUndone(id Identity) bool {
	if g.receiptIn(id, reconcile.StateCompleted) || len(g.shown[id][OldDisk]) > 0 || g.asOf(id) || g.due(id) {
		return false
	}
	if g.svc.local() && (!g.covers(id, Orders) || !g.none(id, Orders)) {
		return false
	}
	return !g.svc.external() || g.covers(id, Charges) && g.none(id, Charges)
}

// Safe lists the actions that may be sent again without doubling anything, as the stores show for certain: nothing was executed, or only the provider has it,
// and it is promised to recognise the key; and no other action could be the same wish.
func (g *sight) safe() (out []Identity) {
	for _, id := range sortedIDs(g.h.Truth) {
		t := g.h.Truth[id]
		if t.Later != (Count{}) || !g.alone(id) || g.due(id) || g.named(id) != nil {
			continue
		}
		if g.svc.external() && (g.svc.Minted || g.svc.RowKey) {
			continue // nobody could say which key the provider would be sent
		}
		if len(g.kept(id, false)) == 0 {
			continue // nobody could say what to send
		}
		if g.moved(id).Name != "" || g.collision(id).Name != "" {
			continue // another region, or another action's key
		}
		if u := g.undone(id); u.Name != "" && u.Hidden == "" {
			out = append(out, id)
		}
	}
	return out
}
