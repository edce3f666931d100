package reconcile

import "slices"

// Time is a record's primary time: when its action was begun or written, as far as the record itself says.
func (r *Record) Time() Instant {
	switch r.Role {
	case RoleIntent:
		return Earliest(r.CreatedAt, r.AttemptAt)
	case RoleReceipt:
		return Earliest(r.CreatedAt, r.LockedAt, r.UpdatedAt, r.CompletedAt)
	case RoleEffect, RoleProvider:
		return r.CreatedAt.Or(r.UpdatedAt)
	case RoleOutbox:
		return r.CreatedAt.Or(r.SentAt)
	}
	return Instant{}
}

// Began is when a record's action was begun at the earliest: its primary time, or for a receipt that only knows its expiry, the expiry less retention.
func (c *Contract) Began(r *Record) Instant {
	t := r.Time()
	if !t.known && r.Role == RoleReceipt && c.Retention.Valid {
		t = r.ExpiresAt.Add(-c.Retention.D)
	}
	return t
}

// StateOf is a receipt's state as the rules read it: completed with a response status of 400 or more is a stored failure. Which failures occupy their key, so
// that a retry gets them again, and which free it, is the contract's word where it has one.
func (c *Contract) StateOf(r *Record) State {
	s := r.State
	if s == 0 {
		s = StateCompleted
	}
	if s == StateCompleted && r.ResponseStatus.Valid && r.ResponseStatus.N >= 400 {
		s = StateFailedFinal
	}
	if s != StateFailedFinal && s != StateFailedRetryable {
		return s
	}
	switch {
	case slices.ContainsFunc(c.Occupies, func(f Failure) bool { return f.names(r) }):
		return StateFailedFinal
	case slices.ContainsFunc(c.Frees, func(f Failure) bool { return f.names(r) }):
		return StateFailedRetryable
	}
	return s
}

// ExpiryOf is the end of a receipt's life: its own expiry, else its beginning plus the contract's retention; unknown where neither says.
func (c *Contract) ExpiryOf(r *Record) Instant {
	if c.Expiry.ByReaper {
		return Instant{}
	}
	return c.HeldTo(r)
}

// HeldTo is how long a receipt certainly stays: from then on a reaper, too, may take it at any time. Unknown where nothing says.
func (c *Contract) HeldTo(r *Record) Instant {
	if r.ExpiresAt.known {
		return r.ExpiresAt
	}
	if c.Retention.Valid {
		return r.Time().Add(c.Retention.D)
	}
	return Instant{}
}

// Gone reports whether a present receipt row no longer counts at an instant. By a reaper, or without a known end, a present row counts.
func (c *Contract) Gone(r *Record, at Instant) bool {
	return c.past(c.ExpiryOf(r), at)
}

// past reports whether what lasts until end is over at an instant, by the store's own rule for the instant of equality. What has no known end never is.
func (c *Contract) past(end, at Instant) bool {
	if !end.known || !at.known {
		return false
	}
	if c.Expiry.Inclusive {
		return at.ns > end.ns
	}
	return at.ns >= end.ns
}

// Outlived reports whether the life of a receipt that was written at an instant, and whose row is not there to tell, is over by the contract's retention.
func (c *Contract) Outlived(written, at Instant) bool {
	return c.Retention.Valid && c.past(written.Add(c.Retention.D), at)
}

// LeaseOver reports whether a worker's lease is over at an instant, by the same rule for equality as a receipt's life: a store that lets nobody take over
// at the instant of expiry does so of leases too. A lease without a known end is not over.
func (c *Contract) LeaseOver(r *Record, at Instant) bool { return c.past(c.LeaseEnd(r), at) }

// LeaseEnd is when an in-progress receipt's worker lost its lease: lease_until, else the latest of updated, locked and created plus the contract's
// lease; unknown where neither says.
func (c *Contract) LeaseEnd(r *Record) Instant {
	if r.LeaseUntil.known {
		return r.LeaseUntil
	}
	if !c.Lease.Valid {
		return Instant{}
	}
	return Latest(r.UpdatedAt, r.LockedAt, r.CreatedAt).Add(c.Lease.D)
}

// DeadAt is when a worker that lost its lease is certainly gone; unknown where dead_after is undeclared: it may still wake.
func (c *Contract) DeadAt(r *Record) Instant {
	if !c.DeadAfter.Valid {
		return Instant{}
	}
	return c.LeaseEnd(r).Add(c.DeadAfter.D)
}

// tellsEnd reports whether a receipt tells when its worker was done with it. One that is written with the effect does so by its beginning.
func (c *Contract) tellsEnd(r *Record) bool {
	return c.Atomic || r.CompletedAt.known || r.UpdatedAt.known
}

// HasEffect reports whether a response with this status had an effect; an unknown status is taken to have had one.
func (c *Contract) HasEffect(status Number) bool {
	if !status.Valid {
		return true
	}
	if len(c.EffectWhen) == 0 {
		return status.N < 400
	}
	for _, r := range c.EffectWhen {
		if status.N >= r.From && status.N <= r.To {
			return true
		}
	}
	return false
}

// SettleTime is how long an effect may still be on its way after its receipt: effect_within where declared, never less than settle.
func (c *Contract) SettleTime() Span {
	s := c.Settle
	if c.EffectWithin.Valid && c.EffectWithin.D > s {
		s = c.EffectWithin.D
	}
	return For(s)
}

// WindowEnd is the end of the retry window that opened at from; unknown where the contract declares none or from is unknown.
func (c *Contract) WindowEnd(from Instant) Instant {
	if !c.RetryWindow.Valid {
		return Instant{}
	}
	return from.Add(c.RetryWindow.D)
}

// Effective reports whether an effect stands: an unmapped status reads as effective, a deleted row does not stand.
func Effective(r *Record) bool {
	return (r.Status == StatusEffective || r.Status == StatusUnknown) && !r.DeletedAt.known
}

// local reports whether the legs include the service's own store.
func (l Legs) local() bool { return l == LegsLocal || l == LegsBoth }

// external reports whether the legs include a provider.
func (l Legs) external() bool { return l == LegsExternal || l == LegsBoth }

// ExpectOf is how many records of a source one action makes; one unless the contract says otherwise.
func (c *Contract) ExpectOf(source string) Quantity {
	if q, ok := c.Expects[source]; ok {
		return q
	}
	return Quantity{Min: 1, Max: 1}
}
