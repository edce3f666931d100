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
//     member that ends early or has a wrong checksum, a file that changed make it incomplete, and the rows before are still handed over. Of such a
//     member none are: only a checksum tells that its lines are what was written.
//   - A position is the file's number (16 bits) and the line's byte offset in the decompressed stream (48 bits).
package jsonl

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"strconv"
	"sync/atomic"

	"example.com/idemctl/internal/sources/files"
	"example.com/idemctl/internal/sources/jsonwalk"
	"example.com/idemctl/internal/sources/rows"
)

// Table is the lines of a set of files.
type Table struct {
	set   *files.Set
	marks []marks // of each file

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
	set, err := files.Open(ctx, fsys, dir, glob, as)
	if err != nil {
		return nil, err
	}
	return &Table{set: set, marks: make([]marks, len(set.Files)), whole: jsonwalk.Compile(nil)}, nil
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
	i, offset := files.Split(pos)
	if i >= len(t.set.Files) {
		return "?"
	}
	if pos == t.last && t.lastNum > 0 {
		return place(t.set.Files[i], t.lastNum)
	}
	number, err := t.numberOf(i, offset)
	if err != nil {
		return t.set.Files[i].Name + "@" + strconv.FormatInt(offset, 10)
	}
	t.last, t.lastNum = pos, number
	return place(t.set.Files[i], number)
}

// Progress reports bytes of the files themselves, so that compressed ones have a known total.
func (t *Table) Progress() rows.Progress {
	return rows.Progress{Rows: t.nrows.Load(), Bytes: t.nbytes.Load(), Total: t.set.Total, Unit: "bytes"}
}

// Close has nothing to release: files are open only while they are read.
func (t *Table) Close() error { return nil }

// sampled is how many lines Columns looks at.
const sampled = 100

// Columns lists the members of the first lines with the types seen, in the order of their first appearance.
func (t *Table) Columns() []rows.Column {
	var seen rows.Sample
	left := sampled
	for i := range t.set.Files {
		err := t.each(context.Background(), i, nil, func(l line) error {
			text := object(l)
			if text == nil {
				return nil
			}
			whole := t.whole.Members(text, func(name []byte, c rows.Cell) error {
				seen.Note(name, c)
				return nil
			})
			if whole == nil {
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
	return seen.Columns()
}

var errStop = errors.New("enough")

func place(f *files.File, number int64) string { return f.Name + ":" + strconv.FormatInt(number, 10) }

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
