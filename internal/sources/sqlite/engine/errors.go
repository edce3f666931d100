package engine

import (
	"errors"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// Error is a result of the library that is not success.
type Error struct {
	Code   int32 // the extended result code
	Text   string
	Offset int // byte offset into the SQL that was prepared, -1 when not known
}

func (e *Error) Error() string { return e.Text }

func (c *Conn) failure(rc int32) error {
	if c.db == 0 {
		return &Error{Code: rc, Text: describe(c.tls, rc), Offset: -1}
	}
	return &Error{
		Code:   rc,
		Text:   libc.GoString(sqlite3.Xsqlite3_errmsg(c.tls, c.db)),
		Offset: int(sqlite3.Xsqlite3_error_offset(c.tls, c.db)),
	}
}

func describe(tls *libc.TLS, rc int32) string { return libc.GoString(sqlite3.Xsqlite3_errstr(tls, rc)) }

func primary(err error) int32 {
	var e *Error
	if !errors.As(err, &e) {
		return sqlite3.SQLITE_OK
	}
	return e.Code & 0xff
}

// IsBusy reports that another connection's lock stands in the way.
func IsBusy(err error) bool {
	p := primary(err)
	return p == sqlite3.SQLITE_BUSY || p == sqlite3.SQLITE_LOCKED || p == sqlite3.SQLITE_PROTOCOL
}

// IsDamage reports that the file's bytes contradict each other.
func IsDamage(err error) bool { return primary(err) == sqlite3.SQLITE_CORRUPT }

// IsNotDatabase reports that the file is no SQLite database, or one of a later format.
func IsNotDatabase(err error) bool { return primary(err) == sqlite3.SQLITE_NOTADB }

// IsInterrupt reports that Interrupt ended the statement.
func IsInterrupt(err error) bool { return primary(err) == sqlite3.SQLITE_INTERRUPT }

// IsTooBig reports that a value exceeded the length limit.
func IsTooBig(err error) bool { return primary(err) == sqlite3.SQLITE_TOOBIG }

// IsForbidden reports that the guard refused the statement.
func IsForbidden(err error) bool { return primary(err) == sqlite3.SQLITE_AUTH }

// IsHotJournal reports that a crashed writer's journal would have to be rolled back first, which a read-only connection cannot do.
func IsHotJournal(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == sqlite3.SQLITE_READONLY_ROLLBACK
}

// IsStale reports that a snapshot can no longer be opened, because the log was started anew.
func IsStale(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == sqlite3.SQLITE_ERROR_SNAPSHOT
}
