package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"example.com/idemctl/internal/sources/sqlite/engine"
)

const hintScript = "the text may only create tables, indexes and views, and insert rows"

// OpenSQL loads readable SQL text into a private database that all tables of the store share. An error names name and the line.
func OpenSQL(ctx context.Context, name string, text []byte, tempDir string) (*Store, error) {
	s := &Store{shown: name}
	o := opener{shown: name, tempDir: tempDir, patience: patience}
	if err := o.load(ctx, s, text); err != nil {
		return nil, errors.Join(err, s.abandon())
	}
	return s, nil
}

func (o opener) load(ctx context.Context, s *Store, text []byte) error {
	if at := bytes.IndexByte(text, 0); at >= 0 {
		return hinted("save the file as UTF-8", "%s:%d: a NUL byte in SQL text", o.shown, line(string(text), at))
	}
	path, err := o.folder(s)
	if err != nil {
		return err
	}
	c, err := openPrivate(path)
	if err != nil {
		return fmt.Errorf("loading %s: %w", o.shown, err)
	}
	err = c.Harden()
	if err == nil {
		err = c.GuardScript()
	}
	if err == nil {
		err = o.run(ctx, c, strings.TrimPrefix(string(text), "\ufeff"))
	}
	if err = errors.Join(err, c.Close()); err != nil {
		return err
	}
	s.notes = append(s.notes, "SQL text, loaded into a private database")
	if err := s.becomePrivate(path, Loaded); err != nil {
		return err
	}
	return s.check(ctx)
}

// run executes the statements one after the other.
func (o opener) run(ctx context.Context, c *engine.Conn, text string) error {
	release := c.Watch(ctx)
	defer release()
	for rest := text; ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		start := len(text) - len(rest)
		s, after, err := c.PrepareFirst(rest)
		if err == nil && s == nil {
			break
		}
		if err == nil {
			err = s.Run()
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return o.complain(text, start, err)
		}
		rest = after
	}
	if c.InTransaction() {
		return hinted("end the text with COMMIT;", "%s: a transaction was begun and not committed", o.shown)
	}
	return nil
}

// complain says on which line the text is wrong: where the library points, else where the statement begins.
func (o opener) complain(text string, start int, err error) error {
	hint := ""
	at := start + blank(text[start:])
	var known *engine.Error
	if errors.As(err, &known) && known.Offset >= 0 {
		at = start + known.Offset
	}
	if engine.IsForbidden(err) {
		hint = hintScript
	}
	return hinted(hint, "%s:%d: %w", o.shown, line(text, at), err)
}

// line counts lines from 1.
func line(text string, at int) int { return 1 + strings.Count(text[:min(at, len(text))], "\n") }

// blank is the length of the white space and comments that text begins with.
func blank(text string) int {
	at := 0
	for at < len(text) {
		rest := text[at:]
		switch {
		case strings.HasPrefix(rest, "--"):
			at += through(rest, "\n")
		case strings.HasPrefix(rest, "/*"):
			at += through(rest, "*/")
		case strings.IndexByte(" \t\r\n\f;", rest[0]) >= 0:
			at++
		default:
			return at
		}
	}
	return at
}

// through is the length of text up to and with its first end, all of it when there is none.
func through(text, end string) int {
	if i := strings.Index(text, end); i >= 0 {
		return i + len(end)
	}
	return len(text)
}
