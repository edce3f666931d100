package tui

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/tui/keymap"
)

// Result is a scan that has run, or a saved one.
type Result interface {
	Manifest() *scan.Manifest
	// Cases yields the cases in the queue's order.
	Cases(ctx context.Context, f scan.Filter) iter.Seq2[*scan.Case, error]
	// Case returns the one case whose id begins so.
	Case(ctx context.Context, prefix string) (*scan.Case, error)
	Close() error
}

// Deps is what the console asks of the rest of the program. A func that is nil is something that cannot be done here; the strings say why.
type Deps struct {
	// Load reads the sources, or opens a saved scan. It writes to progress meanwhile, and stops when ctx is cancelled.
	Load func(ctx context.Context, progress *scan.Progress) (Result, error)
	// SourceOff says why the sources cannot be read anew, "" when they can.
	SourceOff string

	// Decide reads the evidence anew, asks the guard and records: one answer for each case.
	Decide func(ctx context.Context, r Request) ([]Answer, error)
	// Withdraw takes a live decision back.
	Withdraw func(ctx context.Context, id, reason string) (Decision, error)
	// Outcome records how a decision ended.
	Outcome func(ctx context.Context, id string, o reconcile.DecisionOutcome, ref, reason string) (Decision, error)
	// DeskOff says why nothing can be decided, "" when it can.
	DeskOff string

	// Decisions yields every recorded decision, oldest first.
	Decisions func(ctx context.Context) iter.Seq2[Decision, error]
	// Log returns up to limit entries of the trail before an entry, newest first; before 0 means from the newest.
	Log func(ctx context.Context, before int64, limit int) ([]Entry, error)
	// Evidence returns what was on the screen when an entry was written.
	Evidence func(ctx context.Context, seq int64) ([]byte, error)
	// Verify checks the whole trail.
	Verify func(ctx context.Context, progress func(done, of int64)) (Report, error)
	// Trouble says why the trail is not to be trusted, nil when it is.
	Trouble func() error
	// TrailOff says why there is no trail to show, "" when there is one.
	TrailOff string
}

// ErrInDoubt is returned by a write when it is not known whether the trail kept it.
var ErrInDoubt = errors.New("it is not known whether the record was kept")

// Request is one operator's decision about one case, or the same about several.
type Request struct {
	Cases    []string
	Decision reconcile.Decision
	As       reconcile.Resolution
	Reason   string
	Ref, To  string
	At       reconcile.Instant
	Seen     map[string]string // case → digest of the evidence that was on the screen
}

// Answer is what became of a request for one case.
type Answer struct {
	Case         string
	Decision     *Decision // nil when it was refused
	Code, Reason string    // of a refusal
}

// Decision is a recorded decision.
type Decision struct {
	reconcile.Decided
	Seq      int64
	Operator string
	Reason   string
	Changed  bool // the case rests on other evidence now
}

// Entry is one record of the trail, as a list shows it.
type Entry struct {
	Seq      int64
	Type     string
	At       reconcile.Instant
	Operator string
	Case     string
	Decision string
	Action   string // what was decided or recorded, in words
	Reason   string
	Ref, To  string
	Tool     string
	Signed   bool
	Evidence bool   // what was on the screen is kept
	Body     []byte // as stored
}

// Report is the result of a check of the trail.
type Report struct {
	Entries int64
	Head    string
	Faults  []Fault
	Notes   []string
}

// Fault is one thing that is wrong with the trail, and where.
type Fault struct{ Where, What string }

// Options is how the console is run.
type Options struct {
	In      io.Reader // nil: the terminal
	Out     io.Writer
	Err     io.Writer // for what is told when the console is ended while it records
	Now     func() time.Time
	Env     func(string) string
	Config  string // what is open, as the operator wrote it
	Actor   string // who decides, as the trail will say
	Fixture bool   // nothing here touches real systems
	Theme   string // "" chooses by the environment
	Glyphs  string // unicode, ascii, "" chooses by the environment
	Keys    *keymap.Map
	Faults  string // the folder for the stack of a fault
}
