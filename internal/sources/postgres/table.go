package postgres

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"

	"example.com/idemctl/internal/sources/jsonwalk"
	"example.com/idemctl/internal/sources/rows"
)

// way is how the rows of a table are found again.
type way uint8

const (
	// place: by their place in the table's one file, its ctid.
	place way = iota
	// tree: by the partition or heir that holds them, and their ctid in it.
	tree
	// ordinal: by their number in a cursor that the server keeps, because what is read has no places.
	ordinal
)

// table implements rows.Table. What it reads it reads on its own session, in the store's snapshot.
type table struct {
	store    *Store
	reader   *session
	second   *session // prefetches the next part of a large table, nil when there is none
	relation relation
	children map[uint32]string // the tables below it, by oid, and itself
	name     string            // as it stands in locators
	from     string            // what follows FROM
	way      way
	whole    bool
	limit    rows.Limit
	notes    []string
	cols     []column
	id       []int // the columns that name a row in its locator; none: its place does
	total    int64 // an estimate of the rows
	blocks   int64

	paths    int
	wanted   []jsonwalk.Column
	branches []uint32 // tree: the oids in the order in which the server reads them, which positions count
	declared bool     // ordinal: the cursor stands
	current  current
	scratch  []byte // texts that are made of binary values, for one row

	progress struct{ rows, bytes atomic.Int64 }
}

var _ rows.Table = (*table)(nil)

// A position is the branch, the block and the place in it; or the ordinal.
const (
	placeBits  = 16
	branchBits = 48
	maxBranch  = 1 << (64 - branchBits)
)

// posOf reads the position that stands in the first columns of a row.
func (t *table) posOf(values [][]byte, n int64) (rows.Pos, error) {
	if t.way == ordinal {
		return rows.Pos(n), nil
	}
	if t.way == place {
		return ctid(values[0])
	}
	at, err := ctid(values[1])
	if err != nil || len(values[0]) != 4 {
		return 0, errShape
	}
	oid := binary.BigEndian.Uint32(values[0])
	branch := len(t.branches) - 1
	if branch < 0 || t.branches[branch] != oid {
		if branch = slices.Index(t.branches, oid); branch < 0 {
			if branch = len(t.branches); branch == maxBranch {
				return 0, fmt.Errorf("more than %d partitions", maxBranch)
			}
			t.branches = append(t.branches, oid)
		}
	}
	return rows.Pos(branch)<<branchBits | at, nil
}

func ctid(value []byte) (rows.Pos, error) {
	if len(value) != 6 {
		return 0, errShape
	}
	return rows.Pos(binary.BigEndian.Uint32(value))<<placeBits | rows.Pos(binary.BigEndian.Uint16(value[4:])), nil
}

// shownPlace writes the ctid of a position as the server does.
func shownPlace(pos rows.Pos) string {
	const block, row = 1<<32 - 1, 1<<placeBits - 1
	return "(" + strconv.FormatUint(uint64(pos>>placeBits&block), 10) + "," + strconv.FormatUint(uint64(pos&row), 10) + ")"
}

// Columns implements rows.Table.
func (t *table) Columns() []rows.Column {
	out := make([]rows.Column, len(t.cols))
	for i, c := range t.cols {
		out[i] = c.Column
	}
	return out
}

// Notes says what is remarkable about the table itself.
func (t *table) Notes() []string { return slices.Clone(t.notes) }

// current is the row that is being handed over.
type current struct {
	pos    rows.Pos
	values [][]byte
	pick   *selection
}

// Locator implements rows.Table. A row is named by its key while it is handed over, else by its place.
func (t *table) Locator(pos rows.Pos) string {
	if len(t.id) > 0 && t.current.values != nil && t.current.pos == pos {
		b := append([]byte(t.name), '/')
		for i, c := range t.id {
			if i > 0 {
				b = append(b, ',')
			}
			var cell rows.Cell
			t.read(t.current.values, t.current.pick, slices.Index(t.current.pick.columns, c), &cell)
			b = appendKey(b, cell)
		}
		return string(b)
	}
	switch t.way {
	case ordinal:
		return t.name + "/#" + strconv.FormatUint(uint64(pos), 10)
	case tree:
		if branch := int(pos >> branchBits); branch < len(t.branches) {
			return t.children[t.branches[branch]] + "/" + shownPlace(pos)
		}
	case place:
	}
	return t.name + "/" + shownPlace(pos)
}

// Progress implements rows.Table.
func (t *table) Progress() rows.Progress {
	return rows.Progress{Rows: t.progress.rows.Load(), Bytes: t.progress.bytes.Load(), Total: t.total, Unit: "rows"}
}

// Close implements rows.Table.
func (t *table) Close() error {
	t.store.mu.Lock()
	t.store.tables = slices.DeleteFunc(t.store.tables, func(o *table) bool { return o == t })
	t.store.mu.Unlock()
	t.release()
	return nil
}

func (t *table) release() {
	t.reader.close()
	t.second.close()
	t.reader, t.second = nil, nil
}

// live makes sure that the table has a session to read on; one that was given up, by a cancel for instance, is replaced in the same snapshot.
func (t *table) live(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if t.reader.alive() {
		return nil
	}
	t.reader.close()
	t.reader, t.declared = nil, false
	var err error
	t.reader, err = t.store.patiently(ctx)
	return err
}

// failed says why a pass over the table ended early.
func (t *table) failed(ctx context.Context, err error) (rows.Extent, error) {
	if ctx.Err() != nil {
		return rows.Extent{Reason: "interrupted", Hint: "run the scan to its end"}, ctx.Err()
	}
	err = t.store.target.explain(t.name, err)
	return rows.Extent{Reason: err.Error(), Hint: rows.HintOf(err)}, err
}
