package scan

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"example.com/idemctl/internal/text"
)

// Error is an error with the next thing to do.
type Error struct {
	Msg     string
	Hint    string
	Several bool // the beginning of an id is that of several cases
}

func (e *Error) Error() string { return e.Msg }

// OpenSaved opens a saved scan for reading. It refuses any other file, one that was cut, and one of a newer version. What of it is damaged is told where it
// is read: each case is checked by itself, so that a large file opens at once.
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
	r := &Result{db: db, shown: shown}
	if err := r.open(ctx, info.Size()); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return r, nil
}

func (r *Result) open(ctx context.Context, size int64) error {
	foreign := &Error{Msg: r.shown + ": not a saved scan, or damaged", Hint: "scan again with `idemctl scan --out`; a saved scan is never repaired"}
	var mark, version, pages, pageSize int64
	if err := r.db.QueryRowContext(ctx, "SELECT application_id, user_version, page_count, page_size FROM pragma_application_id, pragma_user_version, pragma_page_count, pragma_page_size").Scan(&mark, &version, &pages, &pageSize); err != nil {
		return cause(ctx, foreign)
	}
	switch {
	case mark != savedMark:
		return foreign
	case version > savedVersion:
		return &Error{Msg: fmt.Sprintf("%s: written by a newer idemctl (format %d, this one reads %d)", r.shown, version, savedVersion), Hint: "use the version that wrote it, or scan again"}
	case version < savedVersion:
		return &Error{Msg: fmt.Sprintf("%s: written by an older idemctl (format %d, this one reads %d)", r.shown, version, savedVersion), Hint: "scan again"}
	case pages*pageSize != size:
		return r.damaged("it is %d bytes long and should be %d", size, pages*pageSize)
	}
	var body []byte
	var sum int64
	if err := r.db.QueryRowContext(ctx, "SELECT body, sum FROM manifest").Scan(&body, &sum); err != nil {
		return cause(ctx, foreign)
	}
	if sum != sumOf(body) || json.Unmarshal(body, &r.manifest) != nil {
		return r.damaged("its manifest does not add up")
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
