package reconcile

import (
	"bytes"
	"math"
	"slices"
	"sort"
	"strings"
	"time"
)

// joinKeyless joins records without a key by their references. Keyless records that share a reference stand for one thing; that thing joins the one
// identity its references lead to, if it agrees with it. Where they lead to several, it joins none: each is told of the clash. A call that made a set brings
// nobody together, see calls.go.
func (j *joiner) joinKeyless(rs []*Record) {
	calls, rs := divide(rs, isCall)
	loose := j.looseUnits(rs)
	claims := j.claims()
	for _, u := range loose {
		if j.w.stopped() {
			return
		}
		j.place(u, claims)
	}
	loose = append(loose, j.placeCalls(calls, loose)...)
	j.tellClashes(claims)
	j.tellBreaches(claims)
	j.units = append(j.units, loose...)
}

func refName(r Ref) string { return string(rune(r.Domain)) + r.Value.String() }

// looseUnits groups keyless records that share a reference. Where two of them cannot be one thing, a record that would go with either goes only with those
// that carry the same. A row of a store that served before and one of the store in use, of one id and made at two times, are two: the id was handed out again.
func (j *joiner) looseUnits(rs []*Record) []*unit {
	parent := make([]int, len(rs))
	ids := make([][]Component, len(rs))
	for i := range parent {
		parent[i], ids[i] = i, j.looseIdentity(rs[i])
	}
	find := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	for name, is := range j.byReference(rs) {
		apart := j.disagree(ids, is)
		remade := strings.HasPrefix(name, refName(Ref{Domain: RefEffect})) && j.remade(name, rs, is)
		first := make(map[string]int)
		for _, i := range is {
			like := ""
			if apart {
				like = string(j.c.AppendIdentity(nil, ids[i]))
			}
			if remade && rs[i].Role == RoleEffect {
				like += stamp(rs[i].CreatedAt)
			}
			if k, ok := first[like]; ok {
				parent[find(i)] = find(k)
			} else {
				first[like] = i
			}
		}
	}
	byRoot := make(map[int]*unit)
	var out []*unit
	for i, r := range rs {
		root := find(i)
		u := byRoot[root]
		if u == nil {
			u = &unit{of: j, id: ids[i]}
			byRoot[root] = u
			out = append(out, u)
		}
		u.id = fuller(u.id, ids[i])
		u.add(r, LinkNone)
	}
	return out
}

// remade reports whether rows of one id, in a store in use and in one that no longer serves, were made at several times, further apart than what a copy may cut
// off. It notes these times.
func (j *joiner) remade(name string, rs []*Record, is []int) bool {
	var here, there []Instant
	for _, i := range is {
		r := rs[i]
		f := j.w.Source(r.Source)
		switch {
		case r.Role != RoleEffect || !r.CreatedAt.known || f == nil:
		case f.Serves:
			here = append(here, r.CreatedAt)
		default:
			there = append(there, r.CreatedAt)
		}
	}
	if len(here) == 0 || len(there) == 0 {
		return false
	}
	all := slices.Concat(here, there)
	slices.SortFunc(all, cmpInstant)
	if between(all[0], all[len(all)-1]) <= int64(time.Second) {
		return false
	}
	if j.remakes == nil {
		j.remakes = make(map[string][]Instant)
	}
	j.remakes[name] = all
	return true
}

// remadeFor reports, of a row that was made at a time and whose id another row bore before or after it, whether a unit that names the id means the other one, or
// may mean either: it was begun before the later of the two and completed after it, and may have kept the id of the first in mind.
func (j *joiner) remadeFor(made Instant, k *unit, ref Ref) (other, either bool) {
	if len(j.remakes) == 0 || !made.known {
		return false, false
	}
	times := j.remakes[refName(ref)]
	done, began := j.completedAt(k, ref).Add(j.c.SettleTime().D), j.namedFrom(k, ref)
	if n, _ := slices.BinarySearchFunc(times, made.Add(time.Second+1), cmpInstant); n < len(times) && !times[n].After(done) { // the next one
		return began.After(made), !began.After(made)
	}
	if n, _ := slices.BinarySearchFunc(times, made.Add(-time.Second), cmpInstant); n > 0 { // the one before
		return false, !began.After(times[n-1])
	}
	return false, false
}

// spans reports whether a unit that names the id of a row was begun before a restore of the row's store ended, and the row was made after that: its worker may
// have kept in mind the id of a row that the restore took, and that was given out anew. Nothing but the restore tells that there was such a row.
func (j *joiner) spans(u, k *unit, ref Ref) bool {
	for i := range j.w.Events {
		ev := &j.w.Events[i]
		resumed, f := ev.To.Or(ev.ResumedAt), j.w.Source(ev.Store)
		if f == nil || f.Role != RoleEffect || !resumed.known {
			continue
		}
		for n := range u.ev {
			row := u.ev[n].Record
			anew := row.Source == ev.Store && row.CreatedAt.known && !row.CreatedAt.Add(row.Blur).Before(resumed.Add(-f.Skew)) && j.carries(row, ref)
			if anew && j.namedBefore(k, ref, row.CreatedAt, resumed.Add(f.Skew)) {
				return true
			}
		}
	}
	return false
}

// namedBefore reports whether a unit may name by a reference not the row that was made at a time but one of before a restore ended. A message is committed with
// its row, so one of the row's time means that row.
func (j *joiner) namedBefore(k *unit, ref Ref, made, end Instant) bool {
	before := false
	for i := range k.ev {
		r := k.ev[i].Record
		if r.Role == RoleEffect || !j.carries(r, ref) {
			continue
		}
		if r.Role == RoleOutbox && r.CreatedAt.known && between(r.CreatedAt, made) <= int64(j.c.Settle) {
			return false
		}
		before = before || !j.c.Began(r).After(end)
	}
	return before
}

// namedFrom is when the first receipt of a unit was begun that carries a reference, less settle: a row made before that is none of its own.
func (j *joiner) namedFrom(k *unit, ref Ref) (began Instant) {
	for _, r := range k.receipts {
		if j.carries(r, ref) {
			began = Earliest(began, r.CreatedAt.Or(r.LockedAt))
		}
	}
	return began.Add(-j.c.Settle)
}

// byReference lists the records that carry each reference, in their own order.
func (j *joiner) byReference(rs []*Record) map[string][]int {
	out := make(map[string][]int)
	var refs []Ref
	for i, r := range rs {
		refs = j.appendRefs(refs[:0], r)
		for _, ref := range refs {
			out[refName(ref)] = append(out[refName(ref)], i)
		}
	}
	return out
}

// disagree reports whether two of the identities differ in a component that both know.
func (j *joiner) disagree(ids [][]Component, is []int) bool {
	known := make(map[string][]byte)
	for _, i := range is {
		for _, p := range ids[i] {
			if !p.Value.known {
				continue
			}
			text := j.c.fold(p.Name, p.Value.text)
			if have, ok := known[p.Name]; !ok {
				known[p.Name] = text
			} else if !bytes.Equal(have, text) {
				return true
			}
		}
	}
	return false
}

// place joins a loose unit to the identity its references name; where they name several it joins none.
func (j *joiner) place(u *unit, claims map[string]*claim) {
	agree, perhaps := j.fitting(u, claims)
	if j.c.SharedEffects && len(agree) > 1 {
		sort.Slice(agree, func(a, b int) bool {
			return bytes.Compare(j.c.AppendIdentity(nil, agree[a].id), j.c.AppendIdentity(nil, agree[b].id)) < 0
		})
		for _, k := range agree[1:] {
			for i := range u.ev {
				k.share(u.ev[i].Record, k.via.Domain.link())
			}
		}
	}
	if len(agree) == 1 || (j.c.SharedEffects && len(agree) > 1) {
		home := agree[0]
		u.gone = true
		for i := range u.ev {
			home.lodge(u.ev[i].Record, home.via.Domain.link())
		}
		j.claimFor(home, u, claims)
		return
	}
	for _, k := range append(agree, perhaps...) {
		tell(k, u, k.via, true)
		tell(u, k, k.via, true)
	}
	j.claimFor(u, u, claims)
}

// fitting lists the identities that carry a reference of a loose unit and agree with it, and those that agree with it in one of two things that they say: a key
// that was used for two requests may have made the row for either. It notes in each which reference led to it.
func (j *joiner) fitting(u *unit, claims map[string]*claim) (agree, perhaps []*unit) {
	newest := u.newestEffect()
	var open []*unit
	for _, ref := range u.refs {
		cl := claims[refName(ref)]
		if cl == nil {
			continue
		}
		for _, i := range cl.scopes(j.c).agreeing(u.id) {
			k := cl.keyed[i]
			if k.fitted == u || !j.c.agree(u.id, k.id) || newest.After(j.completedAt(k, ref).Add(j.c.SettleTime().D)) {
				continue
			}
			switch other, either := j.remadeFor(newest, k, ref); {
			case other:
				continue
			case either, ref.Domain == RefEffect && j.spans(u, k, ref):
				open = append(open, k)
				continue
			}
			switch {
			case j.allAlike(u, k):
				k.fitted, k.via, agree = u, ref, append(agree, k)
			case ref.Domain == RefObject || ref.Domain == RefSentKey || j.someSame(u, k): // a provider hands out no id again
				k.fitted, k.via, perhaps = u, ref, append(perhaps, k)
			}
		}
	}
	for _, k := range open {
		if k.fitted != u {
			k.fitted, k.via, perhaps = u, u.refs[0], append(perhaps, k)
		}
	}
	return agree, perhaps
}

// newestEffect is when the last of a unit's rows was made: ids are reused after deletes and restores, so it must agree with the time of whoever names it.
func (u *unit) newestEffect() Instant {
	var t Instant
	for i := range u.ev {
		if r := u.ev[i].Record; r.Role == RoleEffect {
			t = Latest(t, r.CreatedAt)
		}
	}
	return t
}

// completedAt is when the latest completed receipt of a unit was written that carries a reference; unknown unless the store says so, since a receipt written
// before its effect says nothing of when it was completed.
func (j *joiner) completedAt(k *unit, ref Ref) Instant {
	var done Instant
	for _, r := range k.receipts {
		if j.c.StateOf(r) != StateCompleted || !j.carries(r, ref) {
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

func (j *joiner) carries(r *Record, ref Ref) bool {
	var room [4]Ref
	for _, o := range j.appendRefs(room[:0], r) {
		if o.Domain == ref.Domain && o.Value.Equal(ref.Value) {
			return true
		}
	}
	return false
}

// sayings are what a unit's records say of amount and parameters, each once: records that say the same are alike, or not, together.
type sayings struct {
	records []*Record
	seen    map[string]bool
}

func (s *sayings) add(r *Record) {
	if !r.Amount.Valid && !r.Params.known || r.Role == RoleProvider && r.ObjectID.set { // what it says is of all that was made, and a row may be of one
		return
	}
	text := r.Amount.String() + "\x00" + r.Params.String()
	if s.seen == nil {
		s.seen = make(map[string]bool)
	}
	if !s.seen[text] {
		s.seen[text] = true
		s.records = append(s.records, r)
	}
}

// allAlike reports whether nothing that two units both say of amount and parameters differs.
func (j *joiner) allAlike(u, k *unit) bool {
	for _, a := range u.said.records {
		for _, b := range k.said.records {
			if !alike(j.c, a, b) {
				return false
			}
		}
	}
	return true
}

// someSame reports whether two units say the same in something, whatever else they say.
func (j *joiner) someSame(u, k *unit) bool {
	for _, a := range u.said.records {
		for _, b := range k.said.records {
			if alike(j.c, a, b) && saysTheSame(j.c, a, b) {
				return true
			}
		}
	}
	return false
}

// alike reports whether nothing that two records both say of amount and parameters differs.
func alike(c *Contract, a, b *Record) bool {
	if a.Amount.Valid && b.Amount.Valid && sumsDiffer(a, b) {
		return false
	}
	return paramsDiffer(c, a, b) != yes
}

// saysTheSame reports whether both say an amount or parameters, and alike.
func saysTheSame(c *Contract, a, b *Record) bool {
	return (a.Amount.Valid && b.Amount.Valid && !sumsDiffer(a, b)) || paramsDiffer(c, a, b) == no
}

// sumsDiffer compares what two records say of an amount. A log may spell with a sign what went out, a refund or a payout, where the service's row has the sum
// alone: between the two only its size counts.
func sumsDiffer(a, b *Record) bool {
	if (a.Role == RoleProvider) != (b.Role == RoleProvider) {
		return amountsDiffer(a.Amount.size(), b.Amount.size())
	}
	return amountsDiffer(a.Amount, b.Amount)
}

// size is an amount without its direction.
func (a Amount) size() Amount {
	if a.Minor < 0 && a.Minor > math.MinInt64 {
		a.Minor = -a.Minor
	}
	return a
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
	if a.Params.Equal(b.Params) {
		return no // whatever it is
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
