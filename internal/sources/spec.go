// Package sources opens stores and logs, maps their rows to records and reports what each covers.
//
// # What it is
//
// Open takes the config's sources and returns a Set of Readers. Sources that name one file share one store and so one snapshot. Each Reader
// scans its rows as records, fetches some of them again with their raw columns, and says as Facts what it could show.
//
// # What it never does
//
// It knows no rule and writes to no source. It never takes a source that failed for an empty one: what cannot be opened, or read to its end,
// is incomplete, with a reason and a hint, and the others are read all the same.
//
// # Invariants
//
//   - Snapshots are taken one after the other: of what does not serve, intents, outbox and provider first, then of effects, of receipts last, so that a
//     receipt committed meanwhile is seen and no effect looks orphaned by the order of reading. Facts tell each source's turn.
//   - A row is handed over as one record, or counted as unreadable with its place, or counted as left out by where.
//   - Reasons and places are safe to show.
package sources

import (
	"context"
	"fmt"
	"io/fs"
	"time"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources/mapping"
	"example.com/idemctl/internal/sources/rows"
)

// Scheme is how a source is opened.
type Scheme string

// The schemes of interface.md; those not built yet are refused by Open with a hint.
const (
	SQLite   Scheme = "sqlite"
	Postgres Scheme = "postgres"
	JSONL    Scheme = "jsonl"
	JSON     Scheme = "json"
	CSV      Scheme = "csv"
	Text     Scheme = "text"
)

// InFiles reports whether the records stand in files that a glob names, not in a database.
func (s Scheme) InFiles() bool { return s == JSONL || s == JSON || s == CSV || s == Text }

// Spec is one source as the config declares it.
type Spec struct {
	Name        string
	Role        reconcile.Role
	Scheme      Scheme
	Path        string // path, glob or DSN as written after the scheme, ${ENV} already expanded; never printed for postgres
	Shown       string // what may be printed of it: the text before expansion
	Variables   []Variable
	Serves      *bool
	Preset      string // the shipped mapping that fills up what the config leaves out; "" = none
	Table       string
	Query       string
	Where       map[string]string // column or path → value that a row must have to be read at all
	Exclude     []Exclusion       // rows that say nothing of an action, by the reason under which they are counted
	Claim       map[string]string // column or path → value that makes a provider line ours
	TestMode    bool              // rows whose mode says test are read, too
	Skew        time.Duration
	Map         []Field // in the config's order
	Row         string  // "attempt": one line per attempt
	ID          []string
	Rows        []string  // json: the ways to the records, as a map spells paths; none when they stand at the top
	Pattern     string    // text: the regular expression that each line matches; its named groups are the columns
	CSV         *CSVShape // csv: nil = comma, with a header
	Coverage    *DeclaredCoverage
	Lag         time.Duration // how late its rows come where Coverage does not say: that of the provider whose log it is
	Retained    reconcile.Span
	Fingerprint *reconcile.FingerprintSpec
	Components  []string // names in the contracts' scopes
	Several     bool     // several contracts might be meant by a record that tells no operation
	Extra       []string // other names that contracts use: actor, unique columns, the provider key's column
	Line, Col   int      // where it stands in the config, for errors
}

// DeclaredCoverage is what the config says a source covers, where it cannot prove it itself.
type DeclaredCoverage struct {
	From, To   reconcile.Instant
	Lag        time.Duration
	Partitions map[string][]string
}

// Field maps one fact of a record.
type Field = mapping.Field

// Exclusion leaves out rows under a reason by which they are counted.
type Exclusion = mapping.Exclusion

// Presence says that a state holds when a column is not null.
type Presence = mapping.Presence

// CSVShape is how a CSV source is written.
type CSVShape struct {
	Delimiter rune   // 0: whichever of comma, semicolon and tab the header is written with
	Find      bool   // the header is the first line that names all mapped columns
	Header    bool   // the first line after Skip names the columns
	Skip      int    // lines before the header
	Encoding  string // "" = UTF-8
}

// Place is where specs are resolved: a folder, or an embedded fixture.
type Place struct {
	FS      fs.FS  // embedded files; nil means the operating system's files below Dir
	Dir     string // the config's folder; relative paths start here
	TempDir string // where private copies and spill go; "" = os.TempDir
}

// Stats counts what one scan of a source met.
type Stats struct {
	Records     int64
	Unreadable  int64
	Skipped     int64             // rows that Where left out
	Excluded    []Excluded        // rows that an exclusion left out, in the order in which each reason was met first
	Foreign     int64             // records of a provider's log that are not ours: neither their claim nor their operation says so
	EmptyKeys   int64             // records whose key is an empty text: no key
	Problems    []rows.Problem    // the first MaxProblems
	First, Last reconcile.Instant // earliest and latest record time
	Server      rows.Server       // that was read
}

// EmptyKeyNote says what became of records whose key is an empty text, "" where there are none.
func (s *Stats) EmptyKeyNote(role reconcile.Role) string {
	if s.EmptyKeys == 0 {
		return ""
	}
	note := fmt.Sprintf("records whose key is an empty text: %d. It names no action, so they are read as records without a key", s.EmptyKeys)
	if role == reconcile.RoleReceipt {
		note += "; a service that looks such a receipt up answers whoever sends no key with somebody else's result"
	}
	return note
}

// Excluded is how many rows were left out under one reason.
type Excluded struct {
	Reason string
	Rows   int64
}

// MaxProblems is how many unreadable rows a source names; the rest are counted.
const MaxProblems = 20

// Emit receives one mapped record; r is valid during the call only.
type Emit func(pos rows.Pos, r *reconcile.Record) error

// Reader is what the pipeline needs of an opened source.
type Reader interface {
	// Scan maps every row in natural order. Rows that cannot be mapped are counted as unreadable with their place. It returns the context's or emit's
	// error only: a source that fails is incomplete, which Facts says. After it returns, Facts and Stats are final and say how far the source got.
	Scan(ctx context.Context, emit Emit) error
	// Fetch maps the rows at ascending positions again, with locator and raw columns filled; a row that has become unreadable is an error.
	Fetch(ctx context.Context, at []rows.Pos, emit Emit) error
	Facts() reconcile.SourceFacts
	Stats() Stats
	Progress() rows.Progress
	Close() error
}
