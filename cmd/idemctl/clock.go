package main

import (
	"fmt"
	"strconv"
	"time"

	"example.com/idemctl/internal/reconcile"
)

// parseNow reads --now.
func parseNow(s string) (reconcile.Instant, error) { return parseTime("--now", s) }

// parseTime reads a flag's time: RFC 3339, or seconds since 1970; unknown where it is not given.
func parseTime(flag, s string) (reconcile.Instant, error) {
	if s == "" {
		return reconcile.Instant{}, nil
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return instantOf(flag, s, time.Unix(n, 0))
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return reconcile.Instant{}, &usageError{what: fmt.Sprintf("%s %s is no time", flag, s), hint: "write it as 2026-11-29T06:00:00Z, or as seconds since 1970"}
	}
	return instantOf(flag, s, t)
}

func instantOf(flag, s string, t time.Time) (reconcile.Instant, error) {
	if y := t.UTC().Year(); y < 1678 || y > 2261 {
		return reconcile.Instant{}, &usageError{what: fmt.Sprintf("%s %s lies outside the years 1678 to 2261", flag, s), hint: "seconds since 1970 are meant, not milliseconds"}
	}
	return reconcile.At(t), nil
}
