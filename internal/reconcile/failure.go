package reconcile

import (
	"strconv"
	"strings"
)

// Failure names stored failures: by the error code that their receipts carry, or by response status, as 422, 5xx or 400-499.
type Failure struct {
	Name   string // as the contract spells it
	Status Range  // of response statuses; zero where Name is an error code
}

// ParseFailure reads the name of stored failures. Whatever spells no response status is an error code.
func ParseFailure(name string) Failure {
	f := Failure{Name: name}
	if digit, class := strings.CutSuffix(strings.ToLower(name), "xx"); class {
		if n, ok := statusOf(digit + "00"); ok && len(digit) == 1 {
			f.Status = Range{n, n + 99}
		}
		return f
	}
	from, to, ranged := strings.Cut(name, "-")
	if !ranged {
		to = from
	}
	lo, ok := statusOf(from)
	hi, bounded := statusOf(to)
	if ok && bounded && lo <= hi {
		f.Status = Range{lo, hi}
	}
	return f
}

func statusOf(s string) (int64, bool) {
	n, err := strconv.ParseUint(s, 10, 16)
	return int64(n), err == nil && n >= 100 && n <= 599 && len(s) == 3
}

// ByStatus reports whether the failures are named by response status.
func (f Failure) ByStatus() bool { return f.Status.From > 0 }

// names reports whether a receipt's failure is one of these.
func (f Failure) names(r *Record) bool {
	if f.ByStatus() {
		return r.ResponseStatus.Valid && r.ResponseStatus.N >= f.Status.From && r.ResponseStatus.N <= f.Status.To
	}
	return r.ErrorCode.known && string(r.ErrorCode.text) == f.Name
}
