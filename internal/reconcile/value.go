package reconcile

import (
	"bytes"
	"iter"
	"time"
)

// Value is the text of one fact as bytes, or unknown. The zero Value is unknown; an empty text is known.
// A Value may alias a reader's buffer: whoever keeps one beyond the call that handed it over clones it.
type Value struct {
	text  []byte
	known bool
	set   bool // several members, sorted, with commas between
}

// Bytes returns a known Value with exactly these bytes; b is not copied.
func Bytes(b []byte) Value { return Value{text: b, known: true} }

// Text returns a known Value holding s.
func Text(s string) Value { return Value{text: []byte(s), known: true} }

// Set returns a known Value that names several things at once, such as all that one call of a provider made: b holds at least two texts without commas, sorted,
// each once, with commas between. Sets of equal members are equal, in whatever order a source told them; b is not copied.
func Set(b []byte) Value { return Value{text: b, known: true, set: true} }

// IsSet reports whether the Value names several things.
func (v Value) IsSet() bool { return v.set }

// Members yields each thing that the Value names: the members of a set, else the Value itself; nothing where it is unknown.
func (v Value) Members() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if !v.set {
			_ = !v.known || yield(v)
			return
		}
		for m := range bytes.SplitSeq(v.text, []byte{','}) {
			if !yield(Bytes(m)) {
				return
			}
		}
	}
}

// Names reports whether one of the things that the Value names is o, or all of them together are.
func (v Value) Names(o Value) bool {
	if v.Equal(o) {
		return true
	}
	for m := range v.Members() {
		if m.Equal(o) {
			return true
		}
	}
	return false
}

// Known reports whether the fact is known.
func (v Value) Known() bool { return v.known }

// Bytes returns the bytes of a known Value, nil of an unknown one.
func (v Value) Bytes() []byte { return v.text }

// String returns the bytes as a string, "" when unknown; it is for comparing and hashing, never for showing.
func (v Value) String() string { return string(v.text) }

// Equal reports whether both are known and hold the same bytes: unknown equals nothing, not even itself.
func (v Value) Equal(o Value) bool { return v.known && o.known && bytes.Equal(v.text, o.text) }

// Differs reports whether both are known and hold different bytes.
func (v Value) Differs(o Value) bool { return v.known && o.known && !bytes.Equal(v.text, o.text) }

// Or returns v when known, else o.
func (v Value) Or(o Value) Value {
	if v.known {
		return v
	}
	return o
}

// Clone returns a Value that shares no memory with v.
func (v Value) Clone() Value { return Value{text: bytes.Clone(v.text), known: v.known, set: v.set} }

// Instant is a UTC instant, or unknown. The zero Instant is unknown.
type Instant struct {
	ns    int64
	known bool
}

// At returns the Instant of t. t must lie in the years 1678 to 2261, which a nanosecond count can hold.
func At(t time.Time) Instant { return Instant{ns: t.UnixNano(), known: true} }

// AtUnix returns the Instant that lies ns nanoseconds after 1970-01-01T00:00:00Z.
func AtUnix(ns int64) Instant { return Instant{ns: ns, known: true} }

// Known reports whether the instant is known.
func (i Instant) Known() bool { return i.known }

// UnixNano returns nanoseconds since 1970, 0 when unknown.
func (i Instant) UnixNano() int64 { return i.ns }

// Time returns the instant in UTC, the zero time when unknown.
func (i Instant) Time() time.Time {
	if !i.known {
		return time.Time{}
	}
	return time.Unix(0, i.ns).UTC()
}

// Add moves a known instant by d; unknown stays unknown. It saturates instead of wrapping.
func (i Instant) Add(d time.Duration) Instant {
	if !i.known {
		return i
	}
	n := i.ns + int64(d)
	if d > 0 && n < i.ns {
		n = 1<<63 - 1
	} else if d < 0 && n > i.ns {
		n = -1 << 63
	}
	return Instant{ns: n, known: true}
}

// Before reports whether both are known and i lies before o.
func (i Instant) Before(o Instant) bool { return i.known && o.known && i.ns < o.ns }

// After reports whether both are known and i lies after o.
func (i Instant) After(o Instant) bool { return i.known && o.known && i.ns > o.ns }

// since is how long i lies after o, 0 where either is unknown.
func (i Instant) since(o Instant) time.Duration {
	if !i.known || !o.known {
		return 0
	}
	return time.Duration(i.ns - o.ns)
}

// Or returns i when known, else o.
func (i Instant) Or(o Instant) Instant {
	if i.known {
		return i
	}
	return o
}

// Latest returns the latest known instant, unknown when there is none.
func Latest(is ...Instant) Instant {
	var l Instant
	for _, i := range is {
		if i.known && (!l.known || i.ns > l.ns) {
			l = i
		}
	}
	return l
}

// Earliest returns the earliest known instant, unknown when there is none.
func Earliest(is ...Instant) Instant {
	var l Instant
	for _, i := range is {
		if i.known && (!l.known || i.ns < l.ns) {
			l = i
		}
	}
	return l
}

// Number is a whole number, or unknown. The zero Number is unknown.
type Number struct {
	N     int64
	Valid bool
}

// Num returns a known Number.
func Num(n int64) Number { return Number{N: n, Valid: true} }

// Amount is money in minor units of its currency, or unknown when Valid is false. It is never a float.
type Amount struct {
	Minor    int64
	Exponent uint8  // decimal places of the minor unit: 2 for EUR, 0 for JPY
	Currency string // upper case, "" when the source does not say
	Valid    bool
}

// Span is a length of time, or undeclared. The zero Span is undeclared.
type Span struct {
	D     time.Duration
	Valid bool
}

// For returns a declared Span.
func For(d time.Duration) Span { return Span{D: d, Valid: true} }
