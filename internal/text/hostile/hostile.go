// Package hostile is a corpus of hostile text and the check that no output obeys it. Only tests import it.
//
// It shares no table with package text, so that a hole in one is found by the other.
package hostile

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// Text is one hostile text.
type Text struct {
	Name  string // what it tries, in ASCII
	Bytes []byte
}

// Corpus returns the hostile texts, each with bytes of its own that no other has.
func Corpus() []Text {
	var c corpus
	c.escapes()
	c.controls()
	c.invisible()
	c.invalid()
	c.lookalikes()
	c.formulas()
	c.markup()
	return c.texts
}

// Check fails when output holds anything a terminal could obey or a reader could miss: a control other than LF, a format or separator character,
// a variation selector, an unassigned or private code point, invalid UTF-8.
func Check(output []byte) error { return check(output, false) }

// CheckTabs is Check for output in which TAB separates cells.
func CheckTabs(output []byte) error { return check(output, true) }

func check(output []byte, tabs bool) error {
	line := 1
	for at := 0; at < len(output); {
		r, n := utf8.DecodeRune(output[at:])
		switch {
		case r == '\n':
			line++
		case r == '\t' && tabs:
		case r == utf8.RuneError && n == 1:
			return fmt.Errorf("line %d, byte %d: byte %#02x is not UTF-8", line, at, output[at])
		case forbidden(r):
			return fmt.Errorf("line %d, byte %d: %U, after %q", line, at, r, output[max(0, at-20):at])
		}
		at += n
	}
	return nil
}

func forbidden(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r < 0xa0:
		return true
	case unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Noncharacter_Code_Point):
		return true
	case r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0, r == 0x034f:
		return true
	}
	return !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Zs)
}
