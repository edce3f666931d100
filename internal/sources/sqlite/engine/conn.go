// Package engine is the thin layer over the SQLite library that the adapter reads through: connections, statements, column views, copies and snapshots.
//
// It calls the library's C-shaped functions directly, because database/sql costs several times a plain read loop and turns declared dates into times.
// It never decides how a file may be opened (its importer does), never writes to anything but a database that Create or Backup was given, and keeps no
// state of its own beyond its connections.
//
// Invariants: a Conn and what it prepared belong to one goroutine at a time (the library runs without mutexes), except Interrupt, which any goroutine may
// call; what a column view shows is the library's memory, valid until the next Step, Reset or Close.
package engine

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

const (
	pointerSize = int(unsafe.Sizeof(uintptr(0)))

	// pollOps is how many virtual machine steps pass between two looks at the stop flag: well below a millisecond, and too rare to be measured.
	pollOps = 4096
)

var errMemory = errors.New("out of memory")

// Conn is one connection.
type Conn struct {
	tls  *libc.TLS
	db   uintptr
	main uintptr // "main" as a C string
	stop uintptr // an int32 in C memory that the progress handler reads; Interrupt sets it

	mu     sync.Mutex // Interrupt against Close
	closed bool
}

// OpenReadOnly opens the database at a file: URI for reading; a path with a symbolic link in it is refused.
func OpenReadOnly(uri string) (*Conn, error) {
	return open(uri, sqlite3.SQLITE_OPEN_READONLY|sqlite3.SQLITE_OPEN_NOFOLLOW)
}

// OpenPrivate opens, or creates, a database that this process owns for writing.
func OpenPrivate(uri string) (*Conn, error) {
	return open(uri, sqlite3.SQLITE_OPEN_READWRITE|sqlite3.SQLITE_OPEN_CREATE)
}

func open(uri string, flags int32) (*Conn, error) {
	c := &Conn{tls: libc.NewTLS()}
	name, err := libc.CString(uri)
	if err != nil {
		c.tls.Close()
		return nil, errMemory
	}
	defer libc.Xfree(c.tls, name)

	flags |= sqlite3.SQLITE_OPEN_URI | sqlite3.SQLITE_OPEN_NOMUTEX | sqlite3.SQLITE_OPEN_PRIVATECACHE | sqlite3.SQLITE_OPEN_EXRESCODE
	out := c.tls.Alloc(pointerSize)
	rc := sqlite3.Xsqlite3_open_v2(c.tls, name, out, flags, 0)
	c.db = *(*uintptr)(pointer(out))
	c.tls.Free(pointerSize)
	if rc != sqlite3.SQLITE_OK {
		err := c.failure(rc)
		return nil, errors.Join(err, c.Close())
	}
	c.main, err = libc.CString("main")
	if err != nil {
		return nil, errors.Join(errMemory, c.Close())
	}
	c.stop = libc.Xcalloc(c.tls, 1, 4)
	if c.stop == 0 {
		return nil, errors.Join(errMemory, c.Close())
	}
	sqlite3.Xsqlite3_progress_handler(c.tls, c.db, pollOps, callback(stopped), c.stop)
	return c, nil
}

// stopped is the progress handler: a set flag ends the statement. The library's own interrupt is lost when it comes between two statements; the flag is not.
func stopped(_ *libc.TLS, flag uintptr) int32 {
	return atomic.LoadInt32((*int32)(pointer(flag)))
}

// Interrupt ends the running statement, and every later one until Resume, with an error that IsInterrupt knows.
func (c *Conn) Interrupt() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	atomic.StoreInt32((*int32)(pointer(c.stop)), 1)
	// The connection's own tls belongs to the goroutine that runs the statement.
	tls := libc.NewTLS()
	defer tls.Close()
	sqlite3.Xsqlite3_interrupt(tls, c.db)
}

// Watch interrupts the connection when ctx ends, until the returned function is called; that function makes the connection usable again.
func (c *Conn) Watch(ctx context.Context) (release func()) {
	done := make(chan struct{})
	cancel := context.AfterFunc(ctx, func() {
		defer close(done)
		c.Interrupt()
	})
	return func() {
		if !cancel() {
			<-done // an interrupt that came later would end whatever runs next
		}
		if !c.closed {
			atomic.StoreInt32((*int32)(pointer(c.stop)), 0)
		}
	}
}

// Exec runs SQL whose rows do not matter.
func (c *Conn) Exec(sql string) error {
	s, err := c.Prepare(sql)
	if err != nil {
		return err
	}
	return s.Run()
}

// Text runs SQL and returns the first column of its first row as text, "" when there is none.
func (c *Conn) Text(sql string) (string, error) {
	s, err := c.Prepare(sql)
	if err != nil {
		return "", err
	}
	defer s.Close()
	more, err := s.Step()
	if err != nil || !more {
		return "", err
	}
	return string(s.Text(0)), nil
}

// InTransaction reports that a transaction is open.
func (c *Conn) InTransaction() bool { return sqlite3.Xsqlite3_get_autocommit(c.tls, c.db) == 0 }

// Close releases the connection. Statements must be closed before.
func (c *Conn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	var err error
	if rc := sqlite3.Xsqlite3_close_v2(c.tls, c.db); rc != sqlite3.SQLITE_OK {
		err = &Error{Code: rc, Text: describe(c.tls, rc), Offset: -1}
	}
	libc.Xfree(c.tls, c.main)
	libc.Xfree(c.tls, c.stop)
	c.tls.Close()
	return err
}

// pointer views C memory. The library hands out addresses as integers; they never lie in memory that Go moves or frees, so viewing them as pointers is
// sound, and the detour over a pointer to the integer is what vet and checkptr accept for foreign memory.
func pointer(address uintptr) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&address)) //nolint:gosec // G103: foreign memory, see above
}

// callback is the library's representation of a C function pointer: the address of a top-level Go function's code word, which never moves.
func callback[F any](f F) uintptr {
	return *(*uintptr)(unsafe.Pointer(&struct{ f F }{f})) //nolint:gosec // G103: the translated library's documented calling convention
}
