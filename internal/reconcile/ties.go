package reconcile

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"
	"strings"
	"time"
)

// TieKind says what two actions share that no identity joins.
type TieKind uint8

// The kinds of tie.
const (
	TieUnique      TieKind = iota + 1 // the columns of which a business rule allows one row
	TieProviderKey                    // the key at the provider
	TiePlace                          // key and request, under whatever account, region, zone or target
	TieOperation                      // key and request, under whatever operation
	TieSentKey                        // the key that the provider was sent: such records may be one action's, and nothing is found of two that are not
)

// tieKinds is one more than the last kind of tie by which actions are told of one another.
const tieKinds = int(TieOperation) + 1

// Tie is what one record shares with those of other actions: two records of one contract with equal ties may make a finding of both actions.
type Tie struct {
	Kind TieKind
	Text []byte
}

// Tied is another action that shares a tie: the nearest few in time are named.
type Tied struct {
	Candidate
	Kind  TieKind
	Other []Component
	Row   *Record // that shares it
}

// movable are the components of a scope that name a place to which an action is sent. An attempt elsewhere is recognised by nobody there.
var movable = []string{"account", "region", "zone", "target"}

// AppendTies appends the ties of a record that the contract claims.
func (c *Contract) AppendTies(buf []Tie, r *Record, f *SourceFacts) []Tie {
	if c.KeysMeet() {
		buf = c.appendProviderKey(buf, r)
	}
	return c.AppendFarTies(buf, r, f)
}

// AppendFarTies appends those ties of a record that are not told by its key text alone.
func (c *Contract) AppendFarTies(buf []Tie, r *Record, f *SourceFacts) []Tie {
	if len(c.Unique) > 0 {
		buf = c.appendUnique(buf, r, f)
	}
	if c.keysCollide() && !c.KeysMeet() {
		buf = c.appendProviderKey(buf, r)
	}
	if c.moves() {
		buf = c.appendRequestTie(buf, TiePlace, r, f, func(name string) bool { return slices.Contains(movable, name) })
	}
	if c.MayRename() {
		buf = c.appendRequestTie(buf, TieOperation, r, f, func(name string) bool { return name == "operation" })
	}
	return buf
}

// HasTies reports whether some record of the contract may have a tie.
func (c *Contract) HasTies() bool { return c.KeysMeet() || c.HasFarTies() }

// HasFarTies reports whether some record of the contract may have a tie that its key text alone does not tell.
func (c *Contract) HasFarTies() bool {
	return len(c.Unique) > 0 || c.keysCollide() && !c.KeysMeet() || c.moves() || c.MayRename()
}

// KeyKnown is for how long after a key's first send the contract's provider surely recognises it.
func (c *Contract) KeyKnown() time.Duration {
	if c.Provider == nil {
		return 0
	}
	switch c.Provider.Retention {
	case RetentionForever:
		return 1<<63 - 1
	case RetentionExact, RetentionMinimum:
		return c.Provider.For
	case RetentionNone:
	}
	return 0
}

// KeysMeet reports whether two identities of one key text may be sent to the provider under one key.
func (c *Contract) KeysMeet() bool {
	rule := c.ProviderKey
	byKey := rule.Rule == ProviderKeySame || rule.Rule == ProviderKeyTemplate && strings.Count(rule.Template, "{") == 1 && strings.Contains(rule.Template, "{key}")
	return byKey && !c.SharesKeys && c.keysCollide()
}

// appendUnique ties rows of a serving store that share the columns of a rule, and records that ask for such a row: what an intent or a receipt says of those
// columns a retry would write.
func (c *Contract) appendUnique(buf []Tie, r *Record, f *SourceFacts) []Tie {
	if r.Role == RoleProvider || (r.Role == RoleEffect && f != nil && !f.Serves) {
		return buf
	}
	for i, rule := range c.Unique {
		if (r.Role == RoleEffect && rule.holds(r)) || (r.Role != RoleEffect && rule.asked(r)) {
			buf = append(buf, Tie{TieUnique, c.uniqueText(i, r)})
		}
	}
	return buf
}

func (c *Contract) uniqueText(rule int, r *Record) []byte {
	text := binary.AppendUvarint([]byte(c.Name+"\x00"), uint64(rule))
	for _, name := range c.Unique[rule].Columns {
		text = c.appendComponent(text, name, r.Field(name))
	}
	return text
}

// keysCollide reports whether two identities may be sent to the provider under one key: the provider knows less of the scope than the contract, or other
// contracts send it keys too.
func (c *Contract) keysCollide() bool {
	if !c.Effect.external() || c.Provider == nil || !c.Provider.Dedup {
		return false
	}
	text := c.ProviderKey.Template
	switch c.ProviderKey.Rule {
	case ProviderKeyMinted:
		return false
	case ProviderKeyColumn:
		return true
	case ProviderKeySame:
		text = "{key}"
	case ProviderKeyTemplate:
	}
	if c.SharesKeys {
		return true
	}
	if strings.Count(text, "{") != 1 || !strings.Contains(text, "{key}") {
		return true // holes that follow one another may be filled alike in two ways
	}
	return slices.ContainsFunc(c.Scope, func(name string) bool { return name != "key" && !slices.Contains(c.Provider.Scope, name) })
}

func (c *Contract) appendProviderKey(buf []Tie, r *Record) []Tie {
	id := c.IdentityOf(r)
	var key Value
	switch c.ProviderKey.Rule {
	case ProviderKeySame:
		key = keyOf(id)
	case ProviderKeyTemplate:
		key = fillTemplate(c.ProviderKey.Template, id)
	case ProviderKeyColumn:
		switch {
		case r.Role == RoleReceipt || r.Role == RoleEffect:
			key = r.Field(c.ProviderKey.Column)
		case r.Role == RoleProvider && keyOf(id).known:
			key = r.ProviderKey // its log tells what it was sent, also where the row that held it is gone
		}
	case ProviderKeyMinted:
	}
	if !key.known || (c.ProviderKey.Rule != ProviderKeyColumn && !Whole(id)) {
		return buf
	}
	text := []byte(c.Name + "\x00")
	if c.SharesKeys {
		text = []byte("\x00" + c.Provider.Name + "\x00") // no contract's name is empty
	}
	for i := range id {
		if slices.Contains(c.Provider.Scope, id[i].Name) {
			if !id[i].Value.known {
				return buf
			}
			text = c.appendComponent(text, id[i].Name, id[i].Value)
		}
	}
	return append(buf, Tie{TieProviderKey, append(text, key.text...)})
}

// moves reports whether two identities may differ in nothing but the place.
func (c *Contract) moves() bool {
	return slices.ContainsFunc(c.Scope, func(name string) bool { return slices.Contains(movable, name) && !slices.Contains(c.Free, name) })
}

// MayRename reports whether the contract governs several operations that its identities tell apart.
func (c *Contract) MayRename() bool {
	several := len(c.Operations) > 1 || slices.ContainsFunc(c.Operations, func(o string) bool { return strings.Contains(o, "*") })
	return several && slices.Contains(c.Scope, "operation")
}

// appendRequestTie ties records of one key and request whose scopes agree in all but some components.
func (c *Contract) appendRequestTie(buf []Tie, kind TieKind, r *Record, f *SourceFacts, leaveOut func(string) bool) []Tie {
	id := c.IdentityOf(r)
	if !Whole(id) {
		return buf
	}
	text := []byte(c.Name + "\x00")
	for i := range id {
		if !leaveOut(id[i].Name) {
			text = c.appendComponent(text, id[i].Name, id[i].Value)
		}
	}
	var wish Wish
	wish.readRequest(c, r, f)
	for _, request := range [][]byte{wish.Print, wish.Params} {
		if len(request) > 0 {
			buf = append(buf, Tie{kind, slices.Concat(text, request)})
		}
	}
	return buf
}

// tieSeat is a subject in the group of one tie.
type tieSeat struct {
	s     *Subject
	rows  []*Record // that share it, the first by tieRank first
	began Instant
	made  Value   // the provider's first object of the action
	at    Instant // when that was made
}

// tieSteps is how many of a group are looked at on either side of a subject in time. Those that do not count are its own, or differ in what is free.
const tieSteps = 64

// RelateTies fills Ties of each subject from the others.
func RelateTies(subjects []*Subject, w *World) {
	var groups [tieKinds]map[string][]tieSeat
	var room []Tie
	for _, s := range subjects {
		if s.Contract == nil || !s.Contract.HasTies() {
			continue
		}
		began := beganOf(s)
		made, at := firstObject(s)
		for i := range s.Evidence {
			e := &s.Evidence[i]
			room = s.Contract.AppendTies(room[:0], e.Record, w.Source(e.Record.Source))
			for _, t := range room {
				if e.Link != LinkKey && t.Kind != TieUnique && (t.Kind != TieProviderKey || s.Contract.ProviderKey.Rule != ProviderKeyColumn) {
					continue // a line of the object that carries another request's key
				}
				if groups[t.Kind] == nil {
					groups[t.Kind] = make(map[string][]tieSeat)
				}
				seats := groups[t.Kind][string(t.Text)]
				switch last := len(seats) - 1; {
				case last < 0 || seats[last].s != s:
					groups[t.Kind][string(t.Text)] = append(seats, tieSeat{s: s, rows: []*Record{e.Record}, began: began, made: made, at: at})
				case t.Kind == TieUnique:
					seats[last].rows = append(seats[last].rows, e.Record)
				}
			}
		}
	}
	for kind, of := range groups {
		for _, text := range slices.Sorted(maps.Keys(of)) { // of several rules, which is told hangs on no accident
			if seats := of[text]; len(seats) > 1 {
				tie(TieKind(kind), seats)
			}
		}
	}
	for _, s := range subjects {
		slices.SortFunc(s.Ties, func(a, b Tied) int {
			return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.away, b.away), strings.Compare(a.Case, b.Case))
		})
	}
}

// tieRank orders what one action has under one rule: a row that stands before any other row, and that before a record that only asks for one.
func tieRank(r *Record) int {
	switch {
	case r.Role != RoleEffect:
		return 0
	case !Effective(r):
		return 1
	}
	return 2
}

// tie names to each of a group the nearest others in time that count.
func tie(kind TieKind, seats []tieSeat) {
	slices.SortFunc(seats, func(a, b tieSeat) int {
		return twinSeat{s: a.s, began: a.began}.compare(twinSeat{s: b.s, began: b.began})
	})
	odd, same := []int(nil), map[string][]int(nil)
	if kind == TieProviderKey {
		odd, same = outliers(seats)
	}
	for i := range seats {
		for _, step := range []int{-1, 1} {
			met := 0
			for n := i + step; n >= 0 && n < len(seats) && (n-i)*step <= tieSteps && met < MaxCandidates; n += step {
				if seats[i].counts(kind, &seats[n]) {
					seats[i].s.addTie(kind, &seats[n], between(seats[i].began, seats[n].began))
					met++
				}
			}
		}
		for n := len(seats) - 1; n > i && !seats[n].began.known && len(seats)-n <= MaxCandidates; n-- { // whose time is not known may be near
			if seats[i].counts(kind, &seats[n]) {
				seats[i].s.addTie(kind, &seats[n], 1<<63-1)
			}
		}
		for _, n := range slices.Concat(odd, same[seats[i].made.String()]) { // whom near ones that do not count would hide
			if seats[i].counts(kind, &seats[n]) {
				seats[i].s.addTie(kind, &seats[n], between(seats[i].began, seats[n].began))
			}
		}
	}
}

// outliers are the places of a few of a group from whom others are not kept apart: the first and the last, those for which the provider shows no object, and by
// object those that share one.
func outliers(seats []tieSeat) (odd []int, same map[string][]int) {
	odd, same = []int{0, len(seats) - 1}, make(map[string][]int)
	for i := range seats {
		object := seats[i].made
		switch {
		case !object.known && len(odd) < 4:
			odd = append(odd, i)
		case object.known && len(same[object.String()]) < 2:
			same[object.String()] = append(same[object.String()], i)
		}
	}
	return odd, same
}

// addTie names another action, once for each kind, by the row of it that says most.
func (s *Subject) addTie(kind TieKind, o *tieSeat, away int64) {
	row := o.rowBeside(s, kind)
	tied := Tied{Kind: kind, Other: o.s.Identity, Row: row, Candidate: candidate(o.s, row, tieWords[kind], away)}
	at := slices.IndexFunc(s.Ties, func(t Tied) bool { return t.Kind == kind && t.Case == o.s.ID })
	switch {
	case at < 0:
		s.Ties = append(s.Ties, tied)
	case tieRank(row) > tieRank(s.Ties[at].Row):
		s.Ties[at] = tied
	}
}

// rowBeside is the row of a seat by which another action is told of it, nil where there is none. Under a rule that allows one row it is one that the other does not
// hold as well: a row that two actions name is no second one.
func (t *tieSeat) rowBeside(s *Subject, kind TieKind) *Record {
	if kind != TieUnique {
		return t.rows[0]
	}
	var best *Record
	for _, r := range t.rows {
		if (best == nil || tieRank(r) > tieRank(best)) && !s.holds(r) {
			best = r
		}
	}
	return best
}

func (s *Subject) holds(r *Record) bool {
	return slices.ContainsFunc(s.Evidence, func(e Evidence) bool { return e.Record == r || r.Locator != "" && ref(e.Record) == ref(r) })
}

var tieWords = [tieKinds]string{"", "same unique columns", "same key at the provider", "same key and request elsewhere", "same key and request under another operation"}

// counts reports whether what two actions share makes a finding.
func (t *tieSeat) counts(kind TieKind, o *tieSeat) bool {
	c := t.s.Contract
	switch {
	case o.s == t.s || o.s.ID == t.s.ID:
		return false
	case kind == TieUnique:
		row := o.rowBeside(t.s, kind)
		return row != nil && row.Role == RoleEffect
	case kind == TieProviderKey:
		return !keptApart(t, o)
	case kind == TiePlace:
		return c.inWindow(t.began, o.began) && c.differs(t.s.Identity, o.s.Identity, func(name string) bool { return slices.Contains(movable, name) && !slices.Contains(c.Free, name) })
	case kind == TieOperation:
		return c.inWindow(t.began, o.began) && c.differs(t.s.Identity, o.s.Identity, func(name string) bool { return name == "operation" })
	}
	return true
}

// keptApart reports whether the provider itself showed that one key of two actions is two to it: it made an object of its own for each, at times between which
// it promises not to forget a key.
func keptApart(a, b *tieSeat) bool {
	if !a.made.Differs(b.made) || a.made.meets(b.made) {
		return false
	}
	known := a.s.Contract.KeyKnown()
	if a.s.Contract.Provider.Retention == RetentionForever {
		return true
	}
	return a.at.known && b.at.known && between(a.at, b.at) < int64(known)
}

// firstObject is the first object that the provider made for an action, whatever came of it.
func firstObject(s *Subject) (id Value, at Instant) {
	for _, e := range s.Evidence {
		r := e.Record
		if r.Role != RoleProvider || !r.ObjectID.known {
			continue
		}
		if !id.known || r.CreatedAt.Before(at) {
			id, at = r.ObjectID, r.CreatedAt
		}
	}
	return id, at
}

// inWindow reports whether a retry of what began at one time may be what began at the other; where one is not known it may.
func (c *Contract) inWindow(a, b Instant) bool {
	return !c.RetryWindow.Valid || !a.known || !b.known || time.Duration(between(a, b)) <= c.RetryWindow.D
}

// differs reports whether two identities differ in some component of a kind.
func (c *Contract) differs(a, b []Component, of func(string) bool) bool {
	for i := range a {
		if of(a[i].Name) && i < len(b) && !c.agree(a[i:i+1], b[i:i+1]) {
			return true
		}
	}
	return false
}

// tied returns the nearest action that shares a tie of a kind.
func (j *judging) tied(kind TieKind) *Tied {
	for i := range j.s.Ties {
		if j.s.Ties[i].Kind == kind {
			return &j.s.Ties[i]
		}
	}
	return nil
}
