package csv

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/idemctl/internal/sources/files"
	"example.com/idemctl/internal/sources/rows"
)

const (
	mark     = "\xef\xbb\xbf"   // a byte order mark
	unmapped = string('\ufffd') // what a decoder writes for bytes that its encoding does not have
	maxCells = 1 << 14          // how many cells a record may have
	gone     = "nothing after it was read"

	hintQuote    = "a cell that holds a quote stands in quotes, with that quote doubled and not behind a backslash; correct the file where it was written"
	hintRagged   = "a cell that holds the delimiter or a line break stands in quotes; lines before the header are left out by rows: {skip: N}"
	hintEncoding = "name the encoding that it was written in, like rows: {encoding: windows-1252}, or export it as UTF-8"
	hintReturn   = "a line ends in LF or CR LF; convert a copy of a file whose lines end in CR alone"
	hintUTF16    = "name its encoding: rows: {encoding: utf-16}"
	hintLast     = "if the file is whole, end its last line in a copy of it, like echo >>COPY; if not, take a complete copy; nothing is concluded from what is absent"
	hintColumns  = "export those columns too, or read others in their place: map: {created_at: {from: COLUMN, …}}; a fact that is null in map is not read"
	hintHeader   = "rows: {skip: N} counts the lines before the header; rows: {header: false} reads a file without one"
)

// fault is why a record, or with stops a file from there on, is not read.
type fault struct {
	at           files.Place
	reason, hint string
	stops        bool
	is           error
}

func (f *fault) Unwrap() error { return f.is }

func (f *fault) Error() string { return f.at.String() + ": " + f.reason }

// record is the cells of one record. It lies in the Window, or in its own memory when something in it was quoted.
type record struct {
	text  []byte
	cells []span
	count int    // of cells, also of those beyond maxCells
	own   []byte // memory for text
}

// span is where a cell stands in the text of its record.
type span struct {
	from, to int
	quoted   bool
}

func (r *record) reset() { r.cells, r.count = r.cells[:0], 0 }

func (r *record) add(c span) {
	if r.count++; r.count <= maxCells {
		r.cells = append(r.cells, c)
	}
}

// cell returns the i-th cell: an empty one is null unless it was quoted.
func (r *record) cell(i int) rows.Cell {
	c := r.cells[i]
	if c.from == c.to && !c.quoted {
		return rows.Cell{Kind: rows.Null}
	}
	return rows.Cell{Kind: rows.Text, Text: r.text[c.from:c.to:c.to]}
}

// reader reads the records of one stream.
type reader struct {
	*files.Window
	shape   Shape
	width   int // how many cells a record has, 0 for any number
	rec     *record
	began   files.Place // of the record that next returned or refused
	taken   int         // bytes of it that are still shown
	lines   int         // of these, 0 when they were not counted
	careful bool        // reads every record strictly
	wanted  []string    // the columns that a header which is looked for must name
	sniffed bool        // the delimiter was found out
	ends    [256]bool   // the bytes that a cell without quotes does not go past
}

func newReader(w *files.Window, shape Shape, rec *record) *reader {
	r := &reader{Window: w, shape: shape, rec: rec}
	for _, c := range []byte{shape.Delimiter, '\n', '\r', '"'} {
		r.ends[c] = true
	}
	return r
}

// header reads up to the first record and says what columns it has; none when a file without a header holds no record.
func (r *reader) header() (layout, error) {
	for len(r.Bytes()) < len(mark) && r.More() {
		continue
	}
	b := r.Bytes()
	switch {
	case bytes.HasPrefix(b, []byte(mark)):
		r.Advance(len(mark))
	case bytes.HasPrefix(b, []byte("\xff\xfe")), bytes.HasPrefix(b, []byte("\xfe\xff")):
		return layout{}, &fault{at: r.Place(), reason: "the text is UTF-16, not UTF-8", hint: hintUTF16, stops: true}
	}
	for skipped := range r.shape.Skip {
		if !r.skipLine() {
			if err := r.Failed(); err != nil {
				return layout{}, err
			}
			return layout{}, &fault{at: r.Place(), reason: fmt.Sprintf("the file has %d lines, of which %d are to be skipped", skipped, r.shape.Skip), hint: hintHeader, stops: true}
		}
	}
	lacks := r.wanted // of the line that names most of them
	for before := 0; ; before++ {
		l, err := r.columns()
		ended := before > 0 && errors.Is(err, errNoHeader)
		if err == nil && (!r.shape.Find || r.named(&l)) || err != nil && !ended {
			return l, err
		}
		if before == maxBefore || ended {
			return layout{}, &fault{at: r.Place(), reason: "no line among the first " + strconv.Itoa(maxBefore+1) + " names all mapped columns: " + quoted(lacks), hint: hintColumns, stops: true}
		}
		if some := missing(r.wanted, l.names); len(some) < len(lacks) {
			lacks = some
		}
		r.width = 0
	}
}

// missing are the wanted columns that a header does not name.
func missing(wanted, names []string) []string {
	return slices.DeleteFunc(slices.Clone(wanted), func(name string) bool { return slices.Contains(names, name) })
}

// quoted says which columns are missing.
func quoted(columns []string) string {
	if len(columns) == 1 {
		return strconv.Quote(columns[0]) + " is missing"
	}
	return strconv.Quote(columns[0]) + " and " + strconv.Itoa(len(columns)-1) + " more are missing"
}

// errNoHeader says that a file ended where its header should begin.
var errNoHeader = errors.New("the file has no header line")

// maxBefore is how many lines may stand before a header that is looked for.
const maxBefore = 20

// named reports whether a header names all columns that are wanted.
func (r *reader) named(l *layout) bool {
	return len(missing(r.wanted, l.names)) == 0
}

// columns reads the header, or the first record of a file without one, and says what columns there are.
func (r *reader) columns() (layout, error) {
	if r.shape.Delimiter == 0 || r.sniffed {
		if err := r.sniff(); err != nil {
			return layout{}, err
		}
	}
	ok, err := r.next()
	switch f, refused := errors.AsType[*fault](err); {
	case refused:
		f.stops = true
		return layout{}, f
	case err != nil:
		return layout{}, err
	case !ok && r.shape.Header:
		return layout{}, &fault{at: r.Place(), reason: errNoHeader.Error(), hint: hintHeader, stops: true, is: errNoHeader}
	case r.rec.count > maxCells:
		return layout{}, &fault{at: r.began, reason: fmt.Sprintf("more than %d columns", maxCells), hint: "check the delimiter, or export the columns that are mapped", stops: true}
	}
	l := layout{names: make([]string, len(r.rec.cells)), width: r.rec.count, delimiter: r.shape.Delimiter}
	r.width = l.width
	if !r.shape.Header {
		for i := range l.names {
			l.names[i] = strconv.Itoa(i + 1)
		}
		r.taken, r.lines = 0, 0 // it is a record
		return l, nil
	}
	for i := range l.names {
		l.names[i] = string(r.rec.cell(i).Text)
	}
	return l, nil
}

// sniff finds out by which of comma, semicolon and tab the line that follows is written: the one that occurs outside of quotes. Where several do nobody knows.
func (r *reader) sniff() error {
	r.leave()
	for bytes.IndexByte(r.Bytes(), '\n') < 0 && r.More() {
		continue
	}
	line, _, _ := bytes.Cut(r.Bytes(), []byte{'\n'})
	quoted, found := false, []byte(nil)
	for _, c := range line {
		switch c {
		case '"':
			quoted = !quoted
		case ',', ';', '\t':
			if !quoted && bytes.IndexByte(found, c) < 0 {
				found = append(found, c)
			}
		}
	}
	delimiter := byte(',')
	at := slices.IndexFunc(found, func(c byte) bool { return r.splitsInto(line, c) })
	switch {
	case at >= 0:
		delimiter = found[at]
	case len(found) == 1 || len(found) > 1 && r.shape.Find:
		delimiter = found[0]
	case len(found) > 1:
		return &fault{at: r.Place(), reason: "the header holds several of comma, semicolon and tab", hint: `say which of them separates the cells: rows: {delimiter: ";"}`, stops: true}
	}
	r.ends[r.shape.Delimiter] = false
	r.shape.Delimiter, r.sniffed, r.ends[delimiter] = delimiter, true, true
	return nil
}

// splitsInto reports whether a line that is split by c names all columns that are wanted.
func (r *reader) splitsInto(line []byte, c byte) bool {
	text := string(bytes.TrimSuffix(line, []byte{'\r'}))
	names := strings.Split(text, string(c))
	for i := range names {
		names[i] = strings.Trim(names[i], `"`)
	}
	return r.named(&layout{names: names})
}

// skipLine passes over a line of any length.
func (r *reader) skipLine() bool {
	for {
		b := r.Bytes()
		if i := bytes.IndexByte(b, '\n'); i >= 0 {
			r.AdvanceLine(i + 1)
			return true
		}
		r.Advance(len(b))
		if !r.More() {
			return false
		}
	}
}

// next reads the next record; false at the proper end of the stream. A *fault that does not stop concerns this record alone.
func (r *reader) next() (bool, error) {
	r.leave()
	for {
		b := r.Bytes()
		end := bytes.IndexByte(b, '\n')
		if end < 0 {
			if r.More() {
				continue
			}
			if len(r.Bytes()) == 0 {
				return false, r.Failed()
			}
			return r.strict()
		}
		line := b[:end]
		if end > 0 && line[end-1] == '\r' {
			line = line[:end-1]
		}
		if len(line) == 0 {
			r.AdvanceLine(end + 1)
			continue
		}
		if r.careful || len(line) > files.MaxRecord || bytes.IndexByte(line, '"') >= 0 || bytes.IndexByte(line, '\r') >= 0 || !r.valid(line) {
			return r.strict()
		}
		r.began, r.taken, r.lines = r.Place(), end+1, 1
		r.split(line)
		return r.counted(false)
	}
}

// leave takes the record that was read last out of view.
func (r *reader) leave() {
	if r.lines == 1 {
		r.AdvanceLine(r.taken)
	} else {
		r.Advance(r.taken)
	}
	r.taken, r.lines = 0, 0
}

// valid reports whether text is in the encoding.
func (r *reader) valid(text []byte) bool {
	if r.shape.Encoding != nil && bytes.Contains(text, []byte(unmapped)) {
		return false
	}
	return utf8.Valid(text)
}

// split takes a line without a quote apart.
func (r *reader) split(line []byte) {
	r.rec.reset()
	r.rec.text = line
	for from := 0; ; {
		i := bytes.IndexByte(line[from:], r.shape.Delimiter)
		if i < 0 {
			r.rec.add(span{from: from, to: len(line)})
			return
		}
		r.rec.add(span{from: from, to: from + i})
		from += i + 1
	}
}

// counted refuses a record that has not as many cells as the first one. Where a cell of it was quoted its quotes may be written by other rules, and
// what follows may be text of a cell.
func (r *reader) counted(quoted bool) (bool, error) {
	if r.width == 0 || r.rec.count == r.width {
		return true, nil
	}
	first := map[bool]string{true: "header", false: "first record"}[r.shape.Header]
	f := &fault{at: r.began, reason: fmt.Sprintf("the record has %d %s, the %s has %d", r.rec.count, cellsOf(r.rec.count), first, r.width), hint: hintRagged}
	if quoted {
		f.reason, f.hint, f.stops = f.reason+"; "+gone, hintQuote, true
	}
	return false, f
}

func cellsOf(n int) string {
	if n == 1 {
		return "cell"
	}
	return "cells"
}
