package reconcile

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"
	"strings"
)

// The bounds by which a stretch of lacking records is proposed as a restore gap. They are chosen so that rows which never had a receipt (a launch, an import,
// a back office), quiet hours, and a store that evicts are never called one.
const (
	lossLeast   = 5  // actions that lack their record in the stretch
	lossOneIn   = 20 // of the actions of the stretch at most one in so many has one
	keptLeast   = 4  // actions before it that have theirs
	lossBits    = 20 // the stretch is by chance rarer than one in 2^20 for every place where it could lie
	nearRatio   = 2  // that also holds against so many times its actions on either side
	crowdRatio  = 4  // its witnesses come no faster than so many times those before it and in all
	agreedOneIn = 10 // unless for all but one in so many, several sources tell of it: rows that are put in at once stand in one store alone
	paceRatio   = 8  // and the silence before it is no longer than so many times what lies between them
	paceFloor   = 10 // seconds of silence that are none
	paceSample  = 9  // actions before it by which the pace is measured
	mostGaps    = 8  // per store, and per partition of one
	shownSlices = 24
)

// Gaps lists what the counters say: the declared restores of the world with the slices that show them, in their order, then the stretches that are proposed.
func (w *Witnesses) Gaps() []Gap {
	declared := make([]Gap, len(w.world.Events))
	for i, ev := range w.world.Events {
		declared[i] = Gap{Store: ev.Store, Kind: ev.Kind, From: ev.From, To: ev.To.Or(ev.ResumedAt), Only: ev.Only, Declared: true}
	}
	var proposed []Gap
	for _, s := range w.stores {
		for _, e := range s.events {
			declared[e.event].Slices = e.within.shown(e.within.span)
		}
		proposed = append(proposed, w.proposals(s)...)
	}
	return append(declared, proposed...)
}

func (w *Witnesses) proposals(s *witnessed) []Gap {
	var parts []partLoss
	for n := range s.parts {
		for _, l := range s.parts[n].losses() {
			if l.after != 0 && s.whole.keptIn(l.first, l.last) {
				parts = append(parts, partLoss{l, []int{n}})
			}
		}
	}
	whole := slices.DeleteFunc(s.whole.losses(), func(l loss) bool {
		return slices.ContainsFunc(parts, func(p partLoss) bool { return p.exceeds(l) })
	})
	parts = slices.DeleteFunc(parts, func(p partLoss) bool { return slices.ContainsFunc(whole, p.overlaps) })
	var out []Gap
	for _, l := range whole {
		out = append(out, s.gap(&s.whole, l, nil))
	}
	slices.SortFunc(parts, func(a, b partLoss) int { // partitions are numbered as they were met
		return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.last, b.last), cmp.Compare(w.partText(a.parts[0]), w.partText(b.parts[0])))
	})
	for _, p := range w.merge(parts) {
		one := &s.parts[p.parts[0]]
		sum := timeline{span: one.span, width: one.width}
		for _, n := range p.parts {
			sum.join(&s.parts[n])
		}
		out = append(out, s.gap(&sum, p.loss, w.only(p.parts)))
	}
	slices.SortFunc(out, func(a, b Gap) int { return cmpInstant(a.From, b.From) })
	return out
}

// keptIn reports whether some action of a stretch has its record: without, what a partition lost is what all of them lost.
func (t *timeline) keptIn(first, last int64) bool {
	for i := (first - t.span.from) / t.width; i < int64(len(t.cells)) && t.span.from+i*t.width <= last; i++ {
		if c := &t.cells[i]; c.with > 0 && int64(c.lastWith) >= first && int64(c.firstWith) <= last {
			return true
		}
	}
	return false
}

func (s *witnessed) gap(t *timeline, l loss, only map[string][]string) Gap {
	g := Gap{Store: s.facts.Name, From: AtUnix(l.before * 1e9), Missing: l.lack, Present: l.with, Only: only}
	end := l.last
	if l.after != 0 {
		g.To, end = AtUnix(l.after*1e9), l.after
	}
	if len(only) > 0 {
		g.Kind = EventPartial
	}
	g.Slices = t.shown(around(timeSpan{l.before, end}))
	return g
}

// around widens a span by half its length on either side.
func around(s timeSpan) timeSpan {
	wide := max(1, (s.to-s.from)/2)
	return timeSpan{from: max(0, s.from-wide), to: s.to + wide}
}

// shown sums the slices of a span up to what a person looks at.
func (t *timeline) shown(span timeSpan) []GapSlice {
	if t.cells == nil {
		return nil
	}
	span.from, span.to = max(span.from, t.span.from), min(span.to, t.span.to)
	width := max(t.width, widthOf(span, shownSlices))
	if rest := width % t.width; rest > 0 {
		width += t.width - rest
	}
	var out []GapSlice
	for i := (span.from - t.span.from) / t.width; i < int64(len(t.cells)); {
		from := t.span.from + i*t.width
		if from > span.to {
			break
		}
		s := GapSlice{From: AtUnix(from * 1e9), To: AtUnix((from + width) * 1e9)}
		for end := min(i+width/t.width, int64(len(t.cells))); i < end; i++ {
			s.With, s.Without = s.With+int64(t.cells[i].with), s.Without+int64(t.cells[i].lack)
		}
		out = append(out, s)
	}
	return out
}

// join adds another timeline of the same slices.
func (t *timeline) join(o *timeline) {
	if t.cells == nil {
		t.cells = make([]cell, len(o.cells))
	}
	for i := range o.cells {
		t.cells[i].with += o.cells[i].with
		t.cells[i].lack += o.cells[i].lack
		t.cells[i].agreed += o.cells[i].agreed
	}
}

// run is a stretch of time in which the actions have their record, or lack it, or which nothing here divides further.
type run struct {
	with, lack int64
	agreed     int64
	from, to   int64 // the first and last of them
	lastWith   int64
	firstWith  int64
}

// runs divides the timeline at the slices where it changes. A slice in which all that have their record come before all that lack it, or after, is two runs.
func (t *timeline) runs() []run {
	var out []run
	for i := range t.cells {
		c := &t.cells[i]
		kept := run{with: int64(c.with), from: int64(c.firstWith), to: int64(c.lastWith), firstWith: int64(c.firstWith), lastWith: int64(c.lastWith)}
		lost := run{lack: int64(c.lack), agreed: int64(c.agreed), from: int64(c.firstLack), to: int64(c.lastLack)}
		switch {
		case c.with == 0 && c.lack == 0:
		case c.lack == 0:
			out = append(out, kept)
		case c.with == 0:
			out = append(out, lost)
		case c.lastWith < c.firstLack:
			out = append(out, kept, lost)
		case c.lastLack < c.firstWith:
			out = append(out, lost, kept)
		default:
			kept.lack, kept.agreed, kept.from, kept.to = lost.lack, lost.agreed, min(kept.from, lost.from), max(kept.to, lost.to)
			out = append(out, kept)
		}
	}
	return out
}

// loss is a stretch in which about all actions lack their record.
type loss struct {
	lack, with    int64
	agreed        int64 // of those that lack it, those of which several sources tell
	first, last   int64 // of those that lack it
	before, after int64 // the last before and the first after that have theirs; after 0 = none since
}

func (l loss) overlaps(o loss) bool {
	return (o.after == 0 || l.first <= o.after) && (l.after == 0 || o.first <= l.after)
}

// exceeds reports whether a loss has all that another has, and more on either side: where others interrupt it, what one partition lost looks shorter in all.
func (l loss) exceeds(o loss) bool { return l.first <= o.first && l.last >= o.last && l.lack > o.lack }

// losses finds the stretches, each in what the ones before it have left.
func (t *timeline) losses() []loss {
	all := t.runs()
	var out []loss
	type stretch struct{ from, to int }
	todo := []stretch{{0, len(all)}}
	for len(todo) > 0 && len(out) < mostGaps {
		s := todo[0]
		todo = todo[1:]
		from, to := heaviest(all[s.from:s.to])
		if from == to {
			continue
		}
		from, to = s.from+from, s.from+to
		l, ok := judgeLoss(all, from, to)
		if ok {
			out = append(out, l)
		}
		if l.lack >= lossLeast {
			todo = append(todo, stretch{s.from, from}, stretch{to, s.to})
		}
	}
	return out
}

// heaviest is the stretch in which most lack their record, where one that has it weighs as much as lossOneIn that lack it.
func heaviest(rs []run) (from, to int) {
	var best, sum int64
	start := 0
	for i := range rs {
		if sum <= 0 {
			sum, start = 0, i
		}
		if sum += rs[i].lack - lossOneIn*rs[i].with; sum > best {
			best, from, to = sum, start, i+1
		}
	}
	return from, to
}

// judgeLoss says whether a stretch is a loss: enough lack their record, more than chance explains, those before it have theirs, and its witnesses are the
// traffic that was there before, neither a crowd that came at once nor one that began after a silence.
func judgeLoss(all []run, from, to int) (l loss, ok bool) {
	l.first = all[from].from
	var kept, other int64
	for i := range all {
		r := &all[i]
		switch {
		case i >= from && i < to:
			l.lack, l.with, l.agreed = l.lack+r.lack, l.with+r.with, l.agreed+r.agreed
			if r.lack > 0 {
				l.last = r.to
			}
		case i < from && r.with > 0:
			l.before = r.lastWith
			kept, other = kept+r.with, other+r.lack
		case i >= to && r.with > 0 && l.after == 0:
			l.after = r.firstWith
			kept, other = kept+r.with, other+r.lack
		default:
			kept, other = kept+r.with, other+r.lack
		}
	}
	if l.lack < lossLeast || l.before == 0 || kept < keptLeast || !beyondChance(l.lack, kept, other) {
		return l, false
	}
	if kept, other = near(all, from, to, nearRatio*l.lack); !beyondChance(l.lack, kept, other) {
		return l, false
	}
	return l, samePace(all, from, &l)
}

// near counts, on either side of a stretch, some of the actions that are nearest to it.
func near(all []run, from, to int, most int64) (kept, lack int64) {
	for i, n := from-1, int64(0); i >= 0 && n < most; i-- {
		kept, lack, n = kept+all[i].with, lack+all[i].lack, n+all[i].with+all[i].lack
	}
	for i, n := to, int64(0); i < len(all) && n < most; i++ {
		kept, lack, n = kept+all[i].with, lack+all[i].lack, n+all[i].with+all[i].lack
	}
	return kept, lack
}

// beyondChance reports whether so many in a row lack their record far more rarely than elsewhere explains: in bits, of each that lacks it by what share lacks
// it elsewhere, against one for every place where the stretch could begin.
func beyondChance(lack, kept, other int64) bool {
	each := bits.Len64(uint64((kept+other+2)/(other+1))) - 1
	return each > 0 && lack*int64(each) >= lossBits+int64(bits.Len64(uint64(lack+kept+other)))
}

// samePace compares how far apart the actions of the stretch come with those before it, and the silence before it with both.
func samePace(all []run, from int, l *loss) bool {
	const fine = 1000
	var n, first int64
	for i := from - 1; i >= 0 && n < paceSample; i-- {
		if all[i].with > 0 {
			n, first = n+all[i].with, all[i].firstWith
		}
	}
	if n < keptLeast {
		return false
	}
	before := max(1, (l.before-first)*fine/(n-1))
	within := max(1, (l.last-l.first)*fine/max(1, l.lack-1))
	usual := before
	if span, count := keptPace(all); count > 1 {
		usual = min(usual, max(1, span*fine/(count-1)))
	}
	silence := (l.first - l.before) * fine
	crowd := within*crowdRatio < usual && l.agreed*agreedOneIn < l.lack*(agreedOneIn-1)
	return !crowd && silence <= max(paceFloor*fine, paceRatio*max(before, within))
}

// keptPace is over what time how many actions have their record.
func keptPace(all []run) (span, n int64) {
	var first, last int64
	for i := range all {
		if all[i].with == 0 {
			continue
		}
		if n == 0 {
			first = all[i].firstWith
		}
		last = all[i].lastWith
		n += all[i].with
	}
	return last - first, n
}

// partLoss is a loss of some partitions.
type partLoss struct {
	loss
	parts []int
}

func (w *Witnesses) partText(n int) string {
	var out []string
	for _, c := range w.parts[n] {
		out = append(out, c.Name, c.Value.String())
	}
	return strings.Join(out, "\x00")
}

// merge makes one loss of those that partitions have at one time, where their values alone say which they are.
func (w *Witnesses) merge(ps []partLoss) []partLoss {
	var out []partLoss
	for _, p := range ps {
		at := slices.IndexFunc(out, func(o partLoss) bool {
			return o.before <= p.first && p.before <= o.first && (o.after == 0 || p.after == 0 || (o.last <= p.after && p.last <= o.after))
		})
		if at < 0 || !w.nameable(append(slices.Clone(out[at].parts), p.parts...)) {
			out = append(out, p)
			continue
		}
		o := &out[at]
		o.parts = append(o.parts, p.parts...)
		o.lack, o.with, o.agreed, o.before = o.lack+p.lack, o.with+p.with, o.agreed+p.agreed, max(o.before, p.before)
		o.first, o.last = min(o.first, p.first), max(o.last, p.last)
		if o.after == 0 || (p.after != 0 && p.after < o.after) {
			o.after = p.after
		}
	}
	return out
}

// nameable reports whether no other partition has the values that these have together.
func (w *Witnesses) nameable(parts []int) bool {
	ev := Event{Only: w.only(parts)}
	for n := range w.parts {
		if !slices.Contains(parts, n) && w.concerned(&ev, n) {
			return false
		}
	}
	return true
}

// only lists the values of partitions, by component; one whose every known value is among them says nothing.
func (w *Witnesses) only(parts []int) map[string][]string {
	values := func(of []int) map[string][]string {
		out := make(map[string][]string)
		for _, n := range of {
			for _, c := range w.parts[n] {
				if c.Value.known && !slices.Contains(out[c.Name], c.Value.String()) {
					out[c.Name] = append(out[c.Name], c.Value.String())
				}
			}
		}
		return out
	}
	all := make([]int, len(w.parts))
	for i := range all {
		all[i] = i
	}
	every, out := values(all), values(parts)
	maps.DeleteFunc(out, func(name string, vs []string) bool { return len(vs) == len(every[name]) })
	for name := range out {
		slices.Sort(out[name])
	}
	return out
}
