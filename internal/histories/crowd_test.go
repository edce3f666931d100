package histories_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"example.com/idemctl/internal/histories"
	"example.com/idemctl/internal/reconcile"
)

// crowd is hours or days of a service with many clients. It knows none of the mishaps of a single action that Generate lives through: what counts is what a
// restore takes of many, and what only looks like that.
type crowd struct {
	signs  []reconcile.Sign // of the last audit
	rnd    *rand.Rand
	now    time.Time
	began  time.Time
	deeds  []*deed
	book   *reconcile.Contract
	booked bool // the clients' book is a source
	events []reconcile.Event

	tenants int
	nextID  int64
}

// deed is one action: when it was asked for and done, and what of it stands in each store now.
type deed struct {
	id       histories.Identity
	at       time.Time // the client's first send
	again    time.Time // a second one; zero: none
	minor    int64
	done     time.Time // zero: it never arrived
	answered bool

	receipt, row, charge, second bool // second: a row and a charge of the second send stand as well
	asOf                         bool // the receipt is as it was when the backup was taken: in progress
	rowID, secondID              int64

	taken  bool // the restore took its receipt
	forgot bool // the store forgot its receipt by itself

	foreign bool // no client asked for it
}

const (
	crowdKept   = 72 * time.Hour // the retry window
	crowdSettle = 2 * time.Minute
	crowdLag    = 15 * time.Minute
)

// newCrowd lives through a stretch of traffic, with or without quiet hours.
func newCrowd(seed uint64, quiet bool) *crowd {
	rnd := rand.New(rand.NewPCG(seed, 17))
	c := &crowd{rnd: rnd, now: time.Date(2026, 11, 29, 18, 0, 0, 0, time.UTC), booked: rnd.IntN(2) == 0, tenants: 1 + rnd.IntN(6), nextID: 1}
	c.began = c.now.Add(-time.Duration(5+rnd.IntN(43)) * time.Hour)
	c.book = c.contract()
	span := c.now.Sub(c.began)
	pace := span / time.Duration(300+rnd.IntN(700))
	for at := c.began; ; {
		wait := time.Duration(float64(pace) * rnd.ExpFloat64())
		if h := at.Hour(); quiet && h >= 1 && h < 6 {
			wait *= 40
		}
		if at = at.Add(wait).Truncate(time.Millisecond); at.After(c.now.Add(-time.Hour)) {
			break
		}
		c.ask(at)
	}
	return c
}

func (c *crowd) contract() *reconcile.Contract {
	b := &reconcile.Contract{
		Name: "pay", Operations: []string{"pay"}, Scope: []string{"tenant", "operation", "key"}, Effect: reconcile.LegsLocal, Order: reconcile.OrderLocalFirst,
		Retention: reconcile.For([]time.Duration{crowdKept, 24 * time.Hour}[c.rnd.IntN(2)]), RetryWindow: reconcile.For(crowdKept), Settle: crowdSettle, Margin: time.Hour,
		TwinWindow: reconcile.DefaultTwinWindow, Lease: reconcile.For(5 * time.Minute), DeadAfter: reconcile.For(20 * time.Minute), Params: &reconcile.ParamSpec{},
		Rebuild: &reconcile.Rebuild{ResponseStatus: 201},
	}
	if c.rnd.IntN(2) == 0 {
		b.Effect, b.Provider = reconcile.LegsBoth, &reconcile.Profile{Name: "simulated", Dedup: c.rnd.IntN(2) == 0, Retention: reconcile.RetentionExact, For: 24 * time.Hour, Lag: crowdLag}
	}
	return b
}

func (c *crowd) external() bool { return c.book.Effect == reconcile.LegsBoth }

// ask lets a client ask for something: in three of four it gets its answer, sometimes it never arrives.
func (c *crowd) ask(at time.Time) {
	n := len(c.deeds) + 1
	d := &deed{id: histories.Identity{Tenant: fmt.Sprintf("t%02d", c.rnd.IntN(c.tenants)), Key: fmt.Sprintf("K%05d", n)}, at: at, minor: int64(100 + n)}
	c.deeds = append(c.deeds, d)
	if c.booked && c.rnd.IntN(60) == 0 {
		return
	}
	d.done = at.Add(3 * time.Second)
	d.receipt, d.row, d.charge, d.answered = true, true, c.external(), c.rnd.IntN(20) > 0
	if c.nextID++; c.rnd.IntN(12) == 0 {
		c.nextID += int64(c.rnd.IntN(40)) // a transaction that came to nothing, a restart
	}
	d.rowID = c.nextID
}

// times at which a deed's records were written.
func (d *deed) received() time.Time { return d.at.Add(time.Second) }
func (d *deed) made() time.Time     { return d.at.Add(2 * time.Second) }

// between lists the deeds that were asked for in a stretch.
func (c *crowd) between(from, to time.Time) (out []*deed) {
	for _, d := range c.deeds {
		if d.at.After(from) && d.at.Before(to) {
			out = append(out, d)
		}
	}
	return out
}

// expired reports whether the life of a deed's receipt is over by its retention, or so nearly that either may be said.
func (c *crowd) expired(d *deed) bool {
	return d.received().Add(c.book.Retention.D).Before(c.now.Add(c.book.Margin + crowdSettle))
}

// The names of a crowd's sources.
const (
	crowdReceipts = "receipts"
	crowdOrders   = "orders"
	crowdCharges  = "charges"
	crowdBook     = "clients"
)

// sources are what a scan reads of the crowd, with their records.
func (c *crowd) sources() []*shelf {
	all := []string{"tenant", "operation", "key"}
	add := func(name string, role reconcile.Role) *shelf {
		return &shelf{facts: reconcile.SourceFacts{
			Name: name, Role: role, Serves: true, Table: role != reconcile.RoleProvider, Components: all, MapsRef: role != reconcile.RoleIntent, MapsTime: true,
			Coverage: reconcile.Coverage{Complete: true, Proves: true, To: reconcile.At(c.now)},
		}}
	}
	receipts, orders, charges, book := add(crowdReceipts, reconcile.RoleReceipt), add(crowdOrders, reconcile.RoleEffect), add(crowdCharges, reconcile.RoleProvider), add(crowdBook, reconcile.RoleIntent)
	charges.facts.Coverage.From, charges.facts.Coverage.Lag = reconcile.At(c.began.Add(-time.Hour)), crowdLag
	for _, d := range c.deeds {
		if d.receipt {
			receipts.put(c.receiptOf(d))
		}
		if d.row {
			orders.put(c.rowOf(d, d.made(), d.rowID))
		}
		if d.charge {
			charges.put(c.chargeOf(d, d.made(), ""))
		}
		if d.second {
			orders.put(c.rowOf(d, d.again.Add(2*time.Second), d.secondID))
			if c.external() {
				charges.put(c.chargeOf(d, d.again.Add(2*time.Second), "b"))
			}
		}
		if c.booked && !d.foreign {
			book.put(c.intentOf(d))
		}
	}
	out := []*shelf{receipts, orders}
	if c.external() {
		out = append(out, charges)
	}
	if c.booked {
		out = append(out, book)
	}
	for _, s := range out {
		c.rnd.Shuffle(len(s.records), func(i, k int) { s.records[i], s.records[k] = s.records[k], s.records[i] })
	}
	return out
}

func (c *crowd) record(role reconcile.Role, d *deed, at time.Time) *reconcile.Record {
	return &reconcile.Record{
		Role: role, Claimed: true, CreatedAt: reconcile.At(at),
		Components: []reconcile.Component{{Name: "tenant", Value: reconcile.Text(d.id.Tenant)}, {Name: "operation", Value: reconcile.Text("pay")}, {Name: "key", Value: reconcile.Text(d.id.Key)}},
	}
}

func (d *deed) amount() reconcile.Amount {
	return reconcile.Amount{Minor: d.minor, Exponent: 2, Currency: "EUR", Valid: true}
}

func (d *deed) params() reconcile.Value { return reconcile.Text(fmt.Sprintf(`{"amount":%d}`, d.minor)) }

func (c *crowd) receiptOf(d *deed) *reconcile.Record {
	at, id := d.received(), d.rowID
	if d.second {
		at, id = d.again.Add(time.Second), d.secondID
	}
	r := c.record(reconcile.RoleReceipt, d, at)
	r.Params, r.State, r.LockedAt, r.UpdatedAt, r.ExpiresAt = d.params(), reconcile.StateCompleted, r.CreatedAt, r.CreatedAt.Add(2*time.Second), r.CreatedAt.Add(c.book.Retention.D)
	r.CompletedAt, r.EffectID = r.UpdatedAt, reconcile.Text(strconv.FormatInt(id, 10))
	if d.asOf {
		r.State, r.UpdatedAt, r.CompletedAt, r.EffectID, r.LeaseUntil = reconcile.StateInProgress, r.CreatedAt, reconcile.Instant{}, reconcile.Value{}, r.CreatedAt.Add(c.book.Lease.D)
	}
	return r
}

func (c *crowd) rowOf(d *deed, at time.Time, id int64) *reconcile.Record {
	r := c.record(reconcile.RoleEffect, d, at)
	r.Status, r.EffectID, r.Amount, r.Params = reconcile.StatusEffective, reconcile.Text(strconv.FormatInt(id, 10)), d.amount(), d.params()
	return r
}

func (c *crowd) chargeOf(d *deed, at time.Time, which string) *reconcile.Record {
	r := c.record(reconcile.RoleProvider, d, at)
	r.Outcome, r.Amount = reconcile.OutcomeSucceeded, d.amount()
	r.ObjectID, r.EventID = reconcile.Text("ch_"+d.id.Key+which), reconcile.Text("ev_"+d.id.Key+which)
	return r
}

func (c *crowd) intentOf(d *deed) *reconcile.Record {
	r := c.record(reconcile.RoleIntent, d, d.at)
	r.Params, r.Amount = d.params(), d.amount()
	how := reconcile.AttemptUncertain
	if d.answered {
		how = reconcile.AttemptConfirmed
	}
	r.Attempts = []reconcile.Attempt{{At: reconcile.At(d.at), Outcome: how}}
	if !d.again.IsZero() {
		r.Attempts = append(r.Attempts, reconcile.Attempt{At: reconcile.At(d.again), Outcome: reconcile.AttemptConfirmed})
	}
	return r
}

// tell adds an event of a store.
func (c *crowd) tell(store string, kind reconcile.EventKind, from, to time.Time, only map[string][]string) {
	e := reconcile.Event{Store: store, Kind: kind, To: reconcile.At(to), ResumedAt: reconcile.At(to), Only: only}
	if !from.IsZero() {
		e.From = reconcile.At(from)
	}
	c.events = append(c.events, e)
}

// drop forgets deeds that never were.
func (c *crowd) drop(which func(*deed) bool) { c.deeds = slices.DeleteFunc(c.deeds, which) }
