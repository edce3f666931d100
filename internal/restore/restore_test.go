package restore_test

import (
	"context"
	"iter"
	"testing"
	"time"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/restore"
	"example.com/idemctl/internal/scan"
)

// fake is a scan whose cases stand in memory.
type fake struct {
	manifest scan.Manifest
	cases    []*scan.Case
}

func (f *fake) Manifest() *scan.Manifest { return &f.manifest }

func (f *fake) Cases(context.Context, scan.Filter) iter.Seq2[*scan.Case, error] {
	return func(yield func(*scan.Case, error) bool) {
		for _, c := range f.cases {
			one := *c
			if !yield(&one, nil) {
				return
			}
		}
	}
}

func at(h int) reconcile.Instant {
	return reconcile.At(time.Date(2026, 11, 29, h, 0, 0, 0, time.UTC))
}

// night is a scan after a restore of receipts and one of orders.
func night() *fake {
	receipts := reconcile.Gap{Store: "receipts", From: at(2), To: at(3), Missing: 412}
	orders := reconcile.Gap{Store: "orders", From: at(2), To: at(3), Declared: true, Missing: 2}
	f := &fake{manifest: scan.Manifest{
		Gaps:   []reconcile.Gap{receipts, orders},
		States: []reconcile.StoreState{{Name: "orders", Role: reconcile.RoleEffect, MaxID: reconcile.Num(731), NamedID: reconcile.Num(761)}},
	}}
	add := func(id, gap string, exposure reconcile.ExposureState, minor int64, leg reconcile.LegState, kinds ...reconcile.Kind) *scan.Case {
		c := &scan.Case{Judgement: reconcile.Judgement{
			CaseID: id, InGap: gap, Exposure: reconcile.Exposure{State: exposure, Until: at(9)}, Kinds: kinds, Legs: []reconcile.Leg{{State: leg}},
			Amount: reconcile.Amount{Minor: minor, Exponent: 2, Currency: "EUR", Valid: true},
		}}
		f.cases = append(f.cases, c)
		return c
	}
	add("a", receipts.Name(), reconcile.ExposureOpen, 100, reconcile.LegYes, reconcile.OrphanedEffect)
	add("b", receipts.Name(), reconcile.ExposureUntil, 1<<62, reconcile.LegYes, reconcile.OrphanedEffect)
	add("c", receipts.Name(), reconcile.ExposureUntil, 1<<62, reconcile.LegUndetermined, reconcile.UnknownOutcome).AlsoInGap = orders.Name()
	add("d", receipts.Name(), reconcile.ExposureNone, 5, reconcile.LegYes, reconcile.OrphanedEffect)
	add("e", orders.Name(), reconcile.ExposureUnknown, 7, reconcile.LegLost, reconcile.EffectMissingAfterRestore)
	add("f", "", reconcile.ExposureOpen, 9, reconcile.LegYes, reconcile.OrphanedEffect)
	reused := add("g", "", reconcile.ExposureNone, 9, reconcile.LegYes, reconcile.ReferenceReused)
	id := []reconcile.Fact{{Name: "effect_id", Value: reconcile.Text("731")}}
	reused.Evidence = []scan.Evidence{
		{Role: reconcile.RoleEffect, Source: "orders", Locator: "orders/731", Facts: id},
		{Role: reconcile.RoleReceipt, Source: "receipts", Locator: "receipts/9", Facts: id},
	}
	resend := add("h", "", reconcile.ExposureNone, 9, reconcile.LegYes, reconcile.ResendPending)
	resend.Evidence = []scan.Evidence{{Role: reconcile.RoleOutbox, Source: "outbox", Locator: "outbox/17"}}
	return f
}

func TestAudit(t *testing.T) {
	t.Parallel()
	a, err := restore.Of(t.Context(), night())
	if err != nil {
		t.Fatal(err)
	}
	g := a.Gaps[0]
	if g.Cases != 4 || g.Standing != 3 || g.AtRisk != 3 || a.Gaps[1].Cases != 2 || a.Gaps[1].AtRisk != 2 || a.AtRisk != 4 || len(a.Next) != 4 {
		t.Errorf("%+v", a)
	}
	if len(a.Totals) != 1 || a.Totals[0].Count != 4 || a.Totals[0].Minor.String() != "9223372036854775915" {
		t.Errorf("totals %+v", a.Totals)
	}
	if len(a.Reused) != 1 || a.Reused[0].Source != "orders" || a.Reused[0].ID.String() != "731" || a.Reused[0].Witness != "receipts:receipts/9" {
		t.Errorf("reused %+v", a.Reused)
	}
	if len(a.Resends) != 1 || a.Resends[0].Locator != "outbox/17" {
		t.Errorf("resends %+v", a.Resends)
	}
	if len(a.Coming) != 1 || a.Coming[0] != (restore.IDRange{Source: "orders", From: 732, To: 761}) || len(a.Signs) != 1 {
		t.Errorf("ids to come %+v, signs %+v", a.Coming, a.Signs)
	}
}

// TestOneStore: of a store that was chosen nothing of another's gap is told.
func TestOneStore(t *testing.T) {
	t.Parallel()
	s := restore.Only(night(), "orders")
	a, err := restore.Of(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Gaps) != 1 || a.Gaps[0].Store != "orders" || a.Gaps[0].Cases != 2 || a.AtRisk != 2 {
		t.Errorf("%+v", a)
	}
	var ids string
	for c, err := range restore.CasesAtRisk(t.Context(), s) {
		if err != nil {
			t.Fatal(err)
		}
		ids += c.CaseID
	}
	if ids != "ce" && ids != "ec" {
		t.Errorf("at risk: %s", ids)
	}
}
