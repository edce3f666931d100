package scan

import (
	"hash/maphash"
	"testing"
	"time"

	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources"
)

var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// known is a reader of which only the facts matter.
type known struct {
	sources.Reader
	facts reconcile.SourceFacts
}

func (k *known) Facts() reconcile.SourceFacts { return k.facts }

// plain is one action and the world around it, in which the table's cases differ in one thing each.
type plain struct {
	contract *reconcile.Contract
	facts    []reconcile.SourceFacts
	records  []*reconcile.Record
}

const (
	atReceipts = iota
	atEffects
	atCharges
	atClients
)

func newPlain() *plain {
	p := &plain{contract: &reconcile.Contract{
		Name: "orders", Operations: []string{"create"}, Scope: []string{"tenant", "operation", "key"}, Settle: reconcile.DefaultSettle, Margin: time.Hour,
		Effect: reconcile.LegsBoth, Retention: reconcile.For(24 * time.Hour), RetryWindow: reconcile.For(12 * time.Hour), Lease: reconcile.For(5 * time.Minute),
	}}
	for i, name := range []string{"receipts", "orders", "charges", "clients"} {
		p.facts = append(p.facts, reconcile.SourceFacts{
			Name: name, Serves: true, MapsRef: true, MapsTime: true, Components: p.contract.Scope,
			Role:     []reconcile.Role{reconcile.RoleReceipt, reconcile.RoleEffect, reconcile.RoleProvider, reconcile.RoleIntent}[i],
			Coverage: reconcile.Coverage{Complete: true, Proves: true, To: reconcile.At(noon)},
		})
	}
	return p
}

// row adds a row of the plainest good form, so old and changed so.
func (p *plain) row(source int, age time.Duration, change ...func(*reconcile.Record)) *plain {
	r := &reconcile.Record{
		Role: p.facts[source].Role, Source: p.facts[source].Name, Claimed: true, CreatedAt: reconcile.At(noon.Add(-age)),
		Components: []reconcile.Component{
			{Name: "tenant", Value: reconcile.Text("north")}, {Name: "operation", Value: reconcile.Text("create")}, {Name: "key", Value: reconcile.Text("K")},
		},
	}
	switch r.Role {
	case reconcile.RoleReceipt:
		r.State, r.EffectID, r.ProviderRef = reconcile.StateCompleted, reconcile.Text("7"), reconcile.Text("ch")
	case reconcile.RoleEffect:
		r.Status, r.EffectID, r.ProviderRef = reconcile.StatusEffective, reconcile.Text("7"), reconcile.Text("ch")
	case reconcile.RoleProvider:
		r.Outcome, r.ObjectID = reconcile.OutcomeSucceeded, reconcile.Text("ch")
	case reconcile.RoleIntent:
		r.Attempts = []reconcile.Attempt{{At: r.CreatedAt, Outcome: reconcile.AttemptConfirmed}}
	case reconcile.RoleOutbox:
	}
	for _, f := range change {
		f(r)
	}
	p.records = append(p.records, r)
	return p
}

func (p *plain) with(f func(*plain)) *plain {
	f(p)
	return p
}

func broken(source int) func(*plain) {
	return func(p *plain) {
		p.facts[source].Coverage = reconcile.Coverage{Reason: "locked"}
	}
}

func localOnly(p *plain) { p.contract.Effect = reconcile.LegsLocal }

func partial(r *reconcile.Record) { r.Components[0].Value = reconcile.Value{} }

func keyOnlyRow(r *reconcile.Record) { r.Components = r.Components[2:] }

// sieved is what the sieve says of the rows, and whether it says anything.
func (p *plain) sieved(t *testing.T) (classes []reconcile.Class, sure bool) {
	t.Helper()
	r := &run{cfg: &config.Config{Contracts: []*reconcile.Contract{p.contract}}, now: reconcile.At(noon)}
	for _, f := range p.facts {
		r.readers = append(r.readers, &known{facts: f})
	}
	r.know()
	ps := r.places()
	seed := maphash.MakeSeed()
	var ts []trace
	for src, f := range p.facts {
		tr := &tracer{book: r.cfg.Contracts, index: map[*reconcile.Contract]uint16{p.contract: 0}, facts: f, src: uint16(src), now: r.now, seed: seed}
		for i, rec := range p.records {
			if rec.Source != f.Name {
				continue
			}
			var n trace
			if !tr.read(0, rec.Clone(), &n) {
				t.Fatalf("no contract claims row %d", i)
			}
			n.pos = uint64(i)
			ts = append(ts, n)
		}
	}
	sortTraces(ts)
	sure = true
	if err := groups(ts, ps.knows, func(g group) error {
		class, ok := ps.claim(&g)
		classes, sure = append(classes, class), sure && ok
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return classes, sure
}

// judged is what the rules say of the same rows.
func (p *plain) judged() []*reconcile.Judgement {
	w := &reconcile.World{Now: reconcile.At(noon), Sources: p.facts}
	var all []*reconcile.Record
	for _, r := range p.records {
		all = append(all, r.Clone())
	}
	var out []*reconcile.Judgement
	for _, s := range reconcile.Assemble(all, reconcile.Book{p.contract}, w) {
		out = append(out, reconcile.Judge(s, w))
	}
	return out
}

const day = 24 * time.Hour

var claims = []struct {
	name string
	of   *plain
	want string // the class of which the sieve is sure; "" = it asks the rules
}{
	{"all that is expected", newPlain().row(atReceipts, 2*time.Hour).row(atEffects, 2*time.Hour).row(atCharges, 2*time.Hour), "matched"},
	{"with its client", newPlain().row(atReceipts, 2*time.Hour).row(atEffects, 2*time.Hour).row(atCharges, 2*time.Hour).row(atClients, 2*time.Hour), "matched"},
	{"a local action", newPlain().with(localOnly).row(atReceipts, 2*time.Hour).row(atEffects, 2*time.Hour), "matched"},
	{"a provider's action alone", newPlain().with(func(p *plain) { p.contract.Effect = reconcile.LegsExternal }).row(atReceipts, 2*time.Hour).row(atCharges, 2*time.Hour), "matched"},
	{"two lines of one object", newPlain().row(atReceipts, 2*time.Hour).row(atEffects, 2*time.Hour).row(atCharges, 2*time.Hour).row(atCharges, time.Hour), "matched"},
	{"a line with the key and no tenant", newPlain().row(atReceipts, 2*time.Hour).row(atEffects, 2*time.Hour).row(atCharges, 2*time.Hour, keyOnlyRow), "matched"},
	{"a lone decline", newPlain().row(atReceipts, 2*time.Hour, func(r *reconcile.Record) {
		r.State, r.EffectID, r.ProviderRef = reconcile.StateFailedFinal, reconcile.Value{}, reconcile.Value{}
	}), "matched"},
	{"a lone response of 402", newPlain().row(atReceipts, 2*time.Hour, func(r *reconcile.Record) {
		r.ResponseStatus, r.EffectID, r.ProviderRef = reconcile.Num(402), reconcile.Value{}, reconcile.Value{}
	}), "matched"},
	{"past its life, retries over", newPlain().row(atReceipts, 2*day).row(atEffects, 2*day).row(atCharges, 2*day), "matched"},
	{"an aged row whose receipt is gone", newPlain().row(atEffects, 2*day).row(atCharges, 2*day), "explained"},
	{"receipts not read", newPlain().with(broken(atReceipts)).row(atEffects, 2*time.Hour).row(atCharges, 2*time.Hour), "inconclusive"},
	{"rows not read", newPlain().with(broken(atEffects)).row(atReceipts, 2*time.Hour).row(atCharges, 2*time.Hour), "inconclusive"},
	{"log not read", newPlain().with(broken(atCharges)).row(atReceipts, 2*time.Hour).row(atEffects, 2*time.Hour), "inconclusive"},

	{"a young row without receipt", newPlain().with(localOnly).row(atEffects, 2*time.Hour), ""},
	{"a receipt without row", newPlain().with(localOnly).row(atReceipts, 2*time.Hour), ""},
	{"a receipt without line", newPlain().row(atReceipts, 2*time.Hour).row(atEffects, 2*time.Hour), ""},
	{"a line alone", newPlain().row(atCharges, 2*time.Hour), ""},
	{"two rows", newPlain().with(localOnly).row(atReceipts, 2*time.Hour).row(atEffects, 2*time.Hour).row(atEffects, 2*time.Hour, func(r *reconcile.Record) { r.EffectID = reconcile.Text("8") }), ""},
	{"two objects", newPlain().row(atReceipts, 2*time.Hour).row(atEffects, 2*time.Hour).row(atCharges, 2*time.Hour).row(atCharges, 2*time.Hour, func(r *reconcile.Record) { r.ObjectID = reconcile.Text("other") }), ""},
	{"a row that another receipt names", newPlain().with(localOnly).row(atReceipts, 2*time.Hour).row(atEffects, 2*time.Hour, func(r *reconcile.Record) { r.EffectID = reconcile.Text("8") }), ""},
	{"a decline beside a row", newPlain().with(localOnly).row(atReceipts, 2*time.Hour, func(r *reconcile.Record) { r.State = reconcile.StateFailedFinal }).row(atEffects, 2*time.Hour), ""},
	{"a receipt in progress", newPlain().with(localOnly).row(atReceipts, 2*time.Hour, func(r *reconcile.Record) { r.State = reconcile.StateInProgress }).row(atEffects, 2*time.Hour), ""},
	{"a voided row", newPlain().with(localOnly).row(atReceipts, 2*time.Hour).row(atEffects, 2*time.Hour, func(r *reconcile.Record) { r.Status = reconcile.StatusVoid }), ""},
	{"a failed charge", newPlain().row(atReceipts, 2*time.Hour).row(atEffects, 2*time.Hour).row(atCharges, 2*time.Hour, func(r *reconcile.Record) { r.Outcome = reconcile.OutcomeFailed }), ""},
	{"another amount", newPlain().row(atReceipts, 2*time.Hour).row(atEffects, 2*time.Hour, euros(5)).row(atCharges, 2*time.Hour, euros(6)), ""},
	{"a line without tenant that names another operation", newPlain().with(func(p *plain) { p.contract.Operations = []string{"create", "amend"} }).
		row(atReceipts, 2*time.Hour).row(atEffects, 2*time.Hour).row(atCharges, 2*time.Hour, partial, func(r *reconcile.Record) { r.Components[1].Value = reconcile.Text("amend") }), ""},
	{"past its life, retries may come", newPlain().with(func(p *plain) { p.contract.RetryWindow = reconcile.For(72 * time.Hour) }).row(atReceipts, 2*day).row(atEffects, 2*day).row(atCharges, 2*day), ""},
	{"a row of the receipt's generation", newPlain().with(localOnly).row(atReceipts, 2*time.Hour, generation(2)).row(atEffects, 2*time.Hour, generation(2)), "matched"},
	{"a row of another generation", newPlain().with(localOnly).row(atReceipts, 2*time.Hour, generation(2)).row(atEffects, 2*time.Hour, generation(1)), ""},
	{"a client alone", newPlain().row(atClients, 2*time.Hour), ""},
	{"a client in doubt", newPlain().row(atReceipts, 2*time.Hour).row(atEffects, 2*time.Hour).row(atCharges, 2*time.Hour).row(atClients, 2*time.Hour, func(r *reconcile.Record) { r.Attempts[0].Outcome = reconcile.AttemptUncertain }), ""},
	{"an effect that serves several", newPlain().with(localOnly).with(func(p *plain) { p.contract.SharedEffects = true }).row(atReceipts, 2*time.Hour).row(atEffects, 2*time.Hour), ""},
	{"a receipt of a store that no longer serves", newPlain().with(localOnly).with(func(p *plain) { p.facts[atReceipts].Serves = false }).row(atReceipts, 2*time.Hour).row(atEffects, 2*time.Hour), ""},
	{"an aged row, receipts archived early", newPlain().with(func(p *plain) { p.facts[atReceipts].Coverage.From = reconcile.At(noon.Add(-day)) }).row(atEffects, 2*day).row(atCharges, 2*day), ""},
	{"an aged row of no known time", newPlain().with(localOnly).row(atEffects, 0, func(r *reconcile.Record) { r.CreatedAt = reconcile.Instant{} }), ""},
}

func generation(n int64) func(*reconcile.Record) {
	return func(r *reconcile.Record) { r.Generation = reconcile.Num(n) }
}

func euros(n int64) func(*reconcile.Record) {
	return func(r *reconcile.Record) {
		r.Amount = reconcile.Amount{Minor: n * 100, Exponent: 2, Currency: "EUR", Valid: true}
	}
}

// TestClaimSaysWhatTheRulesSay names the plain cases one by one. Of each that the sieve is sure of, the rules must say the same, and find nothing.
func TestClaimSaysWhatTheRulesSay(t *testing.T) {
	t.Parallel()
	for _, c := range claims {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			classes, sure := c.of.sieved(t)
			if sure != (c.want != "") {
				t.Fatalf("the sieve is sure: %v (%v)", sure, classes)
			}
			if !sure {
				return
			}
			rules := c.of.judged()
			if len(classes) != 1 || len(rules) != 1 {
				t.Fatalf("one action became %d groups and %d subjects", len(classes), len(rules))
			}
			if got := classes[0].String(); got != c.want || rules[0].Class != classes[0] || len(rules[0].Kinds) > 0 {
				t.Errorf("the sieve says %s, the rules say %s %v, want %s", got, rules[0].Class, rules[0].Kinds, c.want)
			}
		})
	}
}
