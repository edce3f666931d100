package mapping

import (
	"strconv"
	"strings"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/text"
)

// vocabulary is one closed set: how its words are read, what null means when the map does not say, or that null is unreadable.
type vocabulary[T any] struct {
	parse      func(string) (T, error)
	allowed    []string
	empty      T
	refuseNull bool
}

// closedWord compiles a fact with closed words. Without words in the map the source's text must be one of them.
func closedWord[T any](m *Mapper, f *Field, v vocabulary[T], dst *T) error {
	e, err := m.expr(f)
	if err != nil {
		return err
	}
	ws, err := compileWords(f, v.parse, v.allowed)
	if err != nil {
		return err
	}
	if ws == nil {
		ws = &words[T]{exact: make(map[string]T, len(v.allowed))}
		for _, w := range v.allowed {
			if ws.exact[w], err = v.parse(w); err != nil {
				return f.at("", "%v", err)
			}
		}
	}
	if e.constant != nil {
		word, ok := ws.find(e.constant, true)
		if !ok {
			return f.at(wordsHint(v.allowed), "%q is no %s", *f.Const, f.Name)
		}
		*dst = word
		return nil
	}
	allowed := strings.Join(v.allowed, ", ")
	m.add(func(cells []rows.Cell) *Unreadable {
		*dst = v.empty
		b, known, bad := m.eval(e, cells)
		if bad != nil {
			return bad
		}
		word, ok := ws.find(b, known)
		switch {
		case ok:
			*dst = word
		case known:
			return hinted(e.unreadable(b, notMapped), "name it in words, as one of "+allowed+`; "*" stands for every word that is not named`)
		case v.refuseNull:
			return hinted(e.unreadable(nil, "is null, and words has no null"), "name null in words, as one of "+allowed)
		}
		return nil
	})
	return nil
}

// closedFact compiles one of the facts in wordFacts.
func (m *Mapper) closedFact(f *Field) error {
	r := &m.rec
	switch {
	case f.Name == "attempts" && r.Role == reconcile.RoleIntent:
		return m.attempts(f)
	case f.Name == "attempts":
		return m.extra(f)
	case f.Name == "phase":
		return closedWord(m, f, vocabulary[reconcile.Phase]{parse: reconcile.ParsePhase, allowed: phaseWords}, &r.Phase)
	case r.Role == reconcile.RoleOutbox:
		m.hasState = true
		return closedWord(m, f, vocabulary[reconcile.Sent]{parse: reconcile.ParseSent, allowed: sentWords}, &r.Sent)
	case r.Role == reconcile.RoleProvider:
		return closedWord(m, f, vocabulary[reconcile.Outcome]{parse: reconcile.ParseOutcome, allowed: outcomeWords}, &r.Outcome)
	case r.Role == reconcile.RoleIntent:
		m.oneAttempt = true
		return closedWord(m, f, vocabulary[reconcile.AttemptOutcome]{parse: reconcile.ParseAttemptOutcome, allowed: attemptWords}, &m.one[0].Outcome)
	case r.Role == reconcile.RoleEffect:
		return closedWord(m, f, vocabulary[reconcile.Status]{parse: reconcile.ParseStatus, allowed: statusWords, refuseNull: true}, &r.Status)
	}
	m.hasState = true
	if len(f.Presence) > 0 {
		return m.stateByPresence(f)
	}
	return closedWord(m, f, vocabulary[reconcile.State]{parse: reconcile.ParseState, allowed: stateWords, refuseNull: true}, &r.State)
}

// rank orders the states that may stand side by side in one row: what is final outlasts what was open.
func rank(s reconcile.State) int {
	switch s {
	case reconcile.StateCompleted, reconcile.StateFailedFinal:
		return 3
	case reconcile.StateFailedRetryable, reconcile.StateUnknown:
		return 2
	case reconcile.StateInProgress:
		return 1
	}
	return 0
}

// stateByPresence compiles {in-progress: locked_at, completed: completed_at}. Where no column is set, the store does not say: unknown.
func (m *Mapper) stateByPresence(f *Field) error {
	if f.From != "" || f.Const != nil || len(f.Parts) > 0 || len(f.Words) > 0 {
		return f.at("either words or columns", "state comes from two places")
	}
	type sign struct {
		state reconcile.State
		at    int
	}
	signs := make([]sign, 0, len(f.Presence))
	for _, p := range f.Presence {
		s, err := reconcile.ParseState(p.Word)
		if err != nil {
			return f.at(wordsHint(stateWords), "%v", err)
		}
		at, err := m.cell(p.Column)
		if err != nil {
			return f.at("", "%q is %v", p.Column, err)
		}
		signs = append(signs, sign{s, at})
	}
	m.add(func(cells []rows.Cell) *Unreadable {
		m.rec.State = reconcile.StateUnknown
		best := 0
		for _, s := range signs {
			switch cells[s.at].Kind {
			case rows.Null, rows.Missing:
			case rows.Bad:
				return &Unreadable{Reason: "state: a column cannot be read: " + text.Safe(cells[s.at].Text)}
			default:
				if rank(s.state) > best {
					best, m.rec.State = rank(s.state), s.state
				}
			}
		}
		return nil
	})
	return nil
}

// stateByStatus makes a receipt's state from its response status alone.
func (m *Mapper) stateByStatus([]rows.Cell) *Unreadable {
	s := m.rec.ResponseStatus
	switch {
	case !s.Valid:
		m.rec.State = reconcile.StateInProgress
	case s.N >= 400:
		m.rec.State = reconcile.StateFailedFinal
	case s.N >= 200:
		m.rec.State = reconcile.StateCompleted
	default:
		m.rec.State = 0
		return &Unreadable{Reason: "response_status: " + strconv.FormatInt(s.N, 10) + " is no final HTTP status"}
	}
	return nil
}

// sentByTime makes an outbox message's word from its marks alone.
func (m *Mapper) sentByTime([]rows.Cell) *Unreadable {
	switch {
	case m.rec.ConfirmedAt.Known():
		m.rec.Sent = reconcile.SentConfirmed
	case m.rec.SentAt.Known():
		m.rec.Sent = reconcile.SentMarked
	default:
		m.rec.Sent = reconcile.Unsent
	}
	return nil
}
