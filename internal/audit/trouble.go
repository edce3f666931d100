package audit

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrNone is that no trail exists at the place.
	ErrNone = errors.New("no audit trail exists yet")
	// ErrReading is an append to a trail that was opened for reading.
	ErrReading = errors.New("the audit trail was opened for reading only")
	// ErrBusy is that another process kept the trail locked for too long. Nothing was recorded.
	ErrBusy = errors.New("another process holds the audit trail")
	// ErrInDoubt is that nobody knows yet whether the records were kept. They must not be made again: look their ids up once the trail opens.
	ErrInDoubt = errors.New("it is not known whether it was recorded")
	// ErrUnpinned is that the records were kept, but this machine could not remember them outside the file.
	ErrUnpinned = errors.New("recorded, but this machine could not remember it")
	// ErrNotFound is that nothing has this id or number.
	ErrNotFound = errors.New("no such record")
	// ErrAmbiguous is that several decisions begin like this.
	ErrAmbiguous = errors.New("several decisions begin like this")
	// ErrRemoved is evidence that was removed from the trail, as a record of it says.
	ErrRemoved = errors.New("the evidence was removed")
	// ErrPlace is a place where a trail cannot be kept safely.
	ErrPlace = errors.New("no place for an audit trail")

	// The kinds of Trouble.

	// ErrRolledBack is a trail that is older than what this machine remembers of it, or gone.
	ErrRolledBack = errors.New("rolled back")
	// ErrForked is a trail that does not extend what this machine remembers of it.
	ErrForked = errors.New("forked")
	// ErrForeign is another trail than the one that this machine remembers at this place.
	ErrForeign = errors.New("another trail")
	// ErrKey is a trail whose checkpoints another key signs than this machine's.
	ErrKey = errors.New("another key")
	// ErrDamaged is a file, a pin or a journal that is not as it was written.
	ErrDamaged = errors.New("damaged")
	// ErrNewer is a trail that a newer version wrote.
	ErrNewer = errors.New("written by a newer version")
)

// Trouble is why a trail can be read, but takes no more records.
type Trouble struct {
	Kind   error // one of the sentinels
	Path   string
	What   string
	Pinned string // the checkpoint that this machine remembers, "" where that does not matter
	Found  string // the file's
	Advice string // what to do
}

func (t *Trouble) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "audit trail %s: %v: %s", t.Path, t.Kind, t.What)
	if t.Pinned != "" {
		fmt.Fprintf(&b, "; remembered: %s", t.Pinned)
	}
	if t.Found != "" {
		fmt.Fprintf(&b, "; found: %s", t.Found)
	}
	return b.String()
}

func (t *Trouble) Unwrap() error { return t.Kind }

// Hint says what to do.
func (t *Trouble) Hint() string { return t.Advice }

// PlaceError is a place that cannot be used, and why.
type PlaceError struct{ Path, What, Advice string }

func (e *PlaceError) Error() string { return fmt.Sprintf("audit trail %s: %s", e.Path, e.What) }
func (e *PlaceError) Unwrap() error { return ErrPlace }

// Hint says what to do.
func (e *PlaceError) Hint() string { return e.Advice }

// DoubtError is ErrInDoubt with the ids to look up.
type DoubtError struct {
	IDs []string
	Err error // what went wrong
}

func (e *DoubtError) Error() string {
	return fmt.Sprintf("%v: %s: %s", ErrInDoubt, strings.Join(e.IDs, ", "), strings.ReplaceAll(e.Err.Error(), "\n", "; "))
}

func (e *DoubtError) Unwrap() []error { return []error{ErrInDoubt, e.Err} }

// Hint says what to do.
func (e *DoubtError) Hint() string {
	return "decide nothing anew: see in the audit log, once it opens, whether these ids stand there"
}
