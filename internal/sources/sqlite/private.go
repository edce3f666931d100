package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"example.com/idemctl/internal/sources/sqlite/engine"
)

const (
	pagesAStep  = 1000 // 4 MB of usual pages: a few milliseconds for which a writer waits
	maxRestarts = 3    // then the writer waits for the whole copy
	chunk       = 1 << 20
)

// folder makes the private folder of the store, which only this user can enter, and returns the path for a database in it.
func (o opener) folder(s *Store) (string, error) {
	dir, err := os.MkdirTemp(o.tempDir, "idemctl-source-*")
	if err != nil {
		return "", fmt.Errorf("making a private folder: %w", err)
	}
	s.private = dir
	dir, err = filepath.EvalSymlinks(dir)
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return "", fmt.Errorf("finding the private folder: %w", err)
	}
	return filepath.Join(dir, "private.db"), nil
}

// becomePrivate makes the store read the database at path, which nobody else knows and nobody writes any more.
func (s *Store) becomePrivate(path string, way Way) error {
	s.way = way
	s.uri = fileURI(path, "mode=ro&immutable=1")
	return s.keep()
}

// openPrivate opens a database at path that is written once: a crash in between leaves nothing that anyone would read.
func openPrivate(path string) (*engine.Conn, error) {
	c, err := engine.OpenPrivate(fileURI(path, "mode=rwc"))
	if err != nil {
		return nil, err
	}
	for _, setting := range []string{"PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF"} {
		if err := c.Exec(setting); err != nil {
			return nil, errors.Join(err, c.Close())
		}
	}
	return c, nil
}

// copyByBackup copies what the holding connection sees, and then reads the copy.
func (o opener) copyByBackup(ctx context.Context, s *Store) error {
	path, err := o.folder(s)
	if err != nil {
		return err
	}
	to, err := openPrivate(path)
	if err != nil {
		return fmt.Errorf("copying %s: %w", o.shown, err)
	}
	err = o.backup(ctx, s.hold, to)
	if err = errors.Join(err, to.Close()); err != nil {
		return explain(o.shown, err)
	}
	err = s.hold.Close()
	s.hold = nil
	if err != nil {
		return explain(o.shown, err)
	}
	s.notes = append(s.notes, "read from a private copy made page by page while the service could write; nothing beside it touched")
	return s.becomePrivate(path, Copied)
}

func (o opener) backup(ctx context.Context, from, to *engine.Conn) error {
	// The first read tells a crashed writer's journal, a lock and a file that is no database apart; the copy itself would not.
	if err := o.patiently(ctx, func() error { return touch(from) }); err != nil {
		return err
	}
	b, err := engine.NewBackup(from, to)
	if err != nil {
		return err
	}
	defer b.Close()
	copied, restarts := 0, 0
	for done := false; !done; {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := o.patiently(ctx, func() (err error) {
			done, err = b.Step(pagesAStep)
			return err
		})
		if err != nil {
			return err
		}
		if now := b.Copied(); now > copied {
			copied = now
			continue
		}
		copied = 0
		if restarts++; restarts == maxRestarts && !done {
			// The service writes faster than we copy: a read transaction makes it wait until the copy is whole.
			if err := o.patiently(ctx, func() error { return hold(from) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// hold starts a read transaction, or leaves none behind.
func hold(c *engine.Conn) error {
	err := begin(c)
	if err != nil {
		return errors.Join(err, c.Exec("ROLLBACK"))
	}
	return nil
}

// copyPair copies the database and its -wal as files and lets the library join them in the private folder. Both must have stood still meanwhile.
func (o opener) copyPair(ctx context.Context, s *Store) error {
	path, err := o.folder(s)
	if err != nil {
		return err
	}
	err = o.patiently(ctx, func() error { return s.copyStill(ctx, path) })
	if err != nil {
		return unreachable(o.shown, err)
	}
	c, err := engine.OpenPrivate(fileURI(path, "mode=rw"))
	if err != nil {
		return explain(o.shown, err)
	}
	_, err = c.Text("PRAGMA wal_checkpoint(TRUNCATE)")
	if err = errors.Join(err, c.Close()); err != nil {
		return explain(o.shown, err)
	}
	s.notes = append(s.notes, "read from a private copy of the database and its -wal, joined there (no writer to share a snapshot with); nothing beside it touched")
	return s.becomePrivate(path, Copied)
}

func (s *Store) copyStill(ctx context.Context, path string) error {
	before, err := stillness(s.source.path)
	if err != nil {
		return err
	}
	for _, suffix := range []string{"-wal", ""} {
		if err := copyFile(ctx, s.source.path+suffix, path+suffix); err != nil {
			return err
		}
	}
	after, err := stillness(s.source.path)
	if err != nil {
		return err
	}
	if before != after {
		return errMoving
	}
	return nil
}

// stillness is the faces of the database and its -wal.
func stillness(path string) ([2]face, error) {
	var faces [2]face
	for i, suffix := range []string{"", "-wal"} {
		f, err := (&source{path: path + suffix}).again()
		if err != nil {
			return faces, err
		}
		faces[i] = f
	}
	return faces, nil
}

func copyFile(ctx context.Context, from, to string) (err error) {
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	in, err := openSame(from, info)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		_, err := io.CopyN(out, in, chunk)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
