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
	clock := s.svc.Clocks
	shown := s.oldestOpen()
	w := reconcile.World{Now: at(scanAt), Events: s.events}
	add := func(name string, role reconcile.Role, components []string, to, ahead time.Duration) *reconcile.SourceFacts {
		w.Sources = append(w.Sources, reconcile.SourceFacts{
			Name: name, Role: role, Serves: true, Table: role != reconcile.RoleProvider, Components: components, MapsRef: role != reconcile.RoleIntent, MapsTime: true, Skew: ahead.Abs(),
			Coverage: reconcile.Coverage{Complete: true, Proves: true, To: at(to)},
		})
		return &w.Sources[len(w.Sources)-1]
	}
	add(Receipts, reconcile.RoleReceipt, all, shown, clock.Service)
	if s.old != nil {
		add(OldDisk, reconcile.RoleReceipt, all, s.oldAt, clock.Service).Serves = false
	}
	if s.svc.local() {
		names := all
		if !s.svc.KeyedRows {
			names = all[:2]
		}
		f := add(Orders, reconcile.RoleEffect, names, shown, clock.Service)
		if s.svc.Archive {
			f.Retained = reconcile.For(keepRows)
		}
		if s.oldRows != nil {
			add(OldRows, reconcile.RoleEffect, names, s.oldAt, clock.Service).Serves = false
		}
		if s.svc.Shelf {
			add(Archived, reconcile.RoleEffect, names, scanAt-keepRows, clock.Service).Serves = false
		}
	}
	if s.svc.external() || s.svc.Mail {
		names := all
		if !s.svc.KeyedLog {
			names = nil
		}
		f := add(Charges, reconcile.RoleProvider, names, s.tail, clock.Provider)
		f.Coverage.From, f.Coverage.Lag, f.SentKeys = at(s.svc.LogFrom), lag, s.svc.KeyedLog
	}
	if s.svc.Intents {
		add(Clients, reconcile.RoleIntent, all, scanAt, clock.Client)
	}
	if s.svc.Outbox {
		add(Messages, reconcile.RoleOutbox, all, shown, clock.Service)
	}
	return w
}

// oldestOpen is the time up to which the stores hold everything for certain: what was committed before the oldest open transaction began.
func (s *sim) oldestOpen() time.Duration {
	shown := s.now
	for _, t := range s.open {
		shown = min(shown, t.began)
	}
	return shown
}

// records is what a scan would read, with whose action left each; and what it would not read, although it stands.
func (s *sim) records() (out, unseen []*reconcile.Record, owner map[*reconcile.Record]Identity) {
	owner = make(map[*reconcile.Record]Identity)
	add := func(r *reconcile.Record, seen bool, name string, locator int, id Identity) {
		r.Source, r.Locator, r.Claimed = name, name+"/"+strconv.Itoa(locator), true
		if owner[r] = id; seen {
			out = append(out, r)
		} else {
			unseen = append(unseen, r)
		}
	}
	for n, id := range sortedIDs(s.db.receipts) {
		add(s.receipt(s.db.receipts[id], id), true, Receipts, n+1, id)
	}
	for n, id := range sortedIDs(s.old) {
		add(s.receipt(s.old[id], id), true, OldDisk, n+1, id)
	}
	if s.svc.local() {
		for i := range s.db.rows {
			r := &s.db.rows[i]
			if s.svc.Shelf && s.archived(r) {
				add(s.rowRecord(r), true, Archived, int(r.id), r.owner)
				continue
			}
			add(s.rowRecord(r), !s.archived(r), Orders, int(r.id), r.owner)
		}
		for i := range s.oldRows {
			add(s.rowRecord(&s.oldRows[i]), true, OldRows, int(s.oldRows[i].id), s.oldRows[i].owner)
		}
	}
	n := 0
	for _, o := range s.objects {
		at := o.at + s.svc.Clocks.Provider
		for i := range o.lines {
			n++
			line := s.line(o)
			if i > 0 {
				o.twist.change(line)
			}
			add(line, o.shows <= s.tail && at >= s.svc.LogFrom, Charges, n, o.owner)
		}
		if o.back > 0 {
			n++
			add(s.refund(o), o.back+o.shows-o.at <= s.tail && o.back+s.svc.Clocks.Provider >= s.svc.LogFrom, Charges, n, o.owner)
		}
	}
	for i := range s.db.messages {
		m := &s.db.messages[i]
		add(s.message(m), true, Messages, int(m.id), m.owner)
	}
	if s.svc.Intents {
		for i, in := range s.intents {
			add(s.intent(in), true, Clients, i+1, in.id)
		}
	}
	return out, unseen, owner
}

func sortedIDs[V any](m map[Identity]V) []Identity {
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

func amount(minor int64) reconcile.Amount {
	return reconcile.Amount{Minor: minor, Exponent: 2, Currency: "EUR", Valid: true}
}

// party stamps times by its own clock; a time that has not come is unknown.
type party time.Duration

func (ahead party) at(d time.Duration) reconcile.Instant { return at(d + time.Duration(ahead)) }

func (ahead party) when(d time.Duration) reconcile.Instant {
	if d == 0 {
		return reconcile.Instant{}
	}
	return ahead.at(d)
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

// whose is the mapped field that names whose wish it is.
func (s *sim) whose(w *wish) []reconcile.Component {
	if !s.svc.Actors {
		return nil
	}
	return []reconcile.Component{{Name: actor, Value: reconcile.Text(w.actor)}}
}

func (s *sim) receipt(r receipt, id Identity) *reconcile.Record {
	clock := party(s.svc.Clocks.Service)
	rec := &reconcile.Record{
		Role: reconcile.RoleReceipt, Components: components(id, true), Extra: s.whose(r.wish), State: r.state, Generation: reconcile.Num(r.gen),
		EffectID: effectID(r.effect), ProviderRef: objectID(r.object), CreatedAt: clock.at(r.created), LockedAt: clock.at(r.locked), UpdatedAt: clock.at(r.updated),
		CompletedAt: clock.when(r.done), ExpiresAt: clock.at(r.ends),
	}
	s.svc.Prints[0].keep(rec, r.params)
	if r.state == reconcile.StateInProgress {
		rec.LeaseUntil = clock.at(r.lease)
	}
	return rec
}

func (s *sim) rowRecord(r *row) *reconcile.Record {
	rec := &reconcile.Record{
		Role: reconcile.RoleEffect, Components: components(r.owner, s.svc.KeyedRows), Status: r.status, EffectID: effectID(r.id), ProviderRef: objectID(r.object),
		CreatedAt: party(s.svc.Clocks.Service).at(r.created), Amount: amount(r.wish.minor),
	}
	if s.svc.ParamsRows {
		s.svc.Prints[1].keep(rec, r.wish.params)
	}
	if s.svc.RowActors {
		rec.Extra = s.whose(r.wish)
	}
	if s.svc.Unique {
		rec.Extra = append(rec.Extra, reconcile.Component{Name: number, Value: reconcile.Text(r.wish.number)})
	}
	if s.svc.GenRows {
		rec.Generation = reconcile.Num(r.gen)
	}
	return rec
}

// line tells of an object; the same event may be delivered twice.
func (s *sim) line(o *object) *reconcile.Record {
	cs := components(o.owner, true)
	if !s.svc.KeyedLog {
		cs = []reconcile.Component{{Name: "tenant"}, {Name: "operation"}, {Name: "key"}}
	}
	rec := &reconcile.Record{
		Role: reconcile.RoleProvider, Components: cs, ObjectID: objectID(o.id), EventID: reconcile.Text(fmt.Sprintf("ev_%s", o.id)), Outcome: o.outcome,
		CreatedAt: party(s.svc.Clocks.Provider).at(o.at),
	}
	if s.svc.KeyedLog && o.key != "" {
		rec.ProviderKey = reconcile.Text(o.key)
	}
	if !s.svc.Mail {
		rec.Amount = amount(o.minor)
	}
	return rec
}

// change makes a repetition say something else than the line that it repeats.
func (t twist) change(line *reconcile.Record) {
	ends := map[reconcile.Outcome]reconcile.Outcome{reconcile.OutcomeSucceeded: reconcile.OutcomeFailed, reconcile.OutcomeFailed: reconcile.OutcomeSucceeded}
	switch t {
	case otherAmount:
		line.Amount = amount(line.Amount.Minor + 1)
	case otherEnd:
		if end, final := ends[line.Outcome]; final {
			line.Outcome = end
		}
	case straight:
	}
}

// refund is the line that tells that an object was paid back.
func (s *sim) refund(o *object) *reconcile.Record {
	rec := s.line(o)
	rec.EventID, rec.Outcome, rec.CreatedAt = reconcile.Text("ev_back_"+o.id), reconcile.OutcomeReversed, party(s.svc.Clocks.Provider).at(o.back)
	return rec
}

func (s *sim) message(m *message) *reconcile.Record {
	clock := party(s.svc.Clocks.Service)
	rec := &reconcile.Record{
		Role: reconcile.RoleOutbox, Components: components(m.owner, true), MessageID: reconcile.Text(strconv.FormatInt(m.id, 10)), EffectID: effectID(m.effect),
		CreatedAt: clock.at(m.created), SentAt: clock.when(m.sent), ConfirmedAt: clock.when(m.confirmed),
	}
	switch {
	case m.confirmed > 0:
		rec.Sent = reconcile.SentConfirmed
	case m.sent > 0:
		rec.Sent = reconcile.SentMarked
	}
	return rec
}

func (s *sim) intent(in *intent) *reconcile.Record {
	clock := party(s.svc.Clocks.Client)
	rec := &reconcile.Record{
		Role: reconcile.RoleIntent, Components: components(in.id, true), Extra: s.whose(in.wish), Amount: amount(in.wish.minor),
		CreatedAt: clock.at(in.created), DueAt: clock.when(in.due),
	}
	s.svc.Prints[2].keep(rec, in.wish.params)
	for _, a := range in.attempts {
		rec.Attempts = append(rec.Attempts, reconcile.Attempt{At: clock.at(a.at), Target: reconcile.Text(a.target), Outcome: a.outcome})
	}
	return rec
}
