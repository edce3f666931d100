package reconcile

import (
	"slices"
	"sort"
	"time"
)

// MaxCandidates is how many candidates and twins a subject names; the rest are counted.
const MaxCandidates = 5

// Want describes the unlinked rows of one source that would make an absence of a subject undetermined: such a row may be the missing counterpart.
type Want struct {
	Subject  *Subject
	Source   string
	role     Role
	From, To Instant // when such a row may have been written; unknown = open
}

// Relate fills Candidates and Twins of each subject from the others: what a scan that holds everything in memory would see.
func Relate(subjects []*Subject, w *World) {
	var strays []*Subject
	for _, s := range subjects {
		if s.Stray() {
			strays = append(strays, s)
		}
	}
	for _, s := range subjects {
		for _, want := range Wants(s, w) {
			for _, stray := range strays {
				if want.Fits(stray) {
					want.Name(stray)
				}
			}
		}
	}
	relateStrangers(subjects, w)
	RelateTwins(subjects, w, nil)
	RelateTies(subjects, w)
}

// Stray reports whether a subject is an unlinked row that may be another's missing counterpart. One that is claimed in vain by its id is a stray too: it
// is somebody else's.
func (s *Subject) Stray() bool {
	return s.Contract != nil && (s.Ambiguous || !keyOf(s.Identity).known)
}

// Wants lists what a subject's absences rest on, nil when none rests on an unlinked row. A row that names a reference which this action is known to have
// would have been linked: then absence needs no look at strays.
func Wants(s *Subject, w *World) []Want {
	if s.Contract == nil || s.Stray() {
		return nil
	}
	j := look(s, w, nil)
	from := j.firstSend
	if j.recorded() != nil {
		from = j.began
	}
	var out []Want
	ask := func(role Role, from Instant, missing bool) {
		if !missing {
			return
		}
		for _, f := range j.places(role, false) {
			if j.testifiesByRef(f) && (role != RoleEffect || len(j.undone) == 0 || j.namesAnother()) {
				continue
			}
			wait := f.Coverage.Lag + j.c.SettleTime().D + f.Skew
			out = append(out, Want{Subject: s, Source: f.Name, role: role, From: from.Add(-f.Skew - j.c.Settle), To: j.openEnd(wait)})
			for _, sent := range replaysOf(w.Decided[s.ID], w.Now) {
				out = append(out, Want{Subject: s, Source: f.Name, role: role, From: sent.from.Add(-f.Skew), To: sent.until(wait)})
			}
		}
	}
	ask(RoleEffect, j.writtenFrom(from), j.c.Effect.local() && len(j.effects)+len(j.pendingRows)+len(j.copyEffects) == 0 && !j.reversed() && !j.removed())
	ask(RoleProvider, j.calledFrom(from), j.c.Effect.external() && len(j.objects) == 0)
	return out
}

// namesAnother reports whether a record names a row that is none of those which took no effect: only such a one would have been linked by it.
func (j *judging) namesAnother() bool {
	return slices.ContainsFunc(j.s.Evidence, func(e Evidence) bool {
		r := e.Record
		return r.Role != RoleEffect && r.EffectID.known && !slices.ContainsFunc(j.undone, func(u *Record) bool { return r.EffectID.Names(u.EffectID) })
	})
}

// openEnd is the last time at which a counterpart may have been written; open where a record without a time is among the evidence,
// or where nothing says when a worker is certainly gone.
func (j *judging) openEnd(wait time.Duration) Instant {
	if j.untimed.known || j.mayWake {
		return Instant{}
	}
	return j.lastSend.Add(wait)
}

// Fits reports whether a stray may be the missing counterpart: same contract, no differing component, compatible parameters and amount, a fitting time.
func (want *Want) Fits(stray *Subject) bool {
	s := want.Subject
	if stray.Contract != s.Contract || !s.Contract.agree(s.Identity, stray.Identity) {
		return false
	}
	for _, e := range stray.Evidence {
		r := e.Record
		if r.Source != want.Source {
			continue
		}
		at := r.Time()
		if at.Before(want.From) || at.After(want.To) || !compatible(s, r) {
			continue
		}
		return true
	}
	return false
}

// compatible reports whether amount and parameters let a row be the subject's. Where the subject's own records differ, agreeing with one of them is enough:
// a key that was used for two requests may have lost the row of either.
func compatible(s *Subject, r *Record) bool {
	differs := false
	for _, e := range s.Evidence {
		if !alike(s.Contract, e.Record, r) {
			differs = true
		} else if saysTheSame(s.Contract, e.Record, r) {
			return true
		}
	}
	return !differs
}

// Name names a stray that fits as a candidate of the subject, and the subject as a candidate of the stray. The nearest MaxCandidates in time stay named,
// the rest are counted; naming one twice changes nothing.
func (want *Want) Name(stray *Subject) {
	const why = "same scope, compatible parameters, fitting time"
	s := want.Subject
	s.Candidates, s.MoreCands = addNear(s, stray, s.Candidates, s.MoreCands, why, 1<<want.role)
	stray.Candidates, stray.MoreCands = addNear(stray, s, stray.Candidates, stray.MoreCands, why, rolesOf(s))
}

func addNear(s, o *Subject, list []Candidate, more int, why string, places uint8) ([]Candidate, int) {
	if i := slices.IndexFunc(list, func(c Candidate) bool { return c.Case == o.ID }); i >= 0 {
		list[i].places |= places
		return list, more
	}
	named := candidate(o, o.Evidence[0].Record, why, apart(s, o))
	named.places = places
	list = append(list, named)
	sort.Slice(list, func(i, k int) bool {
		if list[i].away != list[k].away {
			return list[i].away < list[k].away
		}
		return list[i].Case < list[k].Case
	})
	if len(list) > MaxCandidates {
		return list[:MaxCandidates], more + len(list) - MaxCandidates
	}
	return list, more
}

// rolesOf is a bit for each role of the subject's records: what it holds may be what a stray lacks.
func rolesOf(s *Subject) uint8 {
	var set uint8
	for _, e := range s.Evidence {
		set |= 1 << e.Record.Role
	}
	return set
}

func apart(s, o *Subject) int64 { return between(beganOf(s), beganOf(o)) }

// between is how many nanoseconds lie between two instants, the most there can be where one is not known.
func between(a, b Instant) int64 {
	if !a.known || !b.known {
		return 1<<63 - 1
	}
	if a.ns > b.ns {
		return a.ns - b.ns
	}
	return b.ns - a.ns
}

func beganOf(s *Subject) Instant {
	var t Instant
	for _, e := range s.Evidence {
		t = Earliest(t, s.Contract.Began(e.Record))
		for _, a := range e.Record.Attempts {
			t = Earliest(t, a.At)
		}
	}
	return t
}
