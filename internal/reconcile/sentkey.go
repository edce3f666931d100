package reconcile

import (
	"slices"
	"strings"
)

// A provider may be sent another key than the action's: one that the service keeps in a column, one that is minted for each send, one that a template makes of
// more than the key. A log that shows those keys lacks the action's, whatever was done. So an action's line is found there by the key that was sent for it, as
// far as a record tells which that was; and what is missing there proves something only where that is known of every send.

// OtherKeys reports whether the provider is sent keys from which the action's cannot be read.
func (c *Contract) OtherKeys() bool {
	if !c.Effect.external() {
		return false
	}
	switch c.ProviderKey.Rule {
	case ProviderKeySame:
	case ProviderKeyTemplate:
		_, _, ok := c.aroundKey()
		return !ok
	case ProviderKeyColumn, ProviderKeyMinted:
		return true
	}
	return false
}

// aroundKey is what a template puts before and behind the key, where it takes nothing else.
func (c *Contract) aroundKey() (before, after string, ok bool) {
	before, after, ok = strings.Cut(c.ProviderKey.Template, "{key}")
	return before, after, ok && !strings.ContainsAny(before+after, "{}")
}

// MayBeSent reports whether the key that a log's line tells may be one that the provider was sent and that no client knows: the log tells no other.
func (c *Contract) MayBeSent(r *Record, f *SourceFacts) bool {
	return r.Role == RoleProvider && c.OtherKeys() && !r.ProviderKey.known && (f == nil || !f.SentKeys)
}

// AppendSentKeys appends the keys that a record tells the provider was sent, where they are not the action's own.
func (c *Contract) AppendSentKeys(buf []Value, r *Record, f *SourceFacts) []Value {
	if !c.OtherKeys() {
		return buf
	}
	own := r.Key()
	add := func(v Value) {
		if v.known && len(v.text) > 0 && !v.Equal(own) && !slices.ContainsFunc(buf, v.Equal) {
			buf = append(buf, v)
		}
	}
	if r.Role == RoleProvider {
		if own = (Value{}); r.ProviderKey.known || !c.MayBeSent(r, f) {
			add(r.ProviderKey)
		} else {
			add(r.Key())
		}
		return buf
	}
	add(r.ProviderKey)
	for i := range r.Attempts {
		add(r.Attempts[i].KeySent)
	}
	switch c.ProviderKey.Rule {
	case ProviderKeyColumn:
		add(r.Field(c.ProviderKey.Column))
	case ProviderKeyTemplate:
		add(fillTemplate(c.ProviderKey.Template, c.IdentityOf(r)))
	case ProviderKeySame, ProviderKeyMinted:
	}
	return buf
}

// AppendSentTies appends what brings together the records of one action that only the key at the provider connects.
func (c *Contract) AppendSentTies(buf []Tie, r *Record, f *SourceFacts) []Tie {
	if !c.OtherKeys() {
		return buf
	}
	for _, key := range c.AppendSentKeys(nil, r, f) {
		buf = append(buf, Tie{TieSentKey, append([]byte(c.Name+"\x00"), key.text...)})
	}
	return buf
}

// SentMark is the mark of a key that the provider was sent: a log may show it where the client's stands else.
func (c *Contract) SentMark(key Value, scope []byte) Mark {
	return Mark{Text: c.appendComponent(nil, "key", key), Scope: scope}
}

// appendRefs appends all that a record of the contract can be joined by besides its identity.
func (c *Contract) appendRefs(buf []Ref, r *Record, w *World) []Ref {
	buf = AppendRefs(buf, r)
	if c.OtherKeys() {
		for _, key := range c.AppendSentKeys(nil, r, w.Source(r.Source)) {
			buf = append(buf, Ref{RefSentKey, key})
		}
	}
	return buf
}

func (j *joiner) appendRefs(buf []Ref, r *Record) []Ref { return j.c.appendRefs(buf, r, j.w) }

// demote takes out the lines under keys that nothing but a log tells, where those may be the provider's own: no action is known by such a key. What is left is
// a line without a key, which a reference may join.
func (j *joiner) demote() (lines []*Record) {
	if !j.otherKeys {
		return nil
	}
	for _, u := range j.units {
		if u.gone || !u.onlyProvider() || slices.ContainsFunc(u.ev, func(e Evidence) bool { return !j.c.MayBeSent(e.Record, j.w.Source(e.Record.Source)) }) {
			continue
		}
		u.gone = true
		for i := range u.ev {
			lines = append(lines, u.ev[i].Record)
		}
	}
	return lines
}

// looseIdentity is the identity of a record that is joined by references, without a key that may be the provider's own.
func (j *joiner) looseIdentity(r *Record) []Component {
	id := j.c.IdentityOf(r)
	if j.otherKeys && j.c.MayBeSent(r, j.w.Source(r.Source)) {
		for i := range id {
			if id[i].Name == "key" {
				id[i].Value = Value{}
			}
		}
	}
	return id
}

// hidesSends reports whether a log may hold a line of this action under a key that nothing here connects with it.
func (j *judging) hidesSends(f *SourceFacts) bool {
	if f.Role != RoleProvider || !j.c.OtherKeys() {
		return false
	}
	keyed := slices.Contains(f.Components, "key")
	switch {
	case keyed && f.SentKeys && keyOf(j.s.Identity).known:
		return false // its keys are the client's: it tells the others apart
	case !keyed && !f.SentKeys:
		return false // it tells no key at all: whatever fits is a candidate
	case j.testifiesByRef(f) && (j.recorded() != nil || j.confirmed() || j.rowNamesProvider() != nil):
		return false // the object itself is known
	}
	return !j.sendsKnown()
}

// sendsKnown reports whether the key of every send to the provider is known. A template makes it of the identity. A column holds it as long as the receipt's
// row is the one that was there at the first send, under its first worker. Of a minted one nothing tells but a book that lists it for each attempt.
func (j *judging) sendsKnown() bool {
	switch j.c.ProviderKey.Rule {
	case ProviderKeySame:
		return true
	case ProviderKeyTemplate:
		return fillTemplate(j.c.ProviderKey.Template, j.s.Identity).known
	case ProviderKeyColumn:
		if j.columnKept() {
			return true
		}
	case ProviderKeyMinted:
	}
	return j.booksEverySend()
}

func (j *judging) columnKept() bool {
	if len(j.receipts) == 0 || j.receiptTaken() || j.takenOver() {
		return false
	}
	return !slices.ContainsFunc(j.receipts, func(r *Record) bool { return !r.Field(j.c.ProviderKey.Column).known })
}

// takenOver reports whether a receipt had several workers: each may have called under a key of its own.
func (j *judging) takenOver() bool {
	return slices.ContainsFunc(slices.Concat(j.receipts, j.copies), func(r *Record) bool { return r.Generation.Valid && r.Generation.N > 1 })
}

// booksEverySend reports whether the client's book lists, for each send, the key that the provider was sent: no restore can have taken a line of it, no message
// and no later worker sends besides, and no receipt was written at a time at which the book knows of no attempt.
func (j *judging) booksEverySend() bool {
	key := keyOf(j.s.Identity)
	var first, last Instant
	for _, a := range j.attempts {
		if a.Outcome == AttemptNotSent {
			continue
		}
		if !a.KeySent.known || a.KeySent.Equal(key) || !a.At.known {
			return false
		}
		first, last = Earliest(first, a.At), Latest(last, a.At)
	}
	if !first.known || len(j.messages) > 0 || j.takenOver() {
		return false
	}
	for _, f := range j.places(RoleIntent, false) {
		if j.holed(f) || j.seemsHoled(f) {
			return false
		}
	}
	return !slices.ContainsFunc(slices.Concat(j.receipts, j.copies, j.effects, j.copyEffects), func(r *Record) bool {
		wide := j.c.Settle + j.c.Lease.D + j.skewOf(r)
		began := j.c.Began(r)
		return !began.known || began.Before(first.Add(-wide)) || began.After(last.Add(wide))
	})
}
