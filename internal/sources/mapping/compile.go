package mapping

import (
	"cmp"
	"slices"
	"strings"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/spelling"
	"example.com/idemctl/internal/text"
)

// Compile checks a source's map and prepares its Mapper. An error is an *Error with its place in the config.
func Compile(in Input) (*Mapper, error) {
	m := &Mapper{cells: map[string]int{}, codes: map[string]string{}, perAttempt: in.Row == "attempt", testMode: in.TestMode}
	m.rec = reconcile.Record{Role: in.Role, Source: in.Source}
	if in.Row != "" && !m.perAttempt {
		return nil, &Error{Line: in.Line, Col: in.Col, Msg: "row: " + text.SafeString(in.Row) + " is not known", Hint: "row: attempt says that each line is one attempt"}
	}
	if m.perAttempt && in.Role != reconcile.RoleIntent && in.Role != reconcile.RoleProvider {
		return nil, &Error{Line: in.Line, Col: in.Col, Msg: "row: attempt belongs to intents and provider logs", Hint: "give the source role: intents, or leave row out"}
	}
	var err error
	if m.where, err = m.conditions(&Field{Name: "where", Line: in.Line, Col: in.Col}, conditions(in.Where)); err != nil {
		return nil, err
	}
	if err = m.exclusions(&in); err != nil {
		return nil, err
	}
	if m.claim, err = m.conditions(&Field{Name: "claim", Line: in.Line, Col: in.Col}, conditions(in.Claim)); err != nil {
		return nil, err
	}
	if err := m.fields(&in); err != nil {
		return nil, err
	}
	m.derive()
	return m, nil
}

// fields compiles every field. The operation is read first: a line that is not ours must not fail on its other facts. Then the mode: nor must one of test mode.
func (m *Mapper) fields(in *Input) error {
	seen := map[string]bool{}
	turn := map[string]int{"operation": 1, "mode": 2}
	for _, now := range []int{1, 2, 0} {
		for i := range in.Fields {
			f := &in.Fields[i]
			if turn[f.Name] != now {
				continue
			}
			if seen[f.Name] {
				return f.at("keep one of them", "%s is mapped twice", text.SafeString(f.Name))
			}
			seen[f.Name] = true
			if err := m.field(in, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// field compiles one field by its name. A name in a contract's scope is a component even where it names a fact as well.
func (m *Mapper) field(in *Input, f *Field) error {
	if len(f.Presence) > 0 && f.Name != "state" {
		return f.at("give a column", "%s cannot come from the presence of columns", text.SafeString(f.Name))
	}
	component := slices.Contains(StandardComponents, f.Name) || slices.Contains(in.Components, f.Name)
	if component {
		if err := m.component(f); err != nil {
			return err
		}
	}
	if t, ok := textFacts[f.Name]; ok {
		if err := m.text(f, t); err != nil || f.Name != "mode" || component {
			return err
		}
		m.mode()
		return nil
	}
	if to, ok := timeFacts[f.Name]; ok {
		m.explain(f, "time ("+asShown(f)+")")
		return m.instant(f, to)
	}
	if to, ok := numberFacts[f.Name]; ok {
		m.explain(f, "number")
		return m.number(f, to)
	}
	if roles, ok := wordFacts[f.Name]; ok {
		if !slices.Contains(roles, in.Role) {
			return f.at(wrongRole(in.Role), "%s is no fact of %s", f.Name, in.Role)
		}
		m.explain(f, "words")
		return m.closedFact(f)
	}
	switch {
	case f.Name == "amount":
		m.explain(f, "amount ("+f.Unit+")")
		return m.amount(f)
	case component:
		return nil
	case f.Name == "actor" || slices.Contains(in.Extra, f.Name):
		m.explain(f, "extra")
		return m.extra(f)
	}
	hint := "a contract's scope, actor or unique may name further columns"
	if near := spelling.Meant(f.Name, KnownFacts()); near != "" {
		hint = "did you mean " + near + "?"
	}
	return f.at(hint, "%q is no fact, and no contract names it", text.SafeString(f.Name))
}

func wrongRole(r reconcile.Role) string {
	switch r {
	case reconcile.RoleReceipt:
		return "a receipt has state, phase and response_status"
	case reconcile.RoleEffect:
		return "an effect has status"
	case reconcile.RoleProvider:
		return "a provider line has outcome"
	case reconcile.RoleIntent:
		return "an intent has outcome and attempts"
	case reconcile.RoleOutbox:
		return "an outbox message has state, sent_at and confirmed_at"
	}
	return ""
}

func asShown(f *Field) string {
	shown := strings.Join(append([]string{cmp.Or(f.As, "rfc3339")}, f.Or...), " or ")
	if f.ZoneFrom != "" {
		shown += ", zone in " + f.ZoneFrom
	}
	return shown
}

func (m *Mapper) explain(f *Field, how string) {
	u := Understood{Fact: f.Name, How: how + f.recipe(), paths: f.columns(), any: len(f.Presence) > 0}
	u.Column = strings.Join(u.paths, " + ")
	if len(f.First) > 0 {
		u.paths, u.Column, u.any = f.alternatives(), strings.Join(f.alternatives(), " or "), true
		u.partly = slices.ContainsFunc(f.First, func(a Field) bool { return len(a.When) > 0 })
	}
	if f.From != "" {
		u.paths, u.Column = []string{f.From}, f.From
	}
	if len(f.Presence) > 0 {
		for _, p := range f.Presence {
			u.paths = append(u.paths, p.Column)
		}
		u.Column = strings.Join(u.paths, ", ")
	}
	_, null := f.Words["null"]
	word := f.Name == "state" || f.Name == "status" || f.Name == "outcome" && m.rec.Role == reconcile.RoleProvider && !m.perAttempt // a send may lack an answer
	own := f.Name == ownIDs[m.rec.Role] && len(f.First) == 0                                                                        // of several places all may be empty in a short log
	u.Must = how == "component" || own || word && !null
	m.understood = append(m.understood, u)
}

// component compiles one part of the identity.
func (m *Mapper) component(f *Field) error {
	e, err := m.identifier(f)
	if err != nil {
		return err
	}
	m.explain(f, "component")
	if e.at >= 0 || len(e.first) > 0 {
		e.mixed = &mixed{column: e.column}
		m.mixed = append(m.mixed, e.mixed)
	}
	m.rec.Components = append(m.rec.Components, reconcile.Component{Name: f.Name})
	i := len(m.rec.Components) - 1
	notOurs := f.Name == "operation" && m.rec.Role == reconcile.RoleProvider && e.words != nil
	m.add(func(cells []rows.Cell) *Unreadable {
		dst := &m.rec.Components[i].Value
		*dst = reconcile.Value{}
		if notOurs {
			return m.ourOperation(e, cells, dst)
		}
		b, known, bad := m.evalWords(e, cells)
		if known && len(b) == 0 && f.Name == "key" {
			m.rec.EmptyKey = true // it names no action: all that came without a key would be one
			return bad
		}
		if known {
			*dst = reconcile.Bytes(b)
			if f.Name == "key" {
				m.rec.KeyFrom = e.picked
			}
		}
		return bad
	})
	return nil
}

// ourOperation reads a provider line's operation: a word that the map does not know says that the line is not ours.
func (m *Mapper) ourOperation(e *expr, cells []rows.Cell, dst *reconcile.Value) *Unreadable {
	b, known, bad := m.eval(e, cells)
	if bad != nil {
		m.rec.NotOurs = true
		return nil
	}
	word, ok := e.words.find(b, known)
	if !ok {
		m.rec.NotOurs = true
		return nil
	}
	*dst = reconcile.Bytes(word)
	return nil
}

// identifier compiles a text that must be exact.
func (m *Mapper) identifier(f *Field) (*expr, error) {
	e, err := m.textExpr(f)
	if err != nil {
		return nil, err
	}
	e.exact = true
	return e, nil
}

func (m *Mapper) textExpr(f *Field) (*expr, error) {
	e, err := m.expr(f)
	if err != nil {
		return nil, err
	}
	e.words, err = compileWords(f, textWord, nil)
	return e, err
}

func (m *Mapper) text(f *Field, t textFact) error {
	e, err := m.textExpr(f)
	if err != nil {
		return err
	}
	e.exact, e.composite = t.reference, t.payload
	how := "text"
	switch {
	case t.reference:
		how = "reference"
	case t.payload:
		how = "payload"
	}
	m.explain(f, how)
	m.refs = m.refs || slices.Contains(joining, f.Name)
	m.oneAttempt = m.oneAttempt || f.Name == "target"
	dst := t.to(&m.rec)
	m.add(func(cells []rows.Cell) *Unreadable {
		*dst = reconcile.Value{}
		b, known, bad := m.evalWords(e, cells)
		switch {
		case known && t.reference && m.isSet(e, cells):
			*dst = reconcile.Set(b)
		case known:
			*dst = reconcile.Bytes(b)
		}
		return bad
	})
	return nil
}

// extra compiles a column that a contract names for its own rules.
func (m *Mapper) extra(f *Field) error {
	e, err := m.identifier(f)
	if err != nil {
		return err
	}
	m.rec.Extra = append(m.rec.Extra, reconcile.Component{Name: f.Name})
	i := len(m.rec.Extra) - 1
	m.add(func(cells []rows.Cell) *Unreadable {
		dst := &m.rec.Extra[i].Value
		*dst = reconcile.Value{}
		b, known, bad := m.evalWords(e, cells)
		if known {
			*dst = reconcile.Bytes(b)
		}
		return bad
	})
	return nil
}

func (m *Mapper) number(f *Field, to func(*reconcile.Record) *reconcile.Number) error {
	e, err := m.textExpr(f)
	if err != nil {
		return err
	}
	dst := to(&m.rec)
	m.add(func(cells []rows.Cell) *Unreadable {
		*dst = reconcile.Number{}
		if e.plain && cells[e.at].Kind == rows.Int {
			*dst = reconcile.Num(cells[e.at].Num)
			return nil
		}
		b, known, bad := m.evalWords(e, cells)
		if bad != nil || !known {
			return bad
		}
		n, why := parseDecimal(b, 0)
		if why != "" {
			return e.unreadable(b, "is no whole number")
		}
		*dst = reconcile.Num(n)
		return nil
	})
	return nil
}

// derive adds what a role's map leaves unsaid: a receipt's state, an effect's status, a message's word, an intent's one attempt.
func (m *Mapper) derive() {
	r := &m.rec
	switch r.Role {
	case reconcile.RoleReceipt:
		mapped := slices.ContainsFunc(m.understood, func(u Understood) bool { return u.Fact == "response_status" })
		switch {
		case m.hasState:
		case mapped:
			m.add(m.stateByStatus)
		default:
			r.State = reconcile.StateCompleted
		}
	case reconcile.RoleEffect:
		if !slices.ContainsFunc(m.understood, func(u Understood) bool { return u.Fact == "status" }) {
			r.Status = reconcile.StatusEffective
		}
	case reconcile.RoleOutbox:
		if !m.hasState {
			m.add(m.sentByTime)
		}
	case reconcile.RoleIntent:
		listed := slices.ContainsFunc(m.understood, func(u Understood) bool { return u.Fact == "attempts" })
		timed := slices.ContainsFunc(m.understood, func(u Understood) bool { return u.Fact == "attempt_at" })
		if !listed && (m.perAttempt || m.oneAttempt || timed) {
			m.add(m.singleAttempt)
		}
	case reconcile.RoleProvider:
		if m.perAttempt {
			dated := slices.ContainsFunc(m.understood, func(u Understood) bool { return u.Fact == "created_at" })
			m.add(func(cells []rows.Cell) *Unreadable { return m.gatewayAttempt(dated, cells) })
		}
	}
}
