package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/mod/sumdb/tlog"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/text"
)

// A line is a JSON object with its members in a fixed order, without white space, without floats, and without what it does not hold. Tables of members
// write and read it: they are the format.

// member is one member of a line.
type member struct {
	name string
	need bool                         // it must be there; others are left out where they hold nothing
	put  func(dst []byte) []byte      // appends the value, nothing where there is none
	get  func(c *cursor) (empty bool) // reads the value
	sub  []member                     // instead of put: an object, left out where its first member holds nothing
	list func() [][]member            // instead of put: an array of objects
}

// timeLayout has nanoseconds, so that an instant that a record holds is the one that was judged on.
const timeLayout = "2006-01-02T15:04:05.000000000Z"

// maxInteger is the last integer up to which every reader of JSON, also one that knows floats only, reads what was written.
const maxInteger = 1<<53 - 1

var (
	errNotUTF8   = errors.New("text that is not UTF-8")
	errNotBase64 = errors.New("not base64")
	errNotHash   = errors.New("not a hash in base64")
)

// appendLine appends the object.
func appendLine(dst []byte, members []member) ([]byte, error) {
	dst = append(dst, '{')
	first := true
	for _, m := range members {
		v, err := m.value()
		switch {
		case err != nil:
			return nil, fmt.Errorf("member %s: %w", m.name, err)
		case len(v) == 0 && m.need:
			return nil, fmt.Errorf("member %s: no value", m.name)
		case len(v) == 0:
			continue
		case !utf8.Valid(v):
			return nil, fmt.Errorf("member %s: %w", m.name, errNotUTF8)
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(dst, '"')
		dst = append(dst, m.name...)
		dst = append(dst, '"', ':')
		dst = append(dst, v...)
	}
	return append(dst, '}'), nil
}

// value returns the value's text, nothing where there is none.
func (m *member) value() ([]byte, error) {
	switch {
	case m.sub != nil:
		if first, err := m.sub[0].value(); err != nil || len(first) == 0 {
			return nil, err
		}
		return appendLine(nil, m.sub)
	case m.list != nil:
		var out []byte
		for _, o := range m.list() {
			var err error
			if out, err = appendLine(append(out, ','), o); err != nil {
				return nil, err
			}
		}
		if len(out) > 0 {
			out[0] = '['
			out = append(out, ']')
		}
		return out, nil
	}
	return m.put(nil), nil
}

// cursor reads a line from the left; after the first fault it reads nothing more.
type cursor struct {
	b   []byte
	at  int
	err error
}

func (c *cursor) fail(format string, a ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("byte %d: "+format, append([]any{c.at}, a...)...)
	}
}

// take reads exactly the byte b.
func (c *cursor) take(b byte) bool {
	if c.err == nil && c.at < len(c.b) && c.b[c.at] == b {
		c.at++
		return true
	}
	return false
}

func (c *cursor) expect(b byte) {
	if !c.take(b) {
		c.fail("%q expected", b)
	}
}

// parseLine reads exactly one object that ends where b ends.
func parseLine(b []byte, members []member) error {
	c := &cursor{b: b}
	c.object(members)
	if c.err == nil && c.at != len(b) {
		c.fail("something after the object")
	}
	return c.err
}

func (c *cursor) object(members []member) {
	c.expect('{')
	next := 0
	for more := !c.take('}'); more && c.err == nil; more = !c.take('}') {
		if next > 0 {
			c.expect(',')
		}
		name := c.str()
		c.expect(':')
		for ; next < len(members) && members[next].name != name; next++ {
			if members[next].need {
				c.fail("member %q expected", members[next].name)
				return
			}
		}
		if c.err != nil || next == len(members) {
			c.fail("unknown, repeated or misplaced member %q", name)
			return
		}
		if members[next].get(c) && c.err == nil {
			c.fail("member %q holds nothing", name)
		}
		next++
	}
	for ; c.err == nil && next < len(members); next++ {
		if members[next].need {
			c.fail("member %q expected", members[next].name)
		}
	}
}

// list reads an array, calling item before each element is read.
func (c *cursor) list(item func()) {
	c.expect('[')
	for i := 0; c.err == nil && !c.take(']'); i++ {
		if i > 0 {
			c.expect(',')
		}
		item()
	}
}

// str reads a string.
func (c *cursor) str() string {
	c.expect('"')
	from := c.at
	for c.err == nil && c.at < len(c.b) && plainASCII(c.b[c.at]) {
		c.at++
	}
	if c.at < len(c.b) && c.b[c.at] == '"' && c.err == nil {
		c.at++
		return string(c.b[from : c.at-1])
	}
	out := append([]byte(nil), c.b[from:c.at]...)
	for c.err == nil {
		if c.at >= len(c.b) {
			c.fail("a string does not end")
			break
		}
		switch b := c.b[c.at]; {
		case b == '"':
			c.at++
			return string(out)
		case b < ' ':
			c.fail("a control character")
		case b == '\\':
			out = c.escape(out)
		case b < utf8.RuneSelf:
			out = append(out, b)
			c.at++
		default:
			r, n := utf8.DecodeRune(c.b[c.at:])
			if r == utf8.RuneError && n == 1 {
				c.fail("not UTF-8")
				break
			}
			out = append(out, c.b[c.at:c.at+n]...)
			c.at += n
		}
	}
	return ""
}

// plainASCII is a byte that stands for itself in a string.
func plainASCII(b byte) bool { return b >= ' ' && b < utf8.RuneSelf && b != '"' && b != '\\' }

var shortEscapes = map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func (c *cursor) escape(out []byte) []byte {
	if c.at+1 < len(c.b) {
		if b, ok := shortEscapes[c.b[c.at+1]]; ok {
			c.at += 2
			return append(out, b)
		}
	}
	r := c.unit()
	if utf16.IsSurrogate(r) {
		if r = utf16.DecodeRune(r, c.unit()); r == utf8.RuneError {
			c.fail("half a surrogate pair")
		}
	}
	return utf8.AppendRune(out, r)
}

// unit reads \uXXXX.
func (c *cursor) unit() rune {
	if c.err == nil && c.at+6 <= len(c.b) && c.b[c.at] == '\\' && c.b[c.at+1] == 'u' {
		if n, err := strconv.ParseUint(string(c.b[c.at+2:c.at+6]), 16, 16); err == nil {
			c.at += 6
			return rune(n)
		}
	}
	c.fail("not an escape")
	return 0
}

// num reads a non-negative integer.
func (c *cursor) num() int64 {
	from := c.at
	for c.at < len(c.b) && c.b[c.at] >= '0' && c.b[c.at] <= '9' {
		c.at++
	}
	digits := string(c.b[from:c.at])
	n, err := strconv.ParseInt(digits, 10, 64)
	if c.err == nil && (err != nil || n > maxInteger || len(digits) > 1 && digits[0] == '0') {
		c.at = from
		c.fail("not an integer from 0 to 2^53-1")
	}
	return n
}

// word reads a string that check accepts.
func (c *cursor) word(check func(string) error) string {
	from := c.at
	s := c.str()
	if c.err == nil {
		if err := check(s); err != nil {
			c.at = from
			c.fail("%w", err)
			return ""
		}
	}
	return s
}

// The kinds of members.

func textMember(name string, need bool, p *string) member {
	return wordMember(name, need, p, func(string) error { return nil })
}

func wordMember(name string, need bool, p *string, check func(string) error) member {
	put := func(dst []byte) []byte {
		switch {
		case *p == "":
			return dst
		case !utf8.ValidString(*p):
			return append(dst, *p...) // appendLine refuses it
		}
		return append(dst, text.JSONString(*p)...)
	}
	return member{name: name, need: need, put: put, get: func(c *cursor) bool { *p = c.word(check); return *p == "" }}
}

// numberMember is an integer from 0 on that is always there.
func numberMember(name string, p *int64) member {
	put := func(dst []byte) []byte { return strconv.AppendInt(dst, *p, 10) }
	return member{name: name, need: true, put: put, get: func(c *cursor) bool { *p = c.num(); return false }}
}

// countMember is an integer from 1 on; 0 is none.
func countMember(name string, need bool, p *int64) member {
	put := func(dst []byte) []byte {
		if *p == 0 {
			return dst
		}
		return strconv.AppendInt(dst, *p, 10)
	}
	return member{name: name, need: need, put: put, get: func(c *cursor) bool { *p = c.num(); return *p == 0 }}
}

func flagMember(name string, p *bool) member {
	put := func(dst []byte) []byte {
		if *p {
			dst = append(dst, "true"...)
		}
		return dst
	}
	return member{name: name, put: put, get: func(c *cursor) bool {
		if *p = bytes.HasPrefix(c.b[c.at:], []byte("true")); *p {
			c.at += len("true")
		}
		return !*p
	}}
}

func timeMember(name string, need bool, p *reconcile.Instant) member {
	put := func(dst []byte) []byte {
		if !p.Known() {
			return dst
		}
		return p.Time().AppendFormat(dst, `"`+timeLayout+`"`)
	}
	return member{name: name, need: need, put: put, get: func(c *cursor) bool {
		s := c.word(func(s string) error {
			t, err := time.Parse(timeLayout, s)
			if err != nil || t.Format(timeLayout) != s || !reconcile.At(t).Time().Equal(t) {
				return fmt.Errorf("not a time like %s", timeLayout)
			}
			*p = reconcile.At(t)
			return nil
		})
		return s == ""
	}}
}

// hashMember is a SHA-256 in base64; the zero hash is none.
func hashMember(name string, need bool, p *tlog.Hash) member {
	put := func(dst []byte) []byte {
		if *p == (tlog.Hash{}) {
			return dst
		}
		return appendHash(dst, *p)
	}
	return member{name: name, need: need, put: put, get: func(c *cursor) bool { *p = c.hash(); return *p == (tlog.Hash{}) }}
}

func appendHash(dst []byte, h tlog.Hash) []byte {
	dst = append(dst, '"')
	dst = base64.StdEncoding.AppendEncode(dst, h[:])
	return append(dst, '"')
}

func (c *cursor) hash() (h tlog.Hash) {
	c.word(func(s string) error {
		b, err := unbase64(s)
		if err != nil || len(b) != len(h) {
			return errNotHash
		}
		copy(h[:], b)
		return nil
	})
	return h
}

// unbase64 accepts the one spelling that the encoder writes.
func unbase64(s string) ([]byte, error) {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil || base64.StdEncoding.EncodeToString(b) != s {
		return nil, errNotBase64
	}
	return b, nil
}

func sum(b []byte) tlog.Hash { return sha256.Sum256(b) }

// appendWord appends a word of a closed set; "" is none.
func appendWord(dst []byte, w string) []byte {
	if w == "" {
		return dst
	}
	return append(dst, text.JSONString(w)...)
}

// valueMember is the value of a fact: one member holds what is UTF-8, another, in base64, what is not.
func valueMember(name string, p *reconcile.Value, binary bool) member {
	put := func(dst []byte) []byte {
		switch {
		case !p.Known() || utf8.Valid(p.Bytes()) == binary:
			return dst
		case binary:
			return append(dst, text.JSONString(base64.StdEncoding.EncodeToString(p.Bytes()))...)
		}
		return append(dst, text.JSONString(p.String())...)
	}
	return member{name: name, put: put, get: func(c *cursor) bool {
		s := c.str()
		if !binary {
			*p = reconcile.Text(s)
			return false
		}
		b, err := unbase64(s)
		if err != nil || p.Known() || utf8.Valid(b) {
			c.fail("member %q: not base64 of bytes that are not UTF-8", name)
		}
		*p = reconcile.Bytes(b)
		return false
	}}
}

// objectMember is an object within the line.
func objectMember(name string, need bool, members []member) member {
	return member{name: name, need: need, sub: members, get: func(c *cursor) bool { c.object(members); return false }}
}

// listMember is an array of objects; members gives those of one element.
func listMember[T any](name string, p *[]T, members func(*T) []member) member {
	list := func() [][]member {
		out := make([][]member, len(*p))
		for i := range *p {
			out[i] = members(&(*p)[i])
		}
		return out
	}
	return member{name: name, list: list, get: func(c *cursor) bool {
		*p = nil
		c.list(func() {
			var one T
			c.object(members(&one))
			*p = append(*p, one)
		})
		return len(*p) == 0
	}}
}

// hashesMember is an array of hashes.
func hashesMember(name string, p *[]tlog.Hash) member {
	put := func(dst []byte) []byte {
		for i, h := range *p {
			dst = appendHash(append(dst, "[,"[min(i, 1)]), h)
		}
		if len(*p) > 0 {
			dst = append(dst, ']')
		}
		return dst
	}
	return member{name: name, put: put, get: func(c *cursor) bool {
		*p = nil
		c.list(func() { *p = append(*p, c.hash()) })
		return len(*p) == 0
	}}
}
