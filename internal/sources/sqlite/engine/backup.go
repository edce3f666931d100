package engine

import (
	sqlite3 "modernc.org/sqlite/lib"
)

// Backup copies one database into another, some pages at a time; between the steps other connections may write, which starts the copy again.
type Backup struct {
	from, to *Conn
	p        uintptr
}

// NewBackup prepares to replace what is in to by what is in from.
func NewBackup(from, to *Conn) (*Backup, error) {
	p := sqlite3.Xsqlite3_backup_init(from.tls, to.db, to.main, from.db, from.main)
	if p == 0 {
		return nil, to.failure(sqlite3.Xsqlite3_extended_errcode(to.tls, to.db))
	}
	return &Backup{from: from, to: to, p: p}, nil
}

// Step copies up to n pages; true means that all are copied.
func (b *Backup) Step(n int32) (bool, error) {
	switch rc := sqlite3.Xsqlite3_backup_step(b.from.tls, b.p, n); rc {
	case sqlite3.SQLITE_OK:
		return false, nil
	case sqlite3.SQLITE_DONE:
		return true, nil
	default:
		return false, &Error{Code: rc, Text: describe(b.from.tls, rc), Offset: -1}
	}
}

// Copied is how many pages stand in the copy as of the last step.
func (b *Backup) Copied() int {
	return int(sqlite3.Xsqlite3_backup_pagecount(b.from.tls, b.p) - sqlite3.Xsqlite3_backup_remaining(b.from.tls, b.p))
}

// Close ends the copy. Its error was returned by Step.
func (b *Backup) Close() {
	if b.p != 0 {
		sqlite3.Xsqlite3_backup_finish(b.from.tls, b.p)
		b.p = 0
	}
}
