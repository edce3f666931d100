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
)

const operation = "pay"

// Service is the shape of a simulated service: what its contract promises and how its stores are laid out.
type Service struct {
	Effect        reconcile.Legs
	Atomic        bool // receipt and row commit together
	ProviderFirst bool
	Outbox        bool // a relay calls the provider, from a message committed with the row
	SkipsRow      bool // whoever takes over finds the row of the first worker and makes no second
	Reaper        bool // expired receipts are removed

	KeyedRows  bool // rows carry the identity; else a receipt's effect id is the only link
	ParamsRows bool // rows carry the request's parameters
	ReusesIDs  bool // a deleted row's id is handed out again
	KeyedLog   bool // provider lines carry the identity; else the object id is the only link
	Intents    bool // the clients' intents are a source

	Dedup    bool          // the provider recognises a key
	Minted   bool          // every send to it carries a new one
	Remember time.Duration // how long it recognises one

	Retention time.Duration
	DeadAfter time.Duration // 0: undeclared
}

func drawService(d draw) Service {
	s := Service{
		Effect: [...]reconcile.Legs{reconcile.LegsLocal, reconcile.LegsLocal, reconcile.LegsExternal, reconcile.LegsBoth, reconcile.LegsBoth}[d(5)],
		Atomic: d(2) == 0, SkipsRow: d(2) == 0, Reaper: d(4) == 3,
		KeyedRows: d(3) > 0, ParamsRows: d(2) == 0, ReusesIDs: d(3) == 2, KeyedLog: d(3) > 0, Intents: d(5) < 4,
		Dedup: d(2) == 0, Minted: d(6) == 5,
		Remember:  [...]time.Duration{24 * time.Hour, 5 * time.Hour}[d(2)],
		Retention: [...]time.Duration{24 * time.Hour, time.Hour}[d(2)],
		DeadAfter: [...]time.Duration{20 * time.Minute, 0}[d(2)],
	}
	if s.Effect == reconcile.LegsBoth {
		s.ProviderFirst = d(2) == 1
		s.Outbox = s.Atomic && !s.ProviderFirst && d(2) == 1
	}
	return s
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
		c.Provider = &reconcile.Profile{Name: "simulated", Dedup: s.Dedup, Retention: reconcile.RetentionMinimum, For: s.Remember, Lag: lag}
		c.ProviderKey = reconcile.ProviderKey{Rule: reconcile.ProviderKeyTemplate, Template: "{tenant}-{key}"}
		if s.Minted {
			c.ProviderKey = reconcile.ProviderKey{Rule: reconcile.ProviderKeyMinted}
		}
	}
	return c
}
