package csv

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"example.com/idemctl/internal/sources/files"
)

// state is where in a record the strict reader stands.
type state uint8

const (
	cellStart state = iota
	plainCell
	quotedCell
	afterQuote // a quote in a quoted cell: it ends the cell, or is the first half of a doubled one
)

// strict reads one record byte by byte. What is too long it passes over, keeping nothing.
type strict struct {
	*reader
	at     int // of the next byte in the Window
	state  state
	from   int         // of the cell in the record's own memory
	quote  files.Place // where the quoted cell began
	long   bool
	odd    *fault // the first reason to refuse the record whose end is certain all the same
	ending int    // bytes of the line break, once it was met
}

// strict reads the record with which the Window begins.
func (r *reader) strict() (bool, error) {
	s := &strict{reader: r}
	r.began = r.Place()
	r.rec.reset()
	r.rec.own = r.rec.own[:0]
	for s.ending == 0 {
		if s.at == len(r.Bytes()) {
			if err := s.more(); err != nil {
				return false, err
			}
			continue
		}
		var err error
		switch s.state {
		case cellStart:
			s.start()
		case plainCell:
			err = s.plain()
		case quotedCell:
			s.quoted()
		case afterQuote:
			err = s.closing()
		}
		if err != nil {
			return false, err
		}
	}
	return s.end()
}

// show shows more of the stream, letting go of a record that is too long.
func (s *strict) show() bool {
	if s.Offset()+int64(s.at)-s.began.Offset > files.MaxRecord {
		s.long = true
		s.rec.cells, s.rec.own = s.rec.cells[:0], s.rec.own[:0]
		s.Advance(s.at)
		s.at = 0
	}
	return s.More()
}

// more shows more of a record, or says that the stream ends within it.
func (s *strict) more() error {
	if s.show() {
		return nil
	}
	if err := s.Failed(); err != nil {
		return err
	}
	f := &fault{at: s.began, stops: true, reason: "the last line has no line break, so its last cell may be cut", hint: hintLast}
	if s.state == quotedCell {
		f.reason, f.hint = "the file ends inside a quoted cell, which began at "+s.quote.String(), files.HintCut
	}
	return f
}

func (s *strict) start() {
	s.state = plainCell
	if s.Bytes()[s.at] == '"' {
		s.state, s.quote = quotedCell, s.At(s.at)
		s.at++
	}
}

// keep adds the next n bytes to the cell.
func (s *strict) keep(n int) {
	if !s.long {
		s.rec.own = append(s.rec.own, s.Bytes()[s.at:s.at+n]...)
	}
	s.at += n
}

func (s *strict) plain() error {
	b := s.Bytes()[s.at:]
	n := 0
	for n < len(b) && !s.ends[b[n]] {
		n++
	}
	s.keep(n)
	if n == len(b) {
		return nil
	}
	switch b[n] {
	case '"':
		return &fault{at: s.At(s.at), reason: "a quote inside a cell that is not quoted; " + gone, hint: hintQuote, stops: true}
	case '\r':
		if at := s.At(s.at); !s.lineBreak() {
			if s.odd == nil {
				s.odd = &fault{at: at, reason: "a carriage return stands inside a line", hint: hintReturn}
			}
			s.keep(1)
		}
	default:
		s.separator(b[n], false)
	}
	return nil
}

func (s *strict) quoted() {
	b := s.Bytes()[s.at:]
	n := bytes.IndexByte(b, '"')
	if n < 0 {
		s.keep(len(b))
		return
	}
	s.keep(n)
	s.at++
	s.state = afterQuote
}

func (s *strict) closing() error {
	switch c := s.Bytes()[s.at]; {
	case c == '"':
		s.keep(1)
		s.state = quotedCell
		return nil
	case c == s.shape.Delimiter || c == '\n':
		s.separator(c, true)
		return nil
	case c == '\r' && s.lineBreak():
		return nil
	}
	return &fault{at: s.At(s.at), reason: "text follows the end of a quoted cell; " + gone, hint: hintQuote, stops: true}
}

// separator ends the cell, and with a newline the record.
func (s *strict) separator(c byte, quoted bool) {
	if s.long {
		s.rec.count++
	} else {
		s.rec.add(span{from: s.from, to: len(s.rec.own), quoted: quoted})
		s.from = len(s.rec.own)
	}
	s.at++
	s.state = cellStart
	if c == '\n' {
		s.ending++
	}
}

// lineBreak ends the record when a newline follows the carriage return that stands here. At the end of the stream it does not.
func (s *strict) lineBreak() bool {
	if s.at+1 == len(s.Bytes()) && !s.show() || s.Bytes()[s.at+1] != '\n' {
		return false
	}
	s.at++
	s.ending++
	s.separator('\n', s.state == afterQuote)
	return true
}

// end checks a record that was read to its line break.
func (s *strict) end() (bool, error) {
	s.taken, s.lines = s.at, 0
	s.rec.text = s.rec.own
	raw := s.Bytes()[:max(0, s.at-s.ending)]
	ok, err := s.counted(s.quote.Line > 0)
	switch f, refused := errors.AsType[*fault](err); {
	case refused && f.stops:
		return false, f
	case s.long || len(raw) > files.MaxRecord:
		return false, &fault{at: s.began, reason: fmt.Sprintf("the record is longer than %d bytes", files.MaxRecord)}
	case !s.valid(raw):
		f := &fault{at: s.At(s.invalid(raw)), reason: "the text is not UTF-8", hint: hintEncoding}
		if s.shape.Encoding != nil {
			f.reason, f.hint = "the text holds bytes that its encoding does not have", "check rows: {encoding: …}"
		}
		return false, f
	case s.odd != nil:
		return false, s.odd
	}
	return ok, err
}

// invalid is where the first byte stands that is not in the encoding.
func (s *strict) invalid(text []byte) int {
	for i := 0; i < len(text); {
		c, n := utf8.DecodeRune(text[i:])
		if c == utf8.RuneError && (n == 1 || s.shape.Encoding != nil) {
			return i
		}
		i += n
	}
	return len(text)
}
