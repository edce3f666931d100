package scan

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // the saved scan is an SQLite file

	"example.com/idemctl/internal/reconcile"
)

// The saved scan's file: its mark and its version. A reader refuses a newer version and any other file.
const (
	savedMark    = 0x49444d53 // "IDMS"
	savedVersion = 2
	perCommit    = 2000
)

const savedSchema = `
CREATE TABLE manifest(one INTEGER PRIMARY KEY CHECK(one=1), body TEXT NOT NULL, sum INTEGER NOT NULL) STRICT;
CREATE TABLE cases(
  id TEXT NOT NULL, rank INTEGER NOT NULL, until INTEGER NOT NULL, severity INTEGER NOT NULL,
  headline TEXT NOT NULL, kinds INTEGER NOT NULL, contract TEXT NOT NULL,
  executed TEXT NOT NULL, retry_now TEXT NOT NULL, minor INTEGER, exponent INTEGER, currency TEXT,
  body TEXT NOT NULL, sum INTEGER NOT NULL, head BLOB NOT NULL) STRICT;`

const savedOrder = `CREATE INDEX cases_order ON cases(rank, until, severity, id); CREATE INDEX cases_id ON cases(id); CREATE INDEX cases_head ON cases(rank, until, severity, id, head);`

// keeper writes cases to the saved scan while they are judged. The file stands under a name of its own until it is whole.
type keeper struct {
	db   *sql.DB
	tx   *sql.Tx
	ins  *sql.Stmt
	n    int
	temp string // the file while it is written; "" once it is in place
	out  string // where it goes; "" = nowhere: the file has no name
}

// newKeeper makes the file: beside out when it is to stay, else in dir, where its name is removed at once.
func newKeeper(dir, out string) (*keeper, error) {
	place, pattern := dir, "idemctl-*.scan"
	if out != "" {
		place, pattern = filepath.Dir(out), "."+filepath.Base(out)+"-*"
	}
	f, err := os.CreateTemp(place, pattern)
	if err != nil {
		return nil, fmt.Errorf("making the result file: %w", err)
	}
	k := &keeper{temp: f.Name(), out: out}
	if err := f.Close(); err != nil {
		return nil, errors.Join(fmt.Errorf("making the result file: %w", err), k.discard())
	}
	if err := k.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("making the result file: %w", err), k.discard())
	}
	return k, nil
}

func (k *keeper) open() error {
	db, err := sql.Open("sqlite", fileURI(k.temp)+"?_pragma=journal_mode(off)&_pragma=synchronous(off)&_pragma=locking_mode(exclusive)&_pragma=cache_size(-1024)&_pragma=temp_store(memory)")
	if err != nil {
		return err
	}
	k.db = db
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(fmt.Sprintf("PRAGMA application_id=%d; PRAGMA user_version=%d;", savedMark, savedVersion) + savedSchema); err != nil {
		return err
	}
	if k.out == "" {
		if err := os.Remove(k.temp); err != nil {
			return err
		}
		k.temp = ""
	}
	return nil
}

// add writes a case.
func (k *keeper) add(c *Case) error {
	if k.tx == nil {
		tx, err := k.db.Begin()
		if err != nil {
			return fmt.Errorf("writing a case: %w", err)
		}
		k.tx = tx
		if k.ins, err = tx.Prepare(`INSERT INTO cases VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`); err != nil {
			return fmt.Errorf("writing a case: %w", err)
		}
	}
	body, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("writing a case: %w", err)
	}
	var minor, exponent, currency any
	if c.Amount.Valid {
		minor, exponent, currency = c.Amount.Minor, int64(c.Amount.Exponent), c.Amount.Currency
	}
	at, row := orderOf(c), RowOf(c)
	_, err = k.ins.Exec(at.id, at.rank, at.until, at.severity, c.Headline().String(), kindBits(c.Kinds),
		c.Contract, c.Executed.String(), c.RetryNow.String(), minor, exponent, currency, string(body), sumOf(body), row.bytes())
	if err != nil {
		return fmt.Errorf("writing a case: %w", err)
	}
	if k.n++; k.n%perCommit == 0 {
		return k.commit()
	}
	return nil
}

func (k *keeper) commit() error {
	if k.tx == nil {
		return nil
	}
	err := errors.Join(k.ins.Close(), k.tx.Commit())
	k.tx, k.ins = nil, nil
	if err != nil {
		return fmt.Errorf("writing cases: %w", err)
	}
	return nil
}

// clear drops all cases, for a scan that must judge again.
func (k *keeper) clear() error {
	if err := k.commit(); err != nil {
		return err
	}
	k.n = 0
	_, err := k.db.Exec("DELETE FROM cases")
	return err
}

// finish writes the manifest and puts the file in its place, durably.
func (k *keeper) finish(m *Manifest) error {
	if err := k.commit(); err != nil {
		return err
	}
	body, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("writing the manifest: %w", err)
	}
	if _, err := k.db.Exec(savedOrder); err != nil {
		return fmt.Errorf("ordering the cases: %w", err)
	}
	if _, err := k.db.Exec("INSERT INTO manifest VALUES(1,?,?)", string(body), sumOf(body)); err != nil {
		return fmt.Errorf("writing the manifest: %w", err)
	}
	if k.out == "" {
		return nil
	}
	if err := k.db.Close(); err != nil {
		return fmt.Errorf("closing the saved scan: %w", err)
	}
	k.db = nil
	if err := syncFile(k.temp); err != nil {
		return fmt.Errorf("writing the saved scan: %w", err)
	}
	if err := os.Rename(k.temp, k.out); err != nil {
		return fmt.Errorf("putting the saved scan in place: %w", err)
	}
	k.temp = ""
	return syncFile(filepath.Dir(k.out))
}

func syncFile(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// discard drops the file and whatever was written.
func (k *keeper) discard() error {
	var err error
	if k.tx != nil {
		err = k.tx.Rollback()
	}
	if k.db != nil {
		err = errors.Join(err, k.db.Close())
	}
	if k.temp != "" {
		err = errors.Join(err, os.Remove(k.temp))
	}
	return err
}

// queuePlace is a case's place in the queue: exposure, nearest deadline, severity, id.
type queuePlace struct {
	rank, until, severity int64
	id                    string
}

func orderOf(c *Case) queuePlace {
	return queuePlace{exposureRank(c.Exposure.State), c.Exposure.Until.UnixNano(), int64(c.Severity), c.CaseID}
}

// exposureRank orders cases: open, unknown, the nearest deadline, none.
func exposureRank(s reconcile.ExposureState) int64 {
	switch s {
	case reconcile.ExposureOpen:
		return 0
	case reconcile.ExposureUnknown:
		return 1
	case reconcile.ExposureUntil:
		return 2
	case reconcile.ExposureNone:
	}
	return 3
}

func kindBits(ks []reconcile.Kind) int64 {
	var bits int64
	for _, k := range ks {
		bits |= 1 << k
	}
	return bits
}

// sumOf tells a body that a disk or a transfer has changed; it is no seal against a person.
func sumOf(body []byte) int64 { return int64(crc32.Checksum(body, castagnoli)) }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)
