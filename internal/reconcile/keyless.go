package reconcile

import (
	"bytes"
	"slices"
	"sort"
)

// joinKeyless joins records without a key by their references. Keyless records that share a reference stand for one thing; that thing joins the one
// identity its references lead to, if it agrees with it. Where they lead to several, it joins none: each is told of the clash.
func (j *joiner) joinKeyless(rs []*Record) {
	loose := j.looseUnits(rs)
	holders := make(map[string][]*unit) // reference → keyed units that carry it
	for _, u := range j.units {
		if u.gone {
			continue
		}
		for _, ref := range u.refs {
			name := refName(ref)
			if !slices.Contains(holders[name], u) {
				holders[name] = append(holders[name], u)
			}
		}
	}
	for _, u := range loose {
		j.place(u, holders)
	}
	j.clashKeyed(holders)
	j.units = append(j.units, loose...)
}

func refName(r Ref) string { return string(rune(r.Domain)) + r.Value.String() }

// looseUnits groups keyless records that share a reference.
func (j *joiner) looseUnits(rs []*Record) []*unit {
	parent := make([]int, len(rs))
	for i := range parent {
		parent[i] = i
	}
	find := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	for _, is := range j.byReference(rs) {
		apart := j.disagree(rs, is)
		for n, i := range is {
			for _, k := range is[:n] {
				if !apart || j.sameIdentity(rs[i], rs[k]) {
					parent[find(i)] = find(k)
					break
				}
			}
		}
	}
	byRoot := make(map[int]*unit)
	var out []*unit
	for i, r := range rs {
		root := find(i)
		u := byRoot[root]
		if u == nil {
			u = &unit{id: j.c.IdentityOf(r)}
			byRoot[root] = u
			out = append(out, u)
		}
		u.id = fuller(u.id, j.c.IdentityOf(r))
		u.add(r, LinkNone)
	}
	return out
}

// byReference lists the records that carry each reference, in their own order.
func (j *joiner) byReference(rs []*Record) map[string][]int {
	out := make(map[string][]int)
	for i, r := range rs {
		for _, ref := range AppendRefs(nil, r) {
			out[refName(ref)] = append(out[refName(ref)], i)
		}
	}
	return out
}

// disagree reports whether two of the records cannot be one thing: then a record that would go with either goes with neither.
func (j *joiner) disagree(rs []*Record, is []int) bool {
	for n, i := range is {
		for _, k := range is[:n] {
			if !j.c.agree(j.c.IdentityOf(rs[i]), j.c.IdentityOf(rs[k])) {
				return true
			}
		}
	}
	return false
}

func (j *joiner) sameIdentity(a, b *Record) bool {
	return bytes.Equal(j.c.AppendIdentity(nil, j.c.IdentityOf(a)), j.c.AppendIdentity(nil, j.c.IdentityOf(b)))
}

// place joins a loose unit to the identity its references name, or records the clash.
func (j *joiner) place(u *unit, holders map[string][]*unit) {
	var agree, differ []*unit
	via := make(map[*unit]Ref)
	for _, ref := range u.refs {
		for _, k := range holders[refName(ref)] {
			if _, seen := via[k]; seen {
				continue
			}
			via[k] = ref
			if j.fits(u, k) {
				agree = append(agree, k)
			} else {
				differ = append(differ, k)
			}
		}
	}
	if j.c.SharedEffects && len(agree) > 1 {
		sort.Slice(agree, func(a, b int) bool {
			return bytes.Compare(j.c.AppendIdentity(nil, agree[a].id), j.c.AppendIdentity(nil, agree[b].id)) < 0
		})
		for _, k := range agree[1:] {
			for i := range u.ev {
				k.ev = append(k.ev, Evidence{Record: u.ev[i].Record, Link: via[k].Domain.link(), Shared: true})
			}
		}
		agree = agree[:1]
	}
	if len(agree) == 1 {
		home := agree[0]
		u.gone = true
		for i := range u.ev {
			home.add(u.ev[i].Record, via[home].Domain.link())
		}
		for _, k := range differ {
			j.clash(k, home, Clash{Field: via[k].Domain.field(), Value: via[k].Value})
			j.clash(home, k, Clash{Field: via[k].Domain.field(), Value: via[k].Value})
		}
		return
	}
	for i, k := range append(slices.Clone(agree), differ...) {
		c := Clash{Field: via[k].Domain.field(), Value: via[k].Value, Open: i < len(agree)}
		j.clash(k, u, c)
		j.clash(u, k, c)
	}
}

// clashKeyed records identities that claim one reference although each has a key of its own.
func (j *joiner) clashKeyed(holders map[string][]*unit) {
	if j.c.SharedEffects {
		return
	}
	names := make([]string, 0, len(holders))
	for name, us := range holders {
		if len(us) > 1 && RefDomain(name[0]) != RefRequest {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	for _, name := range names {
		ref := Ref{RefDomain(name[0]), Text(name[1:])}
		for _, a := range holders[name] {
			for _, b := range holders[name] {
				if a != b {
					j.clash(a, b, Clash{Field: ref.Domain.field(), Value: ref.Value, Keyed: true})
				}
			}
		}
	}
}

// clash tells u of another claimant, once. A clash that leaves the row open outweighs one that does not.
func (j *joiner) clash(u, other *unit, c Clash) {
	c.Other = other.id
	for i := range u.clashes {
		o := &u.clashes[i]
		if o.Field == c.Field && o.Value.Equal(c.Value) && bytes.Equal(j.c.AppendIdentity(nil, o.Other), j.c.AppendIdentity(nil, other.id)) {
			o.Open = o.Open || c.Open
			return
		}
	}
	u.clashes = append(u.clashes, c)
}

// fits reports whether a reference from a loose unit to an identity counts: ids are reused after deletes and restores, so scope, amount, parameters
// and time must agree with it.
func (j *joiner) fits(u, k *unit) bool {
	if !j.c.agree(u.id, k.id) {
		return false
	}
	done := j.completedAt(k)
	for i := range u.ev {
		r := u.ev[i].Record
		if r.Role == RoleEffect && r.CreatedAt.After(done.Add(j.c.SettleTime().D)) {
			return false
		}
		for n := range k.ev {
			if !alike(j.c, r, k.ev[n].Record) {
				return false
			}
		}
	}
	return true
}

// completedAt is when the latest completed receipt of a unit was written; unknown unless the store says so, since a receipt written before its effect
// says nothing of when it was completed.
func (j *joiner) completedAt(k *unit) Instant {
	var done Instant
	for i := range k.ev {
		r := k.ev[i].Record
		if r.Role != RoleReceipt || j.c.StateOf(r) != StateCompleted {
			continue
		}
		t := r.CompletedAt.Or(r.UpdatedAt)
		if j.c.Atomic {
			t = t.Or(j.c.Began(r))
		}
		if !t.known {
			return Instant{}
		}
		done = Latest(done, t)
	}
	return done
}

// alike reports whether nothing that two records both say of amount and parameters differs.
func alike(c *Contract, a, b *Record) bool {
	if a.Amount.Valid && b.Amount.Valid && amountsDiffer(a.Amount, b.Amount) {
		return false
	}
	return paramsDiffer(c, a, b) != yes
}

// saysTheSame reports whether both say an amount or parameters, and alike.
func saysTheSame(c *Contract, a, b *Record) bool {
	return (a.Amount.Valid && b.Amount.Valid && !amountsDiffer(a.Amount, b.Amount)) || paramsDiffer(c, a, b) == no
}

func amountsDiffer(a, b Amount) bool {
	if a.Currency != "" && b.Currency != "" && a.Currency != b.Currency {
		return true
	}
	x, y := a, b
	for x.Exponent < y.Exponent {
		n := x.Minor * 10
		if n/10 != x.Minor {
			return true
		}
		x.Minor, x.Exponent = n, x.Exponent+1
	}
	for y.Exponent < x.Exponent {
		n := y.Minor * 10
		if n/10 != y.Minor {
			return true
		}
		y.Minor, y.Exponent = n, y.Exponent+1
	}
	return x.Minor != y.Minor
}

// tri is an answer that may be unknown.
type tri uint8

const (
	unknown tri = iota
	yes
	no
)

// paramsDiffer compares the parameters of two records in canonical form; unknown where one has none or they cannot be read.
func paramsDiffer(c *Contract, a, b *Record) tri {
	if !a.Params.known || !b.Params.known || c.Params == nil {
		return unknown
	}
	x, errA := Canonical(a.Params.text, c.Params)
	y, errB := Canonical(b.Params.text, c.Params)
	if errA != nil || errB != nil {
		return unknown
	}
	if bytes.Equal(x, y) {
		return no
	}
	return yes
}
