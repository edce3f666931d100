package tui

import (
	"context"
	"io"
	"iter"
	"os"
	"time"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/restore"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/scenario"
	"example.com/idemctl/internal/tui/keymap"
)

// Result is a scan that has run, or a saved one.
type Result interface {
	Manifest() *scan.Manifest
	// Rows yields the cases' rows in the queue's order; each is valid until the next one is asked for.
	Rows(ctx context.Context) iter.Seq2[*scan.Row, error]
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

	// Decide reads the evidence anew, asks the guard and records: one answer for each case. What stands in the answers is recorded, whatever the error says.
	Decide func(ctx context.Context, r audit.Request) ([]audit.Answer, error)
	// Withdraw takes a live decision back.
	Withdraw func(ctx context.Context, id, reason string) (audit.Decision, error)
	// Outcome records what came of a decision.
	Outcome func(ctx context.Context, id string, o reconcile.DecisionOutcome, ref, reason string) (audit.Decision, error)
	// Confirm records what a restore took of a store.
	Confirm func(ctx context.Context, r audit.Restore) (audit.Restore, error)
	// Retract takes back what was confirmed of a restore.
	Retract func(ctx context.Context, id, reason string) (audit.Restore, error)
	// DeskOff says why nothing can be decided, "" when it can.
	DeskOff string

	// Restore reads off a result what a restore has left behind.
	Restore func(ctx context.Context, r Result) (*RestoreSum, error)

	// Standing reads every recorded decision, and how the trail is.
	Standing func(ctx context.Context) (Standing, error)
	// Log returns up to limit entries of the trail from an entry backwards, newest first; from < 0 means from the newest.
	Log func(ctx context.Context, from int64, limit int) ([]audit.Entry, error)
	// Evidence returns what was on the screen when an entry was written.
	Evidence func(ctx context.Context, seq int64) ([]byte, error)
	// Verify checks the whole trail.
	Verify func(ctx context.Context, progress func(done, of int64)) (audit.Report, error)
	// TrailOff says why there is no trail to show, "" when there is one.
	TrailOff string
}

// RestoreSum is what a restore has left behind, and what a plan would put back.
type RestoreSum struct {
	Audit       *restore.Audit
	Insertable  int64                 // receipts that a plan puts back
	Unbuildable int64                 // those that cannot be rebuilt
	Refused     []restore.Unbuildable // the first few of them
	PlanOff     string                // why there is no plan, "" when there is one
}

// Standing is what the trail holds.
type Standing struct {
	Decisions map[string][]audit.Decision // by case, oldest first
	Restores  []audit.Restore             // that operators confirmed, and that stand
	Trouble   error                       // why the trail is not to be trusted, nil when it is
}

// Options is how the console is run.
type Options struct {
	In, Out *os.File         // the terminal
	Resized <-chan os.Signal // tells that the terminal's size is another; nil = it never is
	Err     io.Writer        // for what is told when the console is ended while it records
	Now     func() time.Time
	Env     func(string) string
	Config  string         // what is open, as the operator wrote it
	Actor   string         // who decides, as the trail will say
	Fixture bool           // nothing here touches real systems
	Play    *scenario.Play // the scenario that is played; nil outside training
	Theme   string         // "" chooses by the environment
	Glyphs  string         // unicode, ascii, "" chooses by the environment
	Keys    *keymap.Map
	Faults  string // the folder for the stack of a fault
	// Copy hands a text to a clipboard and says which; nil where the terminal itself is asked.
	Copy func(ctx context.Context, text string) (how string, err error)
	// Suspend stops the process until its shell wakes it; nil where none would.
	Suspend func() error
}
