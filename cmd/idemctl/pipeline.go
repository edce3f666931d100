package main

import (
	"context"
	"fmt"
	"time"

	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/text"
)

// open scans a config, or opens a saved scan, and notes what the exit code must tell.
func (e *Env) open(ctx context.Context, t target, now, out string) (*scan.Result, error) {
	if t.saved {
		return e.openSaved(ctx, t, now, out)
	}
	cfg, err := e.load(t, now)
	if err != nil {
		return nil, err
	}
	began := e.Now()
	opt := scan.Options{Clock: e.Now, Out: out, Progress: &scan.Progress{}, Tool: "idemctl " + version()}
	stop := e.watch(opt.Progress)
	res, err := scan.Run(ctx, cfg, opt)
	stop()
	if err != nil {
		return nil, inConfig(cfg, err)
	}
	e.note(res.Manifest())
	e.talk("%s", readWords(res.Manifest(), e.Now().Sub(began), out))
	return res, nil
}

// openSaved opens a saved scan. Its clock has been read, and it is kept already.
func (e *Env) openSaved(ctx context.Context, t target, now, out string) (*scan.Result, error) {
	if now != "" {
		return nil, &usageError{what: "--now cannot move the clock of a saved scan", hint: "scan the config again with --now " + now}
	}
	if out != "" {
		return nil, &usageError{what: t.path + " is a saved scan already", hint: "copy the file"}
	}
	res, err := scan.OpenSaved(ctx, t.path)
	if err != nil {
		return nil, err
	}
	e.note(res.Manifest())
	return res, nil
}

func (e *Env) note(m *scan.Manifest) {
	e.outcome.undecided = m.Counts.Cases > 0
	e.outcome.incomplete = !m.Complete
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
