package reconcile

import (
	"maps"
	"slices"
	"strings"
)

// Gap is what a restore took of a store's writes: declared, or inferred from the witnesses of other sources. An inferred one is a proposal: nothing is
// concluded from it until a person confirms it.
type Gap struct {
	Store     string
	Kind      EventKind
	From      Instant // declared: the instant of the backup; inferred: the last witness before the loss. Unknown = open
	To        Instant // declared: when writing began again; inferred: the first witness after the loss. Unknown = open
	Only      map[string][]string
	Declared  bool
	Missing   int64      // witnesses that lack their counterpart in the store
	Present   int64      // rows of the store that stand in it
	Slices    []GapSlice // what proves it, in order of time
	Witnesses []string   // names of the sources that show it
}

// GapSlice counts the witnesses of a slice of time by whether the store has their counterpart.
type GapSlice struct {
	From, To      Instant
	With, Without int64
}

// Name tells a gap from every other of a scan, in one word.
func (g *Gap) Name() string { return gapName(g.Store, g.From, g.Only) }

// Name is the name of the gap that the event left.
func (e *Event) Name() string { return gapName(e.Store, e.From, e.Only) }

// Event is the gap as an event that can be declared.
func (g *Gap) Event() Event {
	return Event{Store: g.Store, Kind: g.Kind, From: g.From, To: g.To, Only: g.Only}
}

func gapName(store string, from Instant, only map[string][]string) string {
	at := "open"
	if from.known {
		at = stamp(from)
	}
	name := store + "@" + at
	for _, c := range slices.Sorted(maps.Keys(only)) {
		name += "/" + c + "=" + strings.Join(only[c], ",")
	}
	return name
}

// gapOf returns the restore of one of the places in whose gap the instant lies, nil when none is known to.
func (j *judging) gapOf(places []*SourceFacts, at Instant) *Event {
	if !at.known {
		return nil
	}
	for i := range j.w.Events {
		ev := &j.w.Events[i]
		if !slices.ContainsFunc(places, func(f *SourceFacts) bool { return f.Name == ev.Store }) || !j.eventConcerns(ev) {
			continue
		}
		from, to := j.edges(ev)
		if !at.Before(from) && !at.After(to) {
			return ev
		}
	}
	return nil
}

// inGap names the gap, declared or proposed, in which the store lost what a case lacks: its receipt, the state of a receipt that is as of the backup, or its
// row. "" where there is none, or nothing tells when the action was done.
func (j *judging) inGap() string {
	switch r := j.orphan(); {
	case r != nil:
		return j.gapNameOf(RoleReceipt, r.CreatedAt.Or(j.began))
	case j.asOfRestore(), len(j.receipts) == 0:
		return j.gapNameOf(RoleReceipt, j.began)
	}
	if r := j.receiptWithout(); r != nil {
		return j.gapNameOf(RoleEffect, j.c.Began(r))
	}
	return ""
}

func (j *judging) gapNameOf(role Role, at Instant) string {
	places := j.places(role, true)
	if ev := j.gapOf(places, at); ev != nil {
		return ev.Name()
	}
	for i := range j.w.Gaps {
		g := &j.w.Gaps[i]
		ev := g.Event()
		from, to := j.edges(&ev)
		if slices.ContainsFunc(places, func(f *SourceFacts) bool { return f.Name == g.Store }) && j.eventConcerns(&ev) && at.known && !at.Before(from) && !at.After(to) {
			return g.Name()
		}
	}
	return ""
}
