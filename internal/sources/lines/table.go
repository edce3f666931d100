// Package lines reads logs of one record a line in a shape of their own, such as access logs, plain or gzip-compressed, as rows.
//
// # What it is
//
// A rows.Table over the files that a glob names. A regular expression says what a line looks like; its named groups are the columns.
//
// # What it never does
//
// It repairs nothing and skips nothing in silence. A line that the expression does not match as a whole, that is no UTF-8, or is longer than
// files.MaxRecord is reported with file and line number; blank lines are none.
//
// # Invariants
//
//   - A group that took no part in a match is null; one that matched no text is the empty text.
//   - A scan is complete only when every file was read to a proper end and its last line ended in a line break: without one nobody knows
//     whether the line is whole.
//   - Memory is bounded: one files.Window. The expression is RE2, whose time is linear in the line.
package lines

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"unicode/utf8"

	"example.com/idemctl/internal/sources/files"
	"example.com/idemctl/internal/sources/jsonwalk"
	"example.com/idemctl/internal/sources/rows"
)

const hintPattern = "the pattern in rows describes a whole line; a line of another kind is left out by an alternative of it, like ^(?:…|#.*)$"

// Table is the lines of a set of files.
type Table struct {
	*files.Frame
	re    *regexp.Regexp
	names []string // of the groups, in order; "" where one has none

	wanted []jsonwalk.Column
	cells  []rows.Cell
}

// Compile compiles a pattern, which must describe whole lines and name a group.
func Compile(pattern string) (*regexp.Regexp, error) {
	re, err := regexp.Compile(`\A(?:` + pattern + `)\z`)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, name := range re.SubexpNames() {
		if name != "" && seen[name] {
			return nil, fmt.Errorf("two groups are named %s", name)
		}
		seen[name] = true
	}
	if len(seen) < 2 {
		return nil, errors.New("no group has a name: write (?P<NAME>…)")
	}
	return re, nil
}

// Open finds the files of a glob below dir, or in fsys when it is not nil. as says what a file, and the glob, is called in places and reasons.
func Open(ctx context.Context, fsys fs.FS, dir, glob string, re *regexp.Regexp, as func(string) string) (*Table, error) {
	set, err := files.Open(ctx, fsys, dir, glob, as)
	if err != nil {
		return nil, err
	}
	t := &Table{Frame: files.NewFrame(set), re: re, names: re.SubexpNames()}
	t.Lines = true
	return t, nil
}

// Bind says which groups to read.
func (t *Table) Bind(paths []rows.Path) error {
	var err error
	t.wanted, err = jsonwalk.Columns(paths, func(name string) (int, error) {
		if i := t.re.SubexpIndex(name); i >= 0 && name != "" {
			return i, nil
		}
		return 0, &rows.HintedError{Err: fmt.Errorf("%w: %q", rows.ErrNoColumn, name), Hint: rows.Suggest("group", name, t.groups())}
	})
	t.cells = make([]rows.Cell, len(paths))
	return err
}

func (t *Table) groups() []string {
	return slices.DeleteFunc(slices.Clone(t.names), func(n string) bool { return n == "" })
}

// Columns lists the groups.
func (t *Table) Columns() []rows.Column {
	var out []rows.Column
	for _, name := range t.groups() {
		out = append(out, rows.Column{Name: name, Type: "text"})
	}
	return out
}

// Scan hands over every line.
func (t *Table) Scan(ctx context.Context, yield rows.Yield, bad func(rows.Problem)) (rows.Extent, error) {
	return t.Frame.Scan(ctx, yield, bad, func(s *files.Scan) error {
		for len(s.Bytes()) < len(mark) && s.More() {
			continue
		}
		if bytes.HasPrefix(s.Bytes(), []byte(mark)) {
			s.Advance(len(mark))
		}
		for {
			at := s.Place()
			line, size, why := next(s.Window)
			switch {
			case why == cut:
				if err := s.Failed(); err != nil {
					return err
				}
				s.Cut(at, "the last line does not end, so nobody knows whether it is whole", files.HintCut)
				return nil
			case size == 0:
				return s.Failed()
			case why != "":
				s.Refuse(at, at, why, "")
			case len(line) == 0:
			default:
				if why := t.fill(line); why != "" {
					s.Refuse(at, at, why, hintPattern)
				} else if err := s.Row(at, t.cells); err != nil {
					return err
				}
			}
			s.Advance(size)
		}
	})
}

// mark is a byte order mark.
const mark = "\xef\xbb\xbf"

// cut says that a stream ends within a line.
const cut = "cut"

// next returns the line with which the window begins, and how many bytes it takes; 0 at the end of the stream. A line that is too long is passed over but for its
// last bytes.
func next(w *files.Window) (line []byte, size int, why string) {
	for {
		b := w.Bytes()
		if end := bytes.IndexByte(b, '\n'); end >= 0 {
			line = bytes.TrimSuffix(b[:end], []byte{'\r'})
			switch {
			case len(line) > files.MaxRecord:
				why = "the line is longer than " + strconv.Itoa(files.MaxRecord) + " bytes"
			case !utf8.Valid(line):
				why = "the line is no UTF-8"
			}
			return line, end + 1, why
		}
		if w.More() {
			continue
		}
		if len(w.Bytes()) == 0 {
			return nil, 0, ""
		}
		if len(w.Bytes()) <= files.MaxRecord {
			return nil, len(w.Bytes()), cut
		}
		return tooLong(w)
	}
}

// tooLong passes over a line that does not fit, up to its last bytes.
func tooLong(w *files.Window) (line []byte, size int, why string) {
	for {
		w.Advance(len(w.Bytes()))
		if !w.More() {
			return nil, 0, cut
		}
		if end := bytes.IndexByte(w.Bytes(), '\n'); end >= 0 {
			return nil, end + 1, "the line is longer than " + strconv.Itoa(files.MaxRecord) + " bytes"
		}
	}
}

// fill takes the caller's cells from a line; it says why it cannot.
func (t *Table) fill(line []byte) (why string) {
	at := t.re.FindSubmatchIndex(line)
	if at == nil {
		return "the line is not as the pattern describes it"
	}
	for i := range t.wanted {
		w := &t.wanted[i]
		w.Fill(group(line, at, w.At), t.cells)
	}
	return ""
}

// group is what one group of a match holds.
func group(line []byte, at []int, i int) rows.Cell {
	from, to := at[2*i], at[2*i+1]
	if from < 0 {
		return rows.Cell{Kind: rows.Null}
	}
	return rows.Cell{Kind: rows.Text, Text: line[from:to:to]}
}

// Fetch reads the lines at these positions again.
func (t *Table) Fetch(ctx context.Context, at []rows.Pos, yield rows.YieldRaw) error {
	var raw []rows.Named
	return t.Frame.Fetch(ctx, at, func(w *files.Window, pos rows.Pos, locator string) error {
		file, _ := files.Split(pos)
		line, size, why := next(w)
		if size == 0 || why != "" || t.fill(line) != "" {
			return errors.Join(w.Failed(), files.Changed(t.Files[file].Name))
		}
		raw = raw[:0]
		match := t.re.FindSubmatchIndex(line)
		for i, name := range t.names {
			if name != "" {
				raw = append(raw, rows.Named{Name: name, Cell: group(line, match, i)})
			}
		}
		return yield(pos, locator, t.cells, raw)
	})
}
