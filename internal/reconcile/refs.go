package reconcile

import (
	"bytes"
	"slices"
)

// RefDomain keeps references of different meaning apart: effect 7 is not object 7.
type RefDomain uint8

// The domains of reference.
const (
	RefEffect  RefDomain = iota + 1 // effect id, own or pointed to
	RefObject                       // provider object id, own or pointed to
	RefRequest                      // request id; of a record that names nothing else, its own event or message
	RefSentKey                      // key that the provider was sent
	RefAlias                        // object id again, by the second name of those that have two: what joins is counted by it, nothing is joined
)

// Ref is one unique reference that a record owns or points with.
type Ref struct {
	Domain RefDomain
	Value  Value
}

// AppendRefs appends the references a record can be joined by. Two records of one contract that share a reference belong together, unless they carry
// different identities: then it is a clash. Of a set each member is a reference, and last the whole, as one text may name it elsewhere.
func AppendRefs(buf []Ref, r *Record) []Ref {
	add := func(d RefDomain, v Value) {
		if !v.known || len(v.text) == 0 {
			return
		}
		if v.set {
			for m := range v.Members() {
				buf = append(buf, Ref{d, m})
			}
			v = Bytes(v.text)
		}
		buf = append(buf, Ref{d, v})
	}
	add(RefEffect, r.EffectID)
	if r.Role == RoleProvider {
		add(RefObject, r.ObjectID)
		if !r.AliasID.Equal(r.ObjectID) {
			add(RefObject, r.AliasID)
		}
	} else {
		add(RefObject, r.ProviderRef)
	}
	add(RefRequest, r.RequestID)
	if own := r.ownEvent(); own.known && !r.EffectID.known && !r.ProviderRef.known && !r.ObjectID.known && !r.RequestID.known && !r.Key().known {
		add(RefRequest, Text(r.Source+"\x00"+own.String())) // nobody else names it, but a repetition of it is no second one
	}
	return buf
}

// ownEvent is the id by which a provider's line or a message is known again, whatever it tells of.
func (r *Record) ownEvent() Value {
	switch r.Role {
	case RoleProvider:
		return r.EventID
	case RoleOutbox:
		return r.MessageID
	case RoleReceipt, RoleEffect, RoleIntent:
	}
	return Value{}
}

// RefKind is what a provider writes before an id to say what it is of: "pi" of pi_3Nx is a payment, "ch" of ch_3Nx its charge. "" where it writes nothing.
func RefKind(v Value) string {
	kind, _, ok := bytes.Cut(v.text, []byte("_"))
	if !ok || len(kind) > 16 || bytes.ContainsFunc(kind, func(r rune) bool { return r < 'a' || r > 'z' }) {
		return ""
	}
	return string(kind)
}

// tells reports whether rows of the source name provider objects of the kind of an id. An order that keeps the payment's id is not found in a log that tells
// its charges only, whatever happened.
func (f *SourceFacts) tells(id Value) bool {
	return len(f.RefKinds) == 0 || slices.Contains(f.RefKinds, RefKind(id))
}

func (d RefDomain) link() Link {
	switch d {
	case RefEffect:
		return LinkEffectID
	case RefObject:
		return LinkObjectID
	case RefRequest:
		return LinkRequestID
	case RefSentKey:
		return LinkSentKey
	case RefAlias:
	}
	return LinkNone
}

func (d RefDomain) field() string {
	switch d {
	case RefEffect:
		return "effect_id"
	case RefObject:
		return "object_id"
	case RefRequest:
		return "request_id"
	case RefSentKey:
		return "provider_key"
	case RefAlias:
	}
	return ""
}
