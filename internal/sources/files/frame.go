package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sort"
	"strconv"
	"sync/atomic"

	"example.com/idemctl/internal/sources/rows"
)

const (
	// checkEvery is how many records pass between two looks at the context.
	checkEvery = 512
	// markEvery is how far apart the marks of the line index stand.
	markEvery = 128 << 10
)

// Frame is what a rows.Table of records in files does whatever their format: it goes from file to file, says why one was not read to its end,
// counts, and finds a record again by its offset.
type Frame struct {
	*Set
	// Wrap, where it is set, decodes a stream's characters. Offsets are then those of the decoded stream, which is read from its beginning only.
	Wrap func(io.Reader) io.Reader
	// Lines says that a record begins a line, so that its locator needs no column.
	Lines bool

	marks     [][]Place
	window    *Window
	locate    *Window // of Locator and Peek, which may be called while the other one is in use
	last      rows.Pos
	lastPlace Place

	nrows, nbytes atomic.Int64
}

// NewFrame returns a Frame over the files of a set.
func NewFrame(set *Set) *Frame { return &Frame{Set: set, marks: make([][]Place, len(set.Files))} }

// Scan is the scan of one file.
type Scan struct {
	*Window
	File int
	Name string // of the file

	frame *Frame
	ctx   context.Context // lives for one call of Frame.Scan
	yield rows.Yield
	bad   func(rows.Problem)
	ext   *rows.Extent
	rows  int64
	ended bool
}

// Scan reads every file by read, which is given a Window at the file's beginning, hands over records by Row, Refuse and Cut, and returns Row's
// error, Failed, or nil when it has come to the end or to what it does not go past.
func (f *Frame) Scan(ctx context.Context, yield rows.Yield, bad func(rows.Problem), read func(*Scan) error) (rows.Extent, error) {
	f.nrows.Store(0)
	f.nbytes.Store(0)
	ext := rows.Extent{Complete: true}
	for i := range f.Files {
		s := &Scan{File: i, Name: f.Files[i].Name, frame: f, ctx: ctx, yield: yield, bad: bad, ext: &ext}
		err := s.run(read)
		f.nrows.Add(s.rows % checkEvery)
		if err != nil {
			s.incomplete("stopped in "+s.Name, "")
			return ext, err
		}
	}
	return ext, nil
}

// run returns the context's or the callback's error; what is wrong with the file makes the scan incomplete.
func (s *Scan) run(read func(*Scan) error) (err error) {
	file := s.frame.Files[s.File]
	if file.Size == 0 {
		s.incomplete(s.Name+" is empty", "an export that should hold nothing is left out of open; an empty file proves nothing")
		return nil
	}
	stream, err := s.frame.Stream(s.ctx, file, &s.frame.nbytes)
	if err != nil {
		return s.explain(err, Place{Line: 1, Column: 1})
	}
	defer func() { err = errors.Join(err, stream.Close()) }()
	if s.frame.window == nil {
		s.frame.window = NewWindow()
	}
	s.Window = s.frame.window
	s.Reset(s.frame.wrapped(stream), Place{Line: 1, Column: 1}, scanStep)
	if err = read(s); s.ended {
		return err // the callback's
	}
	if err == nil && len(s.Bytes()) == 0 && !s.More() && s.Failed() == nil {
		err = stream.Whole(file)
	}
	if err != nil {
		return s.explain(err, s.Place())
	}
	return nil
}

func (f *Frame) wrapped(r io.Reader) io.Reader {
	if f.Wrap == nil {
		return r
	}
	return f.Wrap(r)
}

// explain makes a scan incomplete for what is wrong with its file; the context's error is returned.
func (s *Scan) explain(err error, at Place) error {
	if ctxErr := s.ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	var damage *DamagedError
	switch {
	case errors.Is(err, ErrBomb):
		s.Cut(at, ErrBomb.Error(), "decompress it yourself if it is what it should be")
	case errors.As(err, &damage):
		s.Cut(at, "the compressed data ends early or is damaged after this place; "+Unproved, HintCut)
	default:
		if failed, ok := errors.AsType[*fs.PathError](err); ok {
			err = fmt.Errorf("%s: %w", s.Name, failed.Err)
		}
		s.incomplete("reading "+err.Error(), rows.HintOf(err))
	}
	return nil
}

func (s *Scan) incomplete(reason, hint string) {
	if s.ext.Complete {
		s.ext.Complete, s.ext.Reason, s.ext.Hint = false, reason, hint
	}
}

// Row hands over the record that begins at a place.
func (s *Scan) Row(at Place, cells []rows.Cell) error {
	s.mark(at)
	if s.rows++; s.rows%checkEvery == 0 {
		s.frame.nrows.Add(checkEvery)
		if err := s.ctx.Err(); err != nil {
			s.ended = true
			return err
		}
	}
	pos := Join(s.File, at.Offset)
	s.frame.last, s.frame.lastPlace = pos, at
	err := s.yield(pos, cells)
	s.ended = err != nil
	return err
}

// Refuse reports the record that begins at a place as unreadable; from says where in it the reason was seen.
func (s *Scan) Refuse(at, from Place, reason, hint string) {
	s.mark(at)
	s.bad(rows.Problem{Place: s.Name + ":" + from.String(), Text: reason, Hint: hint})
}

// Cut says that nothing after a place was read, or that something before it is missing.
func (s *Scan) Cut(at Place, reason, hint string) {
	s.incomplete(s.Name+":"+at.String()+": "+reason, hint)
}

func (s *Scan) mark(at Place) {
	marks := &s.frame.marks[s.File]
	if n := len(*marks); n == 0 || at.Offset-(*marks)[n-1].Offset >= markEvery {
		*marks = append(*marks, at)
	}
}

// nearest returns the last mark at or before an offset.
func (f *Frame) nearest(file int, offset int64) Place {
	marks := f.marks[file]
	i := sort.Search(len(marks), func(i int) bool { return marks[i].Offset > offset })
	if i == 0 {
		return Place{Line: 1, Column: 1}
	}
	return marks[i-1]
}

// cursor finds offsets in one file, in ascending order.
type cursor struct {
	f      *Frame
	file   int
	w      *Window
	stream *Stream
}

// seek moves the window to an offset.
func (c *cursor) seek(ctx context.Context, offset int64) error {
	file := c.f.Files[c.file]
	if c.stream == nil {
		stream, err := c.f.Stream(ctx, file, nil)
		if err != nil {
			return err
		}
		c.stream = stream
		c.w.Reset(c.f.wrapped(stream), Place{Line: 1, Column: 1}, fetchStep)
	}
	if at := c.stream.At(); at != nil && c.f.Wrap == nil {
		if m := c.f.nearest(c.file, offset); m.Offset > c.w.Offset() {
			c.w.Reset(io.NewSectionReader(at, m.Offset, file.Size-m.Offset), m, fetchStep)
		}
	}
	for c.w.Offset() < offset {
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(c.w.Bytes()) == 0 && !c.w.More() {
			return errors.Join(c.w.Failed(), Changed(file.Name))
		}
		c.w.Advance(int(min(int64(len(c.w.Bytes())), offset-c.w.Offset())))
	}
	if c.w.Offset() != offset {
		return fmt.Errorf("%s: offset %d was passed already", file.Name, offset)
	}
	return nil
}

func (c *cursor) close() error {
	if c.stream == nil {
		return nil
	}
	return c.stream.Close()
}

// Fetch moves a Window to each of these positions, which are ascending, and calls record there with the record's place and locator.
func (f *Frame) Fetch(ctx context.Context, at []rows.Pos, record func(w *Window, pos rows.Pos, locator string) error) error {
	if f.window == nil {
		f.window = NewWindow()
	}
	for len(at) > 0 {
		file, _ := Split(at[0])
		n := sort.Search(len(at), func(i int) bool { other, _ := Split(at[i]); return other > file })
		if file >= len(f.Files) {
			return fmt.Errorf("position %d lies in no file", at[0])
		}
		if err := f.fetchFile(ctx, file, at[:n], record); err != nil {
			return err
		}
		at = at[n:]
	}
	return nil
}

func (f *Frame) fetchFile(ctx context.Context, file int, at []rows.Pos, record func(*Window, rows.Pos, string) error) (err error) {
	c := cursor{f: f, file: file, w: f.window}
	defer func() { err = errors.Join(err, c.close()) }()
	for _, pos := range at {
		if err := ctx.Err(); err != nil {
			return err
		}
		_, offset := Split(pos)
		if err := c.seek(ctx, offset); err != nil {
			return err
		}
		f.last, f.lastPlace = pos, c.w.Place()
		if err := record(c.w, pos, f.Locator(pos)); err != nil {
			return err
		}
	}
	return nil
}

// Locator says file:line:column, or file:line where records begin lines.
func (f *Frame) Locator(pos rows.Pos) string {
	file, offset := Split(pos)
	if file >= len(f.Files) {
		return "?"
	}
	name := f.Files[file].Name
	if pos != f.last || f.lastPlace.Line == 0 {
		at, err := f.placeOf(file, offset)
		if err != nil {
			return fmt.Sprintf("%s@%d", name, offset)
		}
		f.last, f.lastPlace = pos, at
	}
	if f.Lines {
		return name + ":" + strconv.FormatInt(f.lastPlace.Line, 10)
	}
	return name + ":" + f.lastPlace.String()
}

// placeOf counts the lines before an offset, from the nearest mark where the file can be entered there.
func (f *Frame) placeOf(file int, offset int64) (at Place, err error) {
	if f.locate == nil {
		f.locate = NewWindow()
	}
	c := cursor{f: f, file: file, w: f.locate}
	defer func() { err = errors.Join(err, c.close()) }()
	err = c.seek(context.Background(), offset)
	return c.w.Place(), err
}

// Peek shows the beginning of one file to look, for what it declares or shows first.
func (f *Frame) Peek(file int, look func(*Window) error) (err error) {
	stream, err := f.unproved(context.Background(), f.Files[file], nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stream.Close()) }()
	if f.locate == nil {
		f.locate = NewWindow()
	}
	w := f.locate
	w.Reset(f.wrapped(stream), Place{Line: 1, Column: 1}, fetchStep)
	if err := look(w); err != nil {
		return err
	}
	return w.Failed()
}

// Progress reports bytes of the files themselves, so that compressed ones have a known total.
func (f *Frame) Progress() rows.Progress {
	return rows.Progress{Rows: f.nrows.Load(), Bytes: f.nbytes.Load(), Total: f.Total, Unit: "bytes"}
}

// Close has nothing to release: files are open only while they are read.
func (f *Frame) Close() error { return nil }
