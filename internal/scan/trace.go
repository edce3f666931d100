package scan

import (
	"encoding/binary"
	"hash/maphash"
	"strings"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources/rows"
)

// trace is what the sieve keeps of a row: 64 bytes, whatever the row's size. Hashes are seeded per process, so nobody can choose keys that collide.
type trace struct {
	k   uint64 // of the key text; 0 = the row carries none
	id  uint64 // of contract and whole identity; 0 = incomplete
	er  uint32 // of the effect id, own or pointed to; 0 = none
	pr  uint32 // of the provider object id, own or pointed to
	tw  uint32 // of the parameters; 0 = none
	fp  uint32 // of the fingerprint and what it is made of; 0 = none
	pa  uint32 // of the place, above, and of the actor, below, 16 bits each; 0 = not told
	dg  uint32 // of the amount
	gn  uint32 // of the generation; 0 = none, or a row by which none is told; of an intent see last
	t   uint32 // seconds since 1970 of the row's time, for a receipt of its completion, see begun; 0 = unknown
	fl  flags
	src uint16
	ci  uint16 // of the contract, in the book's order
	pos uint64
}

const traceSize = 64

// flags are what the sieve must know of a row besides hashes, all from the scan's one clock: its role, the shape of its key, flags proper, and the number of
// its partition. Nothing else says which bits are whose.
type flags uint32

const (
	roleMask   flags = 7 // a reconcile.Role
	shapeShift       = 3
	shapeMask  flags = 3 << shapeShift // a reconcile.KeyShape
)

const (
	odd     flags = (shapeMask + roleMask + 1) << iota // anything but the plainest good form of its kind: the rules decide
	live                                               // receipt: not past its life
	closed                                             // the retry window that this row would open is over
	aged                                               // effect: retention would have removed its receipt
	failed                                             // receipt: a stored failure, or a response without effect
	local                                              // the contract has a local leg
	remote                                             // the contract has a provider leg
	shared                                             // the contract shares effects: one reference may serve several actions
	noReq                                              // the contract declares nothing by which requests are compared
	noActor                                            // the contract declares no actor
	request                                            // the row tells parameters, and the contract how they are compared
	judged                                             // its parameters can be compared
	printed                                            // the row tells a fingerprint of its request
	prints                                             // its fingerprint is declared to be comparable
	keyOnly                                            // of the identity it carries the key, and nothing that could disagree
	lodged                                             // the row carries no key: a reference gave it its identity
	meets                                              // the provider may be sent one key for two identities of this key
	aimed                                              // intent: it tells where it was sent
	begun                                              // receipt: when it was completed is not known, t is when it was begun
	done                                               // the row shows that the action was done, see reconcile.Witness
	flagsEnd
)

const (
	partShift = 25 // where the number of the row's partition stands: 0 = not known
	mostParts = 1<<(32-partShift) - 1

	_ = uint(1<<partShift - flagsEnd)                                // does not compile where a flag would reach into the number,
	_ = uint(shapeMask>>shapeShift + 1 - flags(reconcile.KeyShapes)) // or a shape would into a flag
)

func (f flags) role() reconcile.Role      { return reconcile.Role(f & roleMask) }
func (f flags) shape() reconcile.KeyShape { return reconcile.KeyShape(f & shapeMask >> shapeShift) }
func (f flags) part() int                 { return int(f >> partShift) }

// completed is when a row was made, a receipt completed; 0 = unknown.
func (t *trace) completed() uint32 {
	if t.fl&begun != 0 {
		return 0
	}
	return t.t
}

func (t *trace) role() reconcile.Role { return t.fl.role() }

// generation is the hash of the row's generation; 0 = none.
func (t *trace) generation() uint32 {
	if t.role() == reconcile.RoleIntent {
		return 0
	}
	return t.gn
}

// last is when an intent was last sent, never where some send does not tell when; 0 for other rows.
func (t *trace) last() uint32 {
	if t.role() == reconcile.RoleIntent {
		return t.gn
	}
	return 0
}

const never = 1<<32 - 1

func (t *trace) place() uint16 { return uint16(t.pa >> 16) }
func (t *trace) actor() uint16 { return uint16(t.pa) } // the lower half

func (t *trace) put(b []byte) {
	_ = b[traceSize-1]
	le := binary.LittleEndian
	le.PutUint64(b, t.k)
	le.PutUint64(b[8:], t.id)
	le.PutUint32(b[16:], t.er)
	le.PutUint32(b[20:], t.pr)
	le.PutUint32(b[24:], t.tw)
	le.PutUint32(b[28:], t.dg)
	le.PutUint32(b[32:], t.t)
	le.PutUint32(b[36:], uint32(t.fl))
	le.PutUint32(b[40:], t.gn)
	le.PutUint16(b[44:], t.src)
	le.PutUint16(b[46:], t.ci)
	le.PutUint64(b[48:], t.pos)
	le.PutUint32(b[56:], t.fp)
	le.PutUint32(b[60:], t.pa)
}

func (t *trace) get(b []byte) {
	_ = b[traceSize-1]
	le := binary.LittleEndian
	t.k = le.Uint64(b)
	t.id = le.Uint64(b[8:])
	t.er = le.Uint32(b[16:])
	t.pr = le.Uint32(b[20:])
	t.tw = le.Uint32(b[24:])
	t.dg = le.Uint32(b[28:])
	t.t = le.Uint32(b[32:])
	t.fl = flags(le.Uint32(b[36:]))
	t.gn = le.Uint32(b[40:])
	t.src = le.Uint16(b[44:])
	t.ci = le.Uint16(b[46:])
	t.pos = le.Uint64(b[48:])
	t.fp = le.Uint32(b[56:])
	t.pa = le.Uint32(b[60:])
}

// tracer turns the records of one source into traces. It is used by one goroutine; its buffers are reused row after row.
type tracer struct {
	book  reconcile.Book
	index map[*reconcile.Contract]uint16
	facts reconcile.SourceFacts // before the scan: what the map can carry, not coverage
	src   uint16
	now   reconcile.Instant
	seed  maphash.Seed
	buf   []byte
	comps []reconcile.Component
	refs  []reconcile.Ref
	more  []moreRef // of the row just read
	marks []reconcile.Mark
	ties  []reconcile.Tie
	far   []bool // of each contract: its rows have ties
	posts bool   // rows go by their references first
	parts *partitionNames
	wish  reconcile.Wish

	contract *reconcile.Contract // of the row just read
	scope    uint32              // of the row just read, where it posts
}

// moreRef is a reference for which a trace has no room: a request id, or a member of a set beyond the first.
type moreRef struct{ h, tag uint32 }

// read claims a record and fills n from it; false means that no contract claims it. What the trace has no room for stands in more.
func (tr *tracer) read(pos rows.Pos, r *reconcile.Record, n *trace) bool {
	c := tr.book.Claim(r)
	if c == nil {
		return false
	}
	tr.contract = c
	*n = trace{src: tr.src, ci: tr.index[c], pos: uint64(pos), fl: flags(r.Role)&roleMask | shapeFlags(r)}
	tr.identify(c, r, n)
	tr.reference(c, r, n)
	tr.compare(c, r, n)
	tr.classify(c, r, n)
	n.fl |= flags(tr.parts.number(tr.comps)) << partShift
	return true
}

func (tr *tracer) hash(b []byte) uint64 {
	if h := maphash.Bytes(tr.seed, b); h != 0 {
		return h
	}
	return 1
}

func (tr *tracer) short(b []byte) uint32 {
	if h := uint32(maphash.Bytes(tr.seed, b) >> 32); h != 0 {
		return h
	}
	return 1
}

func (tr *tracer) identify(c *reconcile.Contract, r *reconcile.Record, n *trace) {
	ci := byte(tr.index[c]) // collisions beyond 256 contracts are told apart by the rules: hashes only select what to look at
	tr.comps = c.AppendComponents(tr.comps[:0], r)
	tr.buf = append(tr.buf[:0], 'i', ci)
	tr.buf = c.AppendIdentity(tr.buf, tr.comps)
	if reconcile.Whole(tr.comps) {
		n.id = tr.hash(tr.buf)
	}
	n.k = tr.key(c, r)
	if n.k != 0 && n.id == 0 && tr.carriesKeyOnly(c) {
		n.fl |= keyOnly
	}
	if tr.posts {
		tr.scope = tr.scopeOf(c)
	}
}

// key hashes the key text with its contract; 0 where the row carries none.
func (tr *tracer) key(c *reconcile.Contract, r *reconcile.Record) uint64 {
	tr.buf = append(tr.buf[:0], 'k', byte(tr.index[c]))
	b := c.AppendKey(tr.buf, r)
	if len(b) == len(tr.buf) {
		return 0
	}
	tr.buf = b
	return tr.hash(b)
}

// scopeOf hashes the scope without the key; 0 where a component is unknown.
func (tr *tracer) scopeOf(c *reconcile.Contract) uint32 {
	tr.buf = append(tr.buf[:0], 's', byte(tr.index[c]))
	for i := range tr.comps {
		if tr.comps[i].Name == "key" {
			continue
		}
		if !tr.comps[i].Value.Known() {
			return 0
		}
		tr.buf = c.AppendIdentity(tr.buf, tr.comps[i:i+1])
	}
	return tr.short(tr.buf)
}

// carriesKeyOnly reports whether the row carries the key and no component that an identity with that key could contradict.
func (tr *tracer) carriesKeyOnly(c *reconcile.Contract) bool {
	for i := range tr.comps {
		if tr.comps[i].Name == "key" || !tr.comps[i].Value.Known() {
			continue
		}
		if tr.comps[i].Name != "operation" || len(c.Operations) != 1 || strings.Contains(c.Operations[0], "*") {
			return false
		}
	}
	return true
}

// reference hashes the references, each with its contract and domain: effect 7 is not object 7. Of a set the first member stands for the row, and the rules
// decide whatever it is of.
func (tr *tracer) reference(c *reconcile.Contract, r *reconcile.Record, n *trace) {
	ci := byte(tr.index[c])
	tr.more = tr.more[:0]
	further := func(h, tag uint32) {
		tr.more = append(tr.more, moreRef{h, tag})
		n.fl |= odd
	}
	tr.refs = reconcile.AppendRefs(tr.refs[:0], r)
	for _, ref := range tr.refs {
		tr.buf = append(tr.buf[:0], 'r', ci, byte(ref.Domain))
		tr.buf = append(tr.buf, ref.Value.Bytes()...)
		h := tr.short(tr.buf)
		switch {
		case ref.Domain == reconcile.RefEffect && n.er != 0:
			further(h, tagEffect)
		case ref.Domain == reconcile.RefEffect:
			n.er = h
		case ref.Domain == reconcile.RefObject && n.pr != 0:
			further(h, tagObject)
		case ref.Domain == reconcile.RefObject:
			n.pr = h
		case ref.Domain == reconcile.RefRequest:
			tr.more = append(tr.more, moreRef{h, tagRequest})
		case ref.Domain == reconcile.RefSentKey: // a tie brings these together
		}
	}
}

func (tr *tracer) compare(c *reconcile.Contract, r *reconcile.Record, n *trace) {
	tr.ask(c, r, n)
	if r.Generation.Valid && (r.Role == reconcile.RoleReceipt || r.Role == reconcile.RoleEffect || r.Role == reconcile.RoleProvider) {
		tr.buf = binary.AppendVarint(append(tr.buf[:0], 'g'), r.Generation.N)
		n.gn = tr.short(tr.buf)
	}
	if r.Amount.Valid {
		a := r.Amount
		for a.Exponent > 0 && a.Minor%10 == 0 {
			a.Minor, a.Exponent = a.Minor/10, a.Exponent-1
		}
		tr.buf = binary.AppendVarint(append(tr.buf[:0], 'a', a.Exponent), a.Minor)
		tr.buf = append(tr.buf, a.Currency...)
		n.dg = tr.short(tr.buf)
	}
}

// ask hashes what the row tells of what is asked for.
func (tr *tracer) ask(c *reconcile.Contract, r *reconcile.Record, n *trace) {
	w := &tr.wish
	w.Read(c, r, &tr.facts)
	ci := byte(tr.index[c])
	half := func(kind byte, text []byte) uint32 {
		if len(text) == 0 {
			return 0
		}
		tr.buf = append(append(tr.buf[:0], kind, ci), text...)
		return 1 + uint32(tr.hash(tr.buf)>>32)%(anyone-1)
	}
	n.pa = half('P', w.Place)<<16 | half('A', w.Actor)
	if len(w.Params) > 0 {
		n.tw = tr.short(append(append(tr.buf[:0], 'q', ci), w.Params...))
	}
	if len(w.Print) > 0 {
		n.fp = tr.short(append(append(tr.buf[:0], 'f', ci), w.Print...))
	}
	if w.Judged {
		n.fl |= judged
	}
	if r.Params.Known() && c.Params != nil {
		n.fl |= request
	}
	if r.Fingerprint.Known() && (c.Fingerprint != nil || tr.facts.Fingerprint != nil) {
		n.fl |= prints
	}
}

// classify sets what the clock and the contract say of the row. A row that is not of the plainest good form is odd.
func (tr *tracer) classify(c *reconcile.Contract, r *reconcile.Record, n *trace) {
	n.fl |= legFlags(c)
	if c.SharedEffects {
		n.fl |= shared
	}
	if c.KeysMeet() {
		n.fl |= meets
	}
	if c.Fingerprint == nil && c.Params == nil {
		n.fl |= noReq
	}
	if r.Fingerprint.Known() {
		n.fl |= printed
	}
	if len(c.Actor) == 0 {
		n.fl |= noActor
	}
	at := r.Time()
	plain := false
	switch r.Role {
	case reconcile.RoleReceipt:
		plain = tr.receipt(c, r, n)
		if at = completion(c, r); !at.Known() {
			at = c.Began(r)
			n.fl |= begun
		}
	case reconcile.RoleEffect:
		plain = reconcile.Effective(r) && tr.facts.Serves
		if c.Outlived(r.CreatedAt, tr.now) {
			n.fl |= aged
		}
		at = r.CreatedAt
	case reconcile.RoleProvider:
		plain = r.Outcome == reconcile.OutcomeSucceeded
		at = r.CreatedAt
	case reconcile.RoleIntent:
		plain = answered(r) && !r.Moves()
		if c.Aimed(r) {
			n.fl |= aimed
		}
		n.gn = lastSend(r)
	case reconcile.RoleOutbox:
		plain = r.Sent == reconcile.SentConfirmed || r.ConfirmedAt.Known()
	}
	if !plain || r.RevokedAt.Known() || r.Blur > 0 {
		n.fl |= odd
	}
	if witnesses(c, r) {
		n.fl |= done
	}
	last := reconcile.Latest(r.Time(), r.CreatedAt, r.UpdatedAt, r.CompletedAt, r.LockedAt, r.AttemptAt, r.SentAt, r.ConfirmedAt)
	for _, a := range r.Attempts {
		last = reconcile.Latest(last, a.At)
	}
	if end := c.WindowEnd(last); end.Known() && !end.After(tr.now) {
		n.fl |= closed
	}
	n.t = seconds(at)
}

func (tr *tracer) receipt(c *reconcile.Contract, r *reconcile.Record, n *trace) bool {
	if !tr.facts.Serves || r.Phase == reconcile.PhaseProviderSent {
		return false
	}
	if !c.Gone(r, tr.now) {
		n.fl |= live
	}
	switch c.StateOf(r) {
	case reconcile.StateCompleted:
		if !c.HasEffect(r.ResponseStatus) {
			n.fl |= failed
		}
		return true
	case reconcile.StateFailedFinal:
		n.fl |= failed
		return true
	case reconcile.StateInProgress, reconcile.StateFailedRetryable, reconcile.StateUnknown:
	}
	return false
}

// answered reports whether every attempt of an intent got an answer that leaves no doubt.
func answered(r *reconcile.Record) bool {
	if r.DueAt.Known() || len(r.Attempts) == 0 {
		return false
	}
	for _, a := range r.Attempts {
		if a.Outcome != reconcile.AttemptConfirmed {
			return false
		}
	}
	return true
}

// lastSend is when an intent was last sent, see last.
func lastSend(r *reconcile.Record) uint32 {
	at := r.AttemptAt
	for _, a := range r.Attempts {
		if !a.At.Known() {
			return never
		}
		at = reconcile.Latest(at, a.At)
	}
	return seconds(at)
}

// completion is when a receipt was completed, as far as it says; an atomic contract's receipt is written when it is completed.
func completion(c *reconcile.Contract, r *reconcile.Record) reconcile.Instant {
	t := r.CompletedAt.Or(r.UpdatedAt)
	if c.Atomic {
		t = t.Or(c.Began(r))
	}
	return t
}

func legFlags(c *reconcile.Contract) flags {
	switch c.Effect {
	case reconcile.LegsLocal:
		return local
	case reconcile.LegsExternal:
		return remote
	case reconcile.LegsBoth:
		return local | remote
	case reconcile.LegsNone:
	}
	return 0
}

// seconds rounds an instant to whole seconds since 1970, 0 for unknown. What lies outside 1970 to 2106 is unknown to the sieve.
func seconds(i reconcile.Instant) uint32 {
	if !i.Known() {
		return 0
	}
	if s := i.UnixNano() / 1e9; s > 0 && s < 1<<32 {
		return uint32(s)
	}
	return 0
}
