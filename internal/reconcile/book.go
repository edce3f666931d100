package reconcile

import "slices"

// Book is the contracts in the config's order: the first whose operation matches claims a record.
type Book []*Contract

// Claim finds the contract of a record and puts its operation through that contract's aliases. A record without a known operation is claimed
// only where one contract can be meant: the single contract of the book. One that matches any operation is not meant by a record that may be of another.
// nil means that no contract claims the record: it is counted as unclaimed.
func (b Book) Claim(r *Record) *Contract {
	if r.NotOurs || (r.Role == RoleProvider && !r.Claimed) {
		return nil
	}
	op := r.Component("operation")
	if !op.Known() {
		return b.withoutOperation()
	}
	for _, c := range b {
		word := op.text
		if alias, ok := c.Aliases[string(word)]; ok {
			word = []byte(alias)
		}
		if c.Governs(word) {
			if len(word) != len(op.text) || string(word) != string(op.text) {
				r.setComponent("operation", Bytes(word))
			}
			return c
		}
	}
	return nil
}

// Governs reports whether an operation, already put through the aliases, is one of the contract's.
func (c *Contract) Governs(operation []byte) bool {
	return slices.ContainsFunc(c.Operations, func(pattern string) bool { return matchGlob(pattern, operation) })
}

func (b Book) withoutOperation() *Contract {
	if len(b) == 1 {
		return b[0]
	}
	return nil
}

// ShareScopes marks the contracts whose scope is that of an earlier one and does not tell them apart.
func (b Book) ShareScopes() {
	for i, c := range b {
		c.ScopeOfAnother = !slices.Contains(c.Scope, "operation") && slices.ContainsFunc(b[:i], func(o *Contract) bool {
			return slices.Equal(slices.Sorted(slices.Values(o.Scope)), slices.Sorted(slices.Values(c.Scope)))
		})
	}
}

func (r *Record) setComponent(name string, v Value) {
	for i := range r.Components {
		if r.Components[i].Name == name {
			r.Components[i].Value = v
		}
	}
}

// matchGlob reports whether text matches a pattern in which * stands for any bytes and everything else for itself.
func matchGlob(pattern string, text []byte) bool {
	p, t, star, mark := 0, 0, -1, 0
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, t
			p++
		case p < len(pattern) && pattern[p] == text[t]:
			p++
			t++
		case star >= 0:
			mark++
			p, t = star+1, mark
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}
