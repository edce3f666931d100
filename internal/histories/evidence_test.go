package histories_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"example.com/idemctl/internal/histories"
	"example.com/idemctl/internal/reconcile"
)

// TestOrderAndRepetitionChangeNothing shuffles the records and reads some of them twice.
func TestOrderAndRepetitionChangeNothing(t *testing.T) {
	t.Parallel()
	every(t, 400, func(h *histories.History, wrong func(string, ...any)) {
		want := conclusions(judge(h, h.Records, &h.World))
		rng := rand.New(rand.NewPCG(uint64(len(h.Records)), 3))
		again := slices.Clone(h.Records)
		for _, r := range h.Records {
			if rng.IntN(3) == 0 {
				again = append(again, r.Clone())
			}
		}
		rng.Shuffle(len(again), func(i, k int) { again[i], again[k] = again[k], again[i] })
		if got := conclusions(judge(h, again, &h.World)); got != want {
			wrong("the order or repetition of records changed\n%s\nto\n%s", want, got)
		}
	})
}

// conclusions is all that a reader would see, in the order of case ids.
func conclusions(vs []verdict) string {
	var b strings.Builder
	for _, v := range vs {
		pending := make(map[string]bool) // by what it is: of two equal lines either may be named
		for _, p := range v.j.Pending {
			pending[p.What] = true
		}
		fmt.Fprintf(&b, "%s %s %s %v %s %v %s %v %v %d %d %d\n", v.s.ID, v.j.Digest, v.j.Class, v.j.Kinds, v.j.Executed, v.j.Legs, v.j.RetryNow, v.j.Exposure, pending,
			len(v.s.Candidates)+v.s.MoreCands, len(v.s.Twins)+v.s.MoreTwins, len(v.s.Clashes))
		for _, o := range v.j.Options {
			fmt.Fprintf(&b, "%s %s %s;", o.Decision, o.As, o.Code)
		}
	}
	return b.String()
}

// TestEveryRecordIsCountedOnce looks for each record in the subjects.
func TestEveryRecordIsCountedOnce(t *testing.T) {
	t.Parallel()
	every(t, 400, func(h *histories.History, wrong func(string, ...any)) {
		seen := make(map[*reconcile.Record]int)
		ids := make(map[string]bool)
		for _, v := range judge(h, h.Records, &h.World) {
			if ids[v.s.ID] {
				wrong("two subjects share the id %s", v.s.ID)
			}
			ids[v.s.ID] = true
			if (v.j.Class == reconcile.ClassCase) != (len(v.j.Kinds) > 0) {
				wrong("%s with the kinds %v", v.j.Class, v.j.Kinds)
			}
			for _, e := range v.s.Evidence {
				if !e.Shared {
					seen[e.Record]++
				}
			}
		}
		for _, r := range h.Records {
			if seen[r] != 1 {
				wrong("%s:%s is in %d subjects", r.Source, r.Locator, seen[r])
			}
		}
	})
}

// TestAFailingSourceProvesNothing hides each source in turn: whole, or from somewhere in its middle. What remains is still true, no absence is found that was
// not found before, and where a source only stops to prove, no "no" appears.
func TestAFailingSourceProvesNothing(t *testing.T) {
	t.Parallel()
	every(t, 400, func(h *histories.History, wrong func(string, ...any)) {
		all := judge(h, h.Records, &h.World)
		before, kinds := byID(all), make(map[*reconcile.Record][]reconcile.Kind)
		for _, v := range all {
			for _, e := range v.s.Evidence {
				kinds[e.Record] = v.j.Kinds
			}
		}
		for i := range h.World.Sources {
			name := h.World.Sources[i].Name
			for cut := range 2 {
				w := without(h, i, "cut short")
				for _, v := range judge(h, kept(h.Records, name, cut), &w) {
					checkHidden(h, v, kinds, name, wrong)
				}
			}
			w := h.World
			w.Sources = slices.Clone(h.World.Sources)
			w.Sources[i].Coverage.Proves = false
			for id, v := range byID(judge(h, h.Records, &w)) {
				if was := before[id]; v.j.Executed == reconcile.ExecutedNo && was.j.Executed != reconcile.ExecutedNo {
					wrong("%s proves nothing, and a no appears: %v, which was %v", name, v, was)
				}
			}
		}
	})
}

// TestMoreEvidenceNamesWhatContradicts takes one record away, and puts it back: what was known without it stays known, or what the record adds says why not.
func TestMoreEvidenceNamesWhatContradicts(t *testing.T) {
	t.Parallel()
	var opened atomic.Int64
	t.Run("histories", func(t *testing.T) {
		every(t, 400, func(h *histories.History, wrong func(string, ...any)) {
			full := byID(judge(h, h.Records, &h.World))
			for _, r := range h.Records {
				rest := slices.DeleteFunc(slices.Clone(h.Records), func(o *reconcile.Record) bool { return o == r })
				for id, less := range byID(judge(h, rest, &h.World)) {
					more, same := full[id]
					known := less.j.Executed == reconcile.ExecutedYes || less.j.Executed == reconcile.ExecutedNo
					if !same || !known || more.j.Executed != reconcile.ExecutedUndetermined {
						continue
					}
					if opened.Add(1); !saysWhy(more, less) {
						wrong("with %s:%s unknown, without it known: %v, which was %v", r.Source, r.Locator, more, less)
					}
				}
			}
		})
	})
	if opened.Load() < 20 {
		t.Errorf("what was known became unknown %d times only: too few to say something", opened.Load())
	}
}

// saysWhy reports whether a subject that became undetermined names a fact that it did not before: another claimant, a candidate, something that may still act,
// an event told otherwise, or what makes each open leg as old as a backup or too young.
func saysWhy(more, less verdict) bool {
	open := func(c reconcile.Clash) bool { return c.Open }
	if slices.ContainsFunc(more.s.Clashes, open) && !slices.ContainsFunc(less.s.Clashes, open) {
		return true
	}
	if slices.ContainsFunc(more.s.Candidates, func(c reconcile.Candidate) bool {
		return !slices.ContainsFunc(less.s.Candidates, func(l reconcile.Candidate) bool { return l.Case == c.Case })
	}) {
		return true
	}
	if slices.ContainsFunc(more.j.Pending, func(p reconcile.Pending) bool { return !slices.Contains(less.j.Pending, p) }) {
		return true
	}
	facts := []string{"as-of-restore", "receipt-gone", "young", "provider-open", "provider-unclear", "row-pending"}
	return !slices.ContainsFunc(more.j.Legs, func(l reconcile.Leg) bool {
		return l.State == reconcile.LegUndetermined && !slices.Contains(facts, l.Code)
	})
}

func byID(vs []verdict) map[string]verdict {
	out := make(map[string]verdict)
	for _, v := range vs {
		out[v.s.ID] = v
	}
	return out
}

// without is the world in which a source was not read as far as it was declared to reach.
func without(h *histories.History, i int, reason string) reconcile.World {
	w := h.World
	w.Sources = slices.Clone(h.World.Sources)
	c := &w.Sources[i].Coverage
	c.Complete, c.Proves, c.Reason = false, false, reason
	return w
}

// kept leaves out a source's records: all of them, or every second.
func kept(records []*reconcile.Record, source string, cut int) []*reconcile.Record {
	n := 0
	return slices.DeleteFunc(slices.Clone(records), func(r *reconcile.Record) bool {
		if r.Source != source {
			return false
		}
		n++
		return cut == 0 || n%2 == 0
	})
}

// checkHidden compares with the kinds of the cases in which a record stood before: without what joined it to its action it is a subject of its own.
func checkHidden(h *histories.History, v verdict, before map[*reconcile.Record][]reconcile.Kind, source string, wrong func(string, ...any)) {
	if id, ok := v.id(); ok {
		checkVerdict(v, h.Truth[id], func(format string, args ...any) { wrong("without "+source+": "+format, args...) })
	}
	for _, k := range v.j.Kinds {
		if reconcile.Findings[k].Absence && !slices.ContainsFunc(v.s.Evidence, func(e reconcile.Evidence) bool { return slices.Contains(before[e.Record], k) }) {
			wrong("without %s there is a %s: %v", source, k, v)
		}
	}
}
