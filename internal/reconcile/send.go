package reconcile

// Send is what a replay would send: the same action, by the service's own path. It is made only where a replay is allowed.
type Send struct {
	Params      Value // of the request, as the records hold it
	Target      Value // where it was sent; unknown where no record tells
	ProviderKey Value // the key that the provider would be sent; unknown for an action without provider
}

// send gathers what to send. The client's own book knows best what was asked for, what a row says of it comes last; where they differ the guard has refused.
func (j *judging) send() *Send {
	s := &Send{}
	for _, role := range []Role{RoleIntent, RoleReceipt, RoleOutbox, RoleEffect, RoleProvider} {
		for _, e := range j.s.Evidence {
			r := e.Record
			if r.Role != role {
				continue
			}
			if !s.Params.known {
				s.Params = r.Params
			}
			if !s.Target.known {
				s.Target = targetOf(r)
			}
		}
	}
	if j.c.Effect.external() {
		s.ProviderKey = j.nextKey()
	}
	return s
}

// targetOf is where a record says that its action was sent, the last attempt's target before the record's own.
func targetOf(r *Record) Value {
	for i := len(r.Attempts) - 1; i >= 0; i-- {
		if r.Attempts[i].Target.known {
			return r.Attempts[i].Target
		}
	}
	return r.Target
}
