package query_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/idemctl/internal/query"
	"example.com/idemctl/internal/reconcile"
)

var (
	now   = time.Date(2026, 11, 29, 6, 0, 0, 0, time.UTC)
	names = []string{"tenant", "operation", "key"}
)

// sample is the case that the table asks about.
func sample() *query.Case {
	return &query.Case{
		ID: []byte("dbfidmg7vmqdhzrd"), Contract: "checkout", Headline: reconcile.OrphanedEffect,
		Kinds: 1<<reconcile.OrphanedEffect | 1<<reconcile.SensitiveKey, Severity: reconcile.SeverityHigh,
		Exposure: reconcile.Exposure{State: reconcile.ExposureUntil, Until: reconcile.At(now.Add(90 * time.Minute))},
		Executed: reconcile.ExecutedYes, RetryNow: reconcile.RetryExecutesAgain,
		Amount: reconcile.Amount{Minor: 8990, Exponent: 2, Currency: "EUR", Valid: true}, Since: reconcile.At(now.Add(-3 * time.Hour)),
		Identity: []reconcile.Component{{Name: "tenant", Value: reconcile.Text("North Bikes")}, {Name: "operation"}, {Name: "key", Value: reconcile.Text("cart-3B90-1")}},
		Decided:  true, State: reconcile.DecisionDecided, Decision: reconcile.DecideResolve, As: reconcile.BackfillReceipt, Live: true,
	}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		q    string
		want bool
	}{
		{"", true},
		{"   ", true},
		{"cart", true},
		{"3b90", true},
		{"3B90", true},
		{"CART", false},
		{"north bikes", true},
		{`"North Bikes"`, true},
		{`"north  bikes"`, false},
		{"dbfid", true},
		{"orphaned", true},
		{"missing", false},
		{"severity:high", true},
		{"sev:critical,high", true},
		{"severity>=high", true},
		{"severity>=critical", false},
		{"severity<=high", true},
		{"severity>high", false},
		{"severity<critical", true},
		{"kind:sensitive-key", true},
		{"finding:sensitive-key", true},
		{"headline:sensitive-key", false},
		{"headline:orphaned-effect", true},
		{"exposure:until", true},
		{"exposure:open,unknown", false},
		{"executed:yes", true},
		{"retry:executes-again", true},
		{"decision:live", true},
		{"decision:none", false},
		{"decision:changed", false},
		{"decision:resolve", true},
		{"decision:backfill-receipt", true},
		{"decision:decided", true},
		{"decision:replay,live", true},
		{"-decision:live", false},
		{"amount>89", true},
		{"amount>89.90", false},
		{"amount>=89.90", true},
		{"amount=89.9", true},
		{"amount:89.900", true},
		{"amount>89.899", true},
		{"amount<89.901", true},
		{"amount=89.901", false},
		{"amount>10eur", true},
		{"amount>10usd", false},
		{"amount:unknown", false},
		{"currency:eur", true},
		{"currency:jpy", false},
		{"since>=2026-11-29T03:00:00Z", true},
		{"since>2026-11-29T03:00", false},
		{"since<2026-11-29t04:00:00+01:00", false},
		{"since<=2026-11-29T04:00:00+01:00", true},
		{"since>=2026-11-29", true},
		{"since>2026-11-30", false},
		{"since:unknown", false},
		{"age>2h", true},
		{"age>3h", false},
		{"age>=3h", true},
		{"age<1d", true},
		{"age:unknown", false},
		{"left<2h", true},
		{"left>1h30m", false},
		{"left>=1h30m", true},
		{`tenant:"North Bikes"`, true},
		{"tenant:North*", true},
		{"tenant:*ike*", true},
		{`tenant:"North*"`, false},
		{"tenant:North", false},
		{"key:cart-*-1", true},
		{"key:cart-*-2", false},
		{"key~^cart-[0-9A-F]+-1$", true},
		{"operation:unknown", true},
		{"operation:*", false},
		{"contract:check*", true},
		{"case:dbf", true},
		{"case:fid", false},
		{"(severity:low or severity:high) tenant:North*", true},
		{"severity:low or cart", true},
		{"severity:low or missing", false},
		{"-(severity:low or missing)", true},
		{"-missing -severity:low", true},
		{"--cart", true},
		{"\tcart\n", true},
	} {
		q, err := query.Parse(tt.q, names)
		if err != nil {
			t.Errorf("%q: %v", tt.q, err)
			continue
		}
		if got := q.Match(sample(), reconcile.At(now)); got != tt.want {
			t.Errorf("%q: %v, want %v", tt.q, got, tt.want)
		}
	}
}

// What is not known matches no comparison, nor its opposite.
func TestUnknownMatchesNothing(t *testing.T) {
	t.Parallel()
	blank := &query.Case{Identity: []reconcile.Component{{Name: "tenant"}}}
	for _, s := range []string{"amount>0", "amount<=0", "amount=0", "age>0s", "age<=0s", "since>2000-01-01", "since<2100-01-01", "left>0s", "left<=0s", "tenant:*", "tenant~.*", "currency:EUR"} {
		q, err := query.Parse(s, names)
		if err != nil {
			t.Fatal(err)
		}
		if q.Match(blank, reconcile.At(now)) {
			t.Errorf("%q matches a case of which it is unknown", s)
		}
	}
	for _, s := range []string{"amount:unknown", "age:unknown", "left:unknown", "tenant:unknown", "currency:unknown"} {
		q, err := query.Parse(s, names)
		if err != nil {
			t.Fatal(err)
		}
		if !q.Match(blank, reconcile.At(now)) {
			t.Errorf("%q does not match a case of which it is unknown", s)
		}
	}
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		q    string
		at   int
		want string
	}{
		{"severety:high", 0, `unknown field "severety"`},
		{"cart severity:hgih", 14, `severity has no value "hgih"`},
		{"kind:orphan", 5, `kind has no value "orphan"`},
		{"kind>orphaned-effect", 0, "kind cannot be compared by >"},
		{"severity:", 9, "severity: is compared with nothing"},
		{"age>soon", 4, `"soon" is no length of time`},
		{"since>soon", 6, `"soon" is no point of time`},
		{"since>1500-01-01", 6, `"1500-01-01" is no point of time`},
		{"since~2026", 0, "since is compared with one point of time"},
		{"age>-2h", 4, `"-2h" is no length of time`},
		{"age>1h,2h", 0, "age is compared with one length of time"},
		{"amount>ten", 7, `"ten" is no amount`},
		{"amount>1/3", 7, `"1/3" is no amount`},
		{"amount>1e999999999", 7, `"1e999999999" is no amount`},
		{"key~[", 4, "not a regular expression: ["},
		{"(cart", 0, "a parenthesis is not closed"},
		{"cart)", 4, "a parenthesis closes nothing"},
		{"()", 0, "nothing stands between the parentheses"},
		{"cart or", 5, `"or" stands between two conditions`},
		{"or cart", 0, `"or" stands between two conditions`},
		{`"cart`, 0, "a quote is not closed"},
		{`tenant:"x`, 7, "a quote is not closed"},
		{"-)", 0, "a minus stands before nothing"},
		{strings.Repeat("(", 100) + "x" + strings.Repeat(")", 100), 33, "nested more than 32 deep"},
		{strings.Repeat("x", 5000), 4096, "a filter is at most 4096 bytes long"},
	} {
		_, err := query.Parse(tt.q, names)
		var wrong *query.Error
		if !errors.As(err, &wrong) {
			t.Errorf("%.40q: %v", tt.q, err)
			continue
		}
		if wrong.What != tt.want || wrong.At != tt.at {
			t.Errorf("%.40q: at %d %s, want at %d %s", tt.q, wrong.At, wrong.What, tt.at, tt.want)
		}
	}
}

func TestComplete(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		s    string
		from int
		want []string
	}{
		{"sev", 0, []string{"severity>="}},
		{"cart ten", 5, []string{"tenant:"}},
		{"-sev", 1, []string{"severity>="}},
		{"(sev", 1, []string{"severity>="}},
		{"exposure:o", 9, []string{"open"}},
		{"severity>=", 10, []string{"critical", "high", "medium", "low"}},
		{"exposure:open,un", 14, []string{"until", "unknown"}},
		{"retry:ex", 6, []string{"executes", "executes-again"}},
		{"tenant:n", 0, nil},
		{`"sev`, 0, nil},
		{"a", 0, []string{"amount>", "age>"}},
	} {
		from, list := query.Complete(tt.s, len(tt.s), names)
		var got []string
		for _, c := range list {
			got = append(got, c.Text)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || from != tt.from {
			t.Errorf("%q from %d, want %d (-want +got):\n%s", tt.s, from, tt.from, diff)
		}
	}
}

// Every completion leads to a filter that can be meant, or to the beginning of one.
func TestCompletionsParse(t *testing.T) {
	t.Parallel()
	_, fields := query.Complete("", 0, names)
	for _, f := range fields {
		_, values := query.Complete(f.Text, len(f.Text), names)
		if len(values) == 0 {
			continue
		}
		for _, v := range values {
			if _, err := query.Parse(f.Text+v.Text, names); err != nil {
				t.Errorf("%s%s: %v", f.Text, v.Text, err)
			}
		}
	}
	if len(fields) < 12 {
		t.Errorf("only %d fields are offered", len(fields))
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "cart", "severity>=high kind:orphaned-effect,sensitive-key", `tenant:"North Bikes" or -(age>2h left<1d)`, "amount>=99.50eur", "key~^a(b", "((", `"\`, "-", "- x", "a:b:c", ",,", "x:,", "\xff:\xff", "age:unknown", "since<=2026-11-29T02:10Z", "界:界"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		q, err := query.Parse(s, names)
		query.Complete(s, len(s), names)
		if err != nil {
			var wrong *query.Error
			if !errors.As(err, &wrong) || wrong.At < 0 || wrong.At > len(s) || wrong.What == "" {
				t.Fatalf("%q: %#v", s, err)
			}
			return
		}
		got := q.Match(sample(), reconcile.At(now))
		again, err := query.Parse(q.String(), names)
		if err != nil || again.Match(sample(), reconcile.At(now)) != got {
			t.Fatalf("%q does not read back: %q, %v", s, q.String(), err)
		}
	})
}
