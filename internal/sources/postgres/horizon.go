package postgres

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"example.com/idemctl/internal/sources/rows"
)

// open is a transaction that was open when the server was asked.
type open struct {
	id      string // changes from one transaction of a session to the next
	pid     string
	program string
	since   time.Time // zero when the role may not see it, or the server does not note it
}

// activity is what the server said, at one moment before the snapshot was taken, of transactions that the snapshot may not show.
type activity struct {
	at       time.Time // when it began to look
	open     []open
	prepared time.Time // of the oldest prepared transaction, zero when there is none
	gid      string    // its name
	standby  bool
	server   rows.Server
	replayed time.Time // on a standby: when what was replayed last was committed
}

// Every transaction holds a lock on its own number, which every role may see, also where it may not see since when the transaction is open. Vacuuming and
// sending the log write no rows.
const askActivity = `SELECT (extract(epoch FROM now()) * 1000000)::int8, coalesce(l.virtualxid, 'pid ' || a.pid), a.pid,
 coalesce(a.application_name, ''), coalesce((extract(epoch FROM a.xact_start) * 1000000)::int8, 0)
 FROM pg_catalog.pg_stat_activity a
 LEFT JOIN pg_catalog.pg_locks l ON l.pid = a.pid AND l.locktype = 'virtualxid' AND l.mode = 'ExclusiveLock' AND l.granted
 WHERE a.datname = pg_catalog.current_database() AND a.pid <> pg_catalog.pg_backend_pid()
 AND (l.virtualxid IS NOT NULL OR a.xact_start IS NOT NULL)
 AND coalesce(a.backend_type, '') NOT IN ('autovacuum worker', 'walsender')`

const askServer = `SELECT (extract(epoch FROM now()) * 1000000)::int8,
 coalesce((SELECT (extract(epoch FROM min(prepared)) * 1000000)::int8 FROM pg_catalog.pg_prepared_xacts WHERE database = pg_catalog.current_database()), 0),
 coalesce((SELECT gid FROM pg_catalog.pg_prepared_xacts WHERE database = pg_catalog.current_database() ORDER BY prepared LIMIT 1), ''),
 pg_catalog.pg_is_in_recovery(),
 coalesce((extract(epoch FROM pg_catalog.pg_last_xact_replay_timestamp()) * 1000000)::int8, 0)`

// look asks once. It must be called before the snapshot is taken: a transaction that the snapshot does not show was open then, or began later.
func look(ctx context.Context, s *session) (a activity, err error) {
	for _, sql := range []string{"BEGIN READ ONLY", "SELECT pg_catalog.set_config('search_path', 'pg_catalog', true)"} {
		if err := s.exec(ctx, sql); err != nil {
			return a, err
		}
	}
	if err := a.read(ctx, s); err != nil {
		return a, err
	}
	if a.server, err = identify(ctx, s); err != nil {
		return a, err
	}
	return a, s.exec(ctx, "COMMIT")
}

func (a *activity) read(ctx context.Context, s *session) error {
	row, err := s.one(ctx, askServer)
	if err != nil {
		return err
	}
	a.at, a.prepared, a.gid = micros(row[0]), micros(row[1]), row[2]
	a.standby, a.replayed = row[3] == "t", micros(row[4])
	return s.each(ctx, askActivity, nil, nil, func(v [][]byte) error {
		a.open = append(a.open, open{id: string(v[1]), pid: string(v[2]), program: string(v[3]), since: micros(string(v[4]))})
		return nil
	})
}

func micros(s string) time.Time {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n == 0 {
		return time.Time{}
	}
	return time.UnixMicro(n)
}

const (
	looks    = 20
	lookWait = 50 * time.Millisecond
)

// horizon is up to when the snapshot that is taken next shows everything.
type horizon struct {
	limit   rows.Limit
	notes   []string
	standby bool
	server  rows.Server
}

// survey finds the horizon. Where the start of a transaction cannot be seen, it looks again for a while: once all that were open at the first look have
// ended, those that are open now began after it.
func survey(ctx context.Context, s *session) (horizon, error) {
	first, err := look(ctx, s)
	if err != nil {
		return horizon{}, err
	}
	now := first
	for i := 0; i < looks && len(stillUnknown(&first, &now)) > 0; i++ {
		rest(ctx, lookWait)
		if now, err = look(ctx, s); err != nil {
			return horizon{}, err
		}
	}
	h := conclude(&first, &now)
	h.server = now.server
	return h, nil
}

// stillUnknown lists the transactions of unknown age that were open at both looks.
func stillUnknown(first, now *activity) []open {
	var out []open
	for _, o := range first.open {
		if !o.since.IsZero() {
			continue
		}
		for _, n := range now.open {
			if n.id == o.id && n.since.IsZero() {
				out = append(out, o)
			}
		}
	}
	return out
}

// conclude finds the horizon from the first and the last look.
func conclude(first, now *activity) horizon {
	h := horizon{limit: rows.Limit{To: first.at}}
	oldest := open{since: first.at}
	for _, o := range now.open {
		if !o.since.IsZero() && o.since.Before(oldest.since) {
			oldest = o
		}
	}
	if oldest.pid != "" {
		h.limit.To = oldest.since
		h.note("a transaction of %q (pid %s) has been open since %s: what is missing may be in it, so no absence is concluded after that", oldest.program, oldest.pid, shownTime(oldest.since))
	}
	if unknown := stillUnknown(first, now); len(unknown) > 0 {
		h.doubt("this role cannot see since when other sessions' transactions are open (pid "+pids(unknown)+"): what is missing may be in them", "GRANT pg_read_all_stats to this role, or declare coverage: {lag: …} for the longest transaction")
	}
	if !now.prepared.IsZero() {
		h.until(now.prepared)
		h.doubt(fmt.Sprintf("the prepared transaction %q waits since %s, and when it began is not recorded: what is missing may be in it", now.gid, shownTime(now.prepared)), "finish it by COMMIT PREPARED or ROLLBACK PREPARED, or declare coverage: {lag: …} for the longest transaction")
	}
	if h.standby = now.standby; h.standby {
		h.onStandby(first.replayed)
	}
	return h
}

func (h *horizon) onStandby(replayed time.Time) {
	if replayed.IsZero() {
		h.doubt("this is a standby that has replayed no transaction yet", "scan the primary, or wait until the standby has caught up")
		return
	}
	h.until(replayed)
	h.note("this is a standby: it shows what its primary had committed by %s; transactions that were open there are not seen from here", shownTime(replayed))
}

func (h *horizon) until(t time.Time) {
	if t.Before(h.limit.To) {
		h.limit.To = t
	}
}

func (h *horizon) note(format string, args ...any) {
	h.notes = append(h.notes, fmt.Sprintf(format, args...))
}

func (h *horizon) doubt(why, hint string) {
	if h.limit.Doubt == "" {
		h.limit.Doubt, h.limit.Hint = why, hint
	}
	h.notes = append(h.notes, why)
}

func shownTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func pids(list []open) string {
	const most = 3
	var out []string
	for i, o := range list {
		if i == most {
			return strings.Join(out, ", ") + " and more"
		}
		out = append(out, o.pid)
	}
	return strings.Join(out, ", ")
}
