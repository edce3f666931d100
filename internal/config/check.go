package config

import (
	"errors"
	"maps"
	"slices"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources"
	"example.com/idemctl/internal/sources/mapping"
)

// facts are the names that a map may give and that are no component of an identity.
var facts = func() map[string]bool {
	out := map[string]bool{}
	for _, name := range mapping.KnownFacts() {
		out[name] = !slices.Contains(mapping.StandardComponents, name) && name != "mode"
	}
	return out
}()

// check looks at the file as a whole: names that refer to each other, and maps that can be compiled.
func (d *decoder) check(cfg *Config) {
	for _, later := range d.later {
		later(cfg)
	}
	cfg.shareKeys()
	reconcile.Book(cfg.Contracts).ShareScopes()
	cfg.settleLogs()
	d.serve(cfg)
	for i := range cfg.Sources {
		s := &cfg.Sources[i]
		s.Components, s.Extra, s.Several = components(cfg), used(cfg), len(cfg.Contracts) > 1
		_, err := mapping.Compile(mapping.Input{
			Source: s.Name, Role: s.Role, Fields: s.Map, Row: s.Row, Where: s.Where, Exclude: s.Exclude, Claim: s.Claim, TestMode: s.TestMode,
			Components: s.Components, Extra: s.Extra, Line: s.Line, Col: s.Col,
		})
		var bad *mapping.Error
		if errors.As(err, &bad) {
			d.fail(pos{bad.Line, bad.Col}, bad.Hint, "%s", bad.Msg)
		} else if err != nil {
			d.fail(pos{s.Line, s.Col}, "look at the map of this source", "%v", err)
		}
	}
}

// components are the names in the contracts' scopes, sorted.
func components(cfg *Config) []string {
	set := map[string]bool{}
	for _, c := range cfg.Contracts {
		add(set, c.Scope...)
	}
	return slices.Sorted(maps.Keys(set))
}

// used are the other names of records that the contracts speak of, sorted.
func used(cfg *Config) []string {
	set := map[string]bool{}
	for _, c := range cfg.Contracts {
		add(set, c.Actor...)
		for _, u := range c.Unique {
			add(set, u.Columns...)
			add(set, slices.Collect(maps.Keys(u.Where))...)
		}
		if c.ProviderKey.Column != "" {
			add(set, c.ProviderKey.Column)
		}
	}
	for _, name := range append(components(cfg), mapping.KnownFacts()...) {
		delete(set, name)
	}
	return slices.Sorted(maps.Keys(set))
}

func add(set map[string]bool, names ...string) {
	for _, n := range names {
		set[n] = true
	}
}

// settleLogs fills in what a contract's providers decide: where its effect is looked for, and how late a log that does not say shows an effect. What a log shows of an
// action is never passed over for want of a word: only a declared effect makes it none.
func (c *Config) settleLogs() {
	for _, contract := range c.Contracts {
		local, external := false, contract.Provider != nil
		for i := range c.Sources {
			s := &c.Sources[i]
			switch {
			case !mayShow(s, contract):
			case s.Role == reconcile.RoleEffect:
				local = true
			case s.Role == reconcile.RoleProvider:
				external = true
				if contract.Provider != nil {
					s.Lag = max(s.Lag, contract.Provider.Lag)
				}
			}
		}
		switch {
		case contract.Effect != 0:
		case external && !local && contract.Provider == nil:
			contract.Effect = reconcile.LegsExternal
		case external:
			contract.Effect = reconcile.LegsBoth
		default:
			contract.Effect = reconcile.LegsLocal
		}
	}
}

// mayShow reports whether a source's rows may be of a contract's actions: those of a map that has words of its own for operations are of these.
func mayShow(s *sources.Spec, c *reconcile.Contract) bool {
	at := slices.IndexFunc(s.Map, func(f sources.Field) bool { return f.Name == "operation" })
	if at < 0 {
		return true
	}
	words := slices.Collect(maps.Values(s.Map[at].Words))
	if of := s.Map[at].Const; of != nil {
		words = []string{*of}
	}
	return len(words) == 0 || slices.ContainsFunc(words, func(word string) bool {
		return reconcile.Book{c}.Claim(&reconcile.Record{Role: s.Role, Claimed: true, Components: []reconcile.Component{{Name: "operation", Value: reconcile.Text(word)}}}) != nil
	})
}

// shareKeys marks the contracts that send keys to one provider, as far as the sources' maps tell which logs show whom.
func (c *Config) shareKeys() {
	var facts []reconcile.SourceFacts
	for i := range c.Sources {
		f := reconcile.SourceFacts{Name: c.Sources[i].Name, Role: c.Sources[i].Role}
		for _, m := range c.Sources[i].Map {
			if m.Name == "operation" && m.Const != nil {
				f.Operation = reconcile.Text(*m.Const)
			}
		}
		facts = append(facts, f)
	}
	reconcile.Book(c.Contracts).ShareKeys(facts)
}
