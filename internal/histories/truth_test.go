package histories_test

import (
	"flag"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/idemctl/internal/histories"
	"example.com/idemctl/internal/reconcile"
)

var (
	amount = flag.Uint64("histories", 20_000, "how many pasts TestTruth judges")
	first  = flag.Uint64("first", 0, "the seed of the first of them")
)

// TestTruth judges many pasts and holds every verdict against what happened: nothing that was executed is called not executed, no replay that the guard
// allows doubles when it is carried out, no absence is found where a source hides the record; and the other way round, every fault that the stores show is
// named, and every replay that they show to be safe is allowed.
func TestTruth(t *testing.T) {
	t.Parallel()
	hands := uint64(runtime.GOMAXPROCS(0))
	tallies := make([]*tally, hands)
	began := time.Now()
	t.Run("histories", func(t *testing.T) {
		for hand := range hands {
			tallies[hand] = newTally()
			t.Run(fmt.Sprint(hand), func(t *testing.T) {
				t.Parallel()
				for seed := *first + hand; seed < *first+*amount; seed += hands {
					tallies[hand].judge(seed)
				}
			})
		}
	})
	all := newTally()
	for _, one := range tallies {
		all.add(one)
	}
	t.Logf("%d histories, seeds %d to %d, in %s\n%s", *amount, *first, *first+*amount-1, time.Since(began).Round(time.Second), all)
	for _, law := range slices.Sorted(maps.Keys(all.broken)) {
		b := all.broken[law]
		t.Errorf("%d times: %s\nfirst seed %d: %s\n%s", b.n, law, b.seed, b.text, notation(histories.Generate(b.seed)))
	}
	all.checkEnough(t)
}

// tally is what one hand has seen.
type tally struct {
	broken  map[string]*broken
	faults  map[string]*recall
	open    map[string]int // subjects left undetermined, by cause
	classes map[reconcile.Class]int
	met     []int // how often each hazard

	subjects, undetermined, replays, safe, carried, ruled int
}

// broken is a law that did not hold, with the least seed that shows it.
type broken struct {
	n    int
	seed uint64
	text string
}

// recall counts a fault: how often it happened, was determinable and found, and was found although the stores do not show it for certain.
type recall struct {
	happened, shown, found, more int
	hidden                       map[string]int
}

func newTally() *tally {
	return &tally{broken: make(map[string]*broken), faults: make(map[string]*recall), open: make(map[string]int), classes: make(map[reconcile.Class]int), met: make([]int, len(hazards))}
}

func (ta *tally) wrong(seed uint64, law, format string, args ...any) {
	b := ta.broken[law]
	if b == nil {
		b = &broken{seed: seed, text: fmt.Sprintf(format, args...)}
		ta.broken[law] = b
	}
	b.n++
}

func (ta *tally) add(o *tally) {
	for law, b := range o.broken {
		if mine := ta.broken[law]; mine == nil {
			ta.broken[law] = b
		} else {
			if mine.n += b.n; b.seed < mine.seed {
				mine.seed, mine.text = b.seed, b.text
			}
		}
	}
	for name, r := range o.faults {
		mine := ta.fault(name)
		mine.happened, mine.shown, mine.found, mine.more = mine.happened+r.happened, mine.shown+r.shown, mine.found+r.found, mine.more+r.more
		sum(mine.hidden, r.hidden)
	}
	sum(ta.open, o.open)
	sum(ta.classes, o.classes)
	for i, n := range o.met {
		ta.met[i] += n
	}
	ta.subjects, ta.undetermined, ta.replays = ta.subjects+o.subjects, ta.undetermined+o.undetermined, ta.replays+o.replays
	ta.safe, ta.carried, ta.ruled = ta.safe+o.safe, ta.carried+o.carried, ta.ruled+o.ruled
}

func sum[K comparable](to, from map[K]int) {
	for k, n := range from {
		to[k] += n
	}
}

func (ta *tally) fault(name string) *recall {
	if ta.faults[name] == nil {
		ta.faults[name] = &recall{hidden: make(map[string]int)}
	}
	return ta.faults[name]
}

// judge holds one past against all laws.
func (ta *tally) judge(seed uint64) {
	h := histories.Generate(seed)
	vs := judge(h, h.Records, &h.World)
	holder, named := make(map[*reconcile.Record]verdict), make(map[histories.Identity]verdict)
	for _, v := range vs {
		for _, e := range v.s.Evidence {
			holder[e.Record] = v
		}
		if id, ok := v.id(); ok {
			named[id] = v
		}
		ta.count(v)
		ta.sound(seed, h, v)
	}
	for _, f := range h.Faults {
		v, ok := named[f.ID]
		if f.At != nil {
			v, ok = holder[f.At], true
		}
		ta.recall(seed, f, v, ok)
	}
	ta.rules(seed, h, named)
	for _, id := range h.Safe {
		if ta.safe++; !named[id].allowed(reconcile.DecideReplay, reconcile.ResolutionNone) {
			ta.wrong(seed, "a safe replay is refused", "%v %s", named[id], named[id].answer(reconcile.DecideReplay))
		}
	}
}

// rules looks whether a retry that the database refuses is said to be refused.
func (ta *tally) rules(seed uint64, h *histories.History, named map[histories.Identity]verdict) {
	for _, id := range h.Ruled {
		if v := named[id]; v.j == nil || v.j.RetryNow != reconcile.RetryRefusedByRule {
			ta.wrong(seed, "a rule of the database is not seen", "%v %v", id, v)
		} else {
			ta.ruled++
		}
	}
}

func (ta *tally) count(v verdict) {
	ta.subjects++
	ta.classes[v.j.Class]++
	if v.j.Executed != reconcile.ExecutedUndetermined {
		return
	}
	ta.undetermined++
	for _, l := range v.j.Legs {
		if l.State == reconcile.LegUndetermined {
			ta.open[l.Name.String()+" "+l.Code]++
			return
		}
	}
	ta.open["something is pending"]++
}

// sound holds a verdict against the truth.
func (ta *tally) sound(seed uint64, h *histories.History, v verdict) {
	wrong := func(format string, args ...any) {
		law := strings.TrimSuffix(format[:strings.Index(format, ": %v")], ": %v")
		ta.wrong(seed, law, format, args...)
	}
	checkLinks(h, v, wrong)
	checkAbsence(h, v, wrong)
	id, ok := v.id()
	if !ok {
		if slices.ContainsFunc(v.j.Legs, func(l reconcile.Leg) bool { return l.State == reconcile.LegYes }) {
			checkVerdict(v, h.Truth[h.Owner[v.s.Evidence[0].Record]], func(format string, args ...any) { wrong("a record without key: "+format, args...) })
		} // what is void or failed speaks of that record alone
		return
	}
	checkVerdict(v, h.Truth[id], wrong)
	if v.j.Legs[len(v.j.Legs)-1] == (reconcile.Leg{Name: reconcile.LegOutbox, State: reconcile.LegYes, Code: "message-confirmed"}) && h.Service.Mail && h.Truth[id].Done.Remote == 0 {
		wrong("leg outbox yes, but it was never delivered: %v", v)
	}
	ta.meet(newAction(h, id, v), wrong)
	if v.allowed(reconcile.DecideReplay, reconcile.ResolutionNone) {
		ta.replays++
		for _, after := range []time.Duration{time.Second, 50 * time.Minute} {
			ta.carried++
			without, with := h.Replay(id, after)
			if with.Local > max(1, without.Local) || with.Remote > max(1, without.Remote) {
				wrong("an allowed replay doubles: %v: after %s it makes %+v of %+v", v, after, with, without)
			}
		}
	}
	switch v.j.RetryNow {
	case reconcile.RetryReplays, reconcile.RetryConflicts, reconcile.RetryWaits, reconcile.RetryRefusedByRule:
		if seed%8 != 0 && v.j.Class == reconcile.ClassMatched {
			return // the plainest are lived again now and then only
		}
		if v.j.RetryNow == reconcile.RetryConflicts && len(h.World.Events) > 0 {
			return // which of two requests comes again is not known where the book of the clients lost one
		}
		without, with := h.Replay(id, 0)
		if v.j.RetryNow == reconcile.RetryRefusedByRule && with.Local <= without.Local && with.Remote <= without.Remote {
			return // who is refused may have taken the key from a worker that slept, which then does less than it would have
		}
		if with != without {
			wrong("a retry "+v.j.RetryNow.String()+", yet it executes: %v: it makes %+v of %+v", v, with, without)
		}
	case reconcile.RetryUnknown, reconcile.RetryTakenOver, reconcile.RetryExecutes, reconcile.RetryExecutesAgain, reconcile.RetryMightExecuteAgain:
	}
}

// lacking names the source in which a kind says that something is missing.
var lacking = map[reconcile.Kind]string{
	reconcile.ProviderOnlyEffect: histories.Orders, reconcile.LostAfterRestore: histories.Orders, reconcile.EffectMissingAfterRestore: histories.Orders,
	reconcile.ReceiptWithoutEffect: histories.Orders, reconcile.ProviderMissing: histories.Charges,
	reconcile.ReceiptMissingAfterRestore: histories.Receipts, reconcile.OrphanedEffect: histories.Receipts,
}

// checkAbsence looks whether what is said to be missing stands where the source does not show it.
func checkAbsence(h *histories.History, v verdict, wrong func(string, ...any)) {
	for _, k := range v.j.Kinds {
		for _, r := range h.Unseen {
			if owner := h.Owner[v.s.Evidence[0].Record]; r.Source == lacking[k] && h.Owner[r] == owner && !shows(h, owner, r.Source) && near(r, v) {
				wrong(k.String()+", yet the record stands where the source does not show it: %v", v)
			}
		}
	}
}

// near reports whether a record is of the time of a verdict's records: one of an earlier execution is not what they lack.
func near(r *reconcile.Record, v verdict) bool {
	const apart = time.Hour
	return slices.ContainsFunc(v.s.Evidence, func(e reconcile.Evidence) bool {
		return !r.Time().Before(e.Record.Time().Add(-apart)) && !r.Time().After(e.Record.Time().Add(apart))
	})
}

func shows(h *histories.History, id histories.Identity, source string) bool {
	return slices.ContainsFunc(h.Records, func(r *reconcile.Record) bool { return r.Source == source && h.Owner[r] == id })
}

func (ta *tally) recall(seed uint64, f histories.Fault, v verdict, ok bool) {
	r := ta.fault(f.Name)
	r.happened++
	judged := slices.ContainsFunc(f.Kinds, func(k reconcile.Kind) bool { return reconcile.Findings[k].Judged })
	found := ok && v.has(f.Kinds...)
	switch {
	case f.Hidden != "":
		r.hidden[f.Hidden]++
		r.more += count(found)
		return
	case !judged:
		r.hidden["no rule judges it yet"]++
		return
	}
	r.shown++
	if r.found += count(found); found {
		return
	}
	ta.wrong(seed, "not found: "+f.Name, "%v should be %v: %v", f.ID, f.Kinds, v)
}

func (v verdict) answer(d reconcile.Decision) string {
	if v.j == nil {
		return "it is no subject"
	}
	for _, o := range v.j.Options {
		if o.Decision == d {
			return o.Code
		}
	}
	return "no case"
}

// String prints the tables.
func (ta *tally) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d subjects: ", ta.subjects)
	for c := reconcile.ClassMatched; c <= reconcile.ClassCase; c++ {
		fmt.Fprintf(&b, "%s %d  ", c, ta.classes[c])
	}
	fmt.Fprintf(&b, "\n%d replays allowed, carried out %d times; %d shown to be safe\n\n%-62s %9s %7s %7s %7s\n", ta.replays, ta.carried, ta.safe, "fault", "happened", "shown", "found", "more")
	for _, name := range slices.Sorted(maps.Keys(ta.faults)) {
		r := ta.faults[name]
		fmt.Fprintf(&b, "%-62s %9d %7d %7d %7d\n", name, r.happened, r.shown, r.found, r.more)
		for _, why := range slices.Sorted(maps.Keys(r.hidden)) {
			fmt.Fprintf(&b, "    %6d %s\n", r.hidden[why], why)
		}
	}
	fmt.Fprintf(&b, "\n%d of %d subjects undetermined (%d %%)\n", ta.undetermined, ta.subjects, 100*ta.undetermined/max(1, ta.subjects))
	for _, why := range slices.Sorted(maps.Keys(ta.open)) {
		fmt.Fprintf(&b, "    %7d %s\n", ta.open[why], why)
	}
	return b.String()
}

// checkEnough asks whether each fault was met, and shown, often enough to say something.
func (ta *tally) checkEnough(t *testing.T) {
	t.Helper()
	if *amount < 20_000 {
		return
	}
	for name, r := range ta.faults {
		if r.shown == 0 && r.hidden["no rule judges it yet"] == 0 {
			t.Errorf("%s: never shown in %d times", name, r.happened)
		}
	}
	for i, n := range ta.met {
		if n < 20 {
			t.Errorf("met %d times only: %s", n, hazards[i].name)
		}
	}
	if ta.replays < 500 || ta.safe < 200 || ta.ruled < 50 {
		t.Errorf("%d replays allowed, %d shown to be safe and %d refused by a rule: too few to say something", ta.replays, ta.safe, ta.ruled)
	}
}

func checkVerdict(v verdict, truth histories.Truth, wrong func(string, ...any)) {
	happened := truth.Done.Local+truth.Done.Remote > 0
	will := truth.Later.Local+truth.Later.Remote > 0
	switch {
	case v.j.Executed == reconcile.ExecutedNo && happened:
		wrong("executed no, but it was: %v", v)
	case v.j.Executed == reconcile.ExecutedNo && will:
		wrong("executed no, but something will still execute it: %v", v)
	}
	for _, l := range v.j.Legs {
		done, later := truth.Done.Local, truth.Later.Local
		switch l.Name {
		case reconcile.LegProvider:
			done, later = truth.Done.Remote, truth.Later.Remote
		case reconcile.LegOutbox:
			continue
		case reconcile.LegLocal:
		}
		switch {
		case l.State == reconcile.LegNo && done > 0:
			wrong("leg "+l.Name.String()+" no, but it was made: %v", v)
		case l.State == reconcile.LegNo && later > 0:
			wrong("leg "+l.Name.String()+" no, but it is still to come: %v", v)
		case (l.State == reconcile.LegYes || l.State == reconcile.LegLost) && l.Code != "effect-undone" && l.Code != "recorded-as-done" && done == 0:
			wrong("leg "+l.Name.String()+" "+l.State.String()+", but it was never made: %v", v)
		}
	}
	if v.allowed(reconcile.DecideResolve, reconcile.Release) && (happened || will) {
		wrong("release allowed, but it was or will be executed: %v", v)
	}
	if v.allowed(reconcile.DecideResolve, reconcile.BackfillReceipt) && !happened {
		wrong("backfill allowed, but nothing was executed: %v", v)
	}
}

// checkLinks compares who left a record with whom it was joined to: no link may give one action's row to another.
func checkLinks(h *histories.History, v verdict, wrong func(string, ...any)) {
	id, ok := v.id()
	if !ok {
		return
	}
	for _, e := range v.s.Evidence {
		if owner := h.Owner[e.Record]; owner != id {
			wrong("a record is joined to another's action: %v: %s:%s is %s's, joined to %s by %s", v, e.Record.Source, e.Record.Locator, owner, id, e.Link)
		}
	}
}
