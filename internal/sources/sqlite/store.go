// Package sqlite reads SQLite databases as they stand, without touching them.
//
// A Store is one database file, or one readable SQL text, in one consistent state that all its tables share. How the file is opened follows from what lies
// beside it (see way.go); every way is chosen so that the right rows are read and nothing is written to the source or its folder, not even the two files
// that a plain read-only connection leaves beside a database in WAL mode.
//
// It never interprets a value: no declared type turns a text into a time, no cell is rounded, all bytes of a text are handed over. It never reads through
// damage: the file's structure is checked before the first row.
//
// Invariants: a source's path reaches the library only percent-encoded, and only after this package looked at the file itself. The file is not opened by
// the operating system's calls once the library has it open, because closing any descriptor drops all of the process's locks on it; for the same reason
// one process opens one Store per file. Each table has its own connection, so tables may be scanned by different goroutines at once.
package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/sources/sqlite/engine"
)

// Store is one opened database.
type Store struct {
	shown    string // the path as the caller wrote it, for messages
	way      Way
	uri      string
	source   source           // what the file looked like before it was opened; zero for a script
	hold     *engine.Conn     // keeps the snapshot or the lock while the store is open
	snapshot *engine.Snapshot // Live only
	private  string           // the private folder, "" when there is none
	notes    []string

	mu     sync.Mutex
	tables []*table
}

// errMoving means that two files did not stand still while they were copied.
var errMoving = errors.New("the files are being written")

// OpenStore opens the database file at path. Private copies go below tempDir, "" for the system's. The errors are those of package rows, with hints.
func OpenStore(ctx context.Context, path, tempDir string) (*Store, error) {
	return OpenNamed(ctx, path, path, tempDir)
}

// OpenNamed is OpenStore of a file that is called shown in errors.
func OpenNamed(ctx context.Context, path, shown, tempDir string) (*Store, error) {
	o := opener{path: path, shown: shown, tempDir: tempDir, patience: patience, copyBelow: copyBelow}
	return o.open(ctx)
}

// Way is how the database is read.
func (s *Store) Way() Way { return s.way }

// Notes says for the run record how the database is read, and whether anything beside it may be touched.
func (s *Store) Notes() []string { return append([]string(nil), s.notes...) }

// Detach says that no more tables will be opened: a private copy loses its name at once, so that nothing is left behind whatever happens to the process.
// Where the system cannot remove a file that is open, Close does.
func (s *Store) Detach() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.private == "" {
		return nil
	}
	if err := os.RemoveAll(s.private); err != nil { //nolint:gosec // G703: made by MkdirTemp
		return fmt.Errorf("removing the private copy of %s: %w", s.shown, err)
	}
	s.private = ""
	s.uri = ""
	return nil
}

// Close closes all tables, releases the snapshot and removes the private copy. That the source has changed by now is no error: each pass over a table looks
// for that at its end, and says so itself.
func (s *Store) Close() error {
	s.mu.Lock()
	open := s.tables
	s.tables = nil
	s.mu.Unlock()
	var errs []error
	for _, t := range open {
		errs = append(errs, t.release())
	}
	if s.hold != nil {
		s.snapshot.Free(s.hold)
		errs = append(errs, s.hold.Close())
		s.hold = nil
	}
	errs = append(errs, s.Detach())
	return errors.Join(errs...)
}

// unchanged compares the file with what it was before it was opened, where no lock keeps writers away.
func (s *Store) unchanged() error {
	if s.way != Immutable {
		return nil
	}
	now, err := s.source.again()
	if err != nil {
		return err
	}
	if now != s.source.face {
		return hinted(hintChanged, "%s: %w", s.shown, rows.ErrChanged)
	}
	return nil
}

// connect opens one more connection onto the state that the store holds.
func (s *Store) connect() (*engine.Conn, error) {
	if s.uri == "" {
		return nil, fmt.Errorf("%s: the store was detached: no more tables can be opened", s.shown)
	}
	c, err := engine.OpenReadOnly(s.uri)
	if err != nil {
		return nil, explain(s.shown, err)
	}
	if err := s.join(c); err != nil {
		return nil, errors.Join(explain(s.shown, err), c.Close())
	}
	return c, nil
}

func (s *Store) join(c *engine.Conn) error {
	if err := c.Harden(); err != nil {
		return err
	}
	switch s.way {
	case Live:
		// The library opens a snapshot only on a connection that has seen that the database is in WAL mode.
		if err := touch(c); err != nil {
			return err
		}
		if err := c.BeginAt(s.snapshot); err != nil {
			return err
		}
	case Locked:
		if err := begin(c); err != nil {
			return err
		}
	case Immutable, Copied, Loaded:
	}
	return c.GuardReader()
}

// touch makes the connection read the file's first page.
func touch(c *engine.Conn) error {
	_, err := c.Text("PRAGMA schema_version")
	return err
}

// begin starts a read transaction and reads, which is when the library takes the lock.
func begin(c *engine.Conn) error {
	if err := c.Exec("BEGIN"); err != nil {
		return err
	}
	return touch(c)
}
