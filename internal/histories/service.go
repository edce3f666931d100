package histories

import (
	"time"

	"example.com/idemctl/internal/reconcile"
)

// The names of the sources of a history.
const (
	Receipts = "receipts"
	OldDisk  = "receipts-old" // the receipts as they stood before a restore: evidence, not memory
	Orders   = "orders"
	OldRows  = "orders-old"     // the rows as they stood before a restore
	Archived = "orders-archive" // rows that were moved away
	Charges  = "charges"
	Clients  = "clients"
	Messages = "outbox"
)

// What every contract of a history promises.
const (
	settle = 2 * time.Minute
	margin = time.Hour
	lease  = 5 * time.Minute
	lag    = 15 * time.Minute // of the provider's log
	window = 72 * time.Hour
	scanAt = 6 * time.Hour // after midnight
	skew   = 5 * time.Minute
	// keepRows is how long a service that archives keeps its rows.
	keepRows = 4 * time.Hour
)

const (
	operation = "pay"
	actor     = "customer"
	number    = "order_no"
)

// Service is the shape of a simulated service: what its contract promises and how its stores are laid out.
type Service struct {
	Effect        reconcile.Legs
	Atomic        bool // receipt and row commit together
	ProviderFirst bool
	Outbox        bool // a relay calls the provider, from a message committed with the row
	Mail          bool // whom it calls is no leg of the action: it sends a letter, and its log says so
	SkipsRow      bool // whoever takes over finds the row of the first worker and makes no second
	SkipsTenant   bool // and it looks by the key alone, so it may find another tenant's
	Fences        bool // a worker that wakes looks whether another has taken over
	Reaper        bool // expired receipts are removed, and so is a message once it was sent
	ByReaper      bool // and until then they count, whatever their expiry says

	KeyedRows  bool          // rows carry the identity; else a receipt's effect id is the only link
	ParamsRows bool          // rows carry the request's parameters
	ReusesIDs  bool          // a deleted row's id is handed out again
	Prints     [3]Request    // how receipts, rows and the clients' book keep the request
	GenRows    bool          // rows carry the generation of the worker that wrote them
	Archive    bool          // rows older than keepRows are moved away
	Shelf      bool          // to where they can be read
	RowActors  bool          // rows name whose wish they are
	Unique     bool          // no two standing rows may bear one order number: the database refuses the second, and the service gives up
	KeyedLog   bool          // provider lines carry the identity; else the object id is the only link
	Intents    bool          // the clients' intents are a source
	Actors     bool          // receipts and intents name whose wish it is
	LogFrom    time.Duration // when the provider's log begins
	Clocks     Clocks

	Dedup    bool                    // the provider recognises a key
	Promises reconcile.RetentionKind // what its documents say of how long
	Remember time.Duration           // how long it recognises one; with RetentionForever always
	SameKey  bool                    // it is sent the client's key as it is, which another tenant may use too
	RowKey   bool                    // it is sent a key made from the receipt's row, which dies with the row
	Minted   bool                    // every send to it carries a new one
	Regional bool                    // each of its regions knows only the keys that it was sent itself

	Retention time.Duration
	DeadAfter time.Duration // 0: undeclared
}

// Request is how a store keeps the request of an action.
type Request int

// The ways to keep a request.
const (
	AsParams Request = iota
	AsPrint          // a fingerprint, of which the contract declares how it is made
	AsBoth
)

// keep fills in a record's request.
func (k Request) keep(r *reconcile.Record, params string) {
	if k != AsPrint {
		r.Params = reconcile.Text(params)
	}
	if k != AsParams {
		r.Fingerprint = reconcile.Text(printOf + params)
	}
}

const printOf = "print of "

// Clocks is how far the clock of each party is ahead. The contract declares skew for each source.
type Clocks struct{ Service, Provider, Client time.Duration }

// drawService draws a service's shape from d, and from fault what is a mistake in it.
func drawService(d, fault draw) Service {
	s := Service{
		Effect: [...]reconcile.Legs{reconcile.LegsLocal, reconcile.LegsLocal, reconcile.LegsExternal, reconcile.LegsBoth, reconcile.LegsBoth}[d(5)],
		Atomic: d(2) == 0, SkipsRow: d(2) == 0, Reaper: d(4) == 3,
		KeyedRows: d(3) > 0, ParamsRows: d(2) == 0, ReusesIDs: d(3) == 2, KeyedLog: d(3) > 0, Intents: d(5) < 4,
		GenRows: d(2) == 1, Archive: d(12) == 11, Actors: d(2) == 0, Fences: fault(4) < 3,
		Dedup:     d(2) == 0,
		Promises:  [...]reconcile.RetentionKind{reconcile.RetentionMinimum, reconcile.RetentionMinimum, reconcile.RetentionExact, reconcile.RetentionForever, reconcile.RetentionNone}[d(5)],
		Remember:  [...]time.Duration{24 * time.Hour, 5 * time.Hour}[d(2)],
		Retention: [...]time.Duration{24 * time.Hour, time.Hour}[d(2)],
		DeadAfter: [...]time.Duration{20 * time.Minute, 0}[d(2)],
	}
	s.drawProvider(d, fault)
	if d(4) == 3 {
		s.Prints = [3]Request{Request(d(3)), Request(d(3)), Request(d(3))}
	}
	s.Unique, s.Shelf, s.RowActors = d(4) == 3 && !s.SkipsRow, s.Archive && d(2) == 1, s.Actors && d(2) == 1
	s.ByReaper = s.Reaper && d(2) == 1
	s.SkipsTenant = s.SkipsRow && fault(4) == 3
	if s.Effect == reconcile.LegsBoth {
		s.ProviderFirst = d(2) == 1
		s.Outbox = s.Atomic && !s.ProviderFirst && d(2) == 1
	}
	if s.Effect == reconcile.LegsLocal && s.Atomic && d(4) == 3 {
		s.Outbox, s.Mail, s.Dedup, s.Regional = true, true, false, false
	}
	return s
}

func (s *Service) drawProvider(d, fault draw) {
	switch d(6) {
	case 4:
		s.RowKey = true
	case 5:
		s.Minted = true
	default:
		s.SameKey = fault(5) == 4
	}
	s.Regional = d(4) == 3
	if d(6) == 5 {
		s.LogFrom = 2 * time.Hour
	}
	if d(4) == 3 {
		skews := []time.Duration{0, skew, -skew}
		s.Clocks = Clocks{Service: skews[d(3)], Provider: skews[d(3)], Client: skews[d(3)]}
	}
}

// local and external say which legs the service has.
func (s *Service) local() bool    { return s.Effect != reconcile.LegsExternal }
func (s *Service) external() bool { return s.Effect != reconcile.LegsLocal }

// contract is what the service promises, as a config would declare it.
func (s *Service) contract() *reconcile.Contract {
	c := &reconcile.Contract{
		Name: operation, Operations: []string{operation}, Scope: []string{"tenant", "operation", "key"},
		Effect: s.Effect, Atomic: s.Atomic, Retention: reconcile.For(s.Retention), RetryWindow: reconcile.For(window),
		Settle: settle, Margin: margin, TwinWindow: reconcile.DefaultTwinWindow,
		Params: &reconcile.ParamSpec{}, Rebuild: &reconcile.Rebuild{ResponseStatus: 201},
	}
	c.Expiry.ByReaper = s.ByReaper
	if s.Prints != [3]Request{} {
		c.Fingerprint = &reconcile.FingerprintSpec{Algorithm: "sha256", Over: []string{"params"}}
	}
	if s.Actors {
		c.Actor = []string{actor}
	}
	if s.Unique && s.local() {
		c.Unique = []reconcile.UniqueRule{{Columns: []string{number}, Where: map[string]string{"status": "effective"}}}
	}
	c.Order = reconcile.OrderLocalFirst
	if s.ProviderFirst {
		c.Order = reconcile.OrderProviderFirst
	}
	if !s.Atomic || s.external() { // a service that commits all at once has no worker with a lease
		c.Lease = reconcile.For(lease)
	}
	if s.DeadAfter > 0 {
		c.DeadAfter = reconcile.For(s.DeadAfter)
	}
	if s.external() {
		c.Provider = &reconcile.Profile{Name: "simulated", Dedup: s.Dedup, Retention: s.Promises, For: s.Remember, Lag: lag}
		if s.Regional {
			c.Provider.Scope = []string{"region"}
		}
		c.ProviderKey = s.providerKey()
	}
	return c
}

func (s *Service) providerKey() reconcile.ProviderKey {
	switch {
	case s.Minted:
		return reconcile.ProviderKey{Rule: reconcile.ProviderKeyMinted}
	case s.RowKey:
		return reconcile.ProviderKey{Rule: reconcile.ProviderKeyTemplate, Template: "pay-{row}"}
	case s.SameKey:
		return reconcile.ProviderKey{Rule: reconcile.ProviderKeySame}
	}
	return reconcile.ProviderKey{Rule: reconcile.ProviderKeyTemplate, Template: "{tenant}-{key}"}
}
