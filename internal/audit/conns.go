package audit

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

const (
	// writing: WAL with FULL loses no acknowledged commit, and needs one fsync for it.
	writing = "mode=rw&_txlock=immediate&_busy_timeout=5000&_journal_mode=wal&_synchronous=full&_foreign_keys=1&_defensive=1&_dqs=0&_pragma=trusted_schema(0)&_pragma=cell_size_check(1)"
	reading = "mode=ro&_busy_timeout=5000&_query_only=1&_defensive=1&_dqs=0&_pragma=trusted_schema(0)&_pragma=cell_size_check(1)"
	// still is for a file that nobody can change, with nothing in a -wal: SQLite takes no lock and makes nothing beside it.
	still = reading + "&immutable=1"
	// readers is how many lists may be read at once.
	readers = 4
)

// conns are the connections to one file: one that writes, and some that read.
type conns struct{ write, read *sql.DB }

// querier reads; *sql.Conn, *sql.DB and *sql.Tx are queriers.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// connect opens the file for appending and reading. Nothing is read yet.
func connect(s site) (*conns, error) {
	c, err := connectReading(s, reading)
	if err != nil {
		return nil, err
	}
	if c.write, err = sql.Open(engine, s.uri(writing)); err != nil {
		return nil, errors.Join(err, c.close())
	}
	c.write.SetMaxOpenConns(1)
	return c, nil
}

// connectReading opens the file for reading, in one of the two ways.
func connectReading(s site, how string) (*conns, error) {
	read, err := sql.Open(engine, s.uri(how))
	if err != nil {
		return nil, err
	}
	read.SetMaxOpenConns(readers)
	return &conns{read: read}, nil
}

// unshared reports whether SQLite could not make what it needs beside the file to read it together with writers.
func unshared(err error) bool {
	code := primary(err)
	return code == sqlite3.SQLITE_CANTOPEN || code == sqlite3.SQLITE_READONLY
}

// close closes readers first: the last to close cleans up, and a reader cannot.
func (c *conns) close() error {
	var err error
	if c.read != nil {
		err = c.read.Close()
	}
	if c.write != nil {
		err = errors.Join(err, c.write.Close())
	}
	return err
}

// snapshot runs f on one connection in one read transaction, so that all it reads is of one moment.
func (c *conns) snapshot(ctx context.Context, f func(q querier) error) error {
	tx, err := c.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	err = f(tx)
	if e := tx.Rollback(); err == nil && e != nil && ctx.Err() == nil {
		err = e
	}
	return err
}

// primary is the primary result code of SQLite, 0 where err is none of its errors.
func primary(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

// damage reports whether err says that the file's bytes are not what SQLite wrote.
func damage(err error) bool {
	switch primary(err) {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_MISMATCH, sqlite3.SQLITE_ERROR:
		return true
	}
	var fault *faultError
	return errors.As(err, &fault)
}

// busy reports whether SQLite gave up waiting for another connection before anything was changed.
func busy(err error) bool {
	code := primary(err)
	return code == sqlite3.SQLITE_BUSY || code == sqlite3.SQLITE_LOCKED
}

// torn reports whether a connection failed before anything was committed, in a way that a new one may not.
func torn(err error) bool {
	code := primary(err)
	return code == sqlite3.SQLITE_IOERR || code == sqlite3.SQLITE_PROTOCOL
}

// faultError is a row that is not what was written.
type faultError struct{ Fault }

func (e *faultError) Error() string { return e.Where + ": " + e.What }

func faultf(where, format string, a ...any) error {
	return &faultError{Fault{where, fmt.Sprintf(format, a...)}}
}
