package scan_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/reconcile"
)

// store is a config of one contract and its sources, filled by hand.
type store struct {
	cfg                                *config.Config
	c                                  *reconcile.Contract
	receipts, orders, charges, clients *memory
}

func newStore(effect reconcile.Legs) *store {
	s := &store{cfg: shop(false)}
	s.c = s.cfg.Contracts[0]
	s.c.Effect = effect
	of := func(name string, role reconcile.Role) *memory { return &memory{facts: factsOf(name, role)} }
	s.receipts, s.orders, s.charges, s.clients = of("receipts", reconcile.RoleReceipt), of("orders", reconcile.RoleEffect), of("charges", reconcile.RoleProvider), of("clients", reconcile.RoleIntent)
	return s
}

func (s *store) all() []*memory { return []*memory{s.receipts, s.orders, s.charges, s.clients} }

// put adds a row of a key, so long before noon; without a key where it is "". It carries no reference, and the parts that tell gives it.
func (s *store) put(m *memory, key string, before time.Duration, tell func(r *reconcile.Record)) *reconcile.Record {
	r := good(&m.facts, key)
	if key == "" {
		keyless(r)
	}
	r.EffectID, r.ProviderRef, r.ObjectID, r.CreatedAt = reconcile.Value{}, reconcile.Value{}, reconcile.Value{}, reconcile.At(noon.Add(-before))
	if m.facts.Role == reconcile.RoleIntent {
		r.Attempts = []reconcile.Attempt{{At: r.CreatedAt, Outcome: reconcile.AttemptUncertain}}
	}
	if r.Locator = fmt.Sprintf("%s/%d", m.facts.Name, len(m.recs)); tell != nil {
		tell(r)
	}
	m.recs = append(m.recs, r)
	return r
}

func by(customer, request string) func(*reconcile.Record) {
	return func(r *reconcile.Record) {
		if customer != "" {
			r.Extra = append(r.Extra, reconcile.Component{Name: "customer", Value: reconcile.Text(customer)})
		}
		if request != "" {
			r.Params = reconcile.Text(request)
		}
	}
}

const one, two = `{"q":1}`, `{"q":2}`

// bobsRow is a row without a key that tells who asked, and is named by its id.
func bobsRow(s *store) {
	s.put(s.orders, "", 2*time.Hour+time.Second, func(r *reconcile.Record) {
		by("bob", "")(r)
		r.EffectID = reconcile.Text("1")
	})
}

// twinStores are stores in which an action has a twin that is hard to see; of whose key, and the twin's.
var twinStores = map[string]struct {
	fill      func(s *store)
	of, other string
}{
	"a row tells what for, the row that it names who asked": {func(s *store) {
		s.c.Actor = []string{"customer"}
		s.put(s.receipts, "A", 2*time.Hour, func(r *reconcile.Record) {
			by("ann", one)(r)
			r.EffectID, r.State = reconcile.Text("1"), reconcile.StateFailedFinal
		})
		bobsRow(s)
		s.put(s.clients, "B", 3*time.Hour, by("bob", one))
	}, "A", "B"},
	"the same, of an action of which nothing tells whether it can be compared": {func(s *store) {
		s.c.Actor, s.c.Fingerprint = []string{"customer"}, &reconcile.FingerprintSpec{Algorithm: "sha256"}
		s.put(s.receipts, "A", 2*time.Hour, func(r *reconcile.Record) {
			by("ann", "")(r)
			r.EffectID, r.Fingerprint, r.State = reconcile.Text("1"), reconcile.Text("f1"), reconcile.StateFailedFinal
		})
		bobsRow(s)
		s.put(s.clients, "B", 3*time.Hour, by("bob", one))
	}, "A", "B"},
	"a row without its region tells what for, the row that it names who asked": {func(s *store) {
		s.c.Actor, s.c.Scope = []string{"customer"}, []string{"tenant", "operation", "region", "key"}
		region := func(r *reconcile.Record, name string) {
			r.Components = append(r.Components, reconcile.Component{Name: "region", Value: reconcile.Text(name)})
		}
		for _, in := range []string{"eu", "us"} { // of whom it is is not clear
			s.put(s.clients, "A", 2*time.Hour, func(r *reconcile.Record) {
				by("eve", two)(r)
				region(r, in)
			})
		}
		s.put(s.receipts, "A", 2*time.Hour, func(r *reconcile.Record) {
			by("ann", one)(r)
			r.EffectID, r.State = reconcile.Text("1"), reconcile.StateFailedFinal
		})
		bobsRow(s)
		s.put(s.clients, "B", 3*time.Hour, func(r *reconcile.Record) {
			by("bob", one)(r)
			region(r, "eu")
		})
	}, "A", "B"},
	"rows without a key that ask for the same stand between": {func(s *store) {
		s.put(s.clients, "A", 2*time.Hour, by("", one))
		s.put(s.clients, "B", 4*time.Hour, by("", one))
		for i := range 12 {
			for _, id := range []string{"", strconv.Itoa(i)} { // joined with one another by what they name
				s.put(s.orders, "", 3*time.Hour+time.Duration(i)*2*time.Minute, func(r *reconcile.Record) {
					by("", one)(r)
					if r.ProviderRef = reconcile.Text("o" + strconv.Itoa(i)); id != "" {
						r.EffectID = reconcile.Text(id)
					}
				})
			}
		}
	}, "A", "B"},
	"an action that was sent again stands behind many that were not": {func(s *store) {
		s.put(s.clients, "A", 2*time.Hour, by("", one))
		again := s.put(s.clients, "B", 100*time.Hour, by("", one))
		again.Attempts = append(again.Attempts, reconcile.Attempt{At: reconcile.At(noon.Add(-3 * time.Hour)), Outcome: reconcile.AttemptUncertain})
		for i := range 30 {
			s.put(s.clients, "K"+strconv.Itoa(i), 50*time.Hour+time.Duration(i)*5*time.Minute, by("", one))
		}
	}, "A", "B"},
	"an action of which one send tells no time stands behind many": {func(s *store) {
		s.put(s.clients, "A", 2*time.Hour, by("", one))
		again := s.put(s.clients, "B", 100*time.Hour, by("", one))
		again.Attempts = append(again.Attempts, reconcile.Attempt{Outcome: reconcile.AttemptUncertain})
		for i := range 30 {
			s.put(s.clients, "K"+strconv.Itoa(i), 50*time.Hour+time.Duration(i)*5*time.Minute, by("", one))
		}
	}, "A", "B"},
	"an action that tells no time, beside many: the first are named": {func(s *store) {
		s.put(s.orders, "A", 0, by("", one)).CreatedAt = reconcile.Instant{}
		s.put(s.clients, "B", 30*time.Hour, by("", one))
		for i := range 30 {
			s.put(s.clients, "K"+strconv.Itoa(i), 2*time.Hour+time.Duration(i)*5*time.Minute, by("", one))
		}
	}, "A", "B"},
	"actions with several rows stand on either side": {func(s *store) {
		s.put(s.orders, "A", 4*time.Hour, by("", one))
		for i, name := range []string{"K", "L", "M", "N"} {
			for _, m := range []*memory{s.orders, s.clients} {
				for _, side := range []time.Duration{-1, 1} {
					s.put(m, name+strconv.Itoa(int(side)), 4*time.Hour+side*time.Duration(i+1)*10*time.Minute+time.Duration(m.facts.Role)*3*time.Minute, by("", one))
				}
			}
		}
		s.put(s.clients, "B", 4*time.Hour+12*time.Minute, by("", one))
	}, "A", "B"},
}

// TestTwinsThatAreHardToSee holds the twins that the sieve lets be found against those that judging all finds.
func TestTwinsThatAreHardToSee(t *testing.T) {
	t.Parallel()
	for name, of := range twinStores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore(reconcile.LegsLocal)
			of.fill(s)
			subjects, w := subjectsOf(s.cfg, s.all(), nil)
			keys := make(map[string]string)
			for _, o := range subjects {
				keys[o.ID] += keyText(o)
			}
			found := false
			for _, o := range subjects {
				for _, twin := range slices.Concat(o.Twins, o.Unsure) {
					found = found || keyText(o) == of.of && keys[twin.Case] == of.other && reconcile.Judge(o, w).Class == reconcile.ClassCase
				}
			}
			if !found {
				t.Errorf("judging all names no twin %s of a case %s", of.other, of.of)
			}
			sameInAnyOrder(t, s)
		})
	}
}

func keyText(s *reconcile.Subject) string {
	if s.Contract == nil {
		return ""
	}
	return s.Identity[len(s.Identity)-1].Value.String()
}

// sameInAnyOrder holds the sieve against judging all, with the rows in several orders.
func sameInAnyOrder(t *testing.T, s *store) {
	t.Helper()
	want := oracle(s.cfg, s.all())
	if len(want.cases) == 0 {
		t.Error("judging all finds no case: nothing is held against it")
	}
	rng := rand.New(rand.NewPCG(7, 1)) // an order that repeats, not a secret
	for range 4 {
		for _, m := range s.all() {
			rng.Shuffle(len(m.recs), func(i, k int) { m.recs[i], m.recs[k] = m.recs[k], m.recs[i] })
		}
		for _, budget := range []int64{1, 1 << 20} {
			got, err := pipeline(context.Background(), s.cfg, s.all(), t.TempDir(), budget)
			if err != nil {
				t.Fatal(err)
			}
			if got.String() != want.String() {
				t.Fatalf("budget %d: the sieve says\n%s\njudging all says\n%s", budget, got, want)
			}
		}
	}
}

// TestStrangersThatCarryWhatWasSent: a line that is not ours carries the key that the provider was sent, which of an action's rows only its own line tells.
func TestStrangersThatCarryWhatWasSent(t *testing.T) {
	t.Parallel()
	for name, outcome := range map[string]reconcile.Outcome{"the action's line failed": reconcile.OutcomeFailed, "it is pending": reconcile.OutcomePending, "it succeeded": reconcile.OutcomeSucceeded} {
		for _, told := range []string{"charges", "clients", "orders"} {
			t.Run(name+", told by "+told, func(t *testing.T) {
				t.Parallel()
				s := newStore(reconcile.LegsExternal)
				s.c.Provider = &reconcile.Profile{Name: "drawn", Dedup: true, Retention: reconcile.RetentionMinimum, For: 24 * time.Hour}
				s.c.ProviderKey, s.charges.facts.SentKeys = reconcile.ProviderKey{Rule: reconcile.ProviderKeyMinted}, true
				sent := func(r *reconcile.Record) { r.ProviderKey = reconcile.Text("p1") }
				line := s.put(s.charges, "A", 9*time.Hour, func(r *reconcile.Record) { r.ObjectID, r.Outcome = reconcile.Text("o1"), outcome })
				stranger := s.put(s.charges, "", 8*time.Hour, func(r *reconcile.Record) { r.ObjectID = reconcile.Text("o2") })
				sent(stranger)
				stranger.Claimed = false
				row := line
				for _, m := range []*memory{s.clients, s.orders} {
					if m.facts.Name == told {
						row = s.put(m, "A", 9*time.Hour, nil)
					}
				}
				sent(row)
				s.put(s.clients, "B", 2*time.Hour, nil)
				sameInAnyOrder(t, s)
				subjects, _ := subjectsOf(s.cfg, s.all(), nil)
				if !slices.ContainsFunc(subjects, func(o *reconcile.Subject) bool { return len(o.Strangers) > 0 }) {
					t.Error("judging all heeds no stranger")
				}
			})
		}
	}
}

// TestRequestsThatMayNotCompare: of a group that nothing else is wrong with, one row tells by a fingerprint what was asked for and another by parameters, or by
// a fingerprint that is made otherwise. That this was not compared is told.
func TestRequestsThatMayNotCompare(t *testing.T) {
	t.Parallel()
	tells := map[string]func(r *reconcile.Record){
		"nothing":                     func(*reconcile.Record) {},
		"a fingerprint":               func(r *reconcile.Record) { r.Fingerprint = reconcile.Text("f1") },
		"parameters":                  by("", one),
		"both":                        func(r *reconcile.Record) { by("", one)(r); r.Fingerprint = reconcile.Text("f1") },
		"parameters nobody can read":  by("", "{"),
		"the same and a fingerprint":  func(r *reconcile.Record) { by("", "{")(r); r.Fingerprint = reconcile.Text("f1") },
		"an empty list of parameters": by("", "[]"),
	}
	open := 0
	for ours, first := range tells {
		for theirs, second := range tells {
			for _, declared := range [][2]bool{{false, false}, {true, false}, {false, true}, {true, true}} {
				s := newStore(reconcile.LegsLocal)
				s.c.Params = &reconcile.ParamSpec{}
				for i, m := range []*memory{s.receipts, s.orders} {
					if declared[i] {
						m.facts.Fingerprint = &reconcile.FingerprintSpec{Algorithm: []string{"md5", "sha256"}[i]}
					}
				}
				s.put(s.receipts, "A", 2*time.Hour, first)
				s.put(s.orders, "A", 2*time.Hour, second)
				want := oracle(s.cfg, s.all())
				got, err := pipeline(context.Background(), s.cfg, s.all(), t.TempDir(), 1)
				if err != nil {
					t.Fatal(err)
				}
				if got.String() != want.String() {
					t.Errorf("%s beside %s, declared %v: the sieve says\n%s\njudging all says\n%s", ours, theirs, declared, got, want)
				}
				open += int(want.counts.NotJudged[reconcile.FingerprintConflict.String()])
			}
		}
	}
	if open == 0 {
		t.Error("everything was compared: nothing was tried")
	}
}

// TestCountsOfWhatWasNotJudged: an action that was taken for healthy until another was found that names its row leaves nothing in the counts.
func TestCountsOfWhatWasNotJudged(t *testing.T) {
	t.Parallel()
	s := newStore(reconcile.LegsLocal)
	s.c.Actor = []string{"customer"}
	for _, m := range []*memory{s.receipts, s.orders} {
		s.put(m, "A", 30*time.Hour, func(r *reconcile.Record) { r.EffectID = reconcile.Text("1") })
	}
	s.put(s.orders, "", 30*time.Hour, func(r *reconcile.Record) {
		by("ann", one)(r)
		r.EffectID = reconcile.Text("1")
	})
	want := oracle(s.cfg, s.all())
	got, err := pipeline(context.Background(), s.cfg, s.all(), t.TempDir(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != want.String() {
		t.Errorf("the sieve says\n%s\njudging all says\n%s", got, want)
	}
	if want.counts.NotJudged[reconcile.SuspectedDuplicateIntent.String()] > 0 {
		t.Error("something was not judged: nothing is held against it")
	}
}
