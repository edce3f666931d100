// Package backstory makes the audit trail that a training scenario begins with: what others decided before, and where the story wants it so, the older copy of
// the file that somebody put back since.
//
// It decides nothing and asks no guard: what it records is the scenario's own past. It writes to no place but the one that it is given, and to none where a
// trail stands already.
package backstory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scenario"
)

// Make makes the trail of a scenario at a place, and reports whether it did: a scenario without a past, or one whose trail stands already, needs none.
func Make(ctx context.Context, cfg *config.Config, s *scenario.Scenario, place audit.Place, env audit.Env) (made bool, err error) {
	if s.Before == nil {
		return false, nil
	}
	if _, err := os.Lstat(place.Path); !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if err := os.MkdirAll(filepath.Dir(place.Path), 0o700); err != nil {
		return false, fmt.Errorf("making the trail of a scenario: %w", err)
	}
	var older []byte
	for i := range s.Before.Decided {
		if err := record(ctx, cfg, &s.Before.Decided[i], place, env); err != nil {
			return false, fmt.Errorf("making the trail of a scenario: decision %d: %w", i+1, err)
		}
		if i+1 == s.Before.PutBack {
			if older, err = os.ReadFile(place.Path); err != nil {
				return false, fmt.Errorf("making the trail of a scenario: %w", err)
			}
		}
	}
	if older == nil {
		return true, nil
	}
	return true, putBack(place.Path, older)
}

// Known is what a trail tells before a scan: what was decided, by case, and why it is not to be trusted, nil where it is. Where none stands it tells nothing.
func Known(ctx context.Context, place audit.Place, env audit.Env) (decided map[string][]reconcile.Decided, trouble, err error) {
	trail, err := audit.OpenReading(ctx, place, env)
	switch {
	case errors.Is(err, audit.ErrNone):
		return nil, nil, nil
	case err != nil:
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, trail.Close()) }()
	decided = make(map[string][]reconcile.Decided)
	for d, err := range trail.Decisions(ctx, audit.Query{}) {
		if err != nil {
			return nil, nil, err
		}
		decided[d.Case] = append(decided[d.Case], d.Decided())
	}
	return decided, trail.Trouble(), nil
}

// record opens the trail as whoever decided, at that time, and closes it again, so that the file holds all of it.
func record(ctx context.Context, cfg *config.Config, d *scenario.Earlier, place audit.Place, env audit.Env) error {
	p, err := proposal(cfg, d)
	if err != nil {
		return err
	}
	env.Now, env.Operator.Name = func() time.Time { return d.At }, d.By
	trail, err := audit.Open(ctx, place, env)
	if err != nil {
		return err
	}
	_, err = trail.Decide(ctx, p)
	return errors.Join(err, trail.Close())
}

func proposal(cfg *config.Config, d *scenario.Earlier) (audit.Proposal, error) {
	p := audit.Proposal{
		Reason: d.Reason, Ref: d.Ref, To: d.To, Executed: reconcile.ExecutedUndetermined, Config: cfg.Name, ConfigDigest: cfg.Digest, ScanNow: reconcile.At(d.At), Evidence: []byte("{}"),
	}
	r := reconcile.Record{Role: reconcile.RoleReceipt, Claimed: true}
	for name, v := range d.Identity {
		r.Components = append(r.Components, reconcile.Component{Name: name, Value: reconcile.Text(v)})
	}
	c := reconcile.Book(cfg.Contracts).Claim(&r)
	if c == nil {
		return p, fmt.Errorf("no contract has the operation %q", d.Identity["operation"])
	}
	p.Contract, p.Identity = c.Name, c.IdentityOf(&r)
	p.Case = c.CaseID(p.Identity)
	var err error
	if p.Decision, err = reconcile.ParseDecision(d.Decision); err != nil {
		return p, err
	}
	p.As, err = reconcile.ParseResolution(d.As)
	return p, err
}

// putBack replaces the file of a trail that nobody has open by an older copy of it.
func putBack(path string, older []byte) (err error) {
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("putting an older trail back: %w", err)
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	name := filepath.Base(path)
	for _, beside := range []string{"-wal", "-shm"} {
		if err := dir.Remove(name + beside); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("putting an older trail back: %w", err)
		}
	}
	if err := dir.WriteFile(name, older, 0o600); err != nil {
		return fmt.Errorf("putting an older trail back: %w", err)
	}
	return nil
}
