package json

import (
	"unicode/utf8"

	"example.com/idemctl/internal/sources/files"
	"example.com/idemctl/internal/sources/jsonwalk"
)

// maxStack is how deep a value may be nested that is passed over. One that is nested deeper than jsonwalk.MaxDepth is no record.
const maxStack = 1 << 20

// doubt is the first thing in a value that leaves its extent certain and its content not.
type doubt struct {
	at     files.Place
	reason string
}

// expected is what a value passed over must go on with.
type expected uint8

const (
	aValue expected = iota
	aValueOrEnd
	aName
	aNameOrEnd
	aCommaOrEnd
)

// skim passes over one value of any length and keeps nothing of it. It returns errStop when it cannot tell where the value ends, and what it
// doubts of one whose end it found.
func (r *reader) skim() (found *doubt, err error) {
	r.stack = r.stack[:0]
	for next := aValue; next != aCommaOrEnd || len(r.stack) > 0; {
		c, ok := r.peek()
		if !ok {
			return nil, r.ended()
		}
		switch {
		case (next == aValueOrEnd || next == aCommaOrEnd) && c == ']' && r.top() == '[',
			(next == aNameOrEnd || next == aCommaOrEnd) && c == '}' && r.top() == '{':
			r.Advance(1)
			r.stack = r.stack[:len(r.stack)-1]
			next = aCommaOrEnd
		case next == aCommaOrEnd:
			next, err = r.comma(c)
		case next == aName || next == aNameOrEnd:
			next, err = aValue, r.skimName(c, &found)
		default:
			next, err = r.skimValue(c, &found)
		}
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

func (r *reader) top() byte {
	if len(r.stack) == 0 {
		return 0
	}
	return r.stack[len(r.stack)-1]
}

func (r *reader) comma(c byte) (expected, error) {
	if c != ',' {
		return 0, r.broken("expected a comma or the end of the list")
	}
	r.Advance(1)
	if r.top() == '{' {
		return aName, nil
	}
	return aValue, nil
}

func (r *reader) skimName(c byte, found **doubt) error {
	if c != '"' {
		return r.broken("expected a member name")
	}
	if err := r.skimString(found); err != nil {
		return err
	}
	c, ok := r.peek()
	switch {
	case !ok:
		return r.ended()
	case c != ':':
		return r.broken("expected a colon")
	}
	r.Advance(1)
	return nil
}

func (r *reader) skimValue(c byte, found **doubt) (expected, error) {
	switch {
	case c == '{' || c == '[':
		if len(r.stack) == maxStack {
			return 0, r.broken("nested too deep")
		}
		r.stack = append(r.stack, c)
		r.Advance(1)
		if c == '{' {
			return aNameOrEnd, nil
		}
		return aValueOrEnd, nil
	case c == '"':
		return aCommaOrEnd, r.skimString(found)
	case inWord(c):
		return aCommaOrEnd, r.skimWord()
	}
	return 0, r.broken("expected a value")
}

// inWord reports whether a byte may stand in a number or a literal, well-formed or not: NaN and 007 are no JSON, but it is certain where they end.
func inWord(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '-' || c == '+' || c == '.'
}

// skimWord passes over a number or a literal. One at the very end of a stream may go on.
func (r *reader) skimWord() error {
	for {
		b := r.Bytes()
		for i, c := range b {
			if !inWord(c) {
				r.Advance(i)
				return nil
			}
		}
		r.Advance(len(b))
		if !r.More() {
			return r.ended()
		}
	}
}

// skimString passes over a string. One that holds a line break or another control character was never closed, as far as anybody can tell.
func (r *reader) skimString(found **doubt) error {
	r.Advance(1)
	for {
		b := r.Bytes()
		i := 0
		for i < len(b) && b[i] != '"' && b[i] != '\\' && b[i] >= ' ' {
			if b[i] < utf8.RuneSelf {
				i += jsonwalk.Plain(b[i:])
				continue
			}
			c, n := utf8.DecodeRune(b[i:])
			if c == utf8.RuneError && n == 1 {
				if !utf8.FullRune(b[i:]) && (i > 0 || r.More()) {
					break // the rest of it may follow
				}
				if *found == nil {
					*found = &doubt{r.At(i), "invalid UTF-8"}
				}
			}
			i += n
		}
		r.Advance(i)
		b = r.Bytes()
		short := len(b) == 0 || b[0] == '\\' && len(b) == 1
		switch {
		case short && r.More():
		case len(b) == 0:
			return r.ended()
		case b[0] == '"':
			r.Advance(1)
			return nil
		case b[0] < ' ':
			return r.broken("a control character in a string")
		case b[0] == '\\':
			r.Advance(min(2, len(b)))
		}
	}
}
