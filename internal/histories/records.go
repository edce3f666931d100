package histories

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/idemctl/internal/reconcile"
)

// world is the sources of the history and what each covers at the scan.
func (s *sim) world() reconcile.World {
	all := []string{"tenant", "operation", "key"}
	w := reconcile.World{Now: at(scanAt), Events: s.events}
	add := func(name string, role reconcile.Role, components []string, to time.Duration) *reconcile.SourceFacts {
		w.Sources = append(w.Sources, reconcile.SourceFacts{
			Name: name, Role: role, Serves: true, Table: role != reconcile.RoleProvider, Components: components, MapsRef: true, MapsTime: true,
			Coverage: reconcile.Coverage{Complete: true, Proves: true, To: at(to)},
		})
		return &w.Sources[len(w.Sources)-1]
	}
	add(Receipts, reconcile.RoleReceipt, all, scanAt)
	if s.old != nil {
		add(OldDisk, reconcile.RoleReceipt, all, s.oldAt).Serves = false
	}
	if s.svc.local() {
		names := all
		if !s.svc.KeyedRows {
			names = all[:2]
		}
		add(Orders, reconcile.RoleEffect, names, scanAt)
	}
	if s.svc.external() {
		names := all
		if !s.svc.KeyedLog {
			names = nil
		}
		f := add(Charges, reconcile.RoleProvider, names, s.tail)
		f.Coverage.From, f.Coverage.Lag = at(0), lag
	}
	if s.svc.Intents {
		add(Clients, reconcile.RoleIntent, all, scanAt)
	}
	if s.svc.Outbox {
		add(Messages, reconcile.RoleOutbox, all, scanAt)
	}
	return w
}

// records is what a scan would read, with whose action left each.
func (s *sim) records() ([]*reconcile.Record, map[*reconcile.Record]Identity) {
	owner := make(map[*reconcile.Record]Identity)
	var out []*reconcile.Record
	add := func(r *reconcile.Record, name, locator string, id Identity) {
		r.Source, r.Locator, r.Claimed = name, name+"/"+locator, true
		out, owner[r] = append(out, r), id
	}
	for _, id := range sortedIDs(s.db.receipts) {
		add(s.db.receipts[id].record(id), Receipts, id.Tenant+"/"+id.Key, id)
	}
	for _, id := range sortedIDs(s.old) {
		add(s.old[id].record(id), OldDisk, id.Tenant+"/"+id.Key, id)
	}
	if s.svc.local() {
		for i := range s.db.rows {
			r := &s.db.rows[i]
			add(s.rowRecord(r), Orders, strconv.Itoa(i+1), r.owner)
		}
	}
	for _, o := range s.objects {
		for n := range o.lines {
			if o.shows <= s.tail {
				add(s.line(o), Charges, fmt.Sprintf("%s-%d", o.id, n), o.owner)
			}
		}
	}
	for i := range s.db.messages {
		m := &s.db.messages[i]
		add(m.record(), Messages, strconv.Itoa(i+1), m.owner)
	}
	if s.svc.Intents {
		for i, in := range s.intents {
			add(in.record(), Clients, strconv.Itoa(i+1), in.id)
		}
	}
	return out, owner
}

func sortedIDs(m map[Identity]receipt) []Identity {
	return slices.SortedFunc(maps.Keys(m), func(a, b Identity) int {
		return strings.Compare(a.Tenant+"/"+a.Key, b.Tenant+"/"+b.Key)
	})
}

func components(id Identity, keyed bool) []reconcile.Component {
	cs := []reconcile.Component{{Name: "tenant", Value: reconcile.Text(id.Tenant)}, {Name: "operation", Value: reconcile.Text(operation)}, {Name: "key"}}
	if keyed {
		cs[2].Value = reconcile.Text(id.Key)
	}
	return cs
}

func amount(w *wish) reconcile.Amount {
	return reconcile.Amount{Minor: w.minor, Exponent: 2, Currency: "EUR", Valid: true}
}

// when is a time that may not have come: unknown where it is zero.
func when(d time.Duration) reconcile.Instant {
	if d == 0 {
		return reconcile.Instant{}
	}
	return at(d)
}

func effectID(id int64) reconcile.Value {
	if id == 0 {
		return reconcile.Value{}
	}
	return reconcile.Text(strconv.FormatInt(id, 10))
}

func objectID(id string) reconcile.Value {
	if id == "" {
		return reconcile.Value{}
	}
	return reconcile.Text(id)
}

func (r receipt) record(id Identity) *reconcile.Record {
	rec := &reconcile.Record{
		Role: reconcile.RoleReceipt, Components: components(id, true), State: r.state, Generation: reconcile.Num(r.gen), Params: reconcile.Text(r.params),
		EffectID: effectID(r.effect), ProviderRef: objectID(r.object), CreatedAt: at(r.created), LockedAt: at(r.locked), UpdatedAt: at(r.updated), CompletedAt: when(r.done), ExpiresAt: at(r.ends),
	}
	if r.state == reconcile.StateInProgress {
		rec.LeaseUntil = at(r.lease)
	}
	return rec
}

func (s *sim) rowRecord(r *row) *reconcile.Record {
	rec := &reconcile.Record{
		Role: reconcile.RoleEffect, Components: components(r.owner, s.svc.KeyedRows), Status: r.status, EffectID: effectID(r.id), ProviderRef: objectID(r.object),
		CreatedAt: at(r.created), Amount: amount(r.wish),
	}
	if s.svc.ParamsRows {
		rec.Params = reconcile.Text(r.wish.params)
	}
	return rec
}

// line tells of an object; the same event may be delivered twice.
func (s *sim) line(o *object) *reconcile.Record {
	cs := components(o.owner, true)
	if !s.svc.KeyedLog {
		cs = []reconcile.Component{{Name: "tenant"}, {Name: "operation"}, {Name: "key"}}
	}
	return &reconcile.Record{
		Role: reconcile.RoleProvider, Components: cs, ObjectID: objectID(o.id), EventID: reconcile.Text(fmt.Sprintf("ev_%s", o.id)), Outcome: o.outcome,
		CreatedAt: at(o.at), Amount: amount(o.wish),
	}
}

func (m *message) record() *reconcile.Record {
	rec := &reconcile.Record{
		Role: reconcile.RoleOutbox, Components: components(m.owner, true), MessageID: reconcile.Text(strconv.FormatInt(m.id, 10)), EffectID: effectID(m.effect),
		CreatedAt: at(m.created), SentAt: when(m.sent), ConfirmedAt: when(m.confirmed),
	}
	switch {
	case m.confirmed > 0:
		rec.Sent = reconcile.SentConfirmed
	case m.sent > 0:
		rec.Sent = reconcile.SentMarked
	}
	return rec
}

func (in *intent) record() *reconcile.Record {
	rec := &reconcile.Record{
		Role: reconcile.RoleIntent, Components: components(in.id, true), Params: reconcile.Text(in.wish.params), Amount: amount(in.wish),
		CreatedAt: at(in.created), DueAt: when(in.due),
	}
	for _, a := range in.attempts {
		rec.Attempts = append(rec.Attempts, reconcile.Attempt{At: at(a.at), Outcome: a.outcome})
	}
	return rec
}
