package jsonl

import (
	"bytes"
	"io"
)

const (
	// MaxLine is how long a line may be; a longer one is counted as unreadable and passed over.
	MaxLine = 1 << 20
	// readSize is how much is asked of a file at once.
	readSize = 1 << 20
)

// line is one line of a stream, without its newline.
type line struct {
	text       []byte // valid until the next line is read; nil when the line is too long
	offset     int64  // of its first byte in the stream
	number     int64  // from 1
	tooLong    bool
	terminated bool // a newline followed
}

// splitter cuts a stream into lines with bounded memory. It never loses a byte: every line is returned, or reported as too long.
type splitter struct {
	r          io.Reader
	buf        []byte
	start, end int   // unread bytes are buf[start:end]
	seen       int   // buf[start:seen] holds no newline
	base       int64 // stream offset of buf[0]
	number     int64 // of the line that starts at buf[start]
	ended      bool  // r came to its proper end
	err        error // why it ended else
}

func newSplitter() *splitter { return &splitter{buf: make([]byte, MaxLine+readSize)} }

// reset starts anew on r, whose first byte has this offset and belongs to the line of this number.
func (s *splitter) reset(r io.Reader, offset, number int64) {
	s.r, s.base, s.number, s.ended, s.err = r, offset, number, false, nil
	s.start, s.end, s.seen = 0, 0, 0
}

// offset is where the next line starts.
func (s *splitter) offset() int64 { return s.base + int64(s.start) }

// next returns the next line; false at the end of the stream, whose reason failed tells.
func (s *splitter) next() (line, bool) {
	for {
		if i := bytes.IndexByte(s.buf[s.seen:s.end], '\n'); i >= 0 {
			l := line{text: s.buf[s.start : s.seen+i], offset: s.offset(), number: s.number, terminated: true}
			s.advance(s.seen + i + 1)
			if len(l.text) > MaxLine {
				l.text, l.tooLong = nil, true
			}
			return l, true
		}
		s.seen = s.end
		if s.end-s.start > MaxLine {
			return s.skip()
		}
		if s.ended || s.err != nil {
			if s.start == s.end || s.err != nil {
				return line{}, false
			}
			l := line{text: s.buf[s.start:s.end], offset: s.offset(), number: s.number}
			s.advance(s.end)
			return l, true
		}
		s.fill()
	}
}

// failed returns the error that ended the stream, nil for its proper end.
func (s *splitter) failed() error { return s.err }

func (s *splitter) advance(to int) {
	s.start, s.seen = to, to
	s.number++
}

// skip passes over the rest of a line that is too long, keeping none of it. A stream that fails in it ends there.
func (s *splitter) skip() (line, bool) {
	l := line{offset: s.offset(), number: s.number, tooLong: true}
	for {
		s.base += int64(s.end)
		s.start, s.end, s.seen = 0, 0, 0
		if s.ended || s.err != nil {
			s.number++
			return l, s.err == nil
		}
		s.fill()
		if i := bytes.IndexByte(s.buf[:s.end], '\n'); i >= 0 {
			s.advance(i + 1)
			l.terminated = true
			return l, true
		}
	}
}

// fill reads once, after moving what is unread to the front when room is short.
func (s *splitter) fill() {
	if len(s.buf)-s.end < readSize {
		copy(s.buf, s.buf[s.start:s.end])
		s.base += int64(s.start)
		s.end -= s.start
		s.seen -= s.start
		s.start = 0
	}
	n, err := s.r.Read(s.buf[s.end:min(s.end+readSize, len(s.buf))])
	s.end += n
	switch {
	case err == io.EOF: // this very error: one that wraps it tells of a stream that ended too early
		s.ended = true
	case err != nil:
		s.err = err
	}
}
