package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/sources/sqlite/engine"
)

const (
	hintDamaged = "read an intact copy, made by .backup or VACUUM INTO; an older backup in its place would forget what came after. Nothing is concluded from what a damaged file lacks"
	hintHot     = "let the service open its database once, which rolls the journal back, or scan a recovered copy of both files"
	hintLocked  = "try again when the writer has finished, or scan a copy made by .backup"
	hintRights  = "let this user read the database and the files beside it (-wal, -shm)"
	hintChanged = "scan again; the store was written at that moment"
)

func hinted(hint, format string, args ...any) error {
	return &rows.HintedError{Err: fmt.Errorf(format, args...), Hint: hint}
}

// unreachable explains why the operating system did not let the file be read.
func unreachable(shown string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return hinted("check the path; it is relative to the config file", "%s: %w", shown, rows.ErrMissing)
	case errors.Is(err, fs.ErrPermission):
		return hinted(hintRights, "opening %s: %w", shown, bare(err))
	default:
		return hinted("check the path, its links and the disk; idemctl reads plain files only", "opening %s: %w", shown, bare(err))
	}
}

// bare is what the operating system said, without the path: what the file is called is said before it.
func bare(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// explain turns the library's result into one of the reasons of package rows.
func explain(shown string, err error) error {
	var known *engine.Error
	if !errors.As(err, &known) {
		return err
	}
	switch {
	case engine.IsHotJournal(err):
		return hinted(hintHot, "%s: %w", shown, rows.ErrHot)
	case engine.IsBusy(err):
		return hinted(hintLocked, "%s: %w", shown, rows.ErrLocked)
	case engine.IsDamage(err):
		return damaged(shown, known.Text)
	case engine.IsNotDatabase(err):
		return hinted("check the path, or whether the file is encrypted", "%s: %w", shown, rows.ErrNotADB)
	case engine.IsForbidden(err):
		return hinted("a query may only read the database's own tables, without recursion", "%s: %w", shown, err)
	default:
		return fmt.Errorf("reading %s: %w", shown, err)
	}
}

func damaged(shown, text string) error {
	return hinted(hintDamaged, "%s: %w: %s", shown, rows.ErrDamaged, strings.ReplaceAll(text, "\n", "; "))
}
