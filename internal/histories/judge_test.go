package histories_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/idemctl/internal/histories"
	"example.com/idemctl/internal/reconcile"
)

// seeds is how many pasts a property looks at that is no law of TestTruth.
const seeds = 1200

// verdict is one subject with what was concluded of it.
type verdict struct {
	s *reconcile.Subject
	j *reconcile.Judgement
}

// id names the action in truth; ok is false for a keyless subject.
func (v verdict) id() (id histories.Identity, ok bool) {
	if v.s.Contract == nil || !reconcile.Whole(v.s.Identity) {
		return id, false
	}
	return histories.Identity{Tenant: v.s.Identity[0].Value.String(), Key: v.s.Identity[2].Value.String()}, true
}

func (v verdict) allowed(d reconcile.Decision, as reconcile.Resolution) bool {
	return slices.ContainsFunc(v.j.Options, func(o reconcile.Option) bool { return o.Decision == d && o.As == as && o.Allowed })
}

func judge(h *histories.History, records []*reconcile.Record, w *reconcile.World) []verdict {
	subjects := reconcile.Assemble(records, h.Book, w)
	reconcile.Relate(subjects, w)
	out := make([]verdict, len(subjects))
	for i, s := range subjects {
		out[i] = verdict{s, reconcile.Judge(s, w)}
	}
	return out
}

// every judges the histories of n seeds and says, where one is wrong, how to read it.
func every(t *testing.T, n uint64, check func(h *histories.History, wrong func(format string, args ...any))) {
	t.Helper()
	everyOf(t, n, histories.Generate, check)
}

func everyOf(t *testing.T, n uint64, generate func(seed uint64) *histories.History, check func(h *histories.History, wrong func(format string, args ...any))) {
	t.Helper()
	const hands = 2
	for hand := range uint64(hands) {
		t.Run(fmt.Sprint(hand), func(t *testing.T) {
			t.Parallel()
			failed := 0
			for seed := hand; seed < n && failed < 3; seed += hands {
				h := generate(seed)
				var wrongs []string
				check(h, func(format string, args ...any) { wrongs = append(wrongs, fmt.Sprintf(format, args...)) })
				if len(wrongs) > 0 {
					failed++
					t.Errorf("seed %d: %s\n%s", seed, strings.Join(wrongs, "\n"), notation(h))
				}
			}
		})
	}
}

// notation writes a history in the scenario notation of internal/reconcile, so that a failure can be made a scenario.
func notation(h *histories.History) string {
	var b strings.Builder
	c := h.Book[0]
	fmt.Fprintf(&b, "now %s\ncontract %s effect=%s", clock(h.World.Now), c.Name, map[reconcile.Legs]string{reconcile.LegsLocal: "local", reconcile.LegsExternal: "external", reconcile.LegsBoth: "both"}[c.Effect])
	if c.Atomic {
		b.WriteString(" atomic")
	}
	fmt.Fprintf(&b, " retention=%s window=%s lease=%s dead=%s order=%v provider=%+v\n", c.Retention.D, c.RetryWindow.D, c.Lease.D, c.DeadAfter.D, c.Order, h.Service)
	for _, f := range h.World.Sources {
		fmt.Fprintf(&b, "source %s %s from=%s to=%s components=%v serves=%v\n", f.Name, f.Role, clock(f.Coverage.From), clock(f.Coverage.To), f.Components, f.Serves)
	}
	for _, e := range h.World.Events {
		fmt.Fprintf(&b, "restored %s from=%s to=%s\n", e.Store, clock(e.From), clock(e.To))
	}
	for _, r := range h.Records {
		fmt.Fprintf(&b, "%s %s:", r.Role, r.Source)
		for _, f := range reconcile.FactsOf(r) {
			fmt.Fprintf(&b, " %s=%s", f.Name, strings.TrimPrefix(f.Value.String(), "2026-11-29T"))
		}
		fmt.Fprintf(&b, "  # %s\n", h.Owner[r])
	}
	for id, truth := range h.Truth {
		fmt.Fprintf(&b, "# truth %s %+v\n", id, truth)
	}
	return b.String()
}

func clock(i reconcile.Instant) string {
	if !i.Known() {
		return "-"
	}
	return i.Time().Format(time.TimeOnly)
}

func (v verdict) String() string {
	var b strings.Builder
	for _, c := range v.s.Identity {
		fmt.Fprintf(&b, "/%s", c.Value)
	}
	fmt.Fprintf(&b, " %s %v executed %s;", v.j.Class, v.j.Kinds, v.j.Executed)
	for _, l := range v.j.Legs {
		fmt.Fprintf(&b, " %s=%s(%s)", l.Name, l.State, l.Code)
	}
	fmt.Fprintf(&b, "; retry %s; exposure %s; pending %v; candidates %d twins %d clashes %d", v.j.RetryNow, v.j.Exposure.State, v.j.Pending, len(v.s.Candidates), len(v.s.Twins), len(v.s.Clashes))
	return b.String()
}
