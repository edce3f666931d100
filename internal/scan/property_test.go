package scan_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/sources"
)

var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// draw makes a contract, its sources and a small pool of records in which keys, references, times and amounts collide on purpose.
func draw(t *rapid.T) (*config.Config, []*memory) {
	c := &reconcile.Contract{
		Name: "orders", Operations: []string{"create"}, Scope: []string{"tenant", "operation", "key"}, Settle: reconcile.DefaultSettle, Margin: time.Hour,
		Effect: rapid.SampledFrom([]reconcile.Legs{reconcile.LegsLocal, reconcile.LegsBoth, reconcile.LegsExternal}).Draw(t, "legs"),
		Atomic: rapid.Bool().Draw(t, "atomic"), Retention: reconcile.For(24 * time.Hour), RetryWindow: reconcile.For(rapid.SampledFrom([]time.Duration{12 * time.Hour, 72 * time.Hour}).Draw(t, "window")),
		Lease: reconcile.For(5 * time.Minute), DeadAfter: reconcile.For(time.Hour),
		SharedEffects: rapid.IntRange(0, 9).Draw(t, "shared") == 0,
	}
	if rapid.Bool().Draw(t, "params") {
		c.Params = &reconcile.ParamSpec{}
	}
	if rapid.IntRange(0, 2).Draw(t, "comparable fingerprints") == 0 {
		c.Fingerprint = &reconcile.FingerprintSpec{Algorithm: "sha256"}
	}
	if c.TwinWindow = reconcile.DefaultTwinWindow; rapid.Bool().Draw(t, "actors") {
		c.Actor = []string{"customer"}
	}
	if rapid.IntRange(0, 3).Draw(t, "optional key") == 0 {
		c.Key = reconcile.KeyOptional
	}
	names := across(t, c)
	cfg := &config.Config{Name: "drawn", Contracts: []*reconcile.Contract{c}, Now: reconcile.At(noon)}
	keylessEffects := rapid.Bool().Draw(t, "keyless effects")
	keylessLog := rapid.IntRange(0, 3).Draw(t, "keyless log") == 0
	keyOnlyLog := rapid.Bool().Draw(t, "key-only log")
	source := func(name string, role reconcile.Role) *memory {
		f := reconcile.SourceFacts{
			Name: name, Role: role, Serves: true, MapsRef: true, MapsTime: true, Components: names,
			Coverage: reconcile.Coverage{Complete: true, Proves: true, To: reconcile.At(noon)},
		}
		if rapid.IntRange(0, 5).Draw(t, name+" declares its fingerprints") == 0 {
			f.Fingerprint = &reconcile.FingerprintSpec{Algorithm: rapid.SampledFrom([]string{"md5", "sha256"}).Draw(t, name+" algorithm")}
		}
		if rapid.IntRange(0, 9).Draw(t, name+" broken") == 0 {
			f.Coverage = reconcile.Coverage{Reason: "locked"}
		}
		return &memory{facts: f}
	}
	ms := []*memory{source("receipts", reconcile.RoleReceipt), source("orders", reconcile.RoleEffect), source("charges", reconcile.RoleProvider), source("clients", reconcile.RoleIntent)}
	ms[2].facts.MapsAlias = rapid.IntRange(0, 3).Draw(t, "log has aliases") == 0
	if keylessEffects {
		ms[1].facts.Components = names[:len(names)-1]
	}
	if keylessLog {
		ms[2].facts.Components = names[:len(names)-1]
	}
	keyed := func(r *reconcile.Record, f reconcile.SourceFacts) {
		switch {
		case f.Role == reconcile.RoleEffect && keylessEffects:
			r.Components[2].Value = reconcile.Value{}
		case f.Role == reconcile.RoleProvider && keylessLog:
			r.Components[2].Value = reconcile.Value{}
		case f.Role == reconcile.RoleProvider && keyOnlyLog:
			r.Components[0].Value = reconcile.Value{}
		}
	}
	if c.OtherKeys() {
		ms[2].facts.SentKeys = rapid.Bool().Draw(t, "log maps the sent key")
	}
	if rapid.IntRange(0, 2).Draw(t, "scene") == 0 {
		scene(t, ms, keyed)
	}
	setsDrawn := rapid.IntRange(0, 2).Draw(t, "sets") == 0
	if setsDrawn && rapid.IntRange(0, 2).Draw(t, "expects") == 0 {
		c.Expects = map[string]reconcile.Quantity{"orders": {Min: 2, Max: 2}}
	}
	for range rapid.IntRange(0, 24).Draw(t, "records") {
		m := ms[rapid.IntRange(0, 3).Draw(t, "source")]
		r := record(t, m.facts)
		keyed(r, m.facts)
		if c.OtherKeys() {
			sentKeys(t, r, m.facts)
		}
		if setsDrawn {
			sets(t, r)
		}
		if m.facts.Role == reconcile.RoleEffect && r.EffectID.Known() {
			r.EffectID = reconcile.Text(fmt.Sprint(len(m.recs))) // a row's own id is its own
		}
		r.Locator = fmt.Sprintf("%s/%d", m.facts.Name, len(m.recs))
		m.recs = append(m.recs, r)
	}
	if rapid.IntRange(0, 4).Draw(t, "restored") == 0 {
		cfg.Events = []reconcile.Event{{Store: "receipts", From: reconcile.At(noon.Add(-10 * time.Hour)), To: reconcile.At(noon.Add(-5 * time.Hour))}}
	}
	return cfg, ms
}

// sets lets a record name several things where it names one.
func sets(t *rapid.T, r *reconcile.Record) {
	several := func(v *reconcile.Value, name string, of ...string) {
		if v.Known() && rapid.IntRange(0, 2).Draw(t, "a set of "+name) == 0 {
			*v = reconcile.Set([]byte(rapid.SampledFrom(of).Draw(t, "members of "+name)))
		}
	}
	several(&r.ObjectID, "object", "o1,o2", "o1,o2,o3", "o2,o3", "o3,o4")
	several(&r.ProviderRef, "ref", "o1,o2", "o2,o4")
	if r.Role == reconcile.RoleReceipt {
		several(&r.EffectID, "effect", "1,2", "2,3,4")
	}
}

func record(t *rapid.T, f reconcile.SourceFacts) *reconcile.Record {
	pick := func(label string, words ...string) string { return rapid.SampledFrom(words).Draw(t, label) }
	value := func(label string, words ...string) reconcile.Value {
		if w := pick(label, words...); w != "" {
			return reconcile.Text(w)
		}
		return reconcile.Value{}
	}
	at := func(label string) reconcile.Instant {
		h := rapid.SampledFrom([]int{-100, -50, -30, -9, -8, -6, 0}).Draw(t, label)
		if h == 0 && rapid.Bool().Draw(t, label+" untimed") {
			return reconcile.Instant{}
		}
		return reconcile.At(noon.Add(time.Duration(h)*time.Hour - time.Minute))
	}
	r := &reconcile.Record{
		Role: f.Role, Source: f.Name, Claimed: true, CreatedAt: at("at"),
		Components: []reconcile.Component{
			{Name: "tenant", Value: reconcile.Text(pick("tenant", "north", "north", "south"))},
			{Name: "operation", Value: reconcile.Text(pick("operation", "create", "create", "create", "create", "create", "import"))},
			{Name: "key", Value: value("key", "K1", "K2", "K3", "K4", "4111111111111111", "")},
		},
		EffectID: value("effect", "", "1", "2", "3", "4"), ProviderRef: value("ref", "", "", "o1", "o2"),
	}
	if rapid.IntRange(0, 3).Draw(t, "amounts") == 0 {
		r.Amount = reconcile.Amount{Minor: int64(rapid.IntRange(1, 2).Draw(t, "minor")), Exponent: 2, Currency: "EUR", Valid: true}
	}
	if rapid.IntRange(0, 2).Draw(t, "generations") == 0 {
		r.Generation = reconcile.Num(int64(rapid.IntRange(1, 2).Draw(t, "generation")))
	}
	if rapid.IntRange(0, 2).Draw(t, "params") == 0 {
		r.Params, r.Extra = value("request", `{"q":1}`, `{"q":1}`, `{"q":2}`), []reconcile.Component{{Name: "customer", Value: value("customer", "ann", "ann", "bob", "")}}
	}
	if rapid.IntRange(0, 3).Draw(t, "fingerprints") == 0 {
		r.Fingerprint = value("fingerprint", "f1", "f1", "f2")
	}
	if rapid.IntRange(0, 9).Draw(t, "no region") > 0 {
		r.Components = append(r.Components, reconcile.Component{Name: "region", Value: reconcile.Text(pick("region", "eu", "eu", "us"))})
	}
	if rapid.IntRange(0, 3).Draw(t, "invoices") == 0 {
		r.Extra = append(r.Extra, reconcile.Component{Name: "invoice", Value: value("invoice", "1", "2", "")})
	}
	if rapid.IntRange(0, 9).Draw(t, "provider key") == 0 {
		r.ProviderKey = value("sent key", "p1", "p2")
	}
	switch f.Role {
	case reconcile.RoleReceipt:
		if rapid.IntRange(0, 2).Draw(t, "locked") == 0 {
			r.LockedAt = at("locked at")
		}
		r.State = rapid.SampledFrom([]reconcile.State{reconcile.StateCompleted, reconcile.StateCompleted, reconcile.StateCompleted, reconcile.StateInProgress, reconcile.StateFailedFinal, reconcile.StateFailedRetryable}).Draw(t, "state")
	case reconcile.RoleEffect:
		r.Status = rapid.SampledFrom([]reconcile.Status{reconcile.StatusEffective, reconcile.StatusEffective, reconcile.StatusVoid, reconcile.StatusPending}).Draw(t, "status")
	case reconcile.RoleProvider:
		r.EffectID, r.ProviderRef, r.ObjectID = reconcile.Value{}, reconcile.Value{}, value("object", "o1", "o2", "o3", "o4", "")
		r.Outcome = rapid.SampledFrom([]reconcile.Outcome{reconcile.OutcomeSucceeded, reconcile.OutcomeSucceeded, reconcile.OutcomePending, reconcile.OutcomeFailed}).Draw(t, "outcome")
		r.EventID = value("event", "", "e1", "e2", "e3")
		if f.MapsAlias {
			r.AliasID = value("alias", "", "o1", "o2", "o3")
		}
		r.Claimed = rapid.IntRange(0, 3).Draw(t, "claimed") > 0
		if r.NotOurs = rapid.IntRange(0, 5).Draw(t, "not ours") == 0; r.NotOurs {
			r.Components[1].Value = reconcile.Value{}
		}
	case reconcile.RoleIntent:
		r.EffectID, r.ProviderRef = reconcile.Value{}, reconcile.Value{}
		r.Attempts = []reconcile.Attempt{{At: r.CreatedAt, Target: value("target", "", "", "a", "b"), Outcome: rapid.SampledFrom([]reconcile.AttemptOutcome{reconcile.AttemptConfirmed, reconcile.AttemptConfirmed, reconcile.AttemptUncertain, reconcile.AttemptFailed, reconcile.AttemptRejected}).Draw(t, "attempt")}}
		if rapid.IntRange(0, 3).Draw(t, "sent again") == 0 {
			r.Attempts = append(r.Attempts, reconcile.Attempt{At: at("sent again at"), Outcome: reconcile.AttemptUncertain})
		}
	case reconcile.RoleOutbox:
	}
	return r
}

// outcome is what two ways of scanning must agree on.
type outcome struct {
	counts scan.Counts
	cases  []string
	judged []*reconcile.Judgement // of the cases, in any order
}

// oracle judges every record at once, in memory.
func oracle(cfg *config.Config, ms []*memory) outcome { return oracleOf(cfg, ms, nil) }

func oracleOf(cfg *config.Config, ms []*memory, decided map[string][]reconcile.Decided, proposed ...reconcile.Gap) outcome {
	subjects, w := subjectsOf(cfg, ms, decided)
	w.Gaps = proposed
	o := outcome{counts: scan.Counts{Findings: make(map[reconcile.Kind]int64), NotJudged: make(map[string]int64)}}
	for _, s := range subjects {
		v := reconcile.Judge(s, w)
		o.counts.Subjects++
		*classCount(&o.counts, v.Class)++
		for _, n := range v.NotJudged {
			o.counts.NotJudged[n]++
		}
		if v.Class == reconcile.ClassCase {
			for _, k := range v.Kinds {
				o.counts.Findings[k]++
			}
			o.judged = append(o.judged, v)
			o.cases = append(o.cases, line(v, s.Identity, s.Candidates, slices.Concat(s.Twins, s.Unsure)))
		}
	}
	slices.Sort(o.cases)
	return o
}

func subjectsOf(cfg *config.Config, ms []*memory, decided map[string][]reconcile.Decided) ([]*reconcile.Subject, *reconcile.World) {
	w := &reconcile.World{Now: cfg.Now, Events: cfg.Events, Decided: decided}
	var all []*reconcile.Record
	for _, m := range ms {
		w.Sources = append(w.Sources, m.facts)
		for _, r := range m.recs {
			all = append(all, r.Clone())
		}
	}
	breakJoins(cfg, ms, w)
	subjects := reconcile.Assemble(all, cfg.Contracts, w)
	reconcile.Relate(subjects, w)
	return subjects, w
}

func classCount(c *scan.Counts, class reconcile.Class) *int64 {
	return map[reconcile.Class]*int64{
		reconcile.ClassMatched: &c.Matched, reconcile.ClassInFlight: &c.InFlight, reconcile.ClassExplained: &c.Explained,
		reconcile.ClassInconclusive: &c.Inconclusive, reconcile.ClassUnclaimed: &c.Unclaimed, reconcile.ClassCase: &c.Cases,
	}[class]
}

func line(v *reconcile.Judgement, id []reconcile.Component, candidates, twins []reconcile.Candidate) string {
	names := func(cs []reconcile.Candidate) string {
		out := make([]string, len(cs))
		for i, c := range cs {
			out[i] = c.Case + strings.NewReplacer("[", "<", "]", ">").Replace(fmt.Sprint(c.Identity, c.Began))
		}
		slices.Sort(out)
		return strings.Join(out, ",")
	}
	allowed := ""
	for _, r := range v.Reasons {
		allowed += fmt.Sprintf(" %s: %q", r.Rule, r.Text)
	}
	for _, o := range v.Options {
		allowed += fmt.Sprintf(" %s/%s=%s", o.Decision, o.As, o.Code)
	}
	return fmt.Sprintf("%s %v %v %v %s %s %s %v pending%v due%v found%v cand[%s] twin[%s]%s", v.CaseID, id, v.Kinds, v.Severity, v.Executed, v.RetryNow, v.Exposure.State, v.Legs, v.Pending, v.Due, v.Found, names(candidates), names(twins), allowed)
}

func pipeline(ctx context.Context, cfg *config.Config, ms []*memory, dir string, budget int64) (outcome, error) {
	return pipelineOf(ctx, cfg, ms, scan.Options{TempDir: dir, MemBudget: budget})
}

func pipelineOf(ctx context.Context, cfg *config.Config, ms []*memory, opt scan.Options) (outcome, error) {
	readers := make([]sources.Reader, len(ms))
	for i, m := range ms {
		readers[i] = m
	}
	res, err := scan.RunReaders(ctx, cfg, readers, opt)
	if err != nil {
		return outcome{}, err
	}
	o := outcome{counts: res.Manifest().Counts}
	for c, err := range res.Cases(ctx, scan.Filter{}) {
		if err != nil {
			return outcome{}, cmp.Or(err, res.Close())
		}
		o.judged = append(o.judged, &c.Judgement)
		o.cases = append(o.cases, line(&c.Judgement, c.Identity, c.Candidates, c.Twins))
	}
	slices.Sort(o.cases)
	return o, res.Close()
}

func (o outcome) String() string {
	c := o.counts
	return fmt.Sprintf("subjects %d matched %d in flight %d explained %d inconclusive %d unclaimed %d cases %d\nfindings %v not judged %v\n%s",
		c.Subjects, c.Matched, c.InFlight, c.Explained, c.Inconclusive, c.Unclaimed, c.Cases, c.Findings, c.NotJudged, strings.Join(o.cases, "\n"))
}

// TestSieveEqualsJudgingAll holds the sieve against judging all subjects, with rows shuffled and budgets so small that everything spills and splits.
func TestSieveEqualsJudgingAll(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		cfg, ms := draw(t)
		want := oracle(cfg, ms)
		for _, budget := range []int64{1, 1 << 20} {
			rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 1)) // a shuffle that repeats, not a secret
			for _, m := range ms {
				rng.Shuffle(len(m.recs), func(i, k int) { m.recs[i], m.recs[k] = m.recs[k], m.recs[i] })
			}
			got, err := pipeline(context.Background(), cfg, ms, dir, budget)
			if err != nil {
				t.Fatal(err)
			}
			if got.String() != want.String() {
				t.Fatalf("budget %d: the sieve says\n%s\njudging all says\n%s", budget, got, want)
			}
		}
	})
}

// TestDrawsHoldEveryKind counts what the draws are for: each kind that rests on neighbours, or on what a trace keeps, occurs among them.
func TestDrawsHoldEveryKind(t *testing.T) {
	t.Parallel()
	found := make(map[reconcile.Kind]int)
	for seed := range 3000 {
		cfg, ms := rapid.Custom(func(t *rapid.T) drawn { cfg, ms := draw(t); return drawn{cfg, ms} }).Example(seed).parts()
		for k, n := range oracle(cfg, ms).counts.Findings {
			found[k] += int(n)
		}
	}
	for _, k := range []reconcile.Kind{reconcile.DuplicateEffect, reconcile.ProviderKeyCollision, reconcile.ScopeMoved, reconcile.ScopeBreach, reconcile.StaleGeneration, reconcile.SensitiveKey, reconcile.SuspectedDuplicateEffect, reconcile.SuspectedDuplicateIntent} {
		if found[k] < 5 {
			t.Errorf("%s occurs %d times: the draws try nothing of it", k, found[k])
		}
	}
	t.Log(found)
}

type drawn struct {
	cfg *config.Config
	ms  []*memory
}

func (d drawn) parts() (*config.Config, []*memory) { return d.cfg, d.ms }
