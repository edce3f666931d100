package reconcile

import (
	"cmp"
	"slices"
	"strings"
)

// One call of a provider may make several objects: its line names the set of them. Each member can be joined by its id, and the order in which a log lists them
// has no meaning. A line with a key is its action's, and so is a row without one that names a member. A line without a key says only that one call made them:
// several actions may have asked for what was made at once, so it brings nobody together. It is shared by all whom its members lead to, unless the contract
// says that one action makes several records: then they are one action's.

// isCall reports whether a record is a line of a provider whose object is a set.
func isCall(r *Record) bool { return r.Role == RoleProvider && r.ObjectID.set }

// meets reports whether two values name one thing.
func (v Value) meets(o Value) bool {
	for m := range v.Members() {
		if o.Names(m) {
			return true
		}
	}
	return false
}

// divide parts records by a condition, in their order.
func divide(rs []*Record, of func(*Record) bool) (are, others []*Record) {
	for _, r := range rs {
		if of(r) {
			are = append(are, r)
		} else {
			others = append(others, r)
		}
	}
	return are, others
}

// placeCalls joins lines without a key whose object is a set, and returns what is left: units of their own.
func (j *joiner) placeCalls(rs []*Record, loose []*unit) []*unit {
	if len(rs) == 0 {
		return nil
	}
	holders := make(map[string][]*unit)
	for _, u := range slices.Concat(j.units, loose) {
		for _, ref := range u.refs {
			if !u.gone {
				holders[refName(ref)] = append(holders[refName(ref)], u)
			}
		}
	}
	var left []*unit
	same := make(map[string]*unit)
	for _, r := range rs {
		id := j.looseIdentity(r)
		name := string(j.c.appendComponent(j.c.AppendIdentity([]byte(r.Source), id), "", r.ObjectID))
		u := same[name]
		if u == nil {
			u = &unit{of: j, id: id}
			same[name] = u
			left = append(left, u)
		}
		u.add(r, LinkNone)
	}
	for _, u := range left {
		j.placeCall(u, holders)
	}
	return slices.DeleteFunc(left, func(u *unit) bool { return u.gone })
}

// placeCall joins the lines of one call to the one unit that its members lead to, or shares them among several.
func (j *joiner) placeCall(u *unit, holders map[string][]*unit) {
	var homes []*unit
	var keyed int
	open := false
	for _, ref := range u.refs {
		for _, k := range holders[refName(ref)] {
			for k.taken != nil {
				k = k.taken
			}
			if slices.Contains(homes, k) || !j.c.agree(u.id, k.id) {
				continue
			}
			if k.keyed {
				keyed++
			}
			open = open || len(k.clashes) > 0
			k.via, homes = ref, append(homes, k)
		}
	}
	if len(homes) == 0 {
		return
	}
	u.gone = true
	slices.SortStableFunc(homes, func(a, b *unit) int { return cmp.Compare(order(b.keyed), order(a.keyed)) })
	home := homes[0]
	if len(homes) > 1 && (open || keyed > 1 || !j.c.makesSeveral()) {
		for _, k := range homes {
			for i := range u.ev {
				k.hold(Evidence{Record: u.ev[i].Record, Link: k.via.Domain.link(), Shared: k != home})
			}
		}
		return
	}
	for _, k := range append(homes[1:], u) {
		k.gone, k.taken = true, home
		for i := range k.ev {
			home.lodge(k.ev[i].Record, home.via.Domain.link())
		}
	}
}

func order(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// makesSeveral reports whether the contract says that one action makes several records of some source.
func (c *Contract) makesSeveral() bool {
	for _, q := range c.Expects {
		if q.Max != 1 {
			return true
		}
	}
	return false
}

// keepApart leaves out of the lines of objects those units that hold nothing but lines, a set among them, and whose members several other actions hold: such a
// call touched what each of them made, and is none of theirs alone.
func (j *joiner) keepApart(holders map[string][]*unit) {
	homes := make(map[*unit][]*unit)
	for _, us := range holders {
		for _, u := range us {
			if !u.onlyProvider() || !slices.ContainsFunc(u.ev, func(e Evidence) bool { return e.Record.ObjectID.set }) {
				continue
			}
			for _, k := range us {
				if k != u && !k.onlyProvider() && !slices.Contains(homes[u], k) {
					homes[u] = append(homes[u], k)
				}
			}
		}
	}
	for name, us := range holders {
		holders[name] = slices.DeleteFunc(us, func(u *unit) bool { return len(homes[u]) > 1 })
	}
}

// stand is what stands of an action in one source: the records, and how many they count for.
type stand struct {
	refs []string
	n    int
}

// standing lists the effective records by source. What one call made counts once, however many rows name one of its members each; where the contract says how
// many records of the source an action makes, every one counts, and a set as its members.
func (j *judging) standing() map[string]stand {
	bySource := make(map[string]stand)
	for _, r := range slices.Concat(j.effects, j.copyEffects) {
		of := bySource[r.Source]
		of.refs, of.n = append(of.refs, ref(r)), of.n+1
		bySource[r.Source] = of
	}
	for source, of := range bySource {
		if _, told := j.c.Expects[source]; !told {
			of.n -= j.ofOneCall(source)
			bySource[source] = of
		}
	}
	for _, o := range j.creations() {
		of := bySource[o.source]
		of.refs, of.n = append(of.refs, ref(o.lines[0])), of.n+o.counts
		bySource[o.source] = of
	}
	return bySource
}

// ofOneCall is how many rows of a source are there only because one call made several objects, each of which has its row.
func (j *judging) ofOneCall(source string) int {
	spared := 0
	counted := make(map[*Record]bool)
	for _, o := range j.objects {
		if !o.id.set {
			continue
		}
		var named []Value
		for _, r := range slices.Concat(j.effects, j.copyEffects) {
			id := r.ProviderRef
			if r.Source != source || counted[r] || id.set || !o.id.Names(id) || slices.ContainsFunc(named, id.Equal) {
				continue
			}
			counted[r] = true
			if named = append(named, id); len(named) > 1 {
				spared++
			}
		}
	}
	return spared
}

// creations lists the succeeded objects that were made, with what each counts for. A line that names only what earlier ones made tells what became of that.
func (j *judging) creations() []*object {
	var out []*object
	for _, o := range j.objects {
		if o.outcome == OutcomeSucceeded && o.id.known {
			o.counts = 1
			out = append(out, o)
		}
	}
	if !slices.ContainsFunc(out, func(o *object) bool { return o.id.set }) {
		return out
	}
	byAge := slices.Clone(out)
	slices.SortStableFunc(byAge, func(a, b *object) int {
		return cmp.Or(cmpInstant(a.at, b.at), cmp.Compare(len(a.id.text), len(b.id.text)), strings.Compare(a.id.String(), b.id.String()))
	})
	met := make(map[string]bool)
	for _, o := range byAge {
		fresh := 0
		for m := range o.id.Members() {
			if name := o.source + "\x00" + m.String(); !met[name] {
				met[name] = true
				fresh++
			}
		}
		if _, told := j.c.Expects[o.source]; told || fresh == 0 {
			o.counts = fresh
		}
	}
	return slices.DeleteFunc(out, func(o *object) bool { return o.counts == 0 })
}
