package reconcile

import "time"

// Legs says where a contract's action has its effect.
type Legs uint8

// The places of an effect.
const (
	LegsLocal Legs = iota + 1
	LegsExternal
	LegsBoth
	LegsNone
)

// Order says which leg the service performs first. Where the contract does not say, either may be.
type Order uint8

// The orders of the two legs.
const (
	OrderUnknown Order = iota
	OrderLocalFirst
	OrderProviderFirst
)

// KeyRule says whether every action must carry a key.
type KeyRule uint8

// The key rules.
const (
	KeyRequired KeyRule = iota
	KeyOptional
)

// Expiry is the contract's rule for the end of a receipt's life.
type Expiry struct {
	Inclusive bool // the receipt still counts at now == expiry; the default is exclusive: at equality it is gone
	ByReaper  bool // a row that is present counts, whatever its expiry says
}

// Quantity is how many records of one source one action makes. Max < 0 means no upper end.
type Quantity struct{ Min, Max int }

// Range is an inclusive range of response statuses.
type Range struct{ From, To int64 }

// UniqueRule is a business rule: no two rows of Where share these columns.
type UniqueRule struct {
	Columns []string
	Where   map[string]string
}

// FingerprintSpec declares what a stored fingerprint is made of. Two fingerprints are comparable only when their specs are equal.
type FingerprintSpec struct {
	Algorithm string
	Over      []string
	Version   int
}

// Comparable reports whether a fingerprint made by f may be compared with one made by o.
func (f *FingerprintSpec) Comparable(o *FingerprintSpec) bool {
	if f == nil || o == nil || f.Algorithm != o.Algorithm || f.Version != o.Version || len(f.Over) != len(o.Over) {
		return false
	}
	for i := range f.Over {
		if f.Over[i] != o.Over[i] {
			return false
		}
	}
	return true
}

// ParamSpec says how the parameters of two records of one action are compared.
type ParamSpec struct {
	Defaults map[string]string // member → JSON text of the default that the contract fills in
	Exclude  []string          // transport members that never make a difference
}

// RetentionKind says what the end of a provider's retention proves.
type RetentionKind uint8

// The kinds of retention.
const (
	RetentionNone    RetentionKind = iota // nothing is promised
	RetentionExact                        // afterwards the key is forgotten
	RetentionMinimum                      // afterwards it is unknown whether the key is remembered
	RetentionForever                      // the key is never forgotten
)

// Profile is what a provider's documents promise about keys.
type Profile struct {
	Name      string
	Dedup     bool // deduplicates by key within Scope
	Retention RetentionKind
	For       time.Duration // counted from the earliest possible first send
	Scope     []string      // account, region, zone, mode
	BodyCheck bool          // refuses a known key with another body
	Remembers string        // all | success-only | none
	Lookup    string        // how an outcome can be looked up: by-key, by-reference, none
	Lag       time.Duration // how late its log may show an effect
	History   time.Duration // how far back its log reaches; 0 = no limit known
	Source    string        // where the facts stand, with the date they were read
	Required  []string      // settings of the config's provider block that nobody could confirm: whoever uses the profile gives them
	Facts     []ProfileFact // what each setting rests on, for docs and check
}

// ProviderKeyRule says which key the provider is sent for an action.
type ProviderKeyRule uint8

// The provider key rules.
const (
	ProviderKeySame     ProviderKeyRule = iota // the client's key
	ProviderKeyTemplate                        // made from identity components by Template
	ProviderKeyColumn                          // stored in Column of the receipt or effect
	ProviderKeyMinted                          // made anew for every send: nothing recognises a resend
)

// ProviderKey is the contract's rule for the key sent to its provider.
type ProviderKey struct {
	Rule     ProviderKeyRule
	Template string // e.g. orders-{key}
	Column   string // mapped field
}

// Comparison is how a store's own collation compares a component; bytes unless declared.
type Comparison uint8

// The comparisons. Anything but bytes folds a component before it is hashed or compared; what is shown stays as stored.
const (
	CompareBytes Comparison = iota
	CompareCI
	CompareTrim
	CompareNFC
)

// Rebuild says how a lost response can be made again from the effect. A nil Rebuild means that it cannot.
type Rebuild struct {
	ResponseStatus int64
	ResponseBody   string // with {effect_id} and other fields in braces
}

// Contract is what a service promises for one operation or a group of them; see docs/model.md. The zero value of a Span is "undeclared".
type Contract struct {
	Name       string
	Operations []string          // globs, first matching contract wins
	Aliases    map[string]string // operation text in a source → operation
	Scope      []string          // names of the identity's components, "key" among them

	Effect       Legs
	Atomic       bool // receipt and local leg commit together; says nothing of other legs
	Order        Order
	EffectWhen   []Range // response statuses that have an effect; empty = 200–399
	EffectWithin Span    // how late the effect may come; default Settle
	Expects      map[string]Quantity

	Retention   Span
	Expiry      Expiry
	RetryWindow Span
	Settle      time.Duration
	Lease       Span
	DeadAfter   Span
	ResendAfter Span
	Margin      time.Duration
	Since       Instant

	Key        KeyRule
	Unique     []UniqueRule
	Actor      []string
	TwinWindow time.Duration

	Fingerprint *FingerprintSpec
	Params      *ParamSpec
	Occupies    []Failure // stored failures that occupy the key
	Frees       []Failure // stored failures that free it

	Provider    *Profile // nil: no provider declared, judged as opaque
	ProviderKey ProviderKey
	SharesKeys  bool // other contracts send keys to the same provider: see Book.ShareKeys

	ScopeOfAnother bool // an earlier contract has the same scope, without operation: see Book.ShareScopes

	FourEyes      []string
	ApprovalLife  Span
	ReplayMaxAge  Span
	SharedEffects bool
	Free          []string
	Rebuild       *Rebuild
	Compare       map[string]Comparison
	Normalise     func([]byte) []byte // NFC, for CompareNFC; given by whoever builds the contract, since the core imports no tables
}

// Defaults of a contract's spans, as interface.md names them.
const (
	DefaultSettle     = 2 * time.Minute
	DefaultMargin     = time.Hour
	DefaultTwinWindow = 10 * time.Minute
)

// Event is one declared restore of a store: everything it wrote between From and To may be gone.
type Event struct {
	Store     string // a source's name
	Kind      EventKind
	From      Instant // lost_from; unknown = open
	To        Instant // lost_to; unknown = open
	ResumedAt Instant
	Only      map[string][]string // component → values; empty = the whole store
}

// EventKind says what happened to a store.
type EventKind uint8

// The kinds of restore event.
const (
	EventRestored EventKind = iota
	EventCleared
	EventSwitched
	EventPromoted
	EventPartial
)
