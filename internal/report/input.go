package report

import (
	"context"
	"iter"

	"example.com/idemctl/internal/reconcile"
)

// Result is what is written: a scan that has just run, or a saved one.
type Result interface {
	Manifest() *Manifest
	// Cases yields the cases of a kind (every kind when nil) in their fixed order. A case is valid until the next one is asked for.
	Cases(ctx context.Context, kind *reconcile.Kind) iter.Seq2[*Case, error]
}

// Manifest is what holds for the scan as a whole.
type Manifest struct {
	Name         string
	Now          reconcile.Instant
	Pinned       bool
	ConfigDigest string
	Complete     bool
	Sources      []Source
	Gaps         []Gap
	Counts       Counts
	Contracts    []ContractFinding
}

// Source is one source as the scan met it.
type Source struct {
	Name       string
	Role       reconcile.Role
	Records    int64
	Unreadable int64
	Coverage   reconcile.Coverage
}

// Gap is a restore gap.
type Gap struct {
	Store            string
	Kind             reconcile.EventKind
	From, To         reconcile.Instant
	Declared         bool
	Missing, Present int64
}

// Counts sum: every subject is in exactly one class.
type Counts struct {
	Subjects, Matched, InFlight, Explained, Inconclusive, Unclaimed, Cases int64
	Findings                                                               map[reconcile.Kind]int64
	NotJudged                                                              map[string]int64
}

// ContractFinding is a finding about a contract, not about one subject.
type ContractFinding struct {
	Kind     string
	Contract string
	Count    int64
	Text     string
}

// Case is a subject with findings.
type Case struct {
	reconcile.Judgement
	Contract   string
	Identity   []reconcile.Component
	Evidence   []Evidence
	Candidates []reconcile.Candidate
	MoreCands  int
}

// Evidence is one record of a case.
type Evidence struct {
	Role    reconcile.Role
	Source  string
	Locator string
	Link    reconcile.Link
	History bool
	Facts   []reconcile.Fact
	Raw     []reconcile.Column
}
