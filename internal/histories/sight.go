package histories

import (
	"slices"
	"strings"
	"time"

	"example.com/idemctl/internal/reconcile"
)

// sight is what the stores show of a history, beside what is known to have happened. It asks no rule: Faults and Safe are made from it.
type sight struct {
	h      *History
	svc    *Service
	lifes  map[Identity]life
	made   []making // as they stood at the scan
	shown  map[Identity]map[string][]*reconcile.Record
	hidden map[Identity]map[string][]*reconcile.Record
	naming map[string]map[Identity]bool // who carries or names an id
}

func (s *sim) sight(h *History) *sight {
	g := &sight{h: h, svc: &h.Service, lifes: make(map[Identity]life), naming: make(map[string]map[Identity]bool)}
	for id, l := range s.lifes {
		g.lifes[id] = *l
	}
	for _, m := range s.made {
		g.made = append(g.made, *m)
	}
	g.shown, g.hidden = g.sorted(h.Records), g.sorted(h.Unseen)
	for _, r := range h.Records {
		for _, name := range idsOf(r) {
			if g.naming[name] == nil {
				g.naming[name] = make(map[Identity]bool)
			}
			g.naming[name][h.Owner[r]] = true
		}
	}
	return g
}

func (g *sight) sorted(rs []*reconcile.Record) map[Identity]map[string][]*reconcile.Record {
	out := make(map[Identity]map[string][]*reconcile.Record)
	for _, r := range rs {
		id := g.h.Owner[r]
		if out[id] == nil {
			out[id] = make(map[string][]*reconcile.Record)
		}
		out[id][r.Source] = append(out[id][r.Source], r)
	}
	return out
}

// idsOf names the row and the object that a record is, or names.
func idsOf(r *reconcile.Record) (names []string) {
	if r.EffectID.Known() {
		names = append(names, Orders+"/"+r.EffectID.String())
	}
	for _, v := range []reconcile.Value{r.ProviderRef, r.ObjectID} {
		if v.Known() {
			names = append(names, Charges+"/"+v.String())
		}
	}
	return names
}

func (g *sight) place(name string) *reconcile.SourceFacts { return g.h.World.Source(name) }

func (g *sight) keyed(source string) bool {
	f := g.place(source)
	return f != nil && slices.Contains(f.Components, "key")
}

// joined reports whether a shown record says whose it is: by its whole key, or by an id that a keyed record of the same action names, and no other action's,
// as long as nothing that the action's records say speaks against it.
func (g *sight) joined(r *reconcile.Record) bool {
	if g.keyed(r.Source) {
		return true
	}
	id := g.h.Owner[r]
	if len(g.requests(id)) > 1 {
		return false
	}
	for _, name := range idsOf(r) {
		if len(g.naming[name]) != 1 {
			return false
		}
	}
	if slices.ContainsFunc(g.shown[id][Orders], func(row *reconcile.Record) bool {
		return (row == r || sharesID(row, r)) && (g.younger(id, row) || g.remade(id, row) || g.spans(id, row))
	}) {
		return false
	}
	named := false
	for _, rs := range g.shown[id] {
		for _, o := range rs {
			if g.keyed(o.Source) && (differ(o, r) || slices.ContainsFunc(g.shown[id][Charges], func(line *reconcile.Record) bool { return sharesID(line, r) && differ(o, line) })) {
				return false
			}
			named = named || g.keyed(o.Source) && sharesID(o, r)
		}
	}
	return named
}

// younger reports whether a row was made after a finished receipt of its action that names its id: then the id was handed out again.
func (g *sight) younger(id Identity, row *reconcile.Record) bool {
	after := func(r *reconcile.Record) bool {
		return r.State == reconcile.StateCompleted && sharesID(r, row) && row.CreatedAt.After(r.CompletedAt.Add(settle))
	}
	return slices.ContainsFunc(g.shown[id][Receipts], after) || slices.ContainsFunc(g.shown[id][OldDisk], after)
}

// remade reports whether the old disk shows, under the id of a row, one that the same action made at another time: the id was handed out twice, and nothing
// tells which of the two a receipt means.
func (g *sight) remade(id Identity, row *reconcile.Record) bool {
	return slices.ContainsFunc(g.shown[id][OldRows], func(old *reconcile.Record) bool {
		return old.EffectID.Equal(row.EffectID) && old.CreatedAt != row.CreatedAt
	})
}

// spans reports whether a row was made after a restore of the rows ended, and a receipt of its action that names its id was begun before: its worker may have
// had a row of that id before the restore, unless a message was committed with the row.
func (g *sight) spans(id Identity, row *reconcile.Record) bool {
	f := g.place(Orders)
	if slices.ContainsFunc(g.shown[id][Messages], func(m *reconcile.Record) bool { return sharesID(m, row) && m.CreatedAt == row.CreatedAt }) {
		return false
	}
	return slices.ContainsFunc(g.h.World.Events, func(e reconcile.Event) bool {
		before := func(r *reconcile.Record) bool { return sharesID(r, row) && !r.CreatedAt.After(e.ResumedAt.Add(f.Skew)) }
		return e.Store == Orders && !row.CreatedAt.Before(e.ResumedAt.Add(-f.Skew)) &&
			(slices.ContainsFunc(g.shown[id][Receipts], before) || slices.ContainsFunc(g.shown[id][OldDisk], before))
	})
}

// differ reports whether two records name two amounts or two requests: then an id alone joins them no more.
func differ(a, b *reconcile.Record) bool {
	return a.Amount.Valid && b.Amount.Valid && a.Amount != b.Amount || a.Params.Known() && b.Params.Known() && !a.Params.Equal(b.Params)
}

func sharesID(a, b *reconcile.Record) bool {
	return slices.ContainsFunc(idsOf(a), func(name string) bool { return slices.Contains(idsOf(b), name) })
}

// standing lists the shown rows or objects of an action that stand and say whose they are, each once.
func (g *sight) standing(id Identity, source string) (out []*reconcile.Record) {
	seen := make(map[string]bool)
	for _, r := range g.shown[id][source] {
		if name := r.EffectID.String() + r.ObjectID.String(); stands(r) && !seen[name] && g.joined(r) && !g.paidBack(r) && g.told(r, otherEnd) == nil {
			seen[name] = true
			out = append(out, r)
		}
	}
	return out
}

// paidBack reports whether a shown line tells that an object was taken back.
func (g *sight) paidBack(r *reconcile.Record) bool {
	return slices.ContainsFunc(g.shown[g.h.Owner[r]][Charges], func(o *reconcile.Record) bool {
		return o.Outcome == reconcile.OutcomeReversed && o.ObjectID.Equal(r.ObjectID)
	})
}

// told returns another shown line of an event that says another end, or another amount, nil where none does.
func (g *sight) told(r *reconcile.Record, what twist) *reconcile.Record {
	for _, o := range g.shown[g.h.Owner[r]][Charges] {
		if r.Source != Charges || !o.EventID.Equal(r.EventID) {
			continue
		}
		if what == otherAmount && o.Amount != r.Amount || what == otherEnd && o.Outcome != r.Outcome {
			return o
		}
	}
	return nil
}

// twoAmounts reports whether the log tells two amounts of one of an action's events: then a row that names one of them may be another's.
func (g *sight) twoAmounts(id Identity) bool {
	return slices.ContainsFunc(g.shown[id][Charges], func(r *reconcile.Record) bool { return g.told(r, otherAmount) != nil })
}

func stands(r *reconcile.Record) bool {
	return r.Status == reconcile.StatusEffective || r.Outcome == reconcile.OutcomeSucceeded
}

// none reports whether a store holds nothing of an action, shown or not.
func (g *sight) none(id Identity, source string) bool {
	return len(g.shown[id][source])+len(g.hidden[id][source]) == 0
}

// receipt is the action's receipt in the store in use, nil where there is none.
func (g *sight) receipt(id Identity) *reconcile.Record {
	if rs := g.shown[id][Receipts]; len(rs) > 0 {
		return rs[0]
	}
	return nil
}

func (g *sight) receiptIn(id Identity, states ...reconcile.State) bool {
	r := g.receipt(id)
	return r != nil && slices.Contains(states, r.State)
}

// lives reports whether the receipt that stands is recognised now; unsure near the end of its life.
func (g *sight) lives(id Identity) bool {
	r := g.receipt(id)
	return r != nil && (g.svc.ByReaper || !r.ExpiresAt.Add(skew).Before(g.h.World.Now)) && r.State != reconcile.StateFailedRetryable
}

func (g *sight) lostBy(store string) bool {
	return slices.ContainsFunc(g.h.World.Events, func(e reconcile.Event) bool { return e.Store == store })
}

// booked reports whether the clients' book shows every send that a client made of the action.
func (g *sight) booked(id Identity) bool {
	return len(g.shown[id][Clients]) > 0 && !g.lostBy(Clients)
}

func (g *sight) attempts(id Identity, which reconcile.AttemptOutcome) (n int) {
	for _, r := range g.shown[id][Clients] {
		for _, a := range r.Attempts {
			if a.Outcome == which {
				n++
			}
		}
	}
	return n
}

// later reports whether something will still be executed for the action by itself.
func (g *sight) later(id Identity) bool { return g.h.Truth[id].Later != (Count{}) }

// quiet is the time from which nobody can act for the action any more, as far as the stores and the contract let one tell; ok is false where they do not.
func (g *sight) quiet(id Identity) (at time.Duration, ok bool) {
	l := g.lifes[id]
	for _, e := range g.h.World.Events {
		if e.Store == Messages && !g.none(id, Messages) {
			continue // its message is still there to tell what became of it
		}
		if to := e.To.Time().Sub(midnight); e.Store == Messages && l.first <= to {
			l.last = max(l.last, to) // a message that went with the others may have been delivered at any time until then
		}
	}
	at = max(l.last, l.leased) + 3*settle + 4*skew
	if g.svc.Atomic && g.svc.Effect == reconcile.LegsLocal {
		return at, g.booked(id)
	}
	return at + lease + g.svc.DeadAfter, g.booked(id) && g.svc.DeadAfter > 0
}

// covers reports whether a source shows for certain that it has nothing of an action: its rows carry the key, it reaches from before the first send to after the
// last that can have been, and nothing that was done meanwhile was lost.
func (g *sight) covers(id Identity, source string) bool {
	f := g.place(source)
	if f == nil || !g.keyed(source) {
		return false
	}
	first := at(g.lifes[id].first - 3*skew - 2*settle) // a record of it may be early by its own clock, that clock and the source's may each be wrong
	end, ok := g.quiet(id)
	switch {
	case source == Charges && g.gone(id): // it may have been sent just now
		return false
	case !ok, f.Coverage.From.After(first), f.Retained.Valid && first.Before(g.h.World.Now.Add(-f.Retained.D)), f.Coverage.To.Before(at(end + f.Coverage.Lag)):
		return false
	}
	for _, e := range g.h.World.Events {
		if e.Store == source && !first.After(e.To.Add(2*settle+skew)) && !at(end).Before(e.From.Add(-2*settle-skew)) {
			return false
		}
	}
	return true
}

// gone reports whether an action may have had a message that its relay removed once it had sent it, whenever that was.
func (g *sight) gone(id Identity) bool {
	f := g.place(Messages)
	return f != nil && f.SentGone && g.none(id, Messages)
}

// settled reports whether a source reaches so far beyond the last act for an action that whatever came of it would be shown now.
func (g *sight) settled(id Identity, source string) bool {
	f := g.place(source)
	l := g.lifes[id]
	if r := g.receipt(id); g.svc.DeadAfter > 0 && (r == nil || r.UpdatedAt.After(r.LockedAt.Add(lease)) || r.Generation.N > 1) {
		l.last += lease + g.svc.DeadAfter // a worker whose receipt is gone may go on so long, and so may one that was taken over, or took over from the slow one whose word stands
	}
	return f != nil && !f.Coverage.To.Before(at(max(l.last, l.leased)+3*settle+4*skew+f.Coverage.Lag)) && g.none(id, source) && !g.hides(source, id)
}

// hides reports whether a source keeps back rows as old as an action.
func (g *sight) hides(source string, id Identity) bool {
	f := g.place(source)
	first := at(g.lifes[id].first - 4*skew)
	if r := g.receipt(id); f.Retained.Valid && r != nil && len(g.shown[id][Clients]) == 0 && r.Generation.N > 1 && !r.LockedAt.After(r.CreatedAt.Add(settle)) {
		return true // it says that another receipt was there before it, whose row may be of any age
	}
	return f.Coverage.From.After(first) || f.Retained.Valid && first.Before(g.h.World.Now.Add(-f.Retained.D))
}

// alone reports whether no other action of the tenant could be taken for it: the same wish, or the same request, under another key.
func (g *sight) alone(id Identity) bool {
	for other, w := range g.h.wishes {
		if other != id && other.Tenant == id.Tenant && (w == g.h.wishes[id] || w.params == g.h.wishes[id].params || slices.Contains(g.requests(other), g.h.wishes[id].params)) {
			return false
		}
	}
	return len(g.requests(id)) == 1
}

// requests lists the different requests that keyed records of an action hold, in whatever way.
func (g *sight) requests(id Identity) (out []string) {
	for _, print := range []bool{false, true} {
		for _, r := range g.kept(id, print) {
			if !slices.Contains(out, r) {
				out = append(out, r)
			}
		}
	}
	return out
}

// kept lists the different requests that keyed records of an action hold as parameters, or as prints: those of one way can be compared.
func (g *sight) kept(id Identity, printed bool) (out []string) {
	for source, rs := range g.shown[id] {
		for _, r := range rs {
			v := r.Params
			if printed {
				v = r.Fingerprint
			}
			if text := strings.TrimPrefix(v.String(), printOf); g.keyed(source) && v.Known() && r.State != reconcile.StateFailedRetryable && !slices.Contains(out, text) {
				out = append(out, text)
			}
		}
	}
	return out
}
