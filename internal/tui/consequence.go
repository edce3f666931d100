package tui

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"example.com/idemctl/internal/reconcile"
)

// follows is what a decision leads to, once it is recorded. idemctl itself sends nothing and writes to no source.
var follows = map[reconcile.Decision]string{
	reconcile.DecideReplay:   "The service's own worker sends it again once `idemctl handout` gives it out, guarded anew. Until that is seen, its outcome counts as unknown.",
	reconcile.DecideHold:     "idemctl tells no service: its owner keeps retries back, told by a person or by the trail. It asserts nothing.",
	reconcile.DecideResolve:  "It stands as your statement. The case stays in the queue while a retry can still double it.",
	reconcile.DecideRecheck:  "The case comes back when it is time to look again.",
	reconcile.DecideEscalate: "The case stays open, in the hands that you name.",
}

// resolves is what else a resolution leads to, where more than the statement follows from it.
var resolves = map[reconcile.Resolution]string{
	reconcile.BackfillReceipt: "idemctl does not put the receipt back: its owner does. Until a scan sees it, a retry can still double the action.",
	reconcile.Release:         "idemctl does not release the receipt: its owner does.",
	reconcile.Complete:        "idemctl does not make the missing part: its owner does.",
	reconcile.Repoint:         "idemctl does not change the receipt: its owner does.",
}

// follow is what the choice leads to.
func follow(o reconcile.Option) string {
	if s := resolves[o.As]; s != "" {
		return s
	}
	return follows[o.Decision]
}

// consequence says what a press of the button writes, before it is pressed.
func (d *decide) consequence() string {
	o, ok := d.choice()
	if !ok {
		return "Nothing is written until you have chosen and pressed the button. No request leaves this machine, whatever you decide."
	}
	n, until := len(d.able()), ""
	if o.ValidUntil.Known() && n == 1 {
		until = " It stands until " + stamp(o.ValidUntil) + "."
	}
	where := d.kept("in the audit trail, for ever", "in the trail of this training, which is thrown away at its end")
	return fmt.Sprintf("Will be written: %s %s. No request leaves this machine. %s", counted(int64(n), "record"), where, follow(o)+until)
}

// kept is what is said of what is recorded, and what while a scenario is played.
func (a *app) kept(always, training string) string {
	if a.coach != nil {
		return training
	}
	return always
}

// errNoTime repeats nothing of what was typed, which stands above it: it has one line on the smallest terminal.
var errNoTime = errors.New("no time: 2026-11-29T06:00:00Z, or 45m or 6h from now")

// parseWhen reads an instant, or a length of time from now.
func parseWhen(s string, now reconcile.Instant) (reconcile.Instant, error) {
	s = strings.TrimSpace(s)
	if t, err := time.Parse(time.RFC3339Nano, strings.ToUpper(s)); err == nil {
		if y := t.UTC().Year(); y < 1970 || y > 2261 {
			return reconcile.Instant{}, fmt.Errorf("the year %d is none that is meant", y)
		}
		return reconcile.At(t), nil
	}
	d, err := time.ParseDuration(strings.TrimPrefix(s, "+"))
	if err != nil || strings.HasPrefix(s, "-") {
		return reconcile.Instant{}, errNoTime
	}
	return now.Add(d), nil
}
