package scan_test

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
)

// breakJoins counts what sources have in common, from their records.
func breakJoins(cfg *config.Config, ms []*memory, w *reconcile.World) {
	first, last := make([]reconcile.Instant, len(ms)), make([]reconcile.Instant, len(ms))
	keys, refs := make(map[string][]reconcile.Sighting), make(map[reconcile.RefDomain]map[string][]reconcile.Sighting)
	place, holds := make(map[string]int), make([][]bool, len(ms))
	for i, m := range ms {
		holds[i] = make([]bool, len(cfg.Contracts))
		for _, r := range m.recs {
			r = r.Clone()
			c := reconcile.Book(cfg.Contracts).Claim(r)
			if c == nil {
				continue
			}
			first[i], last[i] = reconcile.Earliest(first[i], r.Time()), reconcile.Latest(last[i], r.Time())
			of := slices.Index(cfg.Contracts, c)
			holds[i][of] = true
			made := c.StateOf(r) == reconcile.StateCompleted && c.HasEffect(r.ResponseStatus)
			seen := reconcile.Sighting{Source: i, At: reconcile.JoinTime(c, r), Idle: r.Role == reconcile.RoleReceipt && !made}
			if key := c.AppendKey(nil, r); len(key) > 0 {
				keys[c.Name+string(key)] = append(keys[c.Name+string(key)], seen)
				place[c.Name+string(key)] = of
			}
			for _, ref := range reconcile.AppendRefs(nil, r) {
				if refs[ref.Domain] == nil {
					refs[ref.Domain] = make(map[string][]reconcile.Sighting)
				}
				name := c.Name + "\x00" + ref.Value.String()
				place[name] = of
				refs[ref.Domain][name] = append(refs[ref.Domain][name], seen)
			}
		}
	}
	j := reconcile.NewJoins(w.Sources, first, last)
	j.ByStretches(len(cfg.Contracts), func(source, contract int) bool { return holds[source][contract] })
	for key, rows := range keys {
		j.Key(place[key], rows)
	}
	for d, of := range refs {
		for name, rows := range of {
			j.Ref(place[name], d, rows)
		}
	}
	w.BreakJoins(j.Broken(), cfg.Contracts)
}

// trade is a service's sources, of which join changes the keys or takes rows away.
type trade struct {
	cfg      *config.Config
	receipts *memory
	orders   *memory
	charges  *memory
	clients  *memory
}

func (t *trade) all() []*memory { return []*memory{t.receipts, t.orders, t.charges, t.clients} }

// newTrade makes so many actions, over twelve hours, of which each source lacks some and each client is sure.
func newTrade(rng *rand.Rand, n int) *trade {
	t := &trade{
		cfg: shop(true), receipts: &memory{facts: factsOf("receipts", reconcile.RoleReceipt)}, orders: &memory{facts: factsOf("orders", reconcile.RoleEffect)},
		charges: &memory{facts: factsOf("charges", reconcile.RoleProvider)}, clients: &memory{facts: factsOf("clients", reconcile.RoleIntent)},
	}
	for i := range n {
		for _, m := range t.all() {
			if rng.IntN(20) == 0 {
				continue
			}
			r := good(&m.facts, "key-"+strconv.Itoa(i))
			r.CreatedAt = reconcile.At(noon.Add(-13*time.Hour + time.Duration(i)*12*time.Hour/time.Duration(n)))
			if m.facts.Role == reconcile.RoleReceipt {
				r.CompletedAt = r.CreatedAt
			}
			if m.facts.Role == reconcile.RoleIntent {
				r.Attempts = []reconcile.Attempt{{At: r.CreatedAt, Outcome: reconcile.AttemptOutcome(rng.IntN(2))}}
			}
			r.Locator = fmt.Sprintf("%s/%d", m.facts.Name, i)
			m.recs = append(m.recs, r)
		}
	}
	return t
}

// rekey puts other keys into a source.
func rekey(m *memory, f func(key string) string) {
	for _, r := range m.recs {
		r.Components[2].Value = reconcile.Text(f(r.Key().String()))
	}
}

func hashed(key string) string {
	sum := md5.Sum([]byte(key))
	return hex.EncodeToString(sum[:])
}

// lose takes the rows of a stretch away, in shares of the whole time.
func lose(m *memory, from, to float64) {
	m.recs = slices.DeleteFunc(m.recs, func(r *reconcile.Record) bool {
		at := 1 - (noon.Sub(r.CreatedAt.Time())-time.Hour).Hours()/12
		return at >= from && at <= to
	})
}

var trades = map[string]struct {
	n      int
	change func(*trade)
	broken string // pairs
}{
	"all join":                   {150, func(*trade) {}, ""},
	"hashed receipts":            {150, func(t *trade) { rekey(t.receipts, hashed) }, "receipts|orders receipts|charges receipts|clients"},
	"hashed orders":              {300, func(t *trade) { rekey(t.orders, hashed) }, "receipts|orders orders|charges orders|clients"},
	"a prefix in the log":        {150, func(t *trade) { rekey(t.charges, func(k string) string { return "fn#" + k }) }, "receipts|charges orders|charges charges|clients"},
	"hashed, but only a handful": {60, func(t *trade) { rekey(t.receipts, hashed) }, ""},
	"hashed, all but one written by hand": {300, func(t *trade) {
		rekey(t.receipts, func(k string) string {
			if k == "key-7" {
				return k
			}
			return hashed(k)
		})
	}, "receipts|orders receipts|charges receipts|clients"},
	"a restore took the middle":      {300, func(t *trade) { lose(t.receipts, 0.2, 0.9) }, ""},
	"a restore took all but an hour": {300, func(t *trade) { lose(t.receipts, 0.08, 1) }, ""},
	"receipts were cleared":          {300, func(t *trade) { lose(t.receipts, 0, 0.6) }, ""},
	"receipts are empty":             {150, func(t *trade) { t.receipts.recs = nil }, ""},
	"a declared restore": {300, func(t *trade) {
		lose(t.receipts, 0.3, 0.6)
		t.cfg.Events = []reconcile.Event{{Store: "receipts", From: reconcile.At(noon.Add(-10 * time.Hour)), To: reconcile.At(noon.Add(-5 * time.Hour))}}
	}, ""},
	"they were never there at one time": {300, func(t *trade) {
		lose(t.receipts, 0.5, 1)
		lose(t.orders, 0, 0.5)
		lose(t.charges, 0, 0.5)
	}, ""},
	"rows without a key": {150, func(t *trade) {
		t.orders.facts.Components = t.orders.facts.Components[:2]
		for _, r := range t.orders.recs {
			keyless(r)
		}
	}, ""},
	"a log without keys that names each object twice": {150, func(t *trade) {
		t.charges.facts.Components, t.charges.facts.MapsAlias = t.charges.facts.Components[:2], true
		for _, r := range t.charges.recs {
			keyless(r)
			r.AliasID, r.ObjectID = r.ObjectID, reconcile.Text("ch "+r.ObjectID.String())
		}
		for _, r := range t.orders.recs {
			r.ProviderRef = reconcile.Text("o-" + r.Key().String())
		}
	}, ""},
	"rows without a key, and another id in the receipts": {150, func(t *trade) {
		t.orders.facts.Components = t.orders.facts.Components[:2]
		for _, r := range t.orders.recs {
			keyless(r)
			r.EffectID, r.ProviderRef = reconcile.Text("row "+r.EffectID.String()), reconcile.Value{}
		}
	}, "receipts|orders"},
}

// TestJoinsAreJudgedAsOne finds the pairs that were never comparable, and holds what is then found against judging all records.
func TestJoinsAreJudgedAsOne(t *testing.T) {
	t.Parallel()
	for name, c := range trades {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made := newTrade(rand.New(rand.NewPCG(uint64(len(name)), 1)), c.n) // rows that repeat, not a secret
			c.change(made)
			m, _ := agreed(t, made)
			var broken []string
			for _, f := range brokenJoins(m) {
				broken = append(broken, pairOf(f.Text))
			}
			if got := strings.Join(broken, " "); got != c.broken || m.Complete != (c.broken == "") {
				t.Errorf("never comparable: %q, want %q; complete: %v", got, c.broken, m.Complete)
			}
		})
	}
}

// agreed scans a trade, and holds what is found against judging all its records.
func agreed(t *testing.T, made *trade) (*scan.Manifest, []*reconcile.Judgement) {
	t.Helper()
	m := tell(t, made.cfg, scan.Options{}, readersOf(made.all())...).manifest
	want := oracleOf(made.cfg, made.all(), nil, m.Gaps[len(made.cfg.Events):]...)
	got, err := pipeline(context.Background(), made.cfg, made.all(), t.TempDir(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != want.String() {
		t.Fatalf("the sieve says\n%.3000s\njudging all says\n%.3000s", got, want)
	}
	return m, got.judged
}

func brokenJoins(m *scan.Manifest) []scan.ContractFinding {
	return slices.DeleteFunc(slices.Clone(m.Contracts), func(f scan.ContractFinding) bool { return f.Kind != reconcile.JoinBroken })
}

// pairOf is the pair of sources that a finding names.
func pairOf(text string) string {
	a, rest, _ := strings.Cut(text, " has ")
	_, b, _ := strings.Cut(rest, " and ")
	b, _, _ = strings.Cut(b, " has ")
	return a + "|" + b
}

// rekeyIn puts other keys into a source for a stretch, in shares of the whole time.
func rekeyIn(m *memory, from, to float64, f func(key string) string) {
	for _, r := range m.recs {
		if at := 1 - (noon.Sub(r.CreatedAt.Time())-time.Hour).Hours()/12; at >= from && at < to {
			r.Components[2].Value = reconcile.Text(f(r.Key().String()))
		}
	}
}

// stretched are trades of which some stretch does not join: which pairs are told, and from when to when the first of them must reach, in shares of the whole time.
var stretched = map[string]struct {
	change   func(*trade)
	broken   string
	leg      reconcile.LegName // for which the pairs are needed
	from, to float64
}{
	"all join": {func(*trade) {}, "", reconcile.LegProvider, 0, 0},
	"orders and receipts hashed from the middle on": {func(t *trade) {
		rekeyIn(t.receipts, 0.5, 2, hashed)
		rekeyIn(t.orders, 0.5, 2, hashed)
	}, "receipts|charges receipts|clients orders|charges orders|clients", reconcile.LegLocal, 0.5, 1},
	"the log hashed for some hours":   {func(t *trade) { rekeyIn(t.charges, 0.4, 0.7, hashed) }, "receipts|charges orders|charges charges|clients", reconcile.LegProvider, 0.4, 0.7},
	"the log hashed until the middle": {func(t *trade) { rekeyIn(t.charges, 0, 0.5, hashed) }, "receipts|charges orders|charges charges|clients", reconcile.LegProvider, 0, 0.5},
	"rows of another tenant only": {func(t *trade) {
		rekeyIn(t.charges, 0.7, 2, func(k string) string { return "other-" + k })
		for _, r := range t.charges.recs {
			if strings.HasPrefix(r.Key().String(), "other-") {
				r.Components[0].Value = reconcile.Text("elsewhere")
			}
		}
	}, "receipts|charges orders|charges charges|clients", reconcile.LegProvider, 0.7, 1},
	"hashed for a few minutes: too few to tell": {func(t *trade) { rekeyIn(t.charges, 0.4, 0.42, hashed) }, "", reconcile.LegProvider, 0, 0},
	"a restore took the middle":                 {func(t *trade) { lose(t.receipts, 0.2, 0.6) }, "", reconcile.LegProvider, 0, 0},
	"the log trails behind, and was cut":        {func(t *trade) { lose(t.charges, 0.9, 1) }, "", reconcile.LegProvider, 0, 0},
	"old receipts but those of failures are gone": {func(t *trade) {
		for i, r := range t.receipts.recs {
			if i%3 == 0 {
				r.State = reconcile.StateFailedFinal
				r.Components[2].Value = reconcile.Text(r.Key().String() + "-refused")
			}
		}
		t.receipts.recs = slices.DeleteFunc(t.receipts.recs, func(r *reconcile.Record) bool {
			return r.State == reconcile.StateCompleted && noon.Sub(r.CreatedAt.Time()) > 6*time.Hour
		})
	}, "", reconcile.LegProvider, 0, 0},
}

// TestStretchesAreNotComparable changes the keys of a source for some of the time: nothing is said to be missing then, everything is found at other times, and
// the sieve agrees with judging all.
func TestStretchesAreNotComparable(t *testing.T) {
	t.Parallel()
	for name, c := range stretched {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made := newTrade(rand.New(rand.NewPCG(uint64(len(name)), 2)), 700) // rows that repeat, not a secret
			c.change(made)
			m, judged := agreed(t, made)
			var broken []string
			for _, f := range brokenJoins(m) {
				broken = append(broken, pairOf(f.Text))
				checkReach(t, f.Text, f.From, f.To, c.from, c.to)
			}
			if got := strings.Join(broken, " "); got != c.broken || m.Complete != (c.broken == "") {
				t.Errorf("not comparable: %q, want %q; complete: %v", got, c.broken, m.Complete)
			}
			noFalseAbsence(t, judged, c.leg, c.from, c.to)
		})
	}
}

// checkReach holds that a stretch covers what was changed, and little more.
func checkReach(t *testing.T, text string, from, to reconcile.Instant, first, last float64) {
	t.Helper()
	at := func(share float64) time.Time {
		return noon.Add(-13*time.Hour + time.Duration(share*float64(12*time.Hour)))
	}
	const slack = 45 * time.Minute
	if first > 0 && (!from.Known() || from.Time().After(at(first)) || from.Time().Before(at(first).Add(-slack))) || first == 0 && from.Known() {
		t.Errorf("it begins at %v, not at %v: %s", from, at(first), text)
	}
	if last < 1 && (!to.Known() || to.Time().Before(at(last)) || to.Time().After(at(last).Add(slack))) || last == 1 && to.Known() {
		t.Errorf("it ends at %v, not at %v: %s", to, at(last), text)
	}
}

// noFalseAbsence holds that nothing is said to be missing inside a stretch that does not join, and that outside of it what is missing is still found.
func noFalseAbsence(t *testing.T, judged []*reconcile.Judgement, leg reconcile.LegName, from, to float64) {
	t.Helper()
	outside := 0
	for _, v := range judged {
		at := 1 - (noon.Sub(v.Since.Time())-time.Hour).Hours()/12
		for _, l := range v.Legs {
			switch {
			case l.Name != leg || l.State != reconcile.LegNo && l.State != reconcile.LegLost:
			case leg == reconcile.LegLocal && slices.Contains(v.Kinds, reconcile.ReceiptWithoutEffect): // receipts and orders join all the time
				outside++
			case at >= from && at < to:
				t.Errorf("%v of %v: the %s leg is said to be missing: %s", v.Kinds, v.Since, l.Name, l.Code)
			default:
				outside++
			}
		}
	}
	if outside == 0 {
		t.Error("nothing is found to be missing at other times")
	}
}

// TestDividedStoresAreComparable shares actions among two services by their key: crosswise the stores have nothing in common, and that is as it should be.
func TestDividedStoresAreComparable(t *testing.T) {
	t.Parallel()
	whole := newTrade(rand.New(rand.NewPCG(5, 1)), 500) // as above
	var ms []*memory
	for half := range 2 {
		for _, m := range whole.all()[:3] {
			part := &memory{facts: m.facts}
			part.facts.Name += strconv.Itoa(half)
			for _, r := range m.recs {
				if key := r.Key().String(); int(key[len(key)-1])%2 == half {
					r.Source = part.facts.Name
					part.recs = append(part.recs, r)
				}
			}
			ms = append(ms, part)
		}
	}
	got := tell(t, whole.cfg, scan.Options{}, readersOf(ms)...)
	if m := got.manifest; !m.Complete || len(m.Contracts) > 0 || m.Counts.Findings[reconcile.OrphanedEffect] == 0 {
		t.Errorf("complete: %v, %+v, %+v", m.Complete, m.Contracts, m.Counts)
	}
}

// TestEarlyLoss loses receipts in the ways of stores that evict, of reapers and of restores.
func TestEarlyLoss(t *testing.T) {
	t.Parallel()
	age := func(i, n int) float64 { return float64(i) / float64(n) } // of the retention
	for name, c := range map[string]struct {
		n    int
		gone func(i, n int) bool
		want string
	}{
		"nothing is lost":     {400, func(int, int) bool { return false }, ""},
		"a few are lost":      {400, func(i, _ int) bool { return i%40 == 0 }, ""},
		"a store that evicts": {400, func(i, n int) bool { return age(i, n) > 0.3 && i%4 == 0 }, "at every age from 7h0m0s on"},
		"an eager reaper":     {400, func(i, n int) bool { return age(i, n) > 0.5 }, "at every age from 12h0m0s on"},
		"a restore":           {400, func(i, n int) bool { return age(i, n) > 0.5 && age(i, n) < 0.8 }, ""},
		"too few to tell":     {60, func(i, n int) bool { return age(i, n) > 0.5 }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			receipts, orders := &memory{facts: factsOf("receipts", reconcile.RoleReceipt)}, &memory{facts: factsOf("orders", reconcile.RoleEffect)}
			for i := range c.n {
				for _, m := range []*memory{receipts, orders} {
					r := good(&m.facts, strconv.Itoa(i))
					r.CreatedAt = reconcile.At(noon.Add(-time.Duration(float64(24*time.Hour) * age(i, c.n))))
					if m == orders || !c.gone(i, c.n) {
						m.recs = append(m.recs, r)
					}
				}
			}
			m := tell(t, shop(false), scan.Options{}, receipts, orders).manifest
			found := ""
			for _, f := range m.Contracts {
				if f.Kind == reconcile.EarlyLoss {
					found = f.Text
				}
			}
			if (found != "") != (c.want != "") || !strings.Contains(found, c.want) || !m.Complete {
				t.Errorf("found %q, want %q", found, c.want)
			}
		})
	}
}

// TestHoles: where a log of undeclared coverage has nothing for some hours in which the service did much, nothing is concluded from what it lacks there; what
// somebody declared it to cover, it covers.
func TestHoles(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct {
		undeclared, hole bool
		actions          int
	}{
		"undeclared": {true, true, 600}, "declared": {false, false, 600}, "too few to tell": {true, false, 60},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			trade := newTrade(rand.New(rand.NewPCG(7, 7)), of.actions)
			trade.charges.facts.Undeclared = of.undeclared
			from, to := reconcile.At(noon.Add(-8*time.Hour)), reconcile.At(noon.Add(-6*time.Hour))
			inside := func(at reconcile.Instant) bool { return at.After(from) && at.Before(to) }
			trade.charges.recs = slices.DeleteFunc(trade.charges.recs, func(r *reconcile.Record) bool { return inside(r.CreatedAt) })
			want := oracle(trade.cfg, trade.all())
			got, err := pipeline(t.Context(), trade.cfg, trade.all(), t.TempDir(), 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			if got.String() != want.String() {
				t.Errorf("the sieve says\n%s\njudging all says\n%s", got, want)
			}
			missing := 0
			for _, v := range got.judged {
				if slices.Contains(v.Kinds, reconcile.ProviderMissing) {
					missing++
				}
			}
			if of.hole && missing > of.actions/10 || !of.hole && missing < of.actions/12 {
				t.Errorf("%d of %d actions are called missing", missing, of.actions)
			}
		})
	}
}
