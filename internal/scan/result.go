package scan

import (
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources"
	"example.com/idemctl/internal/sources/rows"
)

// Manifest is what holds for a scan as a whole.
type Manifest struct {
	Tool         string // what scanned, in its version; a saved scan keeps it whoever opens it
	Name         string
	Now          reconcile.Instant
	Pinned       bool
	ConfigDigest string
	Trail        string // where the decisions about its cases are kept on the machine that scanned; "" = not known
	Complete     bool   // every source was read as far as it was declared to reach
	Sources      []Source
	States       []reconcile.StoreState // of the sources, in their order: for a later scan to be compared with
	Gaps         []reconcile.Gap
	Counts       Counts
	Contracts    []ContractFinding
	Watermarks   []Watermark
	Notes        []string // what a reader of the result should know first
}

// Source is one source as the scan met it.
type Source struct {
	Name       string
	Role       reconcile.Role
	Records    int64
	Unreadable int64
	Skipped    int64
	Excluded   []sources.Excluded // rows that say nothing of an action, by reason
	Problems   []rows.Problem
	Coverage   reconcile.Coverage
	Columns    []rows.Column // as the store declares them
}

// Counts sum: every subject is in exactly one class.
type Counts struct {
	Subjects, Matched, InFlight, Explained, Inconclusive, Unclaimed, Cases int64
	Findings                                                               map[reconcile.Kind]int64
	NotJudged                                                              map[string]int64
}

// add counts n subjects of a class.
func (c *Counts) add(class reconcile.Class, n int64) {
	c.Subjects += n
	switch class {
	case reconcile.ClassMatched:
		c.Matched += n
	case reconcile.ClassInFlight:
		c.InFlight += n
	case reconcile.ClassExplained:
		c.Explained += n
	case reconcile.ClassInconclusive:
		c.Inconclusive += n
	case reconcile.ClassUnclaimed:
		c.Unclaimed += n
	case reconcile.ClassCase:
		c.Cases += n
	}
}

// ContractFinding is a finding about a contract, not about one subject: it is never a case.
type ContractFinding struct {
	Kind     string
	Contract string
	Count    int64
	From, To reconcile.Instant
	Money    []reconcile.Amount // by currency
	Example  []reconcile.Component
	Text     string
}

// Case is a subject with findings, with all that is needed to show and decide it.
type Case struct {
	reconcile.Judgement
	Contract   string
	Identity   []reconcile.Component
	Evidence   []Evidence
	More       int64 // records of this subject that are not shown
	Candidates []reconcile.Candidate
	MoreCands  int
	Twins      []reconcile.Candidate
	MoreTwins  int
	Others     []reconcile.Candidate // whom a reason or a refusal names besides
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
