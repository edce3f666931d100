package query

import (
	"cmp"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"example.com/idemctl/internal/reconcile"
)

// span makes tests of a length of time: from an instant to now, or from now to one.
func span(get func(*Case) (from, to reconcile.Instant)) func(t *token, f *field) (test, *Error) {
	return func(t *token, f *field) (test, *Error) {
		if len(t.values) != 1 || t.op == "~" {
			return nil, wrong(t.at, f.name+">2h", "%s is compared with one length of time", f.name)
		}
		v, op := t.values[0], t.op
		if v.text == "unknown" {
			return func(c *Case, _ reconcile.Instant) bool { from, to := get(c); return !from.Known() && !to.Known() }, nil
		}
		want, ok := duration(v.text)
		if !ok {
			return nil, wrong(v.at, "30m, 2h or 7d", "%q is no length of time", v.text)
		}
		return func(c *Case, now reconcile.Instant) bool {
			from, to := get(c)
			if !now.Known() || from.Known() == to.Known() {
				return false
			}
			return holds(op, cmp.Or(to, now).UnixNano()-cmp.Or(from, now).UnixNano(), int64(want))
		}, nil
	}
}

// moment makes tests of an instant. One that is written without a time of day, or without seconds, is the first of that day or minute.
func moment(get func(*Case) reconcile.Instant) func(t *token, f *field) (test, *Error) {
	return func(t *token, f *field) (test, *Error) {
		if len(t.values) != 1 || t.op == "~" {
			return nil, wrong(t.at, f.help, "%s is compared with one point of time", f.name)
		}
		v, op := t.values[0], t.op
		if v.text == "unknown" {
			return func(c *Case, _ reconcile.Instant) bool { return !get(c).Known() }, nil
		}
		want, ok := pointOfTime(v.text)
		if !ok {
			return nil, wrong(v.at, "2026-11-29T02:10:00Z, 2026-11-29T02:10 or 2026-11-29", "%q is no point of time", v.text)
		}
		return func(c *Case, _ reconcile.Instant) bool {
			at := get(c)
			return at.Known() && holds(op, at.UnixNano(), want.UnixNano())
		}, nil
	}
}

// pointOfTime reads RFC 3339 with a zone, or UTC to the minute, or a day.
func pointOfTime(s string) (reconcile.Instant, bool) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02T15:04", time.DateOnly} {
		if at, err := time.Parse(layout, strings.ToUpper(s)); err == nil && at.Year() > 1677 && at.Year() < 2262 {
			return reconcile.At(at), true
		}
	}
	return reconcile.Instant{}, false
}

// duration reads 90s, 30m, 2h, 7d, 1d12h.
func duration(s string) (time.Duration, bool) {
	total := time.Duration(0)
	if at := strings.IndexByte(s, 'd'); at >= 0 {
		days, err := strconv.ParseUint(s[:at], 10, 16)
		if err != nil {
			return 0, false
		}
		total, s = time.Duration(days)*24*time.Hour, s[at+1:]
		if s == "" {
			return total, true
		}
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 || d > math.MaxInt64-total {
		return 0, false
	}
	return total + d, true
}

// amount compares money in major units, exactly: 99.5 is 99.50. A currency behind the number asks for that currency.
func amount(t *token, _ *field) (test, *Error) {
	if len(t.values) != 1 || t.op == "~" {
		return nil, wrong(t.at, "amount>100", "amount is compared with one number")
	}
	v, op := t.values[0], t.op
	if v.text == "unknown" {
		return func(c *Case, _ reconcile.Instant) bool { return !c.Amount.Valid }, nil
	}
	number := strings.TrimRightFunc(v.text, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' })
	code := v.text[len(number):]
	want, ok := new(big.Rat).SetString(number)
	if !ok || strings.ContainsAny(number, "/eE_xXpP") || len(number) > 24 {
		return nil, wrong(v.at, "100, 99.50 or 99.50eur", "%q is no amount", v.text)
	}
	scaled := atExponents(want)
	return func(c *Case, _ reconcile.Instant) bool {
		if !c.Amount.Valid || code != "" && !strings.EqualFold(code, c.Amount.Currency) || int(c.Amount.Exponent) >= len(scaled) {
			return false
		}
		s := scaled[c.Amount.Exponent]
		return s.holds(op, c.Amount.Minor)
	}, nil
}

// minor is an amount in minor units; between two of them it is the lower one.
type minor struct {
	floor int64
	exact bool
	ok    bool
}

func (m minor) holds(op string, got int64) bool {
	switch {
	case !m.ok:
		return false
	case m.exact:
		return holds(op, got, m.floor)
	case op == ">" || op == ">=":
		return got > m.floor
	case op == "<" || op == "<=":
		return got <= m.floor
	}
	return false
}

// maxExponent is the most decimal places that a currency's minor unit has here.
const maxExponent = 8

func atExponents(r *big.Rat) []minor {
	out := make([]minor, maxExponent+1)
	scale := big.NewInt(1)
	for i := range out {
		scaled := new(big.Rat).Mul(r, new(big.Rat).SetInt(scale))
		floor := new(big.Int).Div(scaled.Num(), scaled.Denom())
		out[i] = minor{floor: floor.Int64(), exact: scaled.IsInt(), ok: floor.IsInt64()}
		scale.Mul(scale, big.NewInt(10))
	}
	return out
}
