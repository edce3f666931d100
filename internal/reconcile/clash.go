package reconcile

import (
	"bytes"
	"slices"
	"sort"
)

// maxClashes is how many other claimants of one reference a subject names. That there is one is what counts: of a number that every tenant gives out, nobody
// wants to read them all.
const maxClashes = MaxCandidates

// claim is one reference that identities carry, and who carries it.
type claim struct {
	ref   Ref
	keyed []*unit // identities of which some record carries it
	loose []*unit // keyless rows that carry it and joined nobody
	homes []*unit // identities that such rows joined
	rows  []*unit // keyless rows that carry it, or the identities that they joined, whether or not anybody rivals for it
	index *scopes // of keyed
}

func (cl *claim) scopes(c *Contract) *scopes {
	if cl.index == nil {
		of := make([][]Component, len(cl.keyed))
		for i, u := range cl.keyed {
			of[i] = u.id
		}
		cl.index = newScopes(c, of)
	}
	return cl.index
}

// claims lists, by reference, the identities whose records carry it.
func (j *joiner) claims() map[string]*claim {
	out := make(map[string]*claim)
	for _, u := range j.units {
		if u.gone {
			continue
		}
		for _, ref := range u.refs {
			name := refName(ref)
			if out[name] == nil {
				out[name] = &claim{ref: ref}
			}
			out[name].keyed = append(out[name].keyed, u)
		}
	}
	return out
}

// claimFor notes that a loose unit's references are claimed by its home, itself where it has none. Where keys of their own make nobody a rival, those that
// carry the reference and do not agree are told at once.
func (j *joiner) claimFor(home, u *unit, claims map[string]*claim) {
	for _, ref := range u.refs {
		cl := claims[refName(ref)]
		if cl == nil {
			continue
		}
		cl.rows = append(cl.rows, home)
		switch {
		case ref.Domain == RefSentKey: // each scope may number its calls anew
		case !j.rivals(ref.Domain):
			for _, k := range cl.keyed {
				if k != home && k.fitted != u {
					tell(k, home, ref, false)
					tell(home, k, ref, false)
				}
			}
		case home == u:
			cl.loose = append(cl.loose, u)
		default:
			cl.homes = append(cl.homes, home)
		}
	}
}

// rivals reports whether identities that carry one reference rival for it although each has a key of its own.
func (j *joiner) rivals(d RefDomain) bool {
	return !j.c.SharedEffects && d != RefRequest && d != RefSentKey
}

// tellClashes tells the claimants of each reference of one another.
func (j *joiner) tellClashes(claims map[string]*claim) {
	names := make([]string, 0, len(claims))
	for name, cl := range claims {
		if j.rivals(cl.ref.Domain) && len(cl.keyed)+len(cl.homes)+len(cl.loose) > 1 {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	for _, name := range names {
		j.tellClaimants(claims[name])
	}
	for _, u := range j.units {
		sortClashes(u.clashes)
	}
}

func (j *joiner) tellClaimants(cl *claim) {
	all := slices.Clone(cl.keyed)
	seen := make(map[*unit]bool, len(all))
	for _, u := range all {
		seen[u] = true
	}
	for _, u := range cl.homes {
		if !seen[u] {
			seen[u] = true
			all = append(all, u)
		}
	}
	keyed := len(all)
	all = append(all, cl.loose...)
	n := j.numbering(cl.ref, all)
	for i, u := range all {
		others, some := n.rivals(i)
		count := len(all)
		if some {
			count = len(others)
		}
		for at, told := 0, 0; at < count && told < maxClashes; at++ {
			k := at
			if some {
				k = others[at]
			}
			if k != i && (i < keyed || k < keyed) {
				tell(u, all[k], cl.ref, false)
				told++
			}
		}
	}
}

// tell tells u of another claimant, once. A clash that leaves the row open outweighs one that does not.
func tell(u, other *unit, ref Ref, open bool) {
	named := 0
	for i := range u.clashes {
		c := &u.clashes[i]
		if c.Field != ref.Domain.field() || !c.Value.Equal(ref.Value) {
			continue
		}
		if named++; c.by == other || (named == maxClashes && open) {
			c.Open = c.Open || open
			return
		}
	}
	if named < maxClashes {
		u.clashes = append(u.clashes, Clash{Field: ref.Domain.field(), Value: ref.Value, Other: other.id, Open: open, by: other})
	}
}

// sortClashes orders clashes by their reference: whoever is not among the records that are joined together changes neither which comes first nor its words.
func sortClashes(cs []Clash) {
	sort.SliceStable(cs, func(a, b int) bool {
		if cs[a].Field != cs[b].Field {
			return cs[a].Field < cs[b].Field
		}
		return bytes.Compare(cs[a].Value.text, cs[b].Value.text) < 0
	})
}
