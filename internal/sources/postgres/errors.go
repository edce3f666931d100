package postgres

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"example.com/idemctl/internal/sources/rows"
)

// The SQLSTATEs that are met by name; all others go by their class, the first two characters.
const (
	codeQueryCanceled      = "57014"
	codeNoDatabase         = "3D000"
	codeTooMany            = "53300"
	codeSerialization      = "40001"
	codeDeadlock           = "40P01"
	codeLockTimeout        = "55P03"
	codeNoRights           = "42501"
	codeNoTable            = "42P01"
	codeNoColumn           = "42703"
	codeNoSchema           = "3F000"
	codeNoFunction         = "42883"
	codeInvalidValue       = "22023"
	codeIdleTooLong        = "25P03"
	codeTransactionTooLong = "25P04"
	codeInMaintenance      = "57P05"
)

const (
	hintCut       = "scan again when the server answers steadily; nothing is concluded from what was not read"
	hintOvertaken = "raise max_standby_streaming_delay, set hot_standby_feedback, or scan the primary"
	hintUnreached = "check host, port and network; idemctl connects as psql would with the same URL"
	hintLogin     = "check the user, and the password in the URL, PGPASSFILE, PGSERVICEFILE or PGPASSWORD; pg_hba.conf says who may connect"
)

// class is what an error means for the reading.
type class uint8

const (
	other    class = iota
	anew           // the transaction failed, another one may succeed
	gone           // the connection or the server went away
	crowded        // the server has no room
	verdicts       // the server said no, and will say so again
)

// classOf sorts an error by its SQLSTATE, or by what the connection did.
func classOf(err error) class {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		switch {
		case pg.Code == codeSerialization, pg.Code == codeDeadlock:
			return anew
		case pg.Code == codeIdleTooLong, pg.Code == codeTransactionTooLong, pg.Code == codeInMaintenance:
			return verdicts
		case strings.HasPrefix(pg.Code, "57P"), strings.HasPrefix(pg.Code, "08"):
			return gone
		case strings.HasPrefix(pg.Code, "53"):
			return crowded
		}
		return verdicts
	}
	var big *pgproto3.ExceededMaxBodyLenErr
	if errors.As(err, &big) {
		return verdicts
	}
	if cut(err) {
		return gone
	}
	return other
}

// cut reports whether an error is that of a connection that broke.
func cut(err error) bool {
	var op *net.OpError
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || errors.Is(err, pgconn.ErrConnClosed) || errors.As(err, &op)
}

func hinted(hint, format string, args ...any) error {
	return &rows.HintedError{Err: fmt.Errorf(format, args...), Hint: hint}
}

// reason is a cause in this package's own words that is also one of package rows.
type reason struct {
	words string
	is    error
}

func (r *reason) Error() string { return r.words }
func (r *reason) Unwrap() error { return r.is }

// explain says in words for a person what the server or the connection did. The driver's own texts are not used: they hold the user, the address, and
// values of the data.
func (t *target) explain(doing string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	var known *rows.HintedError
	if errors.As(err, &known) {
		return err
	}
	where := t.shown
	if doing != "" {
		where += ": " + doing
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		v := t.judge(pg)
		return &rows.HintedError{Err: fmt.Errorf("%s: %w (%s)", where, &reason{v.words, v.is}, pg.Code), Hint: v.hint}
	}
	var big *pgproto3.ExceededMaxBodyLenErr
	switch {
	case errors.As(err, &big):
		return hinted("leave the long column out by a query", "%s: a row is longer than %d MiB", where, maxRow>>20)
	case certificate(err):
		return hinted("let sslrootcert name the authority that signed the server's certificate, and connect by the name that stands in it", "%s: the server's certificate proves nothing", where)
	case errors.Is(err, context.DeadlineExceeded), os.IsTimeout(err):
		return hinted(hintUnreached, "%s: %w", where, &reason{"no answer in time", rows.ErrUnreachable})
	}
	var connecting *pgconn.ConnectError
	if errors.As(err, &connecting) {
		return hinted(hintUnreached, "%s: %w", where, &reason{unreached(err), rows.ErrUnreachable})
	}
	if cut(err) {
		hint := hintCut
		if t.standby {
			hint = "a standby ends who is in the way of its replay: " + hintOvertaken
		}
		return hinted(hint, "%s: %w", where, &reason{"the connection was cut", rows.ErrCut})
	}
	return hinted(hintCut, "%s: the driver gave up: %s", where, t.scrub(err.Error()))
}

// verdict is what an SQLSTATE says to a person.
type verdict struct {
	words, hint string
	is          error
}

// judge finds the words for what the server said. Its message is shown where it names tables and rights, never where it may quote a value.
func (t *target) judge(pg *pgconn.PgError) verdict {
	said := t.scrub(pg.Message)
	if v, ok := byCode[pg.Code]; ok {
		if v.words == "" {
			v.words = said
		}
		return v
	}
	switch pg.Code[:min(2, len(pg.Code))] {
	case "28":
		return verdict{"the server refused the login", hintLogin, nil}
	case "57", "08":
		return verdict{"the server ended the connection", hintCut, rows.ErrCut}
	case "53":
		return verdict{"the server is out of resources: " + said, "scan again when it has room, or scan a standby", nil}
	case "58", "XX":
		return verdict{"the server could not read its own files: " + said, "this is damage or a defect of the server: let its administrator look at its log; nothing is concluded from what was not read", rows.ErrDamaged}
	case "22":
		return verdict{"a value could not be computed or converted", "look at the query or the view; its data makes it fail", nil}
	case "42":
		return verdict{said, "look at the query or the view in psql", nil}
	case "0A", "25":
		return verdict{said, "a source is a table, a view, or one SELECT that changes nothing", nil}
	}
	return verdict{said, "", nil}
}

var byCode = map[string]verdict{
	codeQueryCanceled:      {"the server cancelled the reading: its time limit passed, or a person ended it", "raise statement_timeout for this role, or scan a standby; nothing is concluded from what was not read", rows.ErrCut},
	codeNoDatabase:         {"no such database", "check the name after the last / of the URL", rows.ErrMissing},
	codeTooMany:            {"the server has no connection to spare", "free one, or raise the role's CONNECTION LIMIT: a scan holds one for each source and one for each database", nil},
	codeSerialization:      {"", "on a standby, replay overtook the snapshot: " + hintOvertaken, rows.ErrCut},
	codeDeadlock:           {"", "scan again", rows.ErrCut},
	codeLockTimeout:        {"somebody holds the table exclusively", "wait until the migration, TRUNCATE or VACUUM FULL has finished", rows.ErrLocked},
	codeNoRights:           {"", "GRANT SELECT on the table and USAGE on its schema to this role; nothing more is needed", nil},
	codeNoTable:            {"", "check the names in the query; write SCHEMA.TABLE", rows.ErrNoTable},
	codeNoSchema:           {"", "check the names in the query; write SCHEMA.TABLE", rows.ErrNoTable},
	codeNoColumn:           {"", "check the names in the query", rows.ErrNoColumn},
	codeNoFunction:         {"", "functions outside pg_catalog need their schema's name; pg_export_snapshot is missing on servers that only speak PostgreSQL's protocol", nil},
	codeInvalidValue:       {"", "all connections must reach one and the same server: name one host", rows.ErrChanged},
	codeIdleTooLong:        {"the server ended the session because it was idle", "the sources are read one after the other on few cores: raise idle_in_transaction_session_timeout for this role", rows.ErrCut},
	codeTransactionTooLong: {"the server ended the transaction because it lasted too long", "raise transaction_timeout for this role, or scan a standby", rows.ErrCut},
	codeInMaintenance:      {"the server ended the session because it was idle", "raise idle_session_timeout for this role", rows.ErrCut},
}

// unreached says why a connection did not come about, without the address and the user that the driver prints.
func unreached(err error) string {
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return "the host's name is not known"
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "no server listens on that socket"
	}
	if sys, ok := errors.AsType[*os.SyscallError](err); ok {
		return sys.Err.Error()
	}
	if strings.Contains(err.Error(), "TLS") || strings.Contains(err.Error(), "SSL") {
		return "the server speaks no TLS, which sslmode asks for"
	}
	return "not reachable"
}

func certificate(err error) bool {
	var verification *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	return errors.As(err, &verification) || errors.As(err, &authority) || errors.As(err, &name)
}
