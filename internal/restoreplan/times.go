package restoreplan

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources/mapping"
)

// times are the facts that are instants.
var times = map[string]bool{
	"created_at": true, "updated_at": true, "locked_at": true, "completed_at": true, "expires_at": true, "lease_until": true, "sent_at": true,
	"confirmed_at": true, "due_at": true, "attempt_at": true, "deleted_at": true, "revoked_at": true,
}

var units = map[string]int64{"unix-s": 1e9, "unix-ms": 1e6, "unix-us": 1e3, "unix-ns": 1}

// clock spells an instant as a field's map reads it. An end is rounded up: a receipt never lives shorter than it has to.
func clock(f *mapping.Field, at reconcile.Instant, typ string) ([]byte, error) {
	up := f.Name == "expires_at" || f.Name == "lease_until"
	if unit := units[f.As]; unit > 0 {
		n := at.UnixNano() / unit
		if rest := at.UnixNano() % unit; rest < 0 || rest > 0 && up {
			n += map[bool]int64{true: 1, false: -1}[rest > 0]
		}
		return strconv.AppendInt(nil, n, 10), nil
	}
	zone, layout := time.UTC, f.As
	if f.Zone != "" {
		var err error
		if zone, err = time.LoadLocation(f.Zone); err != nil {
			return nil, err
		}
	}
	switch {
	case layout == "" && f.Zone != "" && !zoned(typ):
		layout = "2006-01-02 15:04:05.999999"
	case layout == "" || layout == "rfc3339":
		layout = time.RFC3339Nano
	}
	grains := []time.Duration{time.Nanosecond, time.Microsecond, time.Millisecond, time.Second, time.Minute, time.Hour, 24 * time.Hour}
	if strings.HasPrefix(typ, "timestamp") {
		grains = grains[1:] // PostgreSQL rounds to microseconds, to either side
	}
	for _, grain := range grains {
		t := at.Time().Truncate(grain)
		if up && t.Before(at.Time()) {
			t = t.Add(grain)
		}
		text := t.In(zone).Format(layout)
		back, err := time.ParseInLocation(layout, text, zone)
		if err == nil && back.Equal(t) {
			return []byte(text), nil
		}
	}
	return nil, fmt.Errorf("the time %s has no exact spelling in its layout and zone", at.Time().Format(time.RFC3339))
}

// zoned reports whether a declared type keeps instants, so that a time is best written with its zone.
func zoned(typ string) bool { return typ == "timestamp with time zone" }
