package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/text"
)

// open scans a config, or opens a saved scan, with what was decided earlier, and notes what the exit code must tell.
func (e *Env) open(ctx context.Context, t target, now, out string) (*scan.Result, *known, error) {
	return e.openWith(ctx, t, now, out, nil)
}

// openWith is open with restores that are supposed, besides those that are declared and confirmed.
func (e *Env) openWith(ctx context.Context, t target, now, out string, supposed []reconcile.Event) (*scan.Result, *known, error) {
	if t.saved {
		return e.openSaved(ctx, t, now, out)
	}
	cfg, err := e.load(t, now)
	if err != nil {
		return nil, nil, err
	}
	k, err := e.knownOf(ctx, cfg)
	if err != nil {
		return nil, nil, err
	}
	k.gaps = slices.DeleteFunc(k.gaps, func(old audit.Restore) bool {
		return slices.ContainsFunc(supposed, func(ev reconcile.Event) bool { return ev.Corrects(&old.Event) })
	})
	res, err := e.scan(ctx, cfg, scan.Options{Out: out, Decided: k.decided(), Restores: slices.Concat(supposed, eventsOf(k.gaps)), Unsure: k.unsure, Trail: absolute(k.place.Path)})
	if err != nil {
		return nil, nil, err
	}
	return e.noted(ctx, res, &k)
}

// knownOf reads what was decided about a config's cases. Where no trail can be kept there is none.
func (e *Env) knownOf(ctx context.Context, cfg *config.Config) (known, error) {
	place, err := e.trailPlace(ctx, cfg)
	if err != nil {
		e.talk("idemctl: no decisions are read: %v", err)
		return known{none: true}, nil
	}
	return e.decisions(ctx, place)
}

// scan reads the sources of a config, with progress for a person.
func (e *Env) scan(ctx context.Context, cfg *config.Config, opt scan.Options) (*scan.Result, error) {
	began := e.Now()
	opt.Clock, opt.Progress, opt.Tool = e.Now, &scan.Progress{}, "idemctl "+version()
	opt.Tell = func(note string) { e.talk("%sidemctl: %s", e.lineErased(), text.Once(note)) }
	stop := e.watch(opt.Progress)
	res, err := scan.Run(ctx, cfg, opt)
	stop()
	if err != nil {
		return nil, inConfig(cfg, err)
	}
	e.talk("%s", readWords(res.Manifest(), e.Now().Sub(began), opt.Out))
	return res, nil
}

// openSaved opens a saved scan. Its clock has been read, and it is kept already.
func (e *Env) openSaved(ctx context.Context, t target, now, out string) (*scan.Result, *known, error) {
	if now != "" {
		return nil, nil, &usageError{what: "--now cannot move the clock of a saved scan", hint: "scan the config again with --now " + now}
	}
	if out != "" {
		return nil, nil, &usageError{what: t.path + " is a saved scan already", hint: "copy the file"}
	}
	res, err := scan.OpenSaved(ctx, t.path)
	if err != nil {
		return nil, nil, err
	}
	k := known{none: true}
	if path := res.Manifest().Trail; path != "" {
		if k, err = e.decisions(ctx, e.savedPlace(path)); err != nil {
			return nil, nil, errors.Join(err, res.Close())
		}
	}
	return e.noted(ctx, res, &k)
}

// trailOfSaved is where a saved scan says that its decisions are kept.
func trailOfSaved(ctx context.Context, path string) (string, error) {
	res, err := scan.OpenSaved(ctx, path)
	if err != nil {
		return "", err
	}
	return res.Manifest().Trail, res.Close()
}

// noted notes what the exit code must tell: cases that nobody has decided as they stand now, and what could not be read.
func (e *Env) noted(ctx context.Context, res *scan.Result, k *known) (*scan.Result, *known, error) {
	settled, err := k.settled(ctx, res)
	if err != nil {
		return nil, nil, errors.Join(err, res.Close())
	}
	m := res.Manifest()
	e.outcome.undecided = m.Counts.Cases > settled
	e.outcome.incomplete = !m.Complete
	return res, k, nil
}

// absolute is a path as it is found from anywhere.
func absolute(path string) string {
	if path == "" {
		return ""
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// readWords says what was read and kept.
func readWords(m *scan.Manifest, took time.Duration, out string) string {
	var records int64
	for _, s := range m.Sources {
		records += s.Records
	}
	words := fmt.Sprintf("idemctl: %d records of %d sources in %s", records, len(m.Sources), took.Round(10*time.Millisecond))
	if out != "" {
		words += ", kept in " + text.SafeString(out)
	}
	return words
}
