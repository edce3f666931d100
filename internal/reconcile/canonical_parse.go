package reconcile

import (
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// maxJSONDepth is how deep arrays and objects may be nested, so that a hostile text cannot exhaust the stack.
const maxJSONDepth = 512

// jsonParser reads one strict JSON text.
type jsonParser struct {
	doc   []byte
	at    int
	depth int
}

func parseJSON(doc []byte) (jsonValue, error) {
	p := jsonParser{doc: doc}
	if !utf8.Valid(doc) {
		return jsonValue{}, p.fail("bytes that are not UTF-8")
	}
	v, err := p.value()
	if err != nil {
		return jsonValue{}, err
	}
	if p.next() != 0 || p.at < len(doc) {
		return jsonValue{}, p.fail("text after the value")
	}
	return v, nil
}

func (p *jsonParser) fail(reason string) error { return fmt.Errorf("%s at byte %d", reason, p.at) }

// next skips white space and returns the byte at the cursor, 0 at the end.
func (p *jsonParser) next() byte {
	for ; p.at < len(p.doc); p.at++ {
		switch c := p.doc[p.at]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// peek returns the byte at the cursor, 0 at the end.
func (p *jsonParser) peek() byte {
	if p.at < len(p.doc) {
		return p.doc[p.at]
	}
	return 0
}

func (p *jsonParser) value() (jsonValue, error) {
	c, from := p.next(), p.at
	v, err := p.valueAt(c)
	v.from, v.to = from, p.at
	return v, err
}

// valueAt reads the value whose first byte is at the cursor.
func (p *jsonParser) valueAt(c byte) (jsonValue, error) {
	switch c {
	case '{', '[':
		return p.container(c)
	case '"':
		text, err := p.text()
		return jsonValue{kind: '"', text: text}, err
	case 't':
		return p.literal("true")
	case 'f':
		return p.literal("false")
	case 'n':
		return p.literal("null")
	default:
		text, err := p.number()
		return jsonValue{text: text}, err
	}
}

func (p *jsonParser) literal(word string) (jsonValue, error) {
	if len(p.doc)-p.at < len(word) || string(p.doc[p.at:p.at+len(word)]) != word {
		return jsonValue{}, p.fail("not a JSON value")
	}
	p.at += len(word)
	return jsonValue{text: []byte(word)}, nil
}

// container reads an object or an array, whose opening byte is at the cursor.
func (p *jsonParser) container(open byte) (jsonValue, error) {
	v, end := jsonValue{kind: open}, open+2 // ASCII puts ] and } two places after [ and {
	if p.depth++; p.depth > maxJSONDepth {
		return v, p.fail("nested too deep")
	}
	p.at++
	for first := true; p.next() != end; first = false {
		if !first {
			if p.peek() != ',' {
				return v, p.fail("no comma or end where one must stand")
			}
			p.at++
		}
		var err error
		if open == '{' {
			err = p.member(&v)
		} else {
			err = p.item(&v)
		}
		if err != nil {
			return v, err
		}
	}
	p.at++
	p.depth--
	if !sortMembers(v.members) {
		return v, p.fail("a member given twice in the object that ends")
	}
	return v, nil
}

func (p *jsonParser) member(v *jsonValue) error {
	if p.next() != '"' {
		return p.fail("no member name where one must stand")
	}
	name, err := p.text()
	if err != nil {
		return err
	}
	if p.next() != ':' {
		return p.fail("no colon after a member name")
	}
	p.at++
	val, err := p.value()
	v.members = append(v.members, jsonMember{string(name), val})
	return err
}

func (p *jsonParser) item(v *jsonValue) error {
	val, err := p.value()
	v.items = append(v.items, val)
	return err
}

// text reads a string whose opening quote is at the cursor. The document's UTF-8 was checked before.
func (p *jsonParser) text() ([]byte, error) {
	var out []byte
	for p.at++; p.at < len(p.doc); p.at++ {
		switch c := p.doc[p.at]; {
		case c == '"':
			p.at++
			return out, nil
		case c == '\\':
			r, err := p.escape()
			if err != nil {
				return nil, err
			}
			out = utf8.AppendRune(out, r)
		case c < ' ':
			return nil, p.fail("a control character in a string")
		default:
			out = append(out, c)
		}
	}
	return nil, p.fail("a string without end")
}

var jsonEscapes = [256]rune{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape reads the escape at the cursor, which it leaves on its last byte. Half a surrogate pair names no character.
func (p *jsonParser) escape() (rune, error) {
	p.at++
	c := p.peek()
	if c != 'u' {
		if jsonEscapes[c] == 0 {
			return 0, p.fail("an unknown escape")
		}
		return jsonEscapes[c], nil
	}
	r, ok := p.unit(p.at + 1)
	if !ok {
		return 0, p.fail("an unknown escape")
	}
	p.at += 4
	if !utf16.IsSurrogate(r) {
		return r, nil
	}
	if p.at+2 < len(p.doc) && p.doc[p.at+1] == '\\' && p.doc[p.at+2] == 'u' {
		low, ok := p.unit(p.at + 3)
		if pair := utf16.DecodeRune(r, low); ok && pair != utf8.RuneError {
			p.at += 6
			return pair, nil
		}
	}
	return 0, p.fail("half a surrogate pair")
}

// unit reads four hexadecimal digits.
func (p *jsonParser) unit(at int) (rune, bool) {
	if len(p.doc)-at < 4 {
		return 0, false
	}
	var r rune
	for _, c := range p.doc[at : at+4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
