package scan

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"iter"
	"strings"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/text"
)

// Filter chooses cases; the zero Filter chooses all.
type Filter struct{ Kinds []reconcile.Kind }

// Result is a scan that has run, or a saved one. It must be closed.
type Result struct {
	manifest Manifest
	db       *sql.DB
	shown    string // the saved scan's name, for errors
}

// Manifest returns what holds for the scan as a whole.
func (r *Result) Manifest() *Manifest { return &r.manifest }

// Close releases the result. A result without a name is gone with it.
func (r *Result) Close() error { return r.db.Close() }

// perPage is how many cases are read at once: between two pages nothing of the file is in use, so that a reader may ask for one case meanwhile.
const perPage = 256

// Cases yields the cases in their fixed order: exposure (open, unknown, nearest deadline, none), severity, id. A damaged file ends in an error.
func (r *Result) Cases(ctx context.Context, f Filter) iter.Seq2[*Case, error] {
	return func(yield func(*Case, error) bool) {
		var n int64
		for after := (*found)(nil); ; {
			page, err := r.page(ctx, f, after)
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range page {
				if !yield(page[i].c, nil) {
					return
				}
			}
			if n += int64(len(page)); len(page) < perPage {
				break
			}
			after = &page[len(page)-1]
		}
		if all := r.manifest.Counts.Cases; n > all || (len(f.Kinds) == 0 && n != all) {
			yield(nil, r.damaged("it should hold %d cases", all))
		}
	}
}

// found is a case as read, with its place in the queue.
type found struct {
	c   *Case
	at  queuePlace
	row int64
}

const selectCase = "SELECT rank, until, severity, id, rowid, body, sum FROM cases "

func (r *Result) page(ctx context.Context, f Filter, after *found) ([]found, error) {
	where, args := "WHERE 1", []any(nil)
	if len(f.Kinds) > 0 {
		where, args = "WHERE kinds & ? <> 0", []any{kindBits(f.Kinds)}
	}
	if after != nil {
		where += " AND (rank, until, severity, id, rowid) > (?,?,?,?,?)"
		args = append(args, after.at.rank, after.at.until, after.at.severity, after.at.id, after.row)
	}
	return r.read(ctx, selectCase+where+fmt.Sprintf(" ORDER BY rank, until, severity, id, rowid LIMIT %d", perPage), args...)
}

func (r *Result) read(ctx context.Context, query string, args ...any) (_ []found, err error) {
	rows, err := r.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, r.unread(ctx, err)
	}
	defer func() { _ = rows.Close() }() // what it could report, Err has reported
	var page []found
	for rows.Next() {
		var one found
		var body []byte
		var sum int64
		if err := rows.Scan(&one.at.rank, &one.at.until, &one.at.severity, &one.at.id, &one.row, &body, &sum); err != nil {
			return nil, r.unread(ctx, err)
		}
		one.c = &Case{}
		if sum != sumOf(body) || json.Unmarshal(body, one.c) != nil || one.at != orderOf(one.c) {
			return nil, r.damaged("a case does not add up")
		}
		page = append(page, one)
	}
	if err := rows.Err(); err != nil {
		return nil, r.unread(ctx, err)
	}
	return page, nil
}

// Case returns the one case whose id begins with prefix.
func (r *Result) Case(ctx context.Context, prefix string) (*Case, error) {
	if prefix == "" {
		return nil, &Error{Msg: "no case is named", Hint: "name a case by its id or the beginning of it; `idemctl scan` lists them"}
	}
	shown := text.Truncate(text.SafeString(prefix), 40)
	hits, err := r.read(ctx, selectCase+"WHERE id >= ? AND id < ? ORDER BY id LIMIT 2", prefix, prefix+"\x7f")
	if err != nil {
		return nil, err
	}
	switch len(hits) {
	case 0:
		return nil, &Error{Msg: fmt.Sprintf("no case begins with %s", shown), Hint: r.nearest(ctx, prefix) + "`idemctl scan` lists the cases with their ids; what a case names as its twin or candidate may be a subject without a case"}
	case 1:
		return hits[0].c, nil
	}
	return nil, &Error{Msg: fmt.Sprintf("several cases begin with %s: %s, %s, …", shown, hits[0].at.id, hits[1].at.id), Hint: "give one more letter of the id", Several: true}
}

// nearest proposes the ids that begin as a mistyped one does, as far as any does, "" where none has its first letter: the index finds them among millions.
func (r *Result) nearest(ctx context.Context, typed string) string {
	const most, longest = 3, 16
	for n := min(len(typed)-1, longest); n > 0; n-- {
		hits, err := r.read(ctx, selectCase+fmt.Sprintf("WHERE id >= ? AND id < ? ORDER BY id LIMIT %d", most), typed[:n], typed[:n]+"\x7f")
		if err != nil {
			return "" // a hint is no place to fail
		}
		if len(hits) == 0 {
			continue
		}
		ids := make([]string, len(hits))
		for i := range hits {
			ids[i] = hits[i].at.id
		}
		return "did you mean " + strings.Join(ids, " or ") + "? "
	}
	return ""
}

// unread tells a cancel from a file that cannot be read.
func (r *Result) unread(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case r.shown != "":
		return r.damaged("%s", text.SafeString(err.Error()))
	}
	return fmt.Errorf("reading cases: %w", err)
}

func (r *Result) damaged(format string, args ...any) *Error {
	return &Error{Msg: r.shown + ": the saved scan is damaged: " + fmt.Sprintf(format, args...), Hint: "scan again with `idemctl scan --out`; a saved scan is never repaired"}
}
