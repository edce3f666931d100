package jsonwalk

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// special marks, with the high bit of its byte, the first byte of x that ends or interrupts a string: a quote, a backslash, a control.
func special(x uint64) uint64 {
	quote, slash := x^('"'*ones), x^('\\'*ones)
	return ((quote-ones)&^quote | (slash-ones)&^slash | (x-' '*ones)&^x) & highs
}

// Plain returns how many bytes at the beginning of b are text that a JSON string holds as it is: ASCII without a quote, a backslash or a control.
func Plain(b []byte) int {
	at := 0
	for ; at+8 <= len(b); at += 8 {
		x := binary.LittleEndian.Uint64(b[at:])
		if m := special(x) | x&highs; m != 0 {
			return at + bits.TrailingZeros64(m)/8
		}
	}
	for at < len(b) && b[at] != '"' && b[at] != '\\' && b[at] >= ' ' && b[at] < utf8.RuneSelf {
		at++
	}
	return at
}

// string reads a string whose opening quote is at the cursor. With keep, it returns the text: a part of the document when nothing is escaped,
// else a part of p.text. Escapes are checked either way.
func (p *parser) string(keep bool) ([]byte, error) {
	p.at++
	start := p.at
	if err := p.plain(); err != nil {
		return nil, err
	}
	if p.doc[p.at] == '"' {
		p.at++
		return p.doc[start : p.at-1], nil
	}
	from := len(p.text)
	for {
		if keep {
			p.text = append(p.text, p.doc[start:p.at]...)
		}
		if p.doc[p.at] == '"' {
			p.at++
			return p.text[from:len(p.text):len(p.text)], nil
		}
		r, err := p.escape()
		if err != nil {
			return nil, err
		}
		if keep {
			p.text = utf8.AppendRune(p.text, r)
		}
		start = p.at
		if err := p.plain(); err != nil {
			return nil, err
		}
	}
}

// plain moves the cursor to the next quote or backslash.
func (p *parser) plain() error {
	doc, at := p.doc, p.at
	for at+8 <= len(doc) {
		if m := special(binary.LittleEndian.Uint64(doc[at:])); m != 0 {
			at += bits.TrailingZeros64(m) / 8
			p.at = at
			if doc[at] < ' ' {
				return p.fail("a control character in a string")
			}
			return nil
		}
		at += 8
	}
	for ; at < len(doc); at++ {
		switch c := doc[at]; {
		case c == '"' || c == '\\':
			p.at = at
			return nil
		case c < ' ':
			p.at = at
			return p.fail("a control character in a string")
		}
	}
	p.at = at
	return p.fail(reasonEnd)
}

var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape reads one escape, or two that make a surrogate pair. A surrogate alone names no character and is refused.
func (p *parser) escape() (rune, error) {
	if p.at+1 >= len(p.doc) {
		p.at = len(p.doc)
		return 0, p.fail(reasonEnd)
	}
	c := p.doc[p.at+1]
	if c != 'u' {
		if escapes[c] == 0 {
			return 0, p.fail("an unknown escape")
		}
		p.at += 2
		return rune(escapes[c]), nil
	}
	start := p.at
	r, err := p.hex()
	if err != nil || !utf16.IsSurrogate(r) {
		return r, err
	}
	if p.peek() == '\\' && p.at+1 < len(p.doc) && p.doc[p.at+1] == 'u' {
		low, err := p.hex()
		if err != nil {
			return 0, err
		}
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return pair, nil
		}
	}
	p.at = start
	return 0, p.fail("a lone surrogate")
}

// hex reads \uXXXX at the cursor.
func (p *parser) hex() (rune, error) {
	if len(p.doc)-p.at < 6 {
		p.at = len(p.doc)
		return 0, p.fail(reasonEnd)
	}
	var r rune
	for _, c := range p.doc[p.at+2 : p.at+6] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, p.fail("an unknown escape")
		}
		r = r<<4 | rune(c)
	}
	p.at += 6
	return r, nil
}
