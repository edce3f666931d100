package histories

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver that writes the store

	"example.com/idemctl/internal/reconcile"
)

// Bulk says how much is written.
type Bulk struct {
	N        int  // receipts, effects and provider lines, each, but for what the anomalies lack or have twice
	Every    int  // one action in so many is anomalous; 0: one in a thousand
	Lost     int  // so many actions in a row, in the middle, have lost their receipts to a restore
	Shuffled bool // rows in no order of time; else each source displaces them a little
}

// Case is a planted anomaly: the case that a scan must find, with exactly these kinds.
type Case struct {
	Identity
	Kinds []reconcile.Kind
}

// Planted is what WriteBulk wrote.
type Planted struct {
	Config   string // the config's path
	Subjects int
	Cases    []Case
}

// The bulk's clock: every action is older than settle and younger than retention.
var (
	bulkNow   = time.Date(2026, 11, 29, 6, 0, 0, 0, time.UTC)
	bulkStart = bulkNow.Add(-20 * time.Hour)
)

const bulkSpan = 18 * time.Hour

// WriteBulk writes a store of mostly healthy actions into dir: orders.sqlite with receipts and orders, charges.jsonl, and the idemctl.yaml that reads
// them. The same options write the same bytes of data. It streams: memory does not grow with N, but for the list of anomalies.
func WriteBulk(ctx context.Context, dir string, opt Bulk) (*Planted, error) {
	if opt.Every == 0 {
		opt.Every = 1000
	}
	p := &Planted{Config: filepath.Join(dir, "idemctl.yaml"), Subjects: opt.N}
	for i := range opt.N {
		if a := opt.action(i); a.plan.kinds != nil {
			p.Cases = append(p.Cases, Case{a.id, a.plan.kinds})
		}
	}
	if err := os.WriteFile(p.Config, []byte(bulkConfig), 0o600); err != nil {
		return nil, fmt.Errorf("writing the config: %w", err)
	}
	if err := opt.writeStore(ctx, filepath.Join(dir, "orders.sqlite")); err != nil {
		return nil, fmt.Errorf("writing the store: %w", err)
	}
	if err := opt.writeLog(ctx, filepath.Join(dir, "charges.jsonl")); err != nil {
		return nil, fmt.Errorf("writing the log: %w", err)
	}
	return p, nil
}

const bulkSchema = `PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
CREATE TABLE receipts (id INTEGER PRIMARY KEY, tenant TEXT, idem_key TEXT, request_hash TEXT, status TEXT, order_id INTEGER, charge TEXT, locked_at INTEGER, created_at INTEGER);
CREATE TABLE orders (id INTEGER PRIMARY KEY, tenant TEXT, idem_key TEXT, amount INTEGER, currency TEXT, status TEXT, charge TEXT, created_at INTEGER);`

func (opt Bulk) writeStore(ctx context.Context, path string) (err error) {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, bulkSchema); err != nil {
		return err
	}
	receipts := &inserter{db: db, table: "receipts (tenant, idem_key, request_hash, status, order_id, charge, locked_at, created_at)", columns: 8}
	orders := &inserter{db: db, table: "orders (id, tenant, idem_key, amount, currency, status, charge, created_at)", columns: 8}
	for at := range opt.N {
		if err := opt.receipt(ctx, receipts, opt.order(at, 1)); err != nil {
			return err
		}
	}
	if err := receipts.close(ctx); err != nil {
		return err
	}
	for at := range opt.N {
		if err := opt.rows(ctx, orders, opt.order(at, 2)); err != nil {
			return err
		}
	}
	return orders.close(ctx)
}

func (opt Bulk) receipt(ctx context.Context, in *inserter, i int) error {
	a := opt.action(i)
	if a.plan.receipt == "" {
		return nil
	}
	var order, charge any
	if a.plan.receipt == "COMPLETED" {
		order, charge = a.order, a.charge()
	}
	return in.add(ctx, a.id.Tenant, a.id.Key, a.hash(), a.plan.receipt, order, charge, a.at.UnixMilli(), a.at.UnixMilli())
}

// rows writes an action's orders; a second one of the same action stands beyond the ids of all first ones.
func (opt Bulk) rows(ctx context.Context, in *inserter, i int) error {
	a := opt.action(i)
	for n := range a.plan.rows {
		id := a.order + int64(n*opt.N)
		if err := in.add(ctx, id, a.id.Tenant, a.id.Key, a.minor, "EUR", "paid", a.charge(), a.at.Add(time.Second).UnixMilli()); err != nil {
			return err
		}
	}
	return nil
}

// inserter writes rows in statements of many and transactions of more.
type inserter struct {
	db      *sql.DB
	tx      *sql.Tx
	stmt    *sql.Stmt
	table   string
	columns int
	args    []any
	pending int // statements in the open transaction
}

const (
	rowsPerInsert  = 50
	insertsPerTurn = 2000
)

func (in *inserter) text(rows int) string {
	row := "(" + strings.TrimSuffix(strings.Repeat("?,", in.columns), ",") + ")"
	return "INSERT INTO " + in.table + " VALUES " + strings.TrimSuffix(strings.Repeat(row+",", rows), ",")
}

func (in *inserter) add(ctx context.Context, values ...any) (err error) {
	in.args = append(in.args, values...)
	if len(in.args) < rowsPerInsert*in.columns {
		return nil
	}
	if in.tx == nil {
		if in.tx, err = in.db.BeginTx(ctx, nil); err != nil {
			return err
		}
		if in.stmt, err = in.tx.PrepareContext(ctx, in.text(rowsPerInsert)); err != nil {
			return err
		}
	}
	if _, err := in.stmt.ExecContext(ctx, in.args...); err != nil {
		return err
	}
	in.args = in.args[:0]
	if in.pending++; in.pending == insertsPerTurn {
		return in.commit()
	}
	return nil
}

func (in *inserter) commit() error {
	if in.tx == nil {
		return nil
	}
	err := errors.Join(in.stmt.Close(), in.tx.Commit())
	in.tx, in.pending = nil, 0
	return err
}

func (in *inserter) close(ctx context.Context) error {
	if err := in.commit(); err != nil {
		return err
	}
	if len(in.args) == 0 {
		return nil
	}
	_, err := in.db.ExecContext(ctx, in.text(len(in.args)/in.columns), in.args...)
	return err
}
