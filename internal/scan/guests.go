package scan

import (
	"cmp"
	"context"
	"hash/maphash"
	"slices"

	"example.com/idemctl/internal/reconcile"
)

// The bounds of what a part of a crowd is shown of the others.
const (
	shownRows  = 16 // rows without identity of a block that was cut
	faceScopes = 2  // scopes that have, and that lack, a row of their own of a reference
	faceRows   = 8  // rows of each
	kinRows    = 16 // rows of one reference and scope
	keyRows    = 64 // rows of a key that does not tell its identity
	twinRows   = 2  // rows on either side in time that ask for the same
	twinSteps  = 16 // rows looked at for them
)

// members reads a crowd's rows for what joins them.
func (j *judge) members(ctx context.Context, each func(func([]suspect) error) error, c *crowd) error {
	seed := maphash.MakeSeed()
	return each(func(es []suspect) error {
		for part := range slices.Chunk(es, batchRows) {
			of := make(map[place]suspect, len(part))
			for _, e := range part {
				of[place{e.src, e.pos}] = e
			}
			if err := j.stream(ctx, part, func(at place, r *reconcile.Record) { c.rows = append(c.rows, j.memberOf(seed, of[at], r)) }); err != nil {
				return err
			}
		}
		return nil
	})
}

func (j *judge) memberOf(seed maphash.Seed, e suspect, r *reconcile.Record) member {
	m := member{suspect: e}
	c := j.book.Claim(r)
	if c == nil {
		return m
	}
	short := func(b []byte) uint32 { return uint32(maphash.Bytes(seed, b)) | 1 } // a hash, cut
	id := c.IdentityOf(r)
	m.loose = !reconcile.Whole(id)
	scope := slices.DeleteFunc(id, func(p reconcile.Component) bool { return p.Name == "key" || !j.divides(p.Name) })
	if len(scope) == 0 || reconcile.Whole(scope) {
		m.scope = short(c.AppendIdentity([]byte(c.Name), scope))
	}
	if b := c.AppendKey(nil, r); len(b) > 0 {
		m.key = short(append(b, c.Name...))
	}
	for _, ref := range reconcile.AppendRefs(nil, r) {
		if of := &m.refs[ref.Domain-reconcile.RefEffect]; *of == 0 {
			*of = short(append([]byte(c.Name+"\x00"), ref.Value.Bytes()...))
		} else {
			m.several = true
		}
	}
	m.owns = [2]bool{r.Role == reconcile.RoleEffect, r.Role == reconcile.RoleProvider}
	m.t = c.Began(r).UnixNano()
	if m.key != 0 || r.Role == reconcile.RoleEffect {
		var t trace
		tr := &tracer{index: j.marks.index, facts: j.readers[e.src].Facts(), seed: j.marks.seed}
		tr.ask(c, r, &t)
		m.tw, m.fp, m.pa, m.fl, m.ci = t.tw, t.fp, t.pa, t.fl, j.marks.index[c]
	}
	if c.HasTies() || c.OtherKeys() {
		f := j.readers[e.src].Facts()
		ties := c.AppendSentTies(c.AppendTies(nil, r, &f), r, &f)
		for i := range ties[:min(len(ties), len(m.ties))] {
			m.ties[i] = short(append(ties[i].Text, byte(ties[i].Kind)))
		}
	}
	return m
}

// divides reports whether a component of the scope may divide a crowd: every source whose rows carry no key tells it.
func (j *judge) divides(component string) bool {
	return !slices.ContainsFunc(j.world.Sources, func(f reconcile.SourceFacts) bool {
		told := slices.Contains(f.Components, component) || (component == "operation" && f.Operation.Known())
		return !told && !slices.Contains(f.Components, "key")
	})
}

// index prepares for showing rows of other parts.
func (c *crowd) index() {
	c.faces = make(map[refOf][]int32)
	for domain := range c.refs {
		c.refs[domain] = c.sorted(0, c.own, func(m *member) bool { return m.refs[domain] != 0 }, func(a, b *member) int {
			return cmp.Or(cmp.Compare(a.refs[domain], b.refs[domain]), cmp.Compare(a.scope, b.scope), compareBool(!a.ownsRef(domain), !b.ownsRef(domain)))
		})
		same := func(a, b *member) bool { return a.refs[domain] == b.refs[domain] }
		c.stretches(c.refs[domain], same, func(rows []int32) {
			if a, b := &c.rows[rows[0]], &c.rows[rows[len(rows)-1]]; a.scope != b.scope || a.scope == 0 {
				c.faces[refOf{domain, a.refs[domain]}] = c.facesOf(rows, domain)
			}
		})
	}
	c.actions = c.sorted(0, len(c.rows), func(m *member) bool { return m.pa != 0 || m.tw|m.fp != 0 }, compareAction)
	c.twins = c.twinsOf()
	c.ties = c.tiesByTime()
	c.outliers = c.outliersOf()
	c.keys = c.sorted(0, c.own, func(m *member) bool { return m.key != 0 }, func(a, b *member) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.scope, b.scope))
	})
}

func compareAction(a, b *member) int {
	return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.scope, b.scope))
}

func (m *member) ownsRef(domain int) bool { return domain < len(m.owns) && m.owns[domain] }

// sorted lists some rows of a stretch in an order; equals stand as their rows do.
func (c *crowd) sorted(from, to int, some func(*member) bool, order func(a, b *member) int) []int32 {
	var is []int32
	for i := from; i < to; i++ {
		if some(&c.rows[i]) {
			is = append(is, int32(i)) // as in close
		}
	}
	slices.SortFunc(is, func(a, b int32) int { return cmp.Or(order(&c.rows[a], &c.rows[b]), cmp.Compare(a, b)) })
	return is
}

// stretches hands over each stretch of a list whose rows are the same.
func (c *crowd) stretches(is []int32, same func(a, b *member) bool, each func([]int32)) {
	for at := 0; at < len(is); {
		end := at + 1
		for end < len(is) && same(&c.rows[is[end]], &c.rows[is[at]]) {
			end++
		}
		each(is[at:end])
		at = end
	}
}

// facesOf chooses, of the rows of one reference, those by which everybody else sees that others carry it: scopes with a row of their own, scopes without, and
// rows that do not tell their scope.
func (c *crowd) facesOf(rows []int32, domain int) []int32 {
	var out []int32
	var chosen [3]int
	c.stretches(rows, func(a, b *member) bool { return a.scope == b.scope }, func(one []int32) {
		kind := 0
		switch m := &c.rows[one[0]]; { // those that own it stand first
		case m.scope == 0:
			kind = 2
		case m.ownsRef(domain):
			kind = 1
		}
		if chosen[kind] < faceScopes+1 { // one of them may be the looker's own
			chosen[kind]++
			out = append(out, one[:min(len(one), faceRows)]...)
		}
	})
	return out
}

// beside returns the rows of a part, and as guests the rows that it is shown of others.
func (c *crowd) beside(p piece) []suspect {
	var es []suspect
	for i := range c.rows[p.from:p.to] {
		es = append(es, c.rows[p.from+i].suspect)
	}
	shown := make(map[int32]bool)
	whole := make(map[int32]bool) // shown with its action: what the provider made for that may keep it apart
	alone := func(i int32) bool {
		if p.holds(i) {
			return false
		}
		if !shown[i] {
			shown[i] = true
			e := c.rows[i].suspect
			e.guest = true
			es = append(es, e)
		}
		return true
	}
	show := func(i int32) bool {
		if !alone(i) {
			return false
		}
		if c.rows[i].ties[0] != 0 && !whole[i] {
			whole[i] = true
			c.showAction(i, alone)
		}
		return true
	}
	for _, i := range p.shown {
		show(i)
	}
	type seenRef struct {
		refOf
		scope uint32
	}
	seen := make(map[seenRef]bool)
	for i := p.from; i < p.to; i++ {
		m := &c.rows[i]
		for domain, ref := range m.refs {
			at := refOf{domain, ref}
			if rivals := (seenRef{refOf: at}); ref != 0 && !seen[rivals] {
				seen[rivals] = true
				c.showRivals(at, show)
			}
			if kin := (seenRef{at, m.scope}); ref != 0 && p.cut && m.scope != 0 && !seen[kin] {
				seen[kin] = true
				c.showKin(at, m.scope, show)
			}
		}
		c.showTwins(int32(i), show)
		c.showTies(int32(i), show)
	}
	return es
}

// showRivals shows who else carries a reference.
func (c *crowd) showRivals(ref refOf, show func(int32) bool) {
	for _, i := range c.faces[ref] {
		if show(i) && c.rows[i].loose { // by itself the row would not tell whose it is
			c.showKey(i, show)
		}
	}
}

// showKin shows who else carries a reference in the scope of a block that was cut, with all that their keys have.
func (c *crowd) showKin(ref refOf, scope uint32, show func(int32) bool) {
	is := c.refs[ref.domain]
	at, _ := slices.BinarySearchFunc(is, scope, func(i int32, scope uint32) int {
		return cmp.Or(cmp.Compare(c.rows[i].refs[ref.domain], ref.ref), cmp.Compare(c.rows[i].scope, scope))
	})
	for n := at; n < min(len(is), at+kinRows); n++ {
		if m := &c.rows[is[n]]; m.scope != scope || m.refs[ref.domain] != ref.ref {
			return
		}
		if show(is[n]) {
			c.showKey(is[n], show)
		}
	}
}

// showKey shows the rows of a row's key.
func (c *crowd) showKey(i int32, show func(int32) bool) {
	key := c.rows[i].key
	if key == 0 {
		return
	}
	at, _ := slices.BinarySearchFunc(c.keys, key, func(k int32, key uint32) int { return cmp.Compare(c.rows[k].key, key) })
	for n := at; n < min(len(c.keys), at+keyRows) && c.rows[c.keys[n]].key == key; n++ {
		show(c.keys[n])
	}
}

// showAction shows what else carries a row's key in its scope.
func (c *crowd) showAction(i int32, show func(int32) bool) {
	m := &c.rows[i]
	if m.key == 0 || m.scope == 0 {
		return
	}
	same := func(k int32, m *member) int {
		return cmp.Or(cmp.Compare(c.rows[k].key, m.key), cmp.Compare(c.rows[k].scope, m.scope))
	}
	at, _ := slices.BinarySearchFunc(c.keys, m, same)
	for n := at; n < min(len(c.keys), at+kinRows) && same(c.keys[n], m) == 0; n++ {
		show(c.keys[n])
	}
	if m.refs[objectRef] != 0 { // a line that logs another key
		c.showKin(refOf{objectRef, m.refs[objectRef]}, m.scope, show)
	}
}

// showTwins shows, of actions that ask, or may ask, for what a row's asks for, some of the nearest in time, each with all that it has.
func (c *crowd) showTwins(row int32, show func(int32) bool) {
	m := &c.rows[row]
	if m.key == 0 {
		c.showAsking(c.twins[row], show)
		return
	}
	byKey, _ := slices.BinarySearchFunc(c.actions, m.key, func(i int32, key uint32) int { return cmp.Compare(c.rows[i].key, key) })
	byScope, _ := slices.BinarySearchFunc(c.actions, m, func(i int32, m *member) int { return compareAction(&c.rows[i], m) })
	for _, at := range []int{byKey, byScope} {
		if at < len(c.actions) && c.rows[c.actions[at]].key == m.key {
			c.showAsking(c.twins[c.actions[at]], show)
		}
	}
}

func (c *crowd) showAsking(others []int32, show func(int32) bool) {
	for _, i := range others {
		m := &c.rows[i]
		at, _ := slices.BinarySearchFunc(c.actions, m.key, func(i int32, key uint32) int { return cmp.Compare(c.rows[i].key, key) })
		for n := at; n < min(len(c.actions), at+keyRows) && c.rows[c.actions[n]].key == m.key; n++ {
			if o := &c.rows[c.actions[n]]; o.scope == m.scope || o.loose || m.loose {
				show(c.actions[n])
			}
		}
	}
}

// part judges some rows of a crowd.
func (j *judge) part(ctx context.Context, es []suspect, which func(*reconcile.Subject) bool) error {
	if len(es) > clusterRows {
		return j.sampled(ctx, func(f func([]suspect) error) error { return f(es) }, which, len(es))
	}
	found, err := j.fetch(ctx, es)
	if err != nil {
		return err
	}
	return j.together(ctx, es, found, which)
}
