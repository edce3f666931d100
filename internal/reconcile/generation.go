package reconcile

import (
	"cmp"
	"slices"
	"sort"
	"strconv"
	"time"
)

// making is one effective record with the generation that made it.
type making struct {
	r    *Record
	gen  int64
	at   Instant
	skew time.Duration
}

// makings lists the standing records that tell their generation, the service's rows before the provider's objects.
func (j *judging) makings() []making {
	var out []making
	add := func(r *Record, at Instant) {
		if r.Generation.Valid {
			out = append(out, making{r: r, gen: r.Generation.N, at: at, skew: j.skewOf(r)})
		}
	}
	for _, r := range slices.Concat(j.effects, j.copyEffects) {
		add(r, r.CreatedAt)
	}
	for _, o := range j.objectsIn(OutcomeSucceeded) {
		for _, r := range o.lines {
			if r.Generation.Valid {
				add(r, o.at)
				break
			}
		}
	}
	return out
}

// skewOf is by how much a record's times may be wrong.
func (j *judging) skewOf(r *Record) time.Duration {
	if f := j.w.Source(r.Source); f != nil {
		return max(f.Skew, r.Blur)
	}
	return r.Blur
}

// takeOver is a receipt line with the time at which its generation had certainly taken the action over.
type takeOver struct {
	r  *Record
	at Instant
}

// takeOvers lists, by generation, the receipt lines that tell when theirs had taken over: when it locked the receipt, or a later time at which it wrote. The
// time at which a line was made counts only where it is younger than every line of an older generation: a row that is written over keeps its first one.
func (j *judging) takeOvers() []takeOver {
	var lines []*Record
	for _, e := range j.s.Evidence {
		if r := e.Record; r.Role == RoleReceipt && r.Generation.Valid {
			lines = append(lines, r)
		}
	}
	byGeneration := func(a, b *Record) int { return cmp.Compare(a.Generation.N, b.Generation.N) }
	slices.SortStableFunc(lines, func(a, b *Record) int { return cmp.Or(cmp.Compare(a.Source, b.Source), byGeneration(a, b)) })
	var out []takeOver
	var older, same Instant // the youngest line of older generations, and of this one
	for i, r := range lines {
		switch {
		case i == 0 || lines[i-1].Source != r.Source:
			older, same = Instant{}, Instant{}
		case lines[i-1].Generation.N != r.Generation.N:
			older, same = Latest(older, same), Instant{}
		}
		same = Latest(same, r.CreatedAt)
		at := r.LockedAt.Or(r.UpdatedAt).Or(r.CompletedAt)
		if !at.known && r.CreatedAt.After(older) {
			at = r.CreatedAt
		}
		if at.known {
			out = append(out, takeOver{r, at.Add(j.skewOf(r))})
		}
	}
	slices.SortStableFunc(out, func(a, b takeOver) int { return byGeneration(a.r, b.r) })
	for i := len(out) - 2; i >= 0; i-- { // of all that are newer, the first counts
		if out[i+1].at.Before(out[i].at) {
			out[i] = takeOver{out[i+1].r, out[i+1].at}
		}
	}
	return out
}

// staleGeneration holds where a worker went on after another generation had taken over, or where two generations each left a record and the contract expects one.
// A generation that took over and found what the older one had made is a good take-over.
func staleGeneration(j *judging) (bool, []string, map[string]string) {
	made := j.makings()
	if len(made) == 0 {
		return false, nil, nil
	}
	taken := j.takeOvers()
	for _, m := range made {
		n := sort.Search(len(taken), func(i int) bool { return taken[i].r.Generation.N > m.gen })
		if n < len(taken) && m.at.After(taken[n].at.Add(m.skew)) {
			what := "the older one's worker still wrote " + ref(m.r) + ", at " + stamp(m.at)
			return true, []string{ref(m.r), ref(taken[n].r)}, generations(m.gen, taken[n].r.Generation.N, what)
		}
	}
	first, standing := make(map[string]making), j.standing()
	for _, m := range made {
		o, met := first[m.r.Source]
		switch {
		case !met:
			first[m.r.Source] = m
		case o.gen != m.gen && j.beyond(m.r.Source, standing[m.r.Source].n):
			if o.gen > m.gen {
				o, m = m, o
			}
			return true, []string{ref(o.r), ref(m.r)}, generations(o.gen, m.gen, "an effect of each stands")
		}
	}
	return false, nil, nil
}

func generations(older, newer int64, what string) map[string]string {
	return map[string]string{"older": strconv.FormatInt(older, 10), "newer": strconv.FormatInt(newer, 10), "what": what}
}
