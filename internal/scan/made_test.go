package scan_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/sources"
	"example.com/idemctl/internal/sources/rows"
)

// made is a source of so many rows, each made when it is read.
type made struct {
	facts reconcile.SourceFacts
	n     int
	row   func(i int) *reconcile.Record
	see   func() // at every row that is read
}

func (m *made) Scan(ctx context.Context, emit sources.Emit) error {
	for i := range m.n {
		if m.see != nil {
			m.see()
		}
		if i%512 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := emit(rows.Pos(i), m.row(i)); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (m *made) Fetch(ctx context.Context, at []rows.Pos, emit sources.Emit) error {
	for _, pos := range at {
		if m.see != nil {
			m.see()
		}
		r := m.row(int(pos))
		r.Locator = fmt.Sprintf("%s/%d", m.facts.Name, pos)
		if err := emit(pos, r); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (m *made) Facts() reconcile.SourceFacts { return m.facts }
func (m *made) Stats() sources.Stats         { return sources.Stats{Records: int64(m.n)} }
func (m *made) Progress() rows.Progress      { return rows.Progress{} }
func (m *made) Close() error                 { return nil }

// shop is a config of one contract whose action makes a row and, where both is set, a charge.
func shop(both bool) *config.Config {
	c := &reconcile.Contract{
		Name: "orders", Operations: []string{"create"}, Scope: []string{"tenant", "operation", "key"}, Settle: reconcile.DefaultSettle, Margin: time.Hour,
		Effect: reconcile.LegsLocal, Retention: reconcile.For(24 * time.Hour), RetryWindow: reconcile.For(12 * time.Hour), Lease: reconcile.For(5 * time.Minute),
	}
	if both {
		c.Effect = reconcile.LegsBoth
	}
	return &config.Config{Name: "shop", Contracts: []*reconcile.Contract{c}, Now: reconcile.At(noon)}
}

func factsOf(name string, role reconcile.Role) reconcile.SourceFacts {
	return reconcile.SourceFacts{
		Name: name, Role: role, Serves: true, MapsRef: true, MapsTime: true, Components: []string{"tenant", "operation", "key"},
		Coverage: reconcile.Coverage{Complete: true, Proves: true, To: reconcile.At(noon)},
	}
}

// good is a row of the plainest good form: two hours old, of one key, whose effect and object carry the key's name.
func good(f *reconcile.SourceFacts, key string) *reconcile.Record {
	r := &reconcile.Record{
		Role: f.Role, Source: f.Name, Claimed: true, CreatedAt: reconcile.At(noon.Add(-2 * time.Hour)),
		Components: []reconcile.Component{
			{Name: "tenant", Value: reconcile.Text("north")}, {Name: "operation", Value: reconcile.Text("create")}, {Name: "key", Value: reconcile.Text(key)},
		},
	}
	switch f.Role {
	case reconcile.RoleReceipt:
		r.State, r.EffectID, r.ProviderRef = reconcile.StateCompleted, reconcile.Text("e-"+key), reconcile.Text("o-"+key)
	case reconcile.RoleEffect:
		r.Status, r.EffectID, r.ProviderRef = reconcile.StatusEffective, reconcile.Text("e-"+key), reconcile.Text("o-"+key)
	case reconcile.RoleProvider:
		r.Outcome, r.ObjectID = reconcile.OutcomeSucceeded, reconcile.Text("o-"+key)
	case reconcile.RoleIntent, reconcile.RoleOutbox:
	}
	return r
}

// ordinary makes a source of keys 0 to n-1, of which every so-manieth is missing.
func ordinary(name string, role reconcile.Role, n, missing int) *made {
	m := &made{facts: factsOf(name, role)}
	var keys []int
	for i := range n {
		if missing == 0 || i%missing != missing/2 {
			keys = append(keys, i)
		}
	}
	m.n = len(keys)
	m.row = func(i int) *reconcile.Record { return good(&m.facts, strconv.Itoa(keys[i])) }
	return m
}

// told is a scan's counts and what it says of each case by its key.
type told struct {
	manifest *scan.Manifest
	cases    map[string]string
}

func tell(t *testing.T, cfg *config.Config, opt scan.Options, readers ...sources.Reader) told {
	t.Helper()
	if opt.TempDir == "" {
		opt.TempDir = t.TempDir()
	}
	res, err := scan.RunReaders(t.Context(), cfg, readers, opt)
	if err != nil {
		t.Fatal(err)
	}
	out := told{manifest: res.Manifest(), cases: make(map[string]string)}
	cases, err := allCases(res)
	if err = errors.Join(err, res.Close()); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		out.cases[c.Identity[2].Value.String()] += line(&c.Judgement, c.Identity, c.Candidates, c.Twins)
	}
	c := out.manifest.Counts
	if sum := c.Matched + c.InFlight + c.Explained + c.Inconclusive + c.Unclaimed + c.Cases; sum != c.Subjects || c.Cases != int64(len(cases)) {
		t.Errorf("classes sum to %d of %d subjects, %d cases of %d", sum, c.Subjects, len(cases), c.Cases)
	}
	return out
}

// kindsOf are the kinds of the one case of a result, "" where there is none.
func kindsOf(findings map[reconcile.Kind]int64) string {
	var out []string
	for k, n := range findings {
		if n > 0 {
			out = append(out, fmt.Sprintf("%s×%d", k, n))
		}
	}
	slices.Sort(out)
	return fmt.Sprint(out)
}
