package tui

import (
	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/tui/caselist"
)

// The messages. Whatever answers a question carries the generation of that question.
type (
	// done is the end of a command, with what it found.
	done struct{ msg any }
	// fault is a panic that was caught.
	fault struct {
		what  string
		stack []byte
	}
	// loaded is a result, or why there is none.
	loaded struct {
		gen    int
		result Result
		err    error
	}
	// arrived is some rows of a result; more is nil behind the last.
	arrived struct {
		gen  int
		rows []scan.Row
		more *pull
		err  error
	}
	// listed is what a filter chose.
	listed struct {
		gen  int // of the filter
		load int
		view caselist.View
		rows *caselist.Snapshot
		err  error
	}
	// caseRead is one case with its evidence.
	caseRead struct {
		load int
		id   string
		c    *scan.Case
		err  error
	}
	// casesRead are the cases of a plan.
	casesRead struct {
		load  int
		gen   int
		cases []*scan.Case
		err   error
	}
	// decisionsRead is what the trail holds.
	decisionsRead struct {
		load     int
		standing Standing
		changed  map[string]bool
		err      error
	}
	// restoreRead is what a restore has left behind.
	restoreRead struct {
		load int
		sum  *RestoreSum
		err  error
	}
	// answered is what became of a request.
	answered struct {
		asked   audit.Request
		answers []audit.Answer
		err     error
	}
	// changed is what became of a decision.
	changed struct {
		decision audit.Decision
		err      error
	}
	// confirmed is what became of a window.
	confirmed struct {
		restore audit.Restore
		err     error
	}
	// logged is a page of the trail.
	logged struct {
		gen     int
		from    int64
		entries []audit.Entry
		err     error
	}
	// recalled is the evidence of an entry.
	recalled struct {
		seq  int64
		body []byte
		err  error
	}
	// verified is the result of a check.
	verified struct {
		report audit.Report
		err    error
	}
	// tick is a moment at which something that runs is looked at.
	tick struct{ gen int }
	// minute is a full minute of the clock.
	minute struct{ gen int }
	// escape is the end of the wait for the rest of an escape sequence.
	escape struct{}
	// settle is the end of the pause behind the last letter of a filter.
	settle struct{ gen int }
)
