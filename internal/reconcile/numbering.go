package reconcile

// Numbering is the rule by which a number that several scopes use is no clash. Every tenant may number its own rows from 1: then row 7 of one tenant and row 7
// of another are two rows, and receipts that name 7 mean each their own. That is believed of an action only where its own row shows it:
//
//   - a row that owns the number joins the action, stands in a store that serves, and carries itself the scope by which it differs;
//   - another action of a differing scope has such a row too: two rows bear the number, so it is given out anew in each.
//
// Such an action is a rival only of those whose scope does not differ from its row's. Everybody else is told of every claimant, as ever: an action without its
// own row (the row may have been lost, and its number handed to another), rows that do not carry the scope, and both sides where only one has a row.
type numbering struct {
	rows   [][]Component // of each claimant: the scope that its own row carries, nil where it has none
	places *scopes       // of each claimant: the same, else its identity's
	owners *scopes       // of those with a row of their own
	held   int           // how many those are
}

func (j *joiner) numbering(ref Ref, all []*unit) *numbering {
	n := &numbering{rows: make([][]Component, len(all))}
	places := make([][]Component, len(all))
	var owners [][]Component
	for i, u := range all {
		places[i] = u.id
		if n.rows[i] = j.ownRow(u, ref); n.rows[i] != nil {
			places[i] = n.rows[i]
			owners = append(owners, n.rows[i])
		}
	}
	n.places, n.owners, n.held = newScopes(j.c, places), newScopes(j.c, owners), len(owners)
	return n
}

// rivals lists the claimants that the i-th is told of, itself perhaps among them; some is false where that is everyone.
func (n *numbering) rivals(i int) (others []int, some bool) {
	if row := n.rows[i]; row != nil && len(n.owners.agreeing(row)) < n.held {
		return n.places.agreeing(row), true
	}
	return nil, false
}

// ownRow returns the scope that a unit's own row of a reference carries, nil where it has no such row.
func (j *joiner) ownRow(u *unit, ref Ref) []Component {
	var own []Component
	for i := range u.ev {
		r := u.ev[i].Record
		if !j.owns(r, ref) {
			continue
		}
		id := j.c.IdentityOf(r)
		if scopeMask(id) == 0 || !j.c.agree(id, u.id) {
			continue
		}
		if own == nil {
			own = id
		} else {
			own = fuller(own, id)
		}
	}
	return own
}

// owns reports whether a record is the row or object that a reference names, in a store that serves.
func (j *joiner) owns(r *Record, ref Ref) bool {
	if (ref.Domain == RefEffect) != (r.Role == RoleEffect) || (ref.Domain == RefObject) != (r.Role == RoleProvider) || !ownRef(r).Names(ref.Value) {
		return false
	}
	f := j.w.Source(r.Source)
	return f == nil || f.Serves || r.Role == RoleProvider
}
