package histories_test

import (
	"slices"
	"time"

	"example.com/idemctl/internal/histories"
	"example.com/idemctl/internal/reconcile"
)

// hazard is a situation that has misled people, told by what happened and what is left of it, and what must not be concluded then.
type hazard struct {
	name  string
	met   func(a *action) bool
	wrong func(a *action) bool
}

// action is one identity of a history: the truth, what its own hand left in each source, and what was concluded.
type action struct {
	h     *histories.History
	id    histories.Identity
	truth histories.Truth
	left  map[string][]*reconcile.Record
	v     verdict
}

var hazards = []hazard{
	{
		"the client came back under another key, and that one went through",
		func(a *action) bool {
			if a.happened() || a.truth.Later != (histories.Count{}) {
				return false
			}
			done, _ := a.h.Replay(a.id, time.Second)
			return done.Local+done.Remote > 0
		},
		(*action).mayReplay,
	},
	{
		"no row carries the key, and the receipt that named the row is gone",
		func(a *action) bool {
			return !a.h.Service.KeyedRows && a.truth.Done.Local > 0 && !slices.ContainsFunc(a.left[histories.Receipts], namesEffect) && a.left[histories.OldDisk] == nil
		},
		(*action).saysNo,
	},
	{
		"the log ends before the last send, which charged",
		func(a *action) bool {
			return a.truth.Done.Remote > 0 && len(a.left[histories.Charges]) == 0 && a.lastSend().After(a.facts(histories.Charges).Coverage.To)
		},
		func(a *action) bool { return a.leg(reconcile.LegProvider) == reconcile.LegNo },
	},
	{
		"the action is too young for anything to be missed",
		func(a *action) bool {
			first := a.left[histories.Clients]
			return len(first) > 0 && first[0].CreatedAt.Add(-a.h.Service.Clocks.Client).After(a.h.World.Now.Add(-a.h.Book[0].Settle))
		},
		func(a *action) bool {
			return slices.ContainsFunc(a.v.j.Kinds, func(k reconcile.Kind) bool { return reconcile.Findings[k].Absence && k != reconcile.NotExecuted })
		},
	},
	{
		"a copy remembers the action, the store in use does not",
		func(a *action) bool { return len(a.left[histories.OldDisk]) > 0 && a.left[histories.Receipts] == nil },
		func(a *action) bool {
			return slices.Contains([]reconcile.RetryVerdict{reconcile.RetryReplays, reconcile.RetryConflicts, reconcile.RetryWaits, reconcile.RetryTakenOver}, a.v.j.RetryNow)
		},
	},
	{
		"every send to the provider carries a new key",
		func(a *action) bool {
			return a.h.Service.Minted && a.h.Service.Dedup && a.truth.Done.Remote > 0 && a.left[histories.Receipts] == nil
		},
		(*action).mayReplay,
	},
	{
		"the provider may have forgotten the key since its first send",
		func(a *action) bool {
			s := a.h.Service
			return s.Dedup && !s.Minted && s.Promises != reconcile.RetentionForever && a.truth.Done.Remote > 0 && a.left[histories.Receipts] == nil && a.firstCharge().Add(s.Remember).Before(a.h.World.Now.Add(a.h.Book[0].Margin))
		},
		(*action).mayReplay,
	},
	{
		"the row is deleted, and its id is another's",
		func(a *action) bool {
			return slices.ContainsFunc(a.left[histories.Receipts], func(r *reconcile.Record) bool {
				return namesEffect(r) && a.left[histories.Orders] == nil && a.standsForAnother(r.EffectID)
			})
		},
		func(a *action) bool { return a.v.j.Class == reconcile.ClassMatched },
	},
	{
		"one leg of two was executed, and nothing will execute the other",
		func(a *action) bool {
			return a.h.Service.Effect == reconcile.LegsBoth && a.happened() && a.truth.Later == (histories.Count{}) && (a.truth.Done.Local == 0 || a.truth.Done.Remote == 0)
		},
		func(a *action) bool {
			return a.saysNo() || a.v.allowed(reconcile.DecideResolve, reconcile.BackfillReceipt)
		},
	},
	{
		"something will execute it without us",
		func(a *action) bool { return !a.happened() && a.truth.Later != (histories.Count{}) },
		func(a *action) bool { return a.saysNo() || a.v.allowed(reconcile.DecideResolve, reconcile.Release) },
	},
	{
		"a message stands as unsent although it was delivered",
		func(a *action) bool {
			return a.truth.Done.Remote > 0 && slices.ContainsFunc(a.left[histories.Messages], func(r *reconcile.Record) bool { return !r.SentAt.Known() })
		},
		func(a *action) bool {
			outbox := a.facts(histories.Messages) // one that ends before the delivery may hold its mark in a transaction that is not shown
			shown := a.h.Service.KeyedLog && len(a.left[histories.Charges]) > 0 && !a.firstCharge().Add(a.h.Service.Clocks.Provider+outbox.Skew).After(outbox.Coverage.To)
			return a.saysNo() || shown && !a.h.Service.Dedup && a.charged() && a.v.j.Class != reconcile.ClassInconclusive && !a.v.has(reconcile.ResendPending)
		},
	},
	{
		"the receipt was rolled back to the time before it was done",
		func(a *action) bool {
			return a.happened() && a.restored(histories.Receipts) && slices.ContainsFunc(a.left[histories.Receipts], func(r *reconcile.Record) bool {
				return r.State == reconcile.StateInProgress && r.UpdatedAt.Before(a.h.World.Events[0].From)
			})
		},
		(*action).saysNo,
	},
	{
		"receipt and row went back together, and the client had its answer",
		func(a *action) bool {
			return a.restored(histories.Receipts) && a.restored(histories.Orders) && a.confirmed() && a.left[histories.Receipts] == nil && a.left[histories.Orders] == nil
		},
		(*action).saysNo,
	},
	{
		"the receipt's life is about to end, or has just ended",
		func(a *action) bool {
			now, margin := a.h.World.Now, a.h.Book[0].Margin
			return slices.ContainsFunc(a.left[histories.Receipts], func(r *reconcile.Record) bool {
				return r.State == reconcile.StateCompleted && r.ExpiresAt.After(now.Add(-margin)) && r.ExpiresAt.Before(now.Add(margin))
			})
		},
		func(a *action) bool {
			return slices.Contains([]reconcile.RetryVerdict{reconcile.RetryReplays, reconcile.RetryExecutes, reconcile.RetryExecutesAgain}, a.v.j.RetryNow)
		},
	},
	{
		"one key was used for two requests",
		func(a *action) bool {
			return slices.ContainsFunc(a.left[histories.Clients], func(r *reconcile.Record) bool {
				first := a.left[histories.Clients][0]
				return r.Params.Differs(first.Params) || r.Fingerprint.Differs(first.Fingerprint)
			})
		},
		(*action).mayReplay,
	},
	{
		"another tenant uses the same key",
		func(a *action) bool {
			for id := range a.h.Truth {
				if id.Key == a.id.Key && id.Tenant != a.id.Tenant {
					return true
				}
			}
			return false
		},
		func(a *action) bool {
			return slices.ContainsFunc(a.v.s.Evidence, func(e reconcile.Evidence) bool { return a.h.Owner[e.Record].Tenant != a.id.Tenant })
		},
	},
	{
		"two rows stand for one action",
		func(a *action) bool {
			return a.h.Service.KeyedRows && a.count(histories.Orders, func(r *reconcile.Record) bool { return r.Status == reconcile.StatusEffective }) > 1
		},
		func(a *action) bool { return !a.v.has(reconcile.DuplicateEffect, reconcile.ReexecutedAfterExpiry) },
	},
	{
		"the provider charged twice for one action",
		func(a *action) bool {
			objects := make(map[string]bool)
			for _, r := range a.left[histories.Charges] {
				if r.Outcome == reconcile.OutcomeSucceeded && !a.doubted(r) && a.count(histories.Charges, func(o *reconcile.Record) bool {
					return o.Outcome == reconcile.OutcomeReversed && o.ObjectID.Equal(r.ObjectID)
				}) == 0 {
					objects[r.ObjectID.String()] = true
				}
			}
			return a.h.Service.KeyedLog && len(objects) > 1
		},
		func(a *action) bool { return !a.v.has(reconcile.DuplicateEffect, reconcile.ReexecutedAfterExpiry) },
	},
	{
		"the first try was undone, the second stands",
		func(a *action) bool {
			stands := func(r *reconcile.Record) bool { return r.Status == reconcile.StatusEffective }
			elsewhere := len(a.left[histories.Archived]) + len(a.left[histories.OldRows])
			return a.count(histories.Orders, stands) == 1 && len(a.left[histories.Orders]) > 1 && elsewhere == 0 && a.truth.Done.Remote < 2
		},
		func(a *action) bool { return a.v.has(reconcile.DuplicateEffect, reconcile.ReexecutedAfterExpiry) },
	},
	{
		"a row might be this action's, and nothing but its tenant and amount says so",
		func(a *action) bool {
			return len(a.v.s.Candidates) > 0 && !slices.ContainsFunc(a.v.s.Evidence, func(e reconcile.Evidence) bool { return e.Record.Role == reconcile.RoleEffect })
		},
		func(a *action) bool { return a.v.allowed(reconcile.DecideResolve, reconcile.BackfillReceipt) },
	},
	{
		"the log tells two ends of the one event that it has",
		func(a *action) bool {
			return a.h.Service.KeyedLog && len(a.left[histories.Charges]) > 0 && a.count(histories.Charges, a.doubted) == len(a.left[histories.Charges])
		},
		func(a *action) bool { return a.leg(reconcile.LegProvider) != reconcile.LegUndetermined },
	},
	{
		"a retry would, or might, do again what was done",
		func(a *action) bool {
			return a.happened() && (a.v.j.RetryNow == reconcile.RetryExecutesAgain || a.v.j.RetryNow == reconcile.RetryMightExecuteAgain)
		},
		func(a *action) bool {
			return a.v.j.Class == reconcile.ClassMatched && a.v.j.Exposure.State != reconcile.ExposureNone
		},
	},
}

// meet looks which hazards an action is in, and whether anything wrong was concluded of it.
func (ta *tally) meet(a *action, wrong func(string, ...any)) {
	for i := range hazards {
		if z := &hazards[i]; z.met(a) {
			if ta.met[i]++; z.wrong(a) {
				wrong("hazard, "+z.name+": %v", a.v)
			}
		}
	}
}

func newAction(h *histories.History, id histories.Identity, v verdict) *action {
	a := &action{h: h, id: id, truth: h.Truth[id], left: make(map[string][]*reconcile.Record), v: v}
	for _, r := range h.Records {
		if h.Owner[r] == id {
			a.left[r.Source] = append(a.left[r.Source], r)
		}
	}
	return a
}

func (v verdict) has(kinds ...reconcile.Kind) bool {
	return slices.ContainsFunc(v.j.Kinds, func(k reconcile.Kind) bool { return slices.Contains(kinds, k) })
}

func namesEffect(r *reconcile.Record) bool { return r.EffectID.Known() }

func (a *action) happened() bool { return a.truth.Done != (histories.Count{}) }
func (a *action) saysNo() bool   { return a.v.j.Executed == reconcile.ExecutedNo }

func (a *action) mayReplay() bool {
	return a.v.allowed(reconcile.DecideReplay, reconcile.ResolutionNone)
}

func (a *action) leg(name reconcile.LegName) reconcile.LegState {
	for _, l := range a.v.j.Legs {
		if l.Name == name {
			return l.State
		}
	}
	return reconcile.LegUndetermined
}

func (a *action) facts(source string) reconcile.SourceFacts {
	for _, f := range a.h.World.Sources {
		if f.Name == source {
			return f
		}
	}
	return reconcile.SourceFacts{}
}

func (a *action) restored(store string) bool {
	return slices.ContainsFunc(a.h.World.Events, func(e reconcile.Event) bool { return e.Store == store })
}

func (a *action) attempts(each func(reconcile.Attempt)) {
	for _, r := range a.left[histories.Clients] {
		for _, t := range r.Attempts {
			each(t)
		}
	}
}

// lastSend is when a client last sent the action, as far as its own book is a source.
func (a *action) lastSend() (last reconcile.Instant) {
	a.attempts(func(t reconcile.Attempt) { last = reconcile.Latest(last, t.At) })
	return last
}

func (a *action) confirmed() (yes bool) {
	a.attempts(func(t reconcile.Attempt) { yes = yes || t.Outcome == reconcile.AttemptConfirmed })
	return yes
}

// firstCharge is when the provider first made something of the action; long hence if its log shows nothing.
func (a *action) firstCharge() reconcile.Instant {
	first := a.h.World.Now
	for _, r := range a.left[histories.Charges] {
		first = reconcile.Earliest(first, r.CreatedAt.Add(-a.h.Service.Clocks.Provider))
	}
	return first
}

func (a *action) standsForAnother(effect reconcile.Value) bool {
	return slices.ContainsFunc(a.h.Records, func(r *reconcile.Record) bool {
		return r.Source == histories.Orders && r.EffectID.Equal(effect) && a.h.Owner[r] != a.id
	})
}

func (a *action) count(source string, which func(*reconcile.Record) bool) (n int) {
	for _, r := range a.left[source] {
		if which(r) {
			n++
		}
	}
	return n
}

// charged reports whether the log shows that the provider executed the action.
func (a *action) charged() bool {
	return a.count(histories.Charges, func(r *reconcile.Record) bool { return r.Outcome == reconcile.OutcomeSucceeded && !a.doubted(r) }) > 0
}

// doubted reports whether the log tells another end of a line's event.
func (a *action) doubted(r *reconcile.Record) bool {
	return a.count(histories.Charges, func(o *reconcile.Record) bool { return o.EventID.Equal(r.EventID) && o.Outcome != r.Outcome }) > 0
}
