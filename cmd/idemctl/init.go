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
		Long: `Looks at a PostgreSQL database (postgres://…, or '${NAME}' for the variable that holds it),
SQLite databases and files (JSON lines, JSON, CSV), recognises their tables by name, columns and
types and their records by their members, and writes a config: known ones by preset, others by the
spellings that many services use; files of one kind in one folder, or below the folder that is
named, are one source. What it cannot know stands beside as a comment. A password is never
written. The stores are only read.`,
		Example: "  idemctl init app.sqlite >idemctl.yaml\n  idemctl init '${DATABASE_URL}' orders.sqlite logs --out idemctl.yaml",
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
	targets, err := initTargets(env, args, filepath.Dir(opt.out))
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
		if folder, err := filepath.Abs(targets[0].Root); err == nil && targets[0].Root != "" {
			name = filepath.Base(folder)
		}
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
	names := slices.Concat(found.Passed, found.Aside)
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
		if s.Files > 0 {
			how += fmt.Sprintf(", %d files", s.Files)
		}
		e.talk("%s: %s, %s", text.SafeString(s.Name), s.Role, how)
	}
	if passed := slices.Concat(found.Passed, found.Aside); len(passed) > 0 {
		e.talk("%d passed over: %s", len(passed), text.SafeString(text.Truncate(strings.Join(passed, ", "), 200)))
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
func initTargets(env *Env, args []string, dir string) ([]draft.Target, error) {
	var out []draft.Target
	for _, arg := range args {
		var targets []draft.Target
		var t draft.Target
		var err error
		name, braced := strings.CutPrefix(arg, "${")
		name, closed := strings.CutSuffix(name, "}")
		switch {
		case isDSN(arg):
			t, err = dsnTarget(arg)
			targets = append(targets, t)
		case braced && closed:
			t, err = variableTarget(env, name)
			targets = append(targets, t)
		default:
			targets, err = fileTargets(arg, dir)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, targets...)
	}
	if len(out) == 0 {
		return nil, &failure{what: strings.Join(args, " ") + ": there is no file", hint: "name a database or the files themselves"}
	}
	return out, nil
}

func isDSN(arg string) bool {
	return strings.HasPrefix(arg, "postgres://") || strings.HasPrefix(arg, "postgresql://")
}

// variableTarget takes a database from the variable that names it: what it holds stands on no command line and in no config.
func variableTarget(env *Env, name string) (draft.Target, error) {
	dsn := env.Getenv(name)
	if dsn == "" {
		return draft.Target{}, &usageError{what: "the environment variable " + text.SafeString(name) + " is not set", hint: "set it to the database's URL, postgres://USER@HOST/DATABASE"}
	}
	if !isDSN(dsn) {
		return draft.Target{}, &usageError{what: "the environment variable " + text.SafeString(name) + " holds no postgres://…", hint: "set it to the database's URL: what it holds is not shown here"}
	}
	t, err := dsnTarget(dsn)
	t.Open, t.Note = "${"+name+"}", "set "+name+" to the database's URL before idemctl starts"
	return t, err
}

// fileTargets makes a store of a file, or of each file below a folder.
func fileTargets(arg, dir string) ([]draft.Target, error) {
	if !isDir(arg) {
		t, err := fileTarget(arg, dir)
		return []draft.Target{t}, err
	}
	names, err := filesBelow(arg)
	if err != nil {
		return nil, err
	}
	var out []draft.Target
	for _, name := range names {
		t, err := fileTarget(name, dir)
		if err != nil {
			t = draft.Target{Name: name} // neither a store nor a log: passed over
		}
		t.Root = arg
		out = append(out, t)
	}
	return out, nil
}

// filesBelow lists the files below a folder, without those of hidden names, configs, and what SQLite keeps beside a database.
func filesBelow(folder string) ([]string, error) {
	const most = 2000
	var names []string
	err := filepath.WalkDir(folder, func(name string, e fs.DirEntry, err error) error {
		hidden := name != folder && strings.HasPrefix(e.Name(), ".")
		switch {
		case err != nil:
			return err
		case hidden && e.IsDir():
			return fs.SkipDir
		case hidden || !e.Type().IsRegular() || slices.ContainsFunc([]string{"-wal", "-shm", "-journal", ".yaml", ".yml"}, func(end string) bool { return strings.HasSuffix(name, end) }):
			return nil
		case len(names) == most:
			return &failure{what: fmt.Sprintf("%s holds more than %d files", folder, most), hint: "name a folder below it, and widen the pattern in open afterwards"}
		}
		names = append(names, name)
		return nil
	})
	return names, err
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
