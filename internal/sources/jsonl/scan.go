package jsonl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sort"
	"sync/atomic"

	"example.com/idemctl/internal/sources/files"
	"example.com/idemctl/internal/sources/rows"
)

const (
	// checkEvery is how many rows pass between two looks at the context.
	checkEvery = 512

	hintDocument = "each line must be one JSON object; an array, or a document over several lines, is opened as json:PATH"
)

// Scan hands over every line that is a JSON object.
func (t *Table) Scan(ctx context.Context, yield rows.Yield, bad func(rows.Problem)) (rows.Extent, error) {
	t.nrows.Store(0)
	t.nbytes.Store(0)
	ext := rows.Extent{Complete: true}
	cut := func(reason, hint string) {
		if ext.Complete {
			ext.Complete, ext.Reason, ext.Hint = false, reason, hint
		}
	}
	for i := range t.set.Files {
		s := scanner{t: t, file: i, yield: yield, bad: bad, cut: cut, ctx: ctx}
		if err := s.run(); err != nil {
			cut("stopped in "+t.set.Files[i].Name, "")
			return ext, err
		}
	}
	t.lines = nil // until rows are fetched, the sieve needs its room
	return ext, nil
}

// scanner scans one file.
type scanner struct {
	t     *Table
	file  int
	ctx   context.Context // lives for one call of Scan
	yield rows.Yield
	bad   func(rows.Problem)
	cut   func(reason, hint string)
	rows  int64
}

// run returns the context's or the callback's error; what is wrong with the file goes to cut.
func (s *scanner) run() error {
	f := s.t.set.Files[s.file]
	if f.Size == 0 {
		s.cut(f.Name+" is empty", "a log that should hold nothing is left out of open; an empty one proves nothing")
		return nil
	}
	var called error
	err := s.t.each(s.ctx, s.file, &s.t.nbytes, func(l line) error {
		called = s.line(l)
		return called
	})
	s.t.nrows.Add(s.rows % checkEvery)
	if called != nil {
		return called
	}
	if err == nil {
		return nil
	}
	if ctxErr := s.ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	var damage *files.DamagedError
	switch {
	case errors.Is(err, files.ErrBomb):
		s.cut(f.Name+": "+files.ErrBomb.Error(), "decompress it yourself if it is a log")
	case errors.As(err, &damage):
		s.cut(fmt.Sprintf("%s: the compressed data ends early or is damaged after line %d; %s", f.Name, s.t.lines.number-1, files.Unproved), files.HintCut)
	default:
		s.cut("reading "+f.Name+": "+err.Error(), rows.HintOf(err))
	}
	return nil
}

func (s *scanner) line(l line) error {
	f := s.t.set.Files[s.file]
	s.t.marks[s.file].note(l.offset, l.number)
	if l.tooLong {
		if !l.terminated {
			s.cut(place(f, l.number)+" ends in the middle of a line", files.HintCut)
		}
		s.bad(rows.Problem{Place: place(f, l.number), Text: fmt.Sprintf("the line is longer than %d bytes", MaxLine)})
		return nil
	}
	text := object(l)
	if text == nil {
		return nil
	}
	if why := s.t.read(text); why != "" {
		if !l.terminated {
			s.cut(place(f, l.number)+" ends in the middle of a line", files.HintCut)
			return nil
		}
		hint := ""
		if l.number == 1 {
			hint = hintDocument
		}
		s.bad(rows.Problem{Place: place(f, l.number), Text: why, Hint: hint})
		return nil
	}
	if s.rows++; s.rows%checkEvery == 0 {
		s.t.nrows.Add(checkEvery)
		if err := s.ctx.Err(); err != nil {
			return err
		}
	}
	pos := files.Join(s.file, l.offset)
	s.t.last, s.t.lastNum = pos, l.number
	return s.yield(pos, s.t.cells)
}

// read fills the cells from one line; it says why it cannot.
func (t *Table) read(text []byte) (why string) {
	if err := t.row.Walk(text, t.cells); err != nil {
		return "not strict JSON: " + err.Error()
	}
	if first := bytes.TrimLeft(text, " \t\r"); first[0] != '{' {
		return "not a JSON object"
	}
	return ""
}

// each hands over the lines of one file from its beginning.
func (t *Table) each(ctx context.Context, file int, read *atomic.Int64, do func(line) error) (err error) {
	if t.lines == nil {
		t.lines = newSplitter()
	}
	t.lines.reset(nil, 0, 1)
	r, err := t.set.Stream(ctx, t.set.Files[file], read)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	t.lines.reset(r, 0, 1)
	for {
		l, ok := t.lines.next()
		switch {
		case !ok && t.lines.failed() != nil:
			return t.lines.failed()
		case !ok:
			return r.Whole(t.set.Files[file])
		}
		if err := do(l); err != nil {
			return err
		}
	}
}

// numberOf counts the lines before an offset, from the nearest mark where the file can be entered there.
func (t *Table) numberOf(file int, offset int64) (number int64, err error) {
	if t.locate == nil {
		t.locate = newSplitter()
	}
	c := cursor{t: t, file: file, lines: t.locate}
	defer func() { err = errors.Join(err, c.close()) }()
	l, err := c.seek(context.Background(), offset)
	return l.number, err
}

// cursor finds lines by ascending offset in one file.
type cursor struct {
	t     *Table
	file  int
	lines *splitter
	r     *files.Stream
	at    io.ReaderAt // nil when the file can be read from its beginning only
}

// seek returns the line that starts at offset.
func (c *cursor) seek(ctx context.Context, offset int64) (line, error) {
	f := c.t.set.Files[c.file]
	if c.r == nil {
		r, err := c.t.set.Stream(ctx, f, nil)
		if err != nil {
			return line{}, err
		}
		c.r = r
		c.lines.reset(r, 0, 1)
		c.at = r.At()
	}
	if m := c.t.marks[c.file].nearest(offset); c.at != nil && m.offset > c.lines.offset() {
		section := io.NewSectionReader(c.at, m.offset, f.Size-m.offset)
		c.lines.reset(&chunked{section}, m.offset, m.number)
	}
	for n := 1; ; n++ {
		if n%checkEvery == 0 {
			if err := ctx.Err(); err != nil {
				return line{}, err
			}
		}
		l, ok := c.lines.next()
		switch {
		case !ok && c.lines.failed() != nil:
			return line{}, c.lines.failed()
		case !ok || l.offset > offset || l.offset == offset && l.tooLong:
			return line{}, files.Changed(f.Name)
		case l.offset == offset:
			return l, nil
		}
	}
}

func (c *cursor) close() error {
	if c.r == nil {
		return nil
	}
	return c.r.Close()
}

// chunked reads no more at once than lies between two marks: a single line is wanted, not a MiB.
type chunked struct{ r io.Reader }

func (c *chunked) Read(p []byte) (int, error) { return c.r.Read(p[:min(len(p), markEvery)]) }

// Fetch reads the lines at these positions again: by offset in a plain file, by a second pass over a compressed one.
func (t *Table) Fetch(ctx context.Context, at []rows.Pos, yield rows.YieldRaw) error {
	if t.lines == nil {
		t.lines = newSplitter()
	}
	for len(at) > 0 {
		file, _ := files.Split(at[0])
		n := sort.Search(len(at), func(i int) bool { f, _ := files.Split(at[i]); return f > file })
		if file >= len(t.set.Files) {
			return fmt.Errorf("position %d lies in no file", at[0])
		}
		if err := t.fetchFile(ctx, file, at[:n], yield); err != nil {
			return err
		}
		at = at[n:]
	}
	return nil
}

func (t *Table) fetchFile(ctx context.Context, file int, at []rows.Pos, yield rows.YieldRaw) (err error) {
	c := cursor{t: t, file: file, lines: t.lines}
	defer func() { err = errors.Join(err, c.close()) }()
	f := t.set.Files[file]
	var raw []rows.Named
	for _, pos := range at {
		if err := ctx.Err(); err != nil {
			return err
		}
		_, offset := files.Split(pos)
		l, err := c.seek(ctx, offset)
		if err != nil {
			return err
		}
		text := object(l)
		if text == nil {
			return fmt.Errorf("%s: %w", place(f, l.number), rows.ErrChanged)
		}
		if why := t.read(text); why != "" {
			return fmt.Errorf("%s: %s: %w", place(f, l.number), why, rows.ErrChanged)
		}
		raw = raw[:0]
		err = t.whole.Members(text, func(name []byte, cell rows.Cell) error {
			raw = append(raw, rows.Named{Name: string(name), Cell: cell})
			return nil
		})
		if err != nil {
			return fmt.Errorf("%s: %w", place(f, l.number), err)
		}
		t.last, t.lastNum = pos, l.number
		if err := yield(pos, place(f, l.number), t.cells, raw); err != nil {
			return err
		}
	}
	return nil
}
