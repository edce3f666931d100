package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/idemctl/internal/reconcile"
)

// Found is what a scan of a scenario's data found.
type Found struct {
	Counts    map[string]int // as Scenario.Counts
	Contracts []string       // kinds of findings about contracts
	Cases     []FoundCase
	// Incomplete names the sources that were not read as far as they were declared to reach.
	Incomplete []string
}

// FoundCase is a case that was found.
type FoundCase struct {
	Identity  []reconcile.Component
	Judgement *reconcile.Judgement
}

// Differ says where what was found is not exactly what the key says: another case, kind, verdict or count, and an answer of the guard that the key does not
// expect, and another source that could not be read.
func (s *Scenario) Differ(f *Found) []Problem {
	var l linter
	for _, name := range sortedNames(s.Counts) {
		if s.Counts[name] != f.Counts[name] {
			l.add("counts", "%s: the key says %d, found %d", name, s.Counts[name], f.Counts[name])
		}
	}
	if want, got := sorted(s.ContractFindings), sorted(f.Contracts); !slices.Equal(want, got) {
		l.add("contract_findings", "the key says %v, found %v", want, got)
	}
	if want, got := sorted(s.Incomplete), sorted(f.Incomplete); !slices.Equal(want, got) {
		l.add("incomplete", "the key says %v, found %v", want, got)
	}
	seen := make(map[*Answer]bool)
	for i := range f.Cases {
		c := &f.Cases[i]
		a := s.Of(c.Identity)
		switch {
		case a == nil:
			l.add("cases", "the key has no case %s: %s, executed %s", spelled(c.Identity), words(c.Judgement.Kinds), c.Judgement.Executed)
		case seen[a]:
			l.add("case "+a.Name(), "two cases were found of it")
		default:
			seen[a] = true
			a.differ(&l, c.Judgement)
		}
	}
	for i := range s.Cases {
		if !seen[&s.Cases[i]] {
			l.add("case "+s.Cases[i].Name(), "was not found")
		}
	}
	return l.found
}

func (a *Answer) differ(l *linter, j *reconcile.Judgement) {
	where := "case " + a.Name()
	if got := words(j.Kinds); got != strings.Join(a.Kinds, " ") {
		l.add(where, "the key says %s, found %s", strings.Join(a.Kinds, " "), got)
	}
	if got := j.Executed.String(); got != a.Executed {
		l.add(where, "the key says executed %s, found %s", a.Executed, got)
	}
	for _, c := range a.Right {
		if o := optionOf(j, c); o == nil || !o.Allowed {
			l.add(where, "%s is right, and the guard refuses it: %s", c, code(o))
		}
	}
	for _, c := range a.Harmful {
		o := optionOf(j, c)
		switch {
		case o == nil:
			l.add(where, "%s is harmful, and the guard has no answer to it", c)
		case o.Allowed && !c.Allowed:
			l.add(where, "%s is harmful, and the guard allows it: %s", c, o.Code)
		case !o.Allowed && c.Allowed:
			l.add(where, "%s is said to be allowed, and the guard refuses it: %s", c, o.Code)
		}
	}
}

// optionOf is the guard's answer to a choice, nil where it has none.
func optionOf(j *reconcile.Judgement, c Choice) *reconcile.Option {
	for i := range j.Options {
		if o := &j.Options[i]; c.is(o.Decision, o.As) {
			return o
		}
	}
	return nil
}

func code(o *reconcile.Option) string {
	if o == nil {
		return "it has no answer to it"
	}
	return o.Code
}

func words(kinds []reconcile.Kind) string {
	out := make([]string, 0, len(kinds))
	for _, k := range kinds {
		out = append(out, k.String())
	}
	return strings.Join(out, " ")
}

func spelled(identity []reconcile.Component) string {
	parts := make(map[string]string)
	for _, c := range identity {
		parts[c.Name] = "unknown"
		if c.Value.Known() {
			parts[c.Name] = fmt.Sprintf("%q", c.Value.String())
		}
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		out = append(out, name+"="+parts[name])
	}
	return strings.Join(out, " ")
}

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }
