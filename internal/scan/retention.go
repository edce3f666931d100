package scan

import (
	"fmt"
	"slices"
	"strings"

	"example.com/idemctl/internal/reconcile"
)

// retentionGaps gathers, per contract, the subjects whose receipt's life ended inside the retry window: one finding of the contract, not a case a key.
type retentionGaps struct {
	by map[*reconcile.Contract]*ContractFinding
}

func (g *retentionGaps) add(s *reconcile.Subject, v *reconcile.Judgement) {
	f := g.by[s.Contract]
	if f == nil {
		f = &ContractFinding{Kind: reconcile.RetentionGap, Contract: s.Contract.Name}
		g.by[s.Contract] = f
	}
	f.Count++
	f.From, f.To = reconcile.Earliest(f.From, v.RetainedTo), reconcile.Latest(f.To, v.RetainedTo)
	f.Example = exampleOf(f.Example, s.Identity)
	f.addMoney(v.Amount)
}

// addMoney adds an amount to the sum of its currency.
func (f *ContractFinding) addMoney(a reconcile.Amount) {
	if !a.Valid {
		return
	}
	for i := range f.Money {
		if m := &f.Money[i]; m.Currency == a.Currency && m.Exponent == a.Exponent {
			m.Minor += a.Minor
			return
		}
	}
	f.Money = append(f.Money, a)
}

func (f *ContractFinding) sortMoney() {
	slices.SortFunc(f.Money, func(a, b reconcile.Amount) int { return strings.Compare(a.Currency, b.Currency) })
}

// exampleOf keeps the least identity by its bytes, so that the order of rows does not choose the example.
func exampleOf(have, cs []reconcile.Component) []reconcile.Component {
	if have == nil || slices.CompareFunc(cs, have, func(a, b reconcile.Component) int { return strings.Compare(a.Value.String(), b.Value.String()) }) < 0 {
		out := make([]reconcile.Component, len(cs))
		for i, c := range cs {
			out[i] = reconcile.Component{Name: c.Name, Value: c.Value.Clone()}
		}
		return out
	}
	return have
}

// list returns the findings in the book's order, with their sentence.
func (g *retentionGaps) list(b reconcile.Book) []ContractFinding {
	var out []ContractFinding
	for _, c := range b {
		f := g.by[c]
		if f == nil {
			continue
		}
		f.sortMoney()
		window := "has no declared end"
		if c.RetryWindow.Valid {
			window = "is " + c.RetryWindow.D.String()
		}
		stand, late := fmt.Sprintf("%d actions stand", f.Count), "any of them"
		if f.Count == 1 {
			stand, late = "1 action stands", "it"
		}
		f.Text = fmt.Sprintf("%s whose receipt's life has ended while a retry may still come: the retry window %s, receipts live %s. A late retry of %s executes again.", stand, window, retentionText(c), late)
		out = append(out, *f)
	}
	return out
}

func retentionText(c *reconcile.Contract) string {
	if c.Retention.Valid {
		return c.Retention.D.String()
	}
	return "as long as each row says"
}
