package query

import "example.com/idemctl/internal/reconcile"

// Case is what a query can ask of a case.
type Case struct {
	ID       []byte
	Contract string
	Headline reconcile.Kind
	Kinds    uint32 // a bit for each kind that holds
	Severity reconcile.Severity
	Exposure reconcile.Exposure
	Executed reconcile.Executed
	RetryNow reconcile.RetryVerdict
	Amount   reconcile.Amount
	Since    reconcile.Instant
	Identity []reconcile.Component

	Decided  bool // a decision is recorded
	State    reconcile.DecisionState
	Decision reconcile.Decision
	As       reconcile.Resolution
	Live     bool
	Changed  bool
}

// test is a compiled term.
type test func(c *Case, now reconcile.Instant) bool

// Query is a compiled query. The zero Query matches every case.
type Query struct {
	test  test
	text  string
	texts bool
}

// Match reports whether the case matches. now is the clock that ages are measured by.
func (q *Query) Match(c *Case, now reconcile.Instant) bool {
	return q == nil || q.test == nil || q.test(c, now)
}

// Texts reports whether the query looks at ID and Identity. Whoever has many cases may leave them out where it does not.
func (q *Query) Texts() bool { return q != nil && q.texts }

// All reports whether the query matches every case.
func (q *Query) All() bool { return q == nil || q.test == nil }

// String returns the query's text.
func (q *Query) String() string {
	if q == nil {
		return ""
	}
	return q.text
}
