package reconcile

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

func comps(values ...string) []Component {
	names := []string{"tenant", "operation", "key", "region"}
	out := make([]Component, len(values))
	for i, v := range values {
		out[i] = Component{Name: names[i], Value: Text(v)}
	}
	return out
}

func TestIdentityKeepsComponentsApart(t *testing.T) {
	t.Parallel()
	c := &Contract{}
	pairs := [][2][]Component{
		{comps("a", "bc"), comps("ab", "c")},
		{comps("", "abc"), comps("abc", "")},
		{comps("north", "K"), comps("south", "K")},
		{comps("k\xff"), comps("k\xfe")},
		{comps("k\x00"), comps("k")},
		{comps("K"), comps("k")},
		{comps("\u00e9"), comps("e\u0301")},
		{comps("7"), comps("7.0")},
		{comps("", "x"), {{Name: "tenant"}, {Name: "operation", Value: Text("x")}}},
	}
	for _, p := range pairs {
		if bytes.Equal(c.AppendIdentity(nil, p[0]), c.AppendIdentity(nil, p[1])) {
			t.Errorf("%q and %q share an identity", p[0], p[1])
		}
	}
}

func TestIdentityIsInjective(t *testing.T) {
	t.Parallel()
	c := &Contract{}
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) []Component {
			vs := rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 0, 4), 3, 3).Draw(t, label)
			return comps(string(vs[0]), string(vs[1]), string(vs[2]))
		}
		a, b := draw("a"), draw("b")
		same := bytes.Equal(c.AppendIdentity(nil, a), c.AppendIdentity(nil, b))
		equal := true
		for i := range a {
			equal = equal && a[i].Value.Equal(b[i].Value)
		}
		if same != equal {
			t.Fatalf("%q and %q: same encoding %v, same values %v", a, b, same, equal)
		}
	})
}

func TestDeclaredCollationFolds(t *testing.T) {
	t.Parallel()
	c := &Contract{Compare: map[string]Comparison{"key": CompareCI, "tenant": CompareTrim}}
	a, b := comps("north  ", "op", "Key"), comps("north", "op", "kEY")
	if !bytes.Equal(c.AppendIdentity(nil, a), c.AppendIdentity(nil, b)) || !c.agree(a, b) {
		t.Error("a declared collation must fold both in the identity and in partial agreement")
	}
	if bytes.Equal(c.AppendIdentity(nil, comps("north", "OP")), c.AppendIdentity(nil, comps("north", "op"))) {
		t.Error("a component without a declared collation is compared as bytes")
	}
}

func TestCaseIDIgnoresContractNameAndPlace(t *testing.T) {
	t.Parallel()
	w := &World{}
	subject := func(contract, source, locator string) *Subject {
		r := &Record{Role: RoleEffect, Source: source, Locator: locator, Components: comps("north", "op", "K")}
		return &Subject{Contract: &Contract{Name: contract, Scope: []string{"tenant", "operation", "key"}}, Identity: comps("north", "op", "K"), Evidence: []Evidence{{Record: r}}}
	}
	if a, b := caseID(subject("x", "orders", "orders/1"), w), caseID(subject("y", "copy", "copy/9"), w); a != b {
		t.Errorf("one identity has two case ids: %s and %s", a, b)
	}
	keyless := func(id string) *Subject {
		r := &Record{Role: RoleEffect, Source: "orders", EffectID: Text(id)}
		return &Subject{Contract: &Contract{}, Identity: []Component{{Name: "key"}}, Evidence: []Evidence{{Record: r}}}
	}
	if caseID(keyless("1"), w) == caseID(keyless("2"), w) {
		t.Error("two keyless effects share a case id")
	}
}

// TestOneScopeOfTwoContracts: a key is an action of each contract whose scope leaves the operation out, and each has a case of its own. The first keeps the id
// that it has alone.
func TestOneScopeOfTwoContracts(t *testing.T) {
	t.Parallel()
	id := []Component{{Name: "tenant", Value: Text("north")}, {Name: "key", Value: Text("K")}}
	alone := &Contract{Operations: []string{"pay"}, Scope: []string{"tenant", "key"}}
	book := Book{
		{Operations: []string{"pay"}, Scope: []string{"tenant", "key"}},
		{Operations: []string{"refund"}, Scope: []string{"key", "tenant"}},
		{Operations: []string{"ship"}, Scope: []string{"tenant", "key"}},
		{Operations: []string{"bill"}, Scope: []string{"tenant", "operation", "key"}},
	}
	book.ShareScopes()
	if book[0].CaseID(id) != alone.CaseID(id) {
		t.Error("a second contract gave the first one's cases other ids")
	}
	seen := make(map[string]string)
	for _, c := range book[:3] {
		if have, twice := seen[c.CaseID(id)]; twice {
			t.Errorf("the cases of %s and %s have one id", have, c.Operations[0])
		}
		seen[c.CaseID(id)] = c.Operations[0]
	}
	if book[3].ScopeOfAnother {
		t.Error("a scope with the operation tells the contracts apart")
	}
}

func TestGlob(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		pattern, text string
		want          bool
	}{
		{"*", "", true},
		{"*", "anything", true},
		{"refund-*", "refund-card", true},
		{"refund-*", "refund", false},
		{"*-order", "web-order", true},
		{"*-order", "web-orders", false},
		{"a*b*c", "aXXbYYc", true},
		{"a*b*c", "aXXcYYb", false},
		{"create-order", "create-order", true},
		{"create-order", "create-order2", false},
		{"[x]", "[x]", true},
		{"?", "a", false},
	} {
		if got := matchGlob(tc.pattern, []byte(tc.text)); got != tc.want {
			t.Errorf("%q matches %q: %v, want %v", tc.pattern, tc.text, got, tc.want)
		}
	}
}

func TestClaimPutsAliasesThrough(t *testing.T) {
	t.Parallel()
	c := &Contract{Operations: []string{"create-order"}, Aliases: map[string]string{"POST /v1/orders": "create-order"}}
	b := Book{c, {Operations: []string{"refund-*"}}}
	r := &Record{Role: RoleReceipt, Components: []Component{{Name: "operation", Value: Text("POST /v1/orders")}}}
	if b.Claim(r) != c || r.Component("operation").String() != "create-order" {
		t.Errorf("alias not applied: %q", r.Component("operation"))
	}
	line := &Record{Role: RoleProvider, Components: []Component{{Name: "operation", Value: Text("create-order")}}}
	if b.Claim(line) != nil {
		t.Error("a provider line that the source does not claim belongs to no contract")
	}
	if b.Claim(&Record{Role: RoleEffect}) != nil {
		t.Error("without an operation no contract of several can be meant")
	}
}
