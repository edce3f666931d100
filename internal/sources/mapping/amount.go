package mapping

import (
	"bytes"
	"cmp"
	"math"
	"strings"

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

// money is how an amount is read.
type money struct {
	value            *expr // what came in, where there are two columns
	debit            *expr // what went out, nil where one column tells both by its sign
	currency         *expr
	major            bool
	written          bool // as many decimals as the text has
	point, thousands string
	table            map[string]uint8
}

// amount compiles an amount: its own value, and its currency from another column, a constant, or not at all.
func (m *Mapper) amount(f *Field) error {
	a := &money{point: f.Point, thousands: f.Thousands, table: providerDecimals[f.Decimals]}
	if f.Decimals != "" && a.table == nil {
		return f.at("the tables are "+strings.Join(decimalTables(), ", "), "%q names no table of minor units", f.Decimals)
	}
	err := m.amountColumns(a, f)
	if err != nil {
		return err
	}
	switch f.Unit {
	case "minor":
	case "major":
		a.major = true
	case "written":
		a.written = true
	case "":
		return f.at("write unit: minor, unit: major or unit: written", "%s has no unit", f.Name)
	default:
		return f.at("write unit: minor, unit: major or unit: written", "%q is not a unit", f.Unit)
	}
	a.currency = &expr{name: f.Name + ".currency", at: -1}
	switch {
	case f.CurrencyIs != "":
		if _, known, ok := m.currencyOf([]byte(f.CurrencyIs), a.table); !ok || a.major && !known {
			return f.at("use an ISO 4217 code", "%q is not a currency with known decimals", f.CurrencyIs)
		}
		a.currency.constant = []byte(f.CurrencyIs)
	case len(f.Currencies) > 0:
		c := Field{Name: a.currency.name, Line: f.Line, Col: f.Col}
		for _, path := range f.Currencies {
			c.First = append(c.First, Field{From: path})
		}
		if a.currency, err = m.expr(&c); err != nil {
			return err
		}
		m.understood = append(m.understood, Understood{Fact: c.Name, Column: strings.Join(f.Currencies, " or "), How: "text", paths: f.Currencies, any: true})
	case a.major:
		return f.at("add currency: COLUMN or currency: {value: EUR}", "an amount in major units needs its currency")
	}
	switch {
	case a.table != nil:
		m.tables = append(m.tables, f.Name+": minor units of "+DecimalTables+"; else "+CurrencyTable)
	case a.major:
		m.tables = append(m.tables, f.Name+": minor units of "+CurrencyTable)
	}
	m.add(func(cells []rows.Cell) *Unreadable { return m.readAmount(a, cells) })
	return nil
}

// amountColumns compiles the one column of an amount, or those of what came in and what went out.
func (m *Mapper) amountColumns(a *money, f *Field) error {
	if f.Debit == "" && f.Credit == "" {
		var err error
		if a.value, err = m.expr(f); err == nil {
			a.value.words, err = compileWords(f, textWord, nil)
		}
		return err
	}
	if f.Debit == "" || f.Credit == "" || f.From != "" || f.Const != nil || len(f.Parts)+len(f.First) > 0 {
		return f.at("write {credit: COLUMN, debit: COLUMN}, or {from: COLUMN}", "%s comes from credit and debit, or from one column", f.Name)
	}
	var err error
	if a.value, err = m.column(f, f.Credit); err != nil {
		return err
	}
	a.debit, err = m.column(f, f.Debit)
	return err
}

func (m *Mapper) readAmount(a *money, cells []rows.Cell) *Unreadable {
	m.rec.Amount = reconcile.Amount{}
	c, bad := m.currency(a, cells)
	if bad != nil {
		return bad
	}
	n, exponent, known, bad := m.number64(a, a.value, c, cells)
	if bad != nil {
		return bad
	}
	if a.debit != nil {
		out, same, went, bad := m.number64(a, a.debit, c, cells)
		if bad != nil {
			return bad
		}
		if !known && went {
			exponent = same
		}
		if known, bad = known || went, a.apart(n, out); bad != nil {
			return bad
		}
		n -= out
	}
	if !known || c.exponent == disputed && !a.written {
		return nil // how many decimals the provider counts nobody knows, so neither does anybody know the amount
	}
	if !a.written {
		exponent = c.exponent
	}
	m.rec.Amount = reconcile.Amount{Minor: n, Exponent: exponent, Currency: c.code, Valid: true}
	return nil
}

// apart refuses a row in which something came in and something went out: nobody says which of them is the amount.
func (a *money) apart(in, out int64) *Unreadable {
	if in != 0 && out != 0 || out < 0 {
		return a.debit.unreadable(nil, "stands beside a credit, or is negative")
	}
	return nil
}

// currency reads the currency of a row, before anything is known of its amount.
func (m *Mapper) currency(a *money, cells []rows.Cell) (currency, *Unreadable) {
	code, given, bad := m.eval(a.currency, cells)
	if bad != nil || !given || a.currency.at < 0 && a.currency.constant == nil && len(a.currency.first) == 0 {
		return currency{}, bad
	}
	c, inTable, ok := m.currencyOf(code, a.table)
	switch {
	case !ok:
		return currency{}, a.currency.unreadable(code, "is no currency code")
	case a.major && (!inTable || c.exponent == disputed):
		return currency{}, a.currency.unreadable(code, "is no currency with known decimals: use unit: minor")
	}
	return c, nil
}

// number64 reads one column of an amount in minor units, or in the decimals that it is written with.
func (m *Mapper) number64(a *money, e *expr, c currency, cells []rows.Cell) (n int64, exponent uint8, known bool, _ *Unreadable) {
	b, known, bad := m.evalWords(e, cells)
	if bad != nil || !known {
		return 0, 0, false, bad
	}
	text := b
	if a.point+a.thousands != "" {
		if text, known = a.pointed(b); !known {
			return 0, 0, false, e.unreadable(b, amountShape)
		}
	}
	switch {
	case a.written:
		exponent = decimalsOf(text)
	case a.major && c.code == "":
		return 0, 0, false, a.currency.unreadable(nil, "is null, and an amount in major units needs its currency")
	case a.major:
		exponent = c.exponent
	}
	n, why := parseDecimal(text, exponent)
	if why == "" && e.at >= 0 && cells[e.at].Kind == rows.Real && significant(text) > maxDoubleDigits {
		why = amountRounded
	}
	if why != "" {
		hint := ""
		if why == amountShape && bytes.IndexByte(b, ',') >= 0 {
			hint = "where a comma stands before the decimals, say decimal: \",\"; where it sets thousands apart, thousands: \",\""
		}
		return 0, 0, false, hinted(e.unreadable(b, why), hint)
	}
	return n, exponent, true, nil
}

// maxWritten is with how many decimals an amount may be written.
const maxWritten = 18

// decimalsOf counts the decimals that a text has.
func decimalsOf(b []byte) uint8 {
	_, fraction, _ := bytes.Cut(b, []byte("."))
	return uint8(min(len(fraction), maxWritten))
}

// pointed spells a decimal number as this package reads it, from one with its own marks: a comma before the decimals, thousands that are set apart. Marks that
// stand anywhere else make it no number.
func (a *money) pointed(b []byte) ([]byte, bool) {
	whole, fraction, point := bytes.Cut(b, []byte(cmp.Or(a.point, ".")))
	if a.point != "" && bytes.IndexByte(b, '.') >= 0 && a.thousands != "." {
		return nil, false
	}
	if a.thousands != "" {
		groups := bytes.Split(bytes.TrimPrefix(whole, []byte("-")), []byte(a.thousands))
		for i, g := range groups {
			if len(groups) > 1 && (len(g) != 3 && i > 0 || len(g) == 0 || len(g) > 3) {
				return nil, false
			}
		}
		whole = bytes.ReplaceAll(whole, []byte(a.thousands), nil)
	}
	out := append([]byte(nil), whole...)
	if point {
		out = append(append(out, '.'), fraction...)
	}
	return out, true
}
