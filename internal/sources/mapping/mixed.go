package mapping

import (
	"unicode/utf8"

	"example.com/idemctl/internal/sources/rows"
)

// mixed notices a component column that may spell one value in two types: an integer 7 and a text "7" are two keys to their store and one key
// here. Which values met is not remembered, so memory stays constant and the order of rows makes no difference: the column is mixed when
// integers and texts that look like integers occur in it, or booleans and their words, other numbers and texts like them, texts and blobs
// that are text. A mixed column makes its source prove no absence, and is reported.
type mixed struct {
	column string
	seen   uint8
}

const (
	sawInt uint8 = 1 << iota
	sawIntText
	sawBool
	sawBoolText
	sawNumber
	sawNumberText
	sawText
	sawBlobText
)

func (x *mixed) see(c *rows.Cell) {
	switch c.Kind {
	case rows.Int:
		x.seen |= sawInt
	case rows.Bool:
		x.seen |= sawBool
	case rows.Number:
		x.seen |= sawNumber
	case rows.Text:
		x.seen |= sawText | looksLike(c.Text)
	case rows.Blob:
		if utf8.Valid(c.Text) {
			x.seen |= sawBlobText
		}
	case rows.Missing, rows.Null, rows.Real, rows.JSON, rows.Bad:
	}
}

// twice reports whether one value may stand in two types.
func (x *mixed) twice() bool {
	for pair := sawInt | sawIntText; pair != 0; pair <<= 2 {
		if x.seen&pair == pair {
			return true
		}
	}
	return false
}

// looksLike says which other type would have the same bytes as this text.
func looksLike(b []byte) uint8 {
	if len(b) == 0 || b[0] > '9' {
		if string(b) == "true" || string(b) == "false" {
			return sawBoolText
		}
		return 0
	}
	digits := b
	if b[0] == '-' {
		digits = b[1:]
	}
	if len(digits) == 0 {
		return 0
	}
	for _, c := range digits {
		switch {
		case '0' <= c && c <= '9':
		case c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-':
			return sawNumberText
		default:
			return 0
		}
	}
	if digits[0] == '0' && len(b) > 1 {
		return 0 // 007 and -0 are the digits of no integer
	}
	return sawIntText | sawNumberText
}
