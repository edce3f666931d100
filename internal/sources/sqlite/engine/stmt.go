package engine

import (
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// Type is the storage class of a column in the current row.
type Type int32

// The storage classes.
const (
	Integer Type = sqlite3.SQLITE_INTEGER
	Float   Type = sqlite3.SQLITE_FLOAT
	String  Type = sqlite3.SQLITE_TEXT
	Bytes   Type = sqlite3.SQLITE_BLOB
	Null    Type = sqlite3.SQLITE_NULL
)

// Stmt is one prepared statement.
type Stmt struct {
	c   *Conn
	p   uintptr
	sql string
}

// Prepare compiles the first statement of sql and refuses a second one.
func (c *Conn) Prepare(sql string) (*Stmt, error) {
	s, rest, err := c.PrepareFirst(sql)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return nil, &Error{Code: sqlite3.SQLITE_MISUSE, Text: "no statement", Offset: -1}
	}
	if rest == "" {
		return s, nil
	}
	// White space and comments may follow; anything that compiles, or fails to, may not.
	second, _, err := c.PrepareFirst(rest)
	if second == nil && err == nil {
		return s, nil
	}
	second.Close()
	s.Close()
	if err == nil {
		err = &Error{Code: sqlite3.SQLITE_MISUSE, Text: "more than one statement", Offset: len(sql) - len(rest)}
	}
	return nil, err
}

// PrepareFirst compiles the first statement of sql and returns the text after it; the statement is nil when sql holds only white space and comments.
func (c *Conn) PrepareFirst(sql string) (s *Stmt, rest string, err error) {
	text, err := libc.CString(sql)
	if err != nil {
		return nil, "", errMemory
	}
	defer libc.Xfree(c.tls, text)

	out := c.tls.Alloc(2 * pointerSize)
	defer c.tls.Free(2 * pointerSize)
	tail := out + uintptr(pointerSize)
	rc := sqlite3.Xsqlite3_prepare_v3(c.tls, c.db, text, -1, 0, out, tail)
	if rc != sqlite3.SQLITE_OK {
		return nil, "", c.failure(rc)
	}
	rest = sql[*(*uintptr)(pointer(tail))-text:]
	p := *(*uintptr)(pointer(out))
	if p == 0 {
		return nil, rest, nil
	}
	return &Stmt{c: c, p: p, sql: sql[:len(sql)-len(rest)]}, rest, nil
}

// Step goes to the next row; false means that there is none.
func (s *Stmt) Step() (bool, error) {
	switch rc := sqlite3.Xsqlite3_step(s.c.tls, s.p); rc {
	case sqlite3.SQLITE_ROW:
		return true, nil
	case sqlite3.SQLITE_DONE:
		return false, nil
	default:
		return false, s.c.failure(rc)
	}
}

// Run steps through all rows and closes the statement.
func (s *Stmt) Run() error {
	for {
		more, err := s.Step()
		if err != nil || !more {
			s.Close()
			return err
		}
	}
}

// Reset makes the statement ready to run again. The error of the last Step, which the library repeats here, was returned by Step.
func (s *Stmt) Reset() { sqlite3.Xsqlite3_reset(s.c.tls, s.p) }

// Close releases the statement; of none it does nothing. It has no error of its own: the library repeats here that of the last Step, which Step returned.
func (s *Stmt) Close() {
	if s != nil && s.p != 0 {
		sqlite3.Xsqlite3_finalize(s.c.tls, s.p)
		s.p = 0
	}
}

// BindInt sets the i-th parameter, counted from 1.
func (s *Stmt) BindInt(i int, v int64) error {
	if rc := sqlite3.Xsqlite3_bind_int64(s.c.tls, s.p, int32(i), v); rc != sqlite3.SQLITE_OK {
		return s.c.failure(rc)
	}
	return nil
}

// BindText sets the i-th parameter, counted from 1.
func (s *Stmt) BindText(i int, v string) error {
	text, err := libc.CString(v)
	if err != nil {
		return errMemory
	}
	defer libc.Xfree(s.c.tls, text)
	rc := sqlite3.Xsqlite3_bind_text(s.c.tls, s.p, int32(i), text, int32(len(v)), sqlite3.SQLITE_TRANSIENT)
	if rc != sqlite3.SQLITE_OK {
		return s.c.failure(rc)
	}
	return nil
}

// Columns is the number of columns, 0 for a statement that returns no rows.
func (s *Stmt) Columns() int { return int(sqlite3.Xsqlite3_column_count(s.c.tls, s.p)) }

// Name is the i-th column's name, counted from 0.
func (s *Stmt) Name(i int) string {
	return libc.GoString(sqlite3.Xsqlite3_column_name(s.c.tls, s.p, int32(i)))
}

// Declared is the i-th column's declared type, "" for an expression.
func (s *Stmt) Declared(i int) string {
	return libc.GoString(sqlite3.Xsqlite3_column_decltype(s.c.tls, s.p, int32(i)))
}

// SQL is the text of the statement, up to and with its semicolon.
func (s *Stmt) SQL() string { return s.sql }

// ReadOnly reports that the statement changes nothing.
func (s *Stmt) ReadOnly() bool { return sqlite3.Xsqlite3_stmt_readonly(s.c.tls, s.p) != 0 }

// Type is the storage class of the i-th column of the current row.
func (s *Stmt) Type(i int) Type {
	return Type(sqlite3.Xsqlite3_column_type(s.c.tls, s.p, int32(i)))
}

// Int is the i-th column as an integer.
func (s *Stmt) Int(i int) int64 {
	return sqlite3.Xsqlite3_column_int64(s.c.tls, s.p, int32(i))
}

// Float is the i-th column as a double.
func (s *Stmt) Float(i int) float64 {
	return sqlite3.Xsqlite3_column_double(s.c.tls, s.p, int32(i))
}

// Text views the i-th column as UTF-8 text: all bytes, also NUL and invalid ones.
func (s *Stmt) Text(i int) []byte {
	p := sqlite3.Xsqlite3_column_text(s.c.tls, s.p, int32(i))
	return s.view(p, i)
}

// Blob views the i-th column's bytes.
func (s *Stmt) Blob(i int) []byte {
	p := sqlite3.Xsqlite3_column_blob(s.c.tls, s.p, int32(i))
	return s.view(p, i)
}

// view is an empty, not nil, slice for an empty value: a value is there.
func (s *Stmt) view(p uintptr, i int) []byte {
	n := sqlite3.Xsqlite3_column_bytes(s.c.tls, s.p, int32(i))
	if p == 0 || n <= 0 {
		return []byte{}
	}
	return unsafe.Slice((*byte)(pointer(p)), n) //nolint:gosec // G103: the library's memory, so that a row costs no allocation
}
