// Package restore reads off a scan what a person must know before traffic is let in again after a restore: which receipts are gone, which of their effects
// still stand, which keys would run again and until when, which ids are handed out twice, and what will be sent again.
//
// It judges nothing: every case was judged by reconcile, every gap stands in the scan's manifest. It never writes.
package restore

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"math/big"
	"slices"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
)

// Scan is a scan that has just run, or a saved one.
type Scan interface {
	Manifest() *scan.Manifest
	// Cases yields the chosen cases in their fixed order. A case is valid until the next one is asked for.
	Cases(ctx context.Context, f scan.Filter) iter.Seq2[*scan.Case, error]
}

// Only is a scan of which one store's gaps are looked at; "" = every store's.
func Only(s Scan, store string) Scan {
	if store == "" {
		return s
	}
	return &only{s, store}
}

type only struct {
	Scan
	store string
}

func (o *only) Manifest() *scan.Manifest {
	m := *o.Scan.Manifest()
	m.Gaps = slices.DeleteFunc(slices.Clone(m.Gaps), func(g reconcile.Gap) bool { return g.Store != o.store })
	m.States = slices.DeleteFunc(slices.Clone(m.States), func(s reconcile.StoreState) bool { return s.Name != o.store })
	return &m
}

// Cases yields all cases; those that lie in other stores' gaps lie in none.
func (o *only) Cases(ctx context.Context, f scan.Filter) iter.Seq2[*scan.Case, error] {
	names := make(map[string]bool)
	for _, g := range o.Manifest().Gaps {
		names[g.Name()] = true
	}
	return func(yield func(*scan.Case, error) bool) {
		for c, err := range o.Scan.Cases(ctx, f) {
			if err == nil {
				inGapsOf(names, c)
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

// inGapsOf leaves a case in the named gaps only.
func inGapsOf(names map[string]bool, c *scan.Case) {
	if !names[c.AlsoInGap] {
		c.AlsoInGap = ""
	}
	if !names[c.InGap] {
		c.InGap, c.AlsoInGap = c.AlsoInGap, ""
	}
}

// Audit is what holds for all gaps of a scan together. It grows with the number of gaps and of ids that are handed out twice, never with that of cases.
type Audit struct {
	Gaps    []GapCounts
	AtRisk  int64       // cases in a gap that a retry would, or might, execute again
	Next    []scan.Case // the first few of them, those with the nearest deadline
	Totals  []Total     // of the cases at risk, by currency
	Reused  []ReusedID  // ids that were handed out twice
	Coming  []IDRange   // ids that will be, unless the store's sequence stands higher
	Signs   []reconcile.Sign
	Resends []Resend // what will be sent again though its effect stands
	More    int64    // reused ids and resends that are counted, not listed
	Plan    Plan     // what can be put back; nil where nobody can look
}

// Plan looks what can be put back: it hands over the receipts that cannot be rebuilt, one by one, and returns how many can.
type Plan func(ctx context.Context, refused func(Unbuildable) error) (insertable int64, err error)

// Unbuildable is the case of a receipt that cannot be rebuilt, and why.
type Unbuildable struct{ Case, Reason string }

// GapCounts is a gap with what its cases say.
type GapCounts struct {
	reconcile.Gap
	Cases    int64 // cases in it
	Standing int64 // of these, those whose effect stands
	AtRisk   int64 // of these, those that a retry would, or might, execute again

	Confirmation string // the id of the record by which an operator confirmed it; "" = none is known
}

// Total is the money of cases at risk, in one currency.
type Total struct {
	Currency string
	Exponent uint8
	Count    int64
	Minor    *big.Int
}

// ReusedID is an id that two actions have.
type ReusedID struct {
	Source  string // whose row carries it
	ID      reconcile.Value
	Witness string // source:locator of the record that says it is another's
	Case    string
}

// IDRange is a run of ids that others know already and a store has yet to hand out.
type IDRange struct {
	Source   string
	From, To int64
}

// Resend is a message or job that will be sent again.
type Resend struct {
	Source, Locator string
	Case            string
}

// The most that are listed one by one; beyond it they are counted.
const (
	mostNext   = 20
	mostListed = 10_000
)

// AtRisk reports whether a case is one that a restore leaves to be executed again: it lies in a gap, declared or inferred, and is exposed.
func AtRisk(c *scan.Case) bool {
	return c.InGap != "" && c.Exposure.State != reconcile.ExposureNone
}

// CasesAtRisk yields the cases at risk: no known end first, then by deadline. A case is valid until the next one is asked for.
func CasesAtRisk(ctx context.Context, s Scan) iter.Seq2[*scan.Case, error] {
	return func(yield func(*scan.Case, error) bool) {
		for c, err := range s.Cases(ctx, scan.Filter{}) {
			if err != nil {
				yield(nil, err)
				return
			}
			if AtRisk(c) && !yield(c, nil) {
				return
			}
		}
	}
}

// Of reads the cases of a scan once.
func Of(ctx context.Context, s Scan) (*Audit, error) {
	b := builder{gaps: make(map[string]*GapCounts), totals: make(map[[2]string]*Total)}
	for _, g := range s.Manifest().Gaps {
		b.audit.Gaps = append(b.audit.Gaps, GapCounts{Gap: g})
	}
	for i := range b.audit.Gaps {
		b.gaps[b.audit.Gaps[i].Name()] = &b.audit.Gaps[i]
	}
	b.audit.Coming, b.audit.Signs = Reusable(s.Manifest()), Signs(s.Manifest(), nil)
	for c, err := range s.Cases(ctx, scan.Filter{}) {
		if err != nil {
			return nil, err
		}
		b.add(c)
	}
	b.audit.Totals = slices.SortedFunc(func(yield func(Total) bool) {
		for t := range maps.Values(b.totals) {
			if !yield(*t) {
				return
			}
		}
	}, func(x, y Total) int {
		return cmp.Or(cmp.Compare(x.Currency, y.Currency), cmp.Compare(x.Exponent, y.Exponent))
	})
	return &b.audit, nil
}

// Reusable lists the ids that stores of effects will hand out although others know them.
func Reusable(m *scan.Manifest) []IDRange {
	var out []IDRange
	for i := range m.States {
		if from, to, ok := m.States[i].Reusable(); ok {
			out = append(out, IDRange{Source: m.States[i].Name, From: from, To: to})
		}
	}
	return out
}

// Signs lists what in the data speaks of a restore: in the stores as they are, and against an earlier scan of them, nil where there is none.
func Signs(m, last *scan.Manifest) []reconcile.Sign {
	var out []reconcile.Sign
	for i := range m.States {
		now := &m.States[i]
		var then *reconcile.StoreState
		for k := 0; last != nil && k < len(last.States); k++ {
			if old := &last.States[k]; old.Name == now.Name && old.Role == now.Role {
				then = old
			}
		}
		out = append(out, now.Signs(then)...)
	}
	return out
}

type builder struct {
	audit  Audit
	gaps   map[string]*GapCounts
	totals map[[2]string]*Total
}

func (b *builder) add(c *scan.Case) {
	for _, gap := range []string{c.InGap, c.AlsoInGap} {
		g := b.gaps[gap]
		if g == nil {
			continue
		}
		g.Cases++
		if stands(c) {
			g.Standing++
		}
		if AtRisk(c) {
			g.AtRisk++
		}
	}
	if AtRisk(c) {
		b.audit.AtRisk++
		if len(b.audit.Next) < mostNext {
			b.audit.Next = append(b.audit.Next, *c)
		}
		b.addMoney(c.Amount)
	}
	for _, k := range c.Kinds {
		switch k {
		case reconcile.ReferenceReused:
			b.addReused(c)
		case reconcile.ResendPending:
			b.addResends(c)
		default:
		}
	}
}

// stands reports whether some leg of the action stands.
func stands(c *scan.Case) bool {
	return slices.ContainsFunc(c.Legs, func(l reconcile.Leg) bool { return l.State == reconcile.LegYes })
}

func (b *builder) addMoney(a reconcile.Amount) {
	if !a.Valid {
		return
	}
	at := [2]string{a.Currency, string(rune(a.Exponent))}
	t := b.totals[at]
	if t == nil {
		t = &Total{Currency: a.Currency, Exponent: a.Exponent, Minor: new(big.Int)}
		b.totals[at] = t
	}
	t.Count++
	t.Minor.Add(t.Minor, big.NewInt(a.Minor))
}

// addReused names the row that carries the id, and the record by which it is another action's.
func (b *builder) addReused(c *scan.Case) {
	for _, row := range c.Evidence {
		id := factOf(&row, "effect_id")
		if row.Role != reconcile.RoleEffect || !id.Known() {
			continue
		}
		for _, w := range c.Evidence {
			if w.Role == reconcile.RoleEffect || !factOf(&w, "effect_id").Equal(id) {
				continue
			}
			if b.listed() {
				b.audit.Reused = append(b.audit.Reused, ReusedID{Source: row.Source, ID: id, Witness: w.Source + ":" + w.Locator, Case: c.CaseID})
			}
		}
	}
}

func (b *builder) addResends(c *scan.Case) {
	for _, e := range c.Evidence {
		if e.Role == reconcile.RoleOutbox && b.listed() {
			b.audit.Resends = append(b.audit.Resends, Resend{Source: e.Source, Locator: e.Locator, Case: c.CaseID})
		}
	}
}

// listed reports whether one more may be listed, and counts it where not.
func (b *builder) listed() bool {
	if len(b.audit.Reused)+len(b.audit.Resends) < mostListed {
		return true
	}
	b.audit.More++
	return false
}

func factOf(e *scan.Evidence, name string) reconcile.Value {
	for _, f := range e.Facts {
		if f.Name == name {
			return f.Value
		}
	}
	return reconcile.Value{}
}
