package reconcile

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Gap is what a restore took of a store's writes: declared, or inferred from the witnesses of other sources. An inferred one is a proposal: nothing is
// concluded from it until a person confirms it.
type Gap struct {
	Store    string
	Kind     EventKind
	From     Instant // declared: the instant of the backup; inferred: the last witness before the loss. Unknown = open
	To       Instant // declared: when writing began again; inferred: the first witness after the loss. Unknown = open
	Only     map[string][]string
	Declared bool
	Missing  int64      // witnesses that lack their counterpart in the store
	Present  int64      // rows of the store that stand in it
	Slices   []GapSlice // what proves it, in order of time
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

// Corrects reports whether an event takes the place of an earlier one: of the same part of one store, at a time that both mean.
func (e *Event) Corrects(old *Event) bool {
	same := e.Store == old.Store && maps.EqualFunc(e.Only, old.Only, slices.Equal)
	return same && !e.From.After(old.To.Or(old.ResumedAt)) && !old.From.After(e.To.Or(e.ResumedAt))
}

// Text says in words what the event is and when it was.
func (e *Event) Text() string {
	out := e.Store + ", " + e.Kind.String()
	g := Gap{Only: e.Only}
	out += g.Where()
	if e.From.known {
		out += ", from " + stamp(e.From)
	}
	if to := e.To.Or(e.ResumedAt); to.known {
		out += " to " + stamp(to)
	}
	return out
}

func gapName(store string, from Instant, only map[string][]string) string {
	at := "open"
	if from.known {
		at = stamp(from)
	}
	name := store + "@" + at
	for _, c := range slices.Sorted(maps.Keys(only)) {
		name += "/" + c + "=" + spelled(only[c])
	}
	return name
}

// spelled lists values; one that is not UTF-8 is quoted, so that whatever holds it as text keeps it.
func spelled(values []string) string {
	out := make([]string, len(values))
	for i, v := range values {
		if out[i] = v; !utf8.ValidString(v) {
			out[i] = strconv.Quote(v)
		}
	}
	return strings.Join(out, ", ")
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

// inGap names the gap, declared or proposed, in which the store lost what a case lacks, or may: its receipt, the state of a receipt that is as of the backup, or
// its row. "" where there is none, or nothing tells when the action was done.
func (j *judging) inGap() string {
	switch r := j.orphan(); {
	case r != nil:
		return j.gapNameOf(RoleReceipt, r.CreatedAt.Or(j.began))
	case j.asOfRestore(), j.lapsed() != nil, len(j.receipts) == 0:
		if name := j.gapNameOf(RoleReceipt, j.began); name != "" || !j.rowMayBeLost() {
			return name
		}
		return j.gapNameOf(RoleEffect, j.began)
	}
	if r := j.receiptWithout(); r != nil {
		return j.gapNameOf(RoleEffect, j.c.Began(r))
	}
	return ""
}

// alsoInGap names the gap of the rows that may have taken the row too of an action whose receipt another gap holds.
func (j *judging) alsoInGap() string {
	open := slices.ContainsFunc(j.legs, func(l Leg) bool { return l.Name == LegLocal && (l.State == LegUndetermined || l.State == LegLost) })
	if j.out.InGap == "" || !open {
		return ""
	}
	if name := j.gapNameOf(RoleEffect, j.began); name != j.out.InGap {
		return name
	}
	return ""
}

// rowMayBeLost reports whether only a restore of the rows keeps the local leg open.
func (j *judging) rowMayBeLost() bool {
	return slices.ContainsFunc(j.legs, func(l Leg) bool { return l.Name == LegLocal && l.State == LegUndetermined && l.Code == "restore-gap" })
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

// Where says which part of its store a gap concerns, with a blank before it; "" for the whole.
func (g *Gap) Where() string {
	out := ""
	for _, c := range slices.Sorted(maps.Keys(g.Only)) {
		out += ", " + c + " " + spelled(g.Only[c])
	}
	if out == "" {
		return ""
	}
	return " (" + out[2:] + ")"
}
