package scan_test

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"example.com/idemctl/internal/reconcile"
)

// across draws what a contract says of actions beside each other, and returns the names of its scope.
func across(t *rapid.T, c *reconcile.Contract) []string {
	if rapid.IntRange(0, 2).Draw(t, "regional") == 0 {
		c.Scope = []string{"tenant", "operation", "region", "key"}
		if rapid.IntRange(0, 2).Draw(t, "free region") == 0 {
			c.Free = []string{"region"}
		}
	}
	if rapid.Bool().Draw(t, "unique") {
		c.Unique = []reconcile.UniqueRule{{Columns: []string{"invoice"}}, {Columns: []string{"tenant", "invoice"}, Where: map[string]string{"status": "effective"}}}
	}
	if rapid.IntRange(0, 3).Draw(t, "imports") == 0 {
		c.Operations = []string{"create", "import"}
	}
	if rapid.IntRange(0, 2).Draw(t, "dedup") == 0 {
		c.Provider = &reconcile.Profile{Name: "drawn", Dedup: true, Retention: reconcile.RetentionMinimum, For: 24 * time.Hour, Scope: []string{"region"}}
		c.ProviderKey = rapid.SampledFrom([]reconcile.ProviderKey{
			{},
			{Rule: reconcile.ProviderKeyTemplate, Template: "{tenant}-{key}"},
			{Rule: reconcile.ProviderKeyTemplate, Template: "x-{key}"},
			{Rule: reconcile.ProviderKeyColumn, Column: "provider_key"},
			{Rule: reconcile.ProviderKeyMinted},
		}).Draw(t, "provider's key")
	}
	return c.Scope
}

// sentKeys tells in a record which key the provider was sent, of a few that collide on purpose; a log that does not map it may show it as its key.
func sentKeys(t *rapid.T, r *reconcile.Record, f reconcile.SourceFacts) {
	key := func(label string) reconcile.Value {
		if word := rapid.SampledFrom([]string{"", "p1", "p2", "p3", "p4", "north-K1"}).Draw(t, label); word != "" {
			return reconcile.Text(word)
		}
		return reconcile.Value{}
	}
	r.ProviderKey = key("told key")
	if sent := r.ProviderKey; f.Role == reconcile.RoleProvider && !f.SentKeys {
		if r.ProviderKey = (reconcile.Value{}); sent.Known() && r.Components[2].Value.Known() {
			r.Components[2].Value = sent
		}
	}
	for i := range r.Attempts {
		r.Attempts[i].KeySent = key("attempt's key")
	}
}

// scene plants two actions that have something in common across their identities, at one time and with rows left out here and there.
func scene(t *rapid.T, ms []*memory, keyed func(*reconcile.Record, reconcile.SourceFacts)) {
	at := noon.Add(-time.Duration(rapid.SampledFrom([]int{9, 8, 6}).Draw(t, "scene at")) * time.Hour)
	away := rapid.SampledFrom([]time.Duration{time.Minute, 5 * time.Minute, time.Hour}).Draw(t, "scene apart")
	sameKey := rapid.Bool().Draw(t, "scene same key")
	who, what, number := rapid.SampledFrom([]string{"ann", "bob"}).Draw(t, "who"), rapid.SampledFrom([]string{`{"q":1}`, `{"q":2}`}).Draw(t, "what"), rapid.IntRange(1, 2).Draw(t, "number")
	for i := range 2 {
		key := "S"
		if !sameKey && i == 1 {
			key = rapid.SampledFrom([]string{"T", "K1"}).Draw(t, "other key")
		}
		tenant, region := rapid.SampledFrom([]string{"north", "north", "south"}).Draw(t, "scene tenant"), rapid.SampledFrom([]string{"eu", "us"}).Draw(t, "scene region")
		for _, m := range ms {
			if rapid.IntRange(0, 5).Draw(t, "left out") == 0 {
				continue
			}
			r := good(&m.facts, key)
			r.EffectID, r.ProviderRef = reconcile.Text(fmt.Sprintf("s%d", i)), reconcile.Text(fmt.Sprintf("so%d", i))
			r.Components[0].Value, r.CreatedAt = reconcile.Text(tenant), reconcile.At(at.Add(time.Duration(i)*away))
			r.Components = append(r.Components, reconcile.Component{Name: "region", Value: reconcile.Text(region)})
			r.Extra = []reconcile.Component{{Name: "invoice", Value: reconcile.Text(fmt.Sprint(number))}}
			if rapid.IntRange(0, 4).Draw(t, "tells the request") > 0 {
				r.Params = reconcile.Text(what)
			}
			if rapid.IntRange(0, 4).Draw(t, "tells the actor") > 0 {
				r.Extra = append(r.Extra, reconcile.Component{Name: "customer", Value: reconcile.Text(who)})
			}
			if rapid.IntRange(0, 4).Draw(t, "tells a fingerprint") == 0 {
				r.Fingerprint = reconcile.Text("of " + what)
			}
			switch m.facts.Role {
			case reconcile.RoleProvider:
				r.ObjectID, r.EffectID, r.ProviderRef = r.ProviderRef, reconcile.Value{}, reconcile.Value{}
			case reconcile.RoleIntent:
				r.EffectID, r.ProviderRef = reconcile.Value{}, reconcile.Value{}
				outcome := rapid.SampledFrom([]reconcile.AttemptOutcome{reconcile.AttemptConfirmed, reconcile.AttemptUncertain}).Draw(t, "scene attempt")
				r.Attempts = []reconcile.Attempt{{At: r.CreatedAt, Target: reconcile.Text(region), Outcome: outcome}}
			default:
			}
			r.ProviderKey = reconcile.Text("sp" + fmt.Sprint(number))
			keyed(r, m.facts)
			if m.facts.Role != reconcile.RoleIntent && rapid.IntRange(0, 5).Draw(t, "scene row without its key") == 0 {
				r.Components[2].Value = reconcile.Value{}
			}
			r.Locator = fmt.Sprintf("%s/%d", m.facts.Name, len(m.recs))
			m.recs = append(m.recs, r)
		}
	}
}
