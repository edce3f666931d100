package reconcile

import "slices"

// ShareKeys marks the contracts that send their keys to one provider: to it a key is the same, whichever contract it is of. Contracts of one profile are taken
// to do so where one log shows both, or where no log is configured for one of them; whose accounts are components of their scopes are told apart by these.
func (b Book) ShareKeys(facts []SourceFacts) {
	for _, c := range b {
		c.SharesKeys = slices.ContainsFunc(b, func(o *Contract) bool { return o != c && c.oneProvider(o, facts) })
	}
}

func (c *Contract) oneProvider(o *Contract, facts []SourceFacts) bool {
	for _, one := range []*Contract{c, o} {
		if !one.Effect.external() || one.Provider == nil || !one.Provider.Dedup || one.ProviderKey.Rule == ProviderKeyMinted {
			return false
		}
	}
	if c.Provider.Name != o.Provider.Name || !slices.Equal(c.Provider.Scope, o.Provider.Scope) {
		return false
	}
	own, others, both := false, false, false
	for i := range facts {
		if f := &facts[i]; f.Role == RoleProvider {
			a, b := c.concerns(f), o.concerns(f)
			own, others, both = own || a, others || b, both || (a && b)
		}
	}
	return both || !own || !others
}
