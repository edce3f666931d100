package reconcile

import "time"

// Role says which of the five kinds of record a source holds.
type Role uint8

// The roles, in the order in which evidence is shown.
const (
	RoleIntent Role = iota + 1
	RoleReceipt
	RoleEffect
	RoleOutbox
	RoleProvider
)

// Component is one named part of an identity as a record carries it.
type Component struct {
	Name  string
	Value Value
}

// Column is one column or member of a row exactly as stored, for showing.
type Column struct {
	Name string
	Kind string // the source's own type: null, integer, real, text, blob, number, bool, json
	Text []byte
}

// Record is one row as its map reads it: the facts of the five record kinds in one value, so that a reader can fill one
// Record again and again without allocating. Which facts can be known depends on Role; an unmapped fact is unknown.
//
// A Record handed to a callback is valid during the call only; Clone keeps it.
type Record struct {
	Role    Role
	Source  string // the source's name in the config
	Locator string // where the row stands: table/rowid, table/pk…, file:line; set on fetched records, never compared

	// Components are the identity components the source maps (tenant, operation, key, …), in the map's order. A component
	// that this row does not carry is unknown. Operation is already put through the map's words; Book.Claim applies the contract's aliases.
	Components []Component
	Extra      []Component // other mapped fields that a contract names: actor columns, unique columns

	// KeyFrom is the member from which the key was read, where the map gives several that may hold it: the rung of the ladder. "" where it gives one.
	KeyFrom string
	// EmptyKey says that the key's text is empty, which is no key.
	EmptyKey bool

	// Receipt
	State          State
	Phase          Phase
	ResponseStatus Number
	ResponseBody   Value
	LeaseUntil     Instant
	LockedAt       Instant
	CompletedAt    Instant
	ExpiresAt      Instant
	RevokedAt      Instant
	// Effect
	Status      Status
	BusinessRef Value
	DeletedAt   Instant
	// Provider entry
	ObjectID   Value
	AliasID    Value // another reference by which a row may know the object: the payment that a charge belongs to
	EventID    Value
	OriginalID Value
	Outcome    Outcome
	ErrorCode  Value
	Mode       Value
	Claimed    bool // the source's claim holds for this line, or it declares none
	NotOurs    bool // the operation's words do not name this line's operation: unclaimed
	// Intent
	AttemptAt Instant
	Target    Value
	Attempts  []Attempt // a row that is one attempt has exactly one
	// Outbox message
	MessageID   Value
	Sent        Sent
	SentAt      Instant
	ConfirmedAt Instant
	DueAt       Instant
	// Shared by several kinds
	EffectID    Value
	ProviderRef Value
	RequestID   Value
	ProviderKey Value
	Parent      Value
	Fingerprint Value
	Params      Value // JSON text as stored
	Amount      Amount
	CreatedAt   Instant
	UpdatedAt   Instant
	Generation  Number

	// Blur is by how much the record's times may be earlier or later than they say: clocks of its zone showed one of them twice, or never.
	Blur time.Duration

	// Raw is every column as stored; filled by a fetch, nil while sieving.
	Raw []Column
}

// Attempt is one send of an intent.
type Attempt struct {
	At      Instant
	Target  Value
	KeySent Value
	Outcome AttemptOutcome
}

// Component returns the value of an identity component, unknown where the record does not carry it.
func (r *Record) Component(name string) Value {
	for i := range r.Components {
		if r.Components[i].Name == name {
			return r.Components[i].Value
		}
	}
	return Value{}
}

// Key returns the client's key component.
func (r *Record) Key() Value { return r.Component("key") }

// Field returns the text of a mapped field by its name in the map: a component, an extra field, or a textual fact.
func (r *Record) Field(name string) Value {
	if v := r.Component(name); v.Known() {
		return v
	}
	for i := range r.Extra {
		if r.Extra[i].Name == name {
			return r.Extra[i].Value
		}
	}
	switch name {
	case "business_ref":
		return r.BusinessRef
	case "effect_id":
		return r.EffectID
	case "object_id":
		return r.ObjectID
	case "alias_id":
		return r.AliasID
	case "provider_ref":
		return r.ProviderRef
	case "request_id":
		return r.RequestID
	case "provider_key":
		return r.ProviderKey
	case "message_id":
		return r.MessageID
	case "event_id":
		return r.EventID
	case "mode":
		return r.Mode
	case "status":
		if r.Status != StatusUnknown {
			return Text(r.Status.String())
		}
	}
	return Value{}
}

// Clone returns a Record that shares no memory with r.
func (r *Record) Clone() *Record {
	c := *r
	c.Components = cloneComponents(r.Components)
	c.Extra = cloneComponents(r.Extra)
	for _, v := range []*Value{
		&c.ResponseBody, &c.BusinessRef, &c.ObjectID, &c.AliasID, &c.EventID, &c.OriginalID, &c.ErrorCode, &c.Mode, &c.Target, &c.MessageID,
		&c.EffectID, &c.ProviderRef, &c.RequestID, &c.ProviderKey, &c.Parent, &c.Fingerprint, &c.Params,
	} {
		*v = v.Clone()
	}
	c.Attempts = make([]Attempt, len(r.Attempts))
	for i, a := range r.Attempts {
		a.Target, a.KeySent = a.Target.Clone(), a.KeySent.Clone()
		c.Attempts[i] = a
	}
	c.Raw = make([]Column, len(r.Raw))
	for i, col := range r.Raw {
		c.Raw[i] = Column{Name: col.Name, Kind: col.Kind, Text: append([]byte(nil), col.Text...)}
	}
	return &c
}

func cloneComponents(cs []Component) []Component {
	out := make([]Component, len(cs))
	for i, c := range cs {
		out[i] = Component{Name: c.Name, Value: c.Value.Clone()}
	}
	return out
}
