package scan

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/text"
)

// Error is an error with the next thing to do.
type Error struct {
	Msg  string
	Hint string
}

func (e *Error) Error() string { return e.Msg }

// Filter chooses cases; the zero Filter chooses all.
type Filter struct{ Kinds []reconcile.Kind }

// Result is a scan that has run, or a saved one. It must be closed.
type Result struct {
	manifest Manifest
	db       *sql.DB
}

// Manifest returns what holds for the scan as a whole.
func (r *Result) Manifest() *Manifest { return &r.manifest }

// Close releases the result. A result without a name is gone with it.
func (r *Result) Close() error { return r.db.Close() }

// Cases yields the cases in their fixed order: exposure (open, unknown, nearest deadline, none), severity, id.
func (r *Result) Cases(ctx context.Context, f Filter) iter.Seq2[*Case, error] {
	return func(yield func(*Case, error) bool) {
		rows, err := query(ctx, r.db, f.Kinds)
		if err != nil {
			yield(nil, fmt.Errorf("reading cases: %w", err))
			return
		}
		defer func() { _ = rows.Close() }() // what it could report, Err has reported
		for rows.Next() {
			c, err := scanCase(rows)
			if !yield(c, err) || err != nil {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(nil, fmt.Errorf("reading cases: %w", err))
		}
	}
}

func scanCase(rows *sql.Rows) (*Case, error) {
	var body string
	if err := rows.Scan(&body); err != nil {
		return nil, fmt.Errorf("reading a case: %w", err)
	}
	var c Case
	if err := json.Unmarshal([]byte(body), &c); err != nil {
		return nil, fmt.Errorf("reading a case: %w", err)
	}
	return &c, nil
}

// Case returns the one case whose id begins with prefix.
func (r *Result) Case(ctx context.Context, prefix string) (*Case, error) {
	if prefix == "" {
		return nil, &Error{Msg: "no case is named", Hint: "name a case by its id or the beginning of it; `idemctl scan` lists them"}
	}
	rows, err := r.db.QueryContext(ctx, "SELECT body FROM cases WHERE substr(id, 1, ?) = ? ORDER BY id LIMIT 2", len(prefix), prefix)
	if err != nil {
		return nil, fmt.Errorf("reading a case: %w", err)
	}
	defer func() { _ = rows.Close() }() // what it could report, Err has reported
	var found []*Case
	for rows.Next() {
		c, err := scanCase(rows)
		if err != nil {
			return nil, err
		}
		found = append(found, c)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("reading a case: %w", err)
	}
	shown := text.Truncate(text.SafeString(prefix), 40)
	switch len(found) {
	case 0:
		return nil, &Error{Msg: fmt.Sprintf("no case begins with %s", shown), Hint: "`idemctl scan` lists the cases with their ids"}
	case 1:
		return found[0], nil
	}
	return nil, &Error{Msg: fmt.Sprintf("several cases begin with %s: %s, %s, …", shown, found[0].CaseID, found[1].CaseID), Hint: "give one more letter of the id"}
}

// OpenSaved opens a saved scan for reading. It refuses any other file, a damaged one, and one of a newer version.
func OpenSaved(ctx context.Context, name string) (*Result, error) {
	shown := text.SafeString(name)
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, &Error{Msg: shown + ": no such file", Hint: "write one with `idemctl scan --out " + shown + "`"}
	case err != nil:
		return nil, &Error{Msg: shown + ": " + text.SafeString(err.Error())}
	case !info.Mode().IsRegular():
		return nil, &Error{Msg: shown + ": not a regular file", Hint: "name a file that `idemctl scan --out` wrote"}
	}
	db, err := sql.Open("sqlite", fileURI(name)+"?mode=ro&immutable=1&_pragma=query_only(1)&_pragma=trusted_schema(0)&_pragma=cell_size_check(1)")
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", shown, err)
	}
	db.SetMaxOpenConns(2)
	r := &Result{db: db}
	if err := r.read(ctx, shown); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return r, nil
}

func (r *Result) read(ctx context.Context, shown string) error {
	foreign := &Error{Msg: shown + ": not a saved scan, or damaged", Hint: "scan again with `idemctl scan --out`; a saved scan is never repaired"}
	var mark, version int64
	if err := r.db.QueryRowContext(ctx, "SELECT application_id, user_version FROM pragma_application_id, pragma_user_version").Scan(&mark, &version); err != nil {
		return cause(ctx, foreign)
	}
	switch {
	case mark != savedMark:
		return foreign
	case version > savedVersion:
		return &Error{Msg: fmt.Sprintf("%s: written by a newer idemctl (format %d, this one reads %d)", shown, version, savedVersion), Hint: "use the version that wrote it, or scan again"}
	}
	var ok, body string
	if err := r.db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&ok); err != nil || ok != "ok" {
		return cause(ctx, foreign)
	}
	if err := r.db.QueryRowContext(ctx, "SELECT body FROM manifest").Scan(&body); err != nil {
		return cause(ctx, foreign)
	}
	if err := json.Unmarshal([]byte(body), &r.manifest); err != nil {
		return foreign
	}
	return nil
}

// cause prefers the cancel to what it made fail.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// fileURI names a file to SQLite so that no character of its path is read as an option.
func fileURI(name string) string {
	abs, err := filepath.Abs(name)
	if err != nil {
		abs = name
	}
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(abs)}
	return strings.Replace(u.String(), "file:///", "file:/", 1)
}
