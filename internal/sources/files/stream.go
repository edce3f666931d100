package files

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync/atomic"

	"example.com/idemctl/internal/sources/rows"
)

const (
	// A compressed file may expand to maxRatio times what was read of it, once it has passed freeBytes: logs reach 100, a bomb 1,000.
	maxRatio  = 400
	freeBytes = 64 << 20
)

// ErrBomb says that a compressed file expands beyond any log.
var ErrBomb = fmt.Errorf("the compressed file expands more than %d times", maxRatio)

// Stream is the decompressed content of one file, from its beginning.
type Stream struct {
	io.Reader
	handle fs.File
	in     *counter
	packed bool
}

// Whole checks, at the end, that the file's bytes were all read: one that shrank while it was read ends like a complete one.
func (s *Stream) Whole(f *File) error {
	if s.in.n < f.Size {
		return fmt.Errorf("%s: %w", f.Name, rows.ErrChanged)
	}
	return nil
}

// At reads the file's own bytes anywhere; nil where the file can be read from its beginning only.
func (s *Stream) At() io.ReaderAt {
	at, _ := s.handle.(io.ReaderAt) // an embedded file may not have it
	if s.packed {
		return nil
	}
	return at
}

// Close closes the file.
func (s *Stream) Close() error { return s.handle.Close() }

// Stream opens a file's content, counting the file's bytes in read, which may be nil. A read fails when the context ends. Of a compressed file only what a
// checksum proved is shown: the first Stream reads it to its end before.
func (s *Set) Stream(ctx context.Context, f *File, read *atomic.Int64) (*Stream, error) {
	if f.Gzip {
		if err := s.prove(ctx, f, read); err != nil {
			return nil, err
		}
		if f.proved == 0 && f.damage != nil {
			return nil, f.damage
		}
	}
	st, err := s.unproved(ctx, f, read)
	if err == nil && f.damage != nil {
		st.Reader = &prefix{r: io.LimitReader(st.Reader, f.proved), then: f.damage}
	}
	return st, err
}

// unproved opens a file's content without reading it before, for what needs its beginning only and takes no record from it.
func (s *Set) unproved(ctx context.Context, f *File, read *atomic.Int64) (*Stream, error) {
	h, err := s.opener.checked(f)
	if err != nil {
		return nil, err
	}
	counted := &counter{ctx: ctx, r: io.LimitReader(h, f.Size), total: read}
	if !f.Gzip {
		return &Stream{Reader: counted, handle: h, in: counted}, nil
	}
	z, err := gzip.NewReader(bufio.NewReaderSize(counted, 1<<16))
	if err != nil {
		return nil, errors.Join(&DamagedError{Err: err}, h.Close())
	}
	return &Stream{Reader: &guard{r: z, in: counted}, handle: h, in: counted, packed: true}, nil
}

// DamagedError says that compressed data ends early or does not match its checksum.
type DamagedError struct{ Err error }

// Error implements error.
func (e *DamagedError) Error() string { return e.Err.Error() }

// Unwrap returns what went wrong.
func (e *DamagedError) Unwrap() error { return e.Err }

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
	switch {
	case err == io.EOF: // this very error: one that wraps it tells of a stream that ended too early
		return n, io.EOF
	case err != nil:
		return n, g.broken(err)
	case g.out > freeBytes && g.out/maxRatio > g.in.n || g.out >= 1<<offsetBits:
		return n, g.broken(ErrBomb)
	case n == 0:
		return 0, g.in.ctx.Err()
	}
	return n, nil
}

// broken says why a stream went wrong: the context's end first.
func (g *guard) broken(err error) error {
	if ctxErr := g.in.ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	return &DamagedError{Err: err}
}
