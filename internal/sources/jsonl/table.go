// Package jsonl reads logs of one JSON object a line, plain or gzip-compressed, as rows.
//
// # What it is
//
// A rows.Table over the files that a glob names, in lexical order of their paths, as they were when it was opened. Compression is told by
// the first two bytes, not by the name; concatenated gzip members are one stream.
//
// # What it never does
//
// It writes nothing and makes no copy. It opens regular files only. It repairs no line and skips none in silence: a line that is no strict
// JSON object, or is longer than MaxLine, is reported with file and line number.
//
// # Invariants
//
//   - Memory is bounded whatever the files hold: a few MiB, and 16 bytes for each 128 KiB of stream.
//   - A scan is complete only when every file was there, not empty, and read to a proper end: a last line that stops in the middle, a gzip
//     member that ends early or has a wrong checksum, a file that changed make it incomplete, and the rows before are still handed over.
//   - A position is the file's number (16 bits) and the line's byte offset in the decompressed stream (48 bits).
package jsonl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"sync/atomic"

	"example.com/idemctl/internal/sources/jsonwalk"
	"example.com/idemctl/internal/sources/rows"
)

// Table is the lines of a set of files.
type Table struct {
	opener opener
	files  []*file
	total  int64

	row     *jsonwalk.Walker
	cells   []rows.Cell
	whole   *jsonwalk.Walker // lists all members of a fetched line
	lines   *splitter
	locate  *splitter // of Locator, which may be called while a line of lines is in use
	last    rows.Pos  // the line that Locator or Fetch found last, and its number
	lastNum int64

	nrows, nbytes atomic.Int64
}

// Open finds the files of a glob below dir, or in fsys when it is not nil, and notes what they are now.
func Open(ctx context.Context, fsys fs.FS, dir, glob string) (*Table, error) {
	return OpenNamed(ctx, fsys, dir, glob, func(name string) string { return name })
}

// OpenNamed is Open of files that are called otherwise in places and reasons: as says how, of a file and of the glob.
func OpenNamed(ctx context.Context, fsys fs.FS, dir, glob string, as func(string) string) (*Table, error) {
	t := &Table{opener: opener{fsys: fsys}, whole: jsonwalk.Compile(nil)}
	files, err := t.opener.glob(dir, glob)
	switch {
	case err != nil:
		return nil, &rows.HintedError{Err: fmt.Errorf("looking for %s: %w", as(glob), bare(err)), Hint: hintGlob}
	case len(files) == 0:
		return nil, &rows.HintedError{Err: fmt.Errorf("%s: %w", as(glob), rows.ErrMissing), Hint: hintMissing}
	case len(files) > maxFiles:
		return nil, &rows.HintedError{Err: fmt.Errorf("%s names more than %d files", as(glob), maxFiles), Hint: "narrow the pattern, or split the source"}
	}
	for _, found := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f, err := t.opener.snapshot(as(found.name), found.path)
		if err != nil {
			return nil, err
		}
		t.files = append(t.files, f)
		t.total += f.size
	}
	return t, nil
}

// Bind says which members to read. A line need not have a member, so every path is accepted.
func (t *Table) Bind(paths []rows.Path) error {
	members := make([][]string, len(paths))
	for i, p := range paths {
		members[i] = append([]string{p.Column}, p.Members...)
	}
	t.row = jsonwalk.Compile(members)
	t.cells = make([]rows.Cell, len(paths))
	return nil
}

// Locator says file:line.
func (t *Table) Locator(pos rows.Pos) string {
	i, offset := split(pos)
	if i >= len(t.files) {
		return "?"
	}
	if pos == t.last && t.lastNum > 0 {
		return place(t.files[i], t.lastNum)
	}
	number, err := t.numberOf(i, offset)
	if err != nil {
		return t.files[i].name + "@" + strconv.FormatInt(offset, 10)
	}
	t.last, t.lastNum = pos, number
	return place(t.files[i], number)
}

// Progress reports bytes of the files themselves, so that compressed ones have a known total.
func (t *Table) Progress() rows.Progress {
	return rows.Progress{Rows: t.nrows.Load(), Bytes: t.nbytes.Load(), Total: t.total, Unit: "bytes"}
}

// Close has nothing to release: files are open only while they are read.
func (t *Table) Close() error { return nil }

// sampled is how many lines Columns looks at.
const sampled = 100

// Columns lists the members of the first lines with the types seen, in the order of their first appearance.
func (t *Table) Columns() []rows.Column {
	var columns []rows.Column
	index := map[string]int{}
	note := func(name []byte, c rows.Cell) {
		kind := kindName(c.Kind)
		i, ok := index[string(name)]
		if !ok {
			index[string(name)] = len(columns)
			columns = append(columns, rows.Column{Name: string(name), Type: kind})
		} else if kind != "null" && !strings.Contains(columns[i].Type, kind) {
			if columns[i].Type == "null" {
				columns[i].Type = kind
			} else {
				columns[i].Type += "|" + kind
			}
		}
	}
	each := func(name []byte, c rows.Cell) error { //nolint:unparam // the shape that Members asks for
		note(name, c)
		return nil
	}
	left := sampled
	for i := range t.files {
		err := t.each(context.Background(), i, nil, func(l line) error {
			if text := object(l); text != nil && t.whole.Members(text, each) == nil {
				left--
			}
			if left == 0 {
				return errStop
			}
			return nil
		})
		if errors.Is(err, errStop) {
			break
		}
	}
	return columns
}

var errStop = errors.New("enough")

func kindName(k rows.Kind) string {
	switch k {
	case rows.Int, rows.Number, rows.Real:
		return "number"
	case rows.Text:
		return "text"
	case rows.Bool:
		return "bool"
	case rows.JSON:
		return "json"
	case rows.Missing, rows.Null, rows.Blob, rows.Bad:
	}
	return "null"
}

func join(file int, offset int64) rows.Pos {
	return rows.Pos(file)<<offsetBits | rows.Pos(offset)
}

func split(pos rows.Pos) (file int, offset int64) {
	return int(pos >> offsetBits), int64(pos & (1<<offsetBits - 1))
}

func place(f *file, number int64) string { return f.name + ":" + strconv.FormatInt(number, 10) }

var bom = []byte("\xef\xbb\xbf")

// object returns a line's text without the byte order mark that the first one may have; nil when the line is blank.
func object(l line) []byte {
	text := l.text
	if l.offset == 0 {
		text = bytes.TrimPrefix(text, bom)
	}
	if len(bytes.TrimRight(text, " \t\r")) == 0 {
		return nil
	}
	return text
}
