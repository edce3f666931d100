package scan

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
)

// pool is a set of partitions of fixed-size entries: each in memory up to its share of the budget, in an unlinked temporary file beyond it.
type pool struct {
	dir    string
	size   int   // bytes of an entry
	budget int64 // bytes that stay in memory, over all partitions
	parts  []part
}

type part struct {
	mu     sync.Mutex
	mem    []byte
	file   *os.File
	n      int64 // entries
	disk   int64 // bytes in file
	sorted bool
}

func newPool(dir string, size, parts int, budget int64) *pool {
	return &pool{dir: dir, size: size, budget: budget, parts: make([]part, parts)}
}

// add appends whole entries to a partition.
func (p *pool) add(i int, entries []byte) error {
	q := &p.parts[i]
	q.mu.Lock()
	defer q.mu.Unlock()
	q.n += int64(len(entries) / p.size)
	if share := p.budget / int64(len(p.parts)); int64(len(q.mem)+len(entries)) > share {
		if err := q.flush(p.dir); err != nil {
			return err
		}
		if int64(len(entries)) > share {
			return q.write(p.dir, entries)
		}
	}
	q.mem = append(q.mem, entries...)
	return nil
}

func (q *part) flush(dir string) error {
	if len(q.mem) == 0 {
		return nil
	}
	if err := q.write(dir, q.mem); err != nil {
		return err
	}
	q.mem = q.mem[:0]
	return nil
}

func (q *part) write(dir string, b []byte) error {
	if q.file == nil {
		f, err := unlinkedFile(dir)
		if err != nil {
			return err
		}
		q.file = f
	}
	if _, err := q.file.Write(b); err != nil {
		return fmt.Errorf("writing to the temporary folder: %w", err)
	}
	q.disk += int64(len(b))
	return nil
}

// unlinkedFile is a temporary file without a name: it is gone when it is closed, also when the process is killed.
func unlinkedFile(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, "idemctl-*")
	if err != nil {
		return nil, fmt.Errorf("making a temporary file: %w", err)
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, fmt.Errorf("making a temporary file: %w", errors.Join(err, f.Close()))
	}
	return f, nil
}

// load appends a partition's entries to buf, in the order in which they were added by each writer.
func (p *pool) load(i int, buf []byte) ([]byte, error) {
	q := &p.parts[i]
	buf = slices.Grow(buf, int(q.n)*p.size)
	n := len(buf)
	buf = buf[:n+int(q.disk)]
	if q.disk > 0 {
		if _, err := q.file.ReadAt(buf[n:], 0); err != nil {
			return nil, fmt.Errorf("reading back from the temporary folder: %w", err)
		}
	}
	return append(buf, q.mem...), nil
}

// store puts a partition's entries back in the order that the first pass over them found useful: later passes need not sort again.
func (p *pool) store(i int, b []byte) error {
	q := &p.parts[i]
	if q.disk > 0 {
		if _, err := q.file.WriteAt(b[:q.disk], 0); err != nil {
			return fmt.Errorf("writing to the temporary folder: %w", err)
		}
	}
	copy(q.mem, b[q.disk:])
	q.sorted = true
	return nil
}

// stream hands over a partition's entries in blocks of at most max bytes, for partitions that are too large to load.
func (p *pool) stream(i int, limit int, each func([]byte) error) error {
	q := &p.parts[i]
	limit -= limit % p.size
	buf := make([]byte, min(int64(limit), q.disk))
	for at := int64(0); at < q.disk; {
		n := min(int64(limit), q.disk-at)
		if _, err := q.file.ReadAt(buf[:n], at); err != nil && err != io.EOF { // ReadAt returns io.EOF itself
			return fmt.Errorf("reading back from the temporary folder: %w", err)
		}
		if err := each(buf[:n]); err != nil {
			return err
		}
		at += n
	}
	for b := q.mem; len(b) > 0; {
		n := min(limit, len(b))
		if err := each(b[:n]); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

func (p *pool) bytes(i int) int64 { return p.parts[i].n * int64(p.size) }

// close drops every partition.
func (p *pool) close() error {
	var err error
	for i := range p.parts {
		q := &p.parts[i]
		if q.file != nil {
			err = errors.Join(err, q.file.Close())
		}
		*q = part{}
	}
	return err
}

// writer gathers one goroutine's entries for a pool, so that partitions are locked once a block.
type writer struct {
	p    *pool
	bufs [][]byte
}

// blockEntries is how many entries a writer gathers per partition before it hands them over.
const blockEntries = 128

func (p *pool) writer() *writer { return &writer{p: p, bufs: make([][]byte, len(p.parts))} }

// entry returns room for one entry of the partition that a hash selects.
func (w *writer) entry(hash uint64) ([]byte, error) {
	i := int(hash % uint64(len(w.bufs)))
	if len(w.bufs[i]) >= blockEntries*w.p.size {
		if err := w.p.add(i, w.bufs[i]); err != nil {
			return nil, err
		}
		w.bufs[i] = w.bufs[i][:0]
	}
	n := len(w.bufs[i])
	if cap(w.bufs[i]) == 0 {
		w.bufs[i] = make([]byte, 0, blockEntries*w.p.size)
	}
	w.bufs[i] = w.bufs[i][:n+w.p.size]
	return w.bufs[i][n:], nil
}

func (w *writer) done() error {
	for i, b := range w.bufs {
		if len(b) > 0 {
			if err := w.p.add(i, b); err != nil {
				return err
			}
			w.bufs[i] = b[:0]
		}
	}
	return nil
}
