// Package csv reads exports of one record a line, plain or gzip-compressed, as rows.
//
// # What it is
//
// A rows.Table over the files that a glob names, read as RFC 4180 has it, with a delimiter of choice. Each file names its columns in a header
// of its own, or they are numbered from 1. A cell may span lines when it is quoted; a quote in it is doubled. Blank lines are passed over.
//
// # What it never does
//
// It guesses no type and trims nothing: every cell is the text that stands there, byte by byte. An empty cell is null when it is not quoted,
// and the empty text when it is. It repairs nothing and skips no record in silence. A record with too few or too many cells, with text that
// is not in the encoding, or longer than files.MaxRecord is reported with file, line and column, and reading goes on behind it. Where a quote
// stands that is none by the rules, or quoted cells do not add up to a record, nothing tells any more what is a record and what is text
// inside one: reading of that file ends there, and the scan is incomplete.
//
// # Invariants
//
//   - A record without a quote is split by a fast path; every other one is read by a strict reader, which gives the same cells where both can.
//   - A scan is complete only when every file was there, not empty, had its columns, and ended with a line break: without one nobody knows
//     whether its last cell is whole.
//   - Memory is bounded: one files.Window, and maxCells places of cells.
package csv

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"golang.org/x/text/encoding"

	"example.com/idemctl/internal/sources/files"
	"example.com/idemctl/internal/sources/jsonwalk"
	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/text"
)

// Shape is how the files are written.
type Shape struct {
	Delimiter byte              // 0: whichever of comma, semicolon and tab the header is written with
	Find      bool              // the header is the first line that names all wanted columns
	Header    bool              // the first line after Skip names the columns; else they are numbered from 1
	Skip      int               // lines before the header
	Encoding  encoding.Encoding // nil = UTF-8
}

// Table is the records of a set of files.
type Table struct {
	*files.Frame
	shape  Shape
	layout layout // of the file that was opened last
	of     int    // which file that is, -1 for none

	paths  []rows.Path
	wanted []jsonwalk.Column
	stands []int // where each stands in the file that is read
	direct []direct
	cells  []rows.Cell
	record record
}

// layout is what the header of one file says.
type layout struct {
	names     []string
	delimiter byte
	width     int // how many cells a record has, 0 before the first one of a file without a header
}

// Open finds the files of a glob below dir, or in fsys when it is not nil. as says what a file, and the glob, is called in places and reasons.
func Open(ctx context.Context, fsys fs.FS, dir, glob string, shape Shape, as func(string) string) (*Table, error) {
	set, err := files.Open(ctx, fsys, dir, glob, as)
	if err != nil {
		return nil, err
	}
	t := &Table{Frame: files.NewFrame(set), shape: shape, of: -1}
	t.Lines = true
	if shape.Encoding != nil {
		t.Wrap = func(r io.Reader) io.Reader { return shape.Encoding.NewDecoder().Reader(r) }
	}
	return t, nil
}

// Bind says which columns to read. Every column must stand in the header of the first file that has one; the other files are looked at by Scan.
func (t *Table) Bind(paths []rows.Path) error {
	t.paths = paths
	t.cells = make([]rows.Cell, len(paths))
	numbers := map[string]int{}
	t.wanted, _ = jsonwalk.Columns(paths, func(name string) (int, error) { // each file has its own header: here only names are told apart
		if _, ok := numbers[name]; !ok {
			numbers[name] = len(numbers)
		}
		return numbers[name], nil
	})
	t.stands = make([]int, len(t.wanted))
	for i := range t.Files {
		l, err := t.peek(i)
		if err != nil || l.width == 0 {
			continue // Scan says what is wrong with the file
		}
		return t.find(i, l)
	}
	return nil
}

// peek reads the header of a file, or the width of its first record.
func (t *Table) peek(file int) (l layout, err error) {
	err = t.Peek(file, func(w *files.Window) error {
		r := newReader(w, t.shape, &record{})
		r.wanted = t.names()
		var failed error
		l, failed = r.header()
		return failed
	})
	return l, err
}

// names are the columns that are wanted.
func (t *Table) names() []string {
	out := make([]string, len(t.wanted))
	for i := range t.wanted {
		out[i] = t.wanted[i].Name
	}
	return out
}

// direct is a path that is a column itself.
type direct struct{ column, cell int }

// find settles where the wanted columns stand in a file.
func (t *Table) find(file int, l layout) error {
	t.layout, t.of, t.direct = l, file, t.direct[:0]
	for i := range t.wanted {
		w, stands := &t.wanted[i], -1
		for at, name := range l.names {
			if name != w.Name {
				continue
			}
			if stands >= 0 {
				return &rows.HintedError{
					Err:  fmt.Errorf("%s: the header names %s twice, as columns %d and %d", t.Files[file].Name, strconv.Quote(w.Name), stands+1, at+1),
					Hint: fmt.Sprintf("read it by number: rows: {header: false, skip: %d} and map columns 1, 2, …", t.shape.Skip+1),
				}
			}
			stands = at
		}
		if stands < 0 {
			return &rows.HintedError{Err: fmt.Errorf("%s: %w: %q", t.Files[file].Name, rows.ErrNoColumn, w.Name), Hint: t.noColumn(w, l)}
		}
		t.stands[i] = stands
		for _, cell := range w.Whole {
			t.direct = append(t.direct, direct{stands, cell})
		}
	}
	return nil
}

// delimiters are what may separate cells, and how the config spells it.
var delimiters = []struct{ char, name, spelled string }{{";", "semicolons", `";"`}, {"\t", "tabs", "tab"}, {"|", "bars", `"|"`}, {",", "commas", `","`}}

// noColumn says what may be meant by a column that is not there.
func (t *Table) noColumn(w *jsonwalk.Column, l layout) string {
	const shown = 12
	if !t.shape.Header {
		return fmt.Sprintf("without a header columns are numbered: 1 to %d", l.width)
	}
	header := strings.Join(l.names, "\n")
	if len(l.names) == 1 {
		for _, other := range delimiters {
			if strings.Contains(header, other.char) {
				return "its header holds " + other.name + ": rows: {delimiter: " + other.spelled + "}"
			}
		}
	}
	if strings.Contains(header, "\x00") {
		return "its header looks like UTF-16: rows: {encoding: utf-16le} or utf-16be"
	}
	for _, members := range w.Members() {
		if dotted := w.Name + "." + strings.Join(members, "."); strings.Contains("\n"+header+"\n", "\n"+dotted+"\n") {
			return "a name that contains a dot is quoted: '\"" + text.SafeString(dotted) + "\"'"
		}
	}
	for _, name := range l.names {
		if strings.EqualFold(strings.TrimSpace(name), strings.TrimSpace(w.Name)) {
			return "names are compared byte by byte; here it is \"" + text.SafeString(name) + "\""
		}
	}
	names := l.names[:min(len(l.names), shown)]
	return "its columns are " + text.SafeString(strings.Join(names, ", ")) + map[bool]string{true: " and more"}[len(l.names) > shown]
}

// Columns lists the columns of the first file that has any.
func (t *Table) Columns() []rows.Column {
	for i := range t.Files {
		l, err := t.peek(i)
		if err != nil || l.width == 0 {
			continue
		}
		out := make([]rows.Column, len(l.names))
		for j, name := range l.names {
			out[j] = rows.Column{Name: name, Type: "text"}
		}
		return out
	}
	return nil
}

// Scan hands over every record.
func (t *Table) Scan(ctx context.Context, yield rows.Yield, bad func(rows.Problem)) (rows.Extent, error) {
	return t.Frame.Scan(ctx, yield, bad, func(s *files.Scan) error {
		r := newReader(s.Window, t.shape, &t.record)
		r.wanted = t.names()
		l, err := r.header()
		if err == nil && l.width > 0 {
			if err := t.find(s.File, l); err != nil {
				s.Cut(s.Place(), strings.TrimPrefix(err.Error(), s.Name+": "), rows.HintOf(err))
				return nil
			}
		}
		if err == nil {
			err = t.records(r, s)
		}
		var f *fault
		if errors.As(err, &f) {
			s.Cut(f.at, f.reason, f.hint)
			return nil
		}
		return err
	})
}

// records hands over the records behind a header.
func (t *Table) records(r *reader, s *files.Scan) error {
	for {
		switch ok, err := r.next(); {
		case err != nil:
			var refused *fault // here, so that a good record costs no memory
			if !errors.As(err, &refused) || refused.stops {
				return err
			}
			s.Refuse(r.began, refused.at, refused.reason, refused.hint)
			continue
		case !ok:
			return nil
		}
		t.fill()
		if err := s.Row(r.began, t.cells); err != nil {
			return err
		}
	}
}

// fill takes the caller's cells from the record.
func (t *Table) fill() {
	text, cells := t.record.text, t.record.cells
	for _, d := range t.direct {
		c := &t.cells[d.cell]
		switch s := cells[d.column]; {
		case s.from == s.to && !s.quoted:
			c.Kind, c.Text = rows.Null, nil
		default:
			c.Kind, c.Text = rows.Text, text[s.from:s.to:s.to]
		}
	}
	for i := range t.wanted {
		if w := &t.wanted[i]; len(w.Members()) > 0 {
			w.Dig(t.record.cell(t.stands[i]), t.cells)
		}
	}
}

// Fetch reads the records at these positions again.
func (t *Table) Fetch(ctx context.Context, at []rows.Pos, yield rows.YieldRaw) error {
	var raw []rows.Named
	return t.Frame.Fetch(ctx, at, func(w *files.Window, pos rows.Pos, locator string) error {
		file, _ := files.Split(pos)
		if err := t.open(file); err != nil {
			return err
		}
		at := w.Place()
		shape := t.shape
		shape.Delimiter = t.layout.delimiter
		r := newReader(w, shape, &t.record)
		r.width = t.layout.width
		beginsLine := at.Column == 1 || at.Offset == int64(len(mark))
		if ok, err := r.next(); err != nil || !ok || !beginsLine || r.began != at {
			return errors.Join(w.Failed(), fmt.Errorf("%s: %w", locator, files.Changed(t.Files[file].Name)))
		}
		t.fill()
		raw = raw[:0]
		for i, name := range t.layout.names {
			raw = append(raw, rows.Named{Name: name, Cell: t.record.cell(i)})
		}
		return yield(pos, locator, t.cells, raw)
	})
}

// open looks at the header of a file, unless it is the one looked at last.
func (t *Table) open(file int) error {
	if t.of == file {
		return nil
	}
	l, err := t.peek(file)
	if err != nil {
		return err
	}
	return t.find(file, l)
}
