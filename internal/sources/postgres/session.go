package postgres

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// session is one connection in one read-only transaction. Statements are sent as QueryExecModeExec sends them: unnamed, in one round trip, which every
// pooler survives.
type session struct {
	conn *pgconn.PgConn
}

// connect opens a connection; no transaction is begun.
func connect(ctx context.Context, t *target) (*session, error) {
	conn, err := pgconn.ConnectConfig(ctx, t.config.Copy())
	if err != nil {
		return nil, err
	}
	return &session{conn: conn}, nil
}

const (
	textFormat   int16 = 0
	binaryFormat int16 = 1
)

// each runs one statement and hands over its rows; values are valid during the call. When do refuses, the connection is given up: the rest of the rows is
// not worth reading.
func (s *session) each(ctx context.Context, sql string, args []string, formats []int16, do func(values [][]byte) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	result := s.start(ctx, sql, args, formats)
	for result.NextRow() {
		if err := do(result.Values()); err != nil {
			stop()
			_, _ = result.Close()
			return err
		}
	}
	_, err := result.Close()
	return err
}

// start sends a statement; the server works on it while its rows are not read yet.
func (s *session) start(ctx context.Context, sql string, args []string, formats []int16) *pgconn.ResultReader {
	var values [][]byte
	for _, a := range args {
		values = append(values, []byte(a))
	}
	return s.conn.ExecParams(ctx, sql, values, nil, nil, formats)
}

func (s *session) exec(ctx context.Context, sql string) error {
	return s.each(ctx, sql, nil, nil, func([][]byte) error { return nil })
}

// one runs a statement that has exactly one row, whose values it returns as text.
func (s *session) one(ctx context.Context, sql string, args ...string) (row []string, err error) {
	n := 0
	err = s.each(ctx, sql, args, nil, func(values [][]byte) error {
		n++
		row = row[:0]
		for _, v := range values {
			row = append(row, string(v))
		}
		return nil
	})
	if err == nil && n != 1 {
		err = fmt.Errorf("%d rows where one is expected", n)
	}
	return row, err
}

const begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

// snapshot is what all sessions of a store share.
type snapshot struct {
	id    string // by which other sessions import it
	shape string // which transactions it sees, to make sure that they did
}

var snapshotID = regexp.MustCompile(`^[0-9A-F]+(-[0-9A-F]+)*$`)

// export begins the transaction that holds the snapshot. Nothing may come before the export: it also closes the way back to a writing transaction.
func (s *session) export(ctx context.Context) (snapshot, error) {
	if err := s.exec(ctx, begin); err != nil {
		return snapshot{}, err
	}
	row, err := s.one(ctx, "SELECT pg_catalog.pg_export_snapshot(), pg_catalog.txid_current_snapshot()")
	if err != nil {
		return snapshot{}, err
	}
	if !snapshotID.MatchString(row[0]) {
		return snapshot{}, fmt.Errorf("a snapshot without a usable name")
	}
	return snapshot{id: row[0], shape: row[1]}, s.settle(ctx)
}

// join begins a transaction in a snapshot that another session holds.
func (s *session) join(ctx context.Context, of snapshot) error {
	if err := s.exec(ctx, begin); err != nil {
		return err
	}
	if err := s.exec(ctx, "SET TRANSACTION SNAPSHOT '"+of.id+"'"); err != nil {
		return err
	}
	row, err := s.one(ctx, "SELECT pg_catalog.txid_current_snapshot()")
	if err != nil {
		return err
	}
	if row[0] != of.shape {
		return hinted(byCode[codeInvalidValue].hint, "two connections reached two servers")
	}
	return s.settle(ctx)
}

const (
	// statementLimit ends a statement that nobody waits for any more, where the role has no stricter limit of its own.
	statementLimit = 4 * time.Hour
	// idleLimit ends the transaction of a scan that was stopped and forgotten. It replaces the role's own limit, since one source waits for another.
	idleLimit = 4 * time.Hour
	// lockLimit is how long a lock is waited for; only who changes the table itself holds one that is in the way.
	lockLimit = 5 * time.Second
)

// settle fixes for this transaction what decides how values are written and in which order rows come.
func (s *session) settle(ctx context.Context) error {
	sql := "SELECT pg_catalog.set_config('search_path', 'pg_catalog', true)"
	for _, set := range [][2]string{
		{"lock_timeout", milliseconds(lockLimit)},
		{"idle_in_transaction_session_timeout", milliseconds(idleLimit)},
		{"synchronize_seqscans", "off"},
		{"max_parallel_workers_per_gather", "0"},
		{"enable_tidscan", "on"},
		{"jit", "off"},
		{"row_security", "on"},
		{"DateStyle", "ISO, YMD"},
		{"IntervalStyle", "postgres"},
		{"TimeZone", "UTC"},
		{"lc_monetary", "C"},
		{"bytea_output", "hex"},
		{"extra_float_digits", "1"},
		{"quote_all_identifiers", "off"},
	} {
		sql += ", pg_catalog.set_config('" + set[0] + "', '" + set[1] + "', true)"
	}
	limit := milliseconds(statementLimit)
	sql += ", pg_catalog.set_config(name, CASE WHEN setting::int8 BETWEEN 1 AND " + limit + " THEN setting ELSE '" + limit + "' END, true)" +
		" FROM pg_catalog.pg_settings WHERE name = 'statement_timeout'"
	_, err := s.one(ctx, sql)
	return err
}

// guarded keeps the transaction, and the snapshot in it, when what do sends fails.
func (s *session) guarded(ctx context.Context, do func() error) error {
	if err := s.exec(ctx, "SAVEPOINT one_table"); err != nil {
		return err
	}
	err := do()
	if err == nil {
		return s.exec(ctx, "RELEASE SAVEPOINT one_table")
	}
	if !s.conn.IsClosed() {
		err = errors.Join(err, s.exec(ctx, "ROLLBACK TO SAVEPOINT one_table"))
	}
	return err
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// alive reports whether the session can still be used.
func (s *session) alive() bool { return s != nil && !s.conn.IsClosed() && s.conn.TxStatus() == 'T' }

// closeWithin is how long a server is told goodbye.
const closeWithin = 2 * time.Second

// close ends the session and waits until nothing of it runs any more. That the server was gone already is no error.
func (s *session) close() {
	if s == nil {
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), closeWithin)
	defer stop()
	_ = s.conn.Close(ctx)
	select {
	case <-s.conn.CleanupDone():
	case <-ctx.Done():
	}
}
