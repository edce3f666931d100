package query

import (
	"slices"

	"example.com/idemctl/internal/reconcile"
)

// sort of value that a field holds.
type sort uint8

const (
	words   sort = iota // a closed set
	ranked              // a closed set with an order
	spans               // lengths of time
	moments             // points of time
	money
	texts
)

// field is a row of the table of fields.
type field struct {
	name, short string
	sort        sort
	words       func() []string
	help        string
	test        func(t *token, f *field) (test, *Error)
}

// fields is the table; the components of identities come to it as texts.
func fields() []field {
	return []field{
		{"exposure", "exp", words, sure(reconcile.ExposureNone, reconcile.ExposureUnknown), "whether a retry could execute it again: open, unknown, until, none", exposure},
		{"severity", "sev", ranked, sure(reconcile.SeverityCritical, reconcile.SeverityLow), "how grave: severity>=high", severity},
		{"kind", "finding", words, kindWords, "a finding that holds, headline or not", kinds},
		{"headline", "", words, kindWords, "the gravest finding", headline},
		{"executed", "", words, sure(reconcile.ExecutedUndetermined, reconcile.ExecutedPartly), "whether the action was executed", executed},
		{"retry", "", words, sure(reconcile.RetryUnknown, reconcile.RetryRefusedByRule), "what a retry would do now", retry},
		{"decision", "dec", words, decisionWords, "what is recorded: none, live, changed, a state or a decision", decision},
		{"amount", "", money, nil, "money in major units: amount>100, amount>=99.50eur", amount},
		{"currency", "", texts, nil, "the currency's code", currency},
		{"age", "", spans, nil, "since the earliest instant known of the action: age>2h", span(func(c *Case) (from, to reconcile.Instant) { return c.Since, reconcile.Instant{} })},
		{"since", "", moments, nil, "the earliest instant known of the action, in UTC: since>=2026-11-29T02:10", moment(func(c *Case) reconcile.Instant { return c.Since })},
		{"left", "", spans, nil, "how long a retry can still double it: left<1h", span(func(c *Case) (from, to reconcile.Instant) { return reconcile.Instant{}, c.Exposure.Until })},
		{"contract", "", texts, nil, "the contract's name", text(func(c *Case) []reconcile.Component {
			return []reconcile.Component{{Value: reconcile.Text(c.Contract)}}
		})},
		{"case", "id", texts, nil, "the case's id, or the beginning of it", caseID},
	}
}

// sure lists the words of a closed set from its first to its last value.
func sure[T interface {
	~uint8
	String() string
}](first, last T) func() []string {
	return func() []string {
		var out []string
		for v := first; v <= last; v++ {
			out = append(out, v.String())
		}
		return out
	}
}

func kindWords() []string {
	var out []string
	for i := range reconcile.Findings {
		out = append(out, reconcile.Kind(i).String())
	}
	return out
}

func decisionWords() []string {
	out := []string{"none", "live", "changed"}
	out = append(out, sure(reconcile.DecisionProposed, reconcile.DecisionRejected)()...)
	out = append(out, sure(reconcile.DecideReplay, reconcile.DecideEscalate)()...)
	return append(out, sure(reconcile.BackfillReceipt, reconcile.Accept)()...)
}

// find returns the field of a name or its short form; a component of an identity is a text.
func find(name string, components []string) *field {
	all := fields()
	if i := slices.IndexFunc(all, func(f field) bool { return f.name == name || f.short != "" && f.short == name }); i >= 0 {
		return &all[i]
	}
	if !slices.Contains(components, name) {
		return nil
	}
	return &field{name: name, sort: texts, help: "a component of the identity", test: text(func(c *Case) []reconcile.Component {
		for i := range c.Identity {
			if c.Identity[i].Name == name {
				return c.Identity[i : i+1]
			}
		}
		return nil
	})}
}
