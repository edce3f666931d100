package audit_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/reconcile"
)

// TestRestores: a window is recorded as it was said, a later one that overlaps it takes its place, and one of another part of the store stands beside it.
func TestRestores(t *testing.T) {
	t.Parallel()
	p, c := place(t), newClock()
	trail := open(t, p, c)
	at := func(h int) reconcile.Instant {
		return reconcile.At(time.Date(2026, 11, 29, h, 0, 0, 0, time.UTC))
	}
	window := func(from, to int, only map[string][]string) audit.Restore {
		return audit.Restore{
			Event:  reconcile.Event{Store: "receipts", Kind: reconcile.EventRestored, From: at(from), To: at(to), Only: only},
			Reason: "backup of the night, INC-81", Missing: 412, Present: 3, Config: "orders", ConfigDigest: "sha256:00", ScanNow: at(20), Pinned: true,
		}
	}
	tenant := map[string][]string{"tenant": {"t07", "\xff"}}
	wants := []audit.Restore{window(1, 3, nil), window(10, 11, nil), window(2, 3, tenant), window(2, 4, nil)}
	for _, w := range wants {
		done, err := trail.ConfirmRestores(t.Context(), w)
		if err != nil || len(done) != 1 || done[0].Operator == "" || done[0].ID == "" {
			t.Fatalf("%+v, %v", done, err)
		}
	}
	got, err := trail.Restores(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		got[i].ID, got[i].Seq, got[i].Operator, got[i].Recorded = "", 0, "", reconcile.Instant{}
	}
	if diff := cmp.Diff(wants[1:], got, cmp.AllowUnexported(reconcile.Instant{})); diff != "" {
		t.Errorf("windows that stand (-want +got):\n%s", diff)
	}
	if r := verified(t, trail); r.Records != 5 {
		t.Errorf("%d records", r.Records)
	}
}

func TestRestoresNeedAReason(t *testing.T) {
	t.Parallel()
	trail := open(t, place(t), newClock())
	var lacks *audit.RequestError
	if _, err := trail.ConfirmRestores(t.Context(), audit.Restore{Event: reconcile.Event{Store: "receipts"}, Reason: "sure"}); !errors.As(err, &lacks) {
		t.Errorf("%v", err)
	}
	if _, err := trail.ConfirmRestores(t.Context(), audit.Restore{Reason: "backup of the night"}); err == nil {
		t.Error("a window of no store was recorded")
	}
	if rs, err := trail.Restores(t.Context()); err != nil || len(rs) != 0 {
		t.Errorf("%v, %v", rs, err)
	}
}

// TestWithdrawnRestores: a confirmation that is taken back stands no more, nor does what it had corrected; the trail keeps all of it.
func TestWithdrawnRestores(t *testing.T) {
	t.Parallel()
	trail := open(t, place(t), newClock())
	at := func(h int) reconcile.Instant { return reconcile.At(time.Date(2026, 11, 29, h, 0, 0, 0, time.UTC)) }
	confirm := func(store string, from, to int) audit.Restore {
		t.Helper()
		done, err := trail.ConfirmRestores(t.Context(), audit.Restore{Event: reconcile.Event{Store: store, Kind: reconcile.EventRestored, From: at(from), To: at(to)}, Reason: "backup of the night, INC-81"})
		if err != nil {
			t.Fatal(err)
		}
		return done[0]
	}
	stand := func(want ...string) {
		t.Helper()
		rs, err := trail.Restores(t.Context())
		var got []string
		for _, r := range rs {
			got = append(got, r.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("windows that stand (-want +got):\n%s%v", diff, err)
		}
	}
	first, other := confirm("receipts", 1, 3), confirm("orders", 1, 3)
	second := confirm("receipts", 2, 4)
	stand(other.ID, second.ID)
	for _, id := range []string{"", "none", first.ID} {
		if _, err := trail.WithdrawRestore(t.Context(), id, "not that store"); !errors.Is(err, audit.ErrNotFound) {
			t.Errorf("%q: %v", id, err)
		}
	}
	var lacks *audit.RequestError
	if _, err := trail.WithdrawRestore(t.Context(), second.ID, "no"); !errors.As(err, &lacks) {
		t.Errorf("without a reason: %v", err)
	}
	if r, err := trail.WithdrawRestore(t.Context(), second.ID, "it was the standby"); err != nil || r.ID != second.ID {
		t.Errorf("%+v, %v", r, err)
	}
	stand(other.ID)
	third := confirm("receipts", 1, 3)
	stand(other.ID, third.ID)
	if r := verified(t, trail); r.Records != 6 {
		t.Errorf("%d records", r.Records)
	}
}
