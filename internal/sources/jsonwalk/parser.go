package jsonwalk

import (
	"bytes"
	"math"
	"slices"
	"unicode/utf8"

	"example.com/idemctl/internal/sources/rows"
)

const (
	reasonRepeated = "a member name is given twice"
	reasonEnd      = "the JSON text ends too early"

	// scanLimit is how many names of one object are compared one by one; beyond it they are sorted when the object ends, so that no text can
	// make the check quadratic.
	scanLimit = 64
)

// parser is a cursor over one document. It descends recursively; depth is capped by MaxDepth.
type parser struct {
	doc   []byte
	at    int
	depth int
	out   []rows.Cell
	names [][]byte // names seen so far in the open objects, outermost first
	text  []byte   // unescaped strings; appended to only, so earlier ones stay as they are
}

func (p *parser) begin(doc []byte) error {
	p.start(doc)
	if err := p.valid(doc); err != nil {
		return err
	}
	p.space()
	return nil
}

func (p *parser) start(doc []byte) {
	p.doc, p.at, p.depth = doc, 0, 0
	p.names, p.text = p.names[:0], p.text[:0]
}

// valid refuses text that is not UTF-8, at its first bad byte.
func (p *parser) valid(text []byte) error {
	if utf8.Valid(text) {
		return nil
	}
	for p.at = 0; p.at < len(text); {
		r, n := utf8.DecodeRune(text[p.at:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		p.at += n
	}
	return p.fail("invalid UTF-8")
}

// end checks that nothing but space follows the value.
func (p *parser) end() error {
	p.space()
	if p.at < len(p.doc) {
		return p.fail("something follows the JSON text")
	}
	return nil
}

func (p *parser) fail(reason string) error { return &SyntaxError{Offset: p.at, Reason: reason} }

// unexpected reports the byte at the cursor, or the end of the text.
func (p *parser) unexpected(wanted string) error {
	if p.at >= len(p.doc) {
		return p.fail(reasonEnd)
	}
	return p.fail("expected " + wanted)
}

// peek returns the byte at the cursor, 0 at the end: no JSON token starts with 0.
func (p *parser) peek() byte {
	if p.at < len(p.doc) {
		return p.doc[p.at]
	}
	return 0
}

// space skips white space; usually there is none.
func (p *parser) space() {
	if p.at < len(p.doc) && p.doc[p.at] > ' ' {
		return
	}
	p.skipSpace()
}

func (p *parser) skipSpace() {
	for p.at < len(p.doc) {
		switch p.doc[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

// value reads one value. n is nil off every wanted path; strict refuses repeated names even there, as inside a wanted value.
func (p *parser) value(n *node, strict bool) error {
	p.space()
	start, wanted := p.at, n != nil && len(n.outs) > 0
	c := rows.Cell{}
	var err error
	switch ch := p.peek(); ch {
	case '{':
		c.Kind = rows.JSON
		err = p.object(n, strict || wanted)
	case '[':
		c.Kind = rows.JSON
		err = p.array(strict || wanted)
	case '"':
		c.Kind = rows.Text
		c.Text, err = p.string(wanted)
	case 't':
		c.Kind, c.Num = rows.Bool, 1
		err = p.literal("true")
	case 'f':
		c.Kind = rows.Bool
		err = p.literal("false")
	case 'n':
		c.Kind = rows.Null
		err = p.literal("null")
	default:
		if ch != '-' && (ch < '0' || ch > '9') {
			return p.unexpected("a value")
		}
		c, err = p.number()
	}
	if err != nil || !wanted {
		return err
	}
	if c.Kind == rows.JSON {
		c.Text = p.doc[start:p.at]
	}
	for _, i := range n.outs {
		p.out[i] = c
	}
	return nil
}

// more steps to the next member or element of the object or array that end closes, over the opening byte or a comma.
func (p *parser) more(end byte, first bool) (bool, error) {
	if first {
		p.at++
		p.space()
		if p.peek() == end {
			p.at++
			return false, nil
		}
		return true, nil
	}
	p.space()
	switch p.peek() {
	case end:
		p.at++
		return false, nil
	case ',':
		p.at++
		return true, nil
	default:
		return false, p.unexpected("a comma or the end of the list")
	}
}

func (p *parser) object(n *node, strict bool) error {
	if p.depth++; p.depth > MaxDepth {
		return p.fail("nested too deep")
	}
	check := strict || n != nil
	mark, seen := len(p.names), uint64(0)
	for first := true; ; first = false {
		more, err := p.more('}', first)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		name, err := p.name(mark, &seen, check)
		if err != nil {
			return err
		}
		var child *node
		if n != nil {
			child = n.find(name)
		}
		if err := p.value(child, strict); err != nil {
			return err
		}
	}
	if check && p.repeatedAmongMany(mark) {
		return p.fail(reasonRepeated)
	}
	p.names = p.names[:mark]
	p.depth--
	return nil
}

func (p *parser) array(strict bool) error {
	if p.depth++; p.depth > MaxDepth {
		return p.fail("nested too deep")
	}
	for first := true; ; first = false {
		more, err := p.more(']', first)
		if err != nil {
			return err
		}
		if !more {
			p.depth--
			return nil
		}
		if err := p.value(nil, strict); err != nil {
			return err
		}
	}
}

// name reads a member name and its colon. With check, the name joins those seen since mark and must be new among them.
func (p *parser) name(mark int, seen *uint64, check bool) ([]byte, error) {
	p.space()
	if p.peek() != '"' {
		return nil, p.unexpected("a member name")
	}
	start := p.at
	name, err := p.string(check)
	if err != nil {
		return nil, err
	}
	if check && p.repeated(mark, seen, name) {
		p.at = start
		return nil, p.fail(reasonRepeated)
	}
	p.space()
	if p.peek() != ':' {
		return nil, p.unexpected("a colon")
	}
	p.at++
	return name, nil
}

// repeated notes a name and reports whether it was seen since mark. A 64-bit sketch of length and end bytes rules out most comparisons.
func (p *parser) repeated(mark int, seen *uint64, name []byte) bool {
	sketch := uint(len(name))
	if len(name) > 0 {
		sketch += uint(name[0])*7 + uint(name[len(name)-1])*31 + uint(name[len(name)/2])*17
	}
	bit := uint64(1) << (sketch & 63)
	hit := *seen&bit != 0
	*seen |= bit
	if hit && len(p.names)-mark <= scanLimit {
		for _, other := range p.names[mark:] {
			if bytes.Equal(other, name) {
				return true
			}
		}
	}
	p.names = append(p.names, name)
	return false
}

func (p *parser) repeatedAmongMany(mark int) bool {
	names := p.names[mark:]
	if len(names) <= scanLimit {
		return false
	}
	slices.SortFunc(names, bytes.Compare)
	for i := 1; i < len(names); i++ {
		if bytes.Equal(names[i-1], names[i]) {
			return true
		}
	}
	return false
}

func (p *parser) literal(word string) error {
	if len(p.doc)-p.at < len(word) || string(p.doc[p.at:p.at+len(word)]) != word {
		return p.fail("expected a value")
	}
	p.at += len(word)
	return nil
}

// number reads a number. Only an integer whose digits are its own shortest form becomes an Int.
func (p *parser) number() (rows.Cell, error) {
	start, negative := p.at, false
	if p.peek() == '-' {
		negative = true
		p.at++
	}
	first := p.at
	if !p.digits() {
		return rows.Cell{}, p.unexpected("a digit")
	}
	if p.doc[first] == '0' && p.at > first+1 {
		p.at = first + 1
		return rows.Cell{}, p.fail("a number starts with 0")
	}
	plain := true
	if p.peek() == '.' {
		plain = false
		p.at++
		if !p.digits() {
			return rows.Cell{}, p.unexpected("a digit")
		}
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		plain = false
		p.at++
		if c := p.peek(); c == '+' || c == '-' {
			p.at++
		}
		if !p.digits() {
			return rows.Cell{}, p.unexpected("a digit")
		}
	}
	text := p.doc[start:p.at]
	if plain {
		if n, ok := integer(p.doc[first:p.at], negative); ok {
			return rows.Cell{Kind: rows.Int, Num: n}, nil
		}
	}
	return rows.Cell{Kind: rows.Number, Text: text}, nil
}

func (p *parser) digits() bool {
	start := p.at
	for p.at < len(p.doc) && p.doc[p.at]-'0' <= 9 {
		p.at++
	}
	return p.at > start
}

// integer reads decimal digits without a leading zero; false when they do not fit, or spell -0.
func integer(digits []byte, negative bool) (int64, bool) {
	if len(digits) > 19 || negative && digits[0] == '0' {
		return 0, false
	}
	var n uint64
	for _, d := range digits {
		n = n*10 + uint64(d-'0')
	}
	if negative {
		if n > 1<<63 {
			return 0, false
		}
		return int64(-n), true // two's complement
	}
	if n > math.MaxInt64 {
		return 0, false
	}
	return int64(n), true
}
