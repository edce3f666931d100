package backstory_test

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/backstory"
	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scenario"
)

func past(putBack int) *scenario.Scenario {
	s := &scenario.Scenario{Before: &scenario.Before{PutBack: putBack}}
	for i, key := range []string{"a", "b", "c"} {
		s.Before.Decided = append(s.Before.Decided, scenario.Earlier{
			At: time.Date(2026, 11, 29, 4, i, 0, 0, time.UTC), By: "mira", Identity: map[string]string{"tenant": "t", "operation": "pay", "key": key},
			Decision: "escalate", Reason: "somebody else is to look", To: "accounts",
		})
	}
	return s
}

func shop() (*config.Config, *reconcile.Contract) {
	c := &reconcile.Contract{Name: "pay", Operations: []string{"pay"}, Scope: []string{"tenant", "operation", "key"}}
	return &config.Config{Name: "shop", Contracts: reconcile.Book{c}}, c
}

func place(t *testing.T) (audit.Place, audit.Env) {
	t.Helper()
	dir := t.TempDir()
	return audit.Place{Path: filepath.Join(dir, "audit.db"), State: filepath.Join(dir, "state")}, audit.Env{
		Now: time.Now, NewID: func() string { return uuid.Must(uuid.NewV7()).String() }, Tool: "idemctl test", Operator: audit.Operator{Name: "kim"},
	}
}

// TestMake makes a past, whole and put back: what stands in the trail are the decisions of the story, by whom it says, and of one that was put back those that
// the copy has, with the trouble that a real one would have. A trail that stands is left as it is.
func TestMake(t *testing.T) {
	t.Parallel()
	cfg, contract := shop()
	for putBack, want := range map[int]int{0: 3, 1: 1, 2: 2} {
		at, env := place(t)
		for again := range 2 {
			if made, err := backstory.Make(t.Context(), cfg, past(putBack), at, env); err != nil || made != (again == 0) {
				t.Fatalf("put back after %d, time %d: made %t, %v", putBack, again, made, err)
			}
		}
		decided, trouble, err := backstory.Known(t.Context(), at, env)
		if err != nil || len(decided) != want || errors.Is(trouble, audit.ErrRolledBack) != (putBack > 0) {
			t.Errorf("put back after %d: %d decided, trouble %v, %v", putBack, len(decided), trouble, err)
		}
		id := contract.CaseID([]reconcile.Component{{Name: "tenant", Value: reconcile.Text("t")}, {Name: "operation", Value: reconcile.Text("pay")}, {Name: "key", Value: reconcile.Text("a")}})
		if got := decided[id]; len(got) != 1 || got[0].Decision != reconcile.DecideEscalate {
			t.Errorf("put back after %d: of the first case %+v", putBack, got)
		}
		if by := operators(t, at, env); !slices.Equal(by, []string{"mira"}) {
			t.Errorf("put back after %d: decided by %v", putBack, by)
		}
	}
}

func operators(t *testing.T, at audit.Place, env audit.Env) []string {
	t.Helper()
	trail, err := audit.OpenReading(t.Context(), at, env)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = trail.Close() }()
	var out []string
	for d, err := range trail.Decisions(t.Context(), audit.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(out, d.Operator) {
			out = append(out, d.Operator)
		}
	}
	return out
}

// TestMakeNothing: without a past there is no trail, and one that names no contract's operation is an error.
func TestMakeNothing(t *testing.T) {
	t.Parallel()
	cfg, _ := shop()
	at, env := place(t)
	if made, err := backstory.Make(t.Context(), cfg, &scenario.Scenario{}, at, env); made || err != nil {
		t.Errorf("without a past: %t, %v", made, err)
	}
	if decided, trouble, err := backstory.Known(t.Context(), at, env); decided != nil || trouble != nil || err != nil {
		t.Errorf("without a trail: %v, %v, %v", decided, trouble, err)
	}
	s := past(0)
	s.Before.Decided[0].Identity["operation"] = "refund"
	if _, err := backstory.Make(t.Context(), cfg, s, at, env); err == nil {
		t.Error("an operation of no contract is recorded")
	}
}
