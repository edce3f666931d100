package mapping

import (
	"math"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources/rows"
)

// maxDoubleDigits is how many significant decimal digits every double keeps.
const maxDoubleDigits = 15

// The ways in which a text is no amount.
const (
	amountEmpty    = "is empty"
	amountShape    = "is no plain decimal number"
	amountDecimals = "has more decimals than its unit"
	amountTooBig   = "is too big"
	amountRounded  = "is stored as floating point with more digits than that can hold"
)

// parseDecimal reads a plain decimal number as a whole number of 10^-exponent, exactly. why is "" on success.
func parseDecimal(b []byte, exponent uint8) (n int64, why string) {
	negative := len(b) > 0 && b[0] == '-'
	if negative {
		b = b[1:]
	}
	if len(b) == 0 {
		return 0, amountEmpty
	}
	digits, fraction, point := 0, 0, false
	for _, c := range b {
		switch {
		case c == '.' && !point && digits > 0:
			point = true
			continue
		case c < '0' || c > '9':
			return 0, amountShape
		}
		digits++
		if point {
			if fraction++; fraction > int(exponent) {
				if c != '0' {
					return 0, amountDecimals
				}
				continue
			}
		}
		var ok bool
		if n, ok = shift(n, c-'0', negative); !ok {
			return 0, amountTooBig
		}
	}
	if digits == 0 || point && fraction == 0 {
		return 0, amountShape
	}
	for ; fraction < int(exponent); fraction++ {
		var ok bool
		if n, ok = shift(n, 0, negative); !ok {
			return 0, amountTooBig
		}
	}
	return n, ""
}

// shift appends a decimal digit to n, which grows away from zero.
func shift(n int64, digit byte, negative bool) (int64, bool) {
	d := int64(digit)
	if negative {
		if n < (math.MinInt64+d)/10 {
			return 0, false
		}
		return n*10 - d, true
	}
	if n > (math.MaxInt64-d)/10 {
		return 0, false
	}
	return n*10 + d, true
}

// significant counts the digits of a decimal text from its first that is not 0.
func significant(b []byte) int {
	n := 0
	for _, c := range b {
		if '1' <= c && c <= '9' || c == '0' && n > 0 {
			n++
		}
	}
	return n
}

// amount compiles an amount: its own value, and its currency from another column, a constant, or not at all.
func (m *Mapper) amount(f *Field) error {
	e, err := m.expr(f)
	if err != nil {
		return err
	}
	major := false
	switch f.Unit {
	case "minor":
	case "major":
		major = true
	case "":
		return f.at("write unit: minor or unit: major", "%s has no unit", f.Name)
	default:
		return f.at("write unit: minor or unit: major", "%q is not a unit", f.Unit)
	}
	cur := &expr{name: f.Name + ".currency", at: -1}
	switch {
	case f.CurrencyIs != "":
		if _, known, ok := m.currencyOf([]byte(f.CurrencyIs)); !ok || major && !known {
			return f.at("use an ISO 4217 code", "%q is not a currency with known decimals", f.CurrencyIs)
		}
		cur.constant = []byte(f.CurrencyIs)
	case f.Currency != "":
		if cur, err = m.column(f, f.Currency); err != nil {
			return err
		}
		cur.name = f.Name + ".currency"
		m.understood = append(m.understood, Understood{Fact: cur.name, Column: f.Currency, How: "text"})
	case major:
		return f.at("add currency: COLUMN or currency: {value: EUR}", "an amount in major units needs its currency")
	}
	m.add(func(cells []rows.Cell) *Unreadable { return m.readAmount(e, cur, major, cells) })
	return nil
}

func (m *Mapper) readAmount(e, cur *expr, major bool, cells []rows.Cell) *Unreadable {
	m.rec.Amount = reconcile.Amount{}
	b, known, bad := m.eval(e, cells)
	if bad != nil || !known {
		return bad
	}
	code, given, bad := m.eval(cur, cells)
	if bad != nil {
		return bad
	}
	var c currency
	if given {
		var inTable, ok bool
		if c, inTable, ok = m.currencyOf(code); !ok {
			return cur.unreadable(code, "is no currency code")
		} else if major && !inTable {
			return cur.unreadable(code, "is no currency with known decimals: use unit: minor")
		}
	} else if major {
		return cur.unreadable(nil, "is null, and an amount in major units needs its currency")
	}
	exponent := uint8(0)
	if major {
		exponent = c.exponent
	}
	n, why := parseDecimal(b, exponent)
	if why == "" && e.at >= 0 && cells[e.at].Kind == rows.Real && significant(b) > maxDoubleDigits {
		why = amountRounded
	}
	if why != "" {
		return e.unreadable(b, why)
	}
	m.rec.Amount = reconcile.Amount{Minor: n, Exponent: c.exponent, Currency: c.code, Valid: true}
	return nil
}
