// Package materialise writes a fixture out as real databases, files and config, so that it can be scanned, and a plan tried, outside of the program.
//
// It has a package of its own because nothing else of the program writes what a source may read.
//
// # What it never does
//
// It writes nothing outside of the folder that it is given, and into none that holds anything already.
//
// # Invariants
//
//   - A scan of the folder finds what a scan of the fixture finds.
//   - Where it fails it leaves nothing behind.
package materialise

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	_ "modernc.org/sqlite" // the databases that are written

	"example.com/idemctl/internal/config"
)

// ErrNotEmpty says that a folder holds something already, or is none.
var ErrNotEmpty = errors.New("is not an empty folder")

// Write writes the fixture in the folder name of all to dir, which it makes where it is not there.
func Write(ctx context.Context, all fs.FS, name, dir string) (err error) {
	made, err := prepare(dir)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("opening the folder: %w", err)
	}
	var written []string
	defer func() {
		if err != nil {
			for _, file := range written {
				err = errors.Join(err, root.Remove(file))
			}
			if made {
				err = errors.Join(err, os.Remove(dir))
			}
		}
		err = errors.Join(err, root.Close())
	}()
	entries, err := fs.ReadDir(all, name)
	if err != nil {
		return fmt.Errorf("reading the fixture: %w", err)
	}
	for _, e := range entries {
		file, data, err := one(ctx, all, path.Join(name, e.Name()))
		if err != nil {
			return err
		}
		f, err := root.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return fmt.Errorf("writing the fixture: %w", err)
		}
		written = append(written, file)
		_, err = f.Write(data)
		if err = errors.Join(err, f.Close()); err != nil {
			return fmt.Errorf("writing %s: %w", file, err)
		}
	}
	return nil
}

// prepare makes the folder, or makes sure that it is empty.
func prepare(dir string) (made bool, err error) {
	found, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.Mkdir(dir, 0o700); err != nil {
			return false, fmt.Errorf("making the folder: %w", err)
		}
		return true, nil
	case err != nil:
		if info, stat := os.Stat(dir); stat == nil && !info.IsDir() {
			return false, ErrNotEmpty
		}
		return false, fmt.Errorf("reading the folder: %w", err)
	case len(found) > 0:
		return false, ErrNotEmpty
	}
	return false, nil
}

// one is a file of the fixture as it is written: SQL text as the database that it makes, the config with the databases' names.
func one(ctx context.Context, all fs.FS, file string) (name string, data []byte, err error) {
	if data, err = fs.ReadFile(all, file); err != nil {
		return "", nil, fmt.Errorf("reading the fixture: %w", err)
	}
	name = path.Base(file)
	switch {
	case name == config.FileName:
		return name, inDatabases(data), nil
	case strings.HasSuffix(name, ".sql"):
		if data, err = database(ctx, string(data)); err != nil {
			return "", nil, fmt.Errorf("making the database of %s: %w", name, err)
		}
		return strings.TrimSuffix(name, ".sql") + ".sqlite", data, nil
	}
	return name, data, nil
}

var scripted = regexp.MustCompile(`(open: *"?sqlite:[A-Za-z0-9_.-]+)\.sql\b`)

// inDatabases makes a config name the databases in place of their texts.
func inDatabases(data []byte) []byte { return scripted.ReplaceAll(data, []byte("$1.sqlite")) }

// database is the file that a SQL text makes.
func database(ctx context.Context, script string) (data []byte, err error) {
	dir, err := os.MkdirTemp("", "idemctl-fixture-*")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	file := filepath.Join(dir, "made.sqlite")
	db, err := sql.Open("sqlite", file)
	if err != nil {
		return nil, err
	}
	_, err = db.ExecContext(ctx, script)
	if err = errors.Join(err, db.Close()); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
}
