package query

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Error is a query that cannot be meant.
type Error struct {
	At   int // the byte of the text at which it goes wrong
	What string
	Hint string
}

func (e *Error) Error() string {
	if e.Hint == "" {
		return e.What
	}
	return e.What + "; " + e.Hint
}

func wrong(at int, hint, format string, args ...any) *Error {
	return &Error{At: at, What: fmt.Sprintf(format, args...), Hint: hint}
}

// token is a parenthesis, a minus, or a word with what it compares.
type token struct {
	at     int
	sign   byte   // '(' or ')' or '-', 0 for a word
	word   string // the field, or the text when op is ""
	quoted bool   // the word stands in quotes: it is text, whatever it says
	op     string
	values []value
	end    int
}

type value struct {
	at   int
	text string
	open bool // not in quotes: "*" stands for anything
}

var operators = []string{">=", "<=", ":", ">", "<", "=", "~"}

type lexer struct {
	s  string
	at int
}

func (l *lexer) skip() {
	for l.at < len(l.s) {
		r, n := utf8.DecodeRuneInString(l.s[l.at:])
		if !unicode.IsSpace(r) {
			return
		}
		l.at += n
	}
}

// next returns the next token; ok is false at the end.
func (l *lexer) next() (t token, ok bool, err *Error) {
	l.skip()
	if l.at >= len(l.s) {
		return token{at: l.at, end: l.at}, false, nil
	}
	t.at = l.at
	switch b := l.s[l.at]; {
	case b == '(' || b == ')', b == '-' && l.at+1 < len(l.s) && !strings.HasPrefix(l.s[l.at+1:], " "):
		l.at++
		t.sign, t.end = b, l.at
		return t, true, nil
	}
	if t.word, t.quoted, err = l.text(true); err != nil {
		return t, false, err
	}
	if !t.quoted {
		err = l.compared(&t)
	}
	t.end = l.at
	return t, err == nil, err
}

// compared reads operator and values behind a field.
func (l *lexer) compared(t *token) *Error {
	for _, op := range operators {
		if !strings.HasPrefix(l.s[l.at:], op) {
			continue
		}
		t.op = op
		l.at += len(op)
		for {
			at := l.at
			text, quoted, err := l.text(false)
			if err != nil {
				return err
			}
			t.values = append(t.values, value{at, text, !quoted})
			if t.op == "~" || l.at >= len(l.s) || l.s[l.at] != ',' {
				return nil
			}
			l.at++
		}
	}
	return nil
}

// text reads a bare or quoted text; a field ends at an operator too.
func (l *lexer) text(field bool) (text string, quoted bool, err *Error) {
	if l.at < len(l.s) && l.s[l.at] == '"' {
		return l.quotes()
	}
	start := l.at
	for l.at < len(l.s) {
		r, n := utf8.DecodeRuneInString(l.s[l.at:])
		switch {
		case unicode.IsSpace(r), r == '"', r == ')', r == '(' && field, r == ',' && !field:
			return l.s[start:l.at], false, nil
		case field && l.at > start && strings.ContainsRune(":<>=~", r):
			return l.s[start:l.at], false, nil
		}
		l.at += n
	}
	return l.s[start:l.at], false, nil
}

func (l *lexer) quotes() (string, bool, *Error) {
	start := l.at
	var out strings.Builder
	for l.at++; l.at < len(l.s); l.at++ {
		switch b := l.s[l.at]; {
		case b == '"':
			l.at++
			return out.String(), true, nil
		case b == '\\' && l.at+1 < len(l.s):
			l.at++
			out.WriteByte(l.s[l.at])
		default:
			out.WriteByte(b)
		}
	}
	return "", false, wrong(start, `end it with "`, "a quote is not closed")
}
