package audit

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"example.com/idemctl/internal/reconcile"
)

// settle finds out what became of a COMMIT. It returns nil where the records stand in the file for good, an error that is no ErrInDoubt where none of them
// does, and ErrInDoubt where that could not be found out.
func (a *appending) settle(ctx context.Context) error {
	t := a.trail
	if a.doubt == nil {
		// Another connection must see what this one wrote: had the locks been lost, it would not.
		found, err := t.readBack(ctx, a.done)
		if err == nil && found {
			return nil
		}
		a.doubt = errors.Join(errors.New("the records cannot be read back"), err)
	}
	if err := t.conns.close(); err != nil {
		a.doubt = errors.Join(a.doubt, err)
	}
	t.conns = nil
	err := t.connected()
	if err == nil {
		var found bool
		found, err = t.readBack(ctx, a.done)
		switch {
		case err == nil && !found:
			// What was written of the commit may still lie in the -wal, and come back after a crash: cut it off.
			if err = errors.Join(t.flush(ctx, "TRUNCATE"), syncDir(filepath.Dir(t.site.path))); err == nil {
				return fmt.Errorf("nothing was recorded: %w", a.doubt)
			}
		case err == nil:
			// A failed fsync may have left the -wal in memory only: copy it into the file, which is synced anew.
			err = t.flush(ctx, "FULL")
		}
	}
	if err != nil {
		if t.conns != nil {
			err = errors.Join(err, t.conns.close())
			t.conns = nil
		}
		return a.inDoubt(err)
	}
	return nil
}

func (a *appending) inDoubt(err error) error {
	d := &DoubtError{Err: errors.Join(a.doubt, err)}
	for _, r := range a.done {
		d.IDs = append(d.IDs, r.id)
	}
	return d
}

// readBack reports whether the records stand in the file as they were written. All do or none does: they were one transaction.
func (t *Trail) readBack(ctx context.Context, done []*record) (bool, error) {
	for _, r := range done {
		var leaf, body []byte
		rows, err := t.conns.read.QueryContext(ctx, `SELECT leaf, body FROM entry WHERE event_id=?`, r.id)
		if err != nil {
			return false, err
		}
		found := rows.Next()
		if found {
			err = rows.Scan(&leaf, &body)
		}
		if err = errors.Join(err, rows.Err(), rows.Close()); err != nil || !found {
			return false, err
		}
		if !bytes.Equal(leaf, r.leaf[:]) || !bytes.Equal(body, r.body) {
			return false, faultf(fmt.Sprintf("record %d", r.seq), "read back as something else")
		}
	}
	return true, nil
}

// flushes is how often flush tries while another process copies, and how long it waits in between.
const (
	flushes   = 50
	flushWait = 10 * time.Millisecond
)

// flush copies all of the -wal into the file and syncs both; with TRUNCATE it also empties the -wal.
func (t *Trail) flush(ctx context.Context, mode string) error {
	for range flushes {
		var blocked, frames, moved int
		if err := t.conns.write.QueryRowContext(ctx, "PRAGMA wal_checkpoint("+mode+")").Scan(&blocked, &frames, &moved); err != nil {
			return err
		}
		if blocked == 0 && frames == moved {
			return nil
		}
		pause(ctx, flushWait)
	}
	return errors.New("the -wal could not be taken over: another process reads it")
}

// remember writes the journal and then the pin. Both are on the disk before the append is acknowledged.
func (a *appending) remember(ctx context.Context) error {
	if err := a.remembering(ctx); err != nil {
		return fmt.Errorf("%w: %w", ErrUnpinned, err)
	}
	return nil
}

func (a *appending) remembering(ctx context.Context) error {
	t, m := a.trail, a.trail.site.memory
	if err := m.ready(t.origin); err != nil {
		return err
	}
	var size, length int64
	if a.pin != nil {
		size, length = a.pin.size, a.pin.journal
	}
	var err error
	if n := a.after.size - int64(len(a.done)); size == n {
		length, err = writeJournal(m.journal(t.origin), length, frames(a.done))
	} else {
		length, err = t.copyJournal(ctx, size, a.after.size, length)
	}
	if err != nil {
		return err
	}
	next, err := a.pin.next(a.after, a.signed, t.key.public, length)
	if err != nil {
		return err
	}
	return m.keep(t.site.path, next)
}

func frames(records []*record) []byte {
	var b []byte
	for _, r := range records {
		b = appendFrame(b, r.seq, r.body)
	}
	return b
}

// journalBatch is how many records are copied at once.
const journalBatch = 1000

// copyJournal copies records that the journal lacks: a process ended between its COMMIT and its pin, or the trail is new to this machine.
func (t *Trail) copyJournal(ctx context.Context, from, to, length int64) (int64, error) {
	for ; from < to; from = min(from+journalBatch, to) {
		var b []byte
		err := eachRecord(ctx, t.conns.read, func(r *record) error { b = appendFrame(b, r.seq, r.body); return nil }, ` WHERE seq>=? AND seq<? ORDER BY seq`, from, min(from+journalBatch, to))
		if err != nil {
			return 0, err
		}
		if length, err = writeJournal(t.site.memory.journal(t.origin), length, b); err != nil {
			return 0, err
		}
	}
	return length, nil
}

// create makes the file with its first record. The caller holds the lock.
func (t *Trail) create(ctx context.Context, key *machineKey) error {
	if at, err := t.site.look(); err != nil {
		return err
	} else if at == nothing {
		if err := createDatabase(t.site.path); err != nil {
			return err
		}
	}
	var err error
	if t.conns, err = connect(t.site); err != nil {
		return err
	}
	t.key, t.origin = key, originPrefix+t.env.NewID()+"/0"
	a := &appending{trail: t, fold: newFold()}
	err = a.first(ctx)
	if err == nil {
		err = a.settle(ctx)
	}
	if err == nil {
		err = a.remembering(ctx)
	}
	return errors.Join(err, t.disconnect())
}

// first makes the schema and the first record in one transaction.
func (a *appending) first(ctx context.Context) error {
	c, err := a.trail.conns.write.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	if _, err := c.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	if err = createSchema(ctx, c); err == nil {
		drafts := []draft{{intent: intent{id: a.trail.env.NewID(), what: EventCreated, key: a.trail.key.public}}}
		s := &session{conn: c, prepared: map[string]*sql.Stmt{}}
		err = a.write(ctx, s, reconcile.At(a.trail.env.Now()), drafts)
		s.close()
	}
	if err == nil {
		_, err = c.ExecContext(ctx, "COMMIT")
	}
	if err != nil {
		discard(c)
	}
	return err
}
