package mapping

import (
	"errors"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources/jsonwalk"
	"example.com/idemctl/internal/sources/rows"
)

// singleAttempt makes the one attempt of a row from its own facts. A row per attempt that maps no attempt_at was written when it was sent.
func (m *Mapper) singleAttempt([]rows.Cell) *Unreadable {
	a := &m.one[0]
	a.At, a.Target, a.KeySent = m.rec.AttemptAt, m.rec.Target, m.rec.ProviderKey
	if !a.At.Known() && m.perAttempt {
		a.At = m.rec.CreatedAt
	}
	if !a.KeySent.Known() {
		a.KeySent = m.rec.Key()
	}
	m.rec.Attempts = m.one[:]
	return nil
}

// gatewayAttempt makes the attempt of a provider log's line out of what the provider answered. The line was written when it was sent, unless it says so itself.
func (m *Mapper) gatewayAttempt(dated bool, cells []rows.Cell) *Unreadable {
	if !dated {
		m.rec.CreatedAt = m.rec.AttemptAt
	}
	a := &m.one[0]
	switch m.rec.Outcome {
	case reconcile.OutcomeSucceeded, reconcile.OutcomeReversed:
		a.Outcome = reconcile.AttemptConfirmed
	case reconcile.OutcomeFailed:
		a.Outcome = reconcile.AttemptFailed
	case reconcile.OutcomePending, reconcile.OutcomeUnknown:
		a.Outcome = reconcile.AttemptUncertain
	}
	return m.singleAttempt(cells)
}

// list reads attempts from a JSON array of objects: each element is mapped as a row of its own.
type list struct {
	at      *expr
	array   *jsonwalk.Walker
	element *jsonwalk.Walker
	cells   []rows.Cell
	m       *Mapper
}

// attempts compiles {from: tries, each: {attempt_at: …, target: …, key: …, outcome: …}}. Without each, an element has the members at, target,
// key and outcome; as, zone and words of attempts are then those of at and outcome.
func (m *Mapper) attempts(f *Field) error {
	each := f.Each
	if len(each) == 0 {
		each = []Field{
			{Name: "attempt_at", From: "at", As: f.As, Zone: f.Zone, Line: f.Line, Col: f.Col},
			{Name: "target", From: "target", Line: f.Line, Col: f.Col},
			{Name: "key", From: "key", Line: f.Line, Col: f.Col},
			{Name: "outcome", From: "outcome", Words: f.Words, Line: f.Line, Col: f.Col},
		}
	}
	at, err := m.column(f, f.From)
	if err != nil {
		return err
	}
	at.composite = true
	sub, err := Compile(Input{Source: m.rec.Source, Role: reconcile.RoleIntent, Fields: each, Row: "attempt", Line: f.Line, Col: f.Col})
	if err != nil {
		return err
	}
	paths := make([][]string, len(sub.paths))
	for i, p := range sub.paths {
		paths[i] = append([]string{p.Column}, p.Members...)
	}
	l := &list{at: at, array: jsonwalk.Compile(nil), element: jsonwalk.Compile(paths), cells: make([]rows.Cell, len(paths)), m: sub}
	m.times, m.clocks = m.times || sub.times, append(m.clocks, sub.clocks...)
	add := func(element []byte) error { return m.appendAttempt(l, element) }
	m.add(func(cells []rows.Cell) *Unreadable {
		m.rec.Attempts = m.rec.Attempts[:0]
		b, known, bad := m.eval(l.at, cells)
		if bad != nil || !known {
			return bad
		}
		err := l.array.Elements(b, add)
		if err == nil {
			return nil
		}
		m.rec.Attempts = m.rec.Attempts[:0]
		if errors.As(err, &bad) {
			return &Unreadable{Reason: "attempts: " + bad.Reason, Hint: bad.Hint}
		}
		return l.at.unreadable(nil, "is no list of attempts: "+err.Error())
	})
	return nil
}

func (m *Mapper) appendAttempt(l *list, element []byte) error {
	if err := l.element.Walk(element, l.cells); err != nil {
		return err
	}
	if element[0] != '{' {
		return errors.New("an element is no object")
	}
	r, bad := l.m.Map(l.cells)
	if bad != nil {
		return bad
	}
	m.rec.Blur = max(m.rec.Blur, r.Blur)
	a := r.Attempts[0]
	a.Target, a.KeySent = m.keep(a.Target), m.keep(a.KeySent)
	m.rec.Attempts = append(m.rec.Attempts, a)
	return nil
}
