package reconcile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// What is found by looking things up is held here against comparing each with each.

func TestHistoryIsWhatEachPairSays(t *testing.T) {
	t.Parallel()
	c := &Contract{Name: "c"}
	rapid.Check(t, func(t *rapid.T) {
		var ev []Evidence
		for range rapid.IntRange(0, 9).Draw(t, "records") {
			r := &Record{
				Role: rapid.SampledFrom([]Role{RoleReceipt, RoleReceipt, RoleReceipt, RoleEffect, RoleProvider, RoleOutbox, RoleIntent}).Draw(t, "role"), Source: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "source"),
				State: rapid.SampledFrom([]State{StateInProgress, StateCompleted, StateFailedFinal}).Draw(t, "state"),
			}
			if rapid.Bool().Draw(t, "generation known") {
				r.Generation = Num(int64(rapid.IntRange(0, 2).Draw(t, "generation")))
			}
			if rapid.Bool().Draw(t, "time known") {
				r.UpdatedAt = AtUnix(int64(rapid.IntRange(0, 2).Draw(t, "time")))
			}
			for _, v := range []*Value{&r.EffectID, &r.EventID, &r.MessageID} {
				if n := rapid.IntRange(0, 2).Draw(t, "id"); n > 0 {
					*v = Text(fmt.Sprint(n))
				}
			}
			ev = append(ev, Evidence{Record: r})
		}
		markHistory(c, ev)
		for i := range ev {
			want := false
			for k := range ev {
				want = want || i != k && takesThePlaceOf(c, ev[k].Record, ev[i].Record, k, i)
			}
			if ev[i].History != want {
				t.Fatalf("record %d is history: %v, want %v", i, ev[i].History, want)
			}
		}
	})
}

func takesThePlaceOf(c *Contract, later, r *Record, k, i int) bool {
	if later.Role != r.Role || later.Source != r.Source {
		return false
	}
	if r.Role == RoleReceipt {
		return lineOf(c, later, k).newerThan(lineOf(c, r, i))
	}
	a, ok := repetition(later)
	b, same := repetition(r)
	return k < i && ok && same && a == b
}

func TestTwinsAreWhatEachPairSays(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := &Contract{Name: "c", Scope: []string{"tenant", "key"}, Params: &ParamSpec{}}
		if h := rapid.IntRange(0, 4).Draw(t, "window"); h > 0 {
			c.RetryWindow = For(time.Duration(h))
		}
		var subjects []*Subject
		for i := range rapid.IntRange(0, 30).Draw(t, "subjects") {
			id := []Component{{Name: "tenant", Value: Text("t")}, {Name: "key", Value: Text(fmt.Sprint(i))}}
			s := &Subject{Contract: c, Identity: id, ID: fmt.Sprint(rapid.IntRange(0, 9).Draw(t, "id")) + "-" + fmt.Sprint(i)}
			for range rapid.IntRange(1, 3).Draw(t, "records") {
				r := &Record{Role: RoleIntent, Source: "s", Components: id, Params: Text(fmt.Sprint(rapid.IntRange(1, 2).Draw(t, "params")))}
				if at := rapid.IntRange(0, 6).Draw(t, "at"); at > 0 {
					r.CreatedAt = AtUnix(int64(at))
				}
				s.Evidence = append(s.Evidence, Evidence{Record: r})
			}
			subjects = append(subjects, s)
		}
		w := &World{}
		RelateTwins(subjects, w, nil)
		for _, s := range subjects {
			var all []*Subject
			for _, o := range subjects {
				if s != o && comparableBy(wishesOf(s, w).requests, wishesOf(o, w).requests) &&
					seatOf(s).meets(seatOf(o), c.RetryWindow) {
					all = append(all, o)
				}
			}
			near := func(a, b *Subject) int {
				return cmp.Or(cmp.Compare(apart(s, a), apart(s, b)), strings.Compare(a.ID, b.ID))
			}
			choice := near
			if !seatOf(s).began.known { // all are equally far: the first in time are chosen
				choice = func(a, b *Subject) int { return seatOf(a).compare(seatOf(b)) }
			}
			slices.SortFunc(all, choice)
			few := slices.Clone(all[:min(len(all), MaxCandidates)])
			slices.SortFunc(few, near)
			want := ""
			for _, o := range few {
				want += o.ID + " "
			}
			got := ""
			for _, o := range s.Twins {
				got += o.Case + " "
			}
			if got != want || len(s.Twins)+s.MoreTwins > len(all) || (len(wishesOf(s, w).requests) == 1 && len(s.Twins)+s.MoreTwins != len(all)) {
				t.Fatalf("%s: twins %s and %d more, want %s of %d", s.ID, got, s.MoreTwins, want, len(all))
			}
		}
	})
}

func TestScopesAreWhatEachPairSays(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := &Contract{Name: "c", Compare: map[string]Comparison{"tenant": CompareCI}}
		draw := func() []Component {
			id := []Component{{Name: "tenant"}, {Name: "operation"}, {Name: "key", Value: Text(rapid.StringN(0, 1, 1).Draw(t, "key"))}}
			for i := range 2 {
				if w := rapid.SampledFrom([]string{"", "a", "A", "b"}).Draw(t, id[i].Name); w != "" {
					id[i].Value = Text(w)
				}
			}
			return id
		}
		s := scopes{c: c}
		var all [][]Component
		for range rapid.IntRange(0, 12).Draw(t, "claimants") {
			all = append(all, draw())
			s.add(all[len(all)-1])
			if i := rapid.IntRange(0, 2*len(all)).Draw(t, "better"); i < len(all) {
				all[i] = fuller(all[i], draw())
				s.change(i, all[i])
			}
			id := draw()
			var want []int
			for i := range all {
				mine := slices.Clone(id)
				if mine[2].Value = all[i][2].Value; c.agree(mine, all[i]) {
					want = append(want, i)
				}
			}
			if got := s.agreeing(id); !slices.Equal(got, want) {
				t.Fatalf("%v agrees with %v, want %v", id, got, want)
			}
		}
	})
}
