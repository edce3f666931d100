// Package json reads documents that hold lists of records, plain or gzip-compressed, as rows.
//
// # What it is
//
// A rows.Table over the files that a glob names. A file holds one JSON value or several, one after the other. Each of them is an array of
// records, a record, or, where a path is given, an object in which the path leads to either; arrays on the way are entered. A record is an
// object. Records are read one by one, so that a document may be larger than memory.
//
// # What it never does
//
// It repairs nothing and skips nothing in silence. A record whose text is doubtful (a name given twice, bad UTF-8, a lone surrogate, a
// number that is none, too long, too deep) is reported with file, line and column, and reading goes on behind it. Where the structure itself
// breaks nothing tells any more what is a record and what is text inside one: reading of that file ends there, and the scan is incomplete.
//
// # Invariants
//
//   - What is handed over is strict JSON as package jsonwalk reads it, whole, and no longer than files.MaxRecord.
//   - A scan is complete only when every file was read to a proper end and every value had its list of records.
//   - Memory is bounded: one files.Window, the names of the members beside the list up to maxNames bytes, one byte for each level of nesting.
package json

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"example.com/idemctl/internal/sources/files"
	"example.com/idemctl/internal/sources/jsonwalk"
	"example.com/idemctl/internal/sources/rows"
)

// Table is the records of a set of files.
type Table struct {
	*files.Frame
	ways  []Way
	row   *jsonwalk.Walker
	cells []rows.Cell
	whole *jsonwalk.Walker // lists all members of a record
}

// Open finds the files of a glob below dir, or in fsys when it is not nil. path leads to the records in each value of a file, empty where they
// stand at the top. as says what a file, and the glob, is called in places and reasons.
func Open(ctx context.Context, fsys fs.FS, dir, glob string, path []string, as func(string) string) (*Table, error) {
	return OpenWays(ctx, fsys, dir, glob, only(path), as)
}

// OpenWays is Open where records may stand in several places: what any of the ways leads to is read.
func OpenWays(ctx context.Context, fsys fs.FS, dir, glob string, ways []Way, as func(string) string) (*Table, error) {
	set, err := files.Open(ctx, fsys, dir, glob, as)
	if err != nil {
		return nil, err
	}
	return &Table{Frame: files.NewFrame(set), ways: ways, whole: jsonwalk.Compile(nil)}, nil
}

// Bind says which members to read. A record need not have a member, so every path is accepted.
func (t *Table) Bind(paths []rows.Path) error {
	members := make([][]string, len(paths))
	for i, p := range paths {
		members[i] = append([]string{p.Column}, p.Members...)
	}
	t.row = jsonwalk.Compile(members)
	t.cells = make([]rows.Cell, len(paths))
	return nil
}

// Scan hands over every record.
func (t *Table) Scan(ctx context.Context, yield rows.Yield, bad func(rows.Problem)) (rows.Extent, error) {
	return t.Frame.Scan(ctx, yield, bad, func(s *files.Scan) error {
		return newReader(s.Window, t.ways, t.row, t.cells, s).file()
	})
}

// Fetch reads the records at these positions again.
func (t *Table) Fetch(ctx context.Context, at []rows.Pos, yield rows.YieldRaw) error {
	var raw []rows.Named
	return t.Frame.Fetch(ctx, at, func(w *files.Window, pos rows.Pos, locator string) error {
		file, _ := files.Split(pos)
		n, err := prefix(w, t.row, t.cells)
		if err != nil || n > files.MaxRecord || w.Bytes()[0] != '{' {
			return errors.Join(w.Failed(), files.Changed(t.Files[file].Name))
		}
		raw = raw[:0]
		err = t.whole.Members(w.Bytes()[:n], func(name []byte, c rows.Cell) error {
			raw = append(raw, rows.Named{Name: string(name), Cell: c})
			return nil
		})
		if err != nil {
			return fmt.Errorf("%s: %w", locator, err)
		}
		if err := yield(pos, locator, t.cells, raw); err != nil {
			return err
		}
		w.Advance(n)
		return nil
	})
}

// sampled is how many records Columns looks at.
const sampled = 100

// Columns lists the members of the first records with the types seen, in the order of their first appearance.
func (t *Table) Columns() []rows.Column {
	s := sample{members: t.whole, left: sampled}
	for i := 0; i < len(t.Files) && s.left > 0; i++ {
		err := t.Peek(i, func(w *files.Window) error {
			return newReader(w, t.ways, jsonwalk.Compile([][]string{{}}), make([]rows.Cell, 1), &s).file()
		})
		if err != nil && !errors.Is(err, errEnough) {
			continue // Scan says what is wrong with the file
		}
	}
	return s.seen.Columns()
}

// sample takes whole records.
type sample struct {
	members *jsonwalk.Walker
	seen    rows.Sample
	left    int
}

var errEnough = errors.New("enough")

func (s *sample) Row(_ files.Place, cells []rows.Cell) error {
	if s.left--; s.left < 0 {
		return errEnough
	}
	return s.members.Members(cells[0].Text, func(name []byte, c rows.Cell) error {
		s.seen.Note(name, c)
		return nil
	})
}

func (s *sample) Refuse(files.Place, files.Place, string, string) {}
func (s *sample) Cut(files.Place, string, string)                 {}
