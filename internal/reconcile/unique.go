package reconcile

import (
	"slices"
	"strings"
)

// A unique rule is what the business allows once, as the store keeps it: no two rows that fit its condition share its columns, whoever wrote them.

// uniqueTwice returns two standing rows of one source that share the columns of a unique rule, of this action or of this one and another; nil where none do.
func (j *judging) uniqueTwice() (rows []*Record, columns string) {
	return j.sharing(j.effects, Effective)
}

// sharing returns two rows of one source that share the columns of a unique rule: one of rows, and another of them or of another action's that counts.
func (j *judging) sharing(rows []*Record, counts func(*Record) bool) (both []*Record, columns string) {
	seen := make(map[string]*Record)
	for _, r := range rows {
		for i, rule := range j.c.Unique {
			if !rule.holds(r) {
				continue
			}
			text := r.Source + "\x00" + string(j.c.uniqueText(i, r))
			if o := seen[text]; o != nil {
				return []*Record{o, r}, strings.Join(rule.Columns, " and ")
			}
			seen[text] = r
		}
	}
	for _, t := range j.s.Ties {
		if t.Kind != TieUnique || t.Row.Role != RoleEffect || !counts(t.Row) {
			continue
		}
		for i, rule := range j.c.Unique {
			if !rule.holds(t.Row) {
				continue
			}
			if own := seen[t.Row.Source+"\x00"+string(j.c.uniqueText(i, t.Row))]; own != nil {
				return []*Record{own, t.Row}, strings.Join(rule.Columns, " and ")
			}
		}
	}
	return nil, ""
}

// refusedByRule reports whether a business rule would stop the retry before any effect: a row that fits it is in the serving store and stays there, this
// action's or another's, and the local leg comes first.
func (j *judging) refusedByRule() bool {
	if len(j.c.Unique) == 0 || (j.c.Effect != LegsLocal && (j.c.Effect != LegsBoth || j.c.Order != OrderLocalFirst)) {
		return false
	}
	if both, _ := j.sharing(j.served(), func(*Record) bool { return true }); both != nil {
		return false // the store does not keep the rule
	}
	if j.severalRequests() {
		return false // the other one would be another row
	}
	return slices.ContainsFunc(j.refusing(), func(r *Record) bool { return !j.leaves(r, j.w.Now.Add(j.c.Margin)) })
}

// ruleEnds reports whether a row by which a rule stops a retry may be moved away while one can still come.
func (j *judging) ruleEnds() bool {
	return slices.ContainsFunc(j.refusing(), func(r *Record) bool { return j.leaves(r, j.windowEnd()) })
}

// served are the action's rows in the serving stores, whatever became of them: a rule of the store asks for no more than its own condition.
func (j *judging) served() []*Record {
	return slices.DeleteFunc(slices.Concat(j.effects, j.pendingRows, j.undone), func(r *Record) bool {
		f := j.w.Source(r.Source)
		return r.DeletedAt.known || f != nil && !f.Serves
	})
}

// refusing are the rows by which a rule would stop the retry: the action's own, and those of others that hold what its records ask for.
func (j *judging) refusing() []*Record {
	var out []*Record
	asked := make(map[string]bool)
	for i, rule := range j.c.Unique {
		for _, r := range j.served() {
			if rule.holds(r) {
				out = append(out, r)
			}
		}
		for _, e := range j.s.Evidence {
			if e.Record.Role != RoleEffect && rule.asked(e.Record) {
				asked[string(j.c.uniqueText(i, e.Record))] = true
			}
		}
	}
	for _, t := range j.s.Ties {
		for i, rule := range j.c.Unique {
			if t.Kind == TieUnique && t.Row.Role == RoleEffect && rule.holds(t.Row) && asked[string(j.c.uniqueText(i, t.Row))] {
				out = append(out, t.Row)
			}
		}
	}
	return out
}

// severalRequests reports whether the clients' book tells of several requests under the one key, or of several who made it.
func (j *judging) severalRequests() bool {
	return slices.ContainsFunc(j.intents, func(r *Record) bool {
		first := j.intents[0]
		return j.requestsDiffer(first, r) == yes || slices.ContainsFunc(j.c.Actor, func(name string) bool { return r.Field(name).Differs(first.Field(name)) })
	})
}

// leaves reports whether a row may be moved to an archive before an instant: a rule of the store then stops nothing any more. One that is not known never comes.
func (j *judging) leaves(r *Record, by Instant) bool {
	f := j.w.Source(r.Source)
	return f != nil && f.Retained.Valid && (!by.known || !r.CreatedAt.known || !r.CreatedAt.Add(f.Retained.D-f.Skew).After(by))
}

// holds reports whether a row fits the rule.
func (u UniqueRule) holds(r *Record) bool { return u.fits(r, false) }

// asked reports whether a record tells the columns of the row that its action makes, and nothing in it says that the rule would not hold of that one: it is
// made effective.
func (u UniqueRule) asked(r *Record) bool { return u.fits(r, true) }

func (u UniqueRule) fits(r *Record, asked bool) bool {
	for _, col := range u.Columns {
		if v := r.Field(col); !v.known || len(v.text) == 0 {
			return false
		}
	}
	for name, want := range u.Where {
		v := r.Field(name)
		if name == "status" && (asked || r.Status == StatusUnknown) {
			v = Text(StatusEffective.String())
		}
		if !v.known || v.String() != want {
			return false
		}
	}
	return len(u.Columns) > 0
}
