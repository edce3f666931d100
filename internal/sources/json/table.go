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
//   - A path that begins with ^ leads beside the list, from the outermost object of a value. Of one that is longer than a record may be such cells are Bad.
//   - Memory is bounded: one files.Window, the names of the members beside the list up to maxNames bytes, one byte for each level of nesting, and
//     eight for each value where something beside the list is read.
package json

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

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
	outer *outer           // nil where no path leads beside the list
	began [][]int64        // of each file, where its values begin; kept only where there is an outer
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
	t.outer, paths = bindOuter(paths)
	members := make([][]string, len(paths))
	for i, p := range paths {
		members[i] = append([]string{p.Column}, p.Members...)
	}
	t.row = jsonwalk.Compile(members)
	t.cells = make([]rows.Cell, len(paths))
	if t.outer != nil {
		t.cells = t.outer.inner
		t.began = make([][]int64, len(t.Files))
	}
	return nil
}

// Scan hands over every record.
func (t *Table) Scan(ctx context.Context, yield rows.Yield, bad func(rows.Problem)) (rows.Extent, error) {
	return t.Frame.Scan(ctx, yield, bad, func(s *files.Scan) error {
		r := newReader(s.Window, t.ways, t.row, t.cells, s)
		if r.outer = t.outer; r.outer != nil {
			began := &t.began[s.File]
			*began = (*began)[:0]
			r.outer.within, r.outer.begins = false, func(at files.Place) { *began = append(*began, at.Offset) }
		}
		return r.file()
	})
}

// values puts the beginnings of the values in which the records at these positions stand among them, in ascending order.
func (t *Table) values(at []rows.Pos) []rows.Pos {
	if t.outer == nil {
		return at
	}
	var out []rows.Pos
	for _, pos := range at {
		file, offset := files.Split(pos)
		i, exact := slices.BinarySearch(t.began[file], offset)
		if !exact {
			i--
		}
		if i >= 0 {
			if value := files.Join(file, t.began[file][i]); len(out) == 0 || out[len(out)-1] < value {
				out = append(out, value)
			}
		}
		if len(out) == 0 || out[len(out)-1] < pos {
			out = append(out, pos)
		}
	}
	return out
}

// Fetch reads the records at these positions again.
func (t *Table) Fetch(ctx context.Context, at []rows.Pos, yield rows.YieldRaw) error {
	var raw []rows.Named
	next := 0
	return t.Frame.Fetch(ctx, t.values(at), func(w *files.Window, pos rows.Pos, locator string) error {
		file, offset := files.Split(pos)
		if t.outer != nil {
			if _, begins := slices.BinarySearch(t.began[file], offset); begins {
				t.outer.load(w)
			}
			if next >= len(at) || at[next] != pos {
				return nil // only the value in which a record stands
			}
			next++
		}
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
		cells := t.cells
		if t.outer != nil {
			cells = t.outer.merged()
		}
		if err := yield(pos, locator, cells, raw); err != nil {
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
