package files

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"sync/atomic"
)

// prove reads a compressed file once to learn how much of it its checksums prove: every member up to the first that is cut or damaged. Of that one nothing
// is believed: a single wrong bit makes other keys and amounts of what follows, in lines that look sound. A second call returns what the first has found.
func (s *Set) prove(ctx context.Context, f *File, read *atomic.Int64) (err error) {
	if f.known {
		if read != nil {
			read.Add(f.Size) // Total counts both readings
		}
		return nil
	}
	h, err := s.opener.checked(f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	counted := &counter{ctx: ctx, r: io.LimitReader(h, f.Size), total: read}
	proved, damage := members(counted)
	if err := ctx.Err(); err != nil {
		return err
	}
	if damage == nil && counted.n < f.Size {
		return Changed(f.Name)
	}
	f.known, f.proved, f.damage = true, proved, damage
	return nil
}

// members reads gzip members to their end. It returns how many bytes the sound ones expand to, and why it did not come to the end.
func members(in *counter) (proved int64, damage error) {
	buffered := bufio.NewReaderSize(in, 1<<16)
	z, err := gzip.NewReader(buffered)
	if err != nil {
		return 0, &DamagedError{Err: err}
	}
	g := &guard{r: z, in: in}
	for {
		z.Multistream(false)
		if _, err := io.Copy(io.Discard, g); err != nil {
			return proved, err
		}
		proved = g.out
		switch err := z.Reset(buffered); {
		case errors.Is(err, io.EOF):
			return proved, nil
		case err != nil:
			return proved, &DamagedError{Err: err}
		}
	}
}

// prefix is a stream that ends with an error where its limited reader ends.
type prefix struct {
	r    io.Reader
	then error
}

func (p *prefix) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	if err == io.EOF {
		err = p.then
	}
	return n, err
}
