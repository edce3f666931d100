package query

import (
	"strings"

	"example.com/idemctl/internal/reconcile"
)

// The bounds of a query, whatever is pasted.
const (
	maxLength  = 4096
	maxNesting = 32
)

// Parse compiles a query. components are the names of identities' components that the cases have, such as tenant and key; each is a field.
func Parse(s string, components []string) (*Query, error) {
	if len(s) > maxLength {
		return nil, wrong(maxLength, "", "a filter is at most %d bytes long", maxLength)
	}
	p := &parser{lex: lexer{s: s}, components: components}
	p.step()
	t, err := p.any(0)
	switch {
	case err != nil:
		return nil, err
	case p.err != nil:
		return nil, p.err
	case p.ok:
		return nil, wrong(p.tok.at, "", "a parenthesis closes nothing")
	}
	return &Query{test: t, text: strings.TrimSpace(s), texts: p.texts}, nil
}

type parser struct {
	lex        lexer
	components []string
	tok        token
	ok         bool
	err        *Error
	texts      bool
}

func (p *parser) step() { p.tok, p.ok, p.err = p.lex.next() }

func (p *parser) isOr() bool {
	return p.ok && p.tok.sign == 0 && p.tok.op == "" && !p.tok.quoted && strings.EqualFold(p.tok.word, "or")
}

// any reads alternatives. A nil test matches all.
func (p *parser) any(depth int) (test, *Error) {
	if depth > maxNesting {
		return nil, wrong(p.tok.at, "", "nested more than %d deep", maxNesting)
	}
	left, err := p.all(depth)
	for err == nil && p.isOr() {
		at := p.tok.at
		p.step()
		var right test
		if right, err = p.all(depth); err != nil {
			return nil, err
		}
		if left == nil || right == nil {
			return nil, wrong(at, "", `"or" stands between two conditions`)
		}
		l, r := left, right
		left = func(c *Case, now reconcile.Instant) bool { return l(c, now) || r(c, now) }
	}
	return left, err
}

// all reads conditions side by side.
func (p *parser) all(depth int) (test, *Error) {
	var left test
	for p.ok && p.tok.sign != ')' && !p.isOr() {
		right, err := p.one(depth)
		if err != nil {
			return nil, err
		}
		if left == nil {
			left = right
			continue
		}
		l := left
		left = func(c *Case, now reconcile.Instant) bool { return l(c, now) && right(c, now) }
	}
	return left, p.err
}

func (p *parser) one(depth int) (test, *Error) {
	t := p.tok
	p.step()
	switch t.sign {
	case '-':
		if !p.ok || p.tok.sign == ')' || depth > maxNesting {
			return nil, wrong(t.at, `a minus as text stands in quotes: "-"`, "a minus stands before nothing")
		}
		inner, err := p.one(depth + 1)
		if err != nil {
			return nil, err
		}
		return func(c *Case, now reconcile.Instant) bool { return !inner(c, now) }, nil
	case '(':
		return p.group(t.at, depth)
	}
	if t.op == "" {
		p.texts = true
		return anywhere(t.word), nil
	}
	return p.field(&t)
}

func (p *parser) group(at, depth int) (test, *Error) {
	inner, err := p.any(depth + 1)
	switch {
	case err != nil:
		return nil, err
	case p.err != nil:
		return nil, p.err
	case !p.ok || p.tok.sign != ')':
		return nil, wrong(at, "close it with )", "a parenthesis is not closed")
	case inner == nil:
		return nil, wrong(at, "", "nothing stands between the parentheses")
	}
	p.step()
	return inner, nil
}

func (p *parser) field(t *token) (test, *Error) {
	f := find(strings.ToLower(t.word), p.components)
	if f == nil {
		return nil, wrong(t.at, "one of "+strings.Join(p.names(), ", "), "unknown field %q", t.word)
	}
	for _, v := range t.values {
		if v.text == "" && v.open {
			return nil, wrong(v.at, f.help, "%s%s is compared with nothing", f.name, t.op)
		}
	}
	p.texts = p.texts || f.sort == texts
	return f.test(t, f)
}

func (p *parser) names() []string {
	var out []string
	for _, f := range fields() {
		out = append(out, f.name)
	}
	return append(out, p.components...)
}
