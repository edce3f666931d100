package reconcile

import "slices"

// A provider may tell of one payment under two ids: the payment's, and that of the charge or the capture which was made for it. A line of the charge names
// both, and a row keeps one of them. So the line joins by either (AppendRefs), and lines of both are one object, not two. Two charges of one payment are two all
// the same, as each may have moved money.

// foldAliases takes the lines of a payment into its charge: then nothing is counted twice. A charge that failed tells nothing of the payment, which may have
// been tried again.
func (j *judging) foldAliases() {
	for _, o := range j.objects {
		alias := o.alias()
		if !alias.known || o.folded || o.outcome == OutcomeFailed {
			continue
		}
		p := j.byName[string(j.c.appendComponent([]byte(o.source+"\x00"), "", alias))]
		if p == nil || p == o || p.folded || p.outcome == OutcomeFailed {
			continue
		}
		p.folded = true
		o.lines, o.at = append(o.lines, p.lines...), Earliest(o.at, p.at)
		amount := o.amount
		if o.settle(); amount.Valid {
			o.amount = amount
		}
	}
	j.objects = slices.DeleteFunc(j.objects, func(o *object) bool { return o.folded })
}

// alias is the other name of an object, where a line tells it.
func (o *object) alias() Value {
	for _, r := range o.lines {
		if r.AliasID.known {
			return r.AliasID
		}
	}
	return Value{}
}

// addNamers adds, to the holders of objects that have two names, the identities with a row of their own that names one of them. A charge carries the key of the
// request that confirmed its payment, and the action's row names either.
func (j *joiner) addNamers(holders map[string][]*unit, aliased map[string]Value) {
	if len(aliased) == 0 {
		return
	}
	namers := make(map[string][]*unit)
	for _, u := range j.units {
		for i := range u.ev {
			if r := u.ev[i].Record; r.Role == RoleEffect && r.ProviderRef.known {
				namers[r.ProviderRef.String()] = append(namers[r.ProviderRef.String()], u)
			}
		}
	}
	for name, object := range aliased {
		has := make(map[*unit]bool)
		for _, u := range holders[name] {
			has[u] = true
		}
		for _, u := range namers[object.String()] {
			if !has[u] {
				has[u] = true
				holders[name] = append(holders[name], u)
			}
		}
	}
}
