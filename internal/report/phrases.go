package report

import (
	"strings"
	"time"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/restore"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/text"
)

// The phrases that every view of a case shares: the console says them in the same words as the table.

// Known says whether the action was executed, and whether more than once.
func Known(c *scan.Case) string { return knownSentence(c) }

// NotKnown says what the verdict could not be told of.
func NotKnown(c *scan.Case) string { return unknownSentence(c) }

// RetryNow says what a retry would do now.
func RetryNow(v reconcile.RetryVerdict) string { return retrySentences[v] }

// UntilWhen says how long the action can be executed again, and why it cannot where that is so.
func UntilWhen(c *scan.Case, now reconcile.Instant) string { return exposureSentence(c, now) }

// Exposed is UntilWhen in a cell of a table: open, unknown, the time left, ended or "-".
func Exposed(e reconcile.Exposure, now reconcile.Instant) string { return shortExposure(e, now) }

// Lasts writes a span with its two largest units.
func Lasts(d time.Duration) string { return lasts(d) }

// Money writes an amount with its currency, "-" when it is not known.
func Money(a reconcile.Amount) string { return amountText(a) }

// Plain reports whether a stored column may be shown without a mask: it says no more than a fact that is shown anyhow, or is a short number.
func Plain(e *scan.Evidence, col reconcile.Column) bool {
	return smallNumber(col) || told(e)[string(col.Text)]
}

// Reach says how far a source was read.
func Reach(c reconcile.Coverage) string { return (&page{}).coverage(c) }

// Total writes the money of cases at risk in one currency.
func Total(t *restore.Total) string {
	return strings.TrimSpace(decimal(t.Minor.String(), int(t.Exponent)) + " " + text.SafeString(t.Currency))
}
