package engine

import (
	"fmt"
	"strings"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// MaxLength is the longest value the library may make or load for a guarded connection, in bytes: a backstop behind the readers' own length checks.
const MaxLength = 64 << 20

// Limit sets the longest value, in bytes.
func (c *Conn) Limit(length int32) {
	sqlite3.Xsqlite3_limit(c.tls, c.db, sqlite3.SQLITE_LIMIT_LENGTH, length)
}

// Harden takes from the connection what a reader never needs: trust in the schema's functions, quoted names that turn into text, attached files,
// checkpoints, and cells that are believed without a look at their size.
func (c *Conn) Harden() error {
	for _, o := range []struct{ option, value int32 }{
		{sqlite3.SQLITE_DBCONFIG_DEFENSIVE, 1},
		{sqlite3.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
		{sqlite3.SQLITE_DBCONFIG_DQS_DML, 0},
		{sqlite3.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1},
	} {
		if err := c.config(o.option, o.value); err != nil {
			return err
		}
	}
	c.Limit(MaxLength)
	sqlite3.Xsqlite3_limit(c.tls, c.db, sqlite3.SQLITE_LIMIT_ATTACHED, 0)
	return c.Exec("PRAGMA cell_size_check = 1")
}

func (c *Conn) config(option, value int32) error {
	size := 2 * 8 // two variadic arguments of eight bytes each
	args := c.tls.Alloc(size)
	defer c.tls.Free(size)
	if rc := sqlite3.Xsqlite3_db_config(c.tls, c.db, option, libc.VaList(args, value, uintptr(0))); rc != sqlite3.SQLITE_OK {
		return fmt.Errorf("setting option %d: %w", option, c.failure(rc))
	}
	return nil
}

// GuardReader lets only reading statements compile from now on: no file is attached, created or written, no setting changed, nothing recursive run.
func (c *Conn) GuardReader() error {
	if err := c.Exec("PRAGMA query_only = 1"); err != nil {
		return err
	}
	return c.authorize(callback(allowReader))
}

// GuardScript lets only statements compile that create things in this database and insert rows.
func (c *Conn) GuardScript() error { return c.authorize(callback(allowScript)) }

func (c *Conn) authorize(f uintptr) error {
	if rc := sqlite3.Xsqlite3_set_authorizer(c.tls, c.db, f, 0); rc != sqlite3.SQLITE_OK {
		return c.failure(rc)
	}
	return nil
}

// readerPragmas answer questions about the schema and change nothing.
var readerPragmas = map[string]bool{"table_xinfo": true, "table_list": true, "index_list": true, "index_xinfo": true}

// scriptPragmas are what dumps contain.
var scriptPragmas = map[string]bool{"foreign_keys": true, "encoding": true, "user_version": true, "application_id": true, "defer_foreign_keys": true}

// forbiddenFunctions load code or make values of any size out of nothing.
var forbiddenFunctions = map[string]bool{"load_extension": true, "fts3_tokenizer": true, "randomblob": true, "zeroblob": true}

func allowReader(_ *libc.TLS, _ uintptr, action int32, first, second, _, _ uintptr) int32 {
	switch action {
	case sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_TRANSACTION:
		return sqlite3.SQLITE_OK
	case sqlite3.SQLITE_FUNCTION:
		return verdict(!forbiddenFunctions[lower(second)])
	case sqlite3.SQLITE_PRAGMA:
		return verdict(readerPragmas[lower(first)])
	default:
		return sqlite3.SQLITE_DENY
	}
}

func allowScript(_ *libc.TLS, _ uintptr, action int32, first, second, database, _ uintptr) int32 {
	switch action {
	case sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_TRANSACTION, sqlite3.SQLITE_RECURSIVE, sqlite3.SQLITE_SAVEPOINT:
		return sqlite3.SQLITE_OK
	case sqlite3.SQLITE_CREATE_TABLE, sqlite3.SQLITE_CREATE_INDEX, sqlite3.SQLITE_CREATE_VIEW, sqlite3.SQLITE_INSERT, sqlite3.SQLITE_REINDEX:
		return sqlite3.SQLITE_OK
	case sqlite3.SQLITE_UPDATE:
		// CREATE itself updates the schema table; a script's own UPDATE of it is stopped by the defensive setting.
		return verdict(schemaTable(lower(first)) && lower(database) == "main")
	case sqlite3.SQLITE_DELETE:
		return verdict(lower(first) == "sqlite_sequence") // as dumps do
	case sqlite3.SQLITE_FUNCTION:
		return verdict(!forbiddenFunctions[lower(second)])
	case sqlite3.SQLITE_PRAGMA:
		return verdict(scriptPragmas[lower(first)])
	default:
		return sqlite3.SQLITE_DENY
	}
}

func schemaTable(name string) bool { return name == "sqlite_master" || name == "sqlite_schema" }

func verdict(allowed bool) int32 {
	if allowed {
		return sqlite3.SQLITE_OK
	}
	return sqlite3.SQLITE_DENY
}

func lower(text uintptr) string {
	if text == 0 {
		return ""
	}
	return strings.ToLower(libc.GoString(text))
}
