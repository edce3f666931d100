package reconcile

import (
	"slices"
	"strings"
	"time"
)

// Like is another action of the same actor that asks for the same, near in time: a candidate, never a verdict.
type Like struct {
	Candidate
	When Instant // of the other one
	Near Instant // of what it is near to: an attempt, a row
}

// likeIntents names, to each subject with an attempt that was neither confirmed nor rejected, the action under another key that began nearest to one.
func (t *twinIndex) likeIntents(s *Subject, of *wishes) {
	for _, at := range unanswered(s) {
		for _, request := range of.requests {
			t.look(of, request, func(g *twinGroup, known, _ bool) {
				if known {
					s.LikeIntent = nearer(s, s.LikeIntent, g, at)
				}
			})
		}
	}
}

// likeEffects names, to each subject that has rows and no receipt, the received action whose effect was made nearest to one of them.
func (t *twinIndex) likeEffects(s *Subject) {
	if slices.ContainsFunc(s.Evidence, func(e Evidence) bool { return e.Record.Role == RoleReceipt }) {
		return
	}
	var one Wish
	for _, e := range s.Evidence {
		r := e.Record
		if r.Role != RoleEffect || !Effective(r) || e.History || !r.CreatedAt.known {
			continue
		}
		one.Read(s.Contract, r, t.w.Source(r.Source))
		if len(one.Place) == 0 || len(one.Actor) == 0 {
			continue
		}
		for _, request := range [][]byte{one.Print, one.Params} {
			if len(request) > 0 {
				s.LikeEffect = nearer(s, s.LikeEffect, t.received[wishKey{string(one.Place), string(one.Actor), string(request)}], r.CreatedAt)
			}
		}
	}
}

// nearer returns the nearer of what was found before and the member of a group nearest to an instant, inside the twin window.
func nearer(s *Subject, have *Like, g *twinGroup, at Instant) *Like {
	if g == nil {
		return have
	}
	window := s.Contract.TwinWindow
	lo, hi := g.before(at.Add(-window)), min(g.timed, g.before(at.Add(window+1)))
	for _, n := range g.around(at, lo, hi) {
		o := g.seats[n]
		if o.s == s || o.s.ID == s.ID {
			continue
		}
		away := between(at, o.began)
		if have != nil && (have.away < away || have.away == away && have.Case <= o.s.ID) {
			continue
		}
		have = &Like{When: o.began, Near: at, Candidate: candidate(o.s, o.s.Evidence[0].Record, "same actor and request", away)}
	}
	return have
}

// around lists the places among which the nearest seat to an instant is, though one of them be the looker's own: the first of those after it, and the first of
// each time before it.
func (g *twinGroup) around(at Instant, lo, hi int) []int {
	mid := min(g.before(at), hi)
	var out []int
	for n := max(lo, mid); n < min(hi, mid+2); n++ {
		out = append(out, n)
	}
	for end := mid; end > lo && mid-end < 2; {
		from := max(lo, g.before(g.seats[end-1].began))
		out = append(out, from)
		if from+1 < end {
			return append(out, from+1)
		}
		end = from
	}
	return out
}

// unanswered lists the times of a subject's attempts that were neither confirmed nor rejected.
func unanswered(s *Subject) []Instant {
	var out []Instant
	for _, e := range s.Evidence {
		if e.Record.Role != RoleIntent {
			continue
		}
		for _, a := range e.Record.Attempts {
			if a.At.known && a.Outcome != AttemptConfirmed && a.Outcome != AttemptRejected {
				out = append(out, a.At)
			}
		}
	}
	return out
}

// madeAt is when the effect of a received action was made; unknown where it has no receipt or no effect.
func madeAt(s *Subject) Instant {
	var received bool
	var made Instant
	for _, e := range s.Evidence {
		r := e.Record
		switch {
		case r.Role == RoleReceipt:
			received = true
		case r.Role == RoleEffect && Effective(r), r.Role == RoleProvider && r.Outcome == OutcomeSucceeded:
			made = Earliest(made, r.CreatedAt)
		}
	}
	if !received {
		return Instant{}
	}
	return made
}

// suspectable reports whether its records tell whose action it is and what it asks for: else no suspected duplicate of it is told.
func (s *Subject) suspectable() bool {
	actor := slices.ContainsFunc(s.Evidence, func(e Evidence) bool {
		return !slices.ContainsFunc(s.Contract.Actor, func(name string) bool { return !e.Record.Field(name).known })
	})
	request := slices.ContainsFunc(s.Evidence, func(e Evidence) bool { return e.Record.Params.known || e.Record.Fingerprint.known })
	return len(s.Contract.Actor) > 0 && actor && request
}

// suspectedDuplicateIntent holds on the action whose attempt nobody answered: the other one may be its retry, under a new key.
func suspectedDuplicateIntent(j *judging) (bool, []string, map[string]string) {
	like := j.s.LikeIntent
	if like == nil || len(j.c.Actor) == 0 {
		return false, nil, nil
	}
	return true, append(refsOf(j.intents), like.Locator), map[string]string{
		"attempt": stamp(like.Near), "other": like.Case, "away": awayText(like), "confirmed": j.answerText(),
	}
}

func (j *judging) answerText() string {
	if j.confirmed() {
		return ", before another one was confirmed"
	}
	return ""
}

// awayText says how far apart two near instants are, and which came first.
func awayText(l *Like) string {
	d := time.Duration(l.away).Truncate(time.Second)
	switch {
	case d == 0:
		return "at the same time"
	case l.When.Before(l.Near):
		return d.String() + " before it"
	}
	return d.String() + " after it"
}

// suspectedDuplicateEffect holds on a row that certainly has no receipt, unless its age or the contract's beginning explains that. That a key is optional does
// not: a retry without its key leaves just such a row.
func suspectedDuplicateEffect(j *judging) (bool, []string, map[string]string) {
	like := j.s.LikeEffect
	if like == nil || len(j.c.Actor) == 0 || len(j.effects) == 0 || len(j.copies) > 0 || !j.noReceipt() {
		return false, nil, nil
	}
	for _, r := range j.effects {
		if !r.CreatedAt.known || r.CreatedAt.Before(j.c.Since) || j.c.Retention.Valid && !r.CreatedAt.Add(j.c.Retention.D).After(j.w.Now) {
			return false, nil, nil
		}
	}
	return true, append(refsOf(j.effects), like.Locator), map[string]string{"other": like.Case, "away": strings.Replace(awayText(like), " it", " this one", 1)}
}
