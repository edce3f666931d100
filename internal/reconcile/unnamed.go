package reconcile

import "slices"

// Unnamed is an unsent message that tells no key, or several of which is kept only when they were written. Where no reference of it leads to an action, it may be that
// of each which it does not contradict: it was written by the action's worker, after that began and before it was gone.
type Unnamed struct {
	From, To       Instant     // when it was written; unknown = at any time
	Components     []Component // those that it tells
	effect, object bool        // it names a row, an object
}

// NewUnnamed makes one of an unsent message.
func NewUnnamed(r *Record) Unnamed {
	told := slices.DeleteFunc(r.Clone().Components, func(c Component) bool { return !c.Value.known })
	return Unnamed{From: r.CreatedAt, To: r.CreatedAt, Components: told, effect: len(r.EffectID.text) > 0, object: len(r.ProviderRef.text)+len(r.ObjectID.text) > 0}
}

// Take adds another: what is left is when they were written.
func (m *Unnamed) Take(o Unnamed) {
	m.Components, m.effect, m.object = nil, false, false
	if !m.From.known || !o.From.known {
		m.From, m.To = Instant{}, Instant{}
		return
	}
	m.From, m.To = Earliest(m.From, o.From), Latest(m.To, o.To)
}

// maySend names an outbox with an unsent message which may be that of the action, though it does not say so: what it stands for may still come, so that the lack of a
// call, or of all that the action makes, is not final. A row that a receipt records as made is missing all the same.
func (j *judging) maySend(f *SourceFacts, why purpose) string {
	if f.Role != RoleProvider && (f.Role != RoleEffect || why != neverHappened) {
		return ""
	}
	for _, o := range j.places(RoleOutbox, false) {
		if slices.ContainsFunc(o.Unnamed, func(m Unnamed) bool { return j.mayBeMine(o, &m) }) {
			return o.Name
		}
	}
	return ""
}

func (j *judging) mayBeMine(o *SourceFacts, m *Unnamed) bool {
	wide := j.c.Settle + o.Skew
	began, end := Earliest(j.firstSend, j.earliest).Add(-wide), j.lastSend.Add(wide)
	if began.known && m.To.known && m.To.Before(began) || end.known && m.From.known && m.From.After(end) && !j.mayWake {
		return false
	}
	if m.Components != nil && (Book{j.c}).Claim(&Record{Role: RoleOutbox, Components: slices.Clone(m.Components)}) == nil {
		return false
	}
	for _, e := range j.s.Evidence { // what the action is known to have made has another name than what the message tells, or it would be with it
		if r := e.Record; m.effect && r.EffectID.known || m.object && (r.ProviderRef.known || r.ObjectID.known) {
			return false
		}
	}
	return !slices.ContainsFunc(m.Components, func(c Component) bool {
		return c.Name != "operation" && slices.Contains(j.c.Scope, c.Name) && c.Value.Differs(j.component(c.Name))
	})
}
