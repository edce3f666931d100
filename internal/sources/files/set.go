// Package files finds the files that a glob names and reads them as streams with bounded memory, for the adapters of logs and exports.
//
// # What it is
//
// Open lists the files of a glob, in lexical order of their paths, as they are at that moment. A Window shows a part of one file's content, a
// Frame scans records file by file and finds them again by their byte offset. Compression is told by a file's first two bytes, not by its name;
// concatenated gzip members are one stream.
//
// # What it never does
//
// It writes nothing and makes no copy. It opens regular files only: a pipe would block, a device might act. It never takes an early end for
// the end: a gzip member that is cut or has a wrong checksum, a file that shrank, a bomb are errors. It shows no byte of such a member.
//
// # Invariants
//
//   - A file is read up to the size that it had when it was found; what is appended later is not seen. One that was replaced, shortened or
//     rewritten since is refused.
//   - Memory is bounded whatever the files hold: one Window, and 32 bytes for each 128 KiB of stream.
//   - A position is the file's number (16 bits) and a byte offset in its decompressed stream (48 bits).
package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"example.com/idemctl/internal/sources/rows"
)

const (
	// maxFiles is how many files a glob may match: their number stands in 16 bits of a position.
	maxFiles = 1 << 16
	// offsetBits is how many bits of a position hold the byte offset.
	offsetBits = 48
)

// HintCut is what to do about a file that ends too early.
const HintCut = "take a complete copy of the file, or wait until its writer has finished; nothing is concluded from what is absent"

// Unproved is why what could be decompressed is not read.
const Unproved = "no checksum proves what follows, so none of it is believed"

// Set is the files that one glob names.
type Set struct {
	Files []*File
	Total int64 // bytes of all files, as they are stored; those of compressed ones twice, as they are read

	opener opener
}

// File is one file as it was when it was found.
type File struct {
	Name string // as shown: relative to the config's folder where it was written so
	Size int64
	Gzip bool

	path string
	mod  time.Time
	info fs.FileInfo

	// What prove has found of a compressed file.
	known  bool
	proved int64 // bytes of its stream whose checksums were right
	damage error // why no more were, nil when the file is sound
}

// Open finds the files of a glob below dir, or in fsys when it is not nil. as says what a file, and the glob, is called in places and reasons.
func Open(ctx context.Context, fsys fs.FS, dir, glob string, as func(string) string) (*Set, error) {
	s := &Set{opener: opener{fsys: fsys}}
	all, err := s.opener.glob(dir, glob)
	switch {
	case err != nil:
		return nil, &rows.HintedError{Err: fmt.Errorf("looking for %s: %w", as(glob), bare(err)), Hint: hintGlob}
	case len(all) == 0:
		return nil, &rows.HintedError{Err: fmt.Errorf("%s: %w", as(glob), rows.ErrMissing), Hint: hintMissing}
	case len(all) > maxFiles:
		return nil, &rows.HintedError{Err: fmt.Errorf("%s names more than %d files", as(glob), maxFiles), Hint: "narrow the pattern, or split the source"}
	}
	for _, one := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f, err := s.opener.snapshot(as(one.name), one.path)
		if err != nil {
			return nil, err
		}
		s.Files = append(s.Files, f)
		s.Total += f.Size
		if f.Gzip {
			s.Total += f.Size
		}
	}
	return s, nil
}

// Join makes a position of a file's number and an offset in its stream.
func Join(file int, offset int64) rows.Pos { return rows.Pos(file)<<offsetBits | rows.Pos(offset) }

// Split takes a position apart.
func Split(pos rows.Pos) (file int, offset int64) {
	return int(pos >> offsetBits), int64(pos & (1<<offsetBits - 1))
}

// Changed says that a file is not what it was when it was scanned.
func Changed(name string) error {
	return &rows.HintedError{Err: fmt.Errorf("%s: %w", name, rows.ErrChanged), Hint: "scan again when the file is no longer rewritten"}
}

// opener opens files below a folder, or of an embedded file system.
type opener struct {
	fsys fs.FS
}

func (o opener) open(p string) (fs.File, error) {
	if o.fsys != nil {
		return o.fsys.Open(p)
	}
	return os.Open(p)
}

func (o opener) stat(p string) (fs.FileInfo, error) {
	if o.fsys != nil {
		return fs.Stat(o.fsys, p)
	}
	return os.Stat(p)
}

// found is one file that a glob names: as shown, and as opened.
type found struct{ name, path string }

// glob lists the files that a pattern means, in lexical order. A pattern that is itself a file's name means that file.
func (o opener) glob(dir, pattern string) ([]found, error) {
	base, rest := doublestar.SplitPattern(filepath.ToSlash(pattern))
	fsys, root, below := o.fsys, path.Join(dir, base), path.Join(dir, base)
	literal := path.Join(dir, pattern)
	if fsys == nil {
		root, below, literal = filepath.Join(dir, base), ".", filepath.Join(dir, pattern)
		if filepath.IsAbs(pattern) {
			root, literal = base, pattern
		}
		fsys = os.DirFS(root)
	}
	if _, err := o.stat(literal); err == nil {
		return []found{{pattern, literal}}, nil
	}
	var files []found
	err := doublestar.GlobWalk(fsys, path.Join(below, rest), func(p string, _ fs.DirEntry) error {
		f := found{name: path.Join(base, strings.TrimPrefix(p, below+"/")), path: p}
		if o.fsys == nil {
			f.path = filepath.Join(root, filepath.FromSlash(p))
		}
		files = append(files, f)
		return nil
	}, doublestar.WithFilesOnly(), doublestar.WithFailOnIOErrors())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	slices.SortFunc(files, func(a, b found) int { return strings.Compare(a.path, b.path) })
	return files, err
}

// snapshot notes what a file is now. Only regular files are opened: a pipe would block, a device might act.
func (o opener) snapshot(name, p string) (*File, error) {
	info, err := o.stat(p)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, missing(err))
	}
	if !info.Mode().IsRegular() {
		return nil, &rows.HintedError{Err: fmt.Errorf("%s: %w", name, rows.ErrUnusable), Hint: "name files only; pipes and devices are not read"}
	}
	f := &File{Name: name, path: p, Size: info.Size(), mod: info.ModTime(), info: info}
	h, err := o.checked(f)
	if err != nil {
		return nil, err
	}
	var first [longestMagic]byte
	n, err := io.ReadFull(h, first[:])
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		f.Gzip = bytes.HasPrefix(first[:n], gzipMagic)
		err = refuseForeign(name, first[:n])
	} else {
		err = fmt.Errorf("reading %s: %w", name, bare(err))
	}
	if err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return f, h.Close()
}

func missing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return &rows.HintedError{Err: rows.ErrMissing, Hint: hintMissing}
	}
	return bare(err)
}

// bare is what the operating system said, without the path: what a file is called is said before it.
func bare(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

const (
	hintMissing = "check the path in open; a relative path starts at the config's folder"
	hintGlob    = "check the pattern in open, and the links and rights of the folders it names"
)

// checked opens a file and makes sure that it is still the one of the snapshot: not replaced, not shorter, not rewritten in place.
func (o opener) checked(f *File) (fs.File, error) {
	h, err := o.open(f.path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, missing(err))
	}
	now, err := h.Stat()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", f.Name, err), h.Close())
	}
	replaced := o.fsys == nil && !os.SameFile(f.info, now)
	if replaced || !now.Mode().IsRegular() || now.Size() < f.Size || now.Size() == f.Size && !now.ModTime().Equal(f.mod) {
		return nil, errors.Join(Changed(f.Name), h.Close())
	}
	return h, nil
}
