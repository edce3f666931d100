package reconcile

import "math"

// object is a provider's object, folded from the lines that tell of it. Lines that name no object tell of what their key made: of one object perhaps, and of
// several calls.
type object struct {
	source  string
	id      Value
	lines   []*Record
	outcome Outcome
	doubted bool // the log tells the contrary of it too
	folded  bool // into one that it is another name of
	counts  int  // how many records it counts for, see creations
	amount  Amount
	at      Instant
}

// settle decides what became of an object, from all of its lines at once: a success seen once stays a success, whatever an earlier or repeated line says, and a
// reversal takes it back where it gives back all that was made.
func (o *object) settle() {
	o.amount = o.told()
	switch {
	case o.has(OutcomeReversed) && !less(o.givenBack(), o.made()):
		o.outcome = OutcomeReversed
	case o.has(OutcomeSucceeded):
		o.outcome = OutcomeSucceeded
	default:
		o.outcome = o.ended()
	}
}

func (o *object) has(outcome Outcome) bool {
	for _, r := range o.lines {
		if r.Outcome == outcome {
			return true
		}
	}
	return false
}

// ended returns what an object that never succeeded is: pending or unknown where a line that is no end is ended by none, else failed. What failed and was
// submitted again is under way.
func (o *object) ended() Outcome {
	ends := o.ends()
	outcome := OutcomeFailed
	for _, r := range o.lines {
		switch {
		case r.Outcome != OutcomePending && r.Outcome != OutcomeUnknown || ends.end(r):
		case r.Outcome == OutcomePending:
			return OutcomePending
		default:
			outcome = OutcomeUnknown
		}
	}
	return outcome
}

// openLine returns the line that leaves an object open, the first of all where nothing failed before.
func (o *object) openLine() *Record {
	if o.has(OutcomeFailed) {
		ends := o.ends()
		for _, r := range o.lines {
			if r.Outcome == o.outcome && !ends.end(r) {
				return r
			}
		}
	}
	return o.lines[0]
}

// ends is when the failed lines of an object stand, the last of each: what they end is what went before them, or with them.
type ends struct {
	whole    bool               // the lines name one object: each tells of all that went before
	last     Instant            // of all
	nameless Instant            // of those that name no request
	requests map[string]Instant // by request id
	events   map[string]Instant // by event
}

func (o *object) ends() ends {
	e := ends{whole: o.id.known, requests: make(map[string]Instant), events: make(map[string]Instant)}
	for _, r := range o.lines {
		if r.Outcome != OutcomeFailed {
			continue
		}
		at := r.CreatedAt.Add(-r.Blur)
		e.last = Latest(e.last, at)
		if r.RequestID.known {
			e.requests[r.RequestID.String()] = Latest(e.requests[r.RequestID.String()], at)
		} else {
			e.nameless = Latest(e.nameless, at)
		}
		if name := eventName(r); name != "" {
			e.events[name] = Latest(e.events[name], at)
		}
	}
	return e
}

// end reports whether a line is ended by a failed one. Where nothing names the object, a line is a call of its own unless its request or its event is that of the
// other: that another call failed is no answer to one that got none. A call that was accepted is one thing with what comes later, where their requests do
// not tell them apart. A log that holds a line per attempt tells them apart itself.
func (e ends) end(r *Record) bool {
	if len(r.Attempts) > 0 {
		return false
	}
	by := e.last
	if !e.whole {
		by = Latest(e.requests[r.RequestID.String()], e.events[eventName(r)])
		switch {
		case r.Outcome == OutcomeUnknown:
		case r.RequestID.known:
			by = Latest(by, e.nameless)
		default:
			by = e.last
		}
	}
	return by.known && r.CreatedAt.known && !by.Before(r.CreatedAt.Add(r.Blur))
}

// told is the object's amount, by the line that tells most of it; a reversal tells what was given back.
func (o *object) told() Amount {
	var amount Amount
	most := 0
	for _, r := range o.lines {
		if w := weight(r); r.Amount.Valid && r.Outcome != OutcomeReversed && (w >= most || !amount.Valid) {
			amount, most = r.Amount, w
		}
	}
	return amount
}

// weight orders lines by how much they tell of what an object came to.
func weight(r *Record) int {
	attempt := len(r.Attempts) > 0
	switch r.Outcome {
	case OutcomeReversed:
		return 6
	case OutcomeSucceeded:
		return 5
	case OutcomePending:
		if attempt {
			return 4
		}
		return 1
	case OutcomeUnknown:
		if attempt {
			return 3
		}
	case OutcomeFailed:
		return 2
	}
	return 0
}

// made is how much was made: the largest amount that a success tells, as each tells of the whole. Unknown where none tells it, or where they cannot be compared.
func (o *object) made() Amount {
	var made Amount
	for _, r := range o.lines {
		size := r.Amount.size()
		switch {
		case r.Outcome != OutcomeSucceeded || !size.Valid:
		case !made.Valid || less(made, size):
			made = size
		case !sameMoney(made, size):
			return Amount{}
		}
	}
	return made
}

// givenBack is how much reversals gave back together, each counted once: one told twice, or under both names of the object, is one. Unknown where one of them
// does not tell it, or where they cannot be compared.
func (o *object) givenBack() Amount {
	type back struct{ object, event string }
	backs := make(map[back]Amount)
	var kind Amount
	for _, r := range o.lines {
		if r.Outcome != OutcomeReversed {
			continue
		}
		size := r.Amount.size()
		if !size.Valid || kind.Valid && !sameMoney(kind, size) {
			return Amount{}
		}
		kind = size
		name := eventName(r)
		if name == "" {
			name = string(recordText(r))
		}
		if b := (back{r.ObjectID.String(), name}); !backs[b].Valid || less(backs[b], size) {
			backs[b] = size
		}
	}
	sums := make(map[string]int64)
	for b, size := range backs {
		sums[b.object] += min(size.Minor, math.MaxInt64-sums[b.object])
	}
	kind.Minor = 0
	for _, sum := range sums {
		kind.Minor = max(kind.Minor, sum)
	}
	return kind
}

// sameMoney reports whether two known amounts can be compared: they are of one currency and one unit.
func sameMoney(a, b Amount) bool { return a.Currency == b.Currency && a.Exponent == b.Exponent }

// less reports whether an amount is certainly less than another.
func less(a, b Amount) bool { return a.Valid && b.Valid && sameMoney(a, b) && a.Minor < b.Minor }
