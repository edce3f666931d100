package report

import (
	"slices"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
)

// HandOver says that a case is to be escalated, and why; "" where some decision settles it by what the records show, or where time may. It is advice: it
// neither allows nor refuses anything.
func HandOver(c *scan.Case) string {
	if option(c, reconcile.DecideReplay, reconcile.ResolutionNone).Code == "principal-revoked" {
		return "Whoever asked for it may no longer ask for anything, and whether it is still wanted is not for you to say: escalate it to those who may order it."
	}
	if settles(c) || c.Due.At.Known() || len(c.Pending) > 0 {
		return ""
	}
	hold := ""
	if option(c, reconcile.DecideHold, reconcile.ResolutionNone).Allowed {
		hold = ", or hold it until somebody has"
	}
	return "No decision settles it by the records alone: escalate it to whoever can find out" + hold + ". Resolve only what you know from elsewhere."
}

// Advised is what to decide in a word or two: to hand over, or to look again where time will tell; "" where nothing is advised.
func Advised(c *scan.Case) string {
	switch {
	case HandOver(c) == "" && c.Due.At.Known() && !settles(c):
		return "recheck"
	case HandOver(c) == "":
		return ""
	case option(c, reconcile.DecideHold, reconcile.ResolutionNone).Allowed:
		return "escalate, or hold"
	}
	return "escalate"
}

// settles reports whether the guard allows what sets a case right by what the records show. While the trail is in doubt nothing is recorded, and nobody asked.
func settles(c *scan.Case) bool {
	replay := option(c, reconcile.DecideReplay, reconcile.ResolutionNone)
	if replay.Allowed && c.Executed != reconcile.ExecutedYes || replay.Code == "trail-unsure" {
		return true
	}
	return slices.ContainsFunc([]reconcile.Resolution{reconcile.BackfillReceipt, reconcile.Release, reconcile.Complete}, func(as reconcile.Resolution) bool {
		return option(c, reconcile.DecideResolve, as).Allowed
	})
}

// option is the guard's answer for one decision; the zero Option, which allows nothing, where it was not asked.
func option(c *scan.Case, d reconcile.Decision, as reconcile.Resolution) reconcile.Option {
	at := slices.IndexFunc(c.Options, func(o reconcile.Option) bool { return o.Decision == d && o.As == as })
	if at < 0 {
		return reconcile.Option{}
	}
	return c.Options[at]
}

// InOrder lists the guard's answers as they are read: that for a replay first, as nothing else can double an effect; then what is advised, where the case is to be
// handed over; then what else is allowed; then what is refused.
func InOrder(options []reconcile.Option, handOver bool) []reconcile.Option {
	rank := func(o reconcile.Option) int {
		switch {
		case o.Decision == reconcile.DecideReplay:
			return 0
		case handOver && o.Decision == reconcile.DecideEscalate:
			return 1
		case handOver && o.Decision == reconcile.DecideHold && o.Allowed:
			return 2
		case o.Allowed:
			return 3
		}
		return 4
	}
	out := slices.Clone(options)
	slices.SortStableFunc(out, func(a, b reconcile.Option) int { return rank(a) - rank(b) })
	return out
}
