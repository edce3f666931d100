package config

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"example.com/idemctl/internal/reconcile"
)

// maxCount is more records than one action makes.
const maxCount = 1 << 20

// contract reads one contract and fills in its defaults.
func (d *decoder) contract(v value) *reconcile.Contract {
	v.name = "a contract"
	c := &reconcile.Contract{Settle: reconcile.DefaultSettle, Margin: reconcile.DefaultMargin, TwinWindow: reconcile.DefaultTwinWindow}
	readers := map[string]func(value){}
	for _, group := range []map[string]func(value){identityFields(c), legFields(c), spanFields(c), businessFields(c), decisionFields(c), d.providerFields(c)} {
		maps.Copy(readers, group)
	}
	v.fields(readers)
	switch {
	case len(c.Operations) == 0:
		v.fail(`name the operation, or "*" for any`, "operation is missing")
	case len(c.Scope) == 0:
		v.fail("name the components that make a key unique, like scope: [tenant, operation, key]", "scope is missing")
	default:
		d.complete(c, v.at())
	}
	return c
}

// complete fills in what other fields decide.
func (d *decoder) complete(c *reconcile.Contract, at pos) {
	if c.Name == "" {
		c.Name = c.Operations[0]
	}
	if !c.EffectWithin.Valid {
		c.EffectWithin = reconcile.For(c.Settle)
	}
	d.later = append(d.later, func(cfg *Config) {
		for _, o := range cfg.Contracts {
			if o == c {
				return
			}
			if o.Name == c.Name {
				d.fail(at, "give it another name", "two contracts are named %s", quote(c.Name))
			}
		}
	})
}

// identityFields say which actions a contract governs and what names one of them.
func identityFields(c *reconcile.Contract) map[string]func(value) {
	return map[string]func(value){
		"name":      func(v value) { c.Name = v.label() },
		"operation": func(v value) { c.Operations = v.texts() },
		"aliases": func(v value) {
			c.Aliases = v.pairs()
			v.d.later = append(v.d.later, func(*Config) { v.governed(c) })
		},
		"scope": func(v value) { c.Scope = v.scope() },
		"since": func(v value) { c.Since = v.instant() },
		"key": func(v value) {
			if v.word("required", "optional") == "optional" {
				c.Key = reconcile.KeyOptional
			}
		},
		"compare": func(v value) { c.Compare = v.comparisons(c) },
		"free": func(v value) {
			c.Free = v.texts()
			v.d.later = append(v.d.later, func(*Config) {
				v.within(c, slices.DeleteFunc(slices.Clone(c.Free), func(n string) bool { return n == "target" }))
			})
		},
	}
}

// governed fails for each alias that leads to no operation of the contract: the actions that it should bring in would be nobody's.
func (v value) governed(c *reconcile.Contract) {
	for _, e := range v.entries() {
		if to := c.Aliases[e.key]; to != "" && !c.Governs([]byte(to)) {
			e.val.fail(suggest(to, c.Operations), "the alias %s leads to %s, which is no operation of contract %s", quote(e.key), quote(to), quote(c.Name))
		}
	}
}

// legFields say where an action has its effect.
func legFields(c *reconcile.Contract) map[string]func(value) {
	legs := map[string]reconcile.Legs{"local": reconcile.LegsLocal, "external": reconcile.LegsExternal, "both": reconcile.LegsBoth, "none": reconcile.LegsNone}
	return map[string]func(value){
		"effect": func(v value) { c.Effect = legs[v.word("local", "external", "both", "none")] },
		"atomic": func(v value) { c.Atomic = v.flag() },
		"order": func(v value) {
			c.Order = map[string]reconcile.Order{"local-first": reconcile.OrderLocalFirst, "provider-first": reconcile.OrderProviderFirst}[v.word("local-first", "provider-first")]
		},
		"effect_when": func(v value) {
			v.fields(map[string]func(value){"response_status": func(v value) { c.EffectWhen = v.ranges() }})
		},
		"effect_within":  func(v value) { c.EffectWithin = v.lasting() },
		"expects":        func(v value) { c.Expects = v.quantities() },
		"shared_effects": func(v value) { c.SharedEffects = v.flag() },
		"rebuild": func(v value) {
			c.Rebuild = &reconcile.Rebuild{}
			v.fields(map[string]func(value){
				"response_status": func(v value) { c.Rebuild.ResponseStatus = v.number(100, 599) },
				"response_body":   func(v value) { c.Rebuild.ResponseBody = v.text() },
			})
			if c.Rebuild.ResponseStatus == 0 {
				v.fail("say which status the lost response had, like response_status: 201", "response_status is missing")
			}
		},
	}
}

// spanFields say how long things last.
func spanFields(c *reconcile.Contract) map[string]func(value) {
	return map[string]func(value){
		"retention":    func(v value) { c.Retention = v.lasting() },
		"retry_window": func(v value) { c.RetryWindow = v.lasting() },
		"settle":       func(v value) { c.Settle = v.span() },
		"lease":        func(v value) { c.Lease = v.lasting() },
		"dead_after":   func(v value) { c.DeadAfter = reconcile.For(v.span()) },
		"resend_after": func(v value) { c.ResendAfter = reconcile.For(v.span()) },
		"margin":       func(v value) { c.Margin = v.span() },
		"twin_window":  func(v value) { c.TwinWindow = v.span() },
		"expiry": func(v value) {
			v.fields(map[string]func(value){
				"at": func(v value) { c.Expiry.Inclusive = v.word("exclusive", "inclusive") == "inclusive" },
				"by": func(v value) { c.Expiry.ByReaper = v.word("read-check", "reaper") == "reaper" },
			})
		},
	}
}

// businessFields say what makes two actions the same in business.
func businessFields(c *reconcile.Contract) map[string]func(value) {
	return map[string]func(value){
		"actor":       func(v value) { c.Actor = v.texts() },
		"fingerprint": func(v value) { c.Fingerprint = v.fingerprint() },
		"unique": func(v value) {
			for _, item := range v.list() {
				c.Unique = append(c.Unique, item.unique())
			}
		},
		"params": func(v value) {
			c.Params = &reconcile.ParamSpec{}
			v.fields(map[string]func(value){
				"from":    func(v value) { v.fromBody() },
				"exclude": func(v value) { c.Params.Exclude = v.texts() },
				"defaults": func(v value) {
					c.Params.Defaults = map[string]string{}
					for _, e := range v.entries() {
						c.Params.Defaults[e.key] = e.val.json()
					}
				},
			})
		},
		"failures": func(v value) {
			v.fields(map[string]func(value){
				"occupies_key": func(v value) { c.Occupies = v.failures() },
				"frees_key":    func(v value) { c.Frees = v.failures() },
			})
			v.disjoint(c)
		},
	}
}

// fromBody demands that parameters are taken as the sources map them: a contract says how they are compared, each source where they stand.
func (v value) fromBody() {
	if from := v.text(); from != "body" && from != "params" {
		v.fail("say where they stand in each source's map, like params: request.body, and leave from out, or write from: body", "params.from: %s is not known: what each source maps as params is compared", quote(from))
	}
}

// failures reads names of stored failures: error codes, or response statuses.
func (v value) failures() []reconcile.Failure {
	var out []reconcile.Failure
	for _, name := range v.texts() {
		out = append(out, reconcile.ParseFailure(name))
	}
	return out
}

// disjoint demands that no failure both occupies and frees the key.
func (v value) disjoint(c *reconcile.Contract) {
	for _, f := range c.Frees {
		for _, o := range c.Occupies {
			if f.Name == o.Name || f.ByStatus() && o.ByStatus() && f.Status.From <= o.Status.To && o.Status.From <= f.Status.To {
				v.fail("keep it in one of the two", "%s both occupies and frees the key", quote(f.Name))
			}
		}
	}
}

// decisionFields say what deciding takes.
func decisionFields(c *reconcile.Contract) map[string]func(value) {
	return map[string]func(value){
		"four_eyes": func(v value) {
			var known []string
			for r := reconcile.BackfillReceipt; r <= reconcile.Accept; r++ {
				known = append(known, r.String())
			}
			for dec := reconcile.DecideReplay; dec <= reconcile.DecideResolve; dec++ { // handing over and looking again are always allowed
				known = append(known, dec.String())
			}
			c.FourEyes = v.texts()
			for _, item := range v.list() {
				item.word(known...)
			}
		},
		"approval_life":  func(v value) { c.ApprovalLife = v.lasting() },
		"replay_max_age": func(v value) { c.ReplayMaxAge = v.lasting() },
	}
}

// scope returns the components of an identity.
func (v value) scope() []string {
	names := v.texts()
	for _, item := range v.list() {
		if n, _ := scalar(item.node); facts[n] {
			item.fail("a scope lists what makes a key unique, like tenant, operation, key", "%s is a fact of a record, no component of its identity", quote(n))
		}
	}
	if len(names) > 0 && !slices.Contains(names, "key") {
		v.fail("add key: without it no receipt names an action", "scope lacks key")
	}
	return names
}

// within demands that names are components of c's scope.
func (v value) within(c *reconcile.Contract, names []string) {
	for _, n := range names {
		if !slices.Contains(c.Scope, n) {
			v.fail(suggest(n, c.Scope), "%s names %s, which is not in the scope", v.name, quote(n))
		}
	}
}

func (v value) comparisons(c *reconcile.Contract) map[string]reconcile.Comparison {
	words := map[string]reconcile.Comparison{"bytes": reconcile.CompareBytes, "ci": reconcile.CompareCI, "trim": reconcile.CompareTrim, "nfc": reconcile.CompareNFC}
	out := map[string]reconcile.Comparison{}
	for _, e := range v.entries() {
		out[e.key] = words[e.val.word("bytes", "ci", "trim", "nfc")]
	}
	names := slices.Sorted(maps.Keys(out))
	v.d.later = append(v.d.later, func(*Config) { v.within(c, names) })
	return out
}

// quantities reads how many records of each source one action makes: 1, "2..", "1..3".
func (v value) quantities() map[string]reconcile.Quantity {
	out := map[string]reconcile.Quantity{}
	for _, e := range v.entries() {
		out[e.key] = e.val.quantity()
		named := value{d: v.d, node: e.val.node, name: v.name}
		v.d.later = append(v.d.later, func(cfg *Config) { named.known(e.at, e.key, cfg) })
	}
	return out
}

func (v value) quantity() reconcile.Quantity {
	s := v.text()
	from, to, ranged := strings.Cut(s, "..")
	lo, ok := count(from)
	hi, bounded := lo, ok
	switch {
	case ranged && to == "":
		hi, bounded = -1, true
	case ranged:
		hi, bounded = count(to)
	}
	if hi == 0 && ok && bounded {
		v.fail(`leave the source out: the contract looks only into those that expects names; where an action may make one or none, write "0..1"`, "%s expects no record of a source, which says nothing", v.name)
		return reconcile.Quantity{}
	}
	if !ok || !bounded || hi >= 0 && hi < lo {
		v.fail(`write 1, "2.." or "1..3"`, "%s is no quantity: %s", v.name, quote(s))
	}
	return reconcile.Quantity{Min: lo, Max: hi}
}

func count(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 0 && n <= maxCount && strconv.Itoa(n) == s
}

// ranges reads response statuses: 201, "200-299", or a list of them.
func (v value) ranges() []reconcile.Range {
	var out []reconcile.Range
	for _, item := range v.list() {
		s := item.text()
		from, to, ranged := strings.Cut(s, "-")
		if !ranged {
			to = from
		}
		lo, ok := count(from)
		hi, bounded := count(to)
		if !ok || !bounded || lo < 100 || hi > 599 || hi < lo {
			item.fail(`write 201 or "200-299"`, "%s is no range of response statuses: %s", v.name, quote(s))
		}
		out = append(out, reconcile.Range{From: int64(lo), To: int64(hi)})
	}
	return out
}

func (v value) unique() reconcile.UniqueRule {
	var r reconcile.UniqueRule
	v.fields(map[string]func(value){
		"columns": func(v value) { r.Columns = v.texts() },
		"where":   func(v value) { r.Where = v.pairs() },
	})
	if len(r.Columns) == 0 {
		v.fail("name the columns that are unique together", "columns is missing")
	}
	return r
}

func (v value) fingerprint() *reconcile.FingerprintSpec {
	f := &reconcile.FingerprintSpec{}
	v.fields(map[string]func(value){
		"algorithm": func(v value) { f.Algorithm = v.text() },
		"over":      func(v value) { f.Over = v.texts() },
		"version":   func(v value) { f.Version = int(v.number(0, maxCount)) },
	})
	if f.Algorithm == "" {
		v.fail("name it: only equal algorithms make fingerprints comparable", "algorithm is missing")
	}
	return f
}

// source returns the name of a source, which must be declared.
func (v value) source() string {
	s := v.text()
	v.d.later = append(v.d.later, func(cfg *Config) { v.known(v.at(), s, cfg) })
	return s
}

// known demands that name is a source's.
func (v value) known(at pos, name string, cfg *Config) {
	names := make([]string, len(cfg.Sources))
	for i := range cfg.Sources {
		names[i] = cfg.Sources[i].Name
	}
	if !slices.Contains(names, name) {
		v.d.fail(at, suggest(name, names), "%s names %s, which is no source", v.name, quote(name))
	}
}
