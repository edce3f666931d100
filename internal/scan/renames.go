package scan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/text"
)

// mostOperations is how many operations of all contracts are told apart by time; of more, none is said to be renamed.
const mostOperations = 4096

// operationOf is one operation of a contract, as records tell it.
type operationOf struct {
	contract *reconcile.Contract
	name     string
}

// life is when an operation's rows begin and end.
type life struct{ first, last reconcile.Instant }

func (l life) with(at ...reconcile.Instant) life {
	return life{reconcile.Earliest(append(at, l.first)...), reconcile.Latest(append(at, l.last)...)}
}

// seeOperation keeps when the operations of a contract that tells several apart were in use.
func (n *tally) seeOperation(c *reconcile.Contract, r *reconcile.Record) {
	op := r.Component("operation")
	if !op.Known() || !c.MayRename() || len(n.operations) > mostOperations {
		return
	}
	if n.operations == nil {
		n.operations = make(map[operationOf]life)
	}
	if l, ok := n.operations[operationOf{c, string(op.Bytes())}]; ok && !r.Time().Before(l.first) && !r.Time().After(l.last) {
		return
	}
	of := operationOf{c, op.String()}
	n.operations[of] = n.operations[of].with(r.Time())
}

// operationsOf joins what each source's goroutine kept.
func operationsOf(all []tally) map[operationOf]life {
	out := make(map[operationOf]life)
	for i := range all {
		for of, l := range all[i].operations {
			out[of] = out[of].with(l.first, l.last)
		}
	}
	if len(out) > mostOperations {
		return nil
	}
	return out
}

// renames gathers, per contract, the keys that came back under another operation which had taken the place of the first: one finding, not a case a key.
type renames struct {
	lives map[operationOf]life
	by    map[[2]operationOf]*ContractFinding
}

// renamed reports whether one operation's rows end where another's begin: a few may still come under the old name while the new one is rolled out.
func (r *renames) renamed(from, to operationOf) bool {
	a, okA := r.lives[from]
	b, okB := r.lives[to]
	return okA && okB && a.first.Before(b.first) && a.last.Before(b.last) && !a.last.After(b.first.Add(from.contract.Margin))
}

func (r *renames) add(s *reconcile.Subject, v *reconcile.Judgement) {
	for i := range s.Ties {
		if s.Ties[i].Kind != reconcile.TieOperation {
			continue
		}
		pair := [2]operationOf{{s.Contract, operationIn(s.Ties[i].Other)}, {s.Contract, operationIn(s.Identity)}}
		if !r.renamed(pair[0], pair[1]) {
			continue
		}
		f := r.by[pair]
		if f == nil {
			f = &ContractFinding{Kind: reconcile.ScopeChanged, Contract: s.Contract.Name}
			r.by[pair] = f
		}
		f.Count++
		f.From, f.To = reconcile.Earliest(f.From, v.Since), reconcile.Latest(f.To, v.Since)
		f.Example = exampleOf(f.Example, s.Identity)
		f.addMoney(v.Amount)
		return
	}
}

func operationIn(id []reconcile.Component) string {
	for _, c := range id {
		if c.Name == "operation" {
			return c.Value.String()
		}
	}
	return ""
}

// list returns the findings in the book's order and by name, with their sentence.
func (r *renames) list(b reconcile.Book) []ContractFinding {
	pairs := slices.SortedFunc(maps.Keys(r.by), func(x, y [2]operationOf) int {
		return cmp.Or(cmp.Compare(slices.Index(b, x[0].contract), slices.Index(b, y[0].contract)), strings.Compare(x[0].name, y[0].name), strings.Compare(x[1].name, y[1].name))
	})
	var out []ContractFinding
	for _, pair := range pairs {
		f := r.by[pair]
		many := fmt.Sprintf("%d keys that were used under %s came back under %s", f.Count, text.SafeString(pair[0].name), text.SafeString(pair[1].name))
		if f.Count == 1 {
			many = fmt.Sprintf("1 key that was used under %s came back under %s", text.SafeString(pair[0].name), text.SafeString(pair[1].name))
		}
		f.Text = many + " with the same request, inside the retry window: the operation was renamed while keys were open, and no receipt of the old name recognises a retry under the new one. " +
			"Declare the old name as an alias of the new one (aliases:), and let the service look for both."
		f.sortMoney()
		out = append(out, *f)
	}
	return out
}
