package config

import (
	"slices"
	"strings"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/spelling"
)

// declared is the profile of a block that names none: nothing is promised but what the block says.
var declared = reconcile.Profile{Name: "declared", Remembers: "none", Lookup: "none", Source: "declared in the config"}

// providerFields say what the provider promises and which key it is sent.
func (d *decoder) providerFields(c *reconcile.Contract) map[string]func(value) {
	return map[string]func(value){
		"provider":     func(v value) { c.Provider = d.profile(v) },
		"provider_key": func(v value) { c.ProviderKey = d.providerKey(v, c) },
	}
}

// profile reads a shipped profile's name, or a block: a profile with settings of its own, or the settings alone.
func (d *decoder) profile(v value) *reconcile.Profile {
	v.name = "provider"
	if !v.mapping() {
		p := v.shipped()
		v.settled(&p, nil)
		return &p
	}
	p := declared
	entries := v.entries()
	for _, e := range entries {
		if e.key == "profile" {
			p = e.val.shipped()
		}
	}
	readers := profileFields(&p)
	readers["profile"] = func(value) {}
	v.fields(readers)
	given := make([]string, len(entries))
	for i, e := range entries {
		given[i] = e.key
	}
	v.settled(&p, given)
	if p.Retention != reconcile.RetentionNone && !p.Dedup {
		v.fail("add dedup: true, or take retention out", "a retention of keys by which nothing is deduplicated")
	}
	if p.Name == declared.Name && p.Dedup && !slices.Contains(given, "retention") {
		v.fail("add retention: {kind: minimum, for: 24h}; kind: none where nothing is promised", "dedup without retention")
	}
	return &p
}

// settled demands what the profile leaves to the config.
func (v value) settled(p *reconcile.Profile, given []string) {
	for _, r := range p.Required {
		if slices.Contains(given, r) {
			continue
		}
		example := r + ": …"
		if r == "retention" {
			example = "retention: {kind: minimum, for: 24h}"
		}
		v.fail("write it with what the provider confirms to you, like provider: {profile: "+p.Name+", "+example+"}", "profile %s does not know the %s, and it must not be guessed", p.Name, r)
	}
}

func (v value) shipped() reconcile.Profile {
	names := make([]string, len(reconcile.Profiles))
	for i := range reconcile.Profiles {
		names[i] = reconcile.Profiles[i].Name
	}
	s := v.text()
	p, ok := reconcile.ProfileByName(s)
	if !ok {
		hint := "write one of " + strings.Join(names, ", ") + ", or what you know of it: {dedup: true, retention: {kind: minimum, for: 24h}, scope: [account]}"
		if spelling.Meant(s, names) != "" {
			hint = suggest(s, names)
		}
		v.fail(hint, "no provider profile is named %s", quote(s))
	}
	return p
}

func profileFields(p *reconcile.Profile) map[string]func(value) {
	return map[string]func(value){
		"dedup":      func(v value) { p.Dedup = v.flag() },
		"retention":  func(v value) { v.retention(p) },
		"scope":      func(v value) { p.Scope = v.texts() },
		"body_check": func(v value) { p.BodyCheck = v.flag() },
		"remembers":  func(v value) { p.Remembers = v.word("all", "success-only", "none") },
		"lookup":     func(v value) { p.Lookup = v.word("by-key", "by-reference", "none") },
		"lag":        func(v value) { p.Lag = v.span() },
		"history":    func(v value) { p.History = v.lasting().D },
	}
}

// retention reads how long a provider keeps a key, and what the end of that time proves.
func (v value) retention(p *reconcile.Profile) {
	if !v.mapping() {
		v.fail("say what the end of it proves: {kind: exact, for: 24h}, or kind: minimum", "retention has no kind")
		return
	}
	kinds := map[string]reconcile.RetentionKind{"none": reconcile.RetentionNone, "exact": reconcile.RetentionExact, "minimum": reconcile.RetentionMinimum, "forever": reconcile.RetentionForever}
	kind, lasts := "", reconcile.Span{}
	v.fields(map[string]func(value){
		"kind": func(v value) { kind = v.word("exact", "minimum", "none", "forever") },
		"for":  func(v value) { lasts = v.lasting() },
	})
	timed := kind == "exact" || kind == "minimum"
	switch {
	case kind == "":
		v.fail("exact: then the key is forgotten; minimum: then nobody knows; none: nothing is promised; forever", "kind is missing")
	case timed && !lasts.Valid:
		v.fail("say how long, like for: 24h", "for is missing")
	case !timed && lasts.Valid:
		v.fail("take for out, or say exact or minimum", "retention of kind %s has no length", kind)
	}
	p.Retention, p.For = kinds[kind], lasts.D
}

// providerKey reads which key the provider is sent: same, minted, {template}, {column}.
func (d *decoder) providerKey(v value, c *reconcile.Contract) reconcile.ProviderKey {
	v.name = "provider_key"
	if !v.mapping() {
		if v.word("same", "minted") == "minted" {
			return reconcile.ProviderKey{Rule: reconcile.ProviderKeyMinted}
		}
		return reconcile.ProviderKey{}
	}
	var k reconcile.ProviderKey
	v.fields(map[string]func(value){
		"template": func(v value) {
			k.Rule, k.Template = reconcile.ProviderKeyTemplate, v.text()
			d.later = append(d.later, func(*Config) { v.template(c, k.Template) })
		},
		"column": func(v value) { k.Rule, k.Column = reconcile.ProviderKeyColumn, v.text() },
	})
	if (k.Template == "") == (k.Column == "") {
		v.fail(`write {template: "orders-{key}"} or {column: provider_key}`, "provider_key needs a template or a column")
	}
	return k
}

// template demands that a provider key is made of what outlives a lost receipt: the components of the identity.
func (v value) template(c *reconcile.Contract, s string) {
	made := false
	for rest := s; ; {
		_, tail, ok := strings.Cut(rest, "{")
		if !ok {
			break
		}
		name, after, closed := strings.Cut(tail, "}")
		if !closed {
			v.fail("close it, like {key}", "the template has an open brace")
			return
		}
		if !slices.Contains(c.Scope, name) {
			v.fail(suggest(name, c.Scope)+"; a key made of anything else dies with the row that held it", "the template names %s, which is not in the scope", quote(name))
			return
		}
		made, rest = made || name == "key", after
	}
	if !made {
		v.fail(`put the key into it, like "orders-{key}"`, "the template lacks {key}: every action would send one key")
	}
}
