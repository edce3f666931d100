package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Place says where a trail is kept.
type Place struct {
	Path  string // of the SQLite file
	State string // folder for what this machine remembers of trails; "" = $XDG_STATE_HOME/idemctl/pins
	Keys  string // folder of this machine's key; "" = a folder in State where that is given, else $XDG_CONFIG_HOME/idemctl/keys
}

// site is a Place made definite.
type site struct {
	path, lock, keys string
	memory           memory
}

const fileAdvice = "name another place with audit: sqlite:PATH in the config"

// resolve finds the definite paths; it makes nothing.
func (p Place) resolve() (site, error) {
	abs, err := filepath.Abs(p.Path)
	if err == nil && p.Path == "" {
		err = errors.New("no path")
	}
	if err != nil {
		return site{}, &PlaceError{p.Path, err.Error(), fileAdvice}
	}
	// Two ways to one folder are one place; the file itself must be no link.
	dir, err := filepath.EvalSymlinks(filepath.Dir(abs))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return site{}, &PlaceError{abs, err.Error(), fileAdvice}
	}
	if err == nil {
		abs = filepath.Join(dir, filepath.Base(abs))
	}
	s := site{path: abs, lock: strings.TrimSuffix(abs, filepath.Ext(abs)) + ".lock", keys: p.Keys, memory: memory{p.State}}
	if s.lock == abs {
		s.lock += ".lock"
	}
	switch {
	case s.keys == "" && p.State != "":
		s.keys = filepath.Join(p.State, "keys")
	case s.keys == "":
		config, err := os.UserConfigDir()
		if err != nil {
			return site{}, &PlaceError{abs, err.Error(), "set HOME or XDG_CONFIG_HOME: this machine's key is kept there"}
		}
		s.keys = filepath.Join(config, "idemctl", "keys")
	}
	if p.State == "" {
		state, err := stateHome()
		if err != nil {
			return site{}, &PlaceError{abs, err.Error(), "set HOME or XDG_STATE_HOME: what this machine remembers of the trail is kept there"}
		}
		s.memory.dir = filepath.Join(state, "idemctl", "pins")
	}
	return s, nil
}

func stateHome() (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "state"), err
}

// standing says what stands at the trail's path.
type standing uint8

const (
	nothing standing = iota
	empty            // a file without a byte: its making was cut short
	file
)

// smallestFile is one page of the smallest kind.
const smallestFile = 512

// look examines the path without opening it.
func (s site) look() (standing, error) {
	info, err := os.Lstat(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nothing, s.orphans()
	}
	switch {
	case err != nil:
		return nothing, &PlaceError{s.path, err.Error(), fileAdvice}
	case !info.Mode().IsRegular():
		return nothing, &PlaceError{s.path, "not a regular file", "name the file itself: a link to it could be pointed elsewhere"}
	case info.Mode().Perm()&0o022 != 0:
		return nothing, &PlaceError{s.path, fmt.Sprintf("others can write it (mode %04o)", info.Mode().Perm()), "type: chmod 600 " + s.path}
	}
	if n := names(info); n != "" {
		what := fmt.Sprintf("the file has %s names (hard links): under each it would have a lock and a -wal of its own, and what is recorded under one is lost to the other", n)
		return nothing, &PlaceError{s.path, what, "remove the other names, see: find / -samefile " + s.path}
	}
	if err := localOnly(s.path); err != nil {
		return nothing, err
	}
	switch size := info.Size(); {
	case size == 0:
		return empty, nil
	case size < smallestFile: // SQLite would take it for an empty one
		return nothing, &Trouble{Kind: ErrDamaged, Path: s.path, What: fmt.Sprintf("the file has %d bytes: too few for a database", size), Advice: damageAdvice}
	}
	return file, nil
}

// orphans refuses a -wal or a journal whose database is gone: a new database beside it could swallow it.
func (s site) orphans() error {
	for _, suffix := range []string{"-wal", "-journal"} {
		if info, err := os.Lstat(s.path + suffix); err == nil && info.Size() > 0 {
			return &Trouble{Kind: ErrRolledBack, Path: s.path, What: "the file is gone, its " + suffix + " still stands", Advice: rollbackAdvice}
		}
	}
	return nil
}

// alone reports whether all of the trail is in its file.
func (s site) alone() bool {
	info, err := os.Lstat(s.path + "-wal")
	return errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0
}

// prepare makes the folder of the trail, for this account alone, where it does not stand; one that others can write is refused.
func (s *site) prepare() error {
	dir := filepath.Dir(s.path)
	if err := ensureDir(dir); err != nil {
		return &PlaceError{s.path, err.Error(), fileAdvice}
	}
	dirPath, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return &PlaceError{s.path, err.Error(), fileAdvice}
	}
	if err := localOnly(dirPath); err != nil {
		return err
	}
	// The folder may have been made just now, behind a link.
	s.lock, s.path = filepath.Join(dirPath, filepath.Base(s.lock)), filepath.Join(dirPath, filepath.Base(s.path))
	return nil
}

// uri is the only way in which the package names a database to SQLite.
func (s site) uri(query string) string {
	var b strings.Builder
	b.WriteString("file:")
	for _, c := range []byte(s.path) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`?#%"'\`, c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String() + "?" + query
}
