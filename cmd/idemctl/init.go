package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/draft"
	"example.com/idemctl/internal/sources"
	"example.com/idemctl/internal/text"
)

type initOptions struct {
	out   string
	name  string
	force bool
}

func newInit(env *Env) *cobra.Command {
	var opt initOptions
	cmd := &cobra.Command{
		Use:   "init (DSN|PATH)...",
		Short: "look at a store and write a config for it",
		Long: `Looks at a PostgreSQL database (postgres://…), SQLite databases and files (JSON lines, JSON, CSV),
recognises their tables by name, columns and types and their records by their members, and
writes a config: known ones by preset, others by the spellings that many services use. What it
cannot know stands beside as a comment. A password is never written. The stores are only read.`,
		Example: "  idemctl init app.sqlite >idemctl.yaml\n  idemctl init postgres://reader@db.internal/orders events.jsonl --out idemctl.yaml",
		Args:    arguments(1, 1000, "a database or files"),
		RunE:    func(cmd *cobra.Command, args []string) error { return runInit(cmd.Context(), env, &opt, args) },
	}
	f := cmd.Flags()
	f.StringVar(&opt.out, "out", "", "write the config to this `FILE` instead of standard output")
	f.StringVar(&opt.name, "name", "", "the config's `NAME`; without it, the first store's")
	f.BoolVar(&opt.force, "force", false, "replace the file that --out names")
	return cmd
}

func runInit(ctx context.Context, env *Env, opt *initOptions, args []string) error {
	if opt.force && opt.out == "" {
		return &usageError{what: "--force without --out: there is no file to replace", hint: "add --out FILE"}
	}
	if _, err := os.Lstat(opt.out); opt.out != "" && err == nil && !opt.force {
		return &failure{what: opt.out + " is there already, and is left as it is", hint: "choose another name, or replace it with --force"}
	}
	presets, err := config.ReadPresets()
	if err != nil {
		return err
	}
	targets, err := initTargets(args, filepath.Dir(opt.out))
	if err != nil {
		return err
	}
	found, err := draft.Look(ctx, sources.Place{Dir: "."}, targets, presets)
	if err != nil {
		return err
	}
	name := opt.name
	if name == "" {
		name = targets[0].Name
	}
	data, err := draft.Write(draft.PlainName(name), found)
	if errors.Is(err, draft.ErrNothing) {
		return &failure{what: "nothing was recognised: no table and no file here looks like receipts, rows with keys, an outbox or a known log", hint: passedHint(found)}
	}
	if err != nil {
		return err
	}
	env.sayFound(found)
	if opt.out == "" {
		_, err = env.Out.Write(data)
		return err
	}
	if err := keep(opt.out, data, opt.force); err != nil {
		return err
	}
	env.talk("written to %s: settle what begins with #, then idemctl check %s", text.SafeString(opt.out), text.SafeString(opt.out))
	return nil
}

func passedHint(found *draft.Found) string {
	const most = 8
	names := found.Passed
	if len(names) > most {
		names = append(slices.Clone(names[:most]), fmt.Sprintf("and %d more", len(found.Passed)-most))
	}
	return "write the map by hand (docs/config.md), or look at idemctl presets; seen: " + text.SafeString(strings.Join(names, ", "))
}

// sayFound tells what was recognised as what.
func (e *Env) sayFound(found *draft.Found) {
	for i := range found.Sources {
		s := &found.Sources[i]
		how := "by the names of its columns: look at each"
		if s.Preset != nil {
			how = "preset " + s.Preset.Name
		}
		e.talk("%s: %s, %s", text.SafeString(s.Name), s.Role, how)
	}
	if n := len(found.Passed); n > 0 {
		e.talk("%d passed over: %s", n, text.SafeString(text.Truncate(strings.Join(found.Passed, ", "), 200)))
	}
}

// keep writes the config whole or not at all, and over nothing that is there unless told to.
func keep(name string, data []byte, force bool) (err error) {
	if !force {
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			return &failure{what: name + " is there already, and is left as it is", hint: "choose another name, or replace it with --force"}
		}
		if err != nil {
			return err
		}
		if _, err := f.Write(data); err != nil {
			return errors.Join(err, f.Close(), os.Remove(name))
		}
		return f.Close()
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".idemctl-init-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// initTargets turns the arguments into stores. dir is the folder of the config, to which paths in it are relative.
func initTargets(args []string, dir string) ([]draft.Target, error) {
	var out []draft.Target
	for _, arg := range args {
		if isDSN(arg) {
			t, err := dsnTarget(arg)
			if err != nil {
				return nil, err
			}
			out = append(out, t)
			continue
		}
		names, err := filesOf(arg)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			t, err := fileTarget(name, dir)
			if err != nil {
				return nil, err
			}
			out = append(out, t)
		}
	}
	if len(out) == 0 {
		return nil, &failure{what: strings.Join(args, " ") + ": there is no file", hint: "name a database or the files themselves"}
	}
	return out, nil
}

func isDSN(arg string) bool {
	return strings.HasPrefix(arg, "postgres://") || strings.HasPrefix(arg, "postgresql://")
}

// filesOf lists the files of a folder, without those of hidden names; a file is itself.
func filesOf(arg string) ([]string, error) {
	if !isDir(arg) {
		return []string{arg}, nil
	}
	entries, err := os.ReadDir(arg)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		aside := slices.ContainsFunc([]string{"-wal", "-shm", "-journal", ".yaml", ".yml"}, func(end string) bool { return strings.HasSuffix(e.Name(), end) })
		if e.Type().IsRegular() && !strings.HasPrefix(e.Name(), ".") && !aside {
			names = append(names, filepath.Join(arg, e.Name()))
		}
	}
	return names, nil
}

func fileTarget(name, dir string) (draft.Target, error) {
	scheme, err := draft.SchemeOf(name)
	if err != nil {
		return draft.Target{}, &failure{what: name, err: err, hint: "name a SQLite database, SQL text, JSON lines, JSON or CSV"}
	}
	shown := name
	if !filepath.IsAbs(name) {
		absDir, err := filepath.Abs(dir)
		if err != nil {
			return draft.Target{}, err
		}
		abs, err := filepath.Abs(name)
		if err != nil {
			return draft.Target{}, err
		}
		if shown, err = filepath.Rel(absDir, abs); err != nil {
			shown = abs
		}
	}
	return draft.Target{
		Spec: sources.Spec{Scheme: scheme, Path: name, Shown: string(scheme) + ":" + name}, Open: string(scheme) + ":" + filepath.ToSlash(shown),
		Name: strings.SplitN(filepath.Base(name), ".", 2)[0],
	}, nil
}

const passwordVariable = "DATABASE_PASSWORD"

// dsnTarget keeps a password out of what is written: a variable stands in its place.
func dsnTarget(dsn string) (draft.Target, error) {
	u, err := url.Parse(dsn)
	if err != nil {
		return draft.Target{}, &usageError{what: "the connection URL cannot be read", hint: "write postgres://USER@HOST/DATABASE"}
	}
	t := draft.Target{Spec: sources.Spec{Scheme: sources.Postgres, Path: dsn, Shown: "postgres://…"}, Name: path.Base(u.Path)}
	query := u.Query()
	_, given := u.User.Password()
	given = given || query.Has("password")
	query.Del("password")
	query.Del("sslpassword")
	u.RawQuery = query.Encode()
	user := ""
	if u.User != nil {
		user = url.User(u.User.Username()).String()
	}
	u.User = nil
	rest := strings.TrimPrefix(u.String(), u.Scheme+"://")
	t.Open = "postgres://"
	switch {
	case given:
		t.Open += user + ":${" + passwordVariable + "}@"
		t.Note = "set " + passwordVariable + " to the password before idemctl starts, % @ / : ? # in it as %25 %40 %2F %3A %3F %23"
	case user != "":
		t.Open += user + "@"
	}
	t.Open += rest
	if t.Name == "." || t.Name == "/" {
		t.Name = "postgres"
	}
	return t, nil
}
