package files

import (
	"bytes"
	"io"
	"strconv"
)

const (
	// MaxRecord is how long one record may be, in bytes; a longer one is counted as unreadable and passed over.
	MaxRecord = 1 << 20
	// scanStep is how much is asked of a file at once while it is scanned, fetchStep while single records are fetched.
	scanStep  = 1 << 20
	fetchStep = 64 << 10
	// idleReads is how many reads may bring nothing before a stream counts as broken.
	idleReads = 100
)

// Place is where something begins in a stream. Line and Column count from 1, columns in bytes.
type Place struct{ Offset, Line, Column int64 }

// String is line:column.
func (p Place) String() string {
	return strconv.FormatInt(p.Line, 10) + ":" + strconv.FormatInt(p.Column, 10)
}

// Window is the part of a stream that is in memory: it grows at its end by More, up to a fixed size, and shrinks at its beginning by Advance.
// It knows the place of every byte that it shows.
type Window struct {
	r          io.Reader
	buf        []byte
	start, end int // buf[start:end] is shown
	step       int
	base       int64 // offset of buf[0]
	line       int64 // of the first byte that is shown
	lineAt     int64 // offset at which that line begins
	ended      bool  // r came to its proper end
	err        error // why it ended else
}

// NewWindow returns a Window that can show a record of MaxRecord bytes and what follows it.
func NewWindow() *Window { return &Window{buf: make([]byte, MaxRecord+scanStep)} }

// Reset starts anew on r, whose first byte stands at this place. It asks r for no less than step bytes at once.
func (w *Window) Reset(r io.Reader, at Place, step int) {
	w.r, w.start, w.end, w.step, w.ended, w.err = r, 0, 0, step, false, nil
	w.base, w.line, w.lineAt = at.Offset, at.Line, at.Offset-(at.Column-1)
}

// Bytes is what the Window shows, valid until the next call of More.
func (w *Window) Bytes() []byte { return w.buf[w.start:w.end] }

// Offset is where the first byte that is shown stands in the stream.
func (w *Window) Offset() int64 { return w.base + int64(w.start) }

// Place is where the first byte that is shown stands.
func (w *Window) Place() Place {
	return Place{Offset: w.Offset(), Line: w.line, Column: w.Offset() - w.lineAt + 1}
}

// At is where the i-th byte that is shown stands.
func (w *Window) At(i int) Place {
	line, lineAt := w.lines(i)
	offset := w.Offset() + int64(i)
	return Place{Offset: offset, Line: line, Column: offset - lineAt + 1}
}

// lines is the line of the i-th byte that is shown, and the offset at which it begins.
func (w *Window) lines(i int) (line, lineAt int64) {
	passed := w.buf[w.start : w.start+i]
	n := bytes.Count(passed, newline)
	if n == 0 {
		return w.line, w.lineAt
	}
	return w.line + int64(n), w.Offset() + int64(bytes.LastIndexByte(passed, '\n')) + 1
}

var newline = []byte{'\n'}

// Advance takes the first n bytes out of view.
func (w *Window) Advance(n int) {
	w.line, w.lineAt = w.lines(n)
	w.start += n
}

// AdvanceLine takes the first n bytes out of view, of which the last and no other is a newline.
func (w *Window) AdvanceLine(n int) {
	w.start += n
	w.line++
	w.lineAt = w.Offset()
}

// More shows more of the stream: at least as much again as is shown, so that whoever begins anew after each call reads nothing more than a few
// times. It returns false when nothing was added, because the stream has ended or the Window is full.
func (w *Window) More() bool {
	if w.start > 0 {
		copy(w.buf, w.buf[w.start:w.end])
		w.base += int64(w.start)
		w.end -= w.start
		w.start = 0
	}
	before := w.end
	want := min(len(w.buf), w.end+max(w.step, w.end))
	for idle := 0; w.end < want && !w.ended && w.err == nil; {
		n, err := w.r.Read(w.buf[w.end:want])
		w.end += n
		switch {
		case err == io.EOF: // this very error: one that wraps it tells of a stream that ended too early
			w.ended = true
		case err != nil:
			w.err = err
		case n == 0:
			if idle++; idle == idleReads {
				w.err = io.ErrNoProgress
			}
		}
	}
	return w.end > before
}

// Failed returns the error that ended the stream, nil for its proper end or when it goes on.
func (w *Window) Failed() error { return w.err }
