package report_test

import (
	"bytes"
	"strings"
	"testing"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/report"
)

// TestOthersAreNamed says of every other action that a case names whose it is, under which key, and when it began: where it is listed and where a refusal rests
// on it. A key that is a secret is masked there as its own case masks it, even where this one's key is none.
func TestOthersAreNamed(t *testing.T) {
	t.Parallel()
	id := func(key string) []reconcile.Component {
		return []reconcile.Component{{Name: "tenant", Value: reconcile.Text("north")}, {Name: "operation", Value: reconcile.Text("web-order")}, {Name: "key", Value: reconcile.Text(key)}}
	}
	const mail = "ada.lind@example.org"
	c := unknown()
	c.Candidates = []reconcile.Candidate{{Case: "c1", Locator: "orders/1", Identity: []reconcile.Component{{Name: "tenant", Value: reconcile.Text("east")}, {Name: "key"}}}}
	c.Twins = []reconcile.Candidate{{Case: "t1", Locator: "receipts/" + mail, Identity: id(mail), Began: at("2026-11-29T05:12:00Z")}}
	c.Others = []reconcile.Candidate{{Case: "o1", Locator: "receipts/8", Identity: id("po-8"), Began: at("2026-11-29T05:13:00Z")}}
	c.Options = []reconcile.Option{
		{Decision: reconcile.DecideReplay, Code: "twin-exists", Reason: "It may be the retry.", Other: "t1"},
		{Decision: reconcile.DecideResolve, As: reconcile.Complete, Code: "scope-changed", Reason: "It was renamed.", Other: "o1"},
	}
	show := func(opt report.Options) string {
		var b bytes.Buffer
		if err := report.Show(&b, night().Manifest(), c, opt); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	masked, open := show(report.Options{}), show(report.Options{Reveal: true})
	for _, want := range []string{
		"tenant east, no key, begun at a time that no record tells",
		"tenant north, operation web-order, key po-8, begun 2026-11-29T05:13:00Z", report.OthersTitle,
		"It was renamed. The other: tenant north, key po-8, begun 2026-11-29T05:13:00Z.",
	} {
		if !strings.Contains(masked, want) {
			t.Errorf("it does not say %q:\n%s", want, masked)
		}
	}
	if strings.Contains(masked, mail) || !strings.Contains(masked, "It may be the retry. The other: tenant north, key ") {
		t.Errorf("the twin's key is not masked, or the twin not named:\n%s", masked)
	}
	if !strings.Contains(open, "key "+mail) {
		t.Errorf("the key is not revealed:\n%s", open)
	}
}
