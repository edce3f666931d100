package sqlite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/sources/sqlite/engine"
)

// Way is how a database is read.
type Way uint8

// The ways.
const (
	// Immutable reads the file without locks: it is in WAL mode, but no writer has it open.
	Immutable Way = iota
	// Live shares one snapshot of a database in WAL mode that may be written meanwhile.
	Live
	// Copied reads a private copy.
	Copied
	// Locked holds a shared lock on a database without WAL that is too large to be copied.
	Locked
	// Loaded reads a private database made from SQL text.
	Loaded
)

func (w Way) String() string {
	switch w {
	case Immutable:
		return "immutable"
	case Live:
		return "live"
	case Copied:
		return "copied"
	case Locked:
		return "locked"
	case Loaded:
		return "loaded"
	default:
		return "unknown"
	}
}

const (
	// patience is how long a writer's lock is waited for: long enough for a commit, too short to be taken for a hang.
	patience = 2 * time.Second
	pause    = 20 * time.Millisecond

	// copyBelow is the size from which on a copy costs more than making writers wait.
	copyBelow = 1 << 30

	attempts = 3
)

// opener carries what opening needs; tests choose the limits.
type opener struct {
	path      string // "" = shown
	shown     string // what the file is called in errors
	tempDir   string
	patience  time.Duration
	copyBelow int64
}

// open examines the file and chooses the way, again when the file changed under its hands.
func (o opener) open(ctx context.Context) (*Store, error) {
	var err error
	for range attempts {
		var s *Store
		if s, err = o.once(ctx); err == nil {
			return s, nil
		}
		if !errors.Is(err, rows.ErrChanged) {
			break
		}
	}
	return nil, err
}

func (o opener) once(ctx context.Context) (*Store, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	src, err := examine(cmp.Or(o.path, o.shown), o.shown)
	if err != nil {
		return nil, err
	}
	s := &Store{shown: o.shown, source: src}
	if err := o.choose(ctx, s); err != nil {
		return nil, errors.Join(err, s.abandon())
	}
	if err := s.check(ctx); err != nil {
		return nil, errors.Join(err, s.abandon())
	}
	if mayWrite(src.path) {
		s.notes = append(s.notes, "this user may write to the file: reading needs no more than the right to read")
	}
	return s, nil
}

// mayWrite reports whether this process could write to a file, which it never does.
func mayWrite(path string) bool {
	const write = 2 // W_OK
	return syscall.Access(path, write) == nil
}

// choose opens the source in the one way that is right for what lies beside it.
func (o opener) choose(ctx context.Context, s *Store) error {
	wal, err := sizeOf(s.source.path + "-wal")
	if err != nil {
		return err
	}
	shm, err := sizeOf(s.source.path + "-shm")
	if err != nil {
		return err
	}
	if wal > 0 || s.source.wal {
		// A rollback journal beside a database in WAL mode is what a crash while the mode was switched leaves.
		if hot, err := journalHot(s.source.path + "-journal"); err != nil || hot {
			return errors.Join(err, hinted(hintHot, "%s: %w", o.shown, rows.ErrHot))
		}
	}
	shared := false
	if wal > 0 && shm > 0 {
		if shared, err = attended(s.source.path + "-shm"); err != nil {
			return err
		}
	}
	switch {
	case shared:
		return o.live(ctx, s)
	case wal > 0:
		return o.copyPair(ctx, s)
	case s.source.wal:
		return o.immutable(s)
	default:
		return o.rollback(ctx, s)
	}
}

// journalHot looks whether a rollback journal holds a header: a finished transaction removes it, empties it or overwrites it with zeros.
func journalHot(path string) (bool, error) {
	size, err := sizeOf(path)
	if err != nil || size <= 0 {
		return false, err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return false, err
	}
	f, err := openSame(path, info)
	if err != nil {
		return false, err
	}
	first := make([]byte, 1)
	_, err = f.Read(first)
	return first[0] != 0, errors.Join(err, f.Close())
}

func (o opener) immutable(s *Store) error {
	s.way = Immutable
	s.uri = fileURI(s.source.path, "mode=ro&immutable=1")
	s.notes = append(s.notes, "read in place without locks (WAL mode, no writer): checked for changes after each pass; nothing beside it touched")
	return s.keep()
}

// live pins one snapshot. The -shm is opened for reading only, so the library cannot create one that went away meanwhile, nor change its read marks.
func (o opener) live(ctx context.Context, s *Store) error {
	s.way = Live
	s.uri = fileURI(s.source.path, "mode=ro&readonly_shm=1")
	err := o.patiently(ctx, func() error { return s.pin() })
	if err == nil {
		s.notes = append(s.notes, "read in place in one snapshot (WAL mode): -shm only read; the -wal may grow until the scan ends")
		return nil
	}
	if ctx.Err() != nil || errors.Is(err, rows.ErrLocked) || engine.IsDamage(err) || engine.IsNotDatabase(err) {
		return explain(o.shown, err)
	}
	// The writer has left meanwhile: then the two files themselves are all there is.
	return o.copyPair(ctx, s)
}

// pin opens the holding connection and makes it read a snapshot by name: unlike a plain read, that keeps the log from being started anew.
func (s *Store) pin() (err error) {
	c, err := engine.OpenReadOnly(s.uri)
	if err != nil {
		return err
	}
	var snapshot *engine.Snapshot
	defer func() {
		if err != nil {
			snapshot.Free(c)
			err = errors.Join(err, c.Close())
		}
	}()
	if err := c.Harden(); err != nil {
		return err
	}
	if err := begin(c); err != nil {
		return err
	}
	if snapshot, err = c.Snapshot(); err != nil {
		return err
	}
	if err := c.Exec("ROLLBACK"); err != nil {
		return err
	}
	if err := c.BeginAt(snapshot); err != nil {
		return err
	}
	s.hold, s.snapshot = c, snapshot
	return nil
}

// rollback reads a database without WAL: from a copy made while the writer waits a few milliseconds at a time, or under a lock when it is large.
func (o opener) rollback(ctx context.Context, s *Store) error {
	s.uri = fileURI(s.source.path, "mode=ro")
	s.way = Locked
	c, err := engine.OpenReadOnly(s.uri)
	if err != nil {
		return explain(o.shown, err)
	}
	s.hold = c
	if err := c.Harden(); err != nil {
		return explain(o.shown, err)
	}
	if s.source.size < o.copyBelow {
		return o.copyByBackup(ctx, s)
	}
	if err := c.Exec("BEGIN"); err != nil {
		return explain(o.shown, err)
	}
	if err := o.patiently(ctx, func() error { return touch(c) }); err != nil {
		return explain(o.shown, err)
	}
	s.notes = append(s.notes, fmt.Sprintf("read in place under a shared lock (%d MiB, no WAL): writers wait until the scan ends", s.source.size>>20))
	return nil
}

// patiently repeats try while another connection's lock is in the way.
func (o opener) patiently(ctx context.Context, try func() error) error {
	limit, cancel := context.WithTimeout(ctx, o.patience)
	defer cancel()
	for {
		err := try()
		if !engine.IsBusy(err) && !engine.IsStale(err) && !errors.Is(err, errMoving) {
			return err
		}
		rest, wake := context.WithTimeout(limit, pause)
		<-rest.Done()
		wake()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if limit.Err() != nil {
			return hinted(hintLocked, "%s: %w for %v: %w", o.shown, rows.ErrLocked, o.patience, err)
		}
	}
}

// keep opens the holding connection of a way that needs no lock.
func (s *Store) keep() error {
	c, err := engine.OpenReadOnly(s.uri)
	if err != nil {
		return explain(s.shown, err)
	}
	s.hold = c
	return explain(s.shown, c.Harden())
}

// abandon is Close for a store that never came to be.
func (s *Store) abandon() error { return s.Close() }

// check looks at the structure of the whole database before anything is believed of it.
func (s *Store) check(ctx context.Context) error {
	release := s.hold.Watch(ctx)
	defer release()
	found, err := s.hold.Text("PRAGMA quick_check(1)")
	if ctx.Err() != nil {
		return ctx.Err()
	}
	// A file that is written without locks around it looks damaged.
	if changed := s.unchanged(); changed != nil {
		return changed
	}
	if err != nil {
		return explain(s.shown, err)
	}
	if found != "ok" {
		return damaged(s.shown, found)
	}
	return explain(s.shown, s.hold.GuardReader())
}
