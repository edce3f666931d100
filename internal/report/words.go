package report

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/text"
)

// payload reports whether a fact is what the caller sent or was answered: masked until it is asked for. The facts that identify, time or price an
// action are needed to decide and stay.
func payload(fact string) bool { return fact == "params" || fact == "response_body" }

// decimalText writes an amount as a decimal number from its minor units, without a float.
func decimalText(a reconcile.Amount) string {
	return decimal(strconv.FormatInt(a.Minor, 10), int(a.Exponent))
}

// decimal puts the decimal point into a whole number of minor units.
func decimal(minor string, exponent int) string {
	sign := ""
	if strings.HasPrefix(minor, "-") {
		sign, minor = "-", minor[1:]
	}
	if exponent == 0 {
		return sign + minor
	}
	if pad := exponent + 1 - len(minor); pad > 0 {
		minor = strings.Repeat("0", pad) + minor
	}
	at := len(minor) - exponent
	return sign + minor[:at] + "." + minor[at:]
}

func amountText(a reconcile.Amount) string {
	if !a.Valid {
		return "-"
	}
	if a.Currency == "" {
		return decimalText(a)
	}
	return decimalText(a) + " " + text.SafeString(a.Currency)
}

// shortIdentity is the identity's cell in the table: the values in the order of the scope.
func shortIdentity(identity []reconcile.Component) string {
	parts := make([]string, 0, len(identity))
	for _, c := range identity {
		parts = append(parts, text.Truncate(ComponentCell(c), maxIdentityPart))
	}
	return strings.Join(parts, " · ")
}

const maxIdentityPart = 40

// valueText is a value on a line of its own. No value can look like an unknown one.
func valueText(v reconcile.Value) string {
	switch {
	case !v.Known():
		return "(unknown)"
	case len(v.Bytes()) == 0 || bytes.ContainsAny(v.Bytes()[:1], `("`):
		return quoted(v)
	default:
		return text.Key(v.Bytes())
	}
}

// cellText is a value beside others. No value can look like two.
func cellText(v reconcile.Value) string {
	if v.Known() && bytes.ContainsAny(v.Bytes(), " \"·()") {
		return quoted(v)
	}
	return valueText(v)
}

func quoted(v reconcile.Value) string {
	if len(v.Bytes()) == 0 {
		return `""`
	}
	return `"` + strings.ReplaceAll(text.Key(v.Bytes()), `"`, `\"`) + `"`
}

// lasts writes a span with its two largest units, the smaller one only where it is not zero.
func lasts(d time.Duration) string {
	units := []struct {
		size time.Duration
		name string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "m"}, {time.Second, "s"}}
	for i, u := range units {
		if d < u.size && i < len(units)-1 {
			continue
		}
		out := fmt.Sprintf("%d%s", d/u.size, u.name)
		if i+1 < len(units) {
			if rest := d % u.size / units[i+1].size; rest > 0 {
				out += fmt.Sprintf(" %d%s", rest, units[i+1].name)
			}
		}
		return out
	}
	return ""
}

// shortExposure is the exposure's cell: how long a retry can still double the action.
func shortExposure(e reconcile.Exposure, now reconcile.Instant) string {
	switch e.State {
	case reconcile.ExposureOpen:
		return "open"
	case reconcile.ExposureUnknown:
		return "unknown"
	case reconcile.ExposureUntil:
		if !e.Until.Known() || !now.Known() {
			return "until ?"
		}
		if left := e.Until.Time().Sub(now.Time()); left > 0 {
			return lasts(left)
		}
		return "ended"
	default:
		return "-"
	}
}

func exposureSentence(c *scan.Case, now reconcile.Instant) string {
	switch e := c.Exposure; e.State {
	case reconcile.ExposureOpen:
		return "It can be executed again, and no end of that is known."
	case reconcile.ExposureUnknown:
		return "Whether it can be executed again is unknown."
	case reconcile.ExposureUntil:
		if left := shortExposure(e, now); left == "ended" {
			return fmt.Sprintf("It could be executed again until %s, which has passed.", endText(e.Until))
		}
		return fmt.Sprintf("It can be executed again until %s (%s left).", endText(e.Until), shortExposure(e, now))
	default:
		return unexposedSentence(c)
	}
}

// unexposedSentence says why a case is not exposed. That a retry now may run the action is no contradiction, where nothing stands that it would double, or none
// is expected any more.
func unexposedSentence(c *scan.Case) string {
	stands := func(l reconcile.Leg) bool { return l.State != reconcile.LegNo }
	switch again := c.RetryNow == reconcile.RetryExecutesAgain || c.RetryNow == reconcile.RetryMightExecuteAgain; {
	case !c.RetryNow.MayRun():
		return "A retry now runs nothing."
	case !again && len(c.Legs) > 0 && !slices.ContainsFunc(c.Legs, stands):
		return "Nothing stands that a retry would double."
	}
	return "No retry is expected any more: the contract's retry window has ended."
}

var executedSentences = map[reconcile.Executed]string{
	reconcile.ExecutedYes:          "The action was executed.",
	reconcile.ExecutedNo:           "The action was not executed.",
	reconcile.ExecutedPartly:       "The action was executed in part.",
	reconcile.ExecutedUndetermined: "Whether the action was executed cannot be told from the sources.",
}

var retrySentences = map[reconcile.RetryVerdict]string{
	reconcile.RetryUnknown:           "Unknown: do not rely on its being recognised.",
	reconcile.RetryReplays:           "It would be recognised and answered from the receipt.",
	reconcile.RetryConflicts:         "It would be refused: the receipt holds another fingerprint.",
	reconcile.RetryWaits:             "It would wait: the receipt's lease still lives.",
	reconcile.RetryTakenOver:         "It would take the lapsed receipt over and run the action.",
	reconcile.RetryExecutes:          "It would execute the action, for the first time.",
	reconcile.RetryExecutesAgain:     "It would execute the action a second time.",
	reconcile.RetryMightExecuteAgain: "It would execute the action, perhaps for the second time.",
	reconcile.RetryRefusedByRule:     "It would be refused by a unique rule of the business rows.",
}
