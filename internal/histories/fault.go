package histories

import (
	"slices"
	"time"

	"example.com/idemctl/internal/reconcile"
)

// Fault is something wrong with an action, by what is known to have happened.
type Fault struct {
	Name  string
	ID    Identity
	At    *reconcile.Record // the case that holds it must name the fault; nil: the case of ID
	Kinds []reconcile.Kind  // any of which names it
	// Hidden says why the stores do not tell: then nothing is asked of the rules. "" means that the fault is determinable.
	Hidden string
}

// causes of what the stores do not tell.
const (
	notShown    = "a record of it is not shown: archived, before the log, or not there yet"
	notJoined   = "a record of it does not say whose it is"
	uncovered   = "no source covers the time from the first to the last possible send"
	otherStore  = "another store says otherwise"
	asOf        = "what stands is as old as the backup"
	notCompared = "one store keeps parameters, another a print of them"
	turnedAway  = "a request of it was turned away before anything was done for it"
	young       = "too young, or about to change"
)

// faults lists what is wrong, in the order of actions.
func (g *sight) faults() []Fault {
	var out []Fault
	for _, id := range sortedIDs(g.h.Truth) {
		for _, look := range looks {
			f := look(g, id)
			if f.Name == "" {
				continue
			}
			f.ID = id
			out = append(out, f)
		}
	}
	return out
}

var looks = []func(*sight, Identity) Fault{
	(*sight).twoRows, (*sight).twoObjects, (*sight).reused, (*sight).breach, (*sight).resend, (*sight).providerOnly, (*sight).partly, (*sight).contradicted,
	(*sight).conflict, (*sight).lost, (*sight).effectGone, (*sight).unpaid, (*sight).mismatch, (*sight).orphan, (*sight).undone, (*sight).collision, (*sight).overtaken, (*sight).twin, (*sight).moved, (*sight).toldTwice,
}

// hidden returns the first cause whose condition holds.
func hidden(causes ...any) string {
	for i := 0; i+1 < len(causes); i += 2 {
		if holds, ok := causes[i].(bool); ok && holds {
			text, _ := causes[i+1].(string)
			return text
		}
	}
	return ""
}

func (g *sight) twoRows(id Identity) Fault { return g.two(id, Orders, "two rows stand for one action") }

func (g *sight) twoObjects(id Identity) Fault {
	return g.two(id, Charges, "the provider executed one action twice")
}

// two asks whether more than one execution of a leg stands. The second came after the end of the first receipt's life, or before: near it, either may be said.
func (g *sight) two(id Identity, source, name string) Fault {
	var times []time.Duration
	for _, m := range g.made {
		if m.owner == id && !m.undone && (m.object != nil) == (source == Charges) && (m.object != nil && m.object.outcome == reconcile.OutcomeSucceeded && m.object.back == 0 || g.holds(id, m.row)) {
			times = append(times, m.at)
		}
	}
	if len(times) < 2 {
		return Fault{}
	}
	all := len(g.shown[id][source]) + len(g.hidden[id][source])
	f := Fault{Name: name, Kinds: []reconcile.Kind{reconcile.DuplicateEffect, reconcile.ReexecutedAfterExpiry}}
	f.Hidden = hidden(len(g.shown[id][source]) < min(2, all) || len(g.hidden[id][source]) > 0 && len(g.standing(id, source)) < 2, notShown, len(g.standing(id, source)) < 2, notJoined)
	const near = margin
	both := len(g.once(id, Orders)) > 1 && len(g.once(id, Charges)) > 1 // then each leg may have been doubled in its own way
	if end := g.lifes[id].ends; !g.svc.ByReaper && !both && end > 0 && len(times) == 2 {
		switch {
		case times[1] < end-near:
			f.Kinds = f.Kinds[:1]
		case times[1] > end+near && times[0] < end:
			f.Kinds = f.Kinds[1:]
		}
	}
	return f
}

// holds reports whether a row still stands in its store, shown or not.
func (g *sight) holds(id Identity, row int64) bool {
	is := func(r *reconcile.Record) bool { return stands(r) && r.EffectID.Equal(effectID(row)) }
	return row > 0 && (slices.ContainsFunc(g.shown[id][Orders], is) || slices.ContainsFunc(g.hidden[id][Orders], is))
}

// named is the row of another action that carries the id which a finished receipt names; nil where its own stands, or none.
func (g *sight) named(id Identity) *reconcile.Record {
	r := g.receipt(id)
	if r == nil || !r.EffectID.Known() {
		return nil
	}
	for _, row := range g.h.Records {
		if row.Source == Orders && row.EffectID.Equal(r.EffectID) {
			if g.h.Owner[row] == id {
				return nil
			}
			return row
		}
	}
	return nil
}

func (g *sight) reused(id Identity) Fault {
	row := g.named(id)
	if row == nil || g.svc.SkipsTenant {
		return Fault{}
	}
	other := g.receipt(g.h.Owner[row])
	tells := g.keyed(Orders) || other != nil && other.EffectID.Equal(row.EffectID)
	return Fault{Name: "a receipt names a row whose id was handed out again", Kinds: []reconcile.Kind{reconcile.ReferenceReused}, Hidden: hidden(!tells, notJoined)}
}

func (g *sight) breach(id Identity) Fault {
	row := g.named(id)
	if row == nil || g.h.Owner[row].Tenant == id.Tenant {
		return Fault{}
	}
	return Fault{Name: "a receipt names a row of another tenant", Kinds: []reconcile.Kind{reconcile.ScopeBreach, reconcile.ReferenceReused}}
}

// recognises reports whether the provider may be promised to know the action's key beyond now and margin.
func (g *sight) recognises(id Identity) bool {
	if !g.svc.Dedup || g.svc.Minted || g.svc.RowKey {
		return false
	}
	switch g.svc.Promises {
	case reconcile.RetentionForever:
		return true
	case reconcile.RetentionExact, reconcile.RetentionMinimum:
		return g.lifes[id].first+g.svc.Remember > scanAt+margin-2*skew
	case reconcile.RetentionNone:
	}
	return false
}

// unread reports whether a record may be of after what a source was read to, by a clock that may be wrong: what the source says of the action may have been
// changed before that, in a transaction that it does not show yet.
func (g *sight) unread(source string, r *reconcile.Record) bool {
	f := g.place(source)
	return r.CreatedAt.Add(f.Skew).After(f.Coverage.To)
}

// resend asks for what is still marked as to be done although its effect stands.
func (g *sight) resend(id Identity) Fault {
	const name = "what is done stands as still to do"
	f := Fault{Name: name, Kinds: []reconcile.Kind{reconcile.ResendPending}}
	if len(g.standing(id, Charges)) > 0 && !g.recognises(id) {
		if slices.ContainsFunc(g.shown[id][Messages], func(r *reconcile.Record) bool { return r.Sent == reconcile.Unsent && !r.SentAt.Known() }) {
			late := slices.ContainsFunc(g.standing(id, Charges), func(r *reconcile.Record) bool { return g.unread(Messages, r) })
			f.Hidden = hidden(g.receiptIn(id, reconcile.StateInProgress) || late, young)
			return f
		}
	}
	r := g.receipt(id)
	ruled := g.svc.Unique && !g.svc.ProviderFirst // the database would refuse the row of whoever takes over
	if len(g.standing(id, Orders)) > 0 && r != nil && r.State == reconcile.StateInProgress && g.lives(id) && !ruled {
		f.Hidden = hidden(!r.LeaseUntil.Add(skew).Before(g.h.World.Now) || !g.svc.ByReaper && r.ExpiresAt.Before(g.h.World.Now.Add(2*skew)), young)
		return f
	}
	return Fault{}
}

func (g *sight) providerOnly(id Identity) Fault {
	if !g.svc.external() || g.h.Truth[id].Done.Remote == 0 || g.receiptIn(id, reconcile.StateCompleted) || (g.svc.local() && !g.none(id, Orders)) {
		return Fault{}
	}
	old := len(g.shown[id][OldDisk]) > 0
	gone := g.svc.Effect == reconcile.LegsExternal && g.receipt(id) == nil && g.lifes[id].first+g.svc.Retention < scanAt+2*skew // its receipt's time is over
	if r := g.receipt(id); r != nil {
		gone = gone || at(g.lifes[id].first+g.svc.Retention).Before(r.CreatedAt.Add(2*skew)) // it is another's than the one that stood when it was executed
	}
	gone = gone || g.lostBy(Receipts) && g.receiptIn(id, reconcile.StateInProgress) // a worker whose receipt was lost may be at it beside this one
	busy := g.receiptIn(id, reconcile.StateInProgress) && !g.receipt(id).LeaseUntil.Add(g.svc.DeadAfter+2*settle+2*skew).Before(g.h.World.Now)
	return Fault{
		Name: "the provider executed what the service does not know of", Kinds: []reconcile.Kind{reconcile.ProviderOnlyEffect},
		Hidden: hidden(len(g.shown[id][Charges]) == 0, notShown, len(g.standing(id, Charges)) == 0, notJoined, old, otherStore, gone || busy, young,
			g.svc.local() && (!g.keyed(Orders) || !g.settled(id, Orders)) || g.receipt(id) == nil && !g.settled(id, Receipts) || (g.lostBy(Receipts) || g.svc.Archive) && !g.booked(id), uncovered),
	}
}

func (g *sight) partly(id Identity) Fault {
	t := g.h.Truth[id]
	if g.svc.Effect != reconcile.LegsBoth || (t.Done.Local > 0) == (t.Done.Remote > 0) || g.later(id) {
		return Fault{}
	}
	have, lack := Orders, Charges
	if t.Done.Remote > 0 {
		have, lack = Charges, Orders
	}
	waits := slices.ContainsFunc(g.shown[id][Messages], func(r *reconcile.Record) bool { return r.Sent != reconcile.SentConfirmed }) ||
		slices.ContainsFunc(g.shown[id][Charges], func(r *reconcile.Record) bool { return r.Outcome == reconcile.OutcomePending })
	return Fault{
		Name: "one leg stands, the other was never made", Kinds: []reconcile.Kind{reconcile.PartlyExecuted, reconcile.ProviderMissing},
		Hidden: hidden(len(g.shown[id][have]) == 0, notShown, len(g.standing(id, have)) == 0, notJoined, !g.covers(id, lack) || !g.none(id, lack) || g.named(id) != nil, uncovered,
			waits || g.due(id), young, g.recordedDone(id), otherStore, g.asOf(id), asOf),
	}
}

// asOf reports whether the receipt says only how far the action was when a backup was taken.
func (g *sight) asOf(id Identity) bool {
	return g.lostBy(Receipts) && g.receiptIn(id, reconcile.StateInProgress, reconcile.StateFailedRetryable)
}

func (g *sight) due(id Identity) bool {
	return slices.ContainsFunc(g.shown[id][Clients], func(r *reconcile.Record) bool { return r.DueAt.Known() })
}

// recordedDone reports whether somebody has it in writing that the action was done.
func (g *sight) recordedDone(id Identity) bool {
	done := func(r *reconcile.Record) bool { return r.State == reconcile.StateCompleted }
	return g.attempts(id, reconcile.AttemptConfirmed) > 0 || slices.ContainsFunc(g.shown[id][Receipts], done) || slices.ContainsFunc(g.shown[id][OldDisk], done)
}

func (g *sight) contradicted(id Identity) Fault {
	if !g.receiptIn(id, reconcile.StateFailedFinal, reconcile.StateFailedRetryable) || len(g.standing(id, Orders))+len(g.standing(id, Charges)) == 0 {
		return Fault{}
	}
	done := slices.ContainsFunc(g.shown[id][OldDisk], func(r *reconcile.Record) bool { return r.State == reconcile.StateCompleted })
	late := func(r *reconcile.Record) bool { return g.unread(Receipts, r) }
	since := !slices.ContainsFunc(slices.Concat(g.standing(id, Orders), g.standing(id, Charges)), func(r *reconcile.Record) bool { return !late(r) })
	return Fault{Name: "a failure is remembered of what was done", Kinds: []reconcile.Kind{reconcile.FailureContradicted}, Hidden: hidden(done, otherStore, since, young)}
}

func (g *sight) conflict(id Identity) Fault {
	if len(g.requests(id)) < 2 {
		return Fault{}
	}
	apart := len(g.kept(id, false)) < 2 && len(g.kept(id, true)) < 2
	refused := slices.ContainsFunc(g.shown[id][Clients], func(r *reconcile.Record) bool {
		return !slices.ContainsFunc(r.Attempts, func(a reconcile.Attempt) bool {
			taken := g.receipt(id)
			return a.Outcome != reconcile.AttemptRejected || taken != nil && a.At.After(taken.LockedAt.Add(2*skew+settle))
		})
	})
	return Fault{Name: "one key was used for two requests", Kinds: []reconcile.Kind{reconcile.FingerprintConflict}, Hidden: hidden(apart, notCompared, refused, turnedAway)}
}
