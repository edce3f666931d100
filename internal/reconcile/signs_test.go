package reconcile_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/idemctl/internal/reconcile"
)

func TestSigns(t *testing.T) {
	t.Parallel()
	at := func(h int) reconcile.Instant {
		return reconcile.At(time.Date(2026, 11, 29, h, 0, 0, 0, time.UTC))
	}
	last := reconcile.StoreState{
		Name: "orders", Role: reconcile.RoleEffect, Taken: at(6), Records: 700, First: at(1), Last: at(5), MaxID: reconcile.Num(731), NamedID: reconcile.Num(731), System: "a", Timeline: "1",
	}
	for name, test := range map[string]struct {
		change func(*reconcile.StoreState)
		want   []reconcile.SignKind
	}{
		"grown": {func(s *reconcile.StoreState) {
			s.Records, s.Last, s.MaxID, s.NamedID = 900, at(9), reconcile.Num(931), reconcile.Num(931)
		}, nil},
		"unchanged":          {func(*reconcile.StoreState) {}, nil},
		"ids ahead":          {func(s *reconcile.StoreState) { s.NamedID = reconcile.Num(761) }, []reconcile.SignKind{reconcile.SignIDsAhead}},
		"put back":           {func(s *reconcile.StoreState) { s.Records, s.Last, s.MaxID = 600, at(3), reconcile.Num(631) }, []reconcile.SignKind{reconcile.SignIDsAhead, reconcile.SignIDsFell, reconcile.SignEndsEarlier, reconcile.SignFewerRows}},
		"ids ahead, skipped": {func(s *reconcile.StoreState) { s.NamedID, s.NextID = reconcile.Num(761), reconcile.Num(762) }, []reconcile.SignKind{reconcile.SignIDsAhead}},
		"sequence put back":  {func(s *reconcile.StoreState) { s.NamedID, s.NextID = reconcile.Num(761), reconcile.Num(740) }, []reconcile.SignKind{reconcile.SignIDsAhead, reconcile.SignSequence}},
		"sequence behind":    {func(s *reconcile.StoreState) { s.NextID = reconcile.Num(731) }, []reconcile.SignKind{reconcile.SignSequence}},
		"sequence":           {func(s *reconcile.StoreState) { s.NextID = reconcile.Num(732) }, nil},
		"archived":           {func(s *reconcile.StoreState) { s.Archives, s.Records, s.First = true, 200, at(3) }, nil},
		"reaped":             {func(s *reconcile.StoreState) { s.Role, s.Records = reconcile.RoleReceipt, 200 }, nil},
		"came back":          {func(s *reconcile.StoreState) { s.First = at(0) }, []reconcile.SignKind{reconcile.SignCameBack}},
		"promoted":           {func(s *reconcile.StoreState) { s.Timeline = "2" }, []reconcile.SignKind{reconcile.SignTimeline}},
		"other server":       {func(s *reconcile.StoreState) { s.System = "b" }, []reconcile.SignKind{reconcile.SignSystem}},
		"not known": {func(s *reconcile.StoreState) {
			*s = reconcile.StoreState{Name: "orders", Role: reconcile.RoleEffect, Taken: s.Taken, Records: 700}
		}, nil},
		"not later": {func(s *reconcile.StoreState) { s.Taken, s.Last = last.Taken, at(2) }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now := last
			now.Taken = at(10)
			test.change(&now)
			var got []reconcile.SignKind
			for _, s := range now.Signs(&last) {
				if s.Store != "orders" || s.Text == "" {
					t.Errorf("%+v", s)
				}
				if k, err := reconcile.ParseSignKind(s.Kind.String()); err != nil || k != s.Kind {
					t.Errorf("%v: %v, %v", s.Kind, k, err)
				}
				got = append(got, s.Kind)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("signs (-want +got):\n%s", diff)
			}
		})
	}
}

// TestReusable: the ids that will be handed out again are those from one after the store's greatest to the greatest that others name.
func TestReusable(t *testing.T) {
	t.Parallel()
	for from, next := range map[int64]reconcile.Number{732: {}, 733: reconcile.Num(733), 761: reconcile.Num(761)} {
		s := reconcile.StoreState{MaxID: reconcile.Num(731), NamedID: reconcile.Num(761), NextID: next}
		if first, to, ok := s.Reusable(); !ok || first != from || to != 761 {
			t.Errorf("next %+v: %d to %d, %t", next, first, to, ok)
		}
	}
	for _, s := range []reconcile.StoreState{{}, {MaxID: reconcile.Num(7)}, {NamedID: reconcile.Num(7)}, {MaxID: reconcile.Num(7), NamedID: reconcile.Num(7)}, {MaxID: reconcile.Num(7), NamedID: reconcile.Num(9), NextID: reconcile.Num(10)}} {
		if from, to, ok := s.Reusable(); ok {
			t.Errorf("%+v: %d to %d", s, from, to)
		}
	}
}
