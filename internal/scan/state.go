package scan

import (
	"strconv"

	"example.com/idemctl/internal/reconcile"
)

// ids are the greatest ids of effects that one source tells, where they are whole numbers.
type ids struct{ own, named reconcile.Number }

// see takes in the effect's id that a row carries. Another source's row is heard once its action is so old that the store of effects must show it.
func (n *ids) see(c *reconcile.Contract, r *reconcile.Record, serves bool, now reconcile.Instant) {
	if !r.EffectID.Known() {
		return
	}
	id, ok := wholeNumber(r.EffectID.Bytes())
	switch {
	case !ok:
	case r.Role == reconcile.RoleEffect && serves:
		n.own = greater(n.own, id)
	default:
		if at := reconcile.Latest(r.Time(), r.UpdatedAt, r.CompletedAt); at.Known() && at.Add(c.SettleTime().D).Before(now) {
			n.named = greater(n.named, id)
		}
	}
}

func greater(have reconcile.Number, id int64) reconcile.Number {
	if !have.Valid || id > have.N {
		return reconcile.Num(id)
	}
	return have
}

// wholeNumber reads plain decimal digits.
func wholeNumber(b []byte) (int64, bool) {
	if len(b) == 0 || len(b) > 18 || (b[0] == '0' && len(b) > 1) {
		return 0, false
	}
	for _, d := range b {
		if d < '0' || d > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(string(b), 10, 64)
	return n, err == nil
}

// states are what the scan saw of each source as a whole. Which store an id is of is told only where one store of effects is consulted.
func (r *run) states() []reconcile.StoreState {
	var named reconcile.Number
	stores := 0
	for i, f := range r.world.Sources {
		if r.ids[i].named.Valid {
			named = greater(named, r.ids[i].named.N)
		}
		if f.Role == reconcile.RoleEffect && f.Serves {
			stores++
		}
	}
	out := make([]reconcile.StoreState, len(r.readers))
	for i, rd := range r.readers {
		f, st := r.world.Sources[i], rd.Stats()
		out[i] = reconcile.StoreState{
			Name: f.Name, Role: f.Role, Archives: f.Retained.Valid, Taken: r.now, Records: st.Records, First: st.First, Last: st.Last,
			MaxID: r.ids[i].own, System: st.Server.System, Timeline: st.Server.Timeline,
		}
		out[i].Tail = r.orders[i].tail()
		if stores == 1 {
			out[i].Fell = r.orders[i].fall()
		}
		if f.Role == reconcile.RoleEffect && f.Serves && stores == 1 && f.Coverage.Complete && f.Coverage.Proves {
			out[i].NamedID = named
		}
		if of, ok := rd.(interface{ NextID() int64 }); ok && f.Role == reconcile.RoleEffect && f.Serves && of.NextID() > 0 {
			out[i].NextID = reconcile.Num(of.NextID())
		}
	}
	return out
}
