package scan_test

import (
	"strconv"
	"strings"
	"testing"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
)

// TestNoteOnManySuspects says so where more than one record in twenty is not plainly healthy, unless there are too few to tell.
func TestNoteOnManySuspects(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		actions, missing int
		note             bool
	}{
		"nothing is missing":       {2000, 0, false},
		"one in fifty":             {2000, 50, false},
		"one in ten":               {2000, 10, true},
		"one in ten of a thousand": {500, 10, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := tell(t, shop(false), scan.Options{}, ordinary("receipts", reconcile.RoleReceipt, c.actions, c.missing), ordinary("orders", reconcile.RoleEffect, c.actions, 0))
			if noted := strings.Contains(strings.Join(got.manifest.Notes, "\n"), "not plainly healthy"); noted != c.note {
				t.Errorf("%d cases, notes %q", len(got.cases), got.manifest.Notes)
			}
		})
	}
}

// TestNoteCountsNoNeighbours plants few suspects whose request many healthy actions share: what is read again for their sake is no suspect.
func TestNoteCountsNoNeighbours(t *testing.T) {
	t.Parallel()
	cfg := shop(false)
	cfg.Contracts[0].Params = &reconcile.ParamSpec{}
	receipts, orders := ordinary("receipts", reconcile.RoleReceipt, 2000, 100), ordinary("orders", reconcile.RoleEffect, 2000, 0)
	for _, m := range []*made{receipts, orders} {
		plain := m.row
		m.row = func(i int) *reconcile.Record {
			r := plain(i)
			n, _ := strconv.Atoi(r.Key().String()) // as made by ordinary
			r.Params = reconcile.Text(`{"basket":` + strconv.Itoa(n/40) + `}`)
			return r
		}
	}
	got := tell(t, cfg, scan.Options{}, receipts, orders)
	if len(got.cases) != 20 || len(got.manifest.Notes) > 0 {
		t.Errorf("%d cases, notes %q", len(got.cases), got.manifest.Notes)
	}
}
