package scenario

import (
	"fmt"
	"slices"
	"strings"

	"example.com/idemctl/internal/reconcile"
)

// Problem is something a scenario lacks.
type Problem struct {
	Where string // the part of scenario.yaml, or the case
	What  string
}

func (p Problem) String() string { return p.Where + ": " + p.What }

// Lint says what a scenario lacks in itself: whether it fits what a scan of it finds is another question.
func Lint(s *Scenario) []Problem {
	var l linter
	if s.Title == "" {
		l.add("title", "missing")
	}
	if !slices.Contains(Levels, s.Level) {
		l.add("level", "%q is none of %v", s.Level, Levels)
	}
	if s.Story == "" {
		l.add("story", "missing")
	}
	if len(s.Teaches) == 0 {
		l.add("teaches", "missing: what does somebody know afterwards?")
	}
	if len(s.Principles) == 0 {
		l.add("principles", "missing: which statement does it show?")
	}
	for _, id := range s.Principles {
		l.principle("principles", id)
	}
	l.steps(s)
	for i := range s.Cases {
		l.answer(&s.Cases[i])
	}
	l.counts(s)
	l.before(s.Before)
	return l.found
}

// before says what earlier decisions lack: each names who, when, why and a whole identity, and they come in order of time.
func (l *linter) before(b *Before) {
	if b == nil {
		return
	}
	if b.PutBack < 0 || b.PutBack >= len(b.Decided) && b.PutBack > 0 {
		l.add("trail", "put_back: %d of %d decisions leaves nothing that the machine could miss", b.PutBack, len(b.Decided))
	}
	for i := range b.Decided {
		d, where := &b.Decided[i], fmt.Sprintf("trail.decided[%d]", i)
		if d.At.IsZero() || d.By == "" || d.Reason == "" || d.Identity["key"] == "" {
			l.add(where, "at, by, reason and identity with its key are needed")
		}
		if i > 0 && d.At.Before(b.Decided[i-1].At) {
			l.add(where, "comes after what was decided later")
		}
		l.choice(where, Choice{Decision: d.Decision, As: d.As})
	}
}

type linter struct{ found []Problem }

func (l *linter) add(where, what string, args ...any) {
	l.found = append(l.found, Problem{where, fmt.Sprintf(what, args...)})
}

func (l *linter) principle(where, id string) {
	if PrincipleOf(id) == nil {
		l.add(where, "%q is no principle", id)
	}
}

func (l *linter) steps(s *Scenario) {
	if len(s.Steps) == 0 {
		l.add("steps", "missing")
	}
	for i := range s.Steps {
		st, where := &s.Steps[i], fmt.Sprintf("steps[%d]", i)
		if st.Do == "" {
			l.add(where, "says not what to do")
		}
		if !st.names() {
			l.add(where, "does not name the case that it waits for: steps can be done in any order, so each says whole what is meant")
		}
		if len(st.Until.Of) > 0 && !s.has(st.Until) {
			l.add(where, "waits for a case that the key does not have: %v", st.Until.Of)
		}
	}
}

// names reports whether the words of a step say which case it waits for: its key, where the step asks for one, else any part of its identity.
func (st *Step) names() bool {
	if key, ok := st.Until.Of["key"]; ok {
		return strings.Contains(st.Do, key)
	}
	for _, v := range st.Until.Of {
		if strings.Contains(st.Do, v) {
			return true
		}
	}
	return len(st.Until.Of) == 0
}

// has reports whether some case of the key is what a step waits for.
func (s *Scenario) has(u Until) bool {
	for i := range s.Cases {
		fits := true
		for name, want := range u.Of {
			v := s.Cases[i].Identity[name]
			fits = fits && v != nil && *v == want
		}
		if fits {
			return true
		}
	}
	return false
}

func (l *linter) answer(a *Answer) {
	where := "case " + a.Name()
	if len(a.Kinds) == 0 {
		l.add(where, "has no kind")
	}
	for _, k := range a.Kinds {
		if _, err := reconcile.ParseKind(k); err != nil {
			l.add(where, "%v", err)
		}
	}
	if _, err := reconcile.ParseExecuted(a.Executed); err != nil {
		l.add(where, "%v", err)
	}
	if a.By != "" {
		l.principle(where, a.By)
	} else {
		l.add(where, "names no principle, and the scenario has several")
	}
	if a.Because == "" {
		l.add(where, "does not say why the right decision is right")
	}
	switch {
	case len(a.Right) == 0 && !a.Leave:
		l.add(where, "cannot be solved: no decision is right")
	case len(a.Right) > 0 && a.Leave:
		l.add(where, "is to be left, and a decision is right")
	}
	if len(a.Harmful) == 0 {
		l.add(where, "no decision is harmful: then there is nothing to learn")
	}
	for _, c := range append(a.Right[:len(a.Right):len(a.Right)], a.Harmful...) {
		l.choice(where, c)
	}
	for _, c := range a.Harmful {
		if c.Would == "" {
			l.add(where, "%s is harmful, and it is not said what it would do", c)
		}
	}
	for _, c := range a.Right {
		if c.Would != "" || c.Twice != nil || c.Allowed {
			l.add(where, "%s is right, and harm is told of it", c)
		}
		if d, as, err := c.parse(); err == nil && find(a.Harmful, d, as) != nil {
			l.add(where, "%s is both right and harmful", c)
		}
	}
}

func (l *linter) choice(where string, c Choice) {
	d, _, err := c.parse()
	switch {
	case err != nil:
		l.add(where, "%v", err)
	case (d == reconcile.DecideResolve) != (c.As != ""):
		l.add(where, "%s: a resolution goes with resolve, and only with it", c)
	}
}

// parse reads the words of a choice.
func (c Choice) parse() (d reconcile.Decision, as reconcile.Resolution, err error) {
	if d, err = reconcile.ParseDecision(c.Decision); err != nil {
		return d, as, err
	}
	as, err = reconcile.ParseResolution(c.As)
	return d, as, err
}

func (l *linter) counts(s *Scenario) {
	if s.Counts["cases"] != len(s.Cases) {
		l.add("counts", "%d cases are counted, the key has %d", s.Counts["cases"], len(s.Cases))
	}
	for _, class := range []reconcile.Class{reconcile.ClassMatched, reconcile.ClassInFlight, reconcile.ClassExplained, reconcile.ClassInconclusive, reconcile.ClassUnclaimed} {
		if _, ok := s.Counts[class.String()]; !ok {
			l.add("counts", "%s is not counted", class)
		}
	}
}
