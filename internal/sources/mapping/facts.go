package mapping

import (
	"slices"

	"example.com/idemctl/internal/reconcile"
)

// StandardComponents are the identity components that every contract may use.
var StandardComponents = []string{"tenant", "principal", "account", "region", "zone", "operation", "key"}

// textFact is a fact that is a text.
type textFact struct {
	to        func(*reconcile.Record) *reconcile.Value
	reference bool // a unique reference: floating point is refused, and a source that maps it can testify by it
	payload   bool // objects and arrays are taken as their source text
}

var textFacts = map[string]textFact{
	"effect_id":     {to: func(r *reconcile.Record) *reconcile.Value { return &r.EffectID }, reference: true},
	"object_id":     {to: func(r *reconcile.Record) *reconcile.Value { return &r.ObjectID }, reference: true},
	"alias_id":      {to: func(r *reconcile.Record) *reconcile.Value { return &r.AliasID }, reference: true},
	"provider_ref":  {to: func(r *reconcile.Record) *reconcile.Value { return &r.ProviderRef }, reference: true},
	"request_id":    {to: func(r *reconcile.Record) *reconcile.Value { return &r.RequestID }, reference: true},
	"business_ref":  {to: func(r *reconcile.Record) *reconcile.Value { return &r.BusinessRef }, reference: true},
	"event_id":      {to: func(r *reconcile.Record) *reconcile.Value { return &r.EventID }, reference: true},
	"message_id":    {to: func(r *reconcile.Record) *reconcile.Value { return &r.MessageID }, reference: true},
	"original_id":   {to: func(r *reconcile.Record) *reconcile.Value { return &r.OriginalID }, reference: true},
	"parent":        {to: func(r *reconcile.Record) *reconcile.Value { return &r.Parent }, reference: true},
	"provider_key":  {to: func(r *reconcile.Record) *reconcile.Value { return &r.ProviderKey }, reference: true},
	"fingerprint":   {to: func(r *reconcile.Record) *reconcile.Value { return &r.Fingerprint }, payload: true},
	"params":        {to: func(r *reconcile.Record) *reconcile.Value { return &r.Params }, payload: true},
	"response_body": {to: func(r *reconcile.Record) *reconcile.Value { return &r.ResponseBody }, payload: true},
	"error_code":    {to: func(r *reconcile.Record) *reconcile.Value { return &r.ErrorCode }},
	"mode":          {to: func(r *reconcile.Record) *reconcile.Value { return &r.Mode }},
	"target":        {to: func(r *reconcile.Record) *reconcile.Value { return &r.Target }},
}

// ownRefs are the references by which others point at a role's records.
var ownRefs = map[reconcile.Role]string{reconcile.RoleReceipt: "effect_id", reconcile.RoleEffect: "effect_id", reconcile.RoleProvider: "object_id"}

// ownIDs are the facts by which a record of a role is told from the next.
var ownIDs = map[reconcile.Role]string{reconcile.RoleEffect: "effect_id", reconcile.RoleProvider: "object_id", reconcile.RoleOutbox: "message_id"}

// joining are the references by which records join, so that a source which maps one can testify by it.
var joining = []string{"effect_id", "object_id", "provider_ref", "request_id"}

var timeFacts = map[string]func(*reconcile.Record) *reconcile.Instant{
	"created_at":   func(r *reconcile.Record) *reconcile.Instant { return &r.CreatedAt },
	"updated_at":   func(r *reconcile.Record) *reconcile.Instant { return &r.UpdatedAt },
	"locked_at":    func(r *reconcile.Record) *reconcile.Instant { return &r.LockedAt },
	"completed_at": func(r *reconcile.Record) *reconcile.Instant { return &r.CompletedAt },
	"expires_at":   func(r *reconcile.Record) *reconcile.Instant { return &r.ExpiresAt },
	"lease_until":  func(r *reconcile.Record) *reconcile.Instant { return &r.LeaseUntil },
	"sent_at":      func(r *reconcile.Record) *reconcile.Instant { return &r.SentAt },
	"confirmed_at": func(r *reconcile.Record) *reconcile.Instant { return &r.ConfirmedAt },
	"due_at":       func(r *reconcile.Record) *reconcile.Instant { return &r.DueAt },
	"attempt_at":   func(r *reconcile.Record) *reconcile.Instant { return &r.AttemptAt },
	"deleted_at":   func(r *reconcile.Record) *reconcile.Instant { return &r.DeletedAt },
	"revoked_at":   func(r *reconcile.Record) *reconcile.Instant { return &r.RevokedAt },
}

var numberFacts = map[string]func(*reconcile.Record) *reconcile.Number{
	"response_status": func(r *reconcile.Record) *reconcile.Number { return &r.ResponseStatus },
	"generation":      func(r *reconcile.Record) *reconcile.Number { return &r.Generation },
}

// wordFacts are the facts with closed words, and the roles that have them. An outbox message's state or status says how far it got.
var wordFacts = map[string][]reconcile.Role{
	"state":    {reconcile.RoleReceipt, reconcile.RoleOutbox},
	"status":   {reconcile.RoleEffect, reconcile.RoleOutbox},
	"outcome":  {reconcile.RoleProvider, reconcile.RoleIntent},
	"phase":    {reconcile.RoleReceipt},
	"attempts": {reconcile.RoleIntent, reconcile.RoleOutbox},
}

// KnownFacts lists every name that a map may give without a contract naming it, sorted.
func KnownFacts() []string {
	names := append(slices.Clone(StandardComponents), "actor", "amount")
	for name := range textFacts {
		names = append(names, name)
	}
	for name := range timeFacts {
		names = append(names, name)
	}
	for name := range numberFacts {
		names = append(names, name)
	}
	for name := range wordFacts {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
