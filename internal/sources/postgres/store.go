// Package postgres reads PostgreSQL databases as they stand, without writing to them.
//
// A Store is one database seen by one role, in one snapshot that all its tables share: a session holds it, exported, in a REPEATABLE READ READ ONLY
// transaction, and each table has sessions of its own that import it. The holding session also keeps a lock on every table that is read, the weakest there
// is, so that no TRUNCATE or VACUUM FULL changes it under the reader; only those wait.
//
// It never interprets a value: numbers, times and JSON come as the exact text that the server holds. It never takes a partial reading for a whole one: a
// connection that breaks is taken up again in the same snapshot behind the last row, or the reading is incomplete. It never concludes more from the snapshot
// than it shows: see Limit in package rows and horizon.go.
//
// Invariants: every statement runs inside the read-only transaction, with search_path=pg_catalog and quoted, qualified names. What connects, and what the
// server says of it, is never printed: errors hold the words of this package. Memory is bounded by maxRow for each session, whatever the tables hold.
package postgres

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.com/idemctl/internal/sources/rows"
)

// Store is one opened database.
type Store struct {
	opener
	hold    *session
	shared  snapshot
	horizon horizon
	server  server
	notes   []string

	mu     sync.Mutex
	tables []*table
}

// server is what the database says of itself and of the role.
type server struct {
	version   int // as in 150018
	blockSize int64
}

// opener carries what opening needs; tests choose the limits.
type opener struct {
	target *target
	pause  time.Duration // before a full server is asked again
	large  int64         // the blocks from which on a table is read in parts
	part   int64         // the blocks of a part
}

const (
	attempts   = 3 // of a transaction that failed by no fault of its own, or a server that is full
	crowdPause = time.Second

	largeFrom  = 4096
	partBlocks = 1024
)

// OpenStore connects to the database that dsn names, a postgres:// URL, which is called shown in errors, and takes the snapshot. The errors are those of
// package rows, with hints.
func OpenStore(ctx context.Context, dsn, shown string) (*Store, error) {
	t, err := parse(dsn, shown)
	if err != nil {
		return nil, err
	}
	return opener{target: t, pause: crowdPause, large: largeFrom, part: partBlocks}.open(ctx)
}

// open takes the snapshot, anew where another attempt may succeed: nothing was read yet.
func (o opener) open(ctx context.Context) (*Store, error) {
	reconnected := false
	for attempt := 1; ; attempt++ {
		s, err := o.once(ctx)
		if err == nil {
			return s, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		switch c := classOf(err); {
		case attempt == attempts:
			return nil, o.target.explain("", err)
		case c == anew:
		case c == gone && !reconnected:
			reconnected = true
		case c == crowded:
			rest(ctx, o.pause)
		default:
			return nil, o.target.explain("", err)
		}
	}
}

func (o opener) once(ctx context.Context) (*Store, error) {
	hold, err := connect(ctx, o.target)
	if err != nil {
		return nil, err
	}
	s := &Store{opener: o, hold: hold}
	if err := s.begin(ctx); err != nil {
		hold.close()
		return nil, err
	}
	return s, nil
}

// begin looks for open transactions first and takes the snapshot then: the other way round one that commits between the two would be overlooked.
func (s *Store) begin(ctx context.Context) (err error) {
	if s.horizon, err = survey(ctx, s.hold); err != nil {
		return err
	}
	s.target.standby = s.horizon.standby
	if s.shared, err = s.hold.export(ctx); err != nil {
		return err
	}
	row, err := s.hold.one(ctx, `SELECT current_setting('server_version_num'), current_setting('block_size'), rolsuper, pg_is_in_recovery() AND txid_snapshot_xmin(txid_current_snapshot()) <> txid_snapshot_xmax(txid_current_snapshot())
 FROM pg_roles WHERE rolname = current_user`)
	if err != nil {
		return err
	}
	if s.server.version, err = strconv.Atoi(row[0]); err != nil {
		return err
	}
	if s.server.blockSize, err = strconv.ParseInt(row[1], 10, 64); err != nil {
		return err
	}
	s.notes = append(s.notes, s.target.notes...)
	s.notes = append(s.notes, "read in one snapshot, in a transaction that cannot write; VACUUM keeps old row versions until the scan ends")
	if row[2] == "t" {
		s.notes = append(s.notes, "this role is a superuser: a query could do anything to the server; use a role with nothing but SELECT")
	}
	if row[3] == "t" {
		s.horizon.doubt("transactions were open on the primary when the standby's snapshot was taken, and since when is not seen from here: what is missing may be in them", "scan the primary, or declare coverage: {lag: …} for the longest transaction")
	}
	s.notes = append(s.notes, s.horizon.notes...)
	return nil
}

// Notes says for the run record how the database is read, and what its role may do that it should not.
func (s *Store) Notes() []string { return slices.Clone(s.notes) }

// Detach implements the promise that no more tables will be opened; there is no copy to remove.
func (s *Store) Detach() error { return nil }

// Close ends all sessions.
func (s *Store) Close() error {
	s.mu.Lock()
	open := s.tables
	s.tables = nil
	s.mu.Unlock()
	for _, t := range open {
		t.release()
	}
	s.hold.close()
	s.hold = nil
	return nil
}

// join opens one more session in the store's snapshot.
func (s *Store) join(ctx context.Context) (*session, error) {
	c, err := connect(ctx, s.target)
	if err != nil {
		return nil, err
	}
	if err := c.join(ctx, s.shared); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// Table opens a table or a view: NAME, SCHEMA.NAME, or with names in double quotes. The columns id name a row in its locator instead of the primary key.
func (s *Store) Table(ctx context.Context, name string, id ...string) (rows.Table, error) {
	return s.add(ctx, name, func(t *table) error {
		if err := t.find(ctx, name); err != nil {
			return err
		}
		if err := t.readColumns(ctx); err != nil {
			return err
		}
		return t.identify(id)
	})
}

// Query opens the rows of one SELECT. The columns id name a row in its locator.
func (s *Store) Query(ctx context.Context, sql string, id []string) (rows.Table, error) {
	return s.add(ctx, "query", func(t *table) error {
		if err := t.describeQuery(ctx, sql); err != nil {
			return err
		}
		return t.identify(id)
	})
}

// add lets describe fill a table in on the holding session, which keeps it locked from then on, makes sure that it is still the one of the snapshot, and
// opens its own session.
func (s *Store) add(ctx context.Context, name string, describe func(*table) error) (rows.Table, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &table{store: s}
	err := s.hold.guarded(ctx, func() error {
		if err := describe(t); err != nil {
			return err
		}
		return s.pinned(ctx, t)
	})
	if err == nil {
		t.reader, err = s.patiently(ctx)
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, s.target.explain(name, err)
	}
	s.tables = append(s.tables, t)
	return t, nil
}

// patiently opens a table's session, again where the server has no room for a moment.
func (s *Store) patiently(ctx context.Context) (*session, error) {
	for attempt := 1; ; attempt++ {
		c, err := s.join(ctx)
		if err == nil || attempt == attempts || classOf(err) != crowded || ctx.Err() != nil {
			return c, err
		}
		rest(ctx, s.pause)
	}
}

// rest waits for d, or until ctx ends.
func rest(ctx context.Context, d time.Duration) {
	wait, stop := context.WithTimeout(ctx, d)
	defer stop()
	<-wait.Done()
}

// pinned locks what a table reads, through all views and partitions, and refuses what is no longer that of the snapshot: a truncated table looks empty to
// every older snapshot, and a partition that was detached is not read.
func (s *Store) pinned(ctx context.Context, t *table) error {
	if err := s.hold.exec(ctx, "SELECT 1 FROM "+t.from+" LIMIT 0"); err != nil {
		return err
	}
	row, err := s.hold.one(ctx, `SELECT coalesce(string_agg(c.relname, ', '), '') FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
 WHERE l.pid = pg_backend_pid() AND l.locktype = 'relation' AND c.relkind IN ('r', 'm', 't') AND c.relfilenode <> 0
 AND c.relfilenode IS DISTINCT FROM pg_relation_filenode(c.oid)`)
	if err != nil {
		return err
	}
	if row[0] != "" {
		return s.changed(row[0], "rewritten by TRUNCATE, VACUUM FULL, CLUSTER or ALTER TABLE")
	}
	if t.relation.oid == "" {
		return nil
	}
	var oids []string
	for oid := range t.children {
		oids = append(oids, strconv.FormatUint(uint64(oid), 10))
	}
	row, err = s.hold.one(ctx, `SELECT to_regclass($1)::oid::text = $2, (SELECT count(DISTINCT relation) FROM pg_locks WHERE pid = pg_backend_pid() AND relation = ANY ($3::oid[]))`,
		t.from, t.relation.oid, "{"+strings.Join(oids, ",")+"}")
	if err != nil {
		return err
	}
	if row[0] != "t" || row[1] != strconv.Itoa(len(oids)) {
		return s.changed(t.name, "renamed, or parted from one of its partitions")
	}
	return nil
}

func (s *Store) changed(name, how string) error {
	return hinted("scan again", "%s: %s: %w: it was %s meanwhile", s.target.shown, name, rows.ErrChanged, how)
}
