package reconcile

import (
	"cmp"
	"slices"
	"strings"
)

// RelateTwins fills Twins of each subject from the others: another action with the same twin text, begun inside the retry window of the other, whatever its
// state. The nearest MaxCandidates in time are named. Where a subject has several texts, those that are not named are counted by the one that most share.
func RelateTwins(subjects []*Subject, w *World) {
	groups, like := make(map[string]*twinGroup), &likes{w: w, received: make(map[string]*twinGroup)}
	texts, seats := make([][]string, len(subjects)), make([]twinSeat, len(subjects))
	for i, s := range subjects {
		if texts[i] = twinTexts(s, w); len(texts[i]) > 0 {
			seats[i] = twinSeat{s, beganOf(s)}
		}
		for _, text := range texts[i] {
			if groups[text] == nil {
				groups[text] = &twinGroup{}
			}
			groups[text].seats = append(groups[text].seats, seats[i])
			if made := madeAt(s); made.known && len(s.Contract.Actor) > 0 {
				if like.received[text] == nil {
					like.received[text] = &twinGroup{}
				}
				like.received[text].seats = append(like.received[text].seats, twinSeat{s, made})
			}
		}
	}
	for _, g := range groups {
		g.sort()
	}
	for _, g := range like.received {
		g.sort()
	}
	like.begun = groups
	for i, s := range subjects {
		most := 0
		var near []twinSeat
		for _, text := range texts[i] {
			found, count := groups[text].near(seats[i])
			near, most = append(near, found...), max(most, count)
		}
		for _, o := range nearest(seats[i], near) {
			s.Twins, _ = addNear(s, o.s, s.Twins, 0, "same scope and request under another key", 0)
		}
		s.MoreTwins = max(0, most-len(s.Twins))
		if s.Contract != nil && len(s.Contract.Actor) > 0 {
			like.likeIntents(s, texts[i])
			like.likeEffects(s)
		}
	}
}

// twinSeat is a subject and when it began.
type twinSeat struct {
	s     *Subject
	began Instant
}

// compare orders seats by time, those of unknown time last, then by case id.
func (t twinSeat) compare(o twinSeat) int {
	switch {
	case t.began.known != o.began.known && t.began.known:
		return -1
	case t.began.known != o.began.known:
		return 1
	}
	return cmp.Or(cmp.Compare(t.began.ns, o.began.ns), strings.Compare(t.s.ID, o.s.ID))
}

// twinGroup is the subjects of one twin text.
type twinGroup struct {
	seats []twinSeat // by time
	timed int        // how many of them know it
	byID  []twinSeat // the first few by case id
}

func (g *twinGroup) sort() {
	slices.SortFunc(g.seats, func(a, b twinSeat) int { return strings.Compare(a.s.ID, b.s.ID) })
	g.byID = slices.Clone(g.seats[:min(len(g.seats), MaxCandidates+1)])
	slices.SortFunc(g.seats, twinSeat.compare)
	g.timed = g.find(twinSeat{s: &Subject{}})
}

// find returns where a seat stands or would stand.
func (g *twinGroup) find(t twinSeat) int {
	n, _ := slices.BinarySearchFunc(g.seats, t, twinSeat.compare)
	return n
}

// before returns where seats of a time begin.
func (g *twinGroup) before(t Instant) int { return g.find(twinSeat{&Subject{}, t}) }

// near returns the seats among which the nearest to a member are, and how many twins it has in the group. How far a time that is not known is away is not
// known either: it may be inside the window.
func (g *twinGroup) near(t twinSeat) (found []twinSeat, count int) {
	if !t.began.known {
		return g.byID, len(g.seats) - 1
	}
	lo, hi := 0, g.timed
	if window := t.s.Contract.RetryWindow; window.Valid {
		lo, hi = g.before(t.began.Add(-window.D)), min(hi, g.before(t.began.Add(window.D+1)))
	}
	some := func(from, to int) {
		found = append(found, g.seats[from:min(to, from+MaxCandidates+1)]...)
	}
	here, after := g.before(t.began), min(hi, g.before(t.began.Add(1)))
	some(here, after)
	for left, met := here, 0; left > lo && met < MaxCandidates; {
		from := max(lo, g.before(g.seats[left-1].began)) // all of one time: the first of them by case id
		some(from, left)
		met, left = met+left-from, from
	}
	some(after, hi)
	some(g.timed, len(g.seats))
	return found, hi - lo + len(g.seats) - g.timed - 1
}

// nearest keeps the nearest few of the seats that are not the subject's own.
func nearest(t twinSeat, seats []twinSeat) []twinSeat {
	seats = slices.DeleteFunc(slices.Clone(seats), func(o twinSeat) bool { return o.s.ID == t.s.ID })
	slices.SortFunc(seats, func(a, b twinSeat) int {
		return cmp.Or(cmp.Compare(between(t.began, a.began), between(t.began, b.began)), strings.Compare(a.s.ID, b.s.ID))
	})
	seats = slices.CompactFunc(seats, func(a, b twinSeat) bool { return a.s.ID == b.s.ID })
	return seats[:min(len(seats), MaxCandidates)]
}

// TwinText appends the bytes that two twins share: scope without key, actor, and fingerprint or canonical parameters. ok is false where they are not
// mapped: then twins are not judged. A fingerprint that no declaration makes comparable is compared within its own source only.
func TwinText(buf []byte, c *Contract, r *Record, f *SourceFacts) (text []byte, ok bool) {
	buf = append(buf, c.Name...)
	for _, name := range c.Scope {
		if name == "key" || slices.Contains(c.Free, name) {
			continue
		}
		v := r.Component(name)
		if !v.known {
			return buf, false
		}
		buf = c.appendComponent(buf, name, v)
	}
	for _, name := range c.Actor {
		v := r.Field(name)
		if !v.known {
			return buf, false
		}
		buf = c.appendComponent(buf, name, v)
	}
	return appendRequest(buf, c, r, f)
}

// appendRequest appends what a record says of its request: a fingerprint that is declared comparable, else its parameters, which every kind of source can hold,
// else a fingerprint that is compared within its own source only. Parameters that are no JSON are compared as they stand.
func appendRequest(buf []byte, c *Contract, r *Record, f *SourceFacts) ([]byte, bool) {
	spec := c.Fingerprint
	if f != nil && f.Fingerprint != nil {
		spec = f.Fingerprint
	}
	switch {
	case r.Fingerprint.known && spec != nil:
		buf = append(buf, "\x00fp:"+spec.Algorithm+"\x00"+strings.Join(spec.Over, "\x00")...)
		return append(append(buf, byte(spec.Version)), r.Fingerprint.text...), true
	case r.Params.known && c.Params != nil:
		buf = append(buf, "\x00params:"...)
		if canon, err := Canonical(r.Params.text, c.Params); err == nil {
			return append(buf, canon...), true
		}
		return append(append(buf, "\x00as-it-stands:"...), r.Params.text...), true
	case r.Fingerprint.known:
		return append(append(buf, "\x00own:"+r.Source...), r.Fingerprint.text...), true
	}
	return buf, false
}

func twinTexts(s *Subject, w *World) []string {
	if s.Contract == nil || !keyOf(s.Identity).known {
		return nil
	}
	var out []string
	for _, e := range s.Evidence {
		if text, ok := TwinText(nil, s.Contract, e.Record, w.Source(e.Record.Source)); ok && !slices.Contains(out, string(text)) {
			out = append(out, string(text))
		}
	}
	return out
}
