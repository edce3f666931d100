package reconcile

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
)

// Assemble joins records to subjects (docs/model.md, "Joining"): by whole identity, then by partial identity, then by unique reference. Every record is
// in exactly one subject. The records must be closed under the key text and the references they carry: whatever shares a key or a reference with one of
// them is among them. Order and repetition of records change nothing. The result is ordered by case id.
func Assemble(records []*Record, b Book, w *World) []*Subject {
	claimed := make(map[*Contract][]*Record)
	var out []*Subject
	for _, r := range sortedRecords(records) {
		c := b.Claim(r)
		if c == nil {
			out = append(out, &Subject{Evidence: []Evidence{{Record: r}}})
			continue
		}
		claimed[c] = append(claimed[c], r)
	}
	for _, c := range b {
		if rs := claimed[c]; len(rs) > 0 {
			out = append(out, (&joiner{c: c, w: w, otherKeys: c.OtherKeys(), byKey: make(map[string]*sameKey)}).join(rs)...)
		}
	}
	for _, s := range out {
		s.ID = caseID(s, w)
	}
	slices.SortFunc(out, func(a, b *Subject) int { return compareText(a.ID, b.ID) })
	return out
}

// told is a record with all that it says, spelled when that is first asked for.
type told struct {
	*Record
	text []byte
}

func (t *told) all() []byte {
	if t.text == nil {
		t.text = recordText(t.Record)
	}
	return t.text
}

// sortedRecords orders records by what they say, so that the order in which they were read cannot matter.
func sortedRecords(records []*Record) []*Record {
	ks := make([]told, len(records))
	for i, r := range records {
		ks[i].Record = r
	}
	order := make([]*told, len(records))
	for i := range ks {
		order[i] = &ks[i]
	}
	slices.SortStableFunc(order, compareTold)
	out := make([]*Record, len(order))
	for i, t := range order {
		out[i] = t.Record
	}
	return out
}

// compareTold compares role, source, and all that records say. Their components, which come first, differ nearly always: then nothing is spelled.
func compareTold(a, b *told) int {
	if c := cmp.Or(cmp.Compare(a.Role, b.Role), cmp.Compare(a.Source, b.Source)); c != 0 {
		return c
	}
	for i := range min(len(a.Components), len(b.Components)) {
		x, y := &a.Components[i], &b.Components[i]
		if x.Name != y.Name || !x.Value.known || !y.Value.known || len(x.Value.text) != len(y.Value.text) {
			break
		}
		if c := bytes.Compare(x.Value.text, y.Value.text); c != 0 {
			return c
		}
	}
	return bytes.Compare(a.all(), b.all())
}

// unit is a subject in the making: one identity, or keyless records that stand for one thing.
type unit struct {
	of      *joiner
	id      []Component
	keyed   bool
	ev      []Evidence
	clashes []Clash
	breach  *Breach
	refs    []Ref           // each once
	refSet  map[string]bool // the same, once there are many
	said    sayings
	gone    bool // moved into another unit
	torn    bool // several identities agree with it

	receipts []*Record

	taken  *unit // the unit into which it moved for the sake of a call
	fitted *unit // the loose unit that was last found to fit it,
	via    Ref   // and the reference that led there
}

// fewRefs is how many references a unit looks through before it keeps a set of them.
const fewRefs = 8

// hold takes a record in; its references lead nobody here.
func (u *unit) hold(e Evidence) {
	u.ev = append(u.ev, e)
	if e.Record.Role == RoleReceipt {
		u.receipts = append(u.receipts, e.Record)
	}
}

func (u *unit) share(r *Record, l Link) { u.hold(Evidence{Record: r, Link: l, Shared: true}) }

func (u *unit) add(r *Record, l Link) {
	u.said.add(r)
	u.lodge(r, l)
}

// lodge takes in a row without a key that the action names. What it says is no word of the action's own: another row that it names may say something else.
func (u *unit) lodge(r *Record, l Link) {
	u.hold(Evidence{Record: r, Link: l})
	var room [3]Ref
	for _, ref := range u.of.appendRefs(room[:0], r) {
		if !u.hasRef(ref) {
			u.refs = append(u.refs, ref)
		}
	}
}

// hasRef reports whether a reference was met before; of many, a set remembers them.
func (u *unit) hasRef(ref Ref) bool {
	if len(u.refs) < fewRefs {
		return slices.ContainsFunc(u.refs, func(o Ref) bool { return o.Domain == ref.Domain && o.Value.Equal(ref.Value) })
	}
	if u.refSet == nil {
		u.refSet = make(map[string]bool)
		for _, o := range u.refs {
			u.refSet[refName(o)] = true
		}
	}
	has := u.refSet[refName(ref)]
	u.refSet[refName(ref)] = true
	return has
}

func (u *unit) onlyProvider() bool {
	for i := range u.ev {
		if u.ev[i].Record.Role != RoleProvider {
			return false
		}
	}
	return true
}

// joiner joins the records of one contract.
type joiner struct {
	c         *Contract
	w         *World
	otherKeys bool // asked of the contract once
	units     []*unit
	byKey     map[string]*sameKey

	remakes map[string][]Instant // by reference: when rows of one id were made that are not one
}

// sameKey is the keyed units of one key text.
type sameKey struct {
	units  []*unit
	scopes scopes // of units
}

func (j *joiner) sameKey(id []Component) *sameKey {
	key := string(j.c.fold("key", keyOf(id).text))
	if j.byKey[key] == nil {
		j.byKey[key] = &sameKey{scopes: scopes{c: j.c}}
	}
	return j.byKey[key]
}

func (j *joiner) join(rs []*Record) []*Subject {
	var partial, keyless []*Record
	whole := make(map[string]*unit)
	for _, r := range rs {
		id := j.c.IdentityOf(r)
		switch {
		case Whole(id):
			enc := string(j.c.AppendIdentity(nil, id))
			u := whole[enc]
			if u == nil {
				u = j.newKeyed(id)
				whole[enc] = u
			}
			u.add(r, LinkKey)
		case keyOf(id).known:
			partial = append(partial, r)
		default:
			keyless = append(keyless, r)
		}
	}
	j.joinPartial(partial)
	keyless = append(keyless, j.demote()...)
	j.foldObjects()
	j.joinKeyless(keyless)
	return j.subjects()
}

func (j *joiner) newKeyed(id []Component) *unit {
	u := &unit{of: j, id: id, keyed: true}
	j.units = append(j.units, u)
	same := j.sameKey(id)
	same.units = append(same.units, u)
	same.scopes.add(id)
	return u
}

// joinPartial joins records that carry the key but not the whole identity, the fullest first: each joins the one unit that agrees with all it
// carries. Where none or several agree, records that carry the same stay together and join nothing.
func (j *joiner) joinPartial(rs []*Record) {
	type batch struct {
		id  []Component
		enc []byte
		rs  []*Record
	}
	var batches []*batch
	seen := make(map[string]*batch)
	for _, r := range rs {
		id := j.c.IdentityOf(r)
		enc := j.c.AppendIdentity(nil, id)
		b := seen[string(enc)]
		if b == nil {
			b = &batch{id: id, enc: enc}
			seen[string(enc)] = b
			batches = append(batches, b)
		}
		b.rs = append(b.rs, r)
	}
	sort.Slice(batches, func(i, k int) bool {
		if a, b := knownCount(batches[i].id), knownCount(batches[k].id); a != b {
			return a > b
		}
		return bytes.Compare(batches[i].enc, batches[k].enc) < 0
	})
	for _, b := range batches {
		same := j.sameKey(b.id)
		agreeing := same.scopes.agreeing(b.id)
		u := (*unit)(nil)
		if len(agreeing) == 1 {
			u = same.units[agreeing[0]]
			u.id = fuller(u.id, b.id)
			same.scopes.change(agreeing[0], u.id)
		} else {
			u = j.newKeyed(b.id)
			u.torn = len(agreeing) > 1
		}
		for _, r := range b.rs {
			u.add(r, LinkPartial)
		}
	}
}

// foldObjects brings the lines of one provider object together where they carry several keys: a provider logs the key of each request that touched an
// object, and only the one that made it names the action.
func (j *joiner) foldObjects() {
	holders, aliased := make(map[string][]*unit), make(map[string]Value)
	var room []Ref
	for _, u := range j.units {
		for i := range u.ev {
			r := u.ev[i].Record
			if r.Role != RoleProvider {
				continue
			}
			room = AppendRefs(room[:0], r)
			for _, ref := range room {
				if ref.Domain != RefObject {
					continue
				}
				name := r.Source + "\x00" + ref.Value.String()
				if us := holders[name]; len(us) == 0 || us[len(us)-1] != u {
					holders[name] = append(us, u)
				}
				if r.AliasID.known {
					aliased[name] = ref.Value
				}
			}
		}
	}
	j.addNamers(holders, aliased)
	names := make([]string, 0, len(holders))
	for name, us := range holders {
		if len(us) > 1 {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	j.keepApart(holders)
	for _, name := range names {
		j.foldObject(holders[name])
	}
}

// foldObject folds units that hold nothing but lines of one object into the unit of their scope that holds records of other kinds, if there is one alone, else
// into that of the oldest line: the request that made the object. Accounts may number their objects alike, so a line of another scope is another object's.
func (j *joiner) foldObject(us []*unit) {
	var homes, lines []*unit
	var homeScopes, lineScopes [][]Component
	for _, u := range us {
		switch {
		case u.gone:
		case u.onlyProvider():
			lines, lineScopes = append(lines, u), append(lineScopes, u.id)
		default:
			homes, homeScopes = append(homes, u), append(homeScopes, u.id)
		}
	}
	owners, others := newScopes(j.c, homeScopes), newScopes(j.c, lineScopes)
	for _, first := range j.byAge(lines) {
		owner := owners.agreeing(first.id)
		switch {
		case first.gone || len(owner) > 1:
			continue
		case len(owner) == 1:
			first.foldInto(homes[owner[0]])
			continue
		}
		for _, i := range others.agreeing(first.id) {
			if u := lines[i]; u != first && !u.gone && len(owners.agreeing(u.id)) == 0 {
				u.foldInto(first)
			}
		}
	}
}

func (u *unit) foldInto(home *unit) {
	u.gone = true
	for i := range u.ev {
		home.add(u.ev[i].Record, LinkObjectID)
	}
}

// byAge orders units by their first line.
func (j *joiner) byAge(us []*unit) []*unit {
	type aged struct {
		u     *unit
		began Instant
		text  []byte
	}
	of := make([]aged, len(us))
	for i, u := range us {
		of[i] = aged{u, u.began(j.c), j.c.AppendIdentity(nil, u.id)}
	}
	slices.SortFunc(of, func(a, b aged) int { return cmp.Or(cmpInstant(a.began, b.began), bytes.Compare(a.text, b.text)) })
	out := make([]*unit, len(us))
	for i := range of {
		out[i] = of[i].u
	}
	return out
}

func (u *unit) began(c *Contract) Instant {
	var t Instant
	for i := range u.ev {
		t = Earliest(t, c.Began(u.ev[i].Record))
	}
	return t
}

func (j *joiner) subjects() []*Subject {
	var out []*Subject
	for _, u := range j.units {
		if u.gone {
			continue
		}
		for i := range u.clashes {
			u.clashes[i].by = nil
		}
		s := &Subject{Contract: j.c, Identity: u.id, Evidence: u.ev, Clashes: u.clashes, Breach: u.breach, Ambiguous: u.torn}
		markHistory(j.c, s.Evidence)
		out = append(out, s)
	}
	return out
}

// Rejoin makes a stray again of records that Assemble joined, which are linked as they were then. The identity is that of the records which no reference brought.
func Rejoin(c *Contract, ev []Evidence, ambiguous bool, w *World) *Subject {
	j := &joiner{c: c, w: w, otherKeys: c.OtherKeys()}
	s := &Subject{Contract: c, Identity: c.IdentityOf(&Record{}), Evidence: ev, Ambiguous: ambiguous}
	for _, e := range ev {
		id := c.IdentityOf(e.Record)
		switch {
		case e.Link == LinkNone && !e.Shared:
			id = j.looseIdentity(e.Record)
		case e.Link == LinkKey || e.Link == LinkPartial:
		default:
			continue
		}
		s.Identity = fuller(s.Identity, id)
	}
	markHistory(c, s.Evidence)
	s.ID = caseID(s, w)
	return s
}

func compareText(a, b string) int { return bytes.Compare([]byte(a), []byte(b)) }
