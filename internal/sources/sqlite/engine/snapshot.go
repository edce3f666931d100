package engine

import (
	sqlite3 "modernc.org/sqlite/lib"
)

// Snapshot names one state of a database in WAL mode. It stays openable while some connection reads it.
type Snapshot struct{ p uintptr }

// Snapshot names the state that the connection's open read transaction sees.
func (c *Conn) Snapshot() (*Snapshot, error) {
	out := c.tls.Alloc(pointerSize)
	defer c.tls.Free(pointerSize)
	if rc := sqlite3.Xsqlite3_snapshot_get(c.tls, c.db, c.main, out); rc != sqlite3.SQLITE_OK {
		return nil, &Error{Code: rc, Text: describe(c.tls, rc), Offset: -1}
	}
	return &Snapshot{p: *(*uintptr)(pointer(out))}, nil
}

// BeginAt starts a read transaction that sees exactly s. The connection must have read the database before, and be in no transaction.
func (c *Conn) BeginAt(s *Snapshot) error {
	if err := c.Exec("BEGIN"); err != nil {
		return err
	}
	if rc := sqlite3.Xsqlite3_snapshot_open(c.tls, c.db, c.main, s.p); rc != sqlite3.SQLITE_OK {
		err := &Error{Code: rc, Text: describe(c.tls, rc), Offset: -1}
		_ = c.Exec("ROLLBACK") // the reason why it did not open is what matters
		return err
	}
	return nil
}

// Free releases s through c; connections that read it keep reading it.
func (s *Snapshot) Free(c *Conn) {
	if s != nil && s.p != 0 {
		sqlite3.Xsqlite3_snapshot_free(c.tls, s.p)
		s.p = 0
	}
}
