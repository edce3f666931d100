package config

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"example.com/idemctl/internal/sources"
	"example.com/idemctl/internal/text"
)

const (
	maxFile      = 1 << 20
	scenarioName = "scenario.yaml"
	whereHint    = "name a config file, a folder that holds " + FileName + ", or a fixture such as @payments-restore"
)

// Load reads the config that arg names: a file, a folder, an embedded fixture (@NAME), or ./idemctl.yaml when arg is empty. Its errors are *Error.
func Load(arg string, opt Options) (*Config, error) {
	if name, ok := strings.CutPrefix(arg, "@"); ok {
		return loadFixture(name, opt)
	}
	file := arg
	if file == "" {
		file = FileName
	}
	info, err := os.Stat(file)
	if err == nil && info.IsDir() {
		file = filepath.Join(file, FileName)
		info, err = os.Stat(file)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &Error{File: file, Msg: "no such file", Hint: whereHint}
	case err != nil:
		return nil, &Error{File: file, Msg: reason(err), Hint: whereHint}
	case !info.Mode().IsRegular():
		return nil, &Error{File: file, Msg: "not a regular file", Hint: whereHint}
	}
	dir := filepath.Dir(file)
	return load(file, os.DirFS(dir), filepath.Base(file), sources.Place{Dir: dir}, opt)
}

func loadFixture(name string, opt Options) (*Config, error) {
	shown := "@" + name
	names := fixtures(opt.Fixtures)
	for _, n := range names {
		if n != name {
			continue
		}
		sub, err := fs.Sub(opt.Fixtures, name)
		if err != nil {
			return nil, &Error{File: shown, Msg: reason(err), Hint: whereHint}
		}
		return load(shown, sub, FileName, sources.Place{FS: sub, Dir: "."}, opt)
	}
	if len(names) == 0 {
		return nil, &Error{File: shown, Msg: "no such fixture", Hint: "this build embeds none"}
	}
	return nil, &Error{File: shown, Msg: "no such fixture", Hint: suggest(name, names) + "; there are: @" + strings.Join(names, ", @")}
}

// fixtures lists the folders of fsys that hold a config.
func fixtures(fsys fs.FS) []string {
	if fsys == nil {
		return nil
	}
	found, err := fs.Glob(fsys, "*/"+FileName)
	if err != nil {
		return nil
	}
	names := make([]string, len(found))
	for i, f := range found {
		names[i] = path.Dir(f)
	}
	return names
}

func load(shown string, fsys fs.FS, base string, place sources.Place, opt Options) (*Config, error) {
	data, err := read(fsys, base, shown)
	if err != nil {
		return nil, err
	}
	cfg, err := parse(shown, data, opt.Getenv)
	if err != nil {
		return nil, err
	}
	cfg.Path, cfg.Place, cfg.Digest = shown, place, digest(data)
	if _, err := fs.Stat(fsys, scenarioName); errors.Is(err, fs.ErrNotExist) {
		return cfg, nil
	}
	if cfg.Scenario, err = read(fsys, scenarioName, shown+" ("+scenarioName+")"); err != nil {
		return nil, err
	}
	cfg.Fixture = true
	return cfg, nil
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// read returns a whole regular file of at most maxFile bytes.
func read(fsys fs.FS, base, shown string) ([]byte, error) {
	info, err := fs.Stat(fsys, base)
	if err != nil {
		return nil, &Error{File: shown, Msg: reason(err), Hint: whereHint}
	}
	if !info.Mode().IsRegular() {
		return nil, &Error{File: shown, Msg: "not a regular file", Hint: whereHint}
	}
	f, err := fsys.Open(base)
	if err != nil {
		return nil, &Error{File: shown, Msg: reason(err), Hint: "check that you may read it"}
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, &Error{File: shown, Msg: reason(err), Hint: "check that you may read it"}
	}
	if len(data) > maxFile {
		return nil, &Error{File: shown, Msg: fmt.Sprintf("larger than %d bytes", maxFile), Hint: whereHint}
	}
	return data, nil
}

// reason returns what the operating system said, without the path that it repeats.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return text.SafeString(err.Error())
}

// Read reads and checks the text of a config, which is called shown in errors. Nothing that it names is opened, and it has no place of its own.
func Read(shown string, data []byte, getenv func(string) string) (*Config, error) {
	return parse(shown, data, getenv)
}

// parse reads and checks one config. shown is its name in errors.
func parse(shown string, data []byte, getenv func(string) string) (*Config, error) {
	d := &decoder{file: shown, getenv: getenv}
	if d.getenv == nil {
		d.getenv = func(string) string { return "" }
	}
	if err := readable(shown, data); err != nil {
		return nil, err
	}
	root, err := d.parseYAML(bytes.TrimPrefix(data, []byte("\ufeff")))
	if err != nil {
		return nil, err
	}
	cfg := d.config(root)
	if d.err == nil {
		d.check(cfg)
	}
	if d.err != nil {
		return nil, d.err
	}
	return cfg, nil
}
