package jsonl

import (
	"bufio"
	"compress/gzip"
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
	"sync/atomic"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"example.com/idemctl/internal/sources/rows"
)

const (
	// maxFiles is how many files a glob may match: their number stands in 16 bits of a position.
	maxFiles = 1 << 16
	// offsetBits is how many bits of a position hold the byte offset.
	offsetBits = 48
	// A compressed file may expand to maxRatio times what was read of it, once it has passed freeBytes: logs reach 100, a bomb 1,000.
	maxRatio  = 400
	freeBytes = 64 << 20
)

var errBomb = fmt.Errorf("expands more than %d times", maxRatio)

// file is one file as it was when the table was opened. It is read up to that size; what is appended later is not seen.
type file struct {
	name  string // as shown: relative to the config's folder where it was written so
	path  string
	size  int64
	mod   time.Time
	info  fs.FileInfo
	gzip  bool
	marks []mark // sparse index of a scan, ascending
}

// mark says which line starts at an offset of the stream.
type mark struct{ offset, number int64 }

// opener opens files below a folder, or of an embedded file system.
type opener struct {
	fsys fs.FS
}

func (o opener) open(p string) (fs.File, error) {
	if o.fsys != nil {
		return o.fsys.Open(p)
	}
	return os.Open(p) //nolint:gosec // the operator's own config names the file
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
func (o opener) snapshot(name, p string) (*file, error) {
	info, err := o.stat(p)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, missing(err))
	}
	if !info.Mode().IsRegular() {
		return nil, &rows.HintedError{Err: fmt.Errorf("%s: %w", name, rows.ErrUnusable), Hint: "name files only; pipes and devices are not read"}
	}
	f := &file{name: name, path: p, size: info.Size(), mod: info.ModTime(), info: info}
	h, err := o.checked(f)
	if err != nil {
		return nil, err
	}
	var magic [2]byte
	_, err = io.ReadFull(h, magic[:])
	f.gzip = err == nil && magic == [2]byte{0x1f, 0x8b}
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, errors.Join(fmt.Errorf("reading %s: %w", name, err), h.Close())
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
func (o opener) checked(f *file) (fs.File, error) {
	h, err := o.open(f.path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.name, missing(err))
	}
	now, err := h.Stat()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", f.name, err), h.Close())
	}
	replaced := o.fsys == nil && !os.SameFile(f.info, now)
	if replaced || !now.Mode().IsRegular() || now.Size() < f.size || now.Size() == f.size && !now.ModTime().Equal(f.mod) {
		err := &rows.HintedError{Err: fmt.Errorf("%s: %w", f.name, rows.ErrChanged), Hint: "scan again when the file is no longer rewritten"}
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

// stream is the decompressed content of one file.
type stream struct {
	io.Reader
	handle fs.File
	in     *counter
}

// whole checks that the file's bytes were all read: one that shrank while it was read ends like a complete one.
func (s *stream) whole(f *file) error {
	if s.in.n < f.size {
		return fmt.Errorf("%s: %w", f.name, rows.ErrChanged)
	}
	return nil
}

func (s *stream) Close() error { return s.handle.Close() }

// stream opens a file's content from its beginning, counting the file's bytes in read.
func (o opener) stream(ctx context.Context, f *file, read *atomic.Int64) (*stream, error) {
	h, err := o.checked(f)
	if err != nil {
		return nil, err
	}
	counted := &counter{ctx: ctx, r: io.LimitReader(h, f.size), total: read}
	if !f.gzip {
		return &stream{Reader: counted, handle: h, in: counted}, nil
	}
	z, err := gzip.NewReader(bufio.NewReaderSize(counted, 1<<16))
	if err != nil {
		return nil, errors.Join(&damagedError{err}, h.Close())
	}
	return &stream{Reader: &guard{r: z, in: counted}, handle: h, in: counted}, nil
}

// damagedError says that compressed data ends early or does not match its checksum.
type damagedError struct{ err error }

func (e *damagedError) Error() string { return e.err.Error() }
func (e *damagedError) Unwrap() error { return e.err }

// counter counts bytes and stops between two reads when the context ends.
type counter struct {
	ctx   context.Context // lives for one scan only
	r     io.Reader
	n     int64
	total *atomic.Int64
}

func (c *counter) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := c.r.Read(p)
	c.n += int64(n)
	if c.total != nil {
		c.total.Add(int64(n))
	}
	return n, err
}

// guard stops a stream that expands beyond any log, and one too long for a position.
type guard struct {
	r   io.Reader
	in  *counter
	out int64
}

func (g *guard) Read(p []byte) (int, error) {
	n, err := g.r.Read(p)
	g.out += int64(n)
	if err == nil && (g.out > freeBytes && g.out/maxRatio > g.in.n || g.out >= 1<<offsetBits) {
		err = errBomb
	}
	if err == nil && n == 0 {
		err = g.in.ctx.Err()
	}
	if err != nil && err != io.EOF { //nolint:errorlint // a wrapped EOF is a stream that ended too early
		if ctxErr := g.in.ctx.Err(); ctxErr != nil {
			return n, ctxErr
		}
		err = &damagedError{err}
	}
	return n, err
}
