package reconcile

import (
	"bytes"
	"strconv"
)

// maxJSONExponent bounds a number's decimal exponent. Nothing is ever expanded, so that 1e999999999 costs ten bytes.
const maxJSONExponent = 999_999_999

// number reads a number and returns the canonical text of its decimal value.
func (p *jsonParser) number() ([]byte, error) {
	minus := p.peek() == '-'
	if minus {
		p.at++
	}
	whole := p.digits()
	if len(whole) == 0 || len(whole) > 1 && whole[0] == '0' {
		return nil, p.fail("not a JSON value")
	}
	var fraction []byte
	if p.peek() == '.' {
		p.at++
		if fraction = p.digits(); len(fraction) == 0 {
			return nil, p.fail("no digit after a decimal point")
		}
	}
	exponent, ok := p.exponent()
	if !ok {
		return nil, p.fail("no digit in an exponent")
	}
	digits := bytes.TrimLeft(append(bytes.Clone(whole), fraction...), "0")
	point := int64(len(digits)-len(fraction)) + exponent // the value is 0.DIGITS × 10^point
	digits = bytes.TrimRight(digits, "0")
	if len(digits) == 0 {
		return []byte("0"), nil // -0 too, as in RFC 8785
	}
	if point-1 > maxJSONExponent || point-1 < -maxJSONExponent {
		return nil, p.fail("a number out of range")
	}
	return printDecimal(minus, digits, int(point)), nil
}

// digits reads decimal digits, which may be none.
func (p *jsonParser) digits() []byte {
	start := p.at
	for '0' <= p.peek() && p.peek() <= '9' {
		p.at++
	}
	return p.doc[start:p.at]
}

// exponent reads an exponent, 0 when there is none. It saturates so far beyond maxJSONExponent that no number of digits brings it back.
func (p *jsonParser) exponent() (n int64, ok bool) {
	const most = 1 << 56
	if p.peek() != 'e' && p.peek() != 'E' {
		return 0, true
	}
	p.at++
	minus := p.peek() == '-'
	if minus || p.peek() == '+' {
		p.at++
	}
	digits := p.digits()
	for _, c := range digits {
		n = min(n*10+int64(c-'0'), most)
	}
	if minus {
		n = -n
	}
	return n, len(digits) > 0
}

// printDecimal writes ±0.DIGITS × 10^point as RFC 8785 (ECMAScript's Number::toString) lays a number out.
func printDecimal(minus bool, digits []byte, point int) []byte {
	var out []byte
	if minus {
		out = append(out, '-')
	}
	k := len(digits)
	switch {
	case k <= point && point <= 21:
		out = append(out, digits...)
		return append(out, bytes.Repeat([]byte("0"), point-k)...)
	case 0 < point && point <= 21:
		out = append(append(out, digits[:point]...), '.')
		return append(out, digits[point:]...)
	case -6 < point && point <= 0:
		out = append(append(out, "0."...), bytes.Repeat([]byte("0"), -point)...)
		return append(out, digits...)
	}
	out = append(out, digits[0])
	if k > 1 {
		out = append(append(out, '.'), digits[1:]...)
	}
	out = append(out, 'e')
	if point > 0 {
		out = append(out, '+')
	}
	return strconv.AppendInt(out, int64(point-1), 10)
}
