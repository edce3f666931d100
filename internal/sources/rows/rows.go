// Package rows is the contract between an adapter, which knows a store, and the mapping, which knows the config: typed cells in, no meaning.
//
// An adapter reads one table, query or set of files. It never interprets a cell, never writes to what it reads, and says honestly how far it got.
package rows

import (
	"context"
	"errors"
	"time"
)

// Kind is a cell's type in its store.
type Kind uint8

// The kinds. A missing member and a null are both Null to a rule, but Missing is kept apart for state by presence and for showing.
const (
	Missing Kind = iota
	Null
	Int    // Num holds the value
	Real   // Text holds the source text, or the shortest text that reads back as the same double
	Number // a JSON number that is not a plain int64: Text holds the source text
	Text
	Blob
	Bool // Num is 0 or 1
	JSON // an object or array: Text holds its source text
	Bad  // the cell could not be read: Text says why (too long, bad UTF-8, duplicate member)
)

// Cell is one value. Text is valid until the callback that received it returns.
type Cell struct {
	Kind Kind
	Num  int64
	Text []byte
}

// Path names a cell: a column or top-level member, then members inside its JSON.
type Path struct {
	Column  string
	Members []string
}

// Named is one column of a fetched row, as stored.
type Named struct {
	Name string
	Cell Cell
}

// Pos finds a row again within one opened table: a rowid, a file number and byte offset, an ordinal. Only the adapter that made it reads it.
type Pos uint64

// Problem is a row that could not be read, or a remark on the table.
type Problem struct {
	Place string // table/rowid, file:line
	Text  string
	Hint  string // what to do about it, "" when nothing is known
}

// Extent is how far a table was read.
type Extent struct {
	Complete bool   // every row up to the end of the snapshot was handed over
	Reason   string // why not, for a person
	Hint     string // what to do about it
	Whole    bool   // the snapshot shows all the store holds (a table); false for a log or a query
	Limit    Limit
	Server   Server
}

// Server is by what a database server can be told from another, or from itself after a restore; "" = not known.
type Server struct{ System, Timeline string }

// Limit is up to when a snapshot shows what was written. The zero Limit is none: it shows everything up to the scan's own time.
type Limit struct {
	To    time.Time // rows written from then on may be missing; zero = none is
	Doubt string    // why older ones may be missing too, for a person; then only what is declared counts
	Hint  string    // what to do about the doubt
}

// Progress is a reader's place, read by a ticker while the scan runs.
type Progress struct {
	Rows, Bytes, Total int64 // Total is bytes for files, a row estimate for tables; 0 = unknown
	Unit               string
}

// Permille is how far the reader is, of a thousand; 0 while the size of what it reads is not known.
func (p Progress) Permille() int64 {
	at := p.Rows
	if p.Unit == "bytes" {
		at = p.Bytes
	}
	if p.Total <= 0 {
		return 0
	}
	return min(1000, 1000*at/p.Total)
}

// Yield receives one row: cells[i] belongs to the i-th requested path. An error ends the scan and is returned by it.
type Yield func(pos Pos, cells []Cell) error

// YieldRaw receives one fetched row with all its columns.
type YieldRaw func(pos Pos, locator string, cells []Cell, raw []Named) error

// Table is one opened table, query or set of files in one consistent snapshot. Scan may be called again and yields the same rows in the same order.
// Methods other than Progress are called from one goroutine at a time.
type Table interface {
	// Bind says which cells to read; called once before Scan and Fetch. It fails with ErrNoColumn when a column is not there.
	Bind(paths []Path) error
	// Columns lists the columns or, for files, the top-level members seen in the first rows, with their declared types.
	Columns() []Column
	// Scan hands over every row in natural order, checking ctx at least once every 512 rows. A row that cannot be read goes to bad and is counted,
	// never skipped in silence. The Extent is valid also when err != nil.
	Scan(ctx context.Context, yield Yield, bad func(Problem)) (Extent, error)
	// Fetch reads the rows at these positions, which are ascending and come from Scan, and hands over each exactly once, in that order.
	Fetch(ctx context.Context, at []Pos, yield YieldRaw) error
	// Locator says where a row stands, for a person, without reading it again where possible.
	Locator(pos Pos) string
	// Progress may be called from any goroutine.
	Progress() Progress
	// Close releases the table and removes whatever private copy it made.
	Close() error
}

// Column is a column as the store declares it.
type Column struct {
	Name     string
	Type     string
	Affinity string // SQLite: the affinity that may have changed a value
	Key      bool   // part of the primary key
	NotNull  bool   // the store refuses a row without a value in it
	Fill     Fill   // what a new row gets that does not name it
	Next     int64  // the number that the store will hand out next in it, as of the snapshot or later; 0 = not known
}

// Fill is what a store puts into a column that a new row does not name.
type Fill uint8

// The fills.
const (
	FillNull     Fill = iota // nothing, or it is not known
	FillDefault              // a default
	FillSequence             // the next number of a sequence, which never hands out a number twice unless it is set back
	FillHighest              // one more than the highest number there is: SQLite's INTEGER PRIMARY KEY without AUTOINCREMENT
	FillComputed             // made of other columns; a row that names it is refused
)

// Index is one index of a table, the primary key among them.
type Index struct {
	Columns    []string // in its order; an expression is ""
	Collations []string // of each column: how it compares where it does not compare bytes, "" where it does
	Unique     bool
}

// Relation is a table or a view as a store's catalogue has it. Nothing of it was read.
type Relation struct {
	Name    string // as a source's table names it
	View    bool
	Columns []Column
	Indexes []Index
}

// The reasons for which a table cannot be used; each is wrapped with the place and carries a hint by Explain.
var (
	ErrMissing     = errors.New("no such file")
	ErrUnreachable = errors.New("not reachable")
	ErrEmpty       = errors.New("empty file, not a database")
	ErrDamaged     = errors.New("damaged")
	ErrNotADB      = errors.New("not a database")
	ErrLocked      = errors.New("locked by a writer")
	ErrHot         = errors.New("a crashed writer's journal stands beside it")
	ErrNoTable     = errors.New("no such table")
	ErrNoColumn    = errors.New("no such column")
	ErrCut         = errors.New("cut short")
	ErrUnusable    = errors.New("not a regular file")
	ErrNotText     = errors.New("not a text file")
	ErrChanged     = errors.New("changed while it was read")
)

// HintedError is an error that knows what to do next.
type HintedError struct {
	Err  error
	Hint string
}

func (e *HintedError) Error() string { return e.Err.Error() }
func (e *HintedError) Unwrap() error { return e.Err }

// HintOf returns the hint of err, "" when it has none.
func HintOf(err error) string {
	var h *HintedError
	if errors.As(err, &h) {
		return h.Hint
	}
	return ""
}
